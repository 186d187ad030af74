// kill -9 of whoever follows a run, of its agent or of a rank, at random moments: no metric point that was written may
// be lost, none may be stored twice, and the run must come to its end.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <array>
#include <chrono>
#include <map>
#include <random>
#include <sstream>
#include <thread>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kSteps = 120;

// What the stream says, read without the product's reader: attempt -> (step -> loss), and where each attempt began.
struct Written {
    std::map<std::int64_t, std::map<std::int64_t, double>> attempts;
    std::map<std::int64_t, std::int64_t> resumeSteps;
    int doubled = 0;
};

Written readStream(const std::filesystem::path& path) {
    Written written;
    std::istringstream lines(readFile(path).value_or(""));
    std::int64_t attempt = 0;
    for (std::string line; std::getline(lines, line);) {
        if (lines.eof()) break;  // no newline: not written
        const auto json = parseJson(line, "line");
        if (!json) continue;
        const std::string kind = (*json)["kind"];
        if (kind == "header") {
            attempt = (*json)["attempt"];
            written.resumeSteps[attempt] = (*json)["resume_step"];
        }
        if (kind == "step" && !written.attempts[attempt].emplace((*json)["step"], (*json)["values"]["loss"]).second)
            ++written.doubled;
    }
    return written;
}

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
    void compare();

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
    if (problem.empty()) compare();
    return done;
}

void Chaos::compare() {
    auto store = RunStore::open(m_at.home, OpenMode::ReadWrite);
    const Written written = readStream(m_at.home.run(m_id)->metrics());
    if (written.doubled > 0) problem = "the stream itself holds a step twice";
    std::map<std::int64_t, double> inForce;
    for (const auto& [attempt, steps] : written.attempts) {
        const auto stored = store->attemptSeries(m_id, "loss", attempt);
        if (!stored)
            problem = stored.error().text();
        else if (stored->size() != steps.size())
            problem = "attempt " + std::to_string(attempt) + ": " + std::to_string(stored->size()) +
                      " points stored, " + std::to_string(steps.size()) + " written";
        if (!problem.empty()) return;
        std::size_t i = 0;
        for (const auto& [step, loss] : steps) {
            if (stored->steps[i] != step || stored->values[i] != loss)
                problem =
                    "attempt " + std::to_string(attempt) + ": step " + std::to_string(step) + " is not as written";
            ++i;
        }
    }
    for (const auto& [attempt, resumeStep] : written.resumeSteps) {
        inForce.erase(inForce.upper_bound(resumeStep), inForce.end());
        if (const auto it = written.attempts.find(attempt); it != written.attempts.end())
            for (const auto& [step, loss] : it->second) inForce[step] = loss;
    }
    const auto series = store->series(m_id, "loss");
    if (!series)
        problem = series.error().text();
    else if (series->size() != static_cast<std::size_t>(kSteps) || inForce.size() != series->size())
        problem = std::to_string(series->size()) + " of " + std::to_string(kSteps) +
                  " steps in force, the stream has " + std::to_string(inForce.size());
    else if (series->steps.front() != 1 || series->steps.back() != kSteps)
        problem = "the steps in force have a gap";
    const auto record = store->run(m_id);
    if (record && record->status != RunStatus::Completed)
        problem = "the run is " + wordOf(record->status) + ": " + record->reason;
}

void killMany(int wanted, unsigned seed) {
    int kills = 0;
    for (unsigned round = 0; kills < wanted; ++round) {
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
    void fifteenKills() { killMany(15, 20261121); }
};

class TstKillFlowFull : public QObject {
    Q_OBJECT
private slots:
    // A new seed each time; the message names it.
    void twoHundredKills() { killMany(200, static_cast<unsigned>(randomEntropy() % 1000000)); }
};

SLIPWAY_TEST(TstKillFlow)
SLIPWAY_TEST_FULL(TstKillFlowFull)
#include "tst_kill_flow.moc"
