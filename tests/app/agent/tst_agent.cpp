// The agent program itself: detaching, hangs, full disks, being asked to stop.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "core/spec/system_notes.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <random>
#include <set>

using namespace slipway;
using namespace slipway::test;

namespace {

struct Folder {
    TempDir temp;
    RunDir run{temp.path() / "run"};
    LaunchPlan plan;

    explicit Folder(const std::string& script, std::int64_t ranks = 1, std::int64_t steps = 100000) {
        std::filesystem::create_directories(run.path);
        prepare(script, ranks, steps);
    }
    void prepare(const std::string& script, std::int64_t ranks, std::int64_t steps) {
        RunConfig config;
        config.name = "agent [" + script + "]";
        config.train.numSteps = steps;
        config.parallel.dp = ranks;
        (void)writeJsonFile(run.config(), toJson(config));
        plan = {};
        plan.runId = runId();
        plan.graceSeconds = 0.5;
        NodePlan node{"here", {}};
        for (std::int64_t r = 0; r < ranks; ++r) {
            RankCommand command{r,
                                r,
                                {std::string(SLIPWAY_BIN_DIR) + "/fake/slipway-trainer", "--config",
                                 run.config().string(), "--run-dir", run.path.string()},
                                {},
                                {}};
            command.environment = {"RANK=" + std::to_string(r), "WORLD_SIZE=" + std::to_string(ranks),
                                   "SLIPWAY_RUN_ID=" + runId(), "SLIPWAY_ATTEMPT=1", "SLIPWAY_NODE=here"};
            node.ranks.push_back(command);
        }
        plan.nodes = {node};
    }
    // Of its own: agents sweep up every process that carries their run's id, also those of a test running beside this
    // one.
    [[nodiscard]] std::string runId() const { return temp.path().filename().string(); }
    [[nodiscard]] std::int64_t pidOf(std::int64_t rank) const {
        const auto pids = processesWithEnvironment({"SLIPWAY_RUN_ID=" + runId(), "RANK=" + std::to_string(rank)});
        return pids.empty() ? 0 : pids.front();
    }
    ExitState start(bool foreground = false) {
        (void)writeJsonFile(run.launch(), toJson(plan));
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway-agent", "--run-dir", run.path.string(), "--node",
                          "here"};
        if (foreground) spec.arguments.push_back("--foreground");
        spec.captureOutput = true;
        spec.newSession = true;
        auto process = Process::start(spec);
        if (!process || !process->wait(foreground ? 60 : 20)) return {255, 0};
        words = process->errorOutput();
        return *process->poll();
    }
    Result<AgentExit> exit(double seconds = 20) {
        const auto path = run.agentFolder("here") / "exit.json";
        waitUntil(seconds, [&] { return std::filesystem::exists(path); });
        const auto text = readFile(path);
        return text ? parseAgentExit(*text, "exit.json") : Result<AgentExit>(fail(text.error()));
    }
    AgentId id() { return *parseAgentId(*readFile(run.agentFolder("here") / "id.json"), "id.json"); }
    bool getsOn() {
        return waitUntil(10,
                         [&] { return readFile(run.metrics()).value_or("").find("\"step\":3") != std::string::npos; });
    }
    std::string words;
};

}  // namespace

class TstAgent : public QObject {
    Q_OBJECT

private slots:
    // Whatever strings a config or a person brings, a rank gets these bytes and nothing runs them: 500 of random pieces that shells,
    // paths and terminals take for more than text.
    void handsHostileStringsOnByteForByte() {
        const std::vector<std::string> pieces = {"$(touch owned)",
                                                 "`touch owned`",
                                                 "; touch owned;",
                                                 "| touch owned",
                                                 "\n",
                                                 "\r",
                                                 "\t",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "$HOME",
                                                 "${IFS}",
                                                 "*",
                                                 "~",
                                                 "&&",
                                                 ">owned",
                                                 "<",
                                                 "-oProxyCommand=x",
                                                 "--",
                                                 "=",
                                                 "../../.ssh/authorized_keys",
                                                 "/etc/passwd",
                                                 "%s%n",
                                                 "\x1b[2J",
                                                 "\x01",
                                                 "\xe2\x80\xae",
                                                 "\xed\x95\x9c",
                                                 " ",
                                                 "",
                                                 "#",
                                                 "!!",
                                                 "{a,b}",
                                                 "CON",
                                                 "\x7f"};
        const unsigned seed = std::random_device{}();
        qInfo("seed %u", seed);
        std::mt19937 random(seed);
        std::vector<std::string> corpus = pieces;
        corpus.emplace_back(5000, 'x');
        while (corpus.size() < 500) {
            std::string text;
            for (auto part = random() % 6 + 1; part > 0; --part) text += pieces[random() % pieces.size()];
            corpus.push_back(std::move(text));
        }
        Folder at("ms=1");
        RankCommand& rank = at.plan.nodes.front().ranks.front();
        const auto out = at.temp.path() / "out";
        std::filesystem::create_directories(out);
        rank.arguments = {"/bin/sh", "-c",
                          "cd \"$1\" && cat /proc/$$/cmdline >arguments && cat /proc/$$/environ >environment", "sh",
                          out.string()};
        for (std::size_t i = 0; i < corpus.size(); ++i) {
            rank.arguments.push_back(corpus[i]);
            rank.environment.push_back("HOSTILE_" + std::to_string(i) + "=" + corpus[i]);
        }
        QVERIFY(at.start(true).ok());
        const auto piecesOf = [](const std::string& bytes) {
            std::vector<std::string> all;
            for (std::size_t from = 0, to = 0; (to = bytes.find('\0', from)) != std::string::npos; from = to + 1)
                all.push_back(bytes.substr(from, to - from));
            return all;
        };
        QVERIFY(piecesOf(readFile(out / "arguments").value_or("")) == rank.arguments);
        const auto got = piecesOf(readFile(out / "environment").value_or(""));
        const std::set<std::string> environment(got.begin(), got.end());
        for (const std::string& entry : rank.environment) QVERIFY2(environment.contains(entry), entry.c_str());
        for (const auto& entry : std::filesystem::recursive_directory_iterator(at.temp.path()))
            QVERIFY2(entry.path().filename() != "owned", entry.path().c_str());
        QVERIFY(!std::filesystem::exists("owned"));
    }

    void leavesTheSessionOfItsStarter() {
        Folder at("ms=10");
        QVERIFY(at.start().ok());
        const AgentId id = at.id();
        QVERIFY(isAlive({id.pid, id.startTicks, id.bootId}));
        QVERIFY(::getsid(static_cast<pid_t>(id.pid)) != ::getsid(0));
        QVERIFY(::getsid(static_cast<pid_t>(id.pid)) !=
                static_cast<pid_t>(id.pid));  // not its leader: it can get no terminal
        QVERIFY(at.getsOn());
        ::kill(static_cast<pid_t>(id.pid), SIGTERM);
        const auto exit = at.exit();
        QVERIFY(exit);
        QCOMPARE(exit->reason, std::string("stopped"));
        QCOMPARE(exit->code, 14);
        QVERIFY(!std::filesystem::exists(at.run.agentFolder("here") / "system.json"));
        QVERIFY(waitUntil(5, [&] { return !isAlive({id.pid, id.startTicks, id.bootId}); }));
        QCOMPARE(at.start().code, 4);  // the attempt is over; starting it again must not run it again
    }

    void endsThePeersOfADeadRank() {
        Folder at("ms=10,deaf", 3);
        QVERIFY(at.start().ok());
        QVERIFY(at.getsOn());
        const std::int64_t victim = at.pidOf(1);
        QVERIFY(victim > 0);
        const std::int64_t before = unixMillisecondsNow();
        ::kill(static_cast<pid_t>(victim), SIGKILL);
        const auto exit = at.exit();
        QVERIFY(exit);
        QVERIFY(unixMillisecondsNow() - before < 5000);
        QCOMPARE(exit->reason, std::string("rank_killed"));
        QCOMPARE(*exit->firstFailedRank, 1);
        QCOMPARE(exit->ranks.size(), std::size_t(3));
        QVERIFY(!exit->ranks[1].endedByAgent && exit->ranks[0].endedByAgent && exit->ranks[2].endedByAgent);
        // What the system tells of the end is there before the record of it.
        const auto text = readFile(at.run.agentFolder("here") / "system.json");
        QVERIFY(text);
        const auto notes = parseSystemNotes(*text, "system.json");
        QVERIFY2(notes, notes ? "" : notes.error().text().c_str());
        QCOMPARE(notes->node, std::string("here"));
        QCOMPARE(notes->attempt, at.plan.attempt);
        QVERIFY(notes->kernel.empty() || notes->unread.empty());
    }

    void findsAHang() {
        Folder at("hang@4,deaf");
        at.plan.hangSeconds = 1;
        QVERIFY(at.start().ok());
        const auto exit = at.exit();
        QVERIFY(exit);
        QCOMPARE(exit->reason, std::string("hang"));
        QVERIFY2(exit->detail.find("no progress for 1 s") != std::string::npos, exit->detail.c_str());
    }

    void namesARankThatIsStopped() {
        Folder at("ms=10");
        at.plan.hangSeconds = 1;
        QVERIFY(at.start().ok());
        QVERIFY(at.getsOn());
        QVERIFY(at.pidOf(0) > 0);
        ::kill(static_cast<pid_t>(at.pidOf(0)), SIGSTOP);
        const auto exit = at.exit();
        QVERIFY(exit);
        QVERIFY2(exit->detail.find("rank 0 is stopped") != std::string::npos, exit->detail.c_str());
    }

    void givesItsCodeInTheForeground() {
        Folder at("exit@3=11");
        QCOMPARE(at.start(true).code, 11);
        Folder good("", 1, 5);
        QVERIFY(good.start(true).ok());
    }

    void refusesWhatItCannotDo() {
        Folder at("");
        at.plan.nodes[0].node = "elsewhere";
        const ExitState exit = at.start();
        QCOMPARE(exit.code, 3);
        QVERIFY2(at.words.find("no ranks for node here") != std::string::npos, at.words.c_str());
    }

    void saysThatVersionsDiffer() {
        Folder at("", 1, 3);
        at.plan.version = "9.9.9";
        QVERIFY(at.start().ok());
        QVERIFY(at.exit());
        QVERIFY2(at.id().versionNote.find("9.9.9") != std::string::npos, at.id().versionNote.c_str());
    }

    // A tmpfs of 2 MiB, filled while the run goes on: it stops with the disk named, its record is written, no line is
    // lost.
    void survivesAFullDisk() {
        const SmallDisk disk("2m");
        if (!disk.mounted()) QSKIP("mounting a small tmpfs needs root");
        Folder at("ms=10");
        at.run.path = disk.path() / "run";
        std::filesystem::create_directories(at.run.path);
        at.prepare("ms=10", 1, 100000);
        QVERIFY(at.start().ok());
        QVERIFY(at.getsOn());
        auto filler = AppendFile::open(disk.path() / "filler");
        QVERIFY(filler);
        const std::string block(4096, 'x');
        const bool full = waitUntil(20, [&] {
            for (int i = 0; i < 100; ++i) (void)filler->append(block);
            return std::filesystem::exists(at.run.agentFolder("here") / "exit.json");
        });
        QVERIFY(full);
        const auto exit = at.exit();
        QVERIFY(exit);
        QCOMPARE(exit->code, 15);
        QCOMPARE(exit->reason, std::string("disk_full"));
        const std::string stream = *readFile(at.run.metrics());
        QVERIFY(!stream.empty() && stream.back() == '\n');
        const AgentId id = at.id();
        QVERIFY(waitUntil(5, [&] { return !isAlive({id.pid, id.startTicks, id.bootId}); }));
    }
};

SLIPWAY_TEST(TstAgent)
#include "tst_agent.moc"
