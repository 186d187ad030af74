// The bundled trainer's stack on CPUs: its messages, its memory, and what runs of a computer teach it.
#include "core/planner/evidence/calibrate.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/plan.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/stack/known_software.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/planner/stack/stack_constants.h"
#include "core/planner/stack/stack_links.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/group_traffic.h"
#include "core/planner/time/share_seconds.h"
#include "tests/support/changed_config.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

namespace {

ClusterSpec twoCores() {
    ClusterSpec cluster;
    cluster.device.peakFp32Flops = 3e11;
    cluster.device.peakBf16Flops = 2e11;
    cluster.device.memoryBytes = 24e9;
    cluster.device.memoryBytesPerSecond = 3e10;
    cluster.devicesPerNode = 2;
    cluster.intraNode = {1.5e9, 2e-4};
    return cluster;
}

ClusterSpec withTrainer(ClusterSpec cluster) {
    cluster.stack = bundledTrainerStack(cluster.device);
    cluster.calibration = "calibrated";
    return cluster;
}

RunConfig config(std::int64_t tp, std::int64_t dp = 1) {
    RunConfig c;
    c.parallel.tp = tp;
    c.parallel.dp = dp;
    c.train.globalBatchSize = 8;
    return c;
}

double seconds(const RunConfig& c, const ClusterSpec& cluster) {
    return makePlan(c, cluster).step.stepSeconds;
}

}  // namespace

class TstTrainerStack : public QObject {
    Q_OBJECT
private slots:
    /// No file of resources may hold a constant that hardware cannot have, and none of them beyond the twelve and six.
    void hasPhysicalConstants() {
        const SoftwareStack& stack = shippedCalibration().stacks.at(std::string(kBundledTrainer));
        QCOMPARE(constantRows(stack).size(), std::size_t{18});
        QVERIFY(beyondBounds(stack).empty());
        for (const ConstantInfo& info : stackConstants())
            if (!info.ofMemory) QVERIFY((stack.*info.member).uncertainty > 0);
        QVERIFY(stack.measuredRuns > 0 && stack.sequence.high > 0);
        const std::vector<std::string> names = shippedStackNames();
        QVERIFY(std::find(names.begin(), names.end(), kBundledTrainer) == names.end());
    }

    /// A rank that computes notices a message later than the idle ones between which the link was measured; ranks that share a core
    /// move messages in turns.
    void messagesWaitForCores() {
        const ClusterSpec bare = twoCores(), cluster = withTrainer(bare);
        const SoftwareStack& stack = *cluster.stack;
        const GroupLink two = groupLink(config(2), cluster, {Axis::Tp}),
                        four = groupLink(config(4), cluster, {Axis::Tp});
        QCOMPARE(two.latencySeconds, bare.intraNode.latencySeconds);
        QCOMPARE(two.wakeSeconds, stack.rankSeconds.value);
        QCOMPARE(two.bytesPerSecond, bare.intraNode.bytesPerSecond * stack.intraShare.value);
        QCOMPARE(four.latencySeconds, 2 * two.latencySeconds);
        QCOMPARE(four.wakeSeconds, 2 * two.wakeSeconds);
        // Once per operation and further rank, in however many hops.
        const auto waits = [](const GroupLink& link, Collective kind, double ranks) {
            LinkSpec bareLink = link;
            return collectiveSeconds(kind, ranks, 1e6, link.of(kind, ranks)) -
                   collectiveSeconds(kind, ranks, 1e6, bareLink);
        };
        for (const Collective kind : {Collective::AllReduce, Collective::AllGather})
            QVERIFY(std::abs(waits(two, kind, 2) - two.wakeSeconds) < 1e-12);
        QCOMPARE(waits(two, Collective::Send, 2), 0.0);  // a message's receiver is idle
        // In a ring all ranks compute, and each message waits for one neighbour.
        RunConfig ring = config(1);
        ring.parallel.cp = 2;
        QVERIFY(std::abs(waits(groupLink(ring, cluster, TrafficGroup::Cp), Collective::Send, 2) - two.wakeSeconds) <
                1e-12);
        ring.parallel.cp = 4;
        QVERIFY(std::abs(waits(groupLink(ring, cluster, TrafficGroup::Cp), Collective::Send, 4) - four.wakeSeconds) <
                1e-12);
        QVERIFY(std::abs(waits(four, Collective::AllReduce, 4) - 3 * four.wakeSeconds) < 1e-12);
        QCOMPARE(four.bytesPerSecond, two.bytesPerSecond / 2);
        QCOMPARE(ranksPerCore(config(1), cluster), 1.0);
        QCOMPARE(groupLink(config(2), bare, {Axis::Tp}).wakeSeconds, 0.0);
        // Two pairs of ranks on two cores wait as long as four ranks in one group.
        QCOMPARE(groupLink(config(2, 2), cluster, {Axis::Tp}).latencySeconds, four.latencySeconds);
    }

    /// Without an idle core nothing sends while others compute: ZeRO-3 waits for all of its messages.
    void gathersHideOnlyBehindIdleCores() {
        RunConfig sharded = config(1, 2);
        sharded.parallel.zeroStage = 3;
        ClusterSpec cluster = withTrainer(twoCores());
        const auto dp = [&] {
            const TimeTable table = makeTimeTable(sharded, cluster);
            const ShareSeconds s = shareSeconds<double>(sharded, dpTraffic(sharded, rankShare(sharded, 0)), table);
            return std::pair{s.exposed(1e9, 1e9), s.inOpen + s.gradients + s.weights};
        };
        const auto [exposed, all] = dp();
        QVERIFY(all > 0);
        QCOMPARE(exposed, all);
        cluster.devicesPerNode = 3;
        QVERIFY(dp().first < 0.5 * dp().second);
    }

    /// Two ranks of a pipeline of four that have two cores for them work at full speed while it fills and drains; in between all four
    /// take turns: of the seven slots of four micro-batches those with 1, 2, 3, 4, 3, 2, 1 busy ranks last 1, 1, 1.5, 2, 1.5, 1, 1.
    void ranksThatWaitLeaveTheirCore() {
        RunConfig pipeline = config(1);
        pipeline.parallel.pp = 4;
        pipeline.train.globalBatchSize = 4 * pipeline.train.microBatchSize;
        const double core = rankSpeed(config(1), twoCores()).peakFlops;
        QCOMPARE(core, 1.5e11);
        QVERIFY(std::abs(rankSpeed(pipeline, twoCores()).peakFlops / (core * 7 / 9) - 1) < 1e-12);
        QVERIFY(std::abs(rankSpeed(config(4), twoCores()).peakFlops / (core / 2) - 1) < 1e-12);
    }

    /// bf16 products run at the measured bf16 peak where the processor has them, and in fp32 where they are emulated.
    void multipliesAsTheProcessorCan() {
        DeviceSpec device = twoCores().device;
        QCOMPARE(*productPeakFlops(device, Precision::Bf16), 2e11);
        device.peakBf16Flops = 2e9;
        QCOMPARE(*productPeakFlops(device, Precision::Bf16), 3e11);
    }

    /// Its memory is counted tensor by tensor; the constants of memory are of other software.
    void leavesMemoryAlone() {
        const Plan bare = makePlan(config(2), twoCores()), stack = makePlan(config(2), withTrainer(twoCores()));
        QCOMPARE(stack.memoryPeakBytes, bare.memoryPeakBytes);
        QCOMPARE(stack.memoryCapacityBytes, bare.memoryCapacityBytes);
        QCOMPARE(memoryInterval(stack).second, memoryInterval(bare).second);
        QVERIFY(stack.step.stepSeconds != bare.step.stepSeconds);
        QCOMPARE(textOf(basisText(stack.step.label, softwareOf(stack.cluster))).rfind("the bundled trainer", 0),
                 std::size_t{0});
    }

    /// One run of this computer moves the forecast of another layout towards it and narrows its interval.
    void learnsFromOneRun() {
        const ClusterSpec before = withTrainer(twoCores());
        constexpr double kSlower = 1.3;
        const double measured = kSlower * seconds(config(1), before);
        const MeasuredRun run = ownRun(config(1), twoCores(), measured);
        ClusterSpec after = before;
        after.stack = narrowed(*before.stack, {&run});
        after.calibration = "fitted";
        QVERIFY(std::abs(std::log(seconds(config(1), after) / measured)) < 0.5 * std::log(kSlower));
        QVERIFY(seconds(config(1, 2), after) > 1.1 * seconds(config(1, 2), before));
        const StepEstimate wide = makePlan(config(1, 2), before).step, narrow = makePlan(config(1, 2), after).step;
        QVERIFY(narrow.stepSecondsHigh / narrow.stepSecondsLow < wide.stepSecondsHigh / wide.stepSecondsLow);
        QVERIFY(beyondBounds(*after.stack).empty());
        QCOMPARE(textOf(basisText("fitted", softwareOf(after))), std::string("the bundled trainer, fitted here"));
    }
};

SLIPWAY_TEST(TstTrainerStack)

}  // namespace slipway

#include "tst_trainer_stack.moc"
