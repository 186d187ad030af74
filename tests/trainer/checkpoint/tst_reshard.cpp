// Every layout reads what every other wrote: train two steps in one, save, go on for five in the other, and be where
// one process is after seven, weights and moments, at the bounds of the parity suite. In the same layout, bit for bit.
#include "tests/trainer/checkpoint/layout_training.h"
#include "trainer/verify/verify.h"

#include <ATen/ops/equal.h>

#include <cmath>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

constexpr std::int64_t kBefore = 2, kAfter = 5;

struct Layout {
    std::string name;
    ParallelLayout layout;
};

ParallelLayout degrees(std::int64_t dp, std::int64_t tp, std::int64_t pp, std::int64_t cp = 1, std::int64_t zero = 0) {
    ParallelLayout l;
    l.dp = dp;
    l.tp = tp;
    l.pp = pp;
    l.cp = cp;
    l.zeroStage = zero;
    l.bucketBytes = 700;  // several buckets: ranges of ZeRO begin inside of tensors
    return l;
}

ParallelLayout scheduled(ParallelLayout l, ScheduleKind kind, std::int64_t virtualStages = 1) {
    l.schedule = kind;
    l.virtualStages = virtualStages;
    return l;
}

RunConfig denseConfig() {
    RunConfig c;
    c.model.numLayers = 4;
    c.model.hiddenSize = 12;
    c.model.numHeads = 4;
    c.model.numKvHeads = 2;
    c.model.headDim = 4;
    c.model.ffnHiddenSize = 6;
    c.model.vocabSize = 23;  // tp cuts it unevenly
    c.model.maxSeqLen = 8;
    c.model.qkNorm = true;
    c.train.seqLen = 8;
    c.train.globalBatchSize = 8;
    c.train.microBatchSize = 1;
    c.train.precision = Precision::Fp64;
    c.optimizer.lr = 1e-2;
    return c;
}

std::vector<Layout> denseLayouts() {
    std::vector<Layout> l{{"one", degrees(1, 1, 1)},
                          {"tp2_sp", degrees(1, 2, 1)},
                          {"dp2_zero1", degrees(2, 1, 1, 1, 1)},
                          {"dp4_hsdp2_zero3", degrees(4, 1, 1, 1, 3)},
                          {"cp2_zero2", degrees(1, 1, 1, 2, 2)},
                          {"pp2_interleaved", scheduled(degrees(1, 1, 2), ScheduleKind::InterleavedOneFOneB, 2)},
                          {"pp2_zb_v_dp2", scheduled(degrees(2, 1, 2), ScheduleKind::ZbV, 2)},
                          {"pp2_dualpipe", scheduled(degrees(1, 1, 2), ScheduleKind::DualPipe)},
                          {"pp3_uneven", degrees(1, 1, 3)},
                          {"dp2_tp2_pp2_zero1", degrees(2, 2, 2, 1, 1)}};
    l[1].layout.sequenceParallel = true;
    l[3].layout.dpShard = 2;
    l[8].layout.layersPerStage = {3, 1, 0};
    return l;
}

RunConfig moeConfig() {
    RunConfig c = denseConfig();
    c.model.numLayers = 2;
    c.model.qkNorm = false;
    MoeSpec moe;
    moe.numExperts = 4;
    moe.numSharedExperts = 1;
    moe.expertFfnHiddenSize = 6;
    c.model.moe = moe;
    return c;
}

std::vector<Layout> moeLayouts() {
    std::vector<Layout> l{{"one", degrees(1, 1, 1)},      {"dp2_ep2", degrees(2, 1, 1)},
                          {"tp2_etp2", degrees(1, 2, 1)}, {"dp2_tp2_ep2_etp2", degrees(2, 2, 1)},
                          {"dp2", degrees(2, 1, 1)},      {"pp2_dp2_ep2", degrees(2, 1, 2)}};
    l[1].layout.ep = 2;
    l[2].layout.etp = 2;
    l[3].layout.ep = l[3].layout.etp = 2;
    l[5].layout.ep = 2;
    return l;
}

struct StateDifferences {
    double weights = 0, moments = 0;
    bool sameBits = true;
    std::size_t numStates = 0;
};

StateDifferences compare(const std::filesystem::path& left, const std::filesystem::path& right) {
    const auto a = CheckpointReader::open(left), b = CheckpointReader::open(right);
    if (!a || !b) throw std::runtime_error("a checkpoint cannot be read");
    double weightSquares = 0, momentSquares = 0;
    const auto states = b->states();
    for (const auto& [name, shard] : states) {
        const double norm = wholeState(*b, name, shard).norm().item<double>();
        (name == shard.name ? weightSquares : momentSquares) += norm * norm;
    }
    StateDifferences d;
    d.numStates = states.size();
    for (const auto& [name, shard] : states) {
        const at::Tensor x = wholeState(*a, name, shard), y = wholeState(*b, name, shard);
        const bool isWeight = name == shard.name;
        const double floor = kSmallShare * std::sqrt(isWeight ? weightSquares : momentSquares);
        const double share = (x - y).norm().item<double>() / std::fmax(y.norm().item<double>(), floor);
        double& worst = isWeight ? d.weights : d.moments;
        worst = std::fmax(worst, std::isnan(share) ? INFINITY : share);
        d.sameBits = d.sameBits && at::equal(x, y);
    }
    return d;
}

void runMatrix(const RunConfig& base, const std::vector<Layout>& layouts, const char* what) {
    const TempDir temp;
    const auto configOf = [&](const Layout& layout) {
        RunConfig config = base;
        config.parallel = layout.layout;
        return config;
    };
    const StretchResult whole = trainStretch({configOf(layouts.front()), {}, temp.path() / "whole", kBefore + kAfter});
    StateDifferences worst;
    double worstLoss = 0;
    int pairs = 0;
    for (const Layout& from : layouts) {
        const StretchResult first = trainStretch({configOf(from), {}, temp.path() / ("from_" + from.name), kBefore});
        for (const Layout& to : layouts) {
            const std::string name = from.name + " -> " + to.name;
            const StretchResult second = trainStretch(
                {configOf(to), first.checkpoint.string(), temp.path() / (from.name + "_" + to.name), kAfter});
            QCOMPARE(second.mark.step, kBefore + kAfter);
            QCOMPARE(second.mark.dataPosition, whole.mark.dataPosition);
            for (std::size_t i = 0; i < second.losses.size(); ++i) {
                const double expected = whole.losses[i + static_cast<std::size_t>(kBefore)];
                const double difference = std::fabs(second.losses[i] / expected - 1);
                worstLoss = std::fmax(worstLoss, difference);
                QVERIFY2(difference <= kLossBound, (name + ": loss " + std::to_string(difference)).c_str());
            }
            const StateDifferences d = compare(second.checkpoint, whole.checkpoint);
            QVERIFY2(d.weights <= kWeightBound, (name + ": weights " + std::to_string(d.weights)).c_str());
            QVERIFY2(d.moments <= kWeightBound, (name + ": moments " + std::to_string(d.moments)).c_str());
            worst.weights = std::fmax(worst.weights, d.weights);
            worst.moments = std::fmax(worst.moments, d.moments);
            ++pairs;
            if (&from == &to) {
                const StretchResult straight =
                    trainStretch({configOf(to), {}, temp.path() / ("straight_" + to.name), kBefore + kAfter});
                QVERIFY2(compare(second.checkpoint, straight.checkpoint).sameBits, (name + ": other bits").c_str());
            }
        }
    }
    qInfo("%s: %d pairs of layouts; largest difference of losses %.2g, weights %.2g, moments %.2g", what, pairs,
          worstLoss, worst.weights, worst.moments);
}

}  // namespace

class TstReshard : public QObject {
    Q_OBJECT
private slots:
    void denseUntied() { runMatrix(denseConfig(), denseLayouts(), "dense"); }

    void tiedWithLearnedPositions() {
        RunConfig config = denseConfig();
        config.model.family = Family::Gpt2;
        config.model.numKvHeads.reset();
        config.model.tieEmbeddings = true;
        config.model.qkNorm = false;
        std::vector<Layout> layouts;
        for (const Layout& layout : denseLayouts())
            if (layout.name == "one" || layout.name == "dp4_hsdp2_zero3" || layout.name == "pp2_zb_v_dp2" ||
                layout.name == "pp2_dualpipe" || layout.name == "dp2_tp2_pp2_zero1")
                layouts.push_back(layout);
        runMatrix(config, layouts, "tied");
    }

    void experts() { runMatrix(moeConfig(), moeLayouts(), "experts"); }

    // What each optimizer keeps: Lion one moment, Muon one for matrices and AdamW's two for the others.
    void optimizers_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("hasExperts");
        QTest::newRow("lion") << static_cast<int>(OptimizerKind::Lion) << false;
        QTest::newRow("muon") << static_cast<int>(OptimizerKind::Muon) << false;
        QTest::newRow("lion, experts") << static_cast<int>(OptimizerKind::Lion) << true;
        QTest::newRow("muon, experts") << static_cast<int>(OptimizerKind::Muon) << true;
    }
    void optimizers() {
        QFETCH(int, kind);
        QFETCH(bool, hasExperts);
        RunConfig config = hasExperts ? moeConfig() : denseConfig();
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        config.optimizer.lr = 1e-3;
        std::vector<Layout> layouts;
        for (const Layout& layout : hasExperts ? moeLayouts() : denseLayouts())
            if (layout.name == "one" || layout.name == "tp2_sp" || layout.name == "dp4_hsdp2_zero3" ||
                layout.name == "pp2_zb_v_dp2" || layout.name == "dp2_tp2_pp2_zero1" ||
                layout.name == "dp2_tp2_ep2_etp2")
                layouts.push_back(layout);
        runMatrix(config, layouts, QTest::currentDataTag());
    }

    // Moments in bf16 stay in it, and go over bit for bit.
    void narrowMomentsGoOver_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("adamw") << static_cast<int>(OptimizerKind::AdamW);
        QTest::newRow("lion") << static_cast<int>(OptimizerKind::Lion);
        QTest::newRow("muon") << static_cast<int>(OptimizerKind::Muon);
    }
    void narrowMomentsGoOver() {
        QFETCH(int, kind);
        const TempDir temp;
        const auto layouts = denseLayouts();
        RunConfig config = denseConfig();
        config.train.precision = Precision::Bf16;
        config.optimizer.kind = static_cast<OptimizerKind>(kind);
        config.optimizer.momentDtype = MomentDtype::Bf16;
        config.parallel = layouts[3].layout;
        const StretchResult first = trainStretch({config, {}, temp.path() / "first", 2});
        const auto reader = CheckpointReader::open(first.checkpoint);
        QVERIFY(reader.has_value());
        int narrow = 0;
        for (const auto& [name, shard] : reader->states()) {
            if (name == shard.name) continue;
            QVERIFY2(shard.dtype == "BF16", (name + " " + shard.dtype).c_str());
            ++narrow;
        }
        QVERIFY(narrow > 40);
        for (const std::size_t layout : {1U, 7U, 9U}) {
            config.parallel = layouts[layout].layout;
            const auto moved = trainStretch({config, first.checkpoint.string(), temp.path() / layouts[layout].name, 0});
            const StateDifferences d = compare(moved.checkpoint, first.checkpoint);
            QVERIFY2(d.sameBits, layouts[layout].name.c_str());
        }
    }

    // fp32 and bf16 runs keep the same state, fp32 master weights and moments: it goes over bit for bit, in other
    // layouts as well.
    void masterWeightsGoOver() {
        const TempDir temp;
        const auto layouts = denseLayouts();
        RunConfig config = denseConfig();
        config.train.precision = Precision::Bf16;
        config.parallel = layouts[3].layout;
        const StretchResult first = trainStretch({config, {}, temp.path() / "first", 2});
        int number = 0;
        for (const auto& [precision, layout] :
             {std::pair{Precision::Bf16, 1}, {Precision::Fp32, 1}, {Precision::Bf16, 9}, {Precision::Fp32, 7}}) {
            config.train.precision = precision;
            config.parallel = layouts[static_cast<std::size_t>(layout)].layout;
            const auto moved =
                trainStretch({config, first.checkpoint.string(), temp.path() / std::to_string(++number), 0});
            QCOMPARE(moved.mark.numUpdates, static_cast<std::int64_t>(2));
            const StateDifferences d = compare(moved.checkpoint, first.checkpoint);
            QVERIFY(d.sameBits);
            QVERIFY(d.numStates > 100);
        }
    }

    // Each element of the state is in the files once, whatever the layout; the files are as long as the arithmetic
    // says.
    void writtenOnce() {
        const TempDir temp;
        for (const auto& [base, layouts] : {std::pair{denseConfig(), denseLayouts()}, {moeConfig(), moeLayouts()}}) {
            std::int64_t expected = 0;
            for (const Layout& layout : layouts) {
                RunConfig config = base;
                config.parallel = layout.layout;
                config.model.tieEmbeddings = true;
                const auto saved = trainStretch({config, {}, temp.path() / layout.name, 1});
                std::int64_t elements = 0;
                const auto manifest = readManifest(saved.checkpoint);
                QVERIFY(manifest.has_value());
                for (const ManifestFile& file : manifest->files) {
                    QVERIFY(std::filesystem::file_size(saved.checkpoint / file.name) == file.bytes);
                    for (const ManifestTensor& tensor : file.tensors)
                        elements += tensor.shard.flatLength.value_or(tensor.shard.localElements());
                }
                if (expected == 0) expected = elements;  // one process holds nothing twice
                QVERIFY2(elements == expected, layout.name.c_str());
                std::filesystem::remove_all(temp.path() / layout.name);
            }
        }
    }

    void whatCannotBeConvertedIsRefused() {
        const TempDir temp;
        const RunConfig base = denseConfig();
        const auto saved = trainStretch({base, {}, temp.path() / "a", 1});
        const auto refused = [&](auto change, const char* word) {
            RunConfig config = base;
            change(config);
            try {
                trainStretch({config, saved.checkpoint.string(), temp.path() / "b", 1});
            } catch (const std::exception& caught) {
                const std::string message = caught.what();
                return message.find(word) != std::string::npos ? std::string() : message;
            }
            return std::string("it was loaded");
        };
        const auto check = [&](const std::string& message) { QVERIFY2(message.empty(), message.c_str()); };
        check(refused([](RunConfig& c) { c.model.numLayers = 3; }, "num_layers"));
        check(refused([](RunConfig& c) { c.train.seed = 2; }, "train.seed"));
        check(refused([](RunConfig& c) { c.train.seqLen = 4; }, "seq_len"));
        check(refused([](RunConfig& c) { c.data.tokens = "other.tok"; }, "tokens"));
        check(refused([](RunConfig& c) { c.train.precision = Precision::Fp32; }, "F64"));
    }
};

SLIPWAY_TEST(TstReshard)
#include "tst_reshard.moc"
