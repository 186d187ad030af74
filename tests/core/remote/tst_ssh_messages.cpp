#include "core/remote/ssh_messages.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

namespace {

constexpr const char* kQuestion =
    "The authenticity of host '[127.0.0.1]:2222 ([127.0.0.1]:2222)' can't be established.\n"
    "ED25519 key fingerprint is SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U.\n"
    "This key is not known by any other names.\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ";

}  // namespace

// The messages are those of OpenSSH 9.2 with LC_ALL=C, as a terminal shows them.
class TstSshMessages : public QObject {
    Q_OBJECT

private slots:
    void tellsApart_data() {
        QTest::addColumn<QString>("messages");
        QTest::addColumn<QString>("code");
        QTest::newRow("name") << "ssh: Could not resolve hostname nonode: Name or service not known\r\n"
                              << "unknown_host";
        QTest::newRow("no name server")
            << "ssh: Could not resolve hostname node: Temporary failure in name resolution\r\n"
            << "unreachable";
        QTest::newRow("refused") << "ssh: connect to host 127.0.0.1 port 1: Connection refused\r\n"
                                 << "refused";
        QTest::newRow("route") << "ssh: connect to host 10.9.9.9 port 22: No route to host\r\n"
                               << "unreachable";
        QTest::newRow("network") << "ssh: connect to host ::2 port 22: Network is unreachable\r\n"
                                 << "unreachable";
        QTest::newRow("timeout") << "ssh: connect to host 10.9.9.9 port 22: Connection timed out\r\n"
                                 << "timeout";
        QTest::newRow("banner")
            << "Connection timed out during banner exchange\r\nConnection to 127.0.0.1 port 2 timed out\r\n"
            << "timeout";
        QTest::newRow("link lost") << "Timeout, server 127.0.0.1 not responding.\r\n"
                                   << "timeout";
        QTest::newRow("unknown key")
            << "No ED25519 host key is known for [127.0.0.1]:2222 and you have requested strict checking.\r\nHost key verification failed.\r\n"
            << "host_key_unknown";
        QTest::newRow("question refused") << "Host key verification failed.\r\n"
                                          << "host_key_unknown";
        QTest::newRow("changed key")
            << "@@@@@@@@@@@\r\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n@@@@@@@@\r\nIT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\r\nHost key verification failed.\r\n"
            << "host_key_changed";
        QTest::newRow("login") << "root@127.0.0.1: Permission denied (publickey).\r\n"
                               << "permission_denied";
        QTest::newRow("many keys")
            << "Received disconnect from 127.0.0.1 port 22:2: Too many authentication failures\r\n"
            << "permission_denied";
        QTest::newRow("closed") << "Connection closed by 127.0.0.1 port 22\r\n"
                                << "closed";
        QTest::newRow("too many at once") << "kex_exchange_identification: read: Connection reset by peer\r\n"
                                          << "closed";
        QTest::newRow("silent") << ""
                                << "closed";
        QTest::newRow("config")
            << "/home/a/.ssh/config: line 3: Bad configuration option: frobnicate\r\n/home/a/.ssh/config: terminating, 1 bad configuration options\r\n"
            << "bad_ssh_config";
        QTest::newRow("another") << "Something new of version 12\r\n"
                                 << "ssh_failed";
    }
    void tellsApart() {
        QFETCH(QString, messages);
        const Error error = sshError(messages.toStdString(), "gpu1");
        QTEST(QString::fromStdString(error.code), "code");
        QVERIFY2(error.message.find("gpu1") != std::string::npos, error.message.c_str());
    }
    // The remedy is a command to copy: the host as known_hosts has it, and the file where it is not the usual one.
    void namesTheKeyToRemove_data() {
        QTest::addColumn<QString>("messages");
        QTest::addColumn<QString>("command");
        const QString changed = QStringLiteral(
            "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nThe fingerprint for the ED25519 key sent by the remote host is\r\nSHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U.\r\nOffending ED25519 key in %1:3\r\n  remove with:\r\n  ssh-keygen -f \"%1\" -R \"%2\"\r\nHost key for %2 has changed and you have requested strict checking.\r\nHost key verification failed.\r\n");
        const QString usual = QStringLiteral("/home/anna/.ssh/known_hosts");
        QTest::newRow("port 22") << changed.arg(usual, QStringLiteral("gpu1.example.org"))
                                 << "ssh-keygen -R gpu1.example.org";
        QTest::newRow("port 2222") << changed.arg(usual, QStringLiteral("[10.0.0.2]:2222"))
                                   << "ssh-keygen -R '[10.0.0.2]:2222'";
        QTest::newRow("another file") << changed.arg(QStringLiteral("/etc/ssh/ssh_known_hosts"), QStringLiteral("gpu1"))
                                      << "ssh-keygen -f /etc/ssh/ssh_known_hosts -R gpu1";
        QTest::newRow("of the address")
            << "Warning: the ED25519 host key for 'gpu1' differs from the key for the IP address '10.0.0.2'\r\nOffending key for IP in /home/anna/.ssh/known_hosts:2\r\nExiting, you have requested strict checking.\r\nHost key verification failed.\r\n"
            << "ssh-keygen -R 10.0.0.2";
        // What is no host cannot become a part of a command.
        QTest::newRow("no host") << changed.arg(usual, QStringLiteral("-f/etc/passwd")) << "ssh-keygen -R";
        QTest::newRow("a command") << changed.arg(usual, QStringLiteral("x;reboot")) << "ssh-keygen -R";
    }
    void namesTheKeyToRemove() {
        QFETCH(QString, messages);
        QFETCH(QString, command);
        const Error error = sshError(messages.toStdString(), "gpu1");
        QCOMPARE(error.code, std::string("host_key_changed"));
        QVERIFY2(error.message.find('`' + command.toStdString() + '`') != std::string::npos, error.message.c_str());
        const bool hasKey = messages.contains(QLatin1String("SHA256:")) && command != QLatin1String("ssh-keygen -R");
        QCOMPARE(error.message.find("SHA256:UZfSCg7F") != std::string::npos, hasKey);
    }
    void namesTheHostThatIsNotKnown() {
        const Error error = sshError("ssh: Could not resolve hostname gpu9.lan: Name or service not known\r\n", "big");
        QVERIFY2(error.message.find("gpu9.lan") != std::string::npos, error.message.c_str());
        QVERIFY2(error.message.find("big") != std::string::npos, error.message.c_str());
    }
    void quotesWithoutSteering() {
        const Error error = sshError("\x1b[2J\x1b]0;owned\x07 new words", "gpu1");
        QCOMPARE(error.code, std::string("ssh_failed"));
        QVERIFY(error.message.find('\x1b') == std::string::npos);
        QVERIFY(error.message.find("new words") != std::string::npos);
    }
    void findsFingerprints() {
        QCOMPARE(fingerprintIn(kQuestion), std::string("SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U"));
        QCOMPARE(keyKindIn(kQuestion), std::string("ED25519"));
        QCOMPARE(fingerprintIn("SHA256:short and SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2UX"), std::string());
        QCOMPARE(keyKindIn("no key here"), std::string());
    }
};

SLIPWAY_TEST(TstSshMessages)
#include "tst_ssh_messages.moc"
