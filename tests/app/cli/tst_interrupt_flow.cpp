// Ctrl-C and SIGTERM while the real program is busy: the first ends it within a second with 130, the second at once.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/proc_facts.h"
#include "core/process/process.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

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
        RunHome at;
        const std::string path =
            (at.temp.path() / (arguments.back().endsWith(".txt") ? "endless.txt" : "endless")).string();
        EndlessFile file(path);
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", at.home.path.string()};
        for (const QString& word : arguments)
            spec.arguments.push_back(word.startsWith("FILE") ? path : word.toStdString());
        spec.captureOutput = true;
        auto process = Process::start(spec);
        QVERIFY(process.has_value());
        waitUntil(20, [&] { return file.isRead() || process->poll(); });
        QVERIFY2(file.isRead(), process->errorOutput().c_str());
        const double begin = monotonicSecondsNow();
        for (int i = 0; i < times; ++i) {
            process->signal(signal);
            if (i + 1 < times) ::usleep(20000);
        }
        const auto exit = process->wait(20);
        const double seconds = monotonicSecondsNow() - begin;
        QVERIFY(exit.has_value());
        QCOMPARE(QString::fromStdString(exit->text()), QString("exit code 130"));
        QVERIFY2(seconds < (times == 1 ? 1.0 : 0.4), std::to_string(seconds).c_str());
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
        QVERIFY(monotonicSecondsNow() - begin < 1);
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
        spec.environment = {{"SLIPWAY_BIN_DIR=" + bin.string(), "PATH=/usr/bin:/bin"}};
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
        QVERIFY(monotonicSecondsNow() - begin < 1);
        waitUntil(5, [&] { return ::kill(child, 0) != 0; });
        QVERIFY(::kill(child, 0) != 0);
    }
};
SLIPWAY_TEST(TstInterruptFlow)
#include "tst_interrupt_flow.moc"
