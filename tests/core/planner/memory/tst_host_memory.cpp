// What ranks keep in the memory of the host.
#include "core/base/units.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/explain_layout.h"
#include "tests/support/changed_config.h"
#include "tests/support/slipway_test.h"

#include <cmath>

namespace slipway {

class TstHostMemory : public QObject {
    Q_OBJECT

    static RunConfig config(const QString& changes) {
        RunConfig c;
        c.model = findModelPreset("llama3-8b")->model;
        c.train.seqLen = 2048;
        c.train.globalBatchSize = 64;
        c.train.precision = Precision::Bf16;
        c.train.device = DeviceKind::Gpu;
        c.checkpoint.everySteps = 10;
        return test::changedOrDie(c, changes);
    }

private slots:
    // The copies of all ranks are a checkpoint: each element once, but for what tensor-parallel ranks have whole.
    void copiesAreACheckpoint_data() {
        QTest::addColumn<QString>("changes");
        for (const char* changes :
             {"", "parallel.dp=8", "parallel.dp=4 parallel.zero_stage=1",
              "parallel.dp=2 parallel.cp=2 parallel.zero_stage=3",
              "parallel.dp=4 parallel.zero_stage=1 parallel.dp_shard=2", "optimizer.kind=muon parallel.dp=2",
              "model.moe.num_experts=8 model.moe.expert_ffn_hidden_size=1024 parallel.dp=4 parallel.ep=2 "
              "parallel.zero_stage=1",
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
        QCOMPARE(nodeHostMemory(away, cluster, 1).hostBytes(),
                 4 * hostMemory(away).totalBytes());  // four ranks on a node of eight devices
    }
    // What a node has: what the cluster says, or a CPU's own, which also holds the tensors of its ranks.
    void nodes() {
        RunConfig c = config("parallel.dp=4");
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        NodeHostMemory node = nodeHostMemory(c, cluster, 5e9);
        QCOMPARE(node.capacityBytes, 2048 * kGiB);
        QVERIFY(node.fits());
        QCOMPARE(node.tensorBytes, 0.0);
        cluster.devicesPerNode = 2;
        cluster.numNodes = 2;
        QCOMPARE(nodeHostMemory(c, cluster, 5e9).hostBytes(), node.hostBytes() / 2);

        // Full is what does not fit.
        node.capacityBytes = node.neededBytes();
        QVERIFY(node.fits());
        node.capacityBytes *= 0.999;
        QVERIFY(!node.fits());
        node.capacityBytes = kUnknown;
        QVERIFY(node.fits());
        cluster.device.name = "A device of somebody's";
        QVERIFY(std::isnan(nodeHostMemory(c, cluster, 5e9).capacityBytes));

        cluster = ClusterSpec{};
        cluster.device.memoryBytes = 1e12;
        cluster.numNodes = 3;
        c.train.device = DeviceKind::Cpu;
        node = nodeHostMemory(c, cluster, 5e9);
        QCOMPARE(node.ranks, 2.0);  // 4 ranks on 3 nodes
        QCOMPARE(node.capacityBytes, 1e12);
        QCOMPARE(node.neededBytes(), 2 * 5e9 + 2 * hostMemory(c).stagingBytes);
        cluster.device.memoryBytes = 0;
        QVERIFY(std::isnan(nodeHostMemory(c, cluster, 5e9).capacityBytes));
    }
    // The advice: an error where a node is too small, a warning where it is nearly full, with the figures.
    void advice_data() {
        QTest::addColumn<QString>("changes");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("field");
        // A DGX-1 has 512 GiB; of 4 ranks master weights and moments take 359, the checkpoint copies 90, activations
        // the rest.
        const QString dgx1 = "NVIDIA V100 SXM2 32 GB", h100 = "NVIDIA H100 SXM 80 GB";
        QTest::newRow("offload, too much") << "parallel.dp=4 parallel.offload=all" << dgx1 << "host_does_not_fit"
                                           << "parallel.offload";
        QTest::newRow("offload, tight") << "parallel.dp=4 parallel.offload=all train.seq_len=1024" << dgx1
                                        << "host_tight_fit"
                                        << "parallel.offload";
        QTest::newRow("offload, fits") << "parallel.dp=4 parallel.offload=all train.seq_len=256" << dgx1 << ""
                                       << "";
        QTest::newRow("larger node") << "parallel.dp=4 parallel.offload=all" << h100 << ""
                                     << "";
        QTest::newRow("unknown node") << "parallel.dp=4 parallel.offload=all"
                                      << "NVIDIA H100 PCIe 80 GB"
                                      << ""
                                      << "";
        QTest::newRow("copy, too much") << "parallel.tp=8 model.num_layers=256" << dgx1 << "host_does_not_fit"
                                        << "checkpoint.every_steps";
        QTest::newRow("copy, fits") << "parallel.dp=4" << dgx1 << ""
                                    << "";
        QTest::newRow("no copy") << "parallel.tp=8 model.num_layers=256 checkpoint.every_steps=0" << dgx1 << ""
                                 << "";
    }
    void advice() {
        QFETCH(QString, changes);
        QFETCH(QString, device);
        QFETCH(QString, code);
        QFETCH(QString, field);
        const RunConfig c = config(changes);
        ClusterSpec cluster = *findDevicePreset("NVIDIA H100 SXM 80 GB");
        cluster.device.name = device.toStdString();
        const NodeHostMemory node = nodeHostMemory(c, cluster, 0);
        QString codes, fields, message;
        for (const Issue& issue : makePlan(c, cluster).issues)
            if (issue.code.starts_with("host_")) {
                codes += QString::fromStdString(issue.code);
                fields += QString::fromStdString(issue.field);
                message = QString::fromStdString(issue.message);
                QCOMPARE(issue.severity, code == "host_tight_fit" ? Severity::Warning : Severity::Error);
            }
        QCOMPARE(codes, code);
        QCOMPARE(fields, field);
        if (code.isEmpty()) return;
        const auto text = [](double bytes) { return QString::fromStdString(asciiText(formatBytes(bytes))); };
        QVERIFY2(message.contains("holds " + text(node.neededBytes())) &&
                     message.contains("has " + text(node.capacityBytes)),
                 qPrintable(message));
        QVERIFY2(message.contains("checkpoint copy " + text(node.ofRank.stagingBytes)), qPrintable(message));
        QVERIFY2(message.contains(QString::number(c.parallel.worldSize()) + " ranks"), qPrintable(message));
        QCOMPARE(message.contains("optimizer " + text(node.ofRank.optimizerBytes)), changes.contains("offload"));
        QCOMPARE(message.contains("offload less"), changes.contains("offload") && code == "host_does_not_fit");
        if (code == "host_does_not_fit")
            QVERIFY2(message.contains(text(node.neededBytes() - node.capacityBytes) + " too much"),
                     qPrintable(message));
    }
    // Other systems with the same device are named where they decide: those that hold it, and those that do not.
    void otherSystems() {
        ClusterSpec cluster = *findDevicePreset("NVIDIA A100 SXM 80 GB");
        const auto advice = [&](const QString& changes) {
            for (const Issue& issue : makePlan(config(changes), cluster).issues)
                if (issue.code.starts_with("host_")) return QString::fromStdString(issue.code + " " + issue.message);
            return QString();
        };
        // 1.2 TiB of a DGX A100's 2: too much for the smaller ones.
        const QString large = "parallel.tp=8 parallel.offload=optimizer model.num_layers=256";
        const QString some = advice(large);
        QVERIFY2(some.startsWith("host_tight_fit") && some.contains("AWS p4de.24xlarge (1152.0 GiB)"),
                 qPrintable(some));
        QVERIFY2(!some.contains("Azure"), qPrintable(some));
        QCOMPARE(advice("parallel.dp=4 parallel.offload=optimizer"), QString());
        // Nothing of one system is said of another device's.
        cluster.device.name = "NVIDIA H200 SXM 141 GB";
        const QString huge = advice("parallel.tp=8 parallel.offload=optimizer model.num_layers=448");
        QVERIFY2(huge.startsWith("host_does_not_fit") && huge.contains("GCP a3-ultragpu-8g") && !huge.contains("AWS"),
                 qPrintable(huge));
    }
    // Why a layout is not better: the nodes are too small for it, and what would fit them.
    void explained() {
        const RunConfig c = config("parallel.dp=4 parallel.offload=all");
        LayoutRequest request{c, *findDevicePreset("NVIDIA H100 SXM 80 GB")};
        QVERIFY(explainLayout(request, c, {}).fits);
        request.nodeBytes = 512 * kGiB;
        const LayoutExplanation why = explainLayout(request, c, {});
        QVERIFY(why.legal && !why.fits && why.memoryPeakBytes < why.memoryCapacityBytes);
        const double needed = nodeHostMemory(c, request.cluster, why.memoryPeakBytes).neededBytes();
        QCOMPARE(why.node.neededBytes(), needed);
        const QString verdict = QString::fromStdString(textOf(why.verdict));
        for (const double bytes : {needed, needed - 512 * kGiB, 512 * kGiB})
            QVERIFY2(verdict.contains(QString::fromStdString(asciiText(formatBytes(bytes)))), qPrintable(verdict));
        QCOMPARE(why.reasons.size(), std::size_t{3});  // copy, states, activations
        QVERIFY(!why.changes.empty());
        for (const LayoutChange& change : why.changes) QVERIFY(change.fits);
        bool nodeDecides = false;
        for (const LayoutChange& change : layoutChanges(request, c)) {
            const double bytes = nodeHostMemory(change.config, request.cluster, change.memoryPeakBytes).neededBytes();
            const bool devices = change.memoryPeakBytes <= why.memoryCapacityBytes;
            QCOMPARE(change.fits, devices && bytes <= 512 * kGiB);
            nodeDecides = nodeDecides || (devices && !change.fits);
        }
        QVERIFY(nodeDecides);
    }
    // On a CPU the copies stand beside the tensors; where those alone are too many, does_not_fit says so, and nothing
    // else does.
    void adviceOnACpu() {
        RunConfig c = config("parallel.dp=4 train.device=cpu train.precision=fp32 train.micro_batch_size=1");
        ClusterSpec cluster;
        cluster.device.peakFp32Flops = 1e12;
        cluster.device.memoryBytes = 1e15;
        const auto codes = [&] {
            QString all;
            for (const Issue& issue : makePlan(c, cluster).issues)
                if (issue.code.starts_with("host_") || issue.code == "does_not_fit")
                    all += QString::fromStdString(issue.code) + ' ';
            return all;
        };
        QCOMPARE(codes(), QString());
        const double tensors = 4 * makePlan(c, cluster).memoryPeakBytes, copies = 4 * hostMemory(c).totalBytes();
        cluster.device.memoryBytes = tensors + 0.9 * copies;
        QCOMPARE(codes(), QString("host_does_not_fit "));
        cluster.device.memoryBytes = 0.99 * tensors;
        QCOMPARE(codes(), QString("does_not_fit "));
        c.checkpoint.everySteps = 0;  // nothing is copied
        cluster.device.memoryBytes = 1.01 * tensors;
        QCOMPARE(codes(), QString());
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
