#include "core/remote/keychain.h"
#include "core/remote/node_link.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <QProcess>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kQuestion = "(anna@gpu1) Password: ";

/// A keychain in a folder behind a stand-in for secret-tool, in the PATH of FakeNodes.
struct FakeKeychain {
    FakeNodes nodes;
    fs::path folder = nodes.temp.path() / "keychain";

    FakeKeychain() {
        fs::create_directories(folder);
        fs::create_symlink(SLIPWAY_SOURCE_DIR "/tests/support/fake_secret_tool",
                           nodes.temp.path() / "bin" / "secret-tool");
        ::setenv("SLIPWAY_FAKE_KEYCHAIN", folder.c_str(), 1);
    }
    ~FakeKeychain() { ::unsetenv("SLIPWAY_FAKE_KEYCHAIN"); }
    FakeKeychain(const FakeKeychain&) = delete;
    FakeKeychain& operator=(const FakeKeychain&) = delete;
};

bool storeNow(const std::string& host, const std::string& question, const std::string& secret) {
    KeychainWriter writer;
    writer.hold(question, secret);
    return waitUntil(60,
                     [&] {
                         writer.poll(host, true);
                         return !writer.isBusy();
                     }) &&
           writer.hasStored();
}

NodeRecord nodeOf(const std::string& host, bool isInKeychain) {
    NodeRecord node;
    node.name = node.host = host;
    node.isInKeychain = isInKeychain;
    return node;
}

/// "up", or the code of the error.
std::string linkedAs(const NodeRecord& node) {
    NodeLinks links(fs::path(SLIPWAY_BIN_DIR) / "slipway-agent");
    const auto link = links.link(node);
    link->ask(Json{{"do", "hello"}});
    for (double now = 0; now < 600; now += 0.01) {
        (void)link->poll(now);
        if (link->state() == NodeLink::State::Up) return "up";
        if (link->state() == NodeLink::State::Down) return link->error().code;
        waitForLinks({link.get()}, 0.01);
    }
    return "nothing";
}

}  // namespace

class TstKeychain : public QObject {
    Q_OBJECT

private slots:
    void distinguishesPasswordsFromCodes_data() {
        QTest::addColumn<QByteArray>("question");
        QTest::addColumn<bool>("isLasting");
        QTest::newRow("password") << QByteArray("anna@gpu1's password: ") << true;
        QTest::newRow("passphrase") << QByteArray("Enter passphrase for key '/home/anna/.ssh/id_ed25519': ") << true;
        QTest::newRow("dialogue") << QByteArray(kQuestion) << true;
        QTest::newRow("code") << QByteArray("(anna@gpu1) Verification code: ") << false;
        QTest::newRow("one-time password") << QByteArray("(anna@gpu1) One-time Password: ") << false;
        QTest::newRow("of a server without its name") << QByteArray("Password: ") << false;
        QTest::newRow("two lines") << QByteArray("(anna@gpu1) x\nbob@gpu2's password: ") << false;
        QTest::newRow("host key") << QByteArray("The authenticity of host 'gpu1' can't be established.") << false;
        QTest::newRow("long") << QByteArray(5000, 'x') + "'s password: " << false;
        QTest::newRow("empty") << QByteArray() << false;
    }
    void distinguishesPasswordsFromCodes() {
        QFETCH(QByteArray, question);
        QTEST(isLastingSecret(question.toStdString()), "isLasting");
    }

    void storesOnlyAfterTheLogin() {
        const FakeKeychain keychain;
        KeychainWriter writer;
        writer.hold(kQuestion, "wrong");
        writer.hold(kQuestion, "correct horse");
        writer.hold("(anna@gpu1) Verification code: ", "123456");
        writer.poll("anna@gpu1", false);
        QVERIFY(!writer.isBusy());
        QVERIFY(!secretInKeychain("anna@gpu1", kQuestion));
        QVERIFY(waitUntil(60, [&] {
            writer.poll("anna@gpu1", true);
            return !writer.isBusy();
        }));
        QVERIFY(writer.hasStored());
        QVERIFY(!writer.error());
        QVERIFY(secretInKeychain("anna@gpu1", kQuestion) == std::string("correct horse"));
        QVERIFY(!secretInKeychain("anna@gpu2", kQuestion));
        const std::string log = readFile(keychain.folder / "log").value_or("");
        QVERIFY(log.find("horse") == std::string::npos);  // in no argument
        QVERIFY(log.find("Verification") == std::string::npos);
        removeFromKeychain("anna@gpu1");
        QVERIFY(!secretInKeychain("anna@gpu1", kQuestion));
    }
    void reportsAKeychainThatRefuses() {
        const FakeKeychain keychain;
        fs::remove_all(keychain.folder);
        KeychainWriter writer;
        writer.hold(kQuestion, "x");
        QVERIFY(waitUntil(60, [&] {
            writer.poll("a", true);
            return !writer.isBusy();
        }));
        QVERIFY(!writer.hasStored());
        QVERIFY(writer.error());
        QCOMPARE(writer.error()->code, std::string("keychain_refused"));
        fs::remove(keychain.nodes.temp.path() / "bin" / "secret-tool");
        ::setenv("PATH", (keychain.nodes.temp.path() / "bin").c_str(), 1);
        writer.hold(kQuestion, "x");
        writer.poll("a", true);
        QCOMPARE(writer.error()->code, std::string("no_keychain"));
    }

    // A launch has nobody who types.
    void aLaunchLogsInWithTheStoredAnswer() {
        const FakeKeychain keychain;
        keychain.nodes.set("gpu1", "asks", kQuestion);
        QVERIFY(storeNow("gpu1", kQuestion, "yes"));  // what the stand-in for ssh accepts
        QCOMPARE(linkedAs(nodeOf("gpu1", true)), std::string("up"));
        QVERIFY(keychain.nodes.arguments("gpu1").find("StrictHostKeyChecking=yes") != std::string::npos);
        QVERIFY(linkedAs(nodeOf("gpu1", false)) != "up");  // without the mark in its record ssh gets no answer
        QVERIFY(storeNow("gpu1", kQuestion, "outdated"));
        QVERIFY(linkedAs(nodeOf("gpu1", true)) != "up");
    }
};

SLIPWAY_TEST(TstKeychain)

// The real secret-tool with GNOME's keychain, on a message bus of its own.
class TstKeychainFull : public QObject {
    Q_OBJECT

private slots:
    void storesAndRemoves() {
        for (const char* program : {"/usr/bin/secret-tool", "/usr/bin/gnome-keyring-daemon", "/usr/bin/dbus-daemon"})
            if (!fs::exists(program)) QSKIP(program);
        const TempDir temp;
        for (const char* name : {"HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"}) {
            m_before[name] = qgetenv(name);
            ::setenv(name, temp.path().c_str(), 1);
        }
        m_bus.start(QStringLiteral("/usr/bin/dbus-daemon"),
                    {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        QVERIFY(m_bus.waitForReadyRead());
        ::setenv("DBUS_SESSION_BUS_ADDRESS", m_bus.readLine().trimmed().constData(), 1);
        // It continues in the background until its bus ends.
        QProcess daemon;
        daemon.start(QStringLiteral("/usr/bin/gnome-keyring-daemon"),
                     {QStringLiteral("--unlock"), QStringLiteral("--components=secrets")});
        daemon.write("of the test");
        daemon.closeWriteChannel();
        QVERIFY(daemon.waitForFinished());
        QVERIFY(storeNow("anna@gpu1", kQuestion, "correct\nhorse"));
        QVERIFY(secretInKeychain("anna@gpu1", kQuestion) == std::string("correct\nhorse"));
        QVERIFY(!secretInKeychain("bob@gpu1", kQuestion));
        QVERIFY(!secretInKeychain("anna@gpu1", "anna@gpu1's password: "));
        QVERIFY(storeNow("anna@gpu1", kQuestion, "newer"));
        QVERIFY(secretInKeychain("anna@gpu1", kQuestion) == std::string("newer"));
        removeFromKeychain("anna@gpu1");
        QVERIFY(!secretInKeychain("anna@gpu1", kQuestion));
    }
    void cleanup() {
        m_bus.kill();
        m_bus.waitForFinished();
        ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
        for (const auto& [name, value] : m_before) ::setenv(name.c_str(), value.constData(), 1);
    }

private:
    QProcess m_bus;
    std::map<std::string, QByteArray> m_before;
};

SLIPWAY_TEST_FULL(TstKeychainFull)
#include "tst_keychain.moc"
