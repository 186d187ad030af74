// Under ZeRO-2 and 3 gradients come and go layer by layer: what stands beside the owned blocks at the fullest moment.
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstUnitBuffers : public QObject {
    Q_OBJECT

    /// Wide layers and next to no tokens, so that activations hide nothing.
    static RunConfig wide(std::int64_t dp, std::int64_t zeroStage) {
        RunConfig c;
        c.model.numLayers = 4;
        c.model.hiddenSize = 1024;
        c.model.ffnHiddenSize = 4096;
        c.model.numHeads = 16;
        c.model.vocabSize = 64;
        c.train.seqLen = c.model.maxSeqLen = 8;
        c.train.microBatchSize = 1;
        c.train.globalBatchSize = 8;
        c.train.device = DeviceKind::Gpu;
        c.parallel.dp = dp;
        c.parallel.zeroStage = zeroStage;
        return c;
    }

    static MemoryBreakdown bytesOf(const RunConfig& config) {
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        return stageMemory(config, cluster, makePipeline(config)).front().bytes;
    }

private slots:
    // A layer's gradients, those of the layer above and the block they are reduced into.
    void layersAreReducedIntoTheirBlocks() {
        const RunConfig one = wide(1, 0);
        RunConfig fewer = one;
        fewer.model.numLayers = 3;
        const double layer = 4 * (rankShare(one, 0).parameters - rankShare(fewer, 0).parameters);
        const double plain = bytesOf(wide(2, 0)).bufferBytes;
        const double of2 = bytesOf(wide(2, 2)).bufferBytes, of4 = bytesOf(wide(4, 2)).bufferBytes;
        QVERIFY(std::abs(of2 - of4 - layer / 4) < 1e-4 * layer);  // beside the tokens' own bytes
        QVERIFY2(std::abs((of2 - plain) / layer - 2.5) < 0.03, qPrintable(QString::number((of2 - plain) / layer)));
        // A single layer has none above, and is reduced while the embedding's gradient is added.
        RunConfig single = wide(2, 2);
        single.model.numLayers = 1;
        QVERIFY(std::abs((bytesOf(single).bufferBytes - plain) / layer - 1.5) < 0.03);
    }

    void aLonelyRankCutsNothing() {
        QCOMPARE(bytesOf(wide(1, 2)).bufferBytes, bytesOf(wide(1, 0)).bufferBytes);
        QCOMPARE(bytesOf(wide(1, 3)).totalBytes(), bytesOf(wide(1, 0)).totalBytes());
    }

    // Two bytes for each weight between hidden layers, where a step has several micro-batches that use them.
    void float8FactorsStandThroughAStep() {
        RunConfig c = wide(1, 0), fewer = c;
        fewer.model.numLayers = 3;
        const double matrices = 4 * (rankShare(c, 0).parameters - rankShare(fewer, 0).parameters);
        const auto more = [&] {
            c.train.precision = Precision::Bf16;
            const double plain = bytesOf(c).bufferBytes;
            c.train.precision = Precision::Fp8;
            return bytesOf(c).bufferBytes - plain;
        };
        QVERIFY2(std::abs(more() / (2 * matrices) - 1) < 1e-3, qPrintable(QString::number(more() / matrices)));
        c.train.globalBatchSize = 1;
        QCOMPARE(more(), 0.0);
    }

    // On a CPU the head's gradient is reduced while the logits stand: its block, and the sum under way.
    void theHeadIsReducedBesideTheLogits() {
        const auto head = [](std::int64_t dp) {
            RunConfig c = wide(dp, 2);
            c.train.device = DeviceKind::Cpu;
            c.model.tieEmbeddings = false;
            c.model.vocabSize = 65536;
            const MemoryBreakdown b = bytesOf(c);
            return b.bufferBytes + b.logitsBytes;
        };
        const double table = 4.0 * 65536 * 1024;
        QVERIFY2(std::abs((head(2) - head(4)) / table - 0.5) < 0.01,
                 qPrintable(QString::number((head(2) - head(4)) / table)));
    }
};

SLIPWAY_TEST(TstUnitBuffers)

}  // namespace slipway

#include "tst_unit_buffers.moc"
