// The bounds of a group of layouts against every one of its layouts: none may be above the truth, and each is near it
// where the term it is made of prevails.
#include "core/planner/presets.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/stack/shipped_stacks.h"
#include "tests/support/slipway_test.h"

namespace slipway {

namespace {

/// Degrees and options of one group.
struct Group {
    RunConfig config;
    ClusterSpec cluster;
    Degrees degrees;
    std::int64_t microBatchSize = 1;
    LayerOptions options = {};

    explicit Group(const char* model, const Degrees& d, std::int64_t micro = 1) : degrees(d), microBatchSize(micro) {
        config.model = findModelPreset(model)->model;
        config.train.seqLen = 2048;
        config.train.globalBatchSize = 64;
        config.train.precision = Precision::Bf16;
        config.train.device = DeviceKind::Gpu;
        cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.numNodes = 8;
    }
    [[nodiscard]] std::int64_t devices() const { return degrees.tp * degrees.pp * degrees.cp * degrees.dp; }
};

/// Measured collectives, each with figures of its own, slower over nodes and with the ranks.
std::vector<CommCurve> measured() {
    std::vector<CommCurve> curves;
    double own = 1;
    for (const auto& name : enumNames(Collective{})) {
        own += 0.3;
        for (const auto& [ranks, perNode] :
             std::initializer_list<std::pair<int, int>>{{2, 2}, {8, 8}, {2, 1}, {16, 8}, {64, 8}})
            curves.push_back({name.value, ranks, perNode, own * ranks * 1e-4,
                              8e9 / own / ranks * (perNode == ranks ? 4 : 1), "", ""});
    }
    return curves;
}

/// One layout of a group: what the planner says, and what was said before.
struct Seen {
    Sharding sharding;
    Offload offload;
    double peakBytes, firstBytes, groupBytes,
        pipelineBytes;  ///< of the fullest rank; of the first, where all are dense
    double stepSeconds, groupSeconds, pipelineSeconds;
};

/// Every layout of the group that is legal.
/// @param fixed schedules, splits and virtual stages as --fix has them
std::vector<Seen> everyLayout(const Group& group, const QStringList& fixed) {
    SearchLimits limits;
    for (const QString& limit : fixed)
        if (!limits.set(limit.toStdString())) return {};
    const SearchSpace space(group.config, group.cluster, group.devices(), limits);
    LayoutEvaluator e(group.config, group.cluster);
    e.setLayers(group.degrees, group.microBatchSize, group.options);
    const std::vector<Sharding> shardings = space.shardings(group.degrees);
    LegalPipelines pipelines;
    for (const PipelineChoice& choice : space.pipelines(group.degrees.pp)) {
        if (!limits.allows(SearchAxis::LayerSplit, static_cast<std::int64_t>(choice.split)) ||
            !limits.allows(SearchAxis::VirtualStages, choice.virtualStages))
            continue;
        if (!e.setPipeline(choice) || hasErrors(validate(e.config()))) continue;
        pipelines.add(PartitionedPipeline(group.config.model, group.degrees.pp, choice),
                      {choice.schedule, group.degrees.pp, e.config().numMicroBatches(), choice.virtualStages});
    }
    e.setLayers(group.degrees, group.microBatchSize, group.options);
    const ShareBytes bytes = e.boundBytes(pipelines);
    const ShareBounds bounds = e.boundShares(pipelines, shardings);
    const double passes = e.boundSeconds(pipelines), waits = e.boundHostWait();
    std::vector<Seen> all;
    for (const PartitionedPipeline& pipeline : pipelines.choices) {
        e.setPipeline(pipeline);
        for (const Sharding& sharding : shardings)
            for (const Offload offload : space.offloads) {
                const double wait = offloadsActivations(offload) ? waits : 0;
                const auto seconds = [&](double passSeconds) {
                    return bounds.seconds(passSeconds + wait, sharding.zeroStage, offload);
                };
                const double peak = e.peakBytes(sharding, offload);
                const bool isFirst = !group.config.model.moe && hasRecursion(makePipeline(e.config()).shape);
                const double first =
                    isFirst
                        ? stageMemory(e.config(), group.cluster, makePipeline(e.config())).front().bytes.totalBytes()
                        : peak;
                const double own = seconds(e.boundSeconds());
                const double step = e.estimate(sharding, offload).stepSeconds;
                all.push_back({sharding, offload, peak, first, bytes.at(shareClass(sharding.zeroStage, offload)),
                               e.leastBytes(sharding, offload), step, seconds(passes), own});
            }
    }
    return all;
}

}  // namespace

class TstShareBounds : public QObject {
    Q_OBJECT

    static Group named(const QString& name) {
        if (name == "no pipeline") return Group("llama3-8b", {2, 1, 1, 8});
        if (name == "CUDA graphs") {
            Group g("llama3.2-1b", {1, 1, 1, 4}, 2);
            g.config.train.seqLen = 256;
            g.config.train.device = DeviceKind::Gpu;
            g.config.train.cudaGraphs = true;
            return g;
        }
        if (name == "tied") return Group("llama3.2-1b", {1, 2, 1, 4}, 2);
        if (name == "context") {
            Group g("llama3-8b", {2, 2, 4, 2});
            g.options = {true, false, CpKind::AllGather, RecomputePolicy::Selective};
            return g;
        }
        if (name == "experts") return Group("mixtral-8x7b", {2, 4, 1, 8, 4, 1});
        if (name == "experts after dense layers") {
            Group g("deepseek-v2-lite", {2, 3, 1, 8, 8, 1});
            g.config.train.globalBatchSize = 48;
            return g;
        }
        // The first rank has no experts in some of the pipelines, and few of them in any.
        if (name == "late experts") {
            Group g("deepseek-v3", {4, 16, 2, 4, 16, 1});
            g.config.train.globalBatchSize = 64;
            return g;
        }
        if (name.startsWith("float8")) {
            Group g("llama3-8b", {1, 4, 1, 8});
            if (name.endsWith("muon")) g.config.optimizer.kind = OptimizerKind::Muon;
            g.config.train.precision = Precision::Fp8;
            return g;
        }
        if (name == "muon") {
            Group g("llama3-8b", {2, 4, 1, 4});
            g.config.optimizer.kind = OptimizerKind::Muon;
            return g;
        }
        if (name == "few micro-batches") return Group("llama3-8b", {2, 4, 1, 8}, 4);
        if (name.startsWith("slow network")) {
            Group g("llama3-8b", {1, 2, 1, 16});
            if (name.endsWith("tied")) g = Group("llama3.2-1b", {1, 2, 1, 4});
            if (name.endsWith("pairs")) g = Group("llama3-8b", {1, 2, 1, 1});
            if (name.endsWith("few micro-batches")) g = Group("llama3-8b", {1, 2, 1, 16}, 2);
            g.cluster.interNode.bytesPerSecond /= 100;
            g.cluster.intraNode.bytesPerSecond /= 100;
            return g;
        }
        if (name.startsWith("curves")) {
            Group g("llama3-8b", {2, 2, 1, 8}, 2);
            if (name.endsWith("no pipeline")) g = Group("llama3-8b", {2, 1, 1, 8});
            if (name.endsWith("experts")) g = Group("mixtral-8x7b", {2, 4, 1, 8, 4, 1});
            if (name.endsWith("context")) g = Group("llama3-8b", {1, 2, 4, 4});
            if (name.endsWith("tied")) g = Group("llama3.2-1b", {8, 2, 1, 2});
            g.cluster.commCurves = measured();
            return g;
        }
        if (name == "calibrated stack") {
            Group g("llama3-8b", {4, 2, 1, 4}, 2);
            g.cluster.stack = SoftwareStack{};
            g.cluster.stack->facts.keepsGathered = true;
            g.options.sequenceParallel = true;
            return g;
        }
        Group g("llama3-8b", {1, 4, 1, 8});
        if (name == "no overlap") g.config.parallel.overlapGradReduce = false;
        if (name == "recompute") g.options.recompute = RecomputePolicy::Full;
        return g;
    }

private slots:
    void neverAboveALayout_data() {
        QTest::addColumn<QStringList>("fixed");
        const char* every = "schedule=afab,1f1b,interleaved_1f1b,zb_h1,zb_v,dualpipe,dualpipe_v";
        for (const char* name : {"pipeline",
                                 "no pipeline",
                                 "tied",
                                 "context",
                                 "experts",
                                 "experts after dense layers",
                                 "late experts",
                                 "float8",
                                 "float8, muon",
                                 "muon",
                                 "few micro-batches",
                                 "slow network",
                                 "slow network, few micro-batches",
                                 "calibrated stack",
                                 "no overlap",
                                 "recompute",
                                 "CUDA graphs",
                                 "curves",
                                 "curves, no pipeline",
                                 "curves, experts",
                                 "curves, context",
                                 "curves, tied"})
            QTest::newRow(name) << QStringList();
        QTest::newRow("pipeline of every schedule") << QStringList(every);
        QTest::newRow("tied of every schedule") << QStringList(every);
        QTest::newRow("experts after dense layers of every schedule") << QStringList(every);
        QTest::newRow("late experts of every schedule") << QStringList(every);
        // Both ends on one rank: no sum of a tied matrix over the pipeline. Pairs of passes: a window of two stages.
        QTest::newRow("slow network, tied") << QStringList("schedule=zb_v");
        QTest::newRow("slow network, pairs") << QStringList("schedule=dualpipe");
    }
    void neverAboveALayout() {
        QFETCH(QStringList, fixed);
        const auto all = everyLayout(named(QString(QTest::currentDataTag()).section(" of every", 0, 0)), fixed);
        QVERIFY(!all.empty());
        for (const Seen& s : all) {
            QVERIFY(s.groupBytes > 0 && s.groupBytes <= s.pipelineBytes * (1 + 1e-9));
            QVERIFY(s.pipelineBytes <= s.peakBytes);
            QVERIFY(s.groupSeconds > 0 && s.groupSeconds <= s.pipelineSeconds * (1 + 1e-9));
            QVERIFY(s.pipelineSeconds <= s.stepSeconds);
        }
    }

    // What a search takes from the smallest micro-batch and from no recomputation: larger ones need no less memory while as many are in
    // flight, and to recompute takes no less time.
    void smallestMicroBatchIsLeast_data() {
        QTest::addColumn<bool>("stack");
        for (const char* name : {"pipeline", "no pipeline", "tied", "context", "experts", "experts after dense layers",
                                 "muon", "no overlap", "curves", "curves, experts"})
            for (const bool stack : {false, true}) QTest::addRow("%s%s", name, stack ? ", stack" : "") << stack;
    }
    void smallestMicroBatchIsLeast() {
        QFETCH(bool, stack);
        Group g = named(QString(QTest::currentDataTag()).remove(", stack"));
        const SearchSpace space(g.config, g.cluster, g.devices());
        if (stack) QVERIFY(useShippedStack("torchtitan", g.config, g.cluster).has_value());
        int compared = 0;
        for (const auto& policy : enumNames(RecomputePolicy{})) {
            std::optional<ShareBytes> before;
            for (std::int64_t micro = 1; g.config.train.globalBatchSize >= micro * g.degrees.dp * g.degrees.pp;
                 micro *= 2) {
                LayoutEvaluator e(g.config, g.cluster);
                LegalPipelines pipelines;
                LayerOptions options = g.options;
                options.recompute = RecomputePolicy::None;
                e.setLayers(g.degrees, micro, options);
                const double plain = e.boundSeconds(LeastPipeline{});
                options.recompute = policy.value;
                e.setLayers(g.degrees, micro, options);
                QVERIFY(plain > 0 && plain <= e.boundSeconds(LeastPipeline{}));
                const PipelineChoice even;
                pipelines.add(PartitionedPipeline(g.config.model, g.degrees.pp, even),
                              {even.schedule, g.degrees.pp, e.config().numMicroBatches(), 1});
                const ShareBytes bytes = e.boundBytes(pipelines);
                for (std::size_t i = 0; before && i < bytes.size(); ++i)
                    QVERIFY2(before->at(i) <= bytes[i] * (1 + 1e-12),
                             qPrintable(QString("%1 %2: %3 %4").arg(micro).arg(i).arg(before->at(i)).arg(bytes[i])));
                compared += before ? 1 : 0;
                before = bytes;
            }
        }
        QVERIFY(compared > 0);
    }

    // Each row is a group in which one term is much of the truth: without it the bound is far below, twice of it above.
    // One pipeline, so that the first rank is the fullest of every member.
    void nearTheLeastLayout_data() {
        QTest::addColumn<QString>("group");
        QTest::addColumn<QStringList>("fixed");
        QTest::addColumn<int>("zero");
        QTest::addColumn<int>("offload");
        QTest::addColumn<int>("micro");
        QTest::addColumn<double>("share");  // of the truth that the bounds on memory say, at least
        QTest::addColumn<double>("timeShare");
        const auto row = [](const char* name, const char* group, const char* schedule, int zero, Offload offload,
                            int micro, double share = 0.999, double timeShare = 0.9) {
            QTest::newRow(name) << group << QStringList{"schedule=" + QString(schedule), "layer_split=even"} << zero
                                << static_cast<int>(offload) << micro << share << timeShare;
        };
        row("states", "no pipeline", "1f1b", 0, Offload::None, 1, 0.94);
        row("states shared", "no pipeline", "1f1b", 1, Offload::None, 1, 0.94);
        row("states away", "no pipeline", "1f1b", 1, Offload::All, 1, 0.94);
        row("activations in flight", "pipeline", "1f1b", 1, Offload::Optimizer, 4);
        row("activations of all micro-batches", "pipeline", "afab", 1, Offload::Optimizer, 1);
        row("two layers of activations", "pipeline", "1f1b", 3, Offload::All, 8);
        row("logits", "no pipeline", "1f1b", 3, Offload::All, 8, 0.98);
        row("gathered layers", "pipeline", "1f1b", 3, Offload::All, 1);
        row("gathered gradients", "pipeline", "1f1b", 2, Offload::All, 1);
        row("experts", "experts", "1f1b", 1, Offload::None, 1);
        row("gathered layers with experts", "experts", "1f1b", 3, Offload::All, 1);
        row("experts of a later rank", "late experts", "1f1b", 1, Offload::None, 1);
        row("gathered experts of a later rank", "late experts", "1f1b", 3, Offload::All, 1, 0.999, 0.65);
        row("activations of experts", "experts", "1f1b", 1, Offload::Optimizer, 8);
        row("recomputed layer", "recompute", "1f1b", 3, Offload::All, 8);
        // The bounds leave gathered inputs out, here an eighth of the bytes, and the weights of ranks fuller than the first.
        row("stack", "calibrated stack", "1f1b", 1, Offload::None, 4, 0.86, 0.97);
    }
    void nearTheLeastLayout() {
        QFETCH(QString, group);
        QFETCH(QStringList, fixed);
        QFETCH(int, zero);
        QFETCH(int, offload);
        QFETCH(int, micro);
        QFETCH(double, share);
        QFETCH(double, timeShare);
        Group g = named(group);
        g.microBatchSize = micro;
        bool any = false;
        for (const Seen& s : everyLayout(g, fixed)) {
            if (s.sharding.zeroStage != zero || s.sharding.dpShard > 0 || s.offload != static_cast<Offload>(offload))
                continue;
            QVERIFY(s.pipelineBytes <= s.firstBytes);
            QVERIFY2(s.pipelineBytes >= share * s.firstBytes,
                     qPrintable(QString::number(s.pipelineBytes / s.firstBytes)));
            QVERIFY(s.groupBytes <= s.firstBytes);
            // A group's figure knows as many micro-batches in flight as every schedule has.
            if (!fixed.front().endsWith("afab")) QVERIFY(s.groupBytes >= share * s.firstBytes);
            QVERIFY2(s.pipelineSeconds >= timeShare * s.stepSeconds,
                     qPrintable(QString::number(s.pipelineSeconds / s.stepSeconds)));
            any = true;
        }
        QVERIFY(any);
    }
};

SLIPWAY_TEST(TstShareBounds)

}  // namespace slipway

#include "tst_share_bounds.moc"
