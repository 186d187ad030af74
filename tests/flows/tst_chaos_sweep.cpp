// A sweep over 8 hosts (behind the tests' ssh) whose driver is killed at random moments: every point exactly once, and the table of the
// undisturbed sweep. Trials and kills follow SLIPWAY_SOAK_SECONDS; SLIPWAY_CHAOS_TRIALS, _KILLS, _LIFE (the longest life of a driver, in
// seconds) and _SEED choose others.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_result.h"
#include "core/sweep/sweep_runner.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <map>
#include <random>
#include <thread>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr int kHosts = 8;
constexpr double kTrialsPerSecond = 4;  // on two busy cores, of the sweep here and of the one on hosts together

using Rows = std::map<std::string, std::pair<std::string, double>>;

Rows rowsOf(RunStore& store) {
    Rows rows;
    const auto sweeps = store.sweeps();
    const auto result =
        sweeps && sweeps->size() == 1 ? loadSweepResult(store, sweeps->front().id) : Result<SweepResult>(SweepResult{});
    for (const TrialResult& trial : result ? result->trials : std::vector<TrialResult>())
        rows[trial.name] = {wordOf(trial.status), trial.measured.finalLoss.value_or(-1)};
    return rows;
}

int countOf(const std::string& text, const std::string& word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

}  // namespace

class TstChaosSweepFull : public QObject {
    Q_OBJECT

private slots:
    void aKilledDriverChangesNothing() {
        const bool isSoak = std::getenv("SLIPWAY_SOAK_SECONDS") != nullptr;
        const unsigned trials =
            chosen("SLIPWAY_CHAOS_TRIALS",
                   isSoak ? std::max(16U, static_cast<unsigned>(soakSeconds() * kTrialsPerSecond / 2)) : 16);
        const unsigned kills = chosen("SLIPWAY_CHAOS_KILLS", std::max(6U, trials / 50));
        const unsigned seed = chosen("SLIPWAY_CHAOS_SEED", std::random_device{}());
        const unsigned longestLife =
            chosen("SLIPWAY_CHAOS_LIFE", std::max(4U, static_cast<unsigned>(2 * trials / (kTrialsPerSecond * kills))));
        qInfo("%u trials, %u kills, a driver lives at most %u s, seed %u", trials, kills, longestLife, seed);
        std::mt19937 random(seed);
        Json file{{"schema", 1}, {"name", "chaos"}, {"base", toJson(tinyConfig("tiny [ms=1]", 5))}};
        for (unsigned trial = 1; trial <= trials; ++trial)
            file["points"].push_back({{"name", std::to_string(trial)}, {"train.seed", trial}});

        RunHome calm;
        Rows expected;
        double begun = monotonicSecondsNow();
        {
            auto store = RunStore::open(calm.home, OpenMode::ReadWrite);
            QVERIFY(store);
            Issues issues;
            const SweepFile sweep = sweepFileFromJson(file, issues);
            QVERIFY(issues.empty());
            auto runner = SweepRunner::open(*store, calm.home, calm.programs, sweep, ClusterSpec{}, {2, false, "test"},
                                            unixMillisecondsNow());
            QVERIFY(runner);
            QVERIFY(waitUntil(120 + 2.0 * trials, [&] {
                (void)runner->tick(unixMillisecondsNow());
                return runner->done();
            }));
            expected = rowsOf(*store);
        }
        QCOMPARE(expected.size(), std::size_t{trials});
        qInfo("undisturbed, here: %.1f s", monotonicSecondsNow() - begun);

        const FakeNodes fake;
        RunHome at;
        std::string hosts;
        for (int host = 0; host < kHosts; ++host) {
            NodeRecord node;
            node.name = node.host = "h" + std::to_string(host);
            node.trainer = at.programs.trainer.string();
            QVERIFY(writeNode(at.home, node, false));
            hosts += (host == 0 ? "" : ",") + node.name;
        }
        const auto path = at.temp.path() / "sweep.json";
        file["cluster"] = toJson(ClusterSpec{});
        QVERIFY(writeJsonFile(path, file));
        ::setenv("SLIPWAY_BIN_DIR", (std::string(SLIPWAY_BIN_DIR) + "/fake").c_str(), 1);
        unsigned done = 0;
        begun = monotonicSecondsNow();
        std::optional<ExitState> exit;
        while (!exit) {
            ProcessSpec spec;
            spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway",
                              "--home",
                              at.home.path.string(),
                              "sweep",
                              path.string(),
                              "--nodes",
                              hosts,
                              "--jobs",
                              "2"};
            spec.output = at.temp.path() / "driver.log";
            auto driver = Process::start(spec);
            QVERIFY(driver);
            const bool isLast = done >= kills;
            const double life = 0.1 + 0.001 * static_cast<double>(random() % (1000 * longestLife));
            if (driver->wait(isLast ? 300 + 5.0 * trials : life)) {
                exit = *driver->poll();
                break;
            }
            driver->signal(SIGKILL);
            QVERIFY(driver->wait(60));
            QVERIFY2(!isLast, "the sweep does not end");
            ++done;
        }
        ::unsetenv("SLIPWAY_BIN_DIR");
        const double seconds = monotonicSecondsNow() - begun;
        qInfo("%u trials, %u kills, seed %u: %.1f s, %.2f trials a second", trials, done, seed, seconds,
              trials / seconds);
        const std::string log = readFile(at.temp.path() / "driver.log").value_or("");
        QVERIFY2(exit->ok(), log.substr(log.size() - std::min<std::size_t>(log.size(), 6000)).c_str());
        auto store = RunStore::open(at.home, OpenMode::ReadWrite);
        QVERIFY(store);
        const Rows rows = rowsOf(*store);
        QCOMPARE(rows.size(), expected.size());
        for (const auto& [name, row] : expected) {
            QVERIFY2(rows.contains(name), name.c_str());
            QCOMPARE(rows.at(name).first, row.first);
            QCOMPARE(rows.at(name).second, row.second);
        }
        // Each run has trained once, however often its driver died.
        QCOMPARE(store->count({})->total, std::int64_t{trials});
        for (const auto& run : std::filesystem::directory_iterator(at.home.runs())) {
            const std::string stream = readFile(run.path() / "metrics.jsonl").value_or("");
            for (int step = 1; step <= 5; ++step)
                QCOMPARE(countOf(stream, "\"kind\":\"step\",\"step\":" + std::to_string(step) + ","), 1);
        }
    }
};

SLIPWAY_TEST_FULL(TstChaosSweepFull)
#include "tst_chaos_sweep.moc"
