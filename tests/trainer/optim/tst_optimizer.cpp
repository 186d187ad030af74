// Flat gradients, reduction, clipping norm and AdamW, against plain arithmetic and against one process.
#include "tests/trainer/optim/optimizer_runs.h"
#include "trainer/optim/grad_norm.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

// The definition, element by element (Loshchilov and Hutter 2019, algorithm 2), with summed gradients of dp ranks.
Outcome expectedOf(const RunConfig& config) {
    Outcome outcome;
    const OptimizerSpec& o = config.optimizer;
    std::vector<at::Tensor> m, v;
    Weights weights(at::kDouble);
    for (const Parameter& p : weights.all) {
        outcome.weights.push_back(p.weight.clone());
        m.push_back(at::zeros_like(p.weight));
        v.push_back(at::zeros_like(p.weight));
    }
    for (int step = 0; step < 3; ++step) {
        std::vector<at::Tensor> gradients;
        double squares = 0;
        for (std::size_t i = 0; i < weights.all.size(); ++i) {
            at::Tensor g = at::zeros({kSizes[i]}, at::kDouble);
            for (std::int64_t rank = 0; rank < config.parallel.dp; ++rank)
                g = g + pattern(kSizes[i], 10.0 * step + 3.0 * static_cast<double>(rank) + static_cast<double>(i),
                                at::kDouble);
            squares += (g * g).sum().item<double>();
            gradients.push_back(g);
        }
        outcome.norms.push_back(std::sqrt(squares));
        const double clip = std::min(1.0, o.clipNorm / std::sqrt(squares));
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const at::Tensor g = gradients[i] * clip;
            m[i] = m[i] * o.beta1 + g * (1 - o.beta1);
            v[i] = v[i] * o.beta2 + g * g * (1 - o.beta2);
            const at::Tensor mHat = m[i] / (1 - std::pow(o.beta1, step + 1)),
                             vHat = v[i] / (1 - std::pow(o.beta2, step + 1));
            const double decay = weights.all[i].decay ? o.weightDecay : 0;
            outcome.weights[i] = outcome.weights[i] * (1 - 0.01 * decay) - mHat / (vHat.sqrt() + o.eps) * 0.01;
        }
    }
    return outcome;
}

}  // namespace

class TstOptimizer : public QObject {
    Q_OBJECT
private slots:
    // stackedWeights() takes the matrices of experts as one tensor where they stand at even distances.
    void expertsStandInARow() {
        std::vector<FlatItem> items{{48}};
        for (const std::int64_t elements : {64, 32, 64, 32, 64, 32}) items.push_back({elements, false, false, true});
        items.push_back({80});
        const BucketLayout layout = makeBucketLayout(items, 16, 2, 2);
        for (std::size_t i = 1; i < 5; ++i) QCOMPARE(layout.items[i + 2].begin - layout.items[i].begin, 96);
        QCOMPARE(layout.buckets.size(), static_cast<std::size_t>(3));
        QVERIFY(layout.items[7].begin < layout.items[0].begin);  // the others: last first
        QVERIFY(layout.items[0].end <= layout.items[1].begin);
    }

    void bucketLayout() {
        const std::vector<FlatItem> items{{100, false, true}, {40, true, false}, {50}, {60, true, false}, {70}};
        const BucketLayout layout = makeBucketLayout(items, 64, 4);
        QCOMPARE(layout.items[4].begin, 0);  // the last is ready first
        QVERIFY(layout.items[2].begin >= 70);
        QCOMPARE(layout.tpSum.length(), 100);
        QCOMPARE(layout.tiedSum.length(), 100);
        QCOMPARE(layout.tiedSum, layout.items[0]);
        QCOMPARE(layout.numEarlyBuckets, static_cast<std::size_t>(2));
        std::int64_t at = 0;
        std::int64_t covered = 0;
        for (std::size_t b = 0; b < layout.buckets.size(); ++b) {
            QCOMPARE(layout.buckets[b].begin, at);
            QCOMPARE(layout.buckets[b].length() % 4, 0);
            at = layout.buckets[b].end;
            for (std::int64_t shard = 0; shard < 4; ++shard)
                for (const FlatSegment& s : layout.segments(layout.shardOf(b, shard))) covered += s.range.length();
        }
        QCOMPARE(at, layout.elements);
        QCOMPARE(covered, 320);
    }

    // What is ready before a table need not wait for it, and Muon gathers whole buckets.
    void aTableHasABucketOfItsOwn() {
        const BucketLayout layout =
            makeBucketLayout({{200}, {10}, {20}}, 64, 1);  // the table is the first in the model
        QCOMPARE(layout.bucketItems, (std::vector<std::vector<std::size_t>>{{2, 1}, {0}}));
    }

    void adamWAndReplicas_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("bucketBytes");
        QTest::addColumn<bool>("overlap");
        for (const int dp : {1, 2, 3, 4})
            for (const int zero : {0, 1, 2, 3})
                for (const int bytes : {8, 512, 1 << 20})
                    for (const bool overlap : {false, true})
                        QTest::addRow("dp %d zero %d bucket %d overlap %d", dp, zero, bytes, overlap)
                            << dp << zero << bytes << overlap;
    }
    void adamWAndReplicas() {
        QFETCH(int, dp);
        QFETCH(int, zero);
        QFETCH(int, bucketBytes);
        QFETCH(bool, overlap);
        RunConfig config = configFor(dp, zero);
        config.parallel.bucketBytes = bucketBytes;
        config.parallel.overlapGradReduce = overlap;
        const Outcome expected = expectedOf(config);
        for (const std::int64_t rank : {std::int64_t{0}, config.parallel.dp - 1}) {
            const Outcome got = trainReplicas(config, rank);
            QVERIFY2(largestDifference(got, expected) < 1e-13,
                     qPrintable(QString::number(largestDifference(got, expected))));
            for (std::size_t i = 0; i < 3; ++i) QVERIFY(std::fabs(got.norms[i] / expected.norms[i] - 1) < 1e-14);
        }
    }

    void anUpdateThatIsNotAllowedChangesNothing() {
        const RunConfig config = configFor(1, 0);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kDouble);
        Optimizer optimizer(config, mesh, weights.pointers);
        const at::Tensor before = weights.all[0].weight.clone();
        optimizer.gradients().zero();
        weights.addGradients(0, 0);
        double seen = 0;
        const UpdateReport report = optimizer.update(0.1, [&](double norm) {
            seen = norm;
            return false;
        });
        QVERIFY(report.skipped && seen == report.gradNorm && seen > 0);
        QVERIFY(at::equal(before, weights.all[0].weight));
        QCOMPARE(optimizer.numUpdates(), 0);
    }

    // Two groups of two ranks: blocks are cut inside a group and summed over both.
    void hybridSharding_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {1, 2, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void hybridSharding() {
        QFETCH(int, zero);
        RunConfig config = configFor(4, zero);
        config.parallel.dpShard = 2;
        const Outcome expected = expectedOf(config);
        for (const std::int64_t rank : {0, 1, 3}) {
            const Outcome got = trainReplicas(config, rank);
            QVERIFY2(largestDifference(got, expected) < 1e-13,
                     qPrintable(QString::number(largestDifference(got, expected))));
            for (std::size_t i = 0; i < 3; ++i) QVERIFY(std::fabs(got.norms[i] / expected.norms[i] - 1) < 1e-14);
        }
        QVERIFY(largestDifference(trainReplicas(config, 0, Bug::ReplicaGradNotReduced), expected) > 1e-6);
    }

    // A sum of n values in bf16 errs by up to n half units in the last of 8 bits; another number of digits would show.
    void reductionInBf16_data() {
        QTest::addColumn<int>("zero");
        for (const int zero : {0, 1, 2, 3}) QTest::addRow("zero %d", zero) << zero;
    }
    void reductionInBf16() {
        QFETCH(int, zero);
        RunConfig config = configFor(2, zero);
        config.train.precision = Precision::Fp32;
        const Outcome exact = trainReplicas(config);
        config.parallel.reduceDtype = ReduceDtype::Bf16;
        const Outcome rounded = trainReplicas(config);
        const double distance = std::fabs(rounded.norms[0] / exact.norms[0] - 1);
        QVERIFY2(distance < 2.0 / 256, qPrintable(QString::number(distance)));
        QVERIFY2(distance > 1e-6, qPrintable(QString::number(distance)));
    }

    // 256 + 1 + 1 + 1 = 259 lies between two numbers of bf16, 258 and 260; summed one by one in bf16 it stays 256. With
    // HSDP these are what pairs of ranks have summed already.
    void reductionOf16BitGradients_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<bool>("hsdp");
        QTest::addColumn<bool>("inBf16");
        QTest::addColumn<double>("sum");
        for (const int zero : {0, 1, 2, 3}) {
            QTest::addRow("zero %d fp32", zero) << zero << false << false << 260.0;
            QTest::addRow("zero %d bf16", zero) << zero << false << true << 256.0;
        }
        for (const int zero : {1, 2, 3}) QTest::addRow("zero %d hsdp", zero) << zero << true << false << 260.0;
    }
    void reductionOf16BitGradients() {
        QFETCH(int, zero);
        QFETCH(bool, hsdp);
        QFETCH(bool, inBf16);
        QFETCH(double, sum);
        RunConfig config = configFor(hsdp ? 8 : 4, zero);
        if (hsdp) config.parallel.dpShard = 2;
        config.train.precision = config.train.gradDtype = Precision::Bf16;
        if (inBf16) config.parallel.reduceDtype = ReduceDtype::Bf16;
        double least = 0, most = 0;
        runInProcess(config.parallel.dp, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights weights(weightType(config));
            MainGradients gradients(config, mesh, weights.pointers);
            gradients.zero();
            weights.fillGradients(!hsdp ? (rank == 0 ? 256 : 1) : rank == 0 ? 255 : rank == 1 ? 1 : 0.5);
            gradients.finish();
            std::vector<at::Tensor> owned;
            for (const FlatRange& range : gradients.owned())
                for (const FlatSegment& segment : gradients.layout().segments(range))
                    owned.push_back(gradients.part(segment.range));
            if (rank != 3 || owned.empty()) return;
            const at::Tensor all = at::cat(owned).to(at::kDouble);
            least = all.min().item<double>();
            most = all.max().item<double>();
        });
        QCOMPARE(least, sum);
        QCOMPARE(most, sum);
    }

    // Overlap and bucket size change when things are sent, never what comes out.
    void overlapIsBitwiseNeutral() {
        RunConfig config = configFor(3, 0);
        const Outcome first = trainReplicas(config);
        QVERIFY(!first.weights.empty());
        for (const int bytes : {8, 1024, 1 << 20}) {
            for (const bool overlap : {false, true}) {
                config.parallel.bucketBytes = bytes;
                config.parallel.overlapGradReduce = overlap;
                QVERIFY(sameBits(trainReplicas(config), first));
            }
        }
    }

    void bf16WeightsKeepAnFp32Master() {
        RunConfig config = configFor(2, 1);
        config.train.precision = Precision::Bf16;
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights weights(at::kBFloat16);
            Optimizer optimizer(config, mesh, weights.pointers);
            const at::Tensor before = weights.all[2].weight.clone();
            // Steps far below bf16's resolution: without a master nothing would ever move.
            for (int step = 0; step < 200; ++step) {
                optimizer.gradients().zero();
                for (std::size_t i = weights.all.size(); i-- > 0;) {
                    weights.all[i].mainGrad += 1;
                    weights.all[i].onGradReady();
                }
                optimizer.update(1e-4);
            }
            if (weights.all[2].weight.scalar_type() != at::kBFloat16)
                throw std::runtime_error("weights changed their type");
            const double moved = (before.to(at::kDouble) - weights.all[2].weight.to(at::kDouble)).mean().item<double>();
            if (std::fabs(moved - 0.02) > 2e-3) throw std::runtime_error("moved by " + std::to_string(moved));
        });
    }

    // Replicated over tp, sharded over tp, shared by pairs of tp ranks, tied stages: each element once.
    void normCountsEachElementOnce() {
        ParallelLayout layout;
        layout.dp = 2;
        layout.tp = 4;
        layout.pp = 2;
        RunConfig config = configFor(2, 0);
        config.parallel = layout;
        for (const std::int64_t zero : {0, 1}) {
            config.parallel.zeroStage = zero;
            std::vector<double> norms(16);
            runInProcess(16, [&](std::int64_t rank, InProcessWorld& world) {
                const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
                std::vector<Parameter> ps(4);
                const auto shape = [&](std::size_t i, std::int64_t whole, std::optional<ShardSlice> slice) {
                    ps[i].shard.globalShape = {whole};
                    if (slice) ps[i].shard.slices = {*slice};
                    ps[i].weight = at::zeros(ps[i].shard.localShape(), at::kDouble);
                };
                shape(0, 12, std::nullopt);                                      // replicated over tp
                shape(1, 32, ShardSlice{Axis::Tp, 0, 8 * mesh.at.tp, 8});        // sharded
                shape(2, 16, ShardSlice{Axis::Tp, 0, 8 * (mesh.at.tp / 2), 8});  // two kv heads, four ranks
                shape(3, 20, ShardSlice{Axis::Tp, 0, 5 * mesh.at.tp, 5});
                ps[3].tiedAcrossStages = true;
                std::vector<Parameter*> pointers;
                for (Parameter& p : ps) pointers.push_back(&p);
                Optimizer optimizer(config, mesh, pointers);
                for (Parameter& p : ps)
                    p.mainGrad.fill_(0.5);  // 1 after the sum over dp; the tied one 2 after both sums
                norms[static_cast<std::size_t>(rank)] = optimizer.update(0).gradNorm;
            });
            const double expected = std::sqrt(2 * (12 + 32 + 16) + 20 * 4);  // two stages; the tied tensor once
            for (const double norm : norms) {
                QCOMPARE(norm, norms[0]);
                QVERIFY2(std::fabs(norm - expected) < 1e-12, qPrintable(QString::number(norm)));
            }
        }
    }

    void sequenceParallelWeightsAreSummedOverTp() {
        RunConfig config = configFor(2, 1);
        config.parallel.tp = 2;
        runInProcess(4, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights weights(at::kDouble);
            weights.all[1].sumOverTp = true;
            MainGradients gradients(config, mesh, weights.pointers);
            for (Parameter& p : weights.all) p.mainGrad.fill_(1 + static_cast<double>(mesh.at.tp));
            for (std::size_t i = weights.all.size(); i-- > 0;) weights.all[i].onGradReady();
            gradients.finish();
            for (const FlatRange& range : gradients.owned()) {
                for (const FlatSegment& s : gradients.layout().segments(range)) {
                    const double expected = s.item == 1 ? 2 * (1 + 2) : 2 * (1 + static_cast<double>(mesh.at.tp));
                    if (!gradients.flat().narrow(0, s.range.begin, s.range.length()).eq(expected).all().item<bool>())
                        throw std::runtime_error("parameter " + std::to_string(s.item));
                }
            }
        });
    }

    void clipping() {
        QCOMPARE(clipCoefficient(2, 1), 0.5);
        QCOMPARE(clipCoefficient(0.5, 1), 1.0);
        QCOMPARE(clipCoefficient(5, 0), 1.0);
    }

    void nonFiniteGradientsChangeNothing() {
        const RunConfig config = configFor(1, 0);
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        Weights weights(at::kDouble);
        Optimizer optimizer(config, mesh, weights.pointers);
        const at::Tensor before = weights.all[0].weight.clone();
        optimizer.gradients().zero();
        weights.all[0].mainGrad.fill_(std::nan(""));
        const UpdateReport report = optimizer.update(0.1);
        QVERIFY(report.skipped);
        QVERIFY(std::isnan(report.gradNorm));
        QVERIFY(at::equal(before, weights.all[0].weight));
        QCOMPARE(optimizer.numUpdates(), 0);
    }

    // What state() holds is all there is: a new optimizer filled with it goes on with the same bits.
    void stateIsComplete_data() {
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("precision");
        for (const int zero : {0, 1, 2, 3})
            for (const Precision p : {Precision::Fp64, Precision::Fp32, Precision::Bf16})
                QTest::addRow("zero %d precision %d", zero, static_cast<int>(p)) << zero << static_cast<int>(p);
    }
    void stateIsComplete() {
        QFETCH(int, zero);
        QFETCH(int, precision);
        RunConfig config = configFor(2, zero);
        config.train.precision = static_cast<Precision>(precision);
        runInProcess(2, [&](std::int64_t rank, InProcessWorld& world) {
            const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
            Weights first(weightType(config)), second(weightType(config));
            for (Parameter& p : second.all) p.weight.zero_();
            Optimizer a(config, mesh, first.pointers);
            const auto step = [&](Optimizer& optimizer, Weights& weights, int number) {
                optimizer.gradients().zero();
                weights.addGradients(number, static_cast<double>(rank));
                optimizer.update(0.01);
            };
            step(a, first, 0);
            step(a, first, 1);
            Optimizer b(config, mesh, second.pointers);
            const auto from = a.state();
            auto to = b.state();
            if (from.size() != to.size() || from.empty()) throw std::runtime_error("another number of tensors");
            for (std::size_t i = 0; i < from.size(); ++i) {
                if (from[i].name != to[i].name) throw std::runtime_error("another order");
                to[i].tensor.copy_(from[i].tensor);
            }
            b.stateRestored(a.numUpdates());
            step(a, first, 2);
            step(b, second, 2);
            const auto one = first.values(), other = second.values();
            for (std::size_t i = 0; i < one.size(); ++i)
                if (!at::equal(one[i], other[i]))
                    throw std::runtime_error("parameter " + std::to_string(i) + " differs");
        });
    }

    // Injected: each of these must change the result, or the tests above could not see it.
    void injectedBugsShow() {
        const RunConfig config = configFor(2, 1);
        const Outcome right = trainReplicas(config);
        QVERIFY(largestDifference(trainReplicas(config, 0, Bug::GradHookSkipped), right) > 1e-6);
        QVERIFY(trainReplicas(config, 0, Bug::ShardNormNotReduced).norms != right.norms);
        QVERIFY(largestDifference(trainReplicas(configFor(2, 2), 0, Bug::GradHookSkipped), right) > 1e-6);
    }
};

SLIPWAY_TEST(TstOptimizer)
#include "tst_optimizer.moc"
