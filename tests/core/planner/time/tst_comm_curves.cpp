// Collectives by measured curves: between sizes, beyond them, over nodes; what goes before what, and that nothing
// changes without them.
#include "core/planner/explain/explain.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/time/communication.h"
#include "core/planner/time/step.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

CommCurve curve(Collective operation, std::int64_t ranks, std::int64_t perNode, double latency, double bandwidth) {
    return {operation, ranks, perNode, latency, bandwidth, "test", "2026-11"};
}

/// All-reduce inside a node at 2 and 8 ranks, over nodes of 8 at 16 and 256; over nodes of 2 at 4; messages between
/// nodes.
std::vector<CommCurve> curves() {
    using C = Collective;
    return {curve(C::AllReduce, 256, 8, 4e-4, 100e9), curve(C::AllReduce, 2, 2, 1e-5, 400e9),
            curve(C::AllReduce, 8, 8, 3e-5, 200e9),   curve(C::AllReduce, 16, 8, 1e-4, 160e9),
            curve(C::AllReduce, 4, 2, 5e-5, 50e9),    curve(C::Send, 2, 1, 2e-5, 40e9),
            curve(C::AllToAll, 16, 8, 1e-4, 30e9)};
}

RunConfig config() {
    RunConfig c;
    c.model = findModelPreset("llama3-8b")->model;
    c.train.seqLen = 4096;
    c.train.globalBatchSize = 64;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.parallel.tp = 4;
    c.parallel.dp = 8;
    c.parallel.zeroStage = 1;
    c.parallel.sequenceParallel = true;
    return c;
}

ClusterSpec cluster() {
    ClusterSpec k = *findDevicePreset("NVIDIA H100 SXM 80 GB");
    k.numNodes = 4;
    return k;
}

/// Curves that say what the links say, for every operation and group of this cluster.
std::vector<CommCurve> restated(const ClusterSpec& k) {
    std::vector<CommCurve> all;
    for (const auto& name : enumNames(Collective{}))
        for (const std::int64_t ranks : {2, 4, 8, 16, 32}) {
            if (ranks <= k.devicesPerNode)
                all.push_back(curve(name.value, ranks, ranks,
                                    ringHops(name.value, static_cast<double>(ranks)) * k.intraNode.latencySeconds,
                                    k.intraNode.bytesPerSecond));
            for (std::int64_t perNode = 1; perNode < ranks && perNode <= k.devicesPerNode; perNode *= 2)
                all.push_back(curve(
                    name.value, ranks, perNode,
                    ringHops(name.value, static_cast<double>(ranks)) * k.interNode.latencySeconds,
                    std::min(k.intraNode.bytesPerSecond, k.interNode.bytesPerSecond * static_cast<double>(perNode))));
        }
    return all;
}

/// The message of the plan's finding with this code; empty where there is none.
std::string finding(const Plan& plan, const char* code) {
    for (const Issue& issue : plan.issues)
        if (issue.code == code) return issue.message;
    return {};
}

bool near(double a, double b) {
    return std::fabs(a - b) <= 1e-12 * std::fabs(b);
}

}  // namespace

class TstCommCurves : public QObject {
    Q_OBJECT

private slots:
    void sizes_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("ranks");
        QTest::addColumn<double>("nodes");
        QTest::addColumn<double>("latency");
        QTest::addColumn<double>("bandwidth");
        const auto row = [](const char* name, Collective kind, double ranks, double nodes, double latency,
                            double bandwidth) {
            QTest::newRow(name) << static_cast<int>(kind) << ranks << nodes << latency << bandwidth;
        };
        using C = Collective;
        row("measured", C::AllReduce, 8, 1, 3e-5, 200e9);
        // Half way in the logarithm: the mean of the latencies, and of the seconds per byte.
        row("between", C::AllReduce, 4, 1, 2e-5, 2 / (1 / 400e9 + 1 / 200e9));
        row("beyond, in a node", C::AllReduce, 15, 1, 3e-5 * 14 / 7, 200e9);
        row("measured over nodes", C::AllReduce, 16, 2, 1e-4, 160e9);
        row("between, over nodes", C::AllReduce, 64, 8, 2.5e-4, 2 / (1 / 160e9 + 1 / 100e9));
        row("beyond, over nodes", C::AllReduce, 512, 64, 4e-4 * 511 / 255, 100e9);
        row("own ranks per node", C::AllReduce, 4, 2, 5e-5, 50e9);
        row("half of those ranks per node", C::AllReduce, 2, 2, 5e-5, 25e9);
        // As many nodes as 64 ranks of 8 a node have, and half of their cards.
        row("half of a node's cards", C::AllReduce, 32, 8, 2.5e-4, 0.5 * 2 / (1 / 160e9 + 1 / 100e9));
        row("each its own card", C::AllToAll, 2, 2, 1e-4, 30e9);
        row("a ring's messages", C::Send, 8, 4, 2e-5, 40e9);
    }
    void sizes() {
        QFETCH(int, kind);
        QFETCH(double, ranks);
        QFETCH(double, nodes);
        QFETCH(double, latency);
        QFETCH(double, bandwidth);
        const auto all = curves();
        const auto use = curveFor(all, static_cast<Collective>(kind), ranks, nodes);
        QVERIFY(use.has_value());
        QVERIFY2(near(use->latencySeconds, latency), qPrintable(QString::number(use->latencySeconds)));
        QVERIFY2(near(use->bytesPerSecond, bandwidth), qPrintable(QString::number(use->bytesPerSecond)));
        // And so the time: latency once, then what a ring sends.
        GroupLink link = cluster().interNode;
        link.curves = all;
        link.nodes = nodes;
        Traffic traffic;
        traffic.add(static_cast<Collective>(kind), ranks, 1e8, 3);
        QVERIFY(near(traffic.seconds(link),
                     3 * (latency + ringBytes(static_cast<Collective>(kind), ranks, 1e8) / bandwidth)));
    }

    // What the advice asks curves for is all that a step's time is made of: with a curve for each, links that stand
    // still cost nothing.
    void everyOperationHasItsGroup_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("changes");
        QTest::newRow("dense") << "llama3-8b"
                               << "";
        QTest::newRow("all axes") << "llama3-8b"
                                  << "parallel.tp=2 parallel.pp=2 parallel.cp=2 parallel.dp=4 parallel.zero_stage=3";
        QTest::newRow("HSDP")
            << "llama3-8b"
            << "parallel.tp=1 parallel.sequence_parallel=false parallel.dp=32 parallel.dp_shard=8 parallel.zero_stage=2";
        QTest::newRow("experts") << "mixtral-8x7b"
                                 << "parallel.tp=2 parallel.dp=16 parallel.ep=4";
        QTest::newRow("tied") << "llama3.2-1b"
                              << "parallel.tp=2 parallel.pp=2 parallel.dp=8 parallel.zero_stage=0";
        QTest::newRow("latent attention") << "deepseek-v2-lite"
                                          << "parallel.tp=2 parallel.dp=8 parallel.cp=2 parallel.ep=4";
    }
    void everyOperationHasItsGroup() {
        QFETCH(QString, model);
        QFETCH(QString, changes);
        RunConfig c = config();
        c.model = findModelPreset(model.toStdString())->model;
        Json json = toJson(c);
        for (const QString& change : changes.split(' ', Qt::SkipEmptyParts))
            QVERIFY(setField(json, change.section('=', 0, 0).toStdString(), change.section('=', 1).toStdString())
                        .has_value());
        const auto changed = parseRunConfig(json, "test");
        QVERIFY2(changed.has_value(), changed ? "" : changed.error().message.c_str());
        ClusterSpec k = cluster();
        const Plan byLinks = makePlan(*changed, k);
        const auto operations =
            groupOperations(*changed, k, rankShare(*changed, byLinks.memory[byLinks.worstStage].stage));
        for (const GroupOperation& one : operations) {
            const auto ranks = static_cast<std::int64_t>(one.ranks);
            const std::int64_t perNode =
                one.link.nodes > 1 ? std::max<std::int64_t>(1, std::llround(one.ranks / one.link.nodes)) : ranks;
            k.commCurves.push_back(curve(one.kind, ranks, perNode, 1e-5, 100e9));
        }
        k.intraNode = k.interNode = LinkSpec{1, 1e6};  // a byte and a message in a million seconds
        const Plan plan = makePlan(*changed, k);
        QVERIFY(finding(plan, "curves_missing").empty());
        QVERIFY2(plan.step.stepSeconds < 100 * byLinks.step.stepSeconds,
                 qPrintable(QString::number(plan.step.stepSeconds)));
        // Each that is listed is one of them: without its curve the time is the link's.
        for (const GroupOperation& one : operations) {
            ClusterSpec without = k;
            std::erase_if(without.commCurves, [&](const CommCurve& used) { return used.operation == one.kind; });
            const Plan slow = makePlan(*changed, without);
            QVERIFY2(slow.step.stepSeconds > 1e3 * plan.step.stepSeconds, std::string(wordOf(one.kind)).c_str());
            QVERIFY(!finding(slow, "curves_missing").empty() || without.commCurves.empty());
        }
    }

    void noCurve() {
        const auto all = curves();
        QVERIFY(!curveFor(all, Collective::AllGather, 8, 1));
        QVERIFY(!curveFor(all, Collective::Send, 2, 1));        // measured between nodes alone
        QVERIFY(!curveFor(all, Collective::AllReduce, 64, 4));  // 16 ranks a node, curves have 8
        QVERIFY(!curveFor(all, Collective::AllReduce, 1, 1));
        QVERIFY(!curveFor({}, Collective::AllReduce, 8, 1));
        GroupLink link = cluster().intraNode;
        link.curves = all;
        const LinkSpec own = link.of(Collective::AllGather, 8);
        QVERIFY(own.bytesPerSecond == link.bytesPerSecond && own.latencySeconds == link.latencySeconds);
        QVERIFY(textOf(*curveSentence(link, Collective::AllGather, 8)).find("by the link") != std::string::npos);
    }

    // Curves that grow with the ranks give times that do, and between two sizes neither is left.
    void growsWithTheRanks() {
        const auto all = curves();
        for (const bool oneNode : {true, false}) {
            double before = 0;
            for (double ranks = oneNode ? 2 : 16; ranks <= 1024; ranks += oneNode ? 1 : 8) {
                GroupLink link = cluster().interNode;
                link.curves = all;
                link.nodes = oneNode ? 1 : ranks / 8;
                const double seconds =
                    collectiveSeconds(Collective::AllReduce, ranks, 5e7, link.of(Collective::AllReduce, ranks));
                QVERIFY2(seconds >= before, qPrintable(QString::number(ranks)));
                before = seconds;
                const auto use = curveFor(all, Collective::AllReduce, ranks, link.nodes);
                if (use->low == nullptr || use->high == nullptr) continue;
                QVERIFY(use->latencySeconds >= use->low->latencySeconds &&
                        use->latencySeconds <= use->high->latencySeconds);
                QVERIFY(use->bytesPerSecond <= use->low->bytesPerSecond &&
                        use->bytesPerSecond >= use->high->bytesPerSecond);
            }
        }
    }

    // The groups of a layout, and the nodes they span.
    void groupsKnowTheirNodes() {
        ClusterSpec k = cluster();
        k.commCurves = curves();
        RunConfig c = config();
        QCOMPARE(groupLink(c, k, {Axis::Tp}).nodes, 1.0);
        QCOMPARE(groupLink(c, k, {Axis::Dp}).nodes, 4.0);  // 8 ranks, two of them in each node
        QCOMPARE(worldLink(c, k).nodes, 4.0);
        const double gathered = groupLink(c, k, {Axis::Dp}).of(Collective::AllReduce, 8).bytesPerSecond;
        QCOMPARE(gathered, 50e9);  // the curve of two ranks a node
        c.parallel.tp = 1;
        c.parallel.dp = 8;
        QCOMPARE(worldLink(c, k).nodes, 1.0);
        QCOMPARE(groupLink(c, k, {Axis::Dp}).of(Collective::AllReduce, 8).bytesPerSecond, 200e9);
        k.numNodes = 1;
        c.parallel.dp = 32;
        QCOMPARE(groupLink(c, k, {Axis::Dp}).nodes, 1.0);
    }

    // What says the same as the links forecasts the same; of another table the forecast is another.
    void curvesOrLinks_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QList<qint64>>("degrees");  // dp, tp, pp, cp, ep, zero
        QTest::newRow("tp and dp") << "llama3-8b" << QList<qint64>{8, 4, 1, 1, 1, 1};
        QTest::newRow("tp over nodes") << "llama2-7b" << QList<qint64>{2, 16, 1, 1, 1, 1};
        QTest::newRow("zero 3") << "llama3-8b" << QList<qint64>{32, 1, 1, 1, 1, 3};
        QTest::newRow("pipeline") << "llama3.2-1b" << QList<qint64>{2, 4, 4, 1, 1, 1};
        QTest::newRow("context") << "llama3-8b" << QList<qint64>{4, 2, 1, 4, 1, 1};
        QTest::newRow("experts") << "mixtral-8x7b" << QList<qint64>{8, 1, 1, 1, 4, 1};
    }
    void curvesOrLinks() {
        QFETCH(QString, model);
        QFETCH(QList<qint64>, degrees);
        RunConfig c = config();
        c.model = findModelPreset(model.toStdString())->model;
        ParallelLayout& p = c.parallel;
        p.dp = degrees[0], p.tp = degrees[1], p.pp = degrees[2], p.cp = degrees[3], p.ep = degrees[4],
        p.zeroStage = degrees[5];
        p.sequenceParallel = p.tp > 1;
        p.overlapGradReduce = false;
        ClusterSpec k = cluster();
        const Plan plain = makePlan(c, k);
        QVERIFY(!hasErrors(plain.issues) || !plain.memory.empty());
        k.commCurves = restated(k);
        // The link of all ranks counts one card a node; those few bytes may differ.
        const Plan same = makePlan(c, k);
        QCOMPARE(finding(same, "curves_missing"), std::string());
        QVERIFY2(std::fabs(same.step.stepSeconds - plain.step.stepSeconds) <= 1e-6 * plain.step.stepSeconds,
                 qPrintable(QString::number(same.step.stepSeconds / plain.step.stepSeconds - 1)));
        for (CommCurve& slower : k.commCurves) slower.bytesPerSecond /= 3;
        const Plan slow = makePlan(c, k);
        QVERIFY(slow.step.stepSeconds > plain.step.stepSeconds * 1.001);
        QVERIFY(slow.step.commSeconds > 1.5 * plain.step.commSeconds && slow.step.commBytes == plain.step.commBytes);
    }

    // What was measured goes before the shares of line rates that a stack reaches.
    void curvesGoBeforeTheStack() {
        RunConfig c = config();
        c.parallel.sequenceParallel = false;  // all-reduces, of which there are curves
        ClusterSpec k = cluster();
        k.stack = SoftwareStack{};
        const Plan plain = makePlan(c, k);
        k.stack->intraShare.value = k.stack->interShare.value = 0.1;
        QVERIFY(makePlan(c, k).step.tpExposedSeconds > 1.5 * plain.step.tpExposedSeconds);
        k.commCurves = curves();
        const Plan with = makePlan(c, k);
        k.stack->intraShare.value = k.stack->interShare.value = 0.9;
        QCOMPARE(makePlan(c, k).step.tpExposedSeconds, with.step.tpExposedSeconds);
    }

    // What no curve was measured for is named once, with its group.
    void missing() {
        RunConfig c = config();
        c.model = findModelPreset("mixtral-8x7b")->model;
        c.parallel.pp = 2;
        c.parallel.cp = 2;
        c.parallel.tp = 2;
        c.parallel.dp = 4;
        c.parallel.ep = 4;
        ClusterSpec k = cluster();
        QCOMPARE(finding(makePlan(c, k), "curves_missing"), std::string());
        k.commCurves = {curve(Collective::AllGather, 2, 2, 1e-5, 300e9)};
        const QString said = QString::fromStdString(finding(makePlan(c, k), "curves_missing"));
        for (const char* operation : {"reduce_scatter of 2 ranks in a node", "all_to_all of 4 ranks",
                                      "send of 2 ranks over 2 nodes", "reduce_scatter of 8 ranks over 2 nodes",
                                      "all_gather of 8 ranks over 2 nodes", "all_reduce of 32 ranks over 4 nodes"})
            QVERIFY2(said.count(operation) == 1, qPrintable(said));
        QVERIFY2(!said.contains("all_gather of 2 ranks in a node"), qPrintable(said));
    }

    void explained() {
        RunConfig c = config();
        ClusterSpec k = cluster();
        for (const char* figure : {"step.tp_exposed_seconds", "step.dp_exposed_seconds"})
            QVERIFY(textOf(explain(makePlan(c, k), figure)->source).find("curve") == std::string::npos);
        k.commCurves = {curve(Collective::AllGather, 4, 4, 1e-5, 123e9),
                        curve(Collective::ReduceScatter, 16, 8, 1e-4, 80e9),
                        curve(Collective::ReduceScatter, 64, 8, 1e-4, 80e9)};
        const auto tp = explain(makePlan(c, k), "step.tp_exposed_seconds"),
                   dp = explain(makePlan(c, k), "step.dp_exposed_seconds");
        const auto says = [](const auto& e, const char* text) {
            return textOf(e->source).find(text) != std::string::npos;
        };
        QVERIFY2(says(tp, "all_gather by the curve of 4 ranks in one node (test, 2026-11)") &&
                     says(tp, "reduce_scatter by the link, no curve is of such a group"),
                 textOf(tp->source).c_str());
        QCOMPARE(tp->inputs.back().name, std::string("tp_bytes_per_second"));
        QCOMPARE(tp->inputs.back().value, 123e9);
        QVERIFY2(
            says(
                dp,
                "reduce_scatter between the curves of 16 ranks, 8 a node and of 64 ranks, 8 a node (test, 2026-11), with its part of a node's cards"),
            textOf(dp->source).c_str());
        QCOMPARE(dp->inputs.back().value, 20e9);  // two ranks of a node's eight
        c.parallel.tp = 8;
        c.parallel.dp = 4;
        QVERIFY(says(explain(makePlan(c, k), "step.tp_exposed_seconds"),
                     "4 ranks in one node (test, 2026-11), the nearest size, at its latency per hop"));
    }
};

SLIPWAY_TEST(TstCommCurves)

}  // namespace slipway

#include "tst_comm_curves.moc"
