// What the drivers of the window measure: events of its main thread, and the CPU of its threads.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace slipway::gui {

/// Measures each event of the main thread, with all that it causes at once.
class TimedApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread() || m_depth > 0) return QApplication::notify(receiver, event);
        ++m_depth;
        QElapsedTimer clock;
        clock.start();
        // The receiver may be gone afterwards.
        const char* what = receiver->metaObject()->className();
        const int type = event->type();
        const bool done = QApplication::notify(receiver, event);
        const double took = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        milliseconds.push_back(took);
        double& longest = longestOf[std::string(what) + " event " + std::to_string(type)];
        longest = std::max(longest, took);
        --m_depth;
        return done;
    }
    void forget() {
        milliseconds.clear();
        longestOf.clear();
    }
    std::vector<double> milliseconds;
    std::map<std::string, double> longestOf;  ///< by receiver and event

private:
    int m_depth = 0;
};

inline double load() {
    double average = 0;
    std::ifstream("/proc/loadavg") >> average;
    return average;
}

inline double residentMiB() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024;
    return 0;
}

/// CPU seconds so far. @param whose of this process, or RUSAGE_THREAD
inline double cpuSeconds(int whose = RUSAGE_SELF) {
    rusage used{};
    ::getrusage(whose, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Runs an event loop as the program does: QTest::qWait() would wake it a hundred times a second.
inline void runFor(double seconds) {
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(seconds * 1000), &loop, &QEventLoop::quit);
    loop.exec();
}

/// CPU seconds of this process by the name of the thread; the main thread is "main". Threads that have ended are missing.
inline std::map<std::string, double> cpuSecondsOfThreads() {
    std::map<std::string, double> out;
    std::error_code code;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", code)) {
        std::ifstream file(task.path() / "stat");
        std::string text;
        std::getline(file, text);
        const auto open = text.find('('), close = text.rfind(')');
        if (open == std::string::npos || close == std::string::npos) continue;
        std::string name = text.substr(open + 1, close - open - 1);
        if (task.path().filename() == std::to_string(::getpid())) name = "main";
        std::istringstream fields(text.substr(close + 1));
        std::string skipped;
        constexpr int kFieldsBeforeTimes = 11;
        for (int i = 0; i < kFieldsBeforeTimes; ++i) fields >> skipped;
        double user = 0, system = 0;
        fields >> user >> system;
        out[name] += (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    }
    return out;
}

}  // namespace slipway::gui
