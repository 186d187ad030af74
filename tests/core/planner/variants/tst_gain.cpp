#include "core/base/json.h"
#include "core/planner/advice/advice.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/rank_layouts.h"
#include "core/planner/variants/gain.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {

class TstGain : public QObject {
    Q_OBJECT

    static RunConfig config(const char* preset) {
        RunConfig c;
        c.model = findModelPreset(preset)->model;
        c.train.seqLen = 4096;
        c.train.globalBatchSize = 256;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.parallel.sequenceParallel = false;
        return c;
    }
    static ClusterSpec cluster(std::int64_t nodes) {
        ClusterSpec c = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        c.numNodes = nodes;
        return c;
    }
    static bool hasCode(const Plan& plan, const std::string& code) {
        return std::any_of(plan.issues.begin(), plan.issues.end(),
                           [&](const Issue& issue) { return issue.code == code; });
    }

private slots:
    /// Plans that draw one piece of advice each, and what the gain must then be better in.
    void theGainIsWhatPlanningTheChangeGives_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("better");  // "time", "memory" or "fits"
        QTest::newRow("does not fit") << "does_not_fit"
                                      << "fits";
        QTest::newRow("bubble") << "bubble_high"
                                << "time";
        QTest::newRow("free memory") << "free_memory"
                                     << "time";
        QTest::newRow("recompute") << "recompute_not_needed"
                                   << "time";
        QTest::newRow("optimizer") << "shard_optimizer"
                                   << "memory";
        QTest::newRow("tp over nodes") << "tp_crosses_nodes"
                                       << "time";
        QTest::newRow("host") << "host_does_not_fit"
                              << "host";
        QTest::newRow("host, nearly full") << "host_tight_fit"
                                           << "host";
        QTest::newRow("graphs help") << "graphs_help"
                                     << "time";
        QTest::newRow("graphs idle") << "graphs_idle"
                                     << "memory";
        QTest::newRow("idle") << "idle_devices"
                              << "time";
    }
    void theGainIsWhatPlanningTheChangeGives() {
        QFETCH(QString, code);
        QFETCH(QString, better);
        RunConfig c = config("llama3-8b");
        ClusterSpec hardware = cluster(2);
        ParallelLayout& p = c.parallel;
        if (code == "does_not_fit") {
            p.dp = 16;
            p.zeroStage = 0;
        } else if (code == "bubble_high") {
            p.dp = 2;
            p.pp = 8;
            c.train.globalBatchSize = 32;
            c.train.microBatchSize = 4;
        } else if (code == "free_memory") {
            p.dp = 2;
            p.tp = 8;
        } else if (code == "recompute_not_needed") {
            p.dp = 2;
            p.tp = 8;
            c.train.recompute.policy = RecomputePolicy::Full;
        } else if (code == "shard_optimizer") {
            p.dp = 4;
            p.tp = 4;
        } else if (code == "tp_crosses_nodes") {
            c.model = findModelPreset("llama2-7b")->model;  // 32 key-value heads
            p.tp = 16;
        } else if (code.startsWith("graphs_")) {
            c.model = findModelPreset("llama3.2-1b")->model;
            c.train.microBatchSize = 1;
            c.train.seqLen = code == "graphs_help" ? 256 : 8192;
            c.train.cudaGraphs = code == "graphs_idle";
            p.dp = 16;
        } else if (code.startsWith("host_")) {
            p.dp = 16;
            p.zeroStage = 1;
            p.offload = Offload::All;
            hardware.device.name = "NVIDIA V100 SXM2 32 GB";  // in a node of 512 GiB
            c.train.microBatchSize = 4;
            c.checkpoint.everySteps = 0;
            if (code == "host_tight_fit") c.model.numLayers = 27;
        } else {
            p.dp = 2;
            p.tp = 4;
        }
        const Plan plan = makePlan(c, hardware);
        QVERIFY(!plan.memory.empty());
        QVERIFY2(hasCode(plan, code.toStdString()), "the plan does not draw this advice");
        const auto gains = adviceGains(plan);
        const AdviceGain* gain = gainOf(gains, code.toStdString());
        QVERIFY(gain);
        QVERIFY2(!gain->change.empty(), textOf(gain->text).c_str());
        // The figures are those of planning the changed config.
        const Plan planned = makePlan(gain->config, hardware);
        QVERIFY(std::fabs(planned.step.stepSeconds / gain->stepSeconds - 1) < 1e-9);
        QVERIFY(std::fabs(planned.memoryPeakBytes / gain->memoryPeakBytes - 1) < 1e-9);
        QCOMPARE(gain->fits, !(planned.memoryPeakBytes > planned.memoryCapacityBytes) &&
                                 nodeHostMemory(gain->config, hardware, planned.memoryPeakBytes).fits());
        QCOMPARE(gain->label, plan.step.label);
        const double perToken = (planned.step.stepSeconds / static_cast<double>(gain->config.tokensPerStep())) /
                                (plan.step.stepSeconds / static_cast<double>(c.tokensPerStep()));
        QVERIFY(std::fabs(gain->timeChange - (perToken - 1)) < 1e-9);
        if (better == "time") QVERIFY2(gain->timeChange < 0 && gain->fits, textOf(gain->text).c_str());
        if (better == "memory") QVERIFY2(gain->memoryChangeBytes < 0, textOf(gain->text).c_str());
        const double hostBefore = nodeHostMemory(c, hardware, plan.memoryPeakBytes).neededBytes();
        const NodeHostMemory hostAfter = nodeHostMemory(gain->config, hardware, planned.memoryPeakBytes);
        QCOMPARE(gain->hostNodeBytes, hostAfter.neededBytes());
        QCOMPARE(gain->hostNodeChangeBytes, hostAfter.neededBytes() - hostBefore);
        QCOMPARE(textOf(gain->text).find("of a node's") != std::string::npos, better == "host");
        if (better == "host")
            QVERIFY2(gain->fits && hostAfter.fits() && gain->hostNodeChangeBytes < 0, textOf(gain->text).c_str());
        if (better == "fits") QVERIFY2(gain->fits, textOf(gain->text).c_str());
        // The settings, put on the old config, give the new one.
        Json document = toJson(c);
        for (const std::string& setting : gain->settings) {
            const std::size_t equals = setting.find('=');
            const auto set = setField(document, setting.substr(0, equals), setting.substr(equals + 1));
            QVERIFY2(set, setting.c_str());
        }
        const auto again = parseRunConfig(document, "settings");
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QCOMPARE(configHash(*again), configHash(gain->config));
    }

    void whatNothingHelpsIsSaidToBeSo() {
        // One device, a model ten times its memory: no layout of it fits.
        RunConfig c = config("llama3-8b");
        const Plan plan = makePlan(c, cluster(1));
        QVERIFY(hasCode(plan, "does_not_fit"));
        const auto gains = adviceGains(plan);
        const AdviceGain* gain = gainOf(gains, "does_not_fit");
        QVERIFY(gain);
        if (gain->change.empty())
            QVERIFY2(textOf(gain->text).find("No layout") == 0, textOf(gain->text).c_str());
        else
            QVERIFY(gain->fits);
    }

    // A change that moves the trouble from the devices to their nodes is none.
    void nothingIsProposedThatNodesCannotHold() {
        RunConfig c = config("llama3-8b");
        c.model.numLayers = 216;  // 48 B: master weights and moments take 578 GB
        c.train.globalBatchSize = c.train.microBatchSize = 1;
        c.checkpoint.everySteps = 0;
        ClusterSpec hardware = cluster(1);
        hardware.device.memoryBytes = 600e9;
        const auto offloads = [&] {
            for (const AdviceGain& gain : adviceGains(makePlan(c, hardware)))
                if (gain.code == "does_not_fit" && !gain.change.empty())
                    return gain.fits && offloadsOptimizer(gain.config.parallel.offload);
            return false;
        };
        QVERIFY(offloads());                              // one device: nothing else helps
        hardware.device.name = "NVIDIA V100 SXM2 32 GB";  // in a node of 512 GiB
        QVERIFY(!offloads());
    }

    void onlyWhatCanRunIsProposed() {
        RunConfig c = config("llama3-8b");
        c.parallel.dp = 16;
        c.parallel.zeroStage = 0;
        QVERIFY(trainerSupports(c).empty());
        for (const AdviceGain& gain : adviceGains(makePlan(c, cluster(2))))
            if (!gain.change.empty()) QVERIFY2(trainerSupports(gain.config).empty(), gain.change.c_str());
    }

    // A layout of more ranks than the cluster has devices leads back to the cluster, never to another size.
    void onlyTheClusterIsProposed() {
        RunConfig c = config("llama3-8b");
        c.parallel.dp = 8;
        c.parallel.tp = 8;
        c.parallel.pp = 2;
        const ClusterSpec hardware = cluster(8);  // 64
        const Plan plan = makePlan(c, hardware);
        QVERIFY(hasCode(plan, "too_few_devices"));
        const auto gains = adviceGains(plan);
        const AdviceGain* gain = gainOf(gains, "too_few_devices");
        QVERIFY(gain && !gain->change.empty() && gain->fits);
        QVERIFY(!hasCode(makePlan(gain->config, hardware), "too_few_devices"));
        for (const AdviceGain& g : gains) QVERIFY2(g.config.parallel.worldSize() <= 64, textOf(g.text).c_str());
        for (const std::int64_t dp : {std::int64_t{1}, std::int64_t{8}, std::int64_t{24}}) {
            c.parallel.dp = dp;
            const auto ranked = rankLayouts(c, hardware, 9);
            QVERIFY(!ranked.empty());
            for (const LayoutChoice& l : ranked) QCOMPARE(l.parallel.worldSize(), std::int64_t{64});
        }
        // A batch that no 64 devices can share is laid out over the config's own.
        c.parallel.dp = c.train.globalBatchSize = 3;
        c.parallel.tp = c.parallel.pp = 1;
        c.parallel.zeroStage = 3;
        ClusterSpec odd = hardware;
        odd.devicesPerNode = 7;
        odd.numNodes = 11;
        const auto ranked = rankLayouts(c, odd, 9);
        QVERIFY(!ranked.empty());
        for (const LayoutChoice& l : ranked) QCOMPARE(l.parallel.worldSize(), std::int64_t{3});
    }

    // Advice for speed beside a table of layouts leads to the best of it at once: nothing is left to follow then.
    void oneStepLeadsToTheBestLayout() {
        RunConfig c = config("llama3-8b");
        c.parallel.dp = 2;
        c.parallel.tp = 8;
        c.train.recompute.policy = RecomputePolicy::Full;
        const ClusterSpec hardware = cluster(2);
        const Plan plan = makePlan(c, hardware);
        const auto ranked = rankLayouts(c, hardware, 9);
        const auto gains = adviceGains(plan, ranked);
        const AdviceGain* gain = gainOf(gains, "recompute_not_needed");
        QVERIFY(gain);
        QVERIFY(gain->stepSeconds <= ranked.front().stepSeconds * (1 + 1e-9));
        const auto single = adviceGains(plan);
        QVERIFY(gain->stepSeconds < gainOf(single, "recompute_not_needed")->stepSeconds);
        const Plan next = makePlan(gain->config, hardware);
        const auto rankedNext = rankLayouts(next.config, hardware, 9);
        const auto gainsNext = adviceGains(next, rankedNext);
        const AdviceGain* again = gainOf(gainsNext, "recompute_not_needed");
        QVERIFY2(!again, again ? textOf(again->text).c_str() : "");
    }

    // What no change makes better is no advice.
    void onlyWhatHelpsIsAdvised() {
        int advised = 0;
        for (const std::int64_t tp : {1, 2, 4, 8})
            for (const RecomputePolicy policy : {RecomputePolicy::None, RecomputePolicy::Full}) {
                RunConfig c = config("llama3.2-1b");
                c.parallel.tp = tp;
                c.parallel.dp = 16 / tp;
                c.train.recompute.policy = policy;
                for (const AdviceGain& gain : adviceGains(makePlan(c, cluster(2)))) {
                    QVERIFY2(!gain.change.empty() || textOf(gain.text).starts_with("No layout"),
                             textOf(gain.text).c_str());
                    ++advised;
                }
            }
        QVERIFY(advised > 0);
    }

    void aPlanWithoutAdviceHasNoGains() {
        RunConfig c = config("llama3-8b");
        c.parallel.dp = 3;  // 256 sequences do not divide: an error, no figures
        QVERIFY(adviceGains(makePlan(c, cluster(1))).empty());
    }
};

SLIPWAY_TEST(TstGain)

}  // namespace slipway

#include "tst_gain.moc"
