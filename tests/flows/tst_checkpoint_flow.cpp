// The real trainer on nodes with homes of their own: a run that is killed and continues on other nodes ends with the weights of one
// that was left alone, bit by bit.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/launch/checkpoint_files.h"
#include "core/remote/node_record.h"
#include "core/run/run_session.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

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

const char* isMissing() {
    return fs::exists(std::string(SLIPWAY_BIN_DIR) + "/slipway-trainer") ? nullptr : "slipway-trainer is not built";
}

std::map<std::string, std::string> weightsOfAnUndisturbedRun(TwoHosts& at) {
    auto alone = at.launch({{"a", 2}, {"b", 2}});
    if (!alone || !RunHome::finish(*alone, kSeconds) || alone->status() != RunStatus::Completed) return {};
    return at.weights(*alone);
}

/// Kills all ranks at a step and continues, on these nodes. "" when the run ends with these weights.
std::string continueAfterAKill(TwoHosts& at, std::int64_t killAt, const std::vector<LaunchNode>& on,
                               const std::map<std::string, std::string>& expected) {
    auto session = at.launch({{"a", 2}, {"b", 2}});
    if (!session) return session.error().text();
    const bool isKilled = waitUntil(kSeconds, [&] {
        (void)session->poll(now());
        if (session->lastStep() < killAt) return session->done();
        for (const AgentHeartbeat& beat : session->heartbeats())
            for (const RankState& rank : beat.ranks) ::kill(static_cast<pid_t>(rank.pid), SIGKILL);
        return true;
    });
    if (!isKilled || !RunHome::finish(*session, kSeconds)) return "the killed run does not end";
    if (session->status() == RunStatus::Completed) return "it ended before it could be killed";
    auto again = RunSession::attach(*at.store, at.at.home, session->id(), now(), at.at.programs);
    if (!again) return again.error().text();
    if (const auto used = again->useNodes(on); !used) return used.error().text();
    Result<void> resumed;
    waitUntil(60, [&] {
        resumed = again->resume(now());
        return resumed || resumed.error().code != "nodes_unheard";
    });
    if (!resumed) return resumed.error().text();
    if (!RunHome::finish(*again, kSeconds)) return "the continued run does not end";
    if (again->status() != RunStatus::Completed) return again->reason();
    if (at.store->attempts(session->id())->back().resumeStep < 5) return "it began again at the first step";
    const auto weights = at.weights(*again);
    if (weights.size() != expected.size()) return std::to_string(weights.size()) + " files of weights";
    for (const auto& [name, bytes] : expected)
        if (!weights.contains(name) || weights.at(name) != bytes) return name + " differs";
    return {};
}

}  // namespace

class TstCheckpointFlow : public QObject {
    Q_OBJECT

private slots:
    // Ranks 2 and 3 continue on another computer, which has nothing of the run.
    void endsWithTheWeightsOfAnUndisturbedRun() {
        if (const char* missing = isMissing()) QSKIP(missing);
        TwoHosts at;
        const auto expected = weightsOfAnUndisturbedRun(at);
        QCOMPARE(expected.size(), std::size_t(4));
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        const std::string problem =
            continueAfterAKill(at, static_cast<std::int64_t>(6 + seed % 18), {{"a", 2}, {"c", 2}}, expected);
        QVERIFY2(problem.empty(), problem.c_str());
    }
};

class TstCheckpointFlowFull : public QObject {
    Q_OBJECT

private slots:
    void killsAtManySteps() {
        if (const char* missing = isMissing()) QSKIP(missing);
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
        const unsigned wanted = chosen("SLIPWAY_CHAOS_KILLS", 100);
        std::mt19937 random(seed);
        const double until = monotonicSecondsNow() + soakSeconds();
        TwoHosts at;
        const auto expected = weightsOfAnUndisturbedRun(at);
        QCOMPARE(expected.size(), std::size_t(4));
        unsigned kills = 0;
        do {
            const auto step = static_cast<std::int64_t>(6 + random() % 18);
            const std::string other = random() % 2 == 0 ? "b" : "c";
            const std::string problem = continueAfterAKill(at, step, {{"a", 2}, {other, 2}}, expected);
            QVERIFY2(problem.empty(),
                     ("seed " + std::to_string(seed) + ", step " + std::to_string(step) + ": " + problem).c_str());
        } while (++kills < wanted && monotonicSecondsNow() < until);
        qInfo("%u kills at random steps, seed %u: weights of 4 ranks identical bit by bit", kills, seed);
    }
};

SLIPWAY_TEST(TstCheckpointFlow)
SLIPWAY_TEST_FULL(TstCheckpointFlowFull)
#include "tst_checkpoint_flow.moc"
