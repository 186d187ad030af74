#include "core/launch/launch_plan.h"
#include "core/launch/remote_start.h"
#include "core/launch/run_mirror.h"
#include "tests/support/slipway_test.h"

#include <algorithm>

using namespace slipway;

namespace {

NodeRecord nodeOf(const std::string& name, std::int64_t numSlots = 0) {
    NodeRecord node;
    node.name = node.host = name;
    node.numSlots = numSlots;
    return node;
}

/// "a:2 b:2", or the code of the error.
std::string sharesOf(std::int64_t dp, std::int64_t tp, const std::vector<NodeRecord>& nodes) {
    RunConfig config;
    config.parallel.dp = dp;
    config.parallel.tp = tp;
    const auto shares = shareRanks(config, nodes);
    if (!shares) return shares.error().code;
    std::string text;
    for (const auto& [name, number] : *shares) text += (text.empty() ? "" : " ") + name + ":" + std::to_string(number);
    return text;
}

NodeFacts factsOf(const std::string& bootId, const std::vector<NodeFacts::Interface>& interfaces) {
    NodeFacts facts;
    facts.bootId = bootId;
    facts.interfaces = interfaces;
    return facts;
}

}  // namespace

class TstRemoteStart : public QObject {
    Q_OBJECT

private slots:
    void sharesRanksByNode() {
        QCOMPARE(sharesOf(4, 1, {}), std::string());
        QCOMPARE(sharesOf(4, 1, {nodeOf("a"), nodeOf("b")}), std::string("a:2 b:2"));
        QCOMPARE(sharesOf(2, 2, {nodeOf("b"), nodeOf("a")}), std::string("b:2 a:2"));
        QCOMPARE(sharesOf(4, 1, {nodeOf("a", 3), nodeOf("b", 8)}), std::string("a:3 b:1"));
        QCOMPARE(sharesOf(2, 1, {nodeOf("a", 2), nodeOf("b", 2)}), std::string("a:2"));
        QCOMPARE(sharesOf(3, 1, {nodeOf("a"), nodeOf("b")}), std::string("uneven_nodes"));
        QCOMPARE(sharesOf(1, 4, {nodeOf("a"), nodeOf("b"), nodeOf("c"), nodeOf("d")}), std::string("uneven_nodes"));
        QCOMPARE(sharesOf(2, 2, {nodeOf("a", 3), nodeOf("b", 1)}), std::string("uneven_nodes"));
        QCOMPARE(sharesOf(2, 1, {nodeOf("a"), nodeOf("a")}), std::string("uneven_nodes"));
        QCOMPARE(sharesOf(4, 1, {nodeOf("a", 1), nodeOf("b", 1)}), std::string("too_few_slots"));
    }

    // What is left of the nodes takes the most replicas that the config allows.
    void sharesFewerRanksWhereNodesAreMissing_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("room");
        QTest::addColumn<int>("most");  // replicas that fit
        QTest::addColumn<QString>("shares");
        QTest::newRow("all") << 4 << 4 << 9 << "a:4 b:4";
        QTest::newRow("half") << 4 << 2 << 9 << "a:2 b:2";
        QTest::newRow("no batch for 6, no group of tp split") << 4 << 3 << 9 << "a:2";
        QTest::newRow("replicas that do not fit") << 4 << 2 << 1 << "a:2";
        QTest::newRow("none fits") << 4 << 2 << 0 << "too_few_slots";
        QTest::newRow("a group of tp is not split") << 2 << 1 << 9 << "too_few_slots";
    }
    void sharesFewerRanksWhereNodesAreMissing() {
        QFETCH(int, dp);
        QFETCH(int, room);
        QFETCH(int, most);
        QFETCH(QString, shares);
        RunConfig config;
        config.parallel.dp = dp;
        config.parallel.tp = 2;
        config.train.globalBatchSize = 8;
        config.train.microBatchSize = 1;
        QVERIFY(!hasErrors(validate(config)));
        const auto found = shareFewerRanks(config, {nodeOf("a", room), nodeOf("b", room)}, [&](const RunConfig& fewer) {
            return fewer.parallel.dp <= most && fewer.parallel.tp == 2 && fewer.train.globalBatchSize == 8;
        });
        std::string text = found ? "" : found.error().code;
        for (const auto& [name, number] : found ? *found : std::vector<LaunchNode>())
            text += (text.empty() ? "" : " ") + name + ":" + std::to_string(number);
        QCOMPARE(QString::fromStdString(text), shares);
        QCOMPARE(configForRanks(config, 4).parallel.dp, std::int64_t(std::min(dp, 2)));
        QCOMPARE(configForRanks(config, 3).parallel.dp, std::int64_t(dp));  // no whole replica
        QCOMPARE(configForRanks(config, 0).parallel.dp, std::int64_t(dp));
    }

    void namesProgramsAndFoldersOfTheNode() {
        RunConfig config;
        config.parallel.dp = 2;
        LaunchRequest request;
        request.run = RunId("r1");
        request.folder = RunDir{"/here/runs/r1"};
        request.trainer = "slipway-trainer";
        request.home = "/here";
        request.launcher = "ssh";
        request.nodes = {{"a", 1}, {"b", 1}};
        auto plan = makeLaunchPlan(config, request);
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        plan->masterAddress = "10.0.0.1";
        plan->masterPort = 29500;
        NodeFacts facts;
        facts.home = "/there/slipway-node";
        facts.trainer = "/opt/slipway-trainer";
        const LaunchPlan own = planOnNode(*plan, "b", facts, "eth0");
        const RankCommand& rank = own.nodes[1].ranks[0];
        QCOMPARE(rank.arguments[0], std::string("/opt/slipway-trainer"));
        QCOMPARE(rank.arguments[2], std::string("/there/slipway-node/runs/r1/config.json"));
        QCOMPARE(rank.arguments[4], std::string("/there/slipway-node/runs/r1"));
        const auto has = [&](const char* entry) {
            return std::count(rank.environment.begin(), rank.environment.end(), entry) == 1;
        };
        for (const char* entry :
             {"RANK=1", "SLIPWAY_HOME=/there/slipway-node", "MASTER_ADDR=10.0.0.1", "NCCL_SOCKET_IFNAME==eth0"})
            QVERIFY2(has(entry), entry);
        QCOMPARE(own.masterPort, std::int64_t(29500));
    }

    void findsTheInterfaceOfAnAddress() {
        const NodeFacts facts =
            factsOf("boot", {{"lo", "127.0.0.1", true}, {"eth0", "10.0.0.1", false}, {"ib0", "10.1.0.1", false}});
        QCOMPARE(interfaceOf(facts, "10.1.0.1"), std::string("ib0"));
        QCOMPARE(interfaceOf(facts, "127.0.0.1"), std::string("lo"));
        QCOMPARE(interfaceOf(facts, "10.2.0.1"), std::string());
    }

    void meetsAtAnAddressThatOthersMayReach() {
        const std::vector<NodeFacts::Interface> interfaces = {{"lo", "127.0.0.1", true},
                                                              {"eth0", "10.0.0.1", false},
                                                              {"eth0", "fd00::2", false},
                                                              {"ib0", "10.1.0.1", false}};
        using Addresses = std::vector<std::string>;
        const NodeFacts first = factsOf("boot-1", interfaces);
        QCOMPARE(meetingAddresses("", {first, factsOf("boot-2", {})}), (Addresses{"10.0.0.1", "10.1.0.1"}));
        QCOMPARE(meetingAddresses("", {first, factsOf("boot-1", {})}),
                 (Addresses{"127.0.0.1", "10.0.0.1", "10.1.0.1"}));
        QCOMPARE(meetingAddresses("10.1.0.1", {first, factsOf("boot-2", {})}), (Addresses{"10.1.0.1"}));
        QVERIFY(meetingAddresses("", {factsOf("boot-1", {}), factsOf("boot-2", {})}).empty());
    }

    // A node writes only files that are its own, wherever it claims that they are.
    void copiesOnlyWhatANodeMayWrite_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("first");
        QTest::addColumn<bool>("second");
        QTest::newRow("stream") << "metrics.jsonl" << true << false;
        QTest::newRow("environment") << "environment.json" << true << false;
        QTest::newRow("own log") << "logs/rank_00001.log" << false << true;
        QTest::newRow("own stream") << "ranks/rank_00000.jsonl" << true << false;
        QTest::newRow("own record") << "agent/b/exit.json" << false << true;
        QTest::newRow("own error") << "agent/b/error_00001.json" << false << true;
        QTest::newRow("error of another rank") << "agent/b/error_00000.json" << false << false;
        for (const char* path :
             {"config.json", "launch.json", "meta.json", "control/stop", "../../../.ssh/authorized_keys", "/etc/passwd",
              "logs/../config.json", "agent/b/../../config.json", "agent/b/lock", "logs/rank_.log", "logs/rank_1e3.log",
              "logs/rank_99999999999999999999.log", "logs/rank_00001.log.sh", ""})
            QTest::newRow(path) << path << false << false;
    }
    void copiesOnlyWhatANodeMayWrite() {
        QFETCH(QString, path);
        const RunMirror first(RunDir{"/x"}, "r", "a", 1, {0}, ""), second(RunDir{"/x"}, "r", "b", 1, {1}, "");
        QTEST(first.isExpected(path.toStdString()), "first");
        QTEST(second.isExpected(path.toStdString()), "second");
    }
};

SLIPWAY_TEST(TstRemoteStart)
#include "tst_remote_start.moc"
