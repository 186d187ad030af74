// Ctrl-C and SIGTERM while the real program is busy: the first ends it within a second with 130, the second at once.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/spec/metric_line.h"
#include "core/store/run_store.h"
#include "tests/support/caught_signals.h"
#include "tests/support/run_home.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <tuple>

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

/// Seconds from the last of the signals to exit code 130; -1 and a message for another end.
double secondsToStop(Process& process, int signal = SIGINT, int times = 1) {
    if (times == 2) {
        process.signal(signal);
        // Two of a kind that are pending become one.
        const std::string status = "/proc/" + std::to_string(process.pid()) + "/status";
        waitUntil(20,
                  [&] { return readFile(status).value_or("").find("ShdPnd:\t0000000000000000") != std::string::npos; });
    }
    const double begin = monotonicSecondsNow();
    process.signal(signal);
    const auto exit = process.wait(20);
    if (exit && exit->code == 130 && exit->signal == 0) return monotonicSecondsNow() - begin;
    qWarning("ended with %s", exit ? exit->text().c_str() : "nothing");
    if (!exit) process.signal(SIGKILL);
    return -1;
}

/// The same of a command that reads an endless file.
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
    return secondsToStop(*process, signal, times);
}

/// On a busy machine a signal is served late: the first of three tries that is in time, else the last.
double bestOfThree(double limit, const std::function<double()>& secondsToEnd) {
    double seconds = -1;
    for (int tries = 0; tries < 3; ++tries) {
        seconds = secondsToEnd();
        if (seconds >= 0 && seconds < limit) break;
    }
    return seconds;
}

/// Of the first signal that ends a command, and of a second one.
double limitOf(int times) {
    return times == 1 ? 1.0 : 0.4;
}

/// Rows for each signal, sent once and twice, of what a test is given.
template <class Row>
void eachSignal(const Row& row) {
    for (const auto& [name, number] : {std::pair{"Ctrl-C", SIGINT}, std::pair{"SIGTERM", SIGTERM}})
        for (const int times : {1, 2}) row(name, number, times);
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
            eachSignal([&](const char* name, int number, int times) {
                QTest::addRow("%s, %d x %s", line, times, name) << QString(line).split(' ') << number << times;
            });
    }
    void aReaderEnds() {
        QFETCH(QStringList, arguments);
        QFETCH(int, signal);
        QFETCH(int, times);
        const double seconds = bestOfThree(limitOf(times), [&] { return secondsToEnd(arguments, signal, times); });
        QVERIFY2(seconds >= 0 && seconds < limitOf(times), std::to_string(seconds).c_str());
    }

    // Work of minutes.
    void longWorkEnds_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<double>("busySeconds");
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("times");
        const QStringList search = {"search",
                                    "--model",
                                    "llama3.1-405b",
                                    "--cluster",
                                    "NVIDIA H100 SXM 80 GB",
                                    "--devices",
                                    "1024,2048,4096,8192,16384,32768",
                                    "--variants",
                                    "--limit",
                                    "1000"};
        // The other two pairs are the reader's: their work is made anew for each row.
        for (const auto& [name, number, times] : {std::tuple{"Ctrl-C", SIGINT, 1}, std::tuple{"SIGTERM", SIGTERM, 2}}) {
            QTest::addRow("search, %d x %s", times, name) << search << 0.4 << number << times;
            QTest::addRow("reindex, %d x %s", times, name) << QStringList{"reindex"} << 0.1 << number << times;
        }
    }
    void longWorkEnds() {
        QFETCH(QStringList, arguments);
        QFETCH(double, busySeconds);
        QFETCH(int, signal);
        QFETCH(int, times);
        RunHome at;
        if (arguments.front() == "reindex") {
            auto store = RunStore::open(at.home, OpenMode::ReadWrite);
            QVERIFY(store);
            const RunDir first = *at.home.run(seedRuns(*store, {.numSteps = 0}).front());
            std::string steps;
            for (int step = 1; step <= 400; ++step) steps += toLine(MetricStep{step, step, step, {{"loss", 1.0}}});
            for (std::uint32_t i = 0; i < 2000; ++i) {
                const RunDir copy{at.home.runs() / makeId(1763740000000 + i, i)};
                std::filesystem::copy(first.path, copy.path, std::filesystem::copy_options::recursive);
                const std::string name = copy.path.filename().string();
                std::ofstream(copy.metrics()) << toLine(MetricHeader{1, name, 1, 0, 1, 0}) << steps;
            }
        }
        const double seconds = bestOfThree(limitOf(times), [&] {
            ProcessSpec spec;
            spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", at.home.path.string()};
            for (const QString& word : arguments) spec.arguments.push_back(word.toStdString());
            spec.captureOutput = true;
            auto process = Process::start(spec);
            if (!process || !waitUntil(20, [&] { return catchesSignal(process->pid(), SIGTERM); })) return -1.0;
            if (process->wait(busySeconds)) return -1.0;
            return secondsToStop(*process, signal, times);
        });
        QVERIFY2(seconds >= 0 && seconds < limitOf(times), std::to_string(seconds).c_str());
    }

    // The measuring program is no child of the terminal; it must not outlive whoever waits for its figures.
    void aMeasurementEndsWithItsProgram_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("times");
        eachSignal(
            [](const char* name, int number, int times) { QTest::addRow("%d x %s", times, name) << number << times; });
    }
    void aMeasurementEndsWithItsProgram() {
        QFETCH(int, signal);
        QFETCH(int, times);
        const double seconds = bestOfThree(limitOf(times), [&] {
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
            if (!process) return -1.0;
            const auto measuring = [&]() -> pid_t { return std::atoi(readFile(mark).value_or("").c_str()); };
            waitUntil(20, [&] { return measuring() > 0 || process->poll(); });
            const pid_t child = measuring();
            if (child <= 0) return -1.0;
            const double ended = secondsToStop(*process, signal, times);
            return waitUntil(5, [&] { return ::kill(child, 0) != 0; }) ? ended : -1.0;
        });
        QVERIFY2(seconds >= 0 && seconds < limitOf(times), std::to_string(seconds).c_str());
    }
};
SLIPWAY_TEST(TstInterruptFlow)
#include "tst_interrupt_flow.moc"
