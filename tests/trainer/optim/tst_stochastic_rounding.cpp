// Stochastic rounding: unbiased, the same in every layout, and enough to train bf16 weights without a master copy.
#include "tests/trainer/optim/optimizer_runs.h"
#include "trainer/optim/stochastic_rounding.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

constexpr std::int64_t kMany = 1 << 17;

ParamShard shardOf(std::string name, std::vector<std::int64_t> shape, std::vector<ShardSlice> slices = {}) {
    ParamShard shard;
    shard.name = std::move(name);
    shard.globalShape = std::move(shape);
    shard.slices = std::move(slices);
    return shard;
}

at::Tensor rounded(const at::Tensor& wide, const ParamShard& shard, const RoundingKey& key, std::int64_t offset = 0) {
    at::Tensor to = at::zeros({wide.numel()}, at::kBFloat16);
    key.round(to, wide, shard, offset);
    return to;
}

RunConfig roundedConfig(std::int64_t dp, std::int64_t zero, OptimizerKind kind) {
    RunConfig config = configFor(dp, zero);
    config.train.precision = Precision::Bf16;
    config.train.stochasticRounding = true;
    config.optimizer.clipNorm = 0;  // a norm's last digits depend on the order of its sum
    config.optimizer.kind = kind;
    return config;
}

// What a rank has after some updates of one matrix [16, 12] that tp cuts along `dim` (-1: not at all): weight and
// moments by name, flat.
std::map<std::string, at::Tensor> cutRun(std::int64_t tp, std::int64_t dim, OptimizerKind kind, Bug bug) {
    constexpr std::int64_t kRows = 16, kColumns = 12;
    RunConfig config = roundedConfig(1, 0, kind);
    config.parallel.tp = tp;
    std::vector<std::map<std::string, at::Tensor>> parts(static_cast<std::size_t>(tp));
    runInProcess(tp, [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        const auto local = [&](const at::Tensor& whole) {
            if (dim < 0) return whole.clone();
            const std::int64_t length = whole.size(dim) / tp;
            return whole.narrow(dim, rank * length, length).clone(at::MemoryFormat::Contiguous);
        };
        Parameter p;
        p.shard = shardOf("p", {kRows, kColumns});
        if (dim >= 0) {
            const std::int64_t length = (dim == 0 ? kRows : kColumns) / tp;
            p.shard.slices = {{Axis::Tp, dim, rank * length, length}};
        }
        p.weight = local(pattern(kRows * kColumns, 0, at::kBFloat16).view({kRows, kColumns}));
        WeightUnit unit;
        unit.parameters = {&p};
        p.unit = &unit;
        Optimizer optimizer(config, mesh, {&p}, bug);
        for (int step = 0; step < 5; ++step) {
            optimizer.gradients().zero();
            p.mainGrad += local(pattern(kRows * kColumns, 10.0 * step + 1, at::kFloat).view({kRows, kColumns}));
            p.onGradReady();
            optimizer.update(1e-3);
        }
        for (const StateTensor& state : optimizer.state())
            parts[static_cast<std::size_t>(rank)][state.name] = state.tensor.clone();
    });
    std::map<std::string, at::Tensor> whole;
    for (const auto& [name, first] : parts[0]) {
        std::vector<at::Tensor> all;
        for (const auto& part : parts) all.push_back(part.at(name));
        whole[name] = dim < 0 ? all[0] : at::cat(all, dim);
    }
    return whole;
}

bool sameStates(const std::map<std::string, at::Tensor>& a, const std::map<std::string, at::Tensor>& b) {
    for (const auto& [name, tensor] : a)
        if (!b.contains(name) || !at::equal(tensor, b.at(name))) return false;
    return a.size() == b.size();
}

}  // namespace

class TstStochasticRounding : public QObject {
    Q_OBJECT
private slots:
    // Between two neighbours of bf16, at a share of the way, the upper one comes with just that probability (within
    // five deviations).
    void unbiased_data() {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("share");
        for (const double low : {1.0, -1.0, 3e-5, 1e20})
            for (const double share : {0.01, 0.3, 0.5, 0.99}) QTest::addRow("%g, %g", low, share) << low << share;
    }
    void unbiased() {
        QFETCH(double, low);
        QFETCH(double, share);
        const auto exact = static_cast<double>(static_cast<float>(at::BFloat16(static_cast<float>(low))));
        // Seven digits behind the first.
        const double spacing = std::exp2(std::floor(std::log2(std::fabs(exact))) - 7);
        const double value = static_cast<float>(exact + std::copysign(share * spacing, low));
        const at::Tensor got =
            rounded(at::full({kMany}, value, at::kFloat), shardOf("w", {kMany}), RoundingKey(1, 7)).to(at::kDouble);
        const at::Tensor up = (got - exact).abs().div(spacing);
        QVERIFY(up.eq(0).logical_or(up.eq(1)).all().item<bool>());
        const double part = std::fabs(value - exact) / spacing;
        const double deviation = std::sqrt(part * (1 - part) / static_cast<double>(kMany));
        const double found = up.mean().item<double>();
        QVERIFY2(std::fabs(found - part) < 5 * deviation, qPrintable(QString::number((found - part) / deviation)));
    }

    void keepsWhatNeedsNoRounding() {
        const at::Tensor exact = pattern(4096, 1, at::kBFloat16);
        QVERIFY(at::equal(rounded(exact.to(at::kFloat), shardOf("w", {4096}), RoundingKey(1, 1)), exact));
        const float infinity = std::numeric_limits<float>::infinity();
        const at::Tensor odd = at::zeros({5}, at::kFloat);
        float* values = odd.mutable_data_ptr<float>();
        values[0] = infinity;
        values[1] = -infinity;
        values[2] = std::numeric_limits<float>::quiet_NaN();
        values[4] = std::bit_cast<float>(0x7fffffffU);  // a NaN that any bit added turns into a number
        const at::Tensor got = rounded(odd, shardOf("w", {5}), RoundingKey(1, 1)).to(at::kFloat);
        QCOMPARE(got[0].item<float>(), infinity);
        QCOMPARE(got[1].item<float>(), -infinity);
        QVERIFY(std::isnan(got[2].item<float>()) && std::isnan(got[4].item<float>()));
        QCOMPARE(got[3].item<float>(), 0.0F);
    }

    // Other bits for each seed, update, name and element; the same for the same.
    void drawsByKey() {
        const at::Tensor half = at::full({4096}, 1 + 1.0 / 256, at::kFloat);
        const ParamShard w = shardOf("w", {4096});
        const at::Tensor first = rounded(half, w, RoundingKey(1, 1));
        QVERIFY(at::equal(first, rounded(half, w, RoundingKey(1, 1))));
        const auto agreement = [&](const at::Tensor& other) {
            return first.eq(other).to(at::kDouble).mean().item<double>();
        };
        // Independent halves agree in one of two cases.
        for (const at::Tensor& other : {rounded(half, w, RoundingKey(2, 1)), rounded(half, w, RoundingKey(1, 2)),
                                        rounded(half, shardOf("v", {4096}), RoundingKey(1, 1)), first.roll(1)})
            QVERIFY2(std::fabs(agreement(other) - 0.5) < 0.05, qPrintable(QString::number(agreement(other))));
    }

    // What a GPU runs gives the bits of the loop, on every cut and from the middle of a part.
    void tensorsGiveTheSameBits_data() {
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("offset");
        for (const int dim : {-1, 0, 1})
            for (const int offset : {0, 5, 61}) QTest::addRow("dim %d from %d", dim, offset) << dim << offset;
    }
    void tensorsGiveTheSameBits() {
        QFETCH(int, dim);
        QFETCH(int, offset);
        ParamShard shard = shardOf("w", {24, 20});
        if (dim >= 0) shard.slices = {{Axis::Tp, dim, 10, 7}};
        const at::Tensor wide = pattern(shard.localElements() - offset, 3, at::kFloat).mul(1e-3);
        const RoundingKey key(5, 1000);
        at::Tensor loop = at::zeros({wide.numel()}, at::kBFloat16), tensors = at::zeros({wide.numel()}, at::kBFloat16);
        key.round(loop, wide, shard, offset);
        key.roundByTensors(tensors, wide, shard, offset);
        QVERIFY(at::equal(loop, tensors));
        // And it is the cut of the whole.
        at::Tensor whole = at::zeros({24, 20}, at::kFloat);
        at::Tensor cut = dim < 0 ? whole : whole.narrow(dim, 10, 7);
        at::Tensor flat = at::zeros({shard.localElements()}, at::kFloat);
        flat.narrow(0, offset, wide.numel()).copy_(wide);
        cut.copy_(flat.view(cut.sizes()));
        const at::Tensor all = rounded(whole.view({-1}), shardOf("w", {24, 20}), key).view({24, 20});
        const at::Tensor mine = (dim < 0 ? all : all.narrow(dim, 10, 7)).reshape({-1});
        QVERIFY(at::equal(mine.narrow(0, offset, wide.numel()), loop));
    }

    // Bit for bit the same weights and moments, whatever cuts parameters and states.
    void sameInEveryLayout_data() {
        QTest::addColumn<int>("kind");
        for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Lion, OptimizerKind::Muon})
            QTest::newRow(wordOf(kind).data()) << static_cast<int>(kind);
    }
    void sameInEveryLayout() {
        QFETCH(int, kind);
        const auto optimizer = static_cast<OptimizerKind>(kind);
        const Outcome whole = trainReplicas(roundedConfig(2, 0, optimizer), 0, Bug::None, 1, true);
        QCOMPARE(whole.weights.size(), std::size_t{5});
        for (const at::Tensor& weight : whole.weights) QCOMPARE(weight.scalar_type(), at::kBFloat16);
        for (const std::int64_t zero : {1, 2, 3}) {
            const Outcome part = trainReplicas(roundedConfig(2, zero, optimizer), 1, Bug::None, 1, true);
            for (std::size_t i = 0; i < 5; ++i) QVERIFY(at::equal(part.weights[i], whole.weights[i]));
        }
        const auto one = cutRun(1, -1, optimizer, Bug::None);
        QVERIFY(sameStates(cutRun(2, 0, optimizer, Bug::None), one));
        QVERIFY(sameStates(cutRun(4, 1, optimizer, Bug::None), one));
        // The suite sees a draw by the place in the shard.
        QVERIFY(sameStates(cutRun(1, -1, optimizer, Bug::RoundingByLocalIndex), one));
        QVERIFY(!sameStates(cutRun(2, 0, optimizer, Bug::RoundingByLocalIndex), one));
        QVERIFY(!sameStates(cutRun(4, 1, optimizer, Bug::RoundingByLocalIndex), one));
    }

    // No state is wider than it must be.
    void keepsNoMaster() {
        const RunConfig config = roundedConfig(1, 0, OptimizerKind::AdamW);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kBFloat16);
        Optimizer optimizer(config, mesh, weights.pointers);
        std::size_t numWeights = 0;
        for (const StateTensor& state : optimizer.state()) {
            const bool weight = state.name == state.shard.name;
            numWeights += weight ? 1 : 0;
            QCOMPARE(state.shard.dtype, std::string(weight ? "BF16" : "F32"));
            QCOMPARE(state.tensor.scalar_type(), weight ? at::kBFloat16 : at::kFloat);
        }
        QCOMPARE(numWeights, std::size_t{5});
    }

    // Steps far below a digit of bf16 (1/128 below 1): rounded to the nearest they are all lost, at random they add up.
    void smallStepsAddUp() {
        RunConfig config = roundedConfig(1, 0, OptimizerKind::Lion);
        config.optimizer.weightDecay = 0;
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Parameter p;
        p.shard = shardOf("p", {4096});
        p.weight = at::full({4096}, 1.5, at::kBFloat16);
        WeightUnit unit;
        unit.parameters = {&p};
        p.unit = &unit;
        Optimizer optimizer(config, mesh, {&p});
        constexpr int kSteps = 100;
        constexpr double kLr = 1e-4;
        for (int step = 0; step < kSteps; ++step) {
            optimizer.gradients().zero();
            p.mainGrad.fill_(1);
            p.onGradReady();
            optimizer.update(kLr);
        }
        const double moved = 1.5 - p.weight.to(at::kDouble).mean().item<double>();
        // Of 4096 elements with kSteps draws of a digit 1/128 with probability 128 kLr each.
        const double deviation = std::sqrt(kSteps * 128 * kLr) / 128 / std::sqrt(4096.0);
        QVERIFY2(std::fabs(moved - kSteps * kLr) < 5 * deviation, qPrintable(QString::number(moved)));
    }
};

SLIPWAY_TEST(TstStochasticRounding)
#include "tst_stochastic_rounding.moc"
