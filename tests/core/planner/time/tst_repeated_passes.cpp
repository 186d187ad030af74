// What CUDA graphs of the inner micro-batches save and take.
#include "core/planner/advice/advice.h"
#include "core/planner/memory/activations.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/time/compute.h"
#include "core/planner/time/repeated_passes.h"
#include "tests/support/changed_config.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstRepeatedPasses : public QObject {
    Q_OBJECT

    static RunConfig config(const QString& changes) {
        RunConfig c;
        c.model = findModelPreset("llama3.2-1b")->model;
        c.train.seqLen = 256;
        c.train.globalBatchSize = 16;
        c.train.microBatchSize = 1;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.train.cudaGraphs = true;
        return test::changedOrDie(c, changes);
    }
    static ClusterSpec cluster() { return *findDevicePreset("NVIDIA H100 SXM 80 GB"); }
    static RunConfig without(RunConfig c) {
        c.train.cudaGraphs = false;
        return c;
    }

private slots:
    // As the trainer has it: a rank that holds the whole model, and micro-batches between the first and the last.
    void whatIsRepeated_data() {
        QTest::addColumn<QString>("changes");
        QTest::addColumn<double>("repeated");
        QTest::newRow("16 micro-batches") << "" << 14.0;
        QTest::newRow("replicas") << "parallel.dp=4" << 2.0;
        QTest::newRow("zero 1") << "parallel.dp=4 parallel.zero_stage=1" << 2.0;
        QTest::newRow("first and last alone") << "parallel.dp=8" << 0.0;
        QTest::newRow("off") << "train.cuda_graphs=false" << 0.0;
        QTest::newRow("pipeline") << "parallel.pp=2" << 0.0;
        QTest::newRow("tensor parallel") << "parallel.tp=2" << 0.0;
        QTest::newRow("context parallel") << "parallel.cp=2" << 0.0;
        QTest::newRow("zero 2") << "parallel.dp=4 parallel.zero_stage=2" << 0.0;
        QTest::newRow("offload") << "parallel.offload=optimizer" << 0.0;
    }
    void whatIsRepeated() {
        QFETCH(QString, changes);
        QFETCH(double, repeated);
        const RunConfig c = config(changes);
        QCOMPARE(repeatedMicroBatches(c), repeated);
        const Plan with = makePlan(c, cluster()), plain = makePlan(without(c), cluster());
        QVERIFY(!with.memory.empty());
        QCOMPARE(with.step.stepSeconds<plain.step.stepSeconds, repeated> 0);
        QCOMPARE(with.memoryPeakBytes > plain.memoryPeakBytes, repeated > 0);
        if (repeated <= 0) QCOMPARE(with.step.stepSeconds, plain.step.stepSeconds);
    }
    // Kernels that all end before their next launch: of a layer 12 products, attention twice, 20 passes over elements;
    // of the ends 11 kernels.
    // Each takes 0.5 us in place of 5, and one launch is left.
    void savedByHand() {
        const RunConfig c = config(
            "train.seq_len=16 model.hidden_size=64 model.num_heads=4 model.num_kv_heads=4 model.head_dim=16 "
            "model.ffn_hidden_size=64 model.vocab_size=128 model.num_layers=3");
        QVERIFY(std::fabs(graphSavedSeconds<double>(c, rankSpeed(c, cluster())) - ((3 * 34 + 11) * 4.5e-6 - 5e-6)) <
                1e-9);
        // On a CPU an operation costs its host as long as it takes; nothing is hidden, so nothing is saved.
        QCOMPARE(graphSavedSeconds<double>(c, rankSpeed(c, ClusterSpec{})), 0.0);
    }
    void theStepIsShorterByThat() {
        const RunConfig c = config("parallel.dp=2");
        const double saved = 6 * graphSavedSeconds<double>(c, rankSpeed(c, cluster()));
        QVERIFY(saved > 0);
        const Plan with = makePlan(c, cluster()), plain = makePlan(without(c), cluster());
        QVERIFY(std::fabs(plain.step.computeSeconds - with.step.computeSeconds - saved) < 1e-12);
        QVERIFY(std::fabs(plain.step.stepSeconds - with.step.stepSeconds - saved) < 1e-12);
        QVERIFY(with.step.tokensPerSecond > plain.step.tokensPerSecond && *with.step.mfu > *plain.step.mfu);
        // The drawing: the first and the last as before, all of them one after the other.
        const auto length = [](const Plan& plan, std::int64_t microBatch) {
            double seconds = 0;
            for (const TimeSpan& span : plan.step.timeline)
                if (span.microBatch == microBatch) seconds += span.endSeconds - span.startSeconds;
            return seconds;
        };
        QVERIFY(std::fabs(length(with, 0) - length(plain, 0)) < 1e-12);
        QVERIFY(std::fabs(length(with, 7) - length(plain, 7)) < 1e-12);
        for (std::int64_t i = 1; i < 7; ++i) QVERIFY(std::fabs(length(plain, i) - length(with, i) - saved / 6) < 1e-12);
        for (std::size_t i = 1; i < with.step.timeline.size(); ++i)
            QCOMPARE(with.step.timeline[i].startSeconds, with.step.timeline[i - 1].endSeconds);
    }
    // The pool: activations, logits and workspace of one micro-batch once more, and its tokens.
    void thePoolIsAMicroBatch() {
        const RunConfig c = config("parallel.dp=2");
        const MemoryBreakdown with = makePlan(c, cluster()).memory.front().bytes,
                              plain = makePlan(without(c), cluster()).memory.front().bytes;
        const double pool = with.bufferBytes - plain.bufferBytes, inputs = 16.0 * 256;
        QCOMPARE(graphPoolBytes(c, cluster()), pool);
        // The rest of the buffers is the rotary table and the inputs of 8 micro-batches.
        const double passes =
            plain.activationBytes + plain.logitsBytes + plain.bufferBytes - rotaryTableBytes(c) - 8 * inputs;
        QVERIFY2(std::fabs(pool - passes - inputs) < 1, qPrintable(QString("%1 %2").arg(pool).arg(passes)));
        QCOMPARE(graphPoolBytes(without(c), cluster()), 0.0);
        // It stands at the optimizer's moment, too, where ZeRO's copy of weights takes the place of the passes.
        QCOMPARE(graphPoolBytes(config("parallel.dp=2 parallel.zero_stage=1"), cluster()), pool);
        QCOMPARE(with.weightBytes + with.optimizerBytes + with.gradientBytes,
                 plain.weightBytes + plain.optimizerBytes + plain.gradientBytes);
    }
    // Advice: where they would help, where they only take memory, and nowhere else.
    void advice_data() {
        QTest::addColumn<QString>("changes");
        QTest::addColumn<QString>("code");
        QTest::newRow("short kernels, off") << "train.cuda_graphs=false"
                                            << "graphs_help";
        QTest::newRow("short kernels, on") << ""
                                           << "";
        QTest::newRow("long kernels, off") << "train.cuda_graphs=false train.seq_len=8192 train.micro_batch_size=2"
                                           << "";
        QTest::newRow("long kernels, on") << "train.seq_len=8192 train.micro_batch_size=2"
                                          << "graphs_idle";
        QTest::newRow("not captured") << "train.cuda_graphs=false parallel.tp=2"
                                      << "";
    }
    void advice() {
        QFETCH(QString, changes);
        QFETCH(QString, code);
        QString codes;
        for (const Issue& issue : makePlan(config(changes), cluster()).issues)
            if (issue.code.starts_with("graphs_")) codes += QString::fromStdString(issue.code);
        QCOMPARE(codes, code);
    }
};

SLIPWAY_TEST(TstRepeatedPasses)

}  // namespace slipway

#include "tst_repeated_passes.moc"
