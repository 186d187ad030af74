// The Runs page over a home of many runs, without a display: time to the first rows, from a keystroke in the filter to its
// rows and counts, sort, groups, and the memory of the process; with `curves` instead those of 1,000 runs on a board, read
// and drawn. `slipway bench store 100000 10 --folder DATA` makes a home (DATA/home), or use your own: it is only read.
//   QT_QPA_PLATFORM=offscreen bin/bench_window HOME [curves]
#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/board_data.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/text/language.h"
#include "app/gui/widgets/filter_line.h"
#include "app/gui/widgets/metric_chart.h"

#include <fcntl.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace slipway;
using namespace slipway::gui;

namespace {

constexpr int kPatience = 600000;

double residentMiB() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) / 1024;
    return 0;
}

double load() {
    double average = 0;
    std::ifstream("/proc/loadavg") >> average;
    return average;
}

void print(const char* what, std::vector<double> milliseconds) {
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto at = [&](double share) {
        return milliseconds[static_cast<std::size_t>(share * static_cast<double>(milliseconds.size() - 1))];
    };
    std::printf("%-28s median %7.1f ms   95 %% %7.1f ms   (%zu times, load %.1f)\n", what, at(0.5), at(0.95),
                milliseconds.size(), load());
}

/// Drops the index from the system's cache; no connection may have it open.
void forgetIndex(const Home& home) {
    const int file = ::open(home.index().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
}

/// The loss of 1,000 runs spread over the home, as a board reads it and a chart draws it.
void measureCurves(const Home& home) {
    BoardRequest request;
    request.board.metrics = {"loss"};
    {
        auto store = RunStore::open(home, OpenMode::ReadOnly);
        const auto all = store ? store->listing({}) : Result<RunListing>(fail(store.error()));
        if (!all) return;
        const std::size_t count = std::min<std::size_t>(1000, all->keys.size());
        std::vector<std::int64_t> keys;
        for (std::size_t i = 0; i < count; ++i) keys.push_back(all->keys[i * (all->keys.size() / count)]);
        const auto rows = store->rows(keys, {});
        if (!rows) return;
        for (const RunRow& row : *rows) request.runs.push_back(row.record.id);
        request.keys = keysOf(*store, request.runs, {});  // the window has listed its runs
    }
    MetricChart chart;
    chart.resize(900, 400);
    const auto draw = [&](RunStore& store, double& reading) {
        QElapsedTimer clock;
        clock.start();
        const BoardData data = loadBoard(store, request, {});
        reading = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        chart.setCurves(data.charts.front().curves);
        chart.grab();
        return static_cast<double>(clock.nsecsElapsed()) / 1e6;
    };
    std::vector<double> cold, coldReading, warm, warmReading;
    for (int round = 0; round < 5; ++round) {
        forgetIndex(home);
        auto store = RunStore::open(home, OpenMode::ReadOnly);
        if (!store) return;
        double reading = 0;
        cold.push_back(draw(*store, reading));
        coldReading.push_back(reading);
        warm.push_back(draw(*store, reading));
        warmReading.push_back(reading);
    }
    std::printf("%zu curves of a board\n", request.runs.size());
    print("  cold: read", coldReading);
    print("  cold: read, drawn", cold);
    print("  warm: read", warmReading);
    print("  warm: read, drawn", warm);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const bool curves = argc == 3 && std::string(argv[2]) == "curves";
    if (argc != 2 && !curves) {
        std::fprintf(stderr, "usage: bench_window HOME [curves]\n");
        return 2;
    }
    applyFont();
    applyTheme(app, Theme::light());
    if (curves) {
        measureCurves(Home{argv[1]});
        return 0;
    }
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    QElapsedTimer clock;
    clock.start();
    Engine engine(Home{argv[1]}, Programs());
    Context context{engine, settings};
    RunsController controller(context);
    RunsPage page(context, controller, nullptr);
    page.resize(1440, 900);
    page.show();
    engine.start();
    const auto painted = [&] {
        page.grab();
        return static_cast<double>(clock.nsecsElapsed()) / 1e6;
    };
    if (!QTest::qWaitFor([&] { return controller.hasAnswer(); }, kPatience)) return 1;
    print("first rows", {painted()});
    (void)QTest::qWaitFor([] { return LatestJob::numUnderway() == 0; }, kPatience);
    std::printf("runs %lld, resident %.0f MiB\n", static_cast<long long>(controller.numAll()), residentMiB());
    const auto timed = [&](auto&& ask) {
        bool answered = false;
        const auto connection = QObject::connect(&controller, &RunsController::answered, [&] { answered = true; });
        clock.restart();
        ask();
        (void)QTest::qWaitFor([&] { return answered; }, kPatience);
        QObject::disconnect(connection);
        return painted();
    };
    auto* filter = page.findChild<FilterLine*>(QStringLiteral("filter"));
    std::vector<double> keys, sorts, groups;
    for (const char* text : {"tp:2 mfu>40", "status:failed", "name~7", "dp:4 or pp:2"}) {
        filter->clear();
        (void)QTest::qWaitFor([] { return LatestJob::numUnderway() == 0; }, kPatience);
        for (const char* c = text; *c != '\0'; ++c) {
            bool asked = false;
            const auto connection = QObject::connect(&controller, &RunsController::asked, [&] { asked = true; });
            clock.restart();
            bool answered = false;
            const auto answer = QObject::connect(&controller, &RunsController::answered, [&] { answered = true; });
            QTest::keyClick(filter, *c);
            if (asked) {
                (void)QTest::qWaitFor([&] { return answered; }, kPatience);
                keys.push_back(painted());
            }
            QObject::disconnect(connection);
            QObject::disconnect(answer);
        }
    }
    filter->clear();
    (void)QTest::qWaitFor([] { return LatestJob::numUnderway() == 0; }, kPatience);
    for (const char* field : {"mfu", "name", "final_loss", "created", "tp"})
        sorts.push_back(timed([&] { controller.sortBy(field, false); }));
    for (const char* field : {"seed", "tp", "status", "dp", "pp"})
        groups.push_back(timed([&] { controller.setGroupBy(field); }));
    print("keystroke to rows", keys);
    print("sort", sorts);
    print("group, with five figures", groups);
    std::printf("resident %.0f MiB\n", residentMiB());
    return 0;
}
