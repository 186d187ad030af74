// Ctrl-C and SIGTERM while the real program is busy: the first ends it within a second with 130, the second at once.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/process.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

using namespace slipway;
using namespace slipway::test;

namespace {

/// A file whose reader waits for ever: its end never comes.
class EndlessFile {
public:
    explicit EndlessFile(std::filesystem::path path) : m_path(std::move(path)) { ::mkfifo(m_path.c_str(), 0600); }
    ~EndlessFile() {
        if (m_fd >= 0) ::close(m_fd);
    }
    /// True once somebody has opened it for reading.
    bool isRead() {
        if (m_fd < 0) m_fd = ::open(m_path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        return m_fd >= 0;
    }

private:
    std::filesystem::path m_path;
    int m_fd = -1;
};

/// Seconds from the first signal to exit code 130 of a command that reads an endless file; -1 and a message for another end.
double secondsToEnd(const QStringList& words, int signal, int times) {
    RunHome at;
    const std::string path = (at.temp.path() / (words.back().endsWith(".txt") ? "endless.txt" : "endless")).string();
    EndlessFile file(path);
    ProcessSpec spec;
    spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", at.home.path.string()};
    for (const QString& word : words) spec.arguments.push_back(word.startsWith("FILE") ? path : word.toStdString());
    spec.captureOutput = true;
    auto process = Process::start(spec);
    if (!process) return -1;
    waitUntil(20, [&] { return file.isRead() || process->poll(); });
    if (!file.isRead()) {
        qWarning("not read: %s", process->errorOutput().c_str());
        return -1;
    }
    const double begin = monotonicSecondsNow();
    for (int i = 0; i < times; ++i) {
        process->signal(signal);
        if (i + 1 < times) ::usleep(20000);
    }
    const auto exit = process->wait(20);
    if (exit && exit->code == 130 && exit->signal == 0) return monotonicSecondsNow() - begin;
    qWarning("ended with %s", exit ? exit->text().c_str() : "nothing");
    if (!exit) process->signal(SIGKILL);
    return -1;
}

}  // namespace

class TstInterruptFlow : public QObject {
    Q_OBJECT

private slots:
    void aReaderEnds_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("times");
        for (const char* line :
             {"plan FILE", "search FILE", "lint FILE", "convert FILE", "import FILE", "validate FILE", "curves FILE",
              "--batch FILE", "launch FILE", "cost FILE", "laws fit FILE", "corpus FILE.txt"})
            for (const auto& [name, number] : {std::pair{"Ctrl-C", SIGINT}, std::pair{"SIGTERM", SIGTERM}})
                for (const int times : {1, 2})
                    QTest::addRow("%s, %d x %s", line, times, name) << QString(line).split(' ') << number << times;
    }
    void aReaderEnds() {
        QFETCH(QStringList, arguments);
        QFETCH(int, signal);
        QFETCH(int, times);
        // On a busy machine a signal is served late: one of three tries is in time.
        const double limit = times == 1 ? 1.0 : 0.4;
        double seconds = 0;
        for (int tries = 0; tries < 3; ++tries) {
            seconds = secondsToEnd(arguments, signal, times);
            if (seconds < limit) break;
        }
        QVERIFY2(seconds >= 0 && seconds < limit, std::to_string(seconds).c_str());
    }

    void aSearchEnds() {
        RunHome at;
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway",
                          "--home",
                          at.home.path.string(),
                          "search",
                          "--model",
                          "llama3.1-405b",
                          "--cluster",
                          "NVIDIA H100 SXM 80 GB",
                          "--devices",
                          "1024,2048,4096,8192,16384,32768",
                          "--variants",
                          "--limit",
                          "1000"};
        spec.captureOutput = true;
        auto process = Process::start(spec);
        QVERIFY(process.has_value());
        QVERIFY(!process->wait(0.4));
        const double begin = monotonicSecondsNow();
        process->signal(SIGINT);
        const auto exit = process->wait(20);
        QVERIFY(exit && exit->code == 130);
        QVERIFY(monotonicSecondsNow() - begin < 3);  // not the minutes that it would have taken
    }

    // The measuring program is no child of the terminal; it must not outlive whoever waits for its figures.
    void aMeasurementEndsWithItsProgram() {
        RunHome at;
        const std::filesystem::path bin = at.temp.path() / "bin";
        const std::filesystem::path mark = at.temp.path() / "pid";
        std::filesystem::create_directories(bin);
        (void)writeFileAtomically(bin / "slipway-trainer",
                                  "#!/bin/sh\necho $$ > " + mark.string() + "\nexec sleep 60\n");
        ::chmod((bin / "slipway-trainer").c_str(), 0755);
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", at.home.path.string(), "machine"};
        spec.environment = std::vector<std::string>{"SLIPWAY_BIN_DIR=" + bin.string(), "PATH=/usr/bin:/bin"};
        spec.captureOutput = true;
        auto process = Process::start(spec);
        QVERIFY(process.has_value());
        const auto measuring = [&]() -> pid_t { return std::atoi(readFile(mark).value_or("").c_str()); };
        waitUntil(20, [&] { return measuring() > 0 || process->poll(); });
        const pid_t child = measuring();
        QVERIFY2(child > 0, process->errorOutput().c_str());
        const double begin = monotonicSecondsNow();
        process->signal(SIGINT);
        const auto exit = process->wait(20);
        QVERIFY(exit && exit->code == 130);
        QVERIFY(monotonicSecondsNow() - begin < 3);  // not the minutes that it would have taken
        waitUntil(5, [&] { return ::kill(child, 0) != 0; });
        QVERIFY(::kill(child, 0) != 0);
    }
};
SLIPWAY_TEST(TstInterruptFlow)
#include "tst_interrupt_flow.moc"
