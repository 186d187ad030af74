#include "core/base/json.h"
#include "core/run/follow.h"
#include "tests/support/fake_launcher.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr std::int64_t kStart = 1000000;

struct Followed {
    FakeLauncher launcher;
    AttemptFollower follower;
    std::int64_t now = kStart;

    explicit Followed(std::vector<std::string> nodes = {"a"})
        : follower(LaunchHandle{"fake", "run1", 2, "/x", std::move(nodes), ""}, kStart) {}
    AttemptOutcome look(std::int64_t milliseconds = 100) {
        now += milliseconds;
        follower.ask(launcher, now);
        for (const LaunchEvent& event : launcher.poll(0)) (void)follower.take(event, now);
        return follower.outcome(now);
    }
    void leaveExit(const std::string& node, std::int64_t attempt = 2) {
        AgentExit exit;
        exit.attempt = attempt;
        exit.node = node;
        exit.reason = "completed";
        launcher.files["agent/" + node + "/exit.json"] = dumpJson(toJson(exit), true);
    }
    void beat(const std::string& node, std::int64_t counter) {
        AgentHeartbeat beat;
        beat.attempt = 2;
        beat.node = node;
        beat.counter = counter;
        launcher.files["agent/" + node + "/heartbeat.json"] = dumpJson(toJson(beat), true);
    }
};

}  // namespace

class TstFollow : public QObject {
    Q_OBJECT

private slots:
    void seesAnAttemptThrough() {
        Followed at;
        QCOMPARE(at.look(), AttemptOutcome::Waiting);
        at.launcher.presences["a"] = AgentPresence::Alive;
        QCOMPARE(at.look(), AttemptOutcome::Alive);
        at.leaveExit("a");
        QCOMPARE(at.look(), AttemptOutcome::Ended);
        QCOMPARE(at.follower.exits().size(), std::size_t(1));
    }

    void waitsForAllNodes() {
        Followed at({"a", "b"});
        at.launcher.presences = {{"a", AgentPresence::Alive}, {"b", AgentPresence::Alive}};
        at.leaveExit("a");
        QCOMPARE(at.look(), AttemptOutcome::Alive);
        at.launcher.presences["b"] = AgentPresence::Gone;
        QCOMPARE(at.look(), AttemptOutcome::Gone);
        at.leaveExit("b");
        QCOMPARE(at.look(), AttemptOutcome::Ended);
    }

    void ignoresTheRecordOfAnEarlierAttempt() {
        Followed at;
        at.leaveExit("a", 1);
        at.launcher.presences["a"] = AgentPresence::Alive;
        QCOMPARE(at.look(), AttemptOutcome::Alive);
    }

    // "Cannot reach" is never "gone".
    void aDeadLinkEndsNothing() {
        Followed at;
        at.launcher.presences["a"] = AgentPresence::Alive;
        QCOMPARE(at.look(), AttemptOutcome::Alive);
        at.launcher.cut = true;
        for (int i = 0; i < 100; ++i) {
            const AttemptOutcome outcome = at.look(60000);
            QVERIFY(outcome == AttemptOutcome::Alive || outcome == AttemptOutcome::Waiting);
        }
        at.launcher.cut = false;
        at.leaveExit("a");
        QCOMPARE(at.look(), AttemptOutcome::Ended);
    }

    void givesUpWhatNobodyStarted() {
        Followed at;
        QCOMPARE(at.look(AttemptFollower::kStartMilliseconds - 100), AttemptOutcome::Waiting);
        QCOMPARE(at.look(1000), AttemptOutcome::NeverStarted);
        Followed none(std::vector<std::string>{});
        QCOMPARE(none.look(AttemptFollower::kStartMilliseconds + 1), AttemptOutcome::NeverStarted);
    }

    void saysThatTheStartFailed() {
        Followed at;
        at.launcher.startFails = true;
        at.follower.expectStart(at.launcher.start({}, {}));
        (void)at.look();
        QCOMPARE(at.look(), AttemptOutcome::StartFailed);
        QCOMPARE(at.follower.startError().code, std::string("agent_failed"));
    }

    // The agent's own record says more than the failed start.
    void prefersTheRecordOfAFailedStart() {
        Followed at;
        at.launcher.startFails = true;
        at.follower.expectStart(at.launcher.start({}, {}));
        at.leaveExit("a");
        (void)at.look();
        QCOMPARE(at.look(), AttemptOutcome::Ended);
    }

    void tellsOnceThatAnAgentIsSilent() {
        Followed at;
        at.launcher.presences["a"] = AgentPresence::Alive;
        at.beat("a", 1);
        (void)at.look();
        QVERIFY(at.follower.takeProblems(at.now).empty());
        (void)at.look(AttemptFollower::kSilentMilliseconds + 1000);
        const auto problems = at.follower.takeProblems(at.now);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(problems[0].code, std::string("agent_silent"));
        QVERIFY(at.follower.takeProblems(at.now).empty());
        at.beat("a", 2);
        (void)at.look(2000);
        QVERIFY(at.follower.takeProblems(at.now).empty());
        QCOMPARE(at.follower.heartbeats()[0].counter, 2);
    }

    void passesTheVersionNoteOn() {
        Followed at;
        at.launcher.presences["a"] = AgentPresence::Alive;
        AgentId id;
        id.attempt = 2;
        id.versionNote = "versions differ";
        at.launcher.files["agent/a/id.json"] = dumpJson(toJson(id), true);
        (void)at.look();
        (void)at.look();
        const auto problems = at.follower.takeProblems(at.now);
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(problems[0].message, std::string("versions differ"));
    }

    void survivesRubbish() {
        Followed at;
        at.launcher.presences["a"] = AgentPresence::Alive;
        at.launcher.files["agent/a/exit.json"] = "{\"attempt\": ";
        at.launcher.files["agent/a/heartbeat.json"] = "[[[";
        QCOMPARE(at.look(), AttemptOutcome::Alive);
        QVERIFY(!at.follower.takeProblems(at.now).empty());
    }
};

SLIPWAY_TEST(TstFollow)
#include "tst_follow.moc"
