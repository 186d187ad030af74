#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// The grouped product against the loop over groups, and weights that are stacked without a copy.
#include "tests/support/slipway_test.h"
#include "trainer/kernels/grouped_linear.h"
#include "trainer/kernels/linear.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>

using namespace slipway;
using namespace slipway::trainer;

namespace {

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat));
}

std::vector<at::Tensor> matrices(std::int64_t count, std::int64_t outputs, std::int64_t inputs) {
    std::vector<at::Tensor> list;
    for (std::int64_t i = 0; i < count; ++i)
        list.push_back(normal({outputs, inputs}, 10 + static_cast<std::uint64_t>(i)));
    return list;
}

template <class F>
at::Tensor loop(const at::Tensor& x, const std::vector<std::int64_t>& rows, F&& of) {
    std::vector<at::Tensor> parts;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        parts.push_back(of(x.narrow(0, begin, rows[i]), i));
        begin += rows[i];
    }
    return at::cat(parts);
}

}  // namespace

class TstGroupedLinear : public QObject {
    Q_OBJECT
private slots:
    // Groups of every size, an empty one among them.
    void likeTheLoop() {
        const std::vector<std::int64_t> rows{5, 0, 16, 3};
        const std::vector<at::Tensor> weights = matrices(4, 24, 16);
        const at::Tensor x = normal({24, 16}, 1), dy = normal({24, 24}, 2);
        at::Tensor y, dx;
        try {
            y = groupedForward(x, weights, rows);
            dx = groupedInputGrad(dy, weights, rows);
        } catch (const std::exception& refused) {
            QSKIP(std::string(refused.what()).substr(0, 120).c_str());
        }
        const at::Tensor expected =
            loop(x, rows, [&](const at::Tensor& part, std::size_t i) { return linearForward(part, weights[i], {}); });
        const at::Tensor expectedGrad =
            loop(dy, rows, [&](const at::Tensor& part, std::size_t i) { return linearInputGrad(part, weights[i]); });
        QVERIFY((y - expected).abs().max().item<double>() < 1e-5);
        QVERIFY((dx - expectedGrad).abs().max().item<double>() < 1e-5);
    }

    void stacksWithoutACopy() {
        const at::Tensor pool = normal({4, 3, 8, 4}, 3);
        std::vector<at::Tensor> every;
        for (std::int64_t i = 0; i < 4; ++i) every.push_back(pool[i][1]);  // one of the three matrices of each expert
        const at::Tensor stacked = stackedWeights(every);
        QVERIFY(stacked.is_alias_of(pool));
        QVERIFY(stacked.equal(at::stack(every)));
        std::swap(every[1], every[2]);
        QVERIFY(!stackedWeights(every).is_alias_of(pool));
        QVERIFY(stackedWeights(every).equal(at::stack(every)));
        // Columns of a wider matrix stand at even distances too, but their rows do not follow each other.
        const at::Tensor wide = normal({8, 12}, 4);
        const std::vector<at::Tensor> columns = {wide.narrow(1, 0, 4), wide.narrow(1, 4, 4), wide.narrow(1, 8, 4)};
        QVERIFY(stackedWeights(columns).equal(at::stack(columns)));
    }

    void cpuTakesTheLoop() { QVERIFY(!hasGroupedProduct(normal({8, 16}, 1), normal({8, 16}, 2))); }
};
SLIPWAY_TEST(TstGroupedLinear)
#include "tst_grouped_linear.moc"
