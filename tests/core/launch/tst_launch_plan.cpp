#include "core/base/json.h"
#include "core/launch/launch_plan.h"
#include "core/launch/launcher.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

LaunchRequest request() {
    LaunchRequest r;
    r.run = RunId("run1");
    r.attempt = 3;
    r.folder = RunDir{"/home/x/runs/run1"};
    r.trainer = "/bin/slipway-trainer";
    r.home = "/home/x";
    r.createdUnixMilliseconds = 1700000000000;
    r.version = "0.1.0";
    return r;
}

RunConfig config(std::int64_t dp, std::int64_t tp) {
    RunConfig c;
    c.parallel.dp = dp;
    c.parallel.tp = tp;
    c.train.threadsPerRank = 2;
    return c;
}

bool has(const RankCommand& command, const std::string& entry) {
    return std::find(command.environment.begin(), command.environment.end(), entry) != command.environment.end();
}

}  // namespace

class TstLaunchPlan : public QObject {
    Q_OBJECT

private slots:
    void givesEachRankItsPlace() {
        const auto plan = makeLaunchPlan(config(2, 2), request());
        QVERIFY(plan);
        QCOMPARE(plan->nodes.size(), std::size_t(1));
        QCOMPARE(plan->nodes[0].ranks.size(), std::size_t(4));
        QCOMPARE(plan->masterPort, 0);
        const RankCommand& last = plan->nodes[0].ranks[3];
        const std::vector<std::string> arguments = {"/bin/slipway-trainer", "--config", "/home/x/runs/run1/config.json",
                                                    "--run-dir", "/home/x/runs/run1"};
        QCOMPARE(last.arguments, arguments);
        for (const char* entry :
             {"RANK=3", "LOCAL_RANK=3", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=4", "GROUP_RANK=0", "MASTER_ADDR=127.0.0.1",
              "OMP_NUM_THREADS=2", "SLIPWAY_RUN_ID=run1", "SLIPWAY_ATTEMPT=3", "SLIPWAY_NODE=local",
              "SLIPWAY_VERSION=0.1.0", "SLIPWAY_HOME=/home/x"})
            QVERIFY2(has(last, entry), entry);
    }

    void fillsNodesInOrder() {
        LaunchRequest r = request();
        r.nodes = {{"a", 2}, {"b", 4}, {"c", 4}};
        r.masterPort = 29500;
        r.resume = true;
        const auto plan = makeLaunchPlan(config(5, 1), r);
        QVERIFY(plan);
        QCOMPARE(plan->nodes.size(), std::size_t(2));  // c is not needed
        QCOMPARE(plan->nodes[1].ranks.size(), std::size_t(3));
        const RankCommand& rank = plan->nodes[1].ranks[1];
        QVERIFY(has(rank, "RANK=3") && has(rank, "LOCAL_RANK=1") && has(rank, "LOCAL_WORLD_SIZE=3") &&
                has(rank, "GROUP_RANK=1") && has(rank, "SLIPWAY_NODE=b"));
        QCOMPARE(rank.arguments.back(), std::string("latest"));
    }

    void refuses_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<QString>("node");
        QTest::addColumn<int>("room");
        QTest::addColumn<bool>("twoNodes");
        QTest::addColumn<QString>("code");
        QTest::newRow("too few slots") << 4 << "a" << 2 << false << "too_few_slots";
        QTest::newRow("path as a name") << 1 << "../x" << 0 << false << "bad_node";
        QTest::newRow("option as a name") << 1 << "a b" << 0 << false << "bad_node";
        QTest::newRow("several nodes without a port") << 2 << "a" << 1 << true << "no_port";
    }
    void refuses() {
        QFETCH(int, dp);
        QFETCH(QString, node);
        QFETCH(int, room);
        QFETCH(bool, twoNodes);
        LaunchRequest r = request();
        r.nodes = {{node.toStdString(), room}};
        if (twoNodes) r.nodes.push_back({"other", 8});
        const auto plan = makeLaunchPlan(config(dp, 1), r);
        QVERIFY(!plan);
        QTEST(QString::fromStdString(plan.error().code), "code");
    }

    void survivesItsFile() {
        const auto plan = makeLaunchPlan(config(2, 1), request());
        QVERIFY(plan);
        Json json = toJson(*plan);
        json["from_the_future"] = 1;  // a newer program's key is no reason to refuse
        const auto read = parseLaunchPlan(dumpJson(json, true), "launch.json");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(dumpJson(toJson(*read), false), dumpJson(toJson(*plan), false));
        json["attempt"] = "two";
        QCOMPARE(parseLaunchPlan(dumpJson(json, true), "launch.json").error().code, std::string("bad_agent_file"));
        const LaunchHandle handle = handleOf(*read, RunDir{"/x"});
        QCOMPARE(handle.nodes, std::vector<std::string>{"local"});
        QCOMPARE(handle.attempt, 3);
    }
};

SLIPWAY_TEST(TstLaunchPlan)
#include "tst_launch_plan.moc"
