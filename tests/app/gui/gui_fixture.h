// A home, settings and an engine in a temporary folder, with the window's look: what every page test starts from.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/language.h"
#include "app/gui/widgets/painted_widget.h"
#include "tests/support/seed_store.h"

#include <unistd.h>

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>

/// Waits for what the window does on its own: jobs, store, timers. Only something that never comes takes so long.
#define EVENTUALLY(...) QTRY_VERIFY_WITH_TIMEOUT((__VA_ARGS__), slipway::test::kPatienceMilliseconds)
#define EVENTUALLY_SAYING(condition, text) \
    QTRY_VERIFY2_WITH_TIMEOUT(condition, text, slipway::test::kPatienceMilliseconds)
#define EVENTUALLY_IS(actual, expected) \
    QTRY_COMPARE_WITH_TIMEOUT(actual, expected, slipway::test::kPatienceMilliseconds)

namespace slipway::test {

constexpr int kPatienceMilliseconds = 240000;

inline void useLook(bool dark = false) {
    auto* app = qobject_cast<QApplication*>(QCoreApplication::instance());
    gui::applyFont();
    gui::applyTheme(*app, dark ? gui::Theme::darkTheme() : gui::Theme::light());
    gui::installPaintedAccessibility();
}

/// Memory-backed where possible: making thousands of run folders waits for the disk otherwise.
inline QString fastFolder() {
    const bool usable = std::filesystem::is_directory("/dev/shm") && ::access("/dev/shm", W_OK) == 0;
    return (usable ? QStringLiteral("/dev/shm") : QDir::tempPath()) + QStringLiteral("/slipway-gui-XXXXXX");
}

struct GuiHome {
    QTemporaryDir dir{fastFolder()};
    Home home{std::filesystem::path(dir.path().toStdString()) / "home"};
    Programs programs;
    std::unique_ptr<gui::Settings> settings;
    std::unique_ptr<gui::Engine> engine;
    std::unique_ptr<gui::Context> context;

    explicit GuiHome(int numRuns = 0, int numSteps = 0) {
        if (numRuns > 0) {
            auto store = RunStore::open(home, OpenMode::ReadWrite);
            SeedOptions options;
            options.numRuns = numRuns;
            options.numSteps = numSteps;
            if (store) seedRuns(*store, options);
        }
        settings = std::make_unique<gui::Settings>(dir.filePath(QStringLiteral("gui.ini")));
    }
    /// Starts the engine and waits until its store is open; false where it cannot be opened.
    bool start() {
        engine = std::make_unique<gui::Engine>(home, programs);
        context = std::make_unique<gui::Context>(gui::Context{*engine, *settings});
        engine->start();
        const bool answered =
            QTest::qWaitFor([this] { return engine->isReady() || engine->storeError(); }, kPatienceMilliseconds);
        return answered && engine->isReady();
    }
};

/// Waits until no job is underway and what their answers set off (queued calls, timers of 0 ms) is done.
inline void settle() {
    constexpr int kQuietRounds = 3;  // an answer may queue a call, that one a timer, that one a job
    int quiet = 0;
    const bool rests = QTest::qWaitFor(
        [&quiet] {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents();
            quiet = gui::LatestJob::numUnderway() == 0 ? quiet + 1 : 0;
            return quiet >= kQuietRounds;
        },
        kPatienceMilliseconds);
    if (!rests) qWarning("jobs are still underway");
}

/// Number of different colours in a picture: a blank one has one or two.
inline int numColours(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2)
        for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

}  // namespace slipway::test
