// One home, two computers: a namespace of processes and host name of its own plays the other one. Its runs are watched from
// here, never judged, and a second attempt starts only when the first one is silent.
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "core/run/run_session.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

/// A run that was created here and is launched and followed on "other".
class OtherComputer {
public:
    explicit OtherComputer(const std::string& name, std::int64_t numSteps) {
        auto session = RunSession::create(store, at.home, {.config = tinyConfig(name, numSteps)}, unixMillisecondsNow(),
                                          at.programs);
        if (!session) qFatal("%s", session.error().text().c_str());
        id = session->id();
        folder = session->folder();
        ProcessSpec spec;
        spec.arguments = {"/usr/bin/unshare",
                          "--pid",
                          "--fork",
                          "--kill-child",
                          "--uts",
                          "--mount-proc",
                          "/bin/sh",
                          "-c",
                          "hostname other && exec \"$@\"",
                          "/bin/sh",
                          std::string(SLIPWAY_BIN_DIR) + "/fake/run_driver",
                          at.home.path.string(),
                          id.value,
                          SLIPWAY_BIN_DIR};
        spec.output = at.temp.path() / "driver.log";
        spec.newSession = true;
        auto started = Process::start(spec);
        if (!started) qFatal("%s", started.error().text().c_str());
        driver = std::move(*started);
    }
    ~OtherComputer() { driver.signalGroup(SIGKILL); }

    bool reaches(std::int64_t step) {
        return waitUntil(60, [&] {
            return readFile(folder.metrics()).value_or("").find("\"step\":" + std::to_string(step) + ",") !=
                   std::string::npos;
        });
    }
    RunSession attach() {
        auto session = RunSession::attach(store, at.home, id, unixMillisecondsNow(), at.programs);
        if (!session) qFatal("%s", session.error().text().c_str());
        return std::move(*session);
    }
    /// Its agent, ranks and driver: what a frozen computer is made of. Those of another test's computer are not its.
    std::set<std::int64_t> processes() const {
        std::set<std::int64_t> all;
        std::error_code gone;
        const fs::path here = fs::read_symlink("/proc/self/ns/uts");
        const fs::path there = fs::read_symlink("/proc/" + std::to_string(driver.pid()) + "/ns/uts", gone);
        if (gone || there == here) return all;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const std::int64_t pid = std::atoll(entry.path().filename().c_str());
            if (pid <= 1) continue;
            std::error_code code;
            const auto space = fs::read_symlink(entry.path() / "ns" / "uts", code);
            if (!code && space == there) all.insert(pid);
        }
        return all;
    }
    void signalAll(int number) const {
        for (const std::int64_t pid : processes()) ::kill(static_cast<pid_t>(pid), number);
    }
    /// Stops all of them. A process inside a system call, or one that waits for a core, stops only after that call: until
    /// then a heartbeat may still be put in place. A driver that stopped while it wrote the index would keep it locked, which no
    /// other computer does: it gets another moment.
    [[nodiscard]] bool freeze() const {
        return waitUntil(30, [&] {
            signalAll(SIGSTOP);
            const bool areStopped = std::ranges::all_of(processes(), [](std::int64_t pid) {
                const char state = processState(pid);
                return state == 'T' || state == 0;
            });
            if (areStopped && isIndexLocked()) signalAll(SIGCONT);
            return areStopped && !isIndexLocked();
        });
    }
    /// Whether a program holds a lock of writers on the index (SQLite's are on its -shm).
    [[nodiscard]] bool isIndexLocked() const {
        struct stat status {};
        if (::stat((at.home.index().string() + "-shm").c_str(), &status) != 0) return false;
        const std::string inode = ":" + std::to_string(status.st_ino) + " ";
        std::istringstream locks(readFile("/proc/locks").value_or(""));
        for (std::string line; std::getline(locks, line);)
            if (line.find(" WRITE ") != std::string::npos && line.find(inode) != std::string::npos) return true;
        return false;
    }
    /// Of the agent that wrote id.json last; 0 when there is none.
    [[nodiscard]] std::int64_t agentAttempt() const {
        const auto text = readFile(folder.agentFolder("local") / "id.json");
        const auto agent = text ? parseAgentId(*text, "id") : Result<AgentId>(fail(text.error()));
        return agent ? agent->attempt : 0;
    }
    [[nodiscard]] std::string meta() const { return readFile(folder.meta()).value_or(""); }
    [[nodiscard]] std::string statusInMeta() const {
        const auto json = parseJson(meta(), "meta");
        return json ? (*json)["status"].get<std::string>() : "";
    }

    RunHome at;
    RunStore store = std::move(*RunStore::open(at.home, OpenMode::ReadWrite));
    RunId id;
    RunDir folder;
    Process driver;
};

void setAge(const fs::path& path, std::int64_t seconds) {
    timespec times[2]{};
    ::clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

class TstHostsFlow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (::geteuid() != 0) QSKIP("needs root, to make namespaces");
        ProcessSpec spec;
        spec.arguments = {"/usr/bin/unshare", "--pid", "--fork", "--uts", "--mount-proc", "/bin/true"};
        spec.captureOutput = true;
        auto tried = Process::start(spec);
        const auto& exit = tried ? tried->wait(20) : std::optional<ExitState>();
        if (!exit || !exit->ok()) QSKIP("this kernel lets nobody make namespaces");
    }

    void aRunElsewhereIsWatchedAndNotJudged() {
        OtherComputer other("elsewhere [ms=20]", 150);
        QVERIFY(other.reaches(5));
        QVERIFY(waitUntil(20, [&] { return other.statusInMeta() == "running"; }));
        RunSession session = other.attach();
        std::string written = other.meta();
        std::string reason;
        for (int i = 0; i < 60 && !session.done(); ++i) {
            (void)session.poll(unixMillisecondsNow());
            reason = session.reason();
            // Only the other computer writes meta.json, and only while it follows its run.
            QVERIFY(other.statusInMeta() != "lost");
            ::usleep(20000);
        }
        QVERIFY2(session.status() == RunStatus::Running || session.done(), wordOf(session.status()).c_str());
        if (!session.done()) {
            QVERIFY2(reason.starts_with("running on other, last sign "), reason.c_str());
            QCOMPARE(other.store.run(other.id)->host, std::string("other"));
        }
        QVERIFY(RunHome::finish(session, 60));
        QCOMPARE(session.status(), RunStatus::Completed);
        QCOMPARE(other.store.series(other.id, "loss")->size(), std::size_t{150});
        const auto& exit = other.driver.wait(30);
        QVERIFY(exit && exit->ok());
        QCOMPARE(other.statusInMeta(), std::string("completed"));
        QCOMPARE(other.store.run(other.id)->host, std::string());
    }

    void aFrozenComputerIsNotLost() {
        OtherComputer other("frozen [ms=20]", 2000);
        QVERIFY(other.reaches(5));
        QVERIFY(waitUntil(30, [&] { return other.agentAttempt() == 1; }));  // its ranks may be ahead of its own files
        QVERIFY(other.freeze());
        const std::string before = other.meta();
        RunSession session = other.attach();
        for (int i = 0; i < 40; ++i) {
            (void)session.poll(unixMillisecondsNow() + 3600 * 1000 * i);  // hours of it
            ::usleep(5000);
        }
        QVERIFY(!session.done());
        QCOMPARE(session.status(), RunStatus::Running);
        QCOMPARE(other.meta(), before);
        // Its heartbeat is new: no second attempt.
        QCOMPARE(session.resume(unixMillisecondsNow()).error().code, std::string("still_running"));
        // Its heartbeat is old, but its lock reaches this computer.
        setAge(other.folder.agentFolder("local") / "heartbeat.json", 600);
        QVERIFY(session.resume(unixMillisecondsNow()).error().message.find("still exists") != std::string::npos);
        QCOMPARE(other.meta(), before);
        // A file system without such locks: the second attempt runs here, and the first one ends when it wakes up.
        const auto frozen = other.processes();
        fs::remove(other.folder.agentFolder("local") / "lock");
        const auto resumed = session.resume(unixMillisecondsNow());
        QVERIFY2(resumed, resumed ? "" : resumed.error().text().c_str());
        QVERIFY(waitUntil(30, [&] {
            (void)session.poll(unixMillisecondsNow());
            return session.status() == RunStatus::Running && session.attempt() == 2;
        }));
        QVERIFY(waitUntil(30, [&] { return other.agentAttempt() == 2; }));  // written after the first heartbeat
        const std::string rank = "SLIPWAY_ATTEMPT=1";
        QVERIFY(!processesWithEnvironment({"SLIPWAY_RUN_ID=" + other.id.value, rank}).empty());
        for (const std::int64_t pid : frozen) ::kill(static_cast<pid_t>(pid), SIGCONT);
        QVERIFY(waitUntil(30, [&] {
            return processesWithEnvironment({"SLIPWAY_RUN_ID=" + other.id.value, rank}).empty();
        }));
        const fs::path record = other.folder.agentFolder("local") / "attempt_0001" / "exit.json";
        QVERIFY(waitUntil(30, [&] { return fs::exists(record); }));
        const auto exit = parseAgentExit(*readFile(record), "exit");
        QCOMPARE(exit->reason, std::string("superseded"));
        QVERIFY(session.kill(unixMillisecondsNow()));
        QVERIFY(RunHome::finish(session, 30));
    }
};

SLIPWAY_TEST(TstHostsFlow)
#include "tst_hosts_flow.moc"
