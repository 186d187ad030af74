// The local launcher with real agents: starting twice, presence, reading files, programs that answer or do not.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/launch/launch_plan.h"
#include "core/launch/local_launcher.h"
#include "core/process/proc_facts.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <algorithm>
#include <cstdlib>

using namespace slipway;
using namespace slipway::test;

namespace {

struct Prepared {
    TempDir temp;
    RunDir folder{temp.path() / "run"};
    Programs programs{std::filesystem::path(SLIPWAY_BIN_DIR) / "slipway-agent",
                      std::filesystem::path(SLIPWAY_BIN_DIR) / "fake" / "slipway-trainer"};
    LaunchPlan plan;

    Prepared() {
        std::filesystem::create_directories(folder.path);
        RunConfig config;
        config.name = "launch [ms=10]";
        config.train.numSteps = 100000;
        (void)writeJsonFile(folder.config(), toJson(config));
        LaunchRequest request;
        request.run = RunId(temp.path().filename().string());  // of its own, see tst_agent.cpp
        request.folder = folder;
        request.trainer = programs.trainer;
        request.createdUnixMilliseconds = unixMillisecondsNow();
        request.version = versionText();
        plan = *makeLaunchPlan(config, request);
        (void)writeJsonFile(folder.launch(), toJson(plan));
    }
};

LaunchEvent answer(LocalLauncher& launcher, RequestId request) {
    LaunchEvent found;
    waitUntil(120, [&] {
        for (LaunchEvent& event : launcher.poll(monotonicSecondsNow()))
            if (event.request == request) found = std::move(event);
        return found.request == request;
    });
    return found;
}

/// Agents that were started for this run folder, without one of them.
std::vector<pid_t> agentsOf(const std::filesystem::path& folder, pid_t but) {
    std::vector<pid_t> agents;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const pid_t pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
        if (pid <= 0 || pid == but) continue;
        const std::string command = readFile(entry.path() / "cmdline").value_or("");
        if (command.find("slipway-agent") != std::string::npos && command.find(folder.string()) != std::string::npos)
            agents.push_back(pid);
    }
    return agents;
}

}  // namespace

class TstLocalLauncher : public QObject {
    Q_OBJECT

private slots:
    void startsOnceAndKills() {
        Prepared at;
        LocalLauncher launcher(at.programs);
        const LaunchHandle handle = handleOf(at.plan, at.folder);
        QCOMPARE(answer(launcher, launcher.presence(handle, "local")).presence, AgentPresence::NotStarted);
        QCOMPARE(answer(launcher, launcher.start(at.plan, at.folder)).kind, LaunchEvent::Kind::Started);
        QCOMPARE(answer(launcher, launcher.presence(handle, "local")).presence, AgentPresence::Alive);

        const LaunchEvent twice = answer(launcher, launcher.start(at.plan, at.folder));
        QCOMPARE(twice.kind, LaunchEvent::Kind::Failed);
        QCOMPARE(twice.error.code, std::string("already_started"));

        // A second attempt must wait for the first.
        LaunchPlan next = at.plan;
        next.attempt = 2;
        QVERIFY(writeJsonFile(at.folder.launch(), toJson(next)));
        const LaunchEvent early = answer(launcher, launcher.start(next, at.folder));
        QCOMPARE(early.error.code, std::string("agent_failed"));
        QVERIFY2(early.error.message.find("still runs") != std::string::npos, early.error.message.c_str());

        QVERIFY(waitUntil(120, [&] {
            return answer(launcher, launcher.readFrom(handle, "local", "metrics.jsonl", 0)).fileBytes > 0;
        }));
        const LaunchEvent tail = answer(launcher, launcher.readFrom(handle, "local", "launch.json", -5));
        QCOMPARE(tail.bytes.size(), std::size_t(5));
        QCOMPARE(tail.offset, tail.fileBytes - 5);
        QVERIFY(answer(launcher, launcher.readFrom(handle, "local", "no such file", 0)).missing);

        QCOMPARE(answer(launcher, launcher.stop(handle, StopKind::Kill)).kind, LaunchEvent::Kind::Stopped);
        QVERIFY(waitUntil(
            120, [&] { return answer(launcher, launcher.presence(handle, "local")).presence == AgentPresence::Gone; }));
        const auto exit = parseAgentExit(*readFile(at.folder.agentFolder("local") / "exit.json"), "exit.json");
        QVERIFY(exit);
        QCOMPARE(exit->reason, std::string("killed"));
    }

    // Between writing its exit.json and its end an agent is in nobody's way.
    void handsOverFromAnAgentThatIsEnding() {
        Prepared at;
        LocalLauncher launcher(at.programs);
        const LaunchHandle handle = handleOf(at.plan, at.folder);
        QCOMPARE(answer(launcher, launcher.start(at.plan, at.folder)).kind, LaunchEvent::Kind::Started);
        const auto home = at.folder.agentFolder("local");
        std::vector<RankState> ranks;
        QVERIFY(waitUntil(120, [&] {
            const auto text = readFile(home / "heartbeat.json");
            const auto beat = text ? parseAgentHeartbeat(*text, "heartbeat.json") : fail(text.error());
            if (beat) ranks = beat->ranks;
            return !ranks.empty() && ranks.front().pid > 0;
        }));
        const auto id = parseAgentId(*readFile(home / "id.json"), "id.json");
        QVERIFY(id);
        const auto agent = static_cast<pid_t>(id->pid);
        QCOMPARE(::kill(agent, SIGSTOP), 0);
        for (const RankState& rank : ranks) ::kill(static_cast<pid_t>(rank.pid), SIGKILL);
        // A signal is sent at once, a process ends when it is scheduled: its agent sleeps, so it stays a zombie.
        QVERIFY(waitUntil(120, [&] {
            return std::all_of(ranks.begin(), ranks.end(), [](const RankState& rank) {
                const char state = processState(static_cast<pid_t>(rank.pid));
                return state != 'R' && state != 'S' && state != 'D';
            });
        }));
        QCOMPARE(answer(launcher, launcher.presence(handle, "local")).presence, AgentPresence::Alive);
        AgentExit exit;
        exit.attempt = 1;
        QVERIFY(writeJsonFile(home / "exit.json", toJson(exit)));
        QCOMPARE(answer(launcher, launcher.presence(handle, "local")).presence, AgentPresence::Gone);

        LaunchPlan next = at.plan;
        next.attempt = 2;
        QVERIFY(writeJsonFile(at.folder.launch(), toJson(next)));
        const RequestId request = launcher.start(next, at.folder);
        // The second agent sleeps between its looks at the lock.
        int asleep = 0;
        QVERIFY(waitUntil(120, [&] {
            const auto agents = agentsOf(at.folder.path, agent);
            const bool sleeps = !agents.empty() && std::all_of(agents.begin(), agents.end(),
                                                               [](pid_t pid) { return processState(pid) == 'S'; });
            asleep = sleeps ? asleep + 1 : 0;
            return asleep >= 5;
        }));
        QCOMPARE(::kill(agent, SIGCONT), 0);
        const LaunchEvent event = answer(launcher, request);
        QVERIFY2(event.kind == LaunchEvent::Kind::Started, event.error.message.c_str());
        QCOMPARE(answer(launcher, launcher.stop(handleOf(next, at.folder), StopKind::Kill)).kind,
                 LaunchEvent::Kind::Stopped);
        QVERIFY(waitUntil(120, [&] {
            return answer(launcher, launcher.presence(handleOf(next, at.folder), "local")).presence ==
                   AgentPresence::Gone;
        }));
    }

    void saysWhyAnAgentDoesNotStart() {
        Prepared at;
        at.plan.nodes[0].ranks[0].arguments[0] = "/no/such/trainer";
        QVERIFY(writeJsonFile(at.folder.launch(), toJson(at.plan)));
        LocalLauncher launcher(at.programs);
        const LaunchEvent event = answer(launcher, launcher.start(at.plan, at.folder));
        QCOMPARE(event.kind, LaunchEvent::Kind::Failed);
        QVERIFY2(event.error.message.find("/no/such/trainer") != std::string::npos, event.error.message.c_str());
        const auto exit = parseAgentExit(*readFile(at.folder.agentFolder("local") / "exit.json"), "exit.json");
        QVERIFY(exit);
        QCOMPARE(exit->reason, std::string("start_failed"));
    }

    void asksForVersionsOnce() {
        TempDir temp;
        const auto cache = temp.path() / "programs.json";
        const auto program = temp.path() / "program";
        QVERIFY(writeFileAtomically(
            program, "#!/bin/sh\necho called >> " + (temp.path() / "calls").string() + "\necho program 1.2.3\n"));
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        QCOMPARE(*programVersion(program, cache), std::string("1.2.3"));
        QCOMPARE(*programVersion(program, cache), std::string("1.2.3"));
        QCOMPARE(*readFile(temp.path() / "calls"), std::string("called\n"));
        QVERIFY(writeFileAtomically(program, "#!/bin/sh\necho program 1.2.4 now\n"));
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        QCOMPARE(*programVersion(program, cache), std::string("1.2.4 now"));
        QCOMPARE(programVersion(temp.path() / "missing", cache).error().code, std::string("program_missing"));
        QCOMPARE(programOutput({"/bin/sh", "-c", "echo oops >&2; exit 3"}, 10).error().message,
                 std::string("The program ended with exit code 3: oops"));
        QCOMPARE(programOutput({"/bin/sleep", "60"}, 0.1).error().code, std::string("program_slow"));
    }
};

SLIPWAY_TEST(TstLocalLauncher)
#include "tst_local_launcher.moc"
