// Volumes and times of communication: identities of the ring, placement, overlap.
#include "core/planner/memory/memory.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/step.h"
#include "tests/support/slipway_test.h"

namespace slipway {

namespace {

RunConfig config() {
    RunConfig c;
    c.model.hiddenSize = 1024;
    c.model.ffnHiddenSize = 4096;
    c.model.numHeads = 16;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    return c;
}

ClusterSpec cluster() {
    ClusterSpec k;
    k.device.kind = DeviceKind::Gpu;
    k.device.peakBf16Flops = 312e12;
    k.device.memoryBytes = 80e9;
    k.device.memoryBytesPerSecond = 2e12;
    k.numNodes = 4;
    k.devicesPerNode = 8;
    k.intraNode = {300e9, 5e-6};
    k.interNode = {25e9, 10e-6};
    return k;
}

double sent(const PassTraffic& t) {
    return t.forward.sentBytes() + t.backward.sentBytes();
}

}  // namespace

class TstCommunication : public QObject {
    Q_OBJECT
private slots:
    void ringIdentities() {
        for (const double n : {2.0, 3.0, 8.0, 64.0}) {
            QCOMPARE(ringBytes(Collective::ReduceScatter, n, 1e9) + ringBytes(Collective::AllGather, n, 1e9),
                     ringBytes(Collective::AllReduce, n, 1e9));
            QCOMPARE(ringHops(Collective::ReduceScatter, n) + ringHops(Collective::AllGather, n),
                     ringHops(Collective::AllReduce, n));
        }
        QCOMPARE(collectiveSeconds(Collective::AllReduce, 1, 1e9, {1e9, 1}), 0.0);
        QCOMPARE(collectiveSeconds(Collective::AllReduce, 2, 1e9, {1e9, 0.5}), 2.0);
    }
    void fullShardingSendsHalfMore() {
        // One micro-batch, 16-bit reduction: gather twice and scatter once against one all-reduce.
        RunConfig c = config();
        c.train.globalBatchSize = 16;
        c.parallel.dp = 8;
        c.parallel.reduceDtype = ReduceDtype::Bf16;
        const StepTraffic plain = dpTraffic(c, rankShare(c, 0));
        c.parallel.zeroStage = 3;
        const StepTraffic sharded = dpTraffic(c, rankShare(c, 0));
        // The embedding is gathered once: its gradient needs no weights.
        const double table = static_cast<double>(c.model.vocabSize * c.model.hiddenSize);
        QCOMPARE((sharded.gradients.sentBytes() + sharded.weights.sentBytes()) / plain.gradients.sentBytes(),
                 1.5 - 0.5 * table / rankShare(c, 0).parameters);
        c.parallel.zeroStage = 1;
        const StepTraffic optimizerOnly = dpTraffic(c, rankShare(c, 0));
        QCOMPARE(optimizerOnly.gradients.sentBytes() + optimizerOnly.weights.sentBytes(), plain.gradients.sentBytes());
    }
    // On CPUs ZeRO-2 and 3 send each block, the final norm and each table by itself, in every micro-batch: waits add up, bytes stay.
    void shardedUnitsAreSentOneByOne() {
        RunConfig c = config();
        c.train.device = DeviceKind::Cpu;
        c.model.numLayers = 6;
        c.model.tieEmbeddings = false;
        c.train.globalBatchSize = 32;
        c.train.microBatchSize = 1;
        c.parallel.dp = 8;
        const double microBatches = 4, blocks = 6, ends = 3;  // table, final norm, head
        const auto only = [](const Traffic& traffic) { return *traffic.operations.begin(); };
        const auto traffic = [&](std::int64_t zeroStage) {
            c.parallel.zeroStage = zeroStage;
            return dpTraffic(c, rankShare(c, 0));
        };
        const StepTraffic one = traffic(1), two = traffic(2), three = traffic(3);
        QCOMPARE(only(one.gradients).count, 1.0);
        QCOMPARE(only(two.gradients).count, microBatches * (blocks + ends));
        QCOMPARE(only(two.gradients).bytes * (blocks + ends), only(one.gradients).bytes);
        QCOMPARE(only(two.weights).count, 1.0);
        // Backward needs all of them again but the embedding's table.
        QCOMPARE(only(three.weights).count, microBatches * (2 * (blocks + ends) - 1));
        QCOMPARE(one.gradientPasses, 1.0);
        QCOMPARE(three.gradientPasses, microBatches);
        c.parallel.reshardAfterForward = false;
        QCOMPARE(only(traffic(3).weights).count, microBatches * (blocks + ends));
    }
    void tensorParallelVolume() {
        // 8 b s h e (t - 1) / t per layer (Korthikanti et al. 2022, sec. 4.2); sequence parallelism gathers two inputs once more; full
        // recomputation makes the forward pair again.
        RunConfig c = config();
        c.parallel.tp = 4;
        const double unit = static_cast<double>(c.train.microBatchSize * c.train.seqLen * 1024 * 2) * 3 / 4;
        QCOMPARE(sent(tpLayerTraffic(c, false)), 8 * unit);
        c.parallel.sequenceParallel = true;
        QCOMPARE(sent(tpLayerTraffic(c, false)), 10 * unit);
        c.train.recompute.policy = RecomputePolicy::Full;
        QCOMPARE(sent(tpLayerTraffic(c, false)), 14 * unit);
        c.parallel.sequenceParallel = false;
        QCOMPARE(sent(tpLayerTraffic(c, false)), 12 * unit);
    }
    void groupsUseTheirLink() {
        RunConfig c = config();
        c.parallel.tp = 8;
        c.parallel.dp = 4;
        QCOMPARE(groupLink(c, cluster(), {Axis::Tp}).bytesPerSecond, 300e9);
        QCOMPARE(groupLink(c, cluster(), {Axis::Dp}).bytesPerSecond, 25e9);
        c.parallel.tp = 2;
        c.parallel.dp = 16;
        // Four of the group's ranks stand in each node, each with a card of its own.
        QCOMPARE(groupLink(c, cluster(), {Axis::Dp}).bytesPerSecond, 100e9);
        ClusterSpec one = cluster();
        one.numNodes = 1;
        QCOMPARE(groupLink(c, one, {Axis::Dp}).bytesPerSecond, 300e9);
    }
    // HSDP: the ranks that shard are neighbours, their copies stand on other nodes (trainer/comm/mesh.cpp).
    void shardsStayInANode() {
        RunConfig c = config();
        c.parallel.tp = 2;
        c.parallel.dp = 16;
        c.parallel.zeroStage = 3;
        c.train.globalBatchSize = 64;
        const LinkSpec whole = groupLink(c, cluster(), {Axis::Dp, Axis::Cp});
        QCOMPARE(shardLink(c, cluster()).bytesPerSecond, whole.bytesPerSecond);
        c.parallel.dpShard = 4;  // of tp 2 and dp 4 makes a node of 8
        QCOMPARE(shardLink(c, cluster()).bytesPerSecond, 300e9);
        // One rank of each node's eight: one card.
        QCOMPARE(replicaLink(c, cluster()).bytesPerSecond, 25e9);
        c.parallel.dpShard = 2;  // two groups in a node: their copies have two cards there
        QCOMPARE(shardLink(c, cluster()).bytesPerSecond, 300e9);
        QCOMPARE(replicaLink(c, cluster()).bytesPerSecond, 50e9);
        c.parallel.dpShard = 8;  // two nodes, four cards of each
        QCOMPARE(shardLink(c, cluster()).bytesPerSecond, 100e9);
        // The gathers before each pass are inside the node; the sums between nodes are once a step and of a part each.
        c.parallel.dpShard = 4;
        const StepTraffic t = dpTraffic(c, rankShare(c, 0));
        QCOMPARE(t.replicas.sentBytes(), ringBytes(Collective::AllReduce, 4, rankShare(c, 0).parameters / 4 * 4));
        const auto seconds = [&](std::optional<std::int64_t> shard) {
            c.parallel.dpShard = shard;
            c.parallel.overlapGradReduce = false;
            return estimateStep(c, cluster(), makePipeline(c)).dpExposedSeconds;
        };
        QVERIFY(seconds(4) < seconds(std::nullopt));
        // Without ZeRO nothing is sharded, whatever dp_shard says.
        c.parallel.zeroStage = 0;
        QCOMPARE(seconds(4), seconds(std::nullopt));
    }
    void overlapHidesGradients() {
        RunConfig c = config();
        c.model.numLayers = 24;
        c.train.seqLen = 4096;
        c.model.maxSeqLen = 4096;
        c.train.globalBatchSize = 64;
        c.parallel.dp = 16;
        const auto exposed = [&](bool overlap) {
            c.parallel.overlapGradReduce = overlap;
            return estimateStep(c, cluster(), *sampleSchedule(ScheduleKind::OneFOneB, 1, c.numMicroBatches(), 1), false)
                .dpExposedSeconds;
        };
        QVERIFY(exposed(true) < exposed(false));
        // The last bucket has nothing to hide under.
        const double gradients =
            dpTraffic(c, rankShare(c, 0)).gradients.seconds(groupLink(c, cluster(), {Axis::Dp, Axis::Cp}));
        QVERIFY(exposed(true) >=
                gradients * static_cast<double>(c.parallel.bucketBytes) / (4 * rankShare(c, 0).parameters));
    }
    void memoryOfACpuIsShared() {
        RunConfig c = config();
        c.parallel.dp = 4;
        ClusterSpec k = cluster();
        QCOMPARE(capacityPerRank(c, k), 80e9);
        k.device.kind = DeviceKind::Cpu;
        k.numNodes = 1;
        QCOMPARE(capacityPerRank(c, k), 20e9);
        k.device.memoryBytes = 0;
        QVERIFY(capacityPerRank(c, k) != capacityPerRank(c, k));
    }
};

SLIPWAY_TEST(TstCommunication)

}  // namespace slipway

#include "tst_communication.moc"
