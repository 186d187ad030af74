#include "core/remote/ssh.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <algorithm>

using namespace slipway;
using namespace slipway::test;

class TstSsh : public QObject {
    Q_OBJECT

    static NodeRecord node(const std::string& host) {
        NodeRecord record;
        record.name = "a";
        record.host = host;
        return record;
    }
    static bool has(const ProcessSpec& spec, const std::string& word) {
        return std::find(spec.arguments.begin(), spec.arguments.end(), word) != spec.arguments.end();
    }

private slots:
    void putsTheHostBehindTheOptions() {
        const FakeNodes fake;
        const auto spec = sshCommand(node("anna@gpu1"), {}, "true");
        QVERIFY(spec);
        const auto& words = spec->arguments;
        QCOMPARE(words[words.size() - 3], std::string("--"));
        QCOMPARE(words[words.size() - 2], std::string("anna@gpu1"));
        QCOMPARE(words.back(), std::string("true"));
        for (const char* option : {"BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no", "ForwardX11=no",
                                   "ClearAllForwardings=yes", "PermitLocalCommand=no", "ConnectTimeout=10"})
            QVERIFY2(has(*spec, option), option);
        const auto number = [&](const std::string& option) {
            for (const std::string& word : words)
                if (word.starts_with(option)) return std::atoi(word.c_str() + option.size());
            return 1000;
        };
        QVERIFY2(number("ServerAliveInterval=") * (number("ServerAliveCountMax=") + 1) < 20,
                 "a lost link is told too late");
        for (const std::string& word : words) QVERIFY(word != "StrictHostKeyChecking=no");
        QVERIFY(std::find(spec->environment->begin(), spec->environment->end(), "LC_ALL=C") !=
                spec->environment->end());
        NodeRecord with = node("gpu1");
        with.port = 2222;
        QVERIFY(has(*sshCommand(with, {}, "true"), "2222"));
    }
    void asksForHostKeysOnly() {
        const FakeNodes fake;
        SshOptions options;
        options.questions = SshQuestions::HostKey;
        options.agent = "/opt/slipway-agent";
        const auto spec = sshCommand(node("gpu1"), options, "true");
        QVERIFY(spec);
        QVERIFY(has(*spec, "StrictHostKeyChecking=ask"));
        for (const char* entry : {"SSH_ASKPASS=/opt/slipway-agent", "SSH_ASKPASS_REQUIRE=force", "SLIPWAY_ASKPASS=-"})
            QVERIFY2(std::find(spec->environment->begin(), spec->environment->end(), entry) != spec->environment->end(),
                     entry);
        QVERIFY(spec->newSession);
        options.questions = SshQuestions::Person;
        QVERIFY(!sshCommand(node("gpu1"), options, "true")->newSession);
    }
    void letsTheKeychainAnswerWhereNobodyDoes() {
        const FakeNodes fake;
        NodeRecord record = node("anna@gpu1");
        record.isInKeychain = true;
        const auto hasEntry = [](const ProcessSpec& spec, const std::string& entry) {
            return std::find(spec.environment->begin(), spec.environment->end(), entry) != spec.environment->end();
        };
        SshOptions options;
        options.agent = "/opt/slipway-agent";
        const auto launch = sshCommand(record, options, "true");
        QVERIFY(launch);
        for (const char* option : {"BatchMode=no", "StrictHostKeyChecking=yes", "NumberOfPasswordPrompts=1"})
            QVERIFY2(has(*launch, option), option);
        QVERIFY(hasEntry(*launch, "SLIPWAY_ASKPASS_KEYCHAIN=anna@gpu1"));
        QVERIFY(hasEntry(*launch, "SSH_ASKPASS=/opt/slipway-agent"));
        options.questions = SshQuestions::HostKey;
        options.askSocket = "/run/ask";
        QVERIFY(has(*sshCommand(record, options, "true"), "NumberOfPasswordPrompts=2"));
        options.questions = SshQuestions::Person;
        QVERIFY(!hasEntry(*sshCommand(record, options, "true"), "SLIPWAY_ASKPASS_KEYCHAIN=anna@gpu1"));
        QVERIFY(has(*sshCommand(node("anna@gpu1"), {}, "true"), "BatchMode=yes"));
    }
    void neverPassesAnOptionAsAHost_data() {
        QTest::addColumn<QString>("host");
        for (const char* host : {"-oProxyCommand=touch owned", "-Jx", "a b", "a;b", "$(touch owned)", "a\nb", "`id`",
                                 "", "@a", "-u@a", "a@-b", "a@b@c", "a/b", "a'b", "한국"})
            QTest::newRow(host) << host;
    }
    void neverPassesAnOptionAsAHost() {
        const FakeNodes fake;
        QFETCH(QString, host);
        const auto spec = sshCommand(node(host.toStdString()), {}, "true");
        QVERIFY(!spec);
        QCOMPARE(spec.error().code, std::string("bad_node"));
    }
    void namesWhatIsMissing() {
        const FakeNodes fake;
        ::setenv("PATH", "/nowhere", 1);
        const auto spec = sshCommand(node("gpu1"), {}, "true");
        QVERIFY(!spec);
        QCOMPARE(spec.error().code, std::string("ssh_missing"));
    }
    // What shells read differently is not in the one command that they get.
    void bootstrapIsTheSameInEveryShell() {
        const std::string text = bootstrapCommand(std::string(64, 'a'), 1234, "0123abcd");
        const std::size_t open = text.find('\''), close = text.rfind('\'');
        QCOMPARE(text.substr(0, open), std::string("exec /bin/sh -c "));
        QCOMPARE(close, text.size() - 1);
        const std::string inside = text.substr(open + 1, close - open - 1);
        for (const char c : {'\'', '\n', '!', '\\', '`'})
            QVERIFY2(inside.find(c) == std::string::npos, std::string(1, c).c_str());
    }
};

SLIPWAY_TEST(TstSsh)
#include "tst_ssh.moc"
