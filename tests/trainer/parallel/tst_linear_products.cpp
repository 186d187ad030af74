#include <ATen/core/ivalue.h>  // before Qt, whose macro `slots` it does not survive

// fp8 products of a weight that is cut over ranks: the scales are those of the whole, the products near those of one
// rank.
#include "tests/support/slipway_test.h"
#include "trainer/comm/in_process_group.h"
#include "trainer/kernels/linear.h"
#include "trainer/parallel/linear_products.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <mutex>

using namespace slipway;
using namespace slipway::trainer;

namespace {

constexpr std::int64_t kTokens = 6, kInputs = 16, kOutputs = 8;

at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    // Columns and rows of very different size, so that a part's largest value is not the whole's.
    at::Tensor x = at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat));
    for (std::int64_t i = 0; i < shape[1]; ++i) x.select(1, i).mul_(1 + static_cast<double>(i));
    for (std::int64_t i = 0; i < shape[0]; ++i) x.select(0, i).mul_(1 + static_cast<double>(i));
    return x.to(at::kBFloat16);
}

struct Products {
    at::Tensor y, dx, dWeight;  // as one rank has them, put together
    std::vector<Fp8Factor> factors;
};

at::Tensor partOf(const at::Tensor& whole, std::int64_t dim, std::int64_t rank, std::int64_t n) {
    const std::int64_t length = whole.size(dim) / n;
    return whole.narrow(dim, rank * length, length);
}

// The three products on n ranks. Factors in the order of LinearProducts, put together along what is cut.
Products onRanks(std::int64_t n, WeightCut cut, std::optional<Fp8Products> fp8, Bug bug = Bug::None) {
    const at::Tensor x = normal({kTokens, kInputs}, 1), w = normal({kOutputs, kInputs}, 2),
                     dy = normal({kTokens, kOutputs}, 3);
    std::vector<Products> ranks(static_cast<std::size_t>(n));
    ParallelLayout layout;
    layout.tp = n;
    const bool outputs = cut == WeightCut::Outputs;
    runInProcess(n, [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
        ShardContext context;
        context.tp = mesh.tp.get();
        context.fp8 = fp8;
        context.bug = bug;
        const LinearProducts products(context, mesh.tp.get(), cut);
        const at::Tensor localX = outputs ? x : partOf(x, 1, rank, n), localDy = outputs ? partOf(dy, 1, rank, n) : dy;
        const at::Tensor localW = partOf(w, outputs ? 0 : 1, rank, n);
        Products& mine = ranks[static_cast<std::size_t>(rank)];
        mine.y = products.forward(localX, localW, {});
        mine.dx = products.inputGrad(localDy, localW);
        mine.dWeight = at::zeros(localW.sizes(), at::kFloat);
        products.addWeightGrad(mine.dWeight, localDy, localX);
        if (!fp8) return;
        mine.factors = {products.factor(localX, false, {!outputs, true}),
                        products.factor(localW, false, {true, !outputs}),
                        products.factor(localDy, true, {outputs, true}),
                        products.factor(localW.t(), false, {true, outputs}),
                        products.factor(localDy.t(), true, {outputs, false}),
                        products.factor(localX.t(), false, {!outputs, false})};
    });
    const auto joined = [&](auto&& of, int dim) {  // dim -1: a sum of parts
        std::vector<at::Tensor> parts;
        for (const Products& rank : ranks) parts.push_back(of(rank));
        if (dim >= 0) return at::cat(parts, dim);
        at::Tensor sum = parts[0].to(at::kFloat);
        for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i].to(at::kFloat);
        return sum;
    };
    Products all;
    all.y = joined([](const Products& p) { return p.y; }, outputs ? 1 : -1);
    all.dx = joined([](const Products& p) { return p.dx; }, outputs ? -1 : 1);
    all.dWeight = joined([](const Products& p) { return p.dWeight; }, outputs ? 0 : 1);
    all.factors = ranks[0].factors;
    // Which dim of each factor's values the cut runs along; -1: not at all.
    const std::vector<int> dims = outputs ? std::vector<int>{-1, 0, 1, 1, 0, -1} : std::vector<int>{1, 1, -1, 0, -1, 0};
    for (std::size_t i = 0; i < all.factors.size(); ++i) {
        std::vector<at::Tensor> values, inverse;
        for (const Products& rank : ranks) {
            values.push_back(rank.factors[i].values.view(at::kByte));
            inverse.push_back(rank.factors[i].inverse);
            if (!(dims[i] == 0 && inverse.back().size(0) > 1) && !inverse.back().equal(inverse.front()))
                throw std::runtime_error("scales differ between ranks");
        }
        if (dims[i] >= 0)
            all.factors[i].values = at::cat(values, dims[i]);
        else
            all.factors[i].values = values[0];
        if (dims[i] == 0 && inverse[0].size(0) > 1) all.factors[i].inverse = at::cat(inverse, 0);
    }
    return all;
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
}

/// How far the three products are from those of the whole when they go piece by piece over n ranks, each rank from its
/// own piece on.
struct PieceErrors {
    double y = 0, dx = 0, dWeight = 0;
};

PieceErrors inPieces(std::int64_t n, WeightCut cut, Fp8Recipe recipe, bool common) {
    PieceErrors worst;
    std::mutex mutex;
    ParallelLayout layout;
    layout.tp = n;
    const bool outputs = cut == WeightCut::Outputs;
    const std::int64_t length = 4, rows = length * n;
    const at::Tensor x = normal({rows, kInputs}, 1).unsqueeze(1), w = normal({kOutputs, kInputs}, 2),
                     dy = normal({rows, kOutputs}, 3).unsqueeze(1);
    runInProcess(n, [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(layout, rank, world.maker(rank));
        ShardContext context;
        context.tp = mesh.tp.get();
        context.fp8 = Fp8Products{recipe, Fp8Format::Hybrid, false};
        context.sequenceParallel = true;
        const LinearProducts plain(context, mesh.tp.get(), cut);
        context.asyncTp = common;
        const LinearProducts products(context, mesh.tp.get(), cut);
        const at::Tensor localX = outputs ? x : partOf(x, 2, rank, n), localDy = outputs ? partOf(dy, 2, rank, n) : dy;
        const at::Tensor localW = partOf(w, outputs ? 0 : 1, rank, n);
        const auto piece = [&](const at::Tensor& whole, std::int64_t i) { return whole.narrow(0, i * length, length); };
        const PieceEdge in = outputs ? PieceEdge::Arriving : PieceEdge::Leaving,
                        back = outputs ? PieceEdge::Leaving : PieceEdge::Arriving;
        const CommonFactors ofX = products.commonForward(outputs ? piece(x, rank) : localX, localW, in);
        const CommonFactors ofDy = products.commonInputGrad(outputs ? localDy : piece(dy, rank), localW, back);
        const CommonGradScales ofBoth = products.commonWeightGrad(localDy, piece(localX, rank));
        std::vector<at::Tensor> y(static_cast<std::size_t>(n)), dx(static_cast<std::size_t>(n));
        at::Tensor dWeight = at::zeros(localW.sizes(), at::kFloat), wholeGrad = at::zeros(localW.sizes(), at::kFloat);
        for (std::int64_t step = 0; step < n; ++step) {
            const std::int64_t i = (rank + step) % n;
            y[static_cast<std::size_t>(i)] = products.forward(piece(localX, i), localW, {}, ofX, i * length);
            dx[static_cast<std::size_t>(i)] = products.inputGrad(piece(localDy, i), localW, ofDy, i * length);
            products.addWeightGrad(dWeight, piece(localDy, i), piece(localX, i), ofBoth);
        }
        plain.addWeightGrad(wholeGrad, localDy, localX);
        const PieceErrors mine{apart(at::cat(y), plain.forward(localX, localW, {})),
                               apart(at::cat(dx), plain.inputGrad(localDy, localW)), apart(dWeight, wholeGrad)};
        const std::lock_guard lock(mutex);
        worst = {std::max(worst.y, mine.y), std::max(worst.dx, mine.dx), std::max(worst.dWeight, mine.dWeight)};
    });
    return worst;
}

}  // namespace

class TstLinearProducts : public QObject {
    Q_OBJECT
    static void recipes() {
        QTest::addColumn<bool>("perRow");
        QTest::newRow("tensorwise") << false;
        QTest::newRow("rowwise") << true;
    }

private slots:
    void likeOneRank_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("cut");
        QTest::addColumn<int>("recipe");
        QTest::addColumn<int>("format");
        for (const int ranks : {2, 4})
            for (const WeightCut cut : {WeightCut::Outputs, WeightCut::Inputs})
                for (const Fp8Recipe recipe : {Fp8Recipe::Tensorwise, Fp8Recipe::Rowwise})
                    for (const Fp8Format format : {Fp8Format::Hybrid, Fp8Format::E4m3})
                        QTest::addRow("%d ranks, %s, %s, %s", ranks, cut == WeightCut::Outputs ? "outputs" : "inputs",
                                      wordOf(recipe).data(), wordOf(format).data())
                            << ranks << static_cast<int>(cut) << static_cast<int>(recipe) << static_cast<int>(format);
    }
    // Scales and float8 values are the same bits as the uncut layer's; sums differ by what bf16 loses of the parts.
    void likeOneRank() {
        QFETCH(int, ranks);
        QFETCH(int, cut);
        QFETCH(int, recipe);
        QFETCH(int, format);
        const Fp8Products fp8{static_cast<Fp8Recipe>(recipe), static_cast<Fp8Format>(format), false};
        const auto along = static_cast<WeightCut>(cut);
        const Products one = onRanks(1, along, fp8), many = onRanks(ranks, along, fp8);
        QCOMPARE(many.factors.size(), std::size_t{6});
        for (std::size_t i = 0; i < 6; ++i) {
            QVERIFY2(many.factors[i].inverse.equal(one.factors[i].inverse), qPrintable(QString("scale %1").arg(i)));
            QVERIFY2(many.factors[i].values.equal(one.factors[i].values), qPrintable(QString("values %1").arg(i)));
        }
        QVERIFY2(apart(many.y, one.y) < 0.01, qPrintable(QString::number(apart(many.y, one.y))));
        QVERIFY2(apart(many.dx, one.dx) < 0.01, qPrintable(QString::number(apart(many.dx, one.dx))));
        QVERIFY2(apart(many.dWeight, one.dWeight) < 1e-6,
                 qPrintable(QString::number(apart(many.dWeight, one.dWeight))));
        // And near the products without fp8, but not the same.
        const Products exact = onRanks(1, along, std::nullopt);
        for (const double off : {apart(one.y, exact.y), apart(one.dx, exact.dx), apart(one.dWeight, exact.dWeight)})
            QVERIFY2(off > 1e-3 && off < 0.1, qPrintable(QString::number(off)));
    }

    void piecesLikeTheWhole_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("cut");
        QTest::addColumn<int>("recipe");
        for (const int ranks : {2, 4})
            for (const WeightCut cut : {WeightCut::Outputs, WeightCut::Inputs})
                for (const Fp8Recipe recipe : {Fp8Recipe::Tensorwise, Fp8Recipe::Rowwise})
                    QTest::addRow("%d ranks, %s, %s", ranks, cut == WeightCut::Outputs ? "outputs" : "inputs",
                                  wordOf(recipe).data())
                        << ranks << static_cast<int>(cut) << static_cast<int>(recipe);
    }
    // The pieces of overlapped tensor parallelism have the scales of the whole; with their own they would differ.
    void piecesLikeTheWhole() {
        QFETCH(int, ranks);
        QFETCH(int, cut);
        QFETCH(int, recipe);
        const auto along = static_cast<WeightCut>(cut);
        const auto kind = static_cast<Fp8Recipe>(recipe);
        const PieceErrors shared = inPieces(ranks, along, kind, true), own = inPieces(ranks, along, kind, false);
        QVERIFY2(shared.y < 1e-4 && shared.dx < 1e-4, qPrintable(QString("%1 %2").arg(shared.y).arg(shared.dx)));
        // Row-parallel weight gradients take whole tensors, never pieces.
        if (along == WeightCut::Outputs) QVERIFY2(shared.dWeight < 1e-6, qPrintable(QString::number(shared.dWeight)));
        QVERIFY2(std::max({own.y, own.dx, own.dWeight}) > 1e-3, qPrintable(QString::number(own.dWeight)));
    }

    // Ranks that scale by their own largest values are seen.
    void catchesScalesOfParts() {
        const Fp8Products fp8;
        for (const WeightCut cut : {WeightCut::Outputs, WeightCut::Inputs})
            QVERIFY_EXCEPTION_THROWN(onRanks(2, cut, fp8, Bug::ScaleOfOwnPart), std::runtime_error);
    }

    // Without fp8 it is the plain layer, bit for bit.
    void plainWithoutFp8() {
        const Products ours = onRanks(1, WeightCut::Outputs, std::nullopt);
        const at::Tensor x = normal({kTokens, kInputs}, 1), w = normal({kOutputs, kInputs}, 2);
        QVERIFY(ours.y.equal(linearForward(x, w, {})));
    }

    // Within a step the weight's factors are made once, and anew in the next; between steps nothing is kept.
    void weightsOfAStep_data() { recipes(); }
    void weightsOfAStep() {
        QFETCH(bool, perRow);
        const auto step = std::make_shared<std::uint64_t>(0);
        ShardContext context;
        context.fp8 = Fp8Products{perRow ? Fp8Recipe::Rowwise : Fp8Recipe::Tensorwise, Fp8Format::Hybrid, false, step};
        const LinearProducts kept(context, nullptr, WeightCut::None, true), shared(context, nullptr, WeightCut::None);
        context.fp8->step = nullptr;
        const LinearProducts fresh(context, nullptr, WeightCut::None, true);
        const at::Tensor x = normal({kTokens, kInputs}, 1), dy = normal({kTokens, kOutputs}, 3);
        const at::Tensor w = normal({kOutputs, kInputs}, 2), before = w.clone();
        const auto agree = [&](const LinearProducts& products, const at::Tensor& weight) {
            return products.forward(x, w, {}).equal(fresh.forward(x, weight, {})) &&
                   products.inputGrad(dy, w).equal(fresh.inputGrad(dy, weight));
        };
        QVERIFY(agree(kept, w));
        *step = 1;
        QVERIFY(agree(kept, before));
        w.mul_(-2).select(0, 0).zero_();
        QVERIFY(agree(kept, before));  // as they stood when the step began
        QVERIFY(agree(shared, w));     // layers of several weights keep none
        *step = 2;
        QVERIFY(agree(kept, w));
        w.mul_(3);
        *step = 0;
        QVERIFY(agree(kept, w));
    }

    // The factor that is made beside the input gradient gives the weight gradient's bits, for its own dy and for no
    // other.
    void turnedGradients_data() { recipes(); }
    void turnedGradients() {
        QFETCH(bool, perRow);
        ShardContext context;
        context.fp8 = Fp8Products{perRow ? Fp8Recipe::Rowwise : Fp8Recipe::Tensorwise, Fp8Format::Hybrid, false};
        const LinearProducts products(context, nullptr, WeightCut::None, true);
        const at::Tensor x = normal({kTokens, kInputs}, 1), w = normal({kOutputs, kInputs}, 2);
        const at::Tensor dy = normal({2 * kTokens, kOutputs}, 3), first = dy.narrow(0, 0, kTokens),
                         second = dy.narrow(0, kTokens, kTokens);
        const auto gradOf = [&](const at::Tensor& of) {
            at::Tensor grad = at::zeros({kOutputs, kInputs}, at::kFloat);
            products.addWeightGrad(grad, of, x);
            return grad;
        };
        const at::Tensor plain = gradOf(first), other = gradOf(second);
        QVERIFY(!plain.equal(other));
        static_cast<void>(products.inputGrad(first, w));
        QVERIFY(gradOf(second).equal(other));
        QVERIFY(gradOf(first).equal(plain));
        QVERIFY(gradOf(first).equal(plain));
    }
};
SLIPWAY_TEST(TstLinearProducts)
#include "tst_linear_products.moc"
