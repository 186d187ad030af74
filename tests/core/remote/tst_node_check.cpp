#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/remote/ask_door.h"
#include "core/remote/node_check.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr const char* kKey = "SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U";
const std::string kQuestion =
    std::string("The authenticity of host 'a (10.0.0.1)' can't be established.\nED25519 key fingerprint is ") + kKey +
    ".\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ";

NodeRecord nodeOf(const std::string& name) {
    NodeRecord node;
    node.name = node.host = name;
    node.trainer = std::string(SLIPWAY_BIN_DIR) + "/fake/slipway-trainer";
    return node;
}

/// "reach=ok host_key=failed(host_key_unknown) login=not_reached ..." of the steps up to the first that was not reached.
std::string stepsOf(const NodeCheck& check) {
    std::string text;
    for (const NodeStep& step : check.steps()) {
        text += (text.empty() ? "" : " ") + step.key + "=" + wordOf(step.state) +
                (step.code.empty() ? "" : "(" + step.code + ")");
        if (step.state == NodeStep::State::NotReached) break;
    }
    return text;
}

NodeCheck& finished(NodeCheck& check) {
    waitUntil(60, [&] {
        check.poll(monotonicSecondsNow(), unixMillisecondsNow());
        return check.done();
    });
    return check;
}

SshOptions options(const std::string& fingerprint = {}) {
    SshOptions made;
    made.questions = SshQuestions::HostKey;
    made.agent = std::filesystem::path(SLIPWAY_BIN_DIR) / "slipway-agent";
    made.fingerprint = fingerprint;
    return made;
}

}  // namespace

class TstNodeCheck : public QObject {
    Q_OBJECT

private slots:
    void passesStepByStep() {
        const FakeNodes fake;
        NodeCheck check(nodeOf("a"), options(), versionText());
        QVERIFY(!check.done());
        finished(check);
        for (const NodeStep& step : check.steps()) {
            // A computer without a network has no interface to others; the check says so.
            if (step.key == "interface" && step.code == "no_interface") continue;
            QVERIFY2(step.state == NodeStep::State::Ok, (step.key + ": " + textOf(step.text)).c_str());
            QVERIFY(!textOf(step.text).empty());
        }
        QVERIFY(check.facts().cpus > 0);
        QVERIFY(check.facts().freeDiskBytes > 0);
        QCOMPARE(check.facts().trainerVersion, versionText());
    }

    void namesTheStepThatFails_data() {
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("steps");
        QTest::newRow("name") << "ssh: Could not resolve hostname a: Name or service not known"
                              << "reach=failed(unknown_host) host_key=not_reached";
        QTest::newRow("changed key")
            << "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed."
            << "reach=ok host_key=failed(host_key_changed) login=not_reached";
        QTest::newRow("login") << "anna@a: Permission denied (publickey)."
                               << "reach=ok host_key=ok login=failed(permission_denied) agent=not_reached";
    }
    void namesTheStepThatFails() {
        const FakeNodes fake;
        QFETCH(QString, says);
        fake.set("a", "says", says.toStdString());
        NodeCheck check(nodeOf("a"), options(), versionText());
        QTEST(QString::fromStdString(stepsOf(finished(check))), "steps");
        QVERIFY(!check.passed());
    }

    // An unknown key is shown and not taken; the fingerprint that the person names is, another one is not.
    void takesAHostKeyOnlyByItsFingerprint() {
        const FakeNodes fake;
        fake.set("a", "asks", kQuestion);
        for (const char* accepted : {"", "SHA256:AAAASCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2"}) {
            NodeCheck check(nodeOf("a"), options(accepted), versionText());
            QCOMPARE(stepsOf(finished(check)),
                     std::string("reach=ok host_key=failed(host_key_unknown) login=not_reached"));
            QCOMPARE(check.hostKey(), std::string("ED25519 ") + kKey);
            QVERIFY(textOf(check.steps()[1].text).find(kKey) != std::string::npos);
        }
        NodeCheck check(nodeOf("a"), options(kKey), versionText());
        finished(check);
        QCOMPARE(check.steps()[3].state, NodeStep::State::Ok);
    }
    void answersNoOtherQuestion() {
        const FakeNodes fake;
        fake.set("a", "asks", std::string("anna@a's password (") + kKey + "): ");
        NodeCheck check(nodeOf("a"), options(kKey), versionText());
        QVERIFY(stepsOf(finished(check)).starts_with("reach=ok host_key=failed"));
    }

    // A person's answer goes through the door, and ssh is told nothing but where that is.
    void handsPasswordsOnToAPerson() {
        const FakeNodes fake;
        const std::string question = std::string("anna@a's password (") + kKey + "): ";
        fake.set("a", "asks", question);
        for (const std::string answer : {"yes", "wrong"}) {
            auto door = AskDoor::open();
            QVERIFY(door);
            SshOptions asking = options();
            asking.askSocket = door->socket();
            NodeCheck check(nodeOf("a"), asking, versionText());
            waitUntil(60, [&] {
                check.poll(monotonicSecondsNow(), unixMillisecondsNow());
                if (const auto& asked = door->poll()) {
                    if (asked->text != question) return true;
                    door->answer(answer);
                }
                return check.done();
            });
            QVERIFY(check.done());
            QCOMPARE(check.steps()[2].state, answer == "yes" ? NodeStep::State::Ok : NodeStep::State::NotReached);
        }
    }

    void namesATrainerThatIsMissingOrOld() {
        const FakeNodes fake;
        NodeRecord node = nodeOf("a");
        node.trainer = "/nowhere/slipway-trainer";
        NodeCheck missing(node, options(), versionText());
        finished(missing);
        QCOMPARE(missing.steps()[4].code, std::string("program_missing"));
        QCOMPARE(missing.steps()[6].state, NodeStep::State::Ok);
        NodeCheck old(nodeOf("a"), options(), "9.9.9");
        finished(old);
        QCOMPARE(old.steps()[4].code, std::string("version_mismatch"));
    }
};

SLIPWAY_TEST(TstNodeCheck)
#include "tst_node_check.moc"
