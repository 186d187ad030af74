// Lion, Muon, adaptive clipping, bf16 moments and loss scaling, on any sharding.
#include "tests/trainer/optim/optimizer_runs.h"
#include "trainer/optim/muon.h"

#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>
#include <set>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

class TstOptimizerKinds : public QObject {
    Q_OBJECT
private slots:
    // Gradients kept in bf16 are clipped as others are: here to a size at which eps (Muon: the 1e-7 beside its norm)
    // counts.
    void narrowGradients_data() {
        QTest::addColumn<int>("kind");
        QTest::addRow("adamw") << static_cast<int>(OptimizerKind::AdamW);
        QTest::addRow("muon") << static_cast<int>(OptimizerKind::Muon);
    }
    void narrowGradients() {
        QFETCH(int, kind);
        RunConfig config = configFor(1, 0);
        config.train.precision = Precision::Fp32;
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        config.optimizer.clipNorm = 1e-6;
        const auto train = [&] { return trainReplicas(config, 0, Bug::None, 1, /*matrices=*/true); };
        const Outcome wide = train();
        config.train.gradDtype = Precision::Bf16;
        const Outcome narrow = train();
        config.optimizer.clipNorm = 0;
        const double distance = largestDifference(narrow, wide), unclipped = largestDifference(train(), wide);
        QVERIFY2(distance < 0.03 * unclipped, qPrintable(QString("%1 of %2").arg(distance).arg(unclipped)));
    }

    // u = sign(beta1 m + (1 - beta1) g), element by element (Chen et al. 2023, algorithm 2), on any sharding; one
    // moment is kept.
    void lion_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("zero");
        for (const int dp : {1, 3})
            for (const int zero : {0, 1, 2, 3}) QTest::addRow("dp %d zero %d", dp, zero) << dp << zero;
    }
    void lion() {
        QFETCH(int, dp);
        QFETCH(int, zero);
        RunConfig config = configFor(dp, zero);
        config.optimizer.kind = OptimizerKind::Lion;
        config.optimizer.clipNorm = 0;
        const OptimizerSpec& o = config.optimizer;
        Weights plain(at::kDouble);
        Outcome expected;
        std::vector<at::Tensor> m;
        for (const Parameter& p : plain.all) {
            expected.weights.push_back(p.weight.clone());
            m.push_back(at::zeros_like(p.weight));
        }
        for (int step = 0; step < 3; ++step)
            for (std::size_t i = 0; i < plain.all.size(); ++i) {
                at::Tensor g = at::zeros({kSizes[i]}, at::kDouble);
                for (int rank = 0; rank < dp; ++rank)
                    g = g + pattern(kSizes[i], 10.0 * step + 3.0 * rank + static_cast<double>(i), at::kDouble);
                const double decay = plain.all[i].decay ? o.weightDecay : 0;
                const at::Tensor u = (m[i] * o.beta1 + g * (1 - o.beta1)).sign();
                expected.weights[i] = expected.weights[i] * (1 - 0.01 * decay) - u * 0.01;
                m[i] = m[i] * o.beta2 + g * (1 - o.beta2);
            }
        const Outcome got = trainReplicas(config, dp - 1);
        QVERIFY2(largestDifference(got, expected) < 1e-13,
                 qPrintable(QString::number(largestDifference(got, expected))));

        const ProcessMesh mesh = makeMesh(configFor(1, 0).parallel, 0, nullptr);
        config.parallel = ParallelLayout{};
        Optimizer optimizer(config, mesh, plain.pointers);
        for (const StateTensor& tensor : optimizer.state()) QVERIFY(!tensor.name.ends_with(".exp_avg_sq"));
    }

    // Singular values come near one whatever they were (Jordan 2024: between about 0.7 and 1.2).
    void orthogonalisation() {
        for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{6, 6}, {9, 4}, {4, 9}}) {
            // Quadratic phases: no two rows alike, so that no singular value is zero.
            const at::Tensor matrix =
                at::sin(at::arange(rows * columns, at::kDouble).square() * 0.37).view({rows, columns});
            const at::Tensor values = at::linalg_svdvals(orthogonalised(matrix));
            const double least = values.min().item<double>(), most = values.max().item<double>();
            QVERIFY2(most < 1.3, qPrintable(QString::number(most)));
            QVERIFY2(least > 0.01 && values.max().item<double>() > 0.6, qPrintable(QString::number(least)));
            QCOMPARE(orthogonalised(matrix).size(0), rows);
        }
    }

    // A whole vector is one unit: its gradient is brought to share x the norm of its weights, on any sharding.
    void adaptiveClipping_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void adaptiveClipping() {
        QFETCH(int, zero);
        RunConfig config = configFor(2, zero);
        config.optimizer.clipNorm = 0;
        config.optimizer.adaptiveClip = 0.01;
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights weights(at::kDouble);
            std::vector<double> norms;
            for (const Parameter& p : weights.all) norms.push_back(p.weight.norm().item<double>());
            Optimizer optimizer(config, mesh, weights.pointers);
            optimizer.gradients().zero();
            weights.addGradients(0, static_cast<double>(rank));
            optimizer.update(0.01);
            std::vector<double> squares(weights.all.size(), 0);
            for (const FlatRange& range : optimizer.gradients().owned())
                for (const FlatSegment& s : optimizer.gradients().layout().segments(range))
                    squares[s.item] += optimizer.gradients().part(s.range).square().sum().item<double>();
            for (std::size_t i = 0; i < squares.size(); ++i) {
                at::Tensor sum = at::zeros({1}, at::kDouble).fill_(squares[i]);
                if (optimizer.gradients().sharded()) mesh.shardGroup().allReduce(sum, ReduceOp::Sum)->wait();
                const double most = 0.01 * std::max(norms[i], 1e-3);
                if (std::fabs(std::sqrt(sum.item<double>()) / most - 1) > 1e-12)
                    throw std::runtime_error("parameter " + std::to_string(i));
            }
        });
    }

    // A hidden matrix has one moment; tables and vectors have AdamW's two.
    void muonKeepsOneMomentOfMatrices() {
        RunConfig config = configFor(1, 0);
        config.optimizer.kind = OptimizerKind::Muon;
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kDouble, true);
        Optimizer optimizer(config, mesh, weights.pointers);
        std::set<std::string> names;
        for (const StateTensor& tensor : optimizer.state()) names.insert(tensor.name);
        QVERIFY(!names.contains("p0.exp_avg_sq"));
        for (const char* name : {"p0", "p0.exp_avg", "p1.exp_avg_sq", "p2.exp_avg_sq", "p4.exp_avg_sq"})
            QVERIFY2(names.contains(name), name);
    }

    // The same on every sharding, and the other parameters as under AdamW.
    void muonOnAnySharding() {
        RunConfig config = configFor(3, 0);
        config.optimizer.clipNorm = 0;
        const Outcome adam = trainReplicas(config, 0, Bug::None, 1, true);
        config.optimizer.kind = OptimizerKind::Muon;
        const Outcome muon = trainReplicas(config, 0, Bug::None, 1, true);
        QVERIFY(!at::equal(adam.weights[0], muon.weights[0]));
        for (std::size_t i = 1; i < 5; ++i) QVERIFY(at::equal(adam.weights[i], muon.weights[i]));
        for (const std::int64_t zero : {1, 2, 3}) {
            config.parallel.zeroStage = zero;
            const Outcome other = trainReplicas(config, 2, Bug::None, 1, true);
            QVERIFY2(largestDifference(other, muon) < 1e-12,
                     qPrintable(QString::number(largestDifference(other, muon))));
        }
    }

    // What bf16 loses is one part in 256 of a moment; the update is about lr, so weights differ by a few hundredths of
    // it.
    void momentsInBf16_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("zero");
        for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Muon})
            for (const int zero : {0, 1, 2, 3})
                QTest::addRow("%s zero %d", wordOf(kind).data(), zero) << static_cast<int>(kind) << zero;
    }
    void momentsInBf16() {
        QFETCH(int, kind);
        QFETCH(int, zero);
        RunConfig config = configFor(2, zero);
        config.train.precision = Precision::Fp32;
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        const Outcome exact = trainReplicas(config, 0, Bug::None, 1, true);
        config.optimizer.momentDtype = MomentDtype::Bf16;
        const Outcome rounded = trainReplicas(config, 0, Bug::None, 1, true);
        const double apart = largestDifference(rounded, exact);
        QVERIFY2(apart > 0 && apart < 0.05 * 3 * 0.01, qPrintable(QString::number(apart)));
        const ProcessMesh mesh = makeMesh(configFor(1, 0).parallel, 0, nullptr);
        config.parallel = ParallelLayout{};
        Weights weights(at::kFloat, true);
        Optimizer optimizer(config, mesh, weights.pointers);
        for (const StateTensor& tensor : optimizer.state()) {
            const bool moment = tensor.name.find(".exp_avg") != std::string::npos;
            QCOMPARE(tensor.tensor.scalar_type(), moment ? at::kBFloat16 : at::kFloat);
            QCOMPARE(tensor.shard.dtype, std::string(moment ? "BF16" : "F32"));
        }
    }

    // A power of two changes no digit: gradients times 1024 and told so give the same bits, norms and clipping
    // included.
    void lossScaleIsTakenOut_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void lossScaleIsTakenOut() {
        QFETCH(int, zero);
        RunConfig config = configFor(2, zero);
        QVERIFY(sameBits(trainReplicas(config, 1, Bug::None, 1024), trainReplicas(config, 1)));
        config.optimizer.adaptiveClip = 0.01;
        QVERIFY(sameBits(trainReplicas(config, 1, Bug::None, 1024), trainReplicas(config, 1)));
    }

    // A gradient beyond fp16's range on one rank only: no rank updates.
    void overflowOnOneRankSkipsOnAll() {
        const RunConfig config = configFor(3, 1);
        runInProcess(3, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights weights(at::kDouble);
            Optimizer optimizer(config, mesh, weights.pointers);
            const at::Tensor before = weights.all[0].weight.clone();
            optimizer.gradients().zero();
            if (rank == 1) weights.all[4].mainGrad.fill_(std::numeric_limits<double>::infinity());
            weights.addGradients(0, static_cast<double>(rank), 65536);
            const UpdateReport report = optimizer.update(0.1, {}, 65536);
            if (!report.skipped || std::isfinite(report.gradNorm) || !at::equal(before, weights.all[0].weight))
                throw std::runtime_error("rank " + std::to_string(rank) + " updated");
        });
    }
};

SLIPWAY_TEST(TstOptimizerKinds)
#include "tst_optimizer_kinds.moc"
