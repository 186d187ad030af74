// A plan as a whole: parts sum up, figures move the right way, errors give no figures.
#include "core/planner/memory/activations.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/rank_layouts.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/step.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>

namespace slipway {

namespace {

RunConfig llama8b() {
    RunConfig c;
    c.model = findModelPreset("llama3-8b")->model;
    c.train.seqLen = 8192;
    c.train.globalBatchSize = 128;
    c.train.microBatchSize = 1;
    c.train.numSteps = 1000;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.parallel.dp = 4;
    c.parallel.tp = 4;
    c.parallel.pp = 4;
    c.parallel.sequenceParallel = true;
    c.parallel.zeroStage = 1;
    return c;
}

ClusterSpec h100s(std::int64_t nodes) {
    ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    cluster.numNodes = nodes;
    return cluster;
}

RunConfig tiny() {
    RunConfig c;
    c.model.numKvHeads = 2;
    c.model.tieEmbeddings = true;
    return c;
}

ClusterSpec laptop() {
    ClusterSpec cluster;
    cluster.device.peakFp32Flops = 100e9;
    cluster.device.memoryBytes = 8e9;
    cluster.device.memoryBytesPerSecond = 20e9;
    cluster.devicesPerNode = 2;
    return cluster;
}

bool has(const Plan& plan, const std::string& code) {
    for (const Issue& issue : plan.issues)
        if (issue.code == code) return true;
    return false;
}

}  // namespace

class TstPlan : public QObject {
    Q_OBJECT
private slots:
    void partsSumUp() {
        for (const Plan& plan : {makePlan(llama8b(), h100s(8)), makePlan(tiny(), laptop())}) {
            QVERIFY2(!hasErrors(plan.issues), plan.issues.empty() ? "" : plan.issues.front().message.c_str());
            const StepEstimate& s = plan.step;
            const double sum = s.computeSeconds + s.tpExposedSeconds + s.cpExposedSeconds + s.epExposedSeconds +
                               s.ppExposedSeconds + s.bubbleSeconds + s.dpExposedSeconds + s.optimizerSeconds +
                               s.fixedSeconds;
            QVERIFY(s.stepSeconds > 0);
            QVERIFY(qAbs(sum / s.stepSeconds - 1) < 1e-12);
            QVERIFY(s.stepSecondsLow < s.stepSeconds && s.stepSeconds < s.stepSecondsHigh);
            QVERIFY(qAbs(s.tokensPerSecond * s.stepSeconds / static_cast<double>(plan.config.tokensPerStep()) - 1) <
                    1e-12);
            QVERIFY(s.mfu && *s.mfu > 0.01 && *s.mfu < 1);
            QVERIFY(*s.hfu >= *s.mfu);
            QCOMPARE(plan.memory.size(), static_cast<std::size_t>(plan.config.parallel.pp));
            double most = 0;
            for (const StageMemory& stage : plan.memory) most = std::max(most, stage.bytes.totalBytes());
            QCOMPARE(plan.memoryPeakBytes, most);
            QCOMPARE(plan.memory[plan.worstStage].bytes.totalBytes(), most);
        }
    }
    void everyScheduleIsSimulated() {
        // Zero-bubble kinds save idle time at the memory of 1F1B; DualPipe pays with a second copy of the weights.
        RunConfig c = llama8b();
        c.train.seqLen = 2048;
        c.train.globalBatchSize = 32;
        std::map<ScheduleKind, Plan> plans;
        for (const auto& [kind, word, help, label] : enumNames(ScheduleKind{})) {
            c.parallel.schedule = kind;
            const bool two = kind == ScheduleKind::InterleavedOneFOneB || kind == ScheduleKind::ZbV ||
                             kind == ScheduleKind::DualPipeV;
            c.parallel.virtualStages = two ? 2 : 1;
            plans[kind] = makePlan(c, h100s(8));
            const Plan& plan = plans[kind];
            QVERIFY2(!hasErrors(plan.issues), word.data());
            QVERIFY2(plan.step.stepSeconds > 0 && plan.step.bubbleSimulated >= 0, word.data());
            const StepEstimate& s = plan.step;
            QVERIFY2(qAbs((s.computeSeconds + s.tpExposedSeconds + s.ppExposedSeconds + s.bubbleSeconds +
                           s.dpExposedSeconds + s.optimizerSeconds + s.fixedSeconds) /
                              s.stepSeconds -
                          1) < 1e-12,
                     word.data());
        }
        const auto bubble = [&](ScheduleKind kind) { return plans[kind].step.bubbleSimulated; };
        QVERIFY(bubble(ScheduleKind::ZbH1) < 0.8 * bubble(ScheduleKind::OneFOneB));
        QVERIFY(bubble(ScheduleKind::ZbV) < bubble(ScheduleKind::ZbH1));
        double single = 0, twice = 0;
        for (const StageMemory& stage : plans[ScheduleKind::OneFOneB].memory) single += stage.bytes.weightBytes;
        for (const StageMemory& stage : plans[ScheduleKind::DualPipe].memory) twice += stage.bytes.weightBytes;
        QCOMPARE(twice, 2 * single);
    }
    // DeepSeek-V3 (2412.19437), sec. 3.2.1: DualPipe hides the all-to-all of experts behind the other micro-batch of a
    // pair.
    void dualPipeHidesCommunication() {
        RunConfig c = llama8b();
        c.train.seqLen = 2048;
        c.train.globalBatchSize = 128;
        const auto plan = [&](ScheduleKind kind, double speed) {
            c.parallel.schedule = kind;
            c.parallel.virtualStages = kind == ScheduleKind::DualPipeV ? 2 : 1;
            ClusterSpec cluster = h100s(8);
            cluster.intraNode.bytesPerSecond *= speed;
            cluster.intraNode.latencySeconds /= speed;
            return makePlan(c, cluster).step;
        };
        for (const ScheduleKind kind : {ScheduleKind::DualPipe, ScheduleKind::DualPipeV}) {
            const StepEstimate plain = plan(ScheduleKind::OneFOneB, 1), hidden = plan(kind, 1);
            QVERIFY(plain.tpExposedSeconds > 0);
            QVERIFY(hidden.tpExposedSeconds < 0.7 * plain.tpExposedSeconds);
            QVERIFY(hidden.tpExposedSeconds >= 0);
            QCOMPARE(hidden.computeSeconds + hidden.tpExposedSeconds + hidden.cpExposedSeconds +
                         hidden.epExposedSeconds + hidden.ppExposedSeconds + hidden.bubbleSeconds +
                         hidden.dpExposedSeconds + hidden.optimizerSeconds + hidden.fixedSeconds,
                     hidden.stepSeconds);
            // As many bytes are sent, and with no communication to speak of nothing is gained.
            QVERIFY(hidden.commSeconds > 0.9 * plain.commSeconds);
            QVERIFY(plan(kind, 1e9).tpExposedSeconds < 1e-6);
        }
    }
    void namesPlainAttention() {
        RunConfig c = llama8b();
        c.parallel.dp = c.parallel.cp = 2;
        c.data.documentEndId = 1;
        const Plan ring = makePlan(c, h100s(8));
        QVERIFY(!hasErrors(ring.issues) && has(ring, "plain_attention"));
        c.parallel.cpKind = CpKind::Ulysses;
        const Plan ulysses = makePlan(c, h100s(8));
        QVERIFY(!hasErrors(ulysses.issues) && !has(ulysses, "plain_attention"));
    }
    // On a CPU a message is copied by a core: without an idle one no attention hides it.
    void aRingHidesBesideIdleCoresOnly() {
        RunConfig c = tiny();
        c.parallel.cp = 2;
        c.parallel.cpKind = CpKind::Ring;
        const auto shares = [&](std::int64_t cores) {
            ClusterSpec cluster = laptop();
            cluster.devicesPerNode = cores;
            const TimeTable table = makeTimeTable(c, cluster);
            const double layers = static_cast<double>(c.model.numLayers * c.numMicroBatches());
            return std::pair(makePlan(c, cluster).step.cpExposedSeconds,
                             layers * (table.dense.cpForwardSeconds + table.dense.cpBackwardSeconds));
        };
        const auto [exposed, whole] = shares(2);
        QVERIFY(whole > 0);
        QVERIFY2(qAbs(exposed / whole - 1) < 1e-9, qPrintable(QString("%1 %2").arg(exposed).arg(whole)));
        const auto [beside, all] = shares(4);
        QVERIFY2(beside < 0.9 * all, qPrintable(QString("%1 %2").arg(beside).arg(all)));
    }
    void aKnownRunIsNear() {
        // Megatron-Bridge prints 744 TFLOP/s per H100 for Llama-3 8B under rule C, a tuned stack; textbook constants
        // must stay below that and above a third of it.
        const Plan plan = makePlan(llama8b(), h100s(8));
        const double teraFlops = *plan.step.mfu * 989.4;
        QVERIFY2(teraFlops > 250 && teraFlops < 744, qPrintable(QString::number(teraFlops)));
        QVERIFY(plan.memoryPeakBytes < 80e9);
    }
    void errorsGiveNoFigures() {
        RunConfig c = tiny();
        c.parallel.dp = 3;
        const Plan plan = makePlan(c, laptop());
        QVERIFY(hasErrors(plan.issues));
        QVERIFY(std::isnan(plan.step.stepSeconds) && std::isnan(plan.memoryPeakBytes));
        const Json json = forecastJson(plan);
        QVERIFY(json["step_seconds"].is_null() && json["memory_peak_bytes"].is_null() && json["memory"].is_null() &&
                json["mfu"].is_null());
    }
    void unknownPeakStaysUnknown() {
        ClusterSpec cluster = laptop();
        cluster.device.peakFp32Flops.reset();
        const Plan plan = makePlan(tiny(), cluster);
        QVERIFY(has(plan, "peak_unknown"));
        QVERIFY(std::isnan(plan.step.stepSeconds) && !plan.step.mfu);
        QVERIFY(plan.memoryPeakBytes > 0);
        QVERIFY(forecastJson(plan)["tokens_per_second"].is_null());
    }
    void forecastHasTheKeysOfTheDocument() {
        const Json json = forecastJson(makePlan(llama8b(), h100s(8)));
        for (const char* key : {"step_seconds", "tokens_per_second", "tokens_per_second_per_device", "mfu", "mfu_rule",
                                "memory_peak_bytes", "bubble_fraction", "bubble_theoretical", "bubble_simulated",
                                "comm_bytes", "comm_seconds", "memory", "step", "parameters", "label"})
            QVERIFY2(json.contains(key) && !json[key].is_null(), key);
        QCOMPARE(json["mfu_rule"].get<std::string>(), std::string("C"));
        QCOMPARE(json["bubble_fraction"].get<double>(), json["bubble_simulated"].get<double>());
        QVERIFY(json["money"].get<double>() > 0);
    }
    void monotone() {
        const RunConfig base = llama8b();
        const auto step = [](const RunConfig& c, const ClusterSpec& cluster) {
            return makePlan(c, cluster).step.stepSeconds;
        };
        ClusterSpec fast = h100s(8);
        fast.intraNode.bytesPerSecond *= 2;
        fast.interNode.bytesPerSecond *= 2;
        QVERIFY(step(base, fast) <= step(base, h100s(8)));
        double previous = 1e300;
        for (const std::int64_t zero : {0, 1, 2}) {
            RunConfig c = base;
            c.parallel.zeroStage = zero;
            const double peak = makePlan(c, h100s(8)).memoryPeakBytes;
            QVERIFY(peak <= previous);
            previous = peak;
        }
        double bubble = 1;
        for (const std::int64_t batch : {16, 32, 64, 256}) {
            RunConfig c = base;
            c.train.globalBatchSize = batch;
            const double now = makePlan(c, h100s(8)).step.bubbleSimulated;
            QVERIFY(now < bubble);
            bubble = now;
        }
        RunConfig full = base;
        full.train.recompute.policy = RecomputePolicy::Full;
        const Plan recomputed = makePlan(full, h100s(8)), plain = makePlan(base, h100s(8));
        QVERIFY(recomputed.memoryPeakBytes < plain.memoryPeakBytes &&
                recomputed.step.computeSeconds > plain.step.computeSeconds);
    }
    void longScheduleIsExtrapolatedExactly() {
        RunConfig c = llama8b();
        c.parallel.layersPerStage = {6, 9, 9, 8};
        c.train.globalBatchSize = 4 * 4000;  // 4,000 micro-batches, above the limit of the simulation
        const Plan longer = makePlan(c, h100s(8));
        c.train.globalBatchSize = 4 * 1000;
        const Plan shorter = makePlan(c, h100s(8));
        // Steady state: 3,000 more micro-batches cost 3,000 times the slowest stage.
        const double pipelineLong =
            longer.step.stepSeconds - longer.step.dpExposedSeconds - longer.step.optimizerSeconds;
        const double pipelineShort =
            shorter.step.stepSeconds - shorter.step.dpExposedSeconds - shorter.step.optimizerSeconds;
        const double slowest = shorter.step.computeSeconds + shorter.step.tpExposedSeconds;
        QVERIFY2(qAbs((pipelineLong - pipelineShort) / (3 * slowest) - 1) < 1e-6,
                 qPrintable(QString::number((pipelineLong - pipelineShort) / (3 * slowest), 'g', 12)));
    }
    void stagesHoldTheWholeModel() {
        for (const ModelPreset& preset : modelPresets()) {
            if (preset.model.numLayers % 2 != 0) continue;
            RunConfig c;
            c.model = preset.model;
            const double total = countParameters(c.model).total;
            QCOMPARE(rankShare(c, 0).parameters, total);
            c.parallel.pp = 2;
            // A tied matrix stands on both ends.
            const double twice = c.model.tieEmbeddings ? countEnds(c.model).table : 0;
            QVERIFY2(qAbs(rankShare(c, 0).parameters + rankShare(c, 1).parameters - total - twice) < 1,
                     preset.id.c_str());
        }
    }
    // Each kind of offload is a layout of its own: two layers stay on the device, and copies cost what the passes do
    // not hide.
    void offloadedActivations() {
        RunConfig c = llama8b();
        c.parallel.schedule = ScheduleKind::OneFOneB;
        std::map<Offload, Plan> plans;
        for (const auto& offload : enumNames(Offload{})) {
            c.parallel.offload = offload.value;
            plans.emplace(offload.value, makePlan(c, h100s(8)));
        }
        const auto bytes = [&](Offload offload) { return plans.at(offload).memory.front().bytes; };
        const double perLayer = layerActivationBytes(c, false);
        QCOMPARE(bytes(Offload::Activations).activationBytes, 2 * perLayer);
        QVERIFY(bytes(Offload::None).activationBytes > 8 * perLayer);
        QCOMPARE(bytes(Offload::Activations).optimizerBytes, bytes(Offload::None).optimizerBytes);
        QCOMPARE(bytes(Offload::All).optimizerBytes, 0.0);
        QCOMPARE(bytes(Offload::All).activationBytes, bytes(Offload::Activations).activationBytes);
        const auto step = [&](Offload offload) { return plans.at(offload).step; };
        QVERIFY(step(Offload::Activations).stepSeconds >= step(Offload::None).stepSeconds);
        QVERIFY(step(Offload::All).stepSeconds > step(Offload::Activations).stepSeconds);
        QCOMPARE(step(Offload::All).computeSeconds, step(Offload::Activations).computeSeconds);
    }
    void hostWait() {
        PassCosts stage;
        stage.savedBytes = 2 * kHostLinkBytesPerSecond;  // two seconds of copies each way
        QCOMPARE(hostWaitSeconds(stage, {1, 1, 0.5, 0, 0}, false), 1.0 + 0.5);
        QCOMPARE(hostWaitSeconds(stage, {1, 1, 0.5, 0, 0}, true), 1.0 + 4.5);
        QCOMPARE(hostWaitSeconds(stage, {3, 2, 1, 0, 0}, false), 0.0);
    }
    // A ring of tp pieces hides a hop beside each of tp - 1 products; what is left is exposed, and nothing else
    // changes.
    void overlappedTensorParallelism() {
        RunConfig c = llama8b();
        c.parallel.tp = 4;
        c.parallel.sequenceParallel = true;
        const TimeTable plain = makeTimeTable(c, h100s(8));
        const Plan before = makePlan(c, h100s(8));
        c.parallel.asyncTp = true;
        const TimeTable overlapped = makeTimeTable(c, h100s(8));
        const Plan after = makePlan(c, h100s(8));
        const PassSeconds beside = productsBesideEdges(c, plain.speed, false);
        QCOMPARE(plain.dense.tpForwardExposed, plain.dense.tpForwardSeconds);
        QVERIFY(overlapped.dense.tpForwardExposed < plain.dense.tpForwardSeconds);
        QCOMPARE(overlapped.dense.tpForwardExposed,
                 std::max(0.0, plain.dense.tpForwardSeconds - 0.75 * beside.forward));
        QCOMPARE(overlapped.dense.tpForwardSeconds, plain.dense.tpForwardSeconds);
        QVERIFY(beside.forward < plain.dense.compute.forward);
        QVERIFY(after.step.tpExposedSeconds < before.step.tpExposedSeconds);
        QVERIFY(after.step.stepSeconds < before.step.stepSeconds);
        QCOMPARE(after.step.computeSeconds, before.step.computeSeconds);
        QCOMPARE(after.step.commBytes, before.step.commBytes);
        QVERIFY(after.step.commSeconds >= before.step.commSeconds * (1 - 1e-12));
        QVERIFY(after.memoryPeakBytes <= before.memoryPeakBytes);
    }
    void onlyFittingLayoutsAreRanked() {
        RunConfig c = tiny();
        c.parallel.dp = 4;
        ClusterSpec small = laptop();
        const std::vector<LayoutChoice> all = rankLayouts(c, small, 1000);
        small.device.memoryBytes = 4 * 20e6;
        const std::vector<LayoutChoice> fitting = rankLayouts(c, small, 1000);
        QVERIFY(!fitting.empty() && fitting.size() < all.size());
        for (const LayoutChoice& choice : fitting) QVERIFY(choice.memoryPeakBytes <= 20e6);
    }
    void unknownPriceStaysUnknown() {
        ClusterSpec cluster = h100s(8);
        QVERIFY(makePlan(llama8b(), cluster).cost.money.value_or(0) > 0);
        cluster.device.pricePerHour.reset();
        const Plan plan = makePlan(llama8b(), cluster);
        QVERIFY(!plan.cost.money && plan.cost.deviceHours > 0);
        QVERIFY(forecastJson(plan)["money"].is_null());
        QVERIFY(!listedPrice("NVIDIA V100 SXM2 32 GB", "Azure"));
    }
    void simulatedPartEqualsTheWhole_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("1f1b") << static_cast<int>(ScheduleKind::OneFOneB);
        QTest::newRow("afab") << static_cast<int>(ScheduleKind::Afab);
        QTest::newRow("interleaved") << static_cast<int>(ScheduleKind::InterleavedOneFOneB);
    }
    void simulatedPartEqualsTheWhole() {
        QFETCH(int, kind);
        RunConfig c = llama8b();
        c.train.globalBatchSize = 4 * 2400;
        c.parallel.schedule = static_cast<ScheduleKind>(kind);
        c.parallel.virtualStages = c.parallel.schedule == ScheduleKind::InterleavedOneFOneB ? 2 : 1;
        const ParallelLayout& p = c.parallel;
        const ScheduleSample part = *sampleSchedule(p.schedule, p.pp, c.numMicroBatches(), p.virtualStages);
        QVERIFY(part.shorter.has_value());
        const ScheduleSample whole{
            *makeSchedule(p.schedule, p.pp, c.numMicroBatches(), p.virtualStages), {}, c.numMicroBatches()};
        const auto partMemory = stageMemory(c, h100s(8), part), wholeMemory = stageMemory(c, h100s(8), whole);
        for (std::size_t stage = 0; stage < wholeMemory.size(); ++stage)
            QVERIFY(qAbs(partMemory[stage].bytes.totalBytes() / wholeMemory[stage].bytes.totalBytes() - 1) < 1e-9);
        const StepEstimate fromPart = estimateStep(c, h100s(8), part, false),
                           fromWhole = estimateStep(c, h100s(8), whole, false);
        QVERIFY(qAbs(fromPart.stepSeconds / fromWhole.stepSeconds - 1) < 1e-9);
        QVERIFY(qAbs(fromPart.bubbleSimulated - fromWhole.bubbleSimulated) < 1e-9);
    }
    void advice() {
        RunConfig big;
        big.model = findModelPreset("llama3.1-405b")->model;
        big.train = llama8b().train;
        big.train.globalBatchSize = 64;
        big.parallel.dp = 64;
        const Plan plan = makePlan(big, h100s(8));
        QVERIFY(has(plan, "does_not_fit"));
        RunConfig crossing = llama8b();
        crossing.parallel.tp = 8;
        ClusterSpec small = h100s(16);
        small.devicesPerNode = 4;
        QVERIFY(has(makePlan(crossing, small), "too_few_devices"));
        small.numNodes = 32;
        QVERIFY(has(makePlan(crossing, small), "tp_crosses_nodes"));
        RunConfig shallow = llama8b();
        shallow.train.globalBatchSize = 8;
        QVERIFY(has(makePlan(shallow, h100s(8)), "bubble_high"));
        RunConfig crowded = tiny();
        crowded.parallel.dp = 4;
        QVERIFY(has(makePlan(crowded, laptop()), "cores_shared"));
    }
    void cpuPeakIsShared() {
        RunConfig c = tiny();
        QCOMPARE(rankSpeed(c, laptop()).peakFlops, 50e9);  // one thread of two cores
        c.train.threadsPerRank = 2;
        QCOMPARE(rankSpeed(c, laptop()).peakFlops, 100e9);
        c.parallel.dp = 4;
        c.train.threadsPerRank = 1;
        QCOMPARE(rankSpeed(c, laptop()).peakFlops, 25e9);
        QCOMPARE(*runPeakFlops(c, laptop()), 100e9);
        QCOMPARE(*runPeakFlops(llama8b(), h100s(8)), 64 * 989.4e12);
    }
    /// Activations of small models lie in caches: a core's passes over them do not wait for the other core's memory
    /// traffic.
    void cpuPassesFollowTheCore() {
        RunConfig c = tiny();
        ClusterSpec fast = laptop(), slow = laptop();
        fast.device.memoryBytesPerSecond = 40e9;
        slow.device.memoryBytesPerSecond = 1e9;
        const double seconds = layerSeconds(c, rankSpeed(c, laptop()), false).total();
        QCOMPARE(layerSeconds(c, rankSpeed(c, fast), false).total(), seconds);
        QVERIFY(layerSeconds(c, rankSpeed(c, slow), false).total() > seconds);
        c.parallel.dp = 2;
        QCOMPARE(layerSeconds(c, rankSpeed(c, laptop()), false).total(), seconds);
        QVERIFY(std::isinf(rankSpeed(llama8b(), h100s(8)).elementwiseBytesPerSecond));
    }
    void layoutsAreRankedAndLegal() {
        RunConfig c = tiny();
        c.parallel.dp = 4;
        const std::vector<LayoutChoice> choices = rankLayouts(c, laptop(), 10);
        QVERIFY(choices.size() > 3 && choices.size() <= 10);
        std::set<LayoutFamily> families;
        for (const LayoutChoice& l : choices) families.insert(familyOf(l.parallel, l.microBatchSize, l.recompute));
        QCOMPARE(families.size(), choices.size());
        for (std::size_t i = 0; i < choices.size(); ++i) {
            RunConfig legal = c;
            legal.parallel = choices[i].parallel;
            legal.train.microBatchSize = choices[i].microBatchSize;
            legal.train.recompute.policy = choices[i].recompute;
            const Plan plan = makePlan(legal, laptop());
            QVERIFY(!hasErrors(plan.issues));
            QCOMPARE(plan.config.parallel.worldSize(), std::int64_t{4});
            QCOMPARE(plan.step.stepSeconds, choices[i].stepSeconds);
            if (i > 0) QVERIFY(choices[i].stepSeconds >= choices[i - 1].stepSeconds);
        }
    }
};

SLIPWAY_TEST(TstPlan)

}  // namespace slipway

#include "tst_plan.moc"
