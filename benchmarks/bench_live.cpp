// The window while 50 runs write a line of 31 metrics a second each (benchmarks/live_runs.py, another process): for each page its share
// of a core, by thread, and how long the events of its main thread take. HOME gets the runs: give it a copy.
//   QT_QPA_PLATFORM=offscreen bin/bench_live HOME [RUNS [SECONDS [PAGE...]]]      pages: runs, board, five, summary, charts, run
#include "app/gui/engine/context.h"
#include "app/gui/look/theme.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/text/language.h"
#include "benchmarks/timed_application.h"
#include "core/base/clock.h"
#include "core/process/process.h"

#include <sys/resource.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

using namespace slipway;
using namespace slipway::gui;

namespace {

constexpr double kFrameMilliseconds = 16;
constexpr int kSettleMilliseconds = 12000;
constexpr std::size_t kFew = 5;
constexpr std::size_t kNamed = 3;

void measure(TimedApplication& app, const std::string& page, double seconds) {
    runFor(kSettleMilliseconds / 1000.0);
    app.forget();
    const auto before = cpuSecondsOfThreads();
    const double cpu = cpuSeconds(), from = monotonicSecondsNow();
    runFor(seconds);
    const double passed = monotonicSecondsNow() - from;
    const double share = 100 * (cpuSeconds() - cpu) / passed;
    std::vector<double> events = app.milliseconds;
    std::sort(events.begin(), events.end());
    const auto above = events.end() - std::upper_bound(events.begin(), events.end(), kFrameMilliseconds);
    std::printf(
        "%-9s %6.2f %% of a core, longest event %.1f ms, %td of %zu above %.0f ms, %.0f MiB   (%.0f s, load %.1f)\n",
        page.c_str(), share, events.empty() ? 0 : events.back(), above, events.size(), kFrameMilliseconds,
        residentMiB(), seconds, load());
    for (const auto& [thread, now] : cpuSecondsOfThreads()) {
        const auto known = before.find(thread);
        const double used = 100 * (now - (known == before.end() ? 0 : known->second)) / passed;
        if (used > 0.1) std::printf("            %5.2f %% %s\n", used, thread.c_str());
    }
    std::vector<std::pair<double, std::string>> longest;
    for (const auto& [what, took] : app.longestOf) longest.emplace_back(took, what);
    std::sort(longest.rbegin(), longest.rend());
    for (std::size_t i = 0; i < std::min(kNamed, longest.size()); ++i)
        std::printf("            %5.1f ms %s\n", longest[i].first, longest[i].second.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    TimedApplication app(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_live HOME [RUNS [SECONDS [PAGE...]]]\n");
        return 2;
    }
    const std::string home = argv[1];
    const int number = argc > 2 ? std::atoi(argv[2]) : 50;
    const double seconds = argc > 3 ? std::atof(argv[3]) : 30;
    std::vector<std::string> pages(argv + std::min(argc, 4), argv + argc);
    if (pages.empty()) pages = {"runs", "board", "run"};

    ProcessSpec spec;
    spec.arguments = {"/usr/bin/env", "python3", SLIPWAY_SOURCE_DIR "/benchmarks/live_runs.py", home,
                      std::to_string(number)};
    spec.captureOutput = true;
    spec.parentDeathSignal = SIGTERM;
    auto writer = Process::start(spec);
    if (!writer) return 1;
    constexpr double kPatience = 300;
    const double begun = monotonicSecondsNow();
    while (!writer->poll() && writer->output().find('\n') == std::string::npos &&
           monotonicSecondsNow() - begun < kPatience)
        QThread::msleep(50);
    std::vector<RunId> runs;
    std::istringstream words(writer->output());
    for (std::string id; words >> id;) runs.emplace_back(id);
    if (runs.empty()) {
        std::fputs(writer->errorOutput().c_str(), stderr);
        return 1;
    }

    applyFont();
    applyTheme(app, Theme::light());
    {
        QTemporaryDir folder;
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        Engine engine(Home{home}, Programs());
        Context context{engine, settings};
        MainWindow window(context);
        window.resize(1440, 900);
        bool isOpen = false;
        QObject::connect(&engine, &Engine::storeReady, &window, [&] { isOpen = true; });
        window.openPage(PageId::Runs);
        window.show();
        engine.start();
        if (!QTest::qWaitFor([&] { return isOpen; }, 60000)) return 1;
        for (const std::string& page : pages) {
            if (page == "runs") {
                window.openPage(PageId::Runs);
            } else if (page == "run") {
                window.openRun(runs.front());
            } else {
                const std::size_t most = page == "five" ? kFew : runs.size();
                window.openCompare(
                    {runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(std::min(most, runs.size()))});
                window.openCompareTab(page == "summary"  ? CompareTab::Summary
                                      : page == "charts" ? CompareTab::Charts
                                                         : CompareTab::Board);
            }
            measure(app, page, seconds);
            if (qEnvironmentVariableIsSet("SLIPWAY_BENCH_PICTURES"))
                window.grab().save(qEnvironmentVariable("SLIPWAY_BENCH_PICTURES") + '/' + QString::fromStdString(page) +
                                   QStringLiteral(".png"));
        }
    }
    writer->signal(SIGTERM);
    return writer->wait(60) ? 0 : 1;
}
