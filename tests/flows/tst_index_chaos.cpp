// Several programs on one home at once, killed at random: launches, a sweep, rebuilds, a window, changes of tags, over a
// store with many runs. Afterwards every program must agree with an index that is built from the folders alone.
//   SLIPWAY_SOAK_SECONDS=600 tst_flows TstIndexChaosFull      SLIPWAY_CHAOS_SEED=7 tst_flows TstIndexChaos
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/store/reindex.h"
#include "tests/support/run_home.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <map>
#include <random>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

double secondsNow() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A program that is started again whenever it has ended, or was killed.
struct Actor {
    std::string name;
    std::vector<std::string> arguments;
    bool mayFail = false;  ///< another actor may have the sweep, or rebuild
    Process process{};
    int starts = 0, kills = 0;
};

class IndexChaos {
public:
    IndexChaos(unsigned seed, int numRuns) : m_random(seed) {
        fs::create_directories(m_bin);
        const fs::path built = SLIPWAY_BIN_DIR;
        for (const char* name : {"slipway", "slipway-agent", "slipway-gui"})
            if (fs::exists(built / name)) fs::create_symlink(built / name, m_bin / name);
        fs::create_symlink(built / "fake" / "slipway-trainer", m_bin / "slipway-trainer");
        m_environment = {"SLIPWAY_BIN_DIR=" + m_bin.string(),
                         "SLIPWAY_HOME=" + m_at.home.path.string(),
                         "QT_QPA_PLATFORM=offscreen",
                         "HOME=" + m_at.temp.path().string(),
                         "PATH=/usr/bin:/bin",
                         "LANG=C.UTF-8"};
        auto store = RunStore::open(m_at.home, OpenMode::ReadWrite);
        if (!store) qFatal("%s", store.error().text().c_str());
        m_seeded = seedRuns(*store, {.numRuns = numRuns, .numSteps = 20});
        if (!adoptFolders(*store, unixMillisecondsNow())) qFatal("adopt");
        const fs::path config = m_at.temp.path() / "config.json", sweep = m_at.temp.path() / "sweep.json";
        (void)writeJsonFile(config, toJson(tinyConfig("chaos [ms=10]", 40)));
        Json base = toJson(tinyConfig("trial [ms=3]", 20));
        base.erase("name");
        (void)writeJsonFile(
            sweep,
            Json{{"schema", 1},
                 {"name", "chaos"},
                 {"base", base},
                 {"axes",
                  Json::array({Json{{"field", "train.seed"}, {"values", Json::array({1, 2, 3, 4, 5, 6, 7, 8})}}})}});
        m_actors.push_back({"launch", {"slipway", "launch", config.string(), "--detach"}});
        m_actors.push_back({"launch too", {"slipway", "launch", config.string(), "--detach"}});
        m_actors.push_back({"sweep", {"slipway", "--batch", sweep.string(), "--json"}, true});
        m_actors.push_back({"reindex", {"slipway", "reindex"}, true});
        m_actors.push_back({"runs", {"slipway", "runs", "--json"}});
        m_actors.push_back({"tag", {"slipway", "tag", m_seeded.front().value, "chaos"}});
        if (fs::exists(m_bin / "slipway-gui")) m_actors.push_back({"window", {"slipway-gui"}});
    }

    std::string run(double seconds);

    int kills = 0;
    std::map<std::string, int> starts;

private:
    bool start(Actor& actor) {
        ProcessSpec spec;
        spec.arguments = actor.arguments;
        spec.arguments.front() = (m_bin / spec.arguments.front()).string();
        spec.environment = m_environment;
        spec.output = m_at.temp.path() / (actor.name + ".log");
        spec.newSession = true;
        auto started = Process::start(spec);
        if (!started) return false;
        actor.process = std::move(*started);
        ++starts[actor.name];
        return true;
    }
    /// Runs a command to its end and returns what it printed.
    std::string output(const std::vector<std::string>& arguments) {
        ProcessSpec spec;
        spec.arguments = arguments;
        spec.arguments.front() = (m_bin / spec.arguments.front()).string();
        spec.environment = m_environment;
        // Into a file: some thousand runs are more than captureOutput keeps.
        spec.output = m_at.temp.path() / "output";
        std::error_code ignored;
        fs::remove(spec.output, ignored);
        auto started = Process::start(spec);
        if (!started) return started.error().text();
        const auto& exit = started->wait(300);
        const auto text = readFile(spec.output);
        if (!text) return text.error().text();
        return exit && exit->ok() ? *text : "failed: " + *text;
    }
    [[nodiscard]] std::string deletedDescriptors() const {
        std::string found;
        for (const Actor& actor : m_actors) {
            if (!actor.process.running()) continue;
            std::error_code code;
            for (const auto& entry :
                 fs::directory_iterator("/proc/" + std::to_string(actor.process.pid()) + "/fd", code)) {
                const std::string target = fs::read_symlink(entry.path(), code).string();
                if (target.find("index.sqlite") != std::string::npos && target.ends_with(" (deleted)"))
                    found += actor.name + " holds " + target + "; ";
            }
        }
        return found;
    }
    std::string compare();

    RunHome m_at;
    fs::path m_bin{m_at.temp.path() / "bin"};
    std::vector<std::string> m_environment;
    std::vector<RunId> m_seeded;
    std::vector<Actor> m_actors;
    std::mt19937 m_random;
};

std::string IndexChaos::run(double seconds) {
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(m_random); };
    const double end = secondsNow() + seconds;
    while (secondsNow() < end) {
        for (Actor& actor : m_actors) {
            const auto& exit = actor.process.poll();
            if (exit && exit->signal == 0 && exit->code != 0 && !actor.mayFail)
                return actor.name + " ended with " + exit->text() + ": " +
                       readFile(m_at.temp.path() / (actor.name + ".log")).value_or("");
            if (!actor.process.running() && !start(actor)) return actor.name + " could not be started";
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(draw(1, 150)));
        if (const std::string deleted = deletedDescriptors(); !deleted.empty()) return deleted;
        if (draw(0, 2) != 0) continue;
        Actor& victim = m_actors[static_cast<std::size_t>(draw(0, static_cast<int>(m_actors.size()) - 1))];
        if (!victim.process.running()) continue;
        victim.process.signalGroup(SIGKILL);
        victim.process.wait(30);
        ++kills;
    }
    for (Actor& actor : m_actors) {
        if (actor.process.running()) actor.process.signalGroup(SIGKILL);
        actor.process.wait(30);
    }
    // What agents still run comes to its end.
    const std::string mark = "SLIPWAY_HOME=" + m_at.home.path.string();
    waitUntil(60, [&] { return processesWithEnvironment({mark}).empty(); });
    return compare();
}

std::string IndexChaos::compare() {
    const std::vector<std::string> list = {"slipway", "runs", "--all", "--limit", "1000000", "--json"};
    (void)output(list);  // finishes what was killed; the next one has nothing to do
    const std::string kept = output(list);
    {
        auto store = RunStore::open(m_at.home, OpenMode::ReadWrite);
        if (!store) return store.error().text();
        if (const auto sound = store->check(); !sound) return sound.error().text();
    }
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(m_at.home.index().string() + suffix);
    (void)output(list);
    const std::string rebuilt = output(list);
    const auto a = parseJson(kept, "kept"), b = parseJson(rebuilt, "rebuilt");
    if (!a || !b) return "no list: " + (a ? rebuilt : kept);
    if (a->size() < m_seeded.size()) return "only " + std::to_string(a->size()) + " runs are left";
    if (a->size() != b->size())
        return std::to_string(a->size()) + " runs in the index, " + std::to_string(b->size()) + " in the folders";
    std::map<std::string, Json> byId;
    for (const Json& run : *b) byId[run["run_id"].get<std::string>()] = run;
    for (const Json& run : *a) {
        const Json& other = byId[run["run_id"].get<std::string>()];
        for (const auto& [key, value] : run.items())
            if (!other.is_object() || other[key] != value)
                return run["run_id"].get<std::string>() + ": " + key + " is " + value.dump() + " in the index, " +
                       (other.is_object() ? other[key].dump() : "nothing") + " after a rebuild";
    }
    return {};
}

void runChaos(double seconds, int numRuns) {
    const char* given = std::getenv("SLIPWAY_CHAOS_SEED");
    const unsigned seed = given == nullptr ? randomEntropy() % 1000000 : static_cast<unsigned>(std::atoi(given));
    IndexChaos chaos(seed, numRuns);
    const std::string problem = chaos.run(seconds);
    std::string starts;
    for (const auto& [name, count] : chaos.starts) starts += ", " + name + " " + std::to_string(count);
    qInfo("seed %u: %d kills in %.0f s over %d runs; starts%s", seed, chaos.kills, seconds, numRuns,
          starts.substr(1).c_str());
    QVERIFY2(problem.empty(), ("seed " + std::to_string(seed) + ": " + problem).c_str());
    QVERIFY(chaos.kills > 0);
}

}  // namespace

class TstIndexChaos : public QObject {
    Q_OBJECT
private slots:
    void eightSeconds() { runChaos(8, 200); }
};

class TstIndexChaosFull : public QObject {
    Q_OBJECT
private slots:
    void aSoak() { runChaos(soakSeconds(), 2500); }
};

SLIPWAY_TEST(TstIndexChaos)
SLIPWAY_TEST_FULL(TstIndexChaosFull)
#include "tst_index_chaos.moc"
