// What ranks keep in the memory of the host.
#include "core/planner/cost/checkpoint.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {

class TstHostMemory : public QObject {
    Q_OBJECT

    static RunConfig config(const QString& changes) {
        Json json = toJson([] {
            RunConfig c;
            c.model = findModelPreset("llama3-8b")->model;
            c.train.seqLen = 2048;
            c.train.globalBatchSize = 64;
            c.train.precision = Precision::Bf16;
            c.train.device = DeviceKind::Gpu;
            c.checkpoint.everySteps = 10;
            return c;
        }());
        for (const QString& change : changes.split(' ', Qt::SkipEmptyParts))
            if (!setField(json, change.section('=', 0, 0).toStdString(), change.section('=', 1).toStdString()))
                qFatal("%s", qPrintable(change));
        const auto parsed = parseRunConfig(json, "test");
        if (!parsed) qFatal("%s", parsed.error().message.c_str());
        return *parsed;
    }

private slots:
    // The copies of all ranks are a checkpoint: each element once, but for what tensor-parallel ranks have whole.
    void copiesAreACheckpoint_data() {
        QTest::addColumn<QString>("changes");
        for (const char* changes :
             {"", "parallel.dp=8", "parallel.dp=4 parallel.zero_stage=1",
              "parallel.dp=2 parallel.cp=2 parallel.zero_stage=3",
              "parallel.dp=4 parallel.zero_stage=1 parallel.dp_shard=2", "optimizer.kind=muon parallel.dp=2",
              "optimizer.kind=lion", "train.precision=fp64", "train.stochastic_rounding=true"})
            QTest::newRow(*changes == 0 ? "one rank" : changes) << changes;
    }
    void copiesAreACheckpoint() {
        QFETCH(QString, changes);
        const RunConfig c = config(changes);
        const double all = hostMemory(c).stagingBytes * static_cast<double>(c.parallel.worldSize());
        QVERIFY2(std::abs(all - checkpointStateBytes(c)) < 1e-9 * all,
                 qPrintable(QString::number(all / checkpointStateBytes(c))));
    }
    // Of a pipeline the fullest rank's; both directions of DualPipe share the writing.
    void pipelines() {
        const double one = hostMemory(config("")).stagingBytes;
        const double two = hostMemory(config("parallel.pp=2")).stagingBytes;
        QVERIFY(two > one / 2 && two < 0.51 * one);
        QVERIFY(std::abs(hostMemory(config("parallel.pp=2 parallel.schedule=dualpipe")).stagingBytes - one / 2) <
                0.001 * one);
    }
    void nothingIsCopiedWithoutCheckpoints() {
        QCOMPARE(hostMemory(config("checkpoint.every_steps=0")).totalBytes(), 0.0);
    }
    // What leaves the device stands on the host.
    void offloaded() {
        const RunConfig c = config("parallel.pp=2 parallel.dp=2 parallel.zero_stage=1 checkpoint.every_steps=0");
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        RunConfig away = c;
        away.parallel.offload = Offload::All;
        const Plan plan = makePlan(c, cluster);
        const HostMemory host = hostMemory(away);
        const auto index = static_cast<std::size_t>(host.stage);
        QCOMPARE(host.optimizerBytes, plan.memory[index].bytes.optimizerBytes);
        QCOMPARE(host.activationBytes, plan.memory[index].bytes.activationBytes);
        QVERIFY(host.activationBytes > 0 && host.optimizerBytes > 0);
        away.parallel.offload = Offload::Optimizer;
        QCOMPARE(hostMemory(away).activationBytes, 0.0);
        away.parallel.offload = Offload::Activations;
        QCOMPARE(hostMemory(away).optimizerBytes, 0.0);
        QCOMPARE(nodeHostBytes(away, cluster),
                 4 * hostMemory(away).totalBytes());  // four ranks on a node of eight devices
    }
    // Without a wider master copy the weights stand on the host, too: 2 bytes that are rounded at random, or 4 of fp32.
    void weightsWithoutAMaster_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<double>("bytes");
        QTest::newRow("bf16") << "train.precision=bf16" << 12.0;
        QTest::newRow("bf16, rounded") << "train.precision=bf16 train.stochastic_rounding=true" << 10.0;
        QTest::newRow("fp32") << "train.precision=fp32" << 12.0;
        QTest::newRow("fp32, sharded") << "train.precision=fp32 parallel.dp=4 parallel.zero_stage=2" << 3.0;
    }
    void weightsWithoutAMaster() {
        QFETCH(QString, settings);
        QFETCH(double, bytes);
        const RunConfig c =
            config((settings + " checkpoint.every_steps=0 parallel.offload=optimizer").toUtf8().constData());
        QCOMPARE(hostMemory(c).optimizerBytes, bytes * rankShare(c, 0).parameters);
    }
};

SLIPWAY_TEST(TstHostMemory)

}  // namespace slipway

#include "tst_host_memory.moc"
