// Memory of other software against published figures and arithmetic by hand.
#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/software_memory.h"
#include "core/planner/presets.h"
#include "tests/core/planner/evidence/toy_run.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

const std::string kHeader =
    "source,model_name,layers,hidden,ffn,heads,kv_heads,vocab,experts,topk,seq,gpu_type,num_gpus,dp,tp,pp,vpp,cp,ep,"
    "zero_stage,micro_batch,global_batch,recompute,precision,seq_parallel,measured_tflops_per_gpu,measured_mfu_pct,"
    "measured_iter_s,measured_mem_gb,tokens_per_s,notes\n";

MeasuredRun runOf(const std::string& row) {
    const auto table = readMeasuredRuns(kHeader + row + "\n", "t");
    return table && table->runs.size() == 1 ? table->runs.front() : MeasuredRun{};
}

std::string bloom(const std::string& layers, int tp, int pp, int microBatch, const std::string& precision,
                  double memory) {
    return "bigscience chronicles,GPT-176B," + layers + ",14336,57344,112,112,250880,,,2048,A100-80GB-SXM,384,," +
           std::to_string(tp) + "," + std::to_string(pp) + ",1,1,1,1," + std::to_string(microBatch) + ",2048,full," +
           precision + ",0,,,100," + std::to_string(memory) + ",,";
}

}  // namespace

class TstSoftwareMemory : public QObject {
    Q_OBJECT
private slots:
    void whoseColumn() {
        QVERIFY(!printedMemoryOf("somebody/else", "bf16", ""));
        const auto bloomHalf = printedMemoryOf("bigscience-workshop/bigscience", "fp16", "");
        QVERIFY(bloomHalf && bloomHalf->meter == MemoryMeter::Device && bloomHalf->facts.states == "zero_paper");
        QCOMPARE(printedMemoryOf("bigscience", "bf16 (fp32 grad accumulation)", "")->facts.states,
                 std::string("fp32_accumulation"));
        QVERIFY(printedMemoryOf("MooreThreads/SimuMax", "bf16", "")->meter == MemoryMeter::Allocated);
        const char* old = "pytorch/torchtitan llama3_h100_202412";
        QCOMPARE(printedMemoryOf(old, "bf16", "FSDP")->facts.logitBytes, 16.0);
        QCOMPARE(printedMemoryOf(old, "bf16", "FSDP+compile")->facts.logitBytes, 14.0);
        QCOMPARE(printedMemoryOf("pytorch/torchtitan 202506", "float8", "FSDP+compile")->facts.logitBytes, 4.0);
        // A formula is no measurement.
        QVERIFY(!runOf("Korthikanti,GPT-530B,105,20480,81920,128,128,51200,,,2048,B300,280,1,8,35,3,1,1,0,1,280,"
                       "none,mixed,0,,,9,145.664,,")
                     .memoryBytes);
    }

    /// Four distinct rows of SimuMax's table (docs/b200, peak allocated GiB): experts' states are whole where no rank
    /// has a copy.
    void experts_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("ep");
        QTest::addColumn<double>("gib");
        const QString v2 = "4,5120,12288,128,,102400,160,6", v3 = "4,7168,18432,128,,129280,256,8";
        QTest::newRow("V2, ep 8") << v2 << 1 << 8 << 45.63;
        QTest::newRow("V2, pp 2, ep 4") << v2 << 2 << 4 << 44.70;
        QTest::newRow("V3, ep 8") << v3 << 1 << 8 << 104.3;
        QTest::newRow("V3, pp 2, ep 4") << v3 << 2 << 4 << 114.0;
    }
    void experts() {
        QFETCH(QString, shape);
        QFETCH(int, pp);
        QFETCH(int, ep);
        QFETCH(double, gib);
        const MeasuredRun run =
            runOf(QString("MooreThreads/SimuMax,deepseek,%1,4096,B200,8,,1,%2,1,1,%3,1,1,32,none,bf16,0,,,0.5,%4,,")
                      .arg(shape)
                      .arg(pp)
                      .arg(ep)
                      .arg(gib)
                      .toStdString());
        QCOMPARE(run.config.parallel.degree(Axis::Edp), std::int64_t{1});
        const double forecast = forecastMemory(run) / kGib;
        QVERIFY2(std::abs(forecast / gib - 1) < 0.008, qPrintable(QString::number(forecast / gib)));
    }

    /// BLOOM's authors on their fp32 sums: "the additional memory usage is 4bytes x params and it's not sharded".
    void unshardedSums() {
        MeasuredRun half = runOf(bloom("70", 4, 12, 2, "fp16", 59)),
                    wide = runOf(bloom("70", 4, 12, 2, "bf16 (fp32 grad)", 59));
        const double parameters = rankShare(wide.config, 0).parameters;
        QVERIFY(std::abs((forecastMemory(wide) - forecastMemory(half)) / (4 * parameters) - 1) < 1e-9);
        QCOMPARE(*half.memoryBytes, 59e9);
        // Of 16-bit sums stay 2 + 2 bytes, and 12 over the eight data-parallel ranks.
        half.cluster.stack = SoftwareStack{};
        half.cluster.stack->allocatorFactor.value = 1;
        half.cluster.stack->fixedBytes.value = 0;
        MeasuredRun more = half;
        more.cluster.stack->allocatorFactor.value = 2;
        const double state = 2 * forecastMemory(half) - forecastMemory(more);
        QVERIFY(std::abs(state / (parameters * (4 + 12.0 / 8)) - 1) < 1e-9);
    }

    /// The optimizer's step in 16-bit sums makes fp32 gradients of the own share: with one replica they are the peak.
    void theStepIsThePeak() {
        MeasuredRun run = runOf(bloom("70", 8, 48, 1, "fp16", 59));
        QCOMPARE(run.config.parallel.dp, std::int64_t{1});
        run.meter = MemoryMeter::Allocated;
        run.config.train.seqLen = 64;  // next to nothing is kept
        double state = 0, parameters = 0;
        for (std::int64_t stage = 0; stage < 48; ++stage)
            parameters = std::max(parameters, rankShare(run.config, stage).parameters);
        state = parameters * (2 + 2 + 12);
        QVERIFY2(std::abs(forecastMemory(run) / (state + 4 * parameters) - 1) < 1e-9,
                 qPrintable(QString::number(forecastMemory(run) / parameters)));
    }

    /// FSDP2 does not free the root's group: table and head stay gathered, 2 bytes each beside the shards of 16.
    void theRootStays() {
        const auto row = [](int vocab) {
            return runOf("pytorch/torchtitan _202412,Llama-8B,32,4096,14336,32,8," + std::to_string(vocab) +
                         ",,,8192,H100-96GB,8,8,1,1,1,1,1,3,1,8,full,bf16,0,,,1,40,,FSDP");
        };
        MeasuredRun one = row(32000), other = row(48000);  // tables smaller than a layer
        for (MeasuredRun* run : {&one, &other}) run->meter = MemoryMeter::Allocated;
        const double words = 48000 - 32000, tables = 2 * words * 4096;
        // And, at the loss, logits of 16 bytes and the head's gradient before it is reduced.
        const double expected = tables * (16.0 / 8 + 2) + words * 8192 * 16 + words * 4096 * 4;
        const double found = forecastMemory(other) - forecastMemory(one);
        QVERIFY2(std::abs(found / expected - 1) < 1e-9, qPrintable(QString::number(found / expected, 'g', 12)));
    }

    /// Gradients of micro-batches in a pipeline add up unsharded; without one they go at once.
    void weightsStayInPipelines() {
        const std::string row =
            "pytorch/torchtitan _202412,Llama-405B,126,16384,53248,128,8,128256,,,8192,H100-96GB,512,,8,8,1,1,1,3,,256,"
            "full,float8,1,,,41,82.5,,1F1B AsyncTP";
        const MeasuredRun run = runOf(row);
        QVERIFY(!run.config.parallel.reshardAfterForward);
        QCOMPARE(run.config.train.microBatchSize, std::int64_t{4});  // a local batch of 32 in eight micro-batches
        // 16 bytes over 8 ranks, 2 of gathered weights and 4 of sums, and at least what layers keep: 16 of them, 8
        // micro-batches.
        const double parameters = rankShare(run.config, 0).parameters;
        const double least = parameters * (16.0 / 8 + 4 + 2) + 2 * 4 * 8192.0 * 16384 / 8 * 15 * 8;
        QVERIFY(forecastMemory(run) > least && forecastMemory(run) < 1.4 * least);
    }

    /// Heads of 150 elements keep the attention products off the tensor cores: six of them, 2 s^2 h each, at the fp32
    /// rate.
    void misalignedHeads() {
        std::string row = bloom("72", 8, 6, 1, "fp16", 39);
        MeasuredRun aligned = runOf(row), odd = aligned;
        odd.config.model.numHeads = 96;
        odd.config.model.headDim = 150;
        aligned.config.model.numHeads = 96;
        aligned.config.model.headDim = 152;
        const double flops =
            8 * 2.0 * 2048 * 2048 * 150 * 96 / 8 * 12;  // forward twice, backward twice as much; 12 layers of a stage
        const double passes = 256 + 5, least = flops * passes / (19.5e12 * 0.62);
        const double more = forecastStepSeconds(odd) - forecastStepSeconds(aligned);
        QVERIFY2(more > 0.9 * least && more < least, qPrintable(QString::number(more / least)));
        QCOMPARE(
            runOf(
                "bigscience chronicles,GPT-194B,,14400,57600,,,250880,,,2048,A100-80GB-SXM,384,,8,6,1,1,1,1,1,2048,full,fp16,0,,,"
                "184,39,,")
                .config.model.headSize(),
            std::int64_t{150});
    }

    void sizesAndSplits() {
        // Layer counts missing from the table, as its README gives them.
        QCOMPARE(layersOfSize(194e9, 14400, 250880, 6), std::int64_t{78});
        QCOMPARE(layersOfSize(191e9, 14400, 250880, 7), std::int64_t{77});
        QCOMPARE(layersOfSize(205e9, 14400, 250880, 9), std::int64_t{81});
        QCOMPARE(layersOfSize(195e9, 14400, 250880, 11), std::int64_t{77});
        QCOMPARE(runOf(bloom("", 8, 6, 1, "fp16", 39)).config.model.numLayers, std::int64_t{72});
        const std::vector<std::int64_t> uneven = deepSpeedSplit(78, 12);
        QCOMPARE(uneven.size(), std::size_t{12});
        QCOMPARE(uneven.front(), std::int64_t{7});
        QCOMPARE(uneven.back(), std::int64_t{1});
        QVERIFY(deepSpeedSplit(72, 12).empty());
        QVERIFY(deepSpeedSplit(106, 12).empty());  // embedding and head count as a block each: 108 / 12
        QVERIFY(deepSpeedSplit(80, 24).empty());   // the last four stages would be bare
    }
};
SLIPWAY_TEST(TstSoftwareMemory)

}  // namespace slipway

#include "tst_software_memory.moc"
