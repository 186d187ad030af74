// kill -9 of whoever follows a run, of its agent or of a rank, at random moments: no metric point that was written may
// be lost, none may be stored twice, and the run must come to its end.
#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"
#include "tests/support/stream_check.h"

#include <signal.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kSteps = 120;

class Chaos {
public:
    explicit Chaos(unsigned seed) : m_random(seed) {}

    // Kills until the run is completed, or `kills` are used up (then it is left in peace to complete).
    int run(int kills);
    std::string problem;

private:
    void startDriver();
    void waitForAMoment();
    std::vector<std::int64_t> targets(int kind) const;

    RunHome m_at;
    RunId m_id;
    Process m_driver;
    std::mt19937 m_random;
};

void Chaos::startDriver() {
    ProcessSpec spec;
    spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/fake/run_driver", m_at.home.path.string(), m_id.value,
                      SLIPWAY_BIN_DIR};
    spec.output = m_at.temp.path() / "driver.log";
    spec.newSession = true;
    auto started = Process::start(spec);
    if (started)
        m_driver = std::move(*started);
    else
        problem = started.error().text();
}

// Every other kill comes when the run has come further, on a machine of any speed; the others meet whatever is underway
// then.
void Chaos::waitForAMoment() {
    if (std::uniform_int_distribution<int>(0, 1)(m_random) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(1, 250)(m_random)));
        return;
    }
    const std::filesystem::path stream = m_at.home.run(m_id)->metrics();
    const auto written = [&] {
        std::error_code code;
        const auto size = std::filesystem::file_size(stream, code);
        return code ? std::uintmax_t{0} : size;
    };
    const std::uintmax_t wanted = written() + std::uniform_int_distribution<std::uintmax_t>(1, 5000)(m_random);
    waitUntil(60, [&] { return written() >= wanted || m_driver.poll(); });
}

std::vector<std::int64_t> Chaos::targets(int kind) const {
    if (kind == 0) return {m_driver.pid()};
    const RunDir folder = *m_at.home.run(m_id);
    if (kind == 1) {
        const auto text = readFile(folder.agentFolder("local") / "id.json");
        const auto id = text ? parseAgentId(*text, "id.json") : Result<AgentId>(fail(text.error()));
        if (id && isAlive({id->pid, id->startTicks, id->bootId})) return {id->pid};
        return {};
    }
    return processesWithEnvironment({"SLIPWAY_RUN_ID=" + m_id.value, "RANK=" + std::to_string(kind - 2)});
}

int Chaos::run(int kills) {
    {
        auto store = RunStore::open(m_at.home, OpenMode::ReadWrite);
        RunConfig config = tinyConfig("chaos [ms=4]", kSteps, 2);
        config.checkpoint.everySteps = 10;
        auto session =
            store ? RunSession::create(*store, m_at.home, {.config = config}, unixMillisecondsNow(), m_at.programs)
                  : Result<RunSession>(fail(store.error()));
        if (!session) {
            problem = session.error().text();
            return 0;
        }
        m_id = session->id();
    }
    startDriver();
    int done = 0;
    while (problem.empty() && done < kills) {
        waitForAMoment();
        if (const auto& exit = m_driver.poll()) {
            if (exit->ok()) break;
            if (exit->signal == 0)
                problem = "the driver ended with " + exit->text() + ": " +
                          readFile(m_at.temp.path() / "driver.log").value_or("");
            startDriver();
            continue;
        }
        const int kind = std::uniform_int_distribution<int>(0, 3)(m_random);
        const auto pids = targets(kind);
        for (const std::int64_t pid : pids) ::kill(static_cast<pid_t>(pid), SIGKILL);
        done += pids.empty() ? 0 : 1;
        if (kind == 0) {
            m_driver.wait(60);
            startDriver();
        }
    }
    while (problem.empty()) {
        const auto& exit = m_driver.wait(600);
        if (!exit) {
            problem = "the run did not come to its end within ten minutes";
            m_driver.signal(SIGKILL);
        } else if (exit->ok()) {
            break;
        } else if (exit->signal == 0) {
            problem =
                "the driver ended with " + exit->text() + ": " + readFile(m_at.temp.path() / "driver.log").value_or("");
        } else {
            startDriver();
        }
    }
    if (problem.empty()) {
        auto store = RunStore::open(m_at.home, OpenMode::ReadWrite);
        problem = store ? streamProblem(*store, m_id, m_at.home.run(m_id)->metrics(), kSteps) : store.error().text();
    }
    return done;
}

void killMany(int wanted, unsigned seed, double seconds) {
    int kills = 0;
    const double until = monotonicSecondsNow() + seconds;
    for (unsigned round = 0; kills < wanted && monotonicSecondsNow() < until; ++round) {
        Chaos chaos(seed + round);
        kills += chaos.run(std::min(20, wanted - kills));
        QVERIFY2(chaos.problem.empty(), ("seed " + std::to_string(seed + round) + ": " + chaos.problem).c_str());
        QVERIFY2(round < static_cast<unsigned>(wanted), "runs end before they can be killed");
    }
    qInfo("%d kills, seed %u: no point lost, none doubled", kills, seed);
}

}  // namespace

class TstKillFlow : public QObject {
    Q_OBJECT
private slots:
    void fifteenKills() { killMany(15, 20261121, 240); }
};

class TstKillFlowFull : public QObject {
    Q_OBJECT
private slots:
    // A new seed each time; the message names it.
    void manyKills() {
        killMany(static_cast<int>(chosen("SLIPWAY_CHAOS_KILLS", 1000)),
                 chosen("SLIPWAY_CHAOS_SEED", randomEntropy() % 1000000), soakSeconds());
    }
};

SLIPWAY_TEST(TstKillFlow)
SLIPWAY_TEST_FULL(TstKillFlowFull)
#include "tst_kill_flow.moc"
