// Stragglers by node, and what is kept of them over runs.
#include "core/base/file.h"
#include "core/base/units.h"
#include "core/run/slow_nodes.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kDay = 24LL * 3600 * 1000;
constexpr std::int64_t kNow = 1795305600000;

/// Ranks 0 and 1 on a, 2 and 3 on b, 4 and 5 on c.
LaunchPlan threeNodes() {
    LaunchPlan plan;
    for (const char* name : {"a", "b", "c"}) {
        NodePlan node{name, {}};
        for (int local = 0; local < 2; ++local) {
            RankCommand rank;
            rank.rank = static_cast<std::int64_t>(plan.nodes.size()) * 2 + local;
            node.ranks.push_back(rank);
        }
        plan.nodes.push_back(node);
    }
    return plan;
}

SlowNode slowNode(const std::string& node) {
    SlowNode slow;
    slow.node = node;
    slow.slower = 0.12;
    return slow;
}

}  // namespace

class TstSlowNodes : public QObject {
    Q_OBJECT

private slots:
    void namesTheNodesOfStragglers() {
        const auto slow = slowNodes({{5, 0.10, 1, 50, 40, 3.0},
                                     {2, 0.07, 20, 90, 60, 8.0},
                                     {3, 0.20, 10, 80, 60, 4.0},
                                     {9, 0.5, 1, 2, 2, 99.0}},
                                    threeNodes());
        QCOMPARE(slow.size(), std::size_t(2));  // rank 9 is on no node
        QCOMPARE(slow[0].node, std::string("b"));
        QCOMPARE(slow[0].ranks, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(slow[0].slower, 0.20);
        QCOMPARE(slow[0].lostSeconds, 8.0);
        QCOMPARE(slow[0].fromStep, std::int64_t(10));
        QCOMPARE(slow[0].toStep, std::int64_t(90));
        QCOMPARE(textOf(slowText(slow[0])), "Node b is slow: its ranks (2, 3) worked " + formatPercent(0.2) +
                                                " longer than others of their stage, from step 10 to 90.");
        QCOMPARE(slow[1].node, std::string("c"));
    }

    // From the streams of the ranks; what was slow before the newest attempt had other places.
    void readsTheRanksOfARun() {
        const TempDir temp;
        const RunDir folder{temp.path()};
        RunConfig config;
        config.parallel.dp = 6;
        QVERIFY(makeFolders(folder.rankStream(0).parent_path()));
        for (int rank = 0; rank < 6; ++rank) {
            std::string text;
            for (int step = 1; step <= 60; ++step)
                text += "{\"kind\":\"health\",\"step\":" + std::to_string(step) +
                        ",\"step_seconds\":1.0,\"wait_seconds\":" + (rank == 3 ? "0.0" : "0.2") + "}\n";
            QVERIFY(writeFileAtomically(folder.rankStream(rank), text));
        }
        const auto slow = slowNodesOf(folder, config, threeNodes(), 0);
        QCOMPARE(slow.size(), std::size_t(1));
        QCOMPARE(slow[0].node, std::string("b"));
        QVERIFY(std::abs(slow[0].slower - 0.25) < 0.001);
        QVERIFY(slowNodesOf(folder, config, threeNodes(), 60).empty());
        LaunchPlan one = threeNodes();
        one.nodes.resize(1);
        QVERIFY(slowNodesOf(folder, config, one, 0).empty());
    }

    void proposesToLeaveOutANodeThatWasSlowTwice() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(!exclusionProposal(home, "b", kNow));
        QVERIFY(noteSlowNodes(home, "r1", 1, {slowNode("b"), slowNode("../x")}, kNow));
        QVERIFY(noteSlowNodes(home, "r1", 1, {slowNode("b")}, kNow + 1));  // the same attempt again
        QVERIFY(!exclusionProposal(home, "b", kNow));
        QVERIFY(noteSlowNodes(home, "r1", 2, {slowNode("b")}, kNow + kDay));
        const auto proposal = exclusionProposal(home, "b", kNow + kDay);
        QVERIFY(proposal);
        QCOMPARE(textOf(*proposal),
                 "Node b was slow in 2 attempts of the last 30 days (up to " + formatPercent(0.12) +
                     "): leave it out of --nodes, or look for the cause with `slipway nodes bench b`.");
        QVERIFY(!exclusionProposal(home, "a", kNow));
        QVERIFY(!exclusionProposal(home, "b", kNow + 31 * kDay));  // the first is forgotten
        QVERIFY(!std::filesystem::exists(temp.path() / "nodes" / "x.json"));
        forgetSlowNode(home, "b");
        QVERIFY(!exclusionProposal(home, "b", kNow + kDay));
    }
};

SLIPWAY_TEST(TstSlowNodes)
#include "tst_slow_nodes.moc"
