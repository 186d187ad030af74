// Stops of runs whose ranks have left trees of processes behind that fork, have sessions of their own, ignore SIGTERM and hide their
// environment: nothing of them is alive once the agent has told the end of the run. SLIPWAY_CHAOS_STOPS and _SEED choose.
#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <signal.h>

#include <algorithm>
#include <memory>
#include <random>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr double kGraceSeconds = 5;  // of LaunchPlan

std::int64_t now() {
    return unixMillisecondsNow();
}

/// Processes but agents that have the folder of the run in their command line.
std::vector<std::int64_t> processesOf(const fs::path& folder) {
    std::vector<std::int64_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::int64_t pid = std::atoll(entry.path().filename().c_str());
        const std::string command = pid > 1 ? readFile(entry.path() / "cmdline").value_or("") : "";
        const char state = processState(pid);
        if (command.find(folder.string()) != std::string::npos && command.find("slipway-agent") == std::string::npos &&
            state != 'Z' && state != 0)
            found.push_back(pid);
    }
    return found;
}

/// One run with a tree, from its start to the check.
class Stop {
public:
    enum class Kind { Kill, Crash, Stop };
    Stop(RunStore& store, RunHome& at, std::mt19937& random) : m_kind(static_cast<Kind>(random() % 3)) {
        const unsigned processes = 1 + random() % 12;
        m_script = "ms=2,tree=" + std::to_string(processes) + ":" + std::to_string(random() % 2);
        m_wait = 1 + static_cast<std::int64_t>(random() % 40);
        if (m_kind == Kind::Crash) m_script += ",crash@" + std::to_string(m_wait + 1);
        if (m_kind != Kind::Stop && random() % 2 == 0) m_script += ",deaf:1";
        auto session = RunSession::create(
            store, at.home, {.config = tinyConfig("tiny [" + m_script + "]", 1'000'000, 2)}, now(), at.programs);
        if (!session) {
            problem = session.error().text();
            return;
        }
        m_session = std::make_unique<RunSession>(std::move(*session));
        if (const auto begun = m_session->launch(now()); !begun) problem = begun.error().text();
    }
    /// @return whether it is over
    bool advance() {
        if (!problem.empty()) return true;
        (void)m_session->poll(now());
        const double seconds = monotonicSecondsNow();
        if (m_askedAt < 0 && m_session->lastStep() >= m_wait) {
            m_askedAt = seconds;
            const auto asked = m_kind == Kind::Kill   ? m_session->kill(now())
                               : m_kind == Kind::Stop ? m_session->stop(now())
                                                      : Result<void>();
            if (!asked) problem = asked.error().text();
        }
        if (!m_session->done()) return false;
        if (const auto left = processesOf(m_session->folder().path); !left.empty()) {
            problem = std::to_string(left.size()) + " processes were left behind by " + m_script;
            for (const std::int64_t pid : left) ::kill(static_cast<pid_t>(pid), SIGKILL);
        }
        tookSeconds = m_askedAt < 0 ? 0 : seconds - m_askedAt;
        allowedSeconds = 1 + (m_kind == Kind::Crash ? kGraceSeconds : 0);
        return true;
    }
    std::string problem;
    double tookSeconds = 0, allowedSeconds = 0;

private:
    Kind m_kind;
    std::string m_script;
    std::int64_t m_wait = 0;
    double m_askedAt = -1;
    std::unique_ptr<RunSession> m_session;
};

void stopMany(unsigned stops, double seconds) {
    const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}() % 1'000'000);
    std::mt19937 random(seed);
    RunHome at;
    auto store = RunStore::open(at.home, OpenMode::ReadWrite);
    QVERIFY(store);
    constexpr std::size_t kAtOnce = 3;
    std::vector<std::unique_ptr<Stop>> going;
    unsigned done = 0, late = 0;
    double longest = 0;
    const double until = monotonicSecondsNow() + seconds;
    const auto isOver = [&] { return done + going.size() >= stops || monotonicSecondsNow() > until; };
    while (!going.empty() || !isOver()) {
        while (going.size() < kAtOnce && !isOver()) going.push_back(std::make_unique<Stop>(*store, at, random));
        QVERIFY2(
            waitUntil(60, [&] { return std::ranges::any_of(going, [](const auto& one) { return one->advance(); }); }),
            ("seed " + std::to_string(seed) + ": a run does not end").c_str());
        std::erase_if(going, [&](const auto& one) {
            if (!one->advance()) return false;
            if (!one->problem.empty())
                QTest::qFail(("seed " + std::to_string(seed) + ": " + one->problem).c_str(), __FILE__, __LINE__);
            longest = std::max(longest, one->tookSeconds - one->allowedSeconds + 1);
            late += one->tookSeconds > one->allowedSeconds ? 1 : 0;
            ++done;
            return true;
        });
        if (QTest::currentTestFailed()) break;
    }
    qInfo("%u stops, seed %u: none left alive; longest %.2f s after the grace, %u above 1 s", done, seed, longest,
          late);
    QVERIFY(done > 0);
}

}  // namespace

class TstStopFlow : public QObject {
    Q_OBJECT
private slots:
    void sixStops() { stopMany(6, 60); }

    // The agent of a node is killed, so nobody ends what its ranks began; the next attempt does before it begins.
    void anEarlierAttemptsProcessesEnd() {
        RunHome at;
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        auto session =
            RunSession::create(*store, at.home, {.config = tinyConfig("tiny [ms=2,orphan]", 200)}, now(), at.programs);
        QVERIFY(session && session->launch(now()));
        QVERIFY(waitUntil(30, [&] {
            (void)session->poll(now());
            return session->lastStep() > 2;
        }));
        const auto id = parseAgentId(*readFile(session->folder().agentFolder("local") / "id.json"), "id.json");
        QVERIFY(id);
        ::kill(static_cast<pid_t>(id->pid), SIGKILL);
        QVERIFY(RunHome::finish(*session, 60));
        QCOMPARE(processesOf(session->folder().path).size(), std::size_t(1));
        QVERIFY(session->resume(now()));
        QVERIFY(RunHome::finish(*session, 60));
        QVERIFY2(session->status() == RunStatus::Completed, session->reason().c_str());
        QVERIFY(processesOf(session->folder().path).empty());
    }
};

class TstStopFlowFull : public QObject {
    Q_OBJECT
private slots:
    void manyStops() { stopMany(chosen("SLIPWAY_CHAOS_STOPS", 500), soakSeconds()); }
};

SLIPWAY_TEST(TstStopFlow)
SLIPWAY_TEST_FULL(TstStopFlowFull)
#include "tst_stop_flow.moc"
