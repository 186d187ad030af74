#include "core/base/file.h"
#include "core/process/process.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace slipway;
using namespace slipway::test;

namespace {

ProcessSpec captured(std::vector<std::string> arguments) {
    ProcessSpec spec;
    spec.arguments = std::move(arguments);
    spec.captureOutput = true;
    return spec;
}

}  // namespace

class TstProcess : public QObject {
    Q_OBJECT

private slots:
    void endsAsItEnds_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("words");
        QTest::newRow("good") << "exit 0" << 0 << 0 << "exit code 0";
        QTest::newRow("code") << "exit 37" << 37 << 0 << "exit code 37";
        QTest::newRow("signal") << "kill -9 $$" << 0 << 9 << "signal 9 (Killed)";
    }
    void endsAsItEnds() {
        QFETCH(QString, script);
        auto process = Process::start(captured({"/bin/sh", "-c", script.toStdString()}));
        QVERIFY(process);
        const auto& exit = process->wait(120);
        QVERIFY(exit);
        QTEST(exit->code, "code");
        QTEST(exit->signal, "signal");
        QTEST(QString::fromStdString(exit->text()), "words");
        QVERIFY(!process->running());
    }

    // Who writes without end is bounded in memory, and in the time of one look.
    void looksAtAFloodAndGoesOn() {
        ProcessSpec spec = captured({"/bin/sh", "-c", "for i in 1 2 3 4; do yes & yes >&2 & done; wait"});
        spec.newSession = true;
        auto process = Process::start(spec);
        QVERIFY(process);
        QVERIFY(waitUntil(60, [&] {
            (void)process->poll();
            return process->output().size() == Process::kMaxCapturedBytes &&
                   process->errorOutput().size() == Process::kMaxCapturedBytes;
        }));
        for (int look = 0; look < 20; ++look) QVERIFY(!process->poll());
        process->signalGroup(SIGKILL);
        QVERIFY(process->wait(60));
    }

    // What is written comes back whole, though neither pipe holds it: who is not read waits, and so does who writes.
    void converses() {
        ProcessSpec spec = captured({"/bin/cat"});
        spec.converse = true;
        auto process = Process::start(spec);
        QVERIFY(process);
        std::string sent(3 * Process::kMaxCapturedBytes, ' ');
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 2654435761U >> 13);
        std::size_t written = 0;
        std::string received;
        QVERIFY(waitUntil(120, [&] {
            written += process->write(std::string_view(sent).substr(written, 1 << 20));
            if (written == sent.size()) process->closeInput();
            const bool ended = process->poll().has_value();
            QTest::qVerify(process->output().size() <= Process::kMaxCapturedBytes + (1 << 14), "bounded", "", __FILE__,
                           __LINE__);
            received += process->takeOutput();
            return ended && received.size() >= sent.size();
        }));
        QVERIFY(received == sent);
        QVERIFY(process->poll()->ok());
        QCOMPARE(process->write("more"), std::size_t(0));
    }

    // Arguments and environment arrive byte for byte; no shell ever reads them.
    void keepsTextAsItIs_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"plain", "two words", "$(touch owned)", "`id`", "; rm -rf x", "quote\"'", "new\nline",
                                 "\x1b[31m", "한국어", "-oProxyCommand=x", "*", ""})
            QTest::newRow(text) << QByteArray(text);
    }
    void keepsTextAsItIs() {
        QFETCH(QByteArray, text);
        ProcessSpec spec = captured({"/usr/bin/printenv", "TEXT"});
        spec.environment = std::vector<std::string>{"TEXT=" + text.toStdString()};
        auto process = Process::start(spec);
        QVERIFY(process && process->wait(120));
        QCOMPARE(QByteArray::fromStdString(process->output()), text + "\n");
        auto echo = Process::start(captured({"/usr/bin/printf", "%s", text.toStdString()}));
        QVERIFY(echo && echo->wait(120));
        QCOMPARE(QByteArray::fromStdString(echo->output()), text);
    }

    void saysWhyItCannotStart() {
        TempDir temp;
        QVERIFY(writeFileAtomically(temp.path() / "text", "no program"));
        QCOMPARE(Process::start(captured({(temp.path() / "missing").string()})).error().code,
                 std::string("program_missing"));
        QCOMPARE(Process::start(captured({(temp.path() / "text").string()})).error().code,
                 std::string("program_not_executable"));
        QCOMPARE(Process::start({}).error().code, std::string("program_missing"));
        QCOMPARE(Process::start(captured({"/bin/true", std::string("a\0b", 3)})).error().code,
                 std::string("process_failed"));
    }

    void capturesMoreThanAPipeHolds() {
        auto process = Process::start(captured({"/usr/bin/head", "-c", "3000000", "/dev/zero"}));
        QVERIFY(process && process->wait(120));
        QCOMPARE(process->output().size(), std::size_t(3000000));
        auto endless = Process::start(captured({"/usr/bin/head", "-c", "6000000", "/dev/zero"}));
        QVERIFY(endless && endless->wait(120));
        QCOMPARE(endless->output().size(), Process::kMaxCapturedBytes);
    }

    void appendsToTheLog() {
        TempDir temp;
        ProcessSpec spec;
        spec.arguments = {"/bin/sh", "-c", "echo out; echo err >&2; pwd"};
        spec.output = temp.path() / "log";
        spec.workingFolder = temp.path();
        QVERIFY(writeFileAtomically(spec.output, "before\n"));
        auto process = Process::start(spec);
        QVERIFY(process && process->wait(120));
        QCOMPARE(*readFile(spec.output), "before\nout\nerr\n" + temp.path().string() + "\n");
    }

    void doesNotBlock() {
        auto process = Process::start(captured({"/bin/sleep", "30"}));
        QVERIFY(process);
        QVERIFY(!process->poll());
        QVERIFY(!process->wait(0.05));
        QVERIFY(process->running());
        process->signal(SIGKILL);
        QVERIFY(process->wait(120));
        QCOMPARE(process->poll()->signal, SIGKILL);
    }

    void firmlyEndsWhatIgnoresPoliteness() {
        TempDir temp;
        ProcessSpec spec =
            captured({"/bin/sh", "-c", "trap '' TERM; echo ready > ready; while :; do sleep 0.05; done"});
        spec.workingFolder = temp.path();
        spec.newSession = true;
        auto process = Process::start(spec);
        QVERIFY(process);
        QVERIFY(waitUntil(120, [&] { return std::filesystem::exists(temp.path() / "ready"); }));
        process->askToEnd(100.0, 2.0);
        process->escalate(101.9);
        QVERIFY(!process->wait(0.1));
        process->escalate(102.0);
        QVERIFY(process->wait(120));
        QCOMPARE(process->poll()->signal, SIGKILL);
    }

    void killsWhatIsLeftOfItsGroup() {
        TempDir temp;
        ProcessSpec spec;
        spec.arguments = {"/bin/sh", "-c", "sleep 60 & echo $! > child"};
        spec.workingFolder = temp.path();
        spec.newSession = true;
        auto process = Process::start(spec);
        QVERIFY(process && process->wait(120));
        const pid_t child = static_cast<pid_t>(std::stol(*readFile(temp.path() / "child")));
        QVERIFY(waitUntil(120, [&] {
            const auto stat = readFile("/proc/" + std::to_string(child) + "/stat");
            return !stat || stat->find(") Z") != std::string::npos;
        }));
    }

    // The child of a process that is killed dies with it.
    void diesWithItsParent() {
        TempDir temp;
        const pid_t parent = ::fork();
        if (parent == 0) {
            ProcessSpec spec;
            spec.arguments = {"/bin/sleep", "60"};
            spec.parentDeathSignal = SIGKILL;
            auto child = Process::start(spec);
            (void)writeFileAtomically(temp.path() / "child", child ? std::to_string(child->pid()) : "0");
            for (;;) ::pause();
        }
        QVERIFY(waitUntil(120, [&] { return std::filesystem::exists(temp.path() / "child"); }));
        const pid_t child = static_cast<pid_t>(std::stol(*readFile(temp.path() / "child")));
        QVERIFY(child > 0 && ::kill(child, 0) == 0);
        ::kill(parent, SIGKILL);
        ::waitpid(parent, nullptr, 0);
        QVERIFY(waitUntil(120, [&] {
            const auto stat = readFile("/proc/" + std::to_string(child) + "/stat");
            return !stat || stat->find(") Z") != std::string::npos;
        }));
    }

    void handsNoDescriptorsOn() {
        const int leaky = ::dup(1);  // without close-on-exec, as libraries open them
        auto process = Process::start(captured({"/bin/sh", "-c", "ls /proc/self/fd | wc -l"}));
        ::close(leaky);
        QVERIFY(process && process->wait(120));
        QCOMPARE(std::stoi(process->output()), 4);  // 0, 1, 2 and the one that ls reads the folder with
    }
};

SLIPWAY_TEST(TstProcess)
#include "tst_process.moc"
