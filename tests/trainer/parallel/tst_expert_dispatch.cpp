#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// Rows on their way to experts on several ranks and back: who gets which, in what order.
#include "tests/support/slipway_test.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/parallel/expert_dispatch.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/stack.h>

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr std::int64_t kExperts = 4, kTopK = 2;

// Each rank has another number of tokens.
at::Tensor chosenBy(std::int64_t rank) {
    at::Generator generator = at::detail::createCPUGenerator(static_cast<std::uint64_t>(rank));
    return at::randint(kExperts, {5 + rank, kTopK}, generator, at::TensorOptions().dtype(at::kLong));
}

// [T K, 3]: of each row its expert, who sends it, and its place.
at::Tensor rowsOf(std::int64_t rank) {
    const at::Tensor expert = chosenBy(rank).flatten();
    return at::stack({expert, at::full_like(expert, rank), at::arange(expert.numel(), expert.options())}, 1);
}

// By expert, of each by sender, of each sender in its order.
at::Tensor expectedAt(std::int64_t firstExpert, std::int64_t numExperts, std::int64_t numRanks) {
    std::vector<at::Tensor> parts;
    for (std::int64_t expert = firstExpert; expert < firstExpert + numExperts; ++expert)
        for (std::int64_t sender = 0; sender < numRanks; ++sender) {
            const at::Tensor rows = rowsOf(sender);
            parts.push_back(rows.index_select(0, rows.select(1, 0).eq(expert).nonzero().flatten()));
        }
    return at::cat(parts);
}

}  // namespace

class TstExpertDispatch : public QObject {
    Q_OBJECT
private slots:
    void thereAndBack_data() {
        QTest::addColumn<int>("ep");
        QTest::addColumn<int>("etp");
        for (const int ep : {1, 2, 4})
            for (const int etp : {1, 2}) QTest::addRow("ep%d_etp%d", ep, etp) << ep << etp;
    }
    // Every rank of etp gets all rows of its experts; what those ranks give is added up where the rows came from.
    void thereAndBack() {
        QFETCH(int, ep);
        QFETCH(int, etp);
        ParallelLayout layout;
        layout.dp = ep * etp;
        layout.ep = ep;
        layout.etp = etp;
        std::vector<at::Tensor> sent(static_cast<std::size_t>(layout.dp)), arrived = sent, back = sent;
        runInProcess(layout.dp, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
            const ExpertDispatch dispatch(mesh.experts.get(), etp, kExperts);
            const DispatchPlan plan = dispatch.plan(chosenBy(rank));
            const auto i = static_cast<std::size_t>(rank);
            sent[i] = rowsOf(rank).index_select(0, plan.order);
            arrived[i] = dispatch.toExperts(sent[i], plan);
            back[i] = dispatch.fromExperts(arrived[i], plan);
        });
        for (std::size_t i = 0; i < sent.size(); ++i) {
            const std::int64_t numHere = kExperts / ep, first = static_cast<std::int64_t>(i) / etp * numHere;
            QVERIFY(arrived[i].equal(expectedAt(first, numHere, layout.dp)));
            QVERIFY(back[i].equal(sent[i] * etp));
        }
    }
};
SLIPWAY_TEST(TstExpertDispatch)
#include "tst_expert_dispatch.moc"
