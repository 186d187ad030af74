// The real trainer on nodes with homes of their own: a run that is killed and continues on other nodes ends with the weights of one
// that was left alone, bit by bit.
#include "core/base/file.h"
#include "core/launch/checkpoint_files.h"
#include "core/remote/node_record.h"
#include "core/run/run_session.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <signal.h>

#include <map>
#include <random>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

std::int64_t now() {
    return unixMillisecondsNow();
}

constexpr std::int64_t kSteps = 30;
constexpr double kSeconds = 300;

struct TwoHosts {
    FakeNodes nodes;
    RunHome at;
    Result<RunStore> store = RunStore::open(at.home, OpenMode::ReadWrite);

    TwoHosts() {
        for (const char* name : {"a", "b", "c"}) {
            NodeRecord node;
            node.name = node.host = name;
            node.trainer = std::string(SLIPWAY_BIN_DIR) + "/slipway-trainer";
            (void)writeNode(at.home, node, false);
        }
        at.programs.trainer.clear();
    }
    Result<RunSession> launch(const std::vector<LaunchNode>& on) {
        RunRequest request;
        request.config = tinyConfig("two hosts", kSteps, 4);
        request.config.checkpoint.everySteps = 5;
        request.nodes = on;
        auto session = RunSession::create(*store, at.home, request, now(), at.programs);
        if (!session) return session;
        if (const auto begun = session->launch(now()); !begun) return fail(begun.error());
        return session;
    }
    /// What each rank wrote of the last checkpoint, from the node that it ran on.
    [[nodiscard]] std::map<std::string, std::string> weights(const RunSession& session) const {
        std::map<std::string, std::string> all;
        for (const std::string& node : session.nodes())
            for (const auto& entry :
                 fs::directory_iterator(nodes.home(node) / ".local/share/slipway-node/runs" / session.id().value /
                                        "checkpoints" / RunDir{}.checkpoint(kSteps).filename()))
                if (entry.path().extension() == ".safetensors")
                    all[entry.path().filename().string()] = readFile(entry.path()).value_or("");
        return all;
    }
};

}  // namespace

class TstCheckpointFlow : public QObject {
    Q_OBJECT

private slots:
    void endsWithTheWeightsOfAnUndisturbedRun() {
        if (!fs::exists(std::string(SLIPWAY_BIN_DIR) + "/slipway-trainer")) QSKIP("slipway-trainer is not built");
        TwoHosts at;
        auto alone = at.launch({{"a", 2}, {"b", 2}});
        QVERIFY2(alone, alone ? "" : alone.error().message.c_str());
        QVERIFY(RunHome::finish(*alone, kSeconds));
        QVERIFY2(alone->status() == RunStatus::Completed, alone->reason().c_str());
        const auto expected = at.weights(*alone);
        QCOMPARE(expected.size(), std::size_t(4));

        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        const auto killAt = static_cast<std::int64_t>(6 + seed % 18);
        auto session = at.launch({{"a", 2}, {"b", 2}});
        QVERIFY(session);
        QVERIFY(waitUntil(kSeconds, [&] {
            (void)session->poll(now());
            if (session->lastStep() < killAt) return session->done();
            for (const AgentHeartbeat& beat : session->heartbeats())
                for (const RankState& rank : beat.ranks) ::kill(static_cast<pid_t>(rank.pid), SIGKILL);
            return true;
        }));
        QVERIFY(RunHome::finish(*session, kSeconds));
        QCOMPARE(session->status(), RunStatus::Failed);

        // Ranks 2 and 3 have another computer now, which has nothing of the run.
        auto again = RunSession::attach(*at.store, at.at.home, session->id(), now(), at.at.programs);
        QVERIFY(again && again->useNodes({{"a", 2}, {"c", 2}}));
        Result<void> resumed;
        QVERIFY(waitUntil(60, [&] {
            resumed = again->resume(now());
            return resumed || resumed.error().code != "nodes_unheard";
        }));
        QVERIFY2(resumed, resumed ? "" : resumed.error().message.c_str());
        QVERIFY(RunHome::finish(*again, kSeconds));
        QVERIFY2(again->status() == RunStatus::Completed, again->reason().c_str());
        QVERIFY(at.store->attempts(session->id())->back().resumeStep >= 5);
        const auto weights = at.weights(*again);
        QCOMPARE(weights.size(), expected.size());
        for (const auto& [name, bytes] : expected) QVERIFY2(weights.at(name) == bytes, name.c_str());
    }
};

SLIPWAY_TEST(TstCheckpointFlow)
#include "tst_checkpoint_flow.moc"
