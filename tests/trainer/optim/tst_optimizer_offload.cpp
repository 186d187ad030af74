// Optimizer states in host memory: the same bits as on the device, and counted on the host's side.
#include "tests/trainer/optim/optimizer_runs.h"
#include "trainer/telemetry/tensor_memory.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

RunConfig offloaded(RunConfig config) {
    config.parallel.offload = Offload::Optimizer;
    return config;
}

/// One weight of several pieces of the host's update.
struct LongWeight {
    Parameter parameter;
    WeightUnit unit;
    explicit LongWeight(at::ScalarType type) {
        parameter.shard.name = "long";
        parameter.shard.globalShape = {(2 << 20) + 12352};
        parameter.weight = pattern(parameter.shard.globalShape[0], 1, type);
        parameter.unit = &unit;
        unit.parameters = {&parameter};
    }
};

at::Tensor trainLong(const RunConfig& config) {
    const ProcessMesh mesh = makeMesh(config.parallel, 0, {});
    LongWeight weight(weightType(config));
    Optimizer optimizer(config, mesh, {&weight.parameter});
    for (int step = 0; step < 2; ++step) {
        optimizer.gradients().zero();
        weight.parameter.mainGrad += pattern(weight.parameter.weight.numel(), step + 2.0, at::kDouble);
        optimizer.update(0.01);
    }
    return weight.parameter.weight.clone();
}

}  // namespace

class TstOptimizerOffload : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTensorMemory(); }

    void sameBits_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("precision");
        QTest::addColumn<bool>("narrowMoments");
        QTest::addColumn<double>("adaptiveClip");
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("zeroStage");
        QTest::addColumn<bool>("narrowGradients");
        QTest::addColumn<bool>("rounds");
        const auto row = [](const char* name, OptimizerKind kind, Precision precision, bool narrow, double clip, int dp,
                            int zero, bool narrowGradients = false, bool rounds = false) {
            QTest::newRow(name) << static_cast<int>(kind) << static_cast<int>(precision) << narrow << clip << dp << zero
                                << narrowGradients << rounds;
        };
        row("one process", OptimizerKind::AdamW, Precision::Fp64, false, 0, 1, 0);
        row("fp32", OptimizerKind::AdamW, Precision::Fp32, false, 0, 1, 0);
        row("bf16", OptimizerKind::AdamW, Precision::Bf16, false, 0, 2, 0);
        row("bf16 moments", OptimizerKind::AdamW, Precision::Bf16, true, 0, 2, 1);
        row("zero 1", OptimizerKind::AdamW, Precision::Fp64, false, 0, 3, 1);
        row("zero 2", OptimizerKind::AdamW, Precision::Bf16, false, 0, 2, 2);
        row("zero 3", OptimizerKind::AdamW, Precision::Bf16, false, 0, 4, 3);
        row("lion", OptimizerKind::Lion, Precision::Fp32, false, 0, 2, 2);
        row("lion, bf16 moments", OptimizerKind::Lion, Precision::Bf16, true, 0, 2, 3);
        row("muon", OptimizerKind::Muon, Precision::Fp64, false, 0, 1, 0);
        row("muon, bf16", OptimizerKind::Muon, Precision::Bf16, false, 0, 2, 1);
        row("muon, zero 3", OptimizerKind::Muon, Precision::Fp64, false, 0, 2, 3);
        row("clipped by rows", OptimizerKind::AdamW, Precision::Bf16, false, 0.01, 2, 1);
        row("bf16 gradients", OptimizerKind::AdamW, Precision::Bf16, false, 0, 2, 1, true);
        row("bf16 gradients, zero 3", OptimizerKind::AdamW, Precision::Bf16, true, 0, 2, 3, true);
        row("bf16 gradients, lion", OptimizerKind::Lion, Precision::Bf16, false, 0, 1, 0, true);
        row("bf16 gradients, muon", OptimizerKind::Muon, Precision::Bf16, false, 0, 2, 1, true);
        row("bf16 gradients, clipped by rows", OptimizerKind::AdamW, Precision::Bf16, false, 0.01, 2, 2, true);
        row("rounded", OptimizerKind::AdamW, Precision::Bf16, false, 0, 1, 0, false, true);
        row("rounded, zero 1", OptimizerKind::AdamW, Precision::Bf16, false, 0, 3, 1, false, true);
        row("rounded, zero 3, bf16 moments", OptimizerKind::AdamW, Precision::Bf16, true, 0, 2, 3, false, true);
        row("rounded, clipped by rows", OptimizerKind::AdamW, Precision::Bf16, false, 0.01, 2, 1, false, true);
        row("rounded, lion", OptimizerKind::Lion, Precision::Bf16, true, 0, 2, 2, false, true);
        row("rounded, muon", OptimizerKind::Muon, Precision::Bf16, false, 0, 2, 1, false, true);
        row("rounded, bf16 gradients", OptimizerKind::AdamW, Precision::Bf16, false, 0, 2, 1, true, true);
        row("rounded, bf16 gradients, muon", OptimizerKind::Muon, Precision::Bf16, false, 0, 2, 1, true, true);
    }
    void sameBits() {
        QFETCH(int, kind);
        QFETCH(int, precision);
        QFETCH(bool, narrowMoments);
        QFETCH(double, adaptiveClip);
        QFETCH(int, dp);
        QFETCH(int, zeroStage);
        QFETCH(bool, narrowGradients);
        QFETCH(bool, rounds);
        RunConfig config = configFor(dp, zeroStage);
        if (narrowGradients) config.train.gradDtype = Precision::Bf16;
        config.train.stochasticRounding = rounds;
        config.train.precision = static_cast<Precision>(precision);
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        config.optimizer.adaptiveClip = adaptiveClip;
        if (narrowMoments) {
            config.optimizer.momentDtype = MomentDtype::Bf16;
            config.optimizer.beta2 = 0.98;
        }
        const bool matrices = config.optimizer.kind == OptimizerKind::Muon;
        const Outcome plain = trainReplicas(config, 0, Bug::None, 1, matrices);
        QVERIFY(!plain.weights.empty());
        QVERIFY(test::sameBits(trainReplicas(offloaded(config), 0, Bug::None, 1, matrices), plain));
        QVERIFY(!test::sameBits(trainReplicas(offloaded(config), 0, Bug::HostMasterNotReturned, 1, matrices), plain));
        if (!rounds) return;
        // And the rounding is at random: without it the weights are others.
        config.train.stochasticRounding = false;
        QVERIFY(!test::sameBits(trainReplicas(offloaded(config), 0, Bug::None, 1, matrices), plain));
    }

    void manyPieces() {
        for (const Precision precision : {Precision::Fp32, Precision::Bf16})
            for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Lion}) {
                RunConfig config = configFor(1, 0);
                config.train.precision = precision;
                config.optimizer.kind = kind;
                for (const bool rounds : {false, true}) {
                    config.train.stochasticRounding = rounds;
                    QVERIFY(at::equal(trainLong(config), trainLong(offloaded(config))));
                }
            }
    }

    void memoryLeavesTheDevice_data() {
        QTest::addColumn<bool>("rounds");
        QTest::addColumn<int>("leaves");   // bytes an element that leave the device
        QTest::addColumn<int>("arrives");  // and that lie on the host
        QTest::addColumn<int>("passage");
        // fp32 master and both moments leave; what passes are fp32 gradients and bf16 weights.
        QTest::newRow("master weights") << false << 12 << 12 << 6;
        // Both moments leave; the host's copy of the bf16 weights is sent as it is.
        QTest::newRow("rounded at random") << true << 8 << 10 << 4;
    }
    void memoryLeavesTheDevice() {
        QFETCH(bool, rounds);
        QFETCH(int, leaves);
        QFETCH(int, arrives);
        QFETCH(int, passage);
        RunConfig config = configFor(1, 0);
        config.train.precision = Precision::Bf16;
        config.train.stochasticRounding = rounds;
        const auto bytesOf = [&](const RunConfig& c) {
            const std::int64_t device = TensorMemory::current().bytes(), host = TensorMemory::host().bytes();
            const ProcessMesh mesh = makeMesh(c.parallel, 0, {});
            LongWeight weight(weightType(c));
            Optimizer optimizer(c, mesh, {&weight.parameter});
            return std::pair(TensorMemory::current().bytes() - device, TensorMemory::host().bytes() - host);
        };
        const std::int64_t elements = (2 << 20) + 12352;
        const auto [plainDevice, plainHost] = bytesOf(config);
        const auto [device, host] = bytesOf(offloaded(config));
        QCOMPARE(plainHost, std::int64_t{0});
        QCOMPARE(plainDevice - device, leaves * elements);
        QCOMPARE(host, arrives * elements + std::int64_t{2} * (1 << 20) * passage);
    }

    // What a checkpoint writes and reads are the host's tensors, and the model gets what was read.
    void stateGoesThroughTheHost() {
        const RunConfig config = offloaded(configFor(1, 0));
        const ProcessMesh mesh = makeMesh(config.parallel, 0, {});
        Weights weights(weightType(config)), plainWeights(weightType(config));
        Optimizer optimizer(config, mesh, weights.pointers), plain(configFor(1, 0), mesh, plainWeights.pointers);
        const std::vector<StateTensor> state = optimizer.state(), expected = plain.state();
        QCOMPARE(state.size(), expected.size());
        for (std::size_t i = 0; i < state.size(); ++i) {
            QCOMPARE(state[i].name, expected[i].name);
            QVERIFY(at::equal(state[i].tensor, expected[i].tensor));
        }
        at::Tensor first = state.front().tensor;
        first.fill_(7);
        optimizer.stateRestored(3);
        QCOMPARE(optimizer.numUpdates(), std::int64_t{3});
        std::size_t changed = 0;
        for (const Parameter& p : weights.all) changed += p.weight.eq(7).all().item<bool>() ? 1 : 0;
        QCOMPARE(changed, std::size_t{1});
    }
};
SLIPWAY_TEST(TstOptimizerOffload)
#include "tst_optimizer_offload.moc"
