// A run on 32 hosts (behind the tests' ssh, with the tests' trainer): how long until the command has started all agents, and what the
// window costs beside it while the ranks run: its share of a core, and how long the events of its main thread take.
// The event loop is the program's own: QTest::qWait() would wake it a hundred times a second.
//   QT_QPA_PLATFORM=offscreen bin/bench_hosts [HOSTS [SECONDS [run|nodes|minimised]]]
#include "app/gui/engine/context.h"
#include "app/gui/look/theme.h"
#include "app/gui/main_window.h"
#include "app/gui/text/language.h"
#include "benchmarks/timed_application.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/process/process.h"
#include "core/remote/node_record.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/run_home.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace slipway;
using namespace slipway::gui;
namespace fs = std::filesystem;

namespace {

constexpr double kFrameMilliseconds = 16;

}  // namespace

int main(int argc, char** argv) {
    const std::string bin = SLIPWAY_BIN_DIR;
    ::setenv("SLIPWAY_BIN_DIR", (bin + "/fake").c_str(), 1);
    TimedApplication app(argc, argv);
    const int numHosts = argc > 1 ? std::atoi(argv[1]) : 32;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 60;
    const std::string shown = argc > 3 ? argv[3] : "run";
    const test::FakeNodes fake;
    test::RunHome at;
    std::string hosts;
    for (int host = 0; host < numHosts; ++host) {
        NodeRecord node;
        node.name = node.host = "h" + std::to_string(host);
        node.trainer = bin + "/fake/slipway-trainer";
        if (!writeNode(at.home, node, false)) return 1;
        hosts += (host == 0 ? "" : ",") + node.name;
    }
    const fs::path config = at.temp.path() / "config.json";
    RunConfig run = test::tinyConfig("tiny [ms=200]", 1'000'000, numHosts);
    run.train.globalBatchSize = numHosts;
    if (!writeJsonFile(config, toJson(run))) return 1;
    const auto start = [&](const std::vector<std::string>& arguments) {
        ProcessSpec spec;
        spec.arguments = {bin + "/slipway", "--home", at.home.path.string()};
        spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
        spec.output = at.temp.path() / "output";
        return Process::start(spec);
    };

    const double begun = monotonicSecondsNow();
    auto launch = start({"launch", config.string(), "--nodes", hosts, "--detach"});
    if (!launch) return 1;
    const auto numStarted = [&] {
        int number = 0;
        std::error_code code;
        for (int host = 0; host < numHosts; ++host)
            for (const auto& made :
                 fs::directory_iterator(fake.home("h" + std::to_string(host)) / ".local/share/slipway-node/runs", code))
                for (const auto& agent : fs::directory_iterator(made.path() / "agent", code))
                    number += fs::exists(agent.path() / "heartbeat.json") ? 1 : 0;
        return number;
    };
    constexpr double kPatience = 300;
    while (numStarted() < numHosts && monotonicSecondsNow() - begun < kPatience) QThread::msleep(20);
    const double started = monotonicSecondsNow() - begun;
    const auto& exit = launch->wait(kPatience);
    const double ended = monotonicSecondsNow() - begun;
    if (numStarted() < numHosts || !exit || !exit->ok()) {
        std::fputs(readFile(at.temp.path() / "output").value_or("").c_str(), stderr);
        return 1;
    }
    std::printf(
        "agents on %d hosts            all started after %.2f s, the command ended after %.2f s   (load %.1f)\n",
        numHosts, started, ended, load());

    {
        applyFont();
        applyTheme(app, Theme::light());
        QTemporaryDir folder;
        Settings settings(folder.filePath(QStringLiteral("settings.ini")));
        Engine engine(at.home, Programs::find());
        Context context{engine, settings};
        MainWindow window(context);
        window.resize(1440, 900);
        bool isOpen = false;
        QObject::connect(&engine, &Engine::storeReady, &window, [&] {
            if (std::exchange(isOpen, true)) return;
            auto store = RunStore::open(at.home, OpenMode::ReadOnly);
            const auto ids = store ? store->ids({}) : Result<std::vector<RunId>>(std::vector<RunId>{});
            if (ids && !ids->empty()) window.openRun(ids->front());
        });
        window.show();
        engine.start();
        constexpr double kSettleSeconds = 15;
        runFor(kSettleSeconds / 2);
        if (shown == "nodes") window.openPage(PageId::Nodes);
        if (shown == "minimised") window.showMinimized();
        runFor(kSettleSeconds / 2);
        app.forget();
        const double before = cpuSeconds(), paint = cpuSeconds(RUSAGE_THREAD), from = monotonicSecondsNow();
        runFor(seconds);
        const double passed = monotonicSecondsNow() - from;
        const double share = 100 * (cpuSeconds() - before) / passed;
        const double main = 100 * (cpuSeconds(RUSAGE_THREAD) - paint) / passed;
        std::vector<double> events = app.milliseconds;
        std::sort(events.begin(), events.end());
        const auto above = events.end() - std::upper_bound(events.begin(), events.end(), kFrameMilliseconds);
        std::printf(
            "window (%s)  %.2f %% of a core (main thread %.2f %%), longest event %.1f ms, 99 %% %.2f ms, %td of %zu above "
            "%.0f ms (%.0f s, load %.1f)\n",
            shown.c_str(), share, main, events.empty() ? 0 : events.back(),
            events.empty() ? 0 : events[events.size() * 99 / 100], above, events.size(), kFrameMilliseconds, seconds,
            load());
    }
    auto stop = start({"stop", "--kill", "tiny [ms=200]"});
    return stop && stop->wait(kPatience) && stop->poll()->ok() ? 0 : 1;
}
