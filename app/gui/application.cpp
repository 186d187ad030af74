#include "app/gui/application.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/engine/list_store.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/look/program_icon.h"
#include "app/gui/look/theme.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/tools_page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/language.h"
#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/row_density.h"
#include "core/base/version.h"
#include "core/planner/user_hardware.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QThread>
#include <QThreadPool>
#include <cstdio>
#include <map>

namespace slipway::gui {
namespace {

const std::map<QString, PageId>& pageNames() {
    static const std::map<QString, PageId> names{
        {"plan", PageId::Plan},         {"runs", PageId::Runs},         {"run", PageId::Run},
        {"compare", PageId::Compare},   {"nodes", PageId::Nodes},       {"sweeps", PageId::Sweeps},
        {"playbook", PageId::Playbook}, {"settings", PageId::Settings}, {"search", PageId::Plan},
        {"whatif", PageId::Plan},       {"charts", PageId::Compare},    {"board", PageId::Compare},
        {"why", PageId::Compare},       {"laws", PageId::Tools},        {"cost", PageId::Tools},
        {"tpu", PageId::Tools},         {"lint", PageId::Tools},        {"devices", PageId::Tools}};
    return names;
}

QString pageList() {
    QStringList names;
    for (const auto& [name, page] : pageNames()) names << name;
    return names.join(QStringLiteral(", "));
}

Theme themeFor(ThemeChoice choice, const QPalette& system) {
    switch (choice) {
        case ThemeChoice::Light: return Theme::light();
        case ThemeChoice::Dark: return Theme::darkTheme();
        case ThemeChoice::System: break;
    }
    // A palette of only black on white is a high-contrast one: its own colours are kept.
    const QColor window = system.color(QPalette::Window);
    const QColor text = system.color(QPalette::WindowText);
    if (contrastRatio(window, text) > 20.5 && window == system.color(QPalette::Button))
        return Theme::fromPalette(system);
    return isDarkPalette(system) ? Theme::darkTheme() : Theme::light();
}

// Runs jobs and queued signals until nothing has happened for a while.
void settle(int quietMilliseconds, int mostMilliseconds) {
    QElapsedTimer total, quiet;
    total.start();
    quiet.start();
    while (total.elapsed() < mostMilliseconds && quiet.elapsed() < quietMilliseconds) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        if (LatestJob::numUnderway() > 0 || QThreadPool::globalInstance()->activeThreadCount() > 0) quiet.restart();
        QThread::msleep(5);
    }
}

std::vector<RunId> newestRuns(const Home& home, std::int64_t limit) {
    RunQuery query;
    query.limit = limit;
    const auto ids = readLists(home, [&](RunStore& store) { return store.list(query); });
    std::vector<RunId> out;
    if (ids)
        for (const RunRow& row : *ids) out.push_back(row.record.id);
    return out;
}

std::vector<RunId> idsFrom(const QString& text) {
    std::vector<RunId> out;
    for (const QString& id : text.split(',', Qt::SkipEmptyParts)) out.emplace_back(id.toStdString());
    return out;
}

// The store knows ids; people may type the beginning of one, or a name.
std::vector<RunId> resolve(const Home& home, const std::vector<RunId>& given) {
    std::vector<RunId> out;
    for (const RunId& id : given)
        if (const auto record = readStore(home, [&](RunStore& store) { return store.findRun(id.value); }))
            out.push_back(record->id);
    return out;
}

void openPage(MainWindow& window, const Home& home, PageId page, std::vector<RunId> runs) {
    runs = resolve(home, runs);
    if (page == PageId::Run) {
        if (runs.empty()) runs = newestRuns(home, 1);
        if (!runs.empty()) return window.openRun(runs.front());
    }
    if (page == PageId::Compare) {
        if (runs.empty()) runs = newestRuns(home, 5);
        if (!runs.empty()) return window.openCompare(runs);
    }
    window.openPage(page);
}

// Pictures, --help and --version need no display.
bool needsDisplay(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        for (const char* option : {"--screenshot", "--help", "--help-all", "-h", "--version", "-v"})
            if (qstrcmp(argv[i], option) == 0) return false;
    return true;
}

bool hasDisplay() {
#ifdef Q_OS_LINUX
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
#else
    return true;
#endif
}

}  // namespace

int runApplication(int argc, char** argv) {
    // Before QApplication looks for a display: it aborts without one.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        if (!needsDisplay(argc, argv)) {
            qputenv("QT_QPA_PLATFORM", "offscreen");
        } else if (!hasDisplay()) {
            std::fputs(
                "There is no display: DISPLAY and WAYLAND_DISPLAY are empty. Connect with ssh -X, use the command slipway, or draw a page with "
                "slipway-gui --screenshot PAGE FILE.png.\n",
                stderr);
            return 1;
        }
    }
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("slipway-gui"));
    QApplication::setApplicationVersion(qs(versionText()));
    QApplication::setWindowIcon(programIcon());
    QApplication::setDesktopFileName(QStringLiteral("org.slipway.Slipway"));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Plan, launch and compare training runs of large language models."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption home(
        "home", "Folder of runs, sweeps and index (default: $SLIPWAY_HOME or the XDG data folder).", "DIR");
    const QCommandLineOption lang("lang", "Language: en or ko.", "CODE");
    const QCommandLineOption dark("dark", "Dark theme.");
    const QCommandLineOption light("light", "Light theme.");
    const QCommandLineOption page("page", "Page to open: " + pageList() + ".", "PAGE");
    const QCommandLineOption runs("run", "Runs to open: ids or names, separated by commas.", "RUNS");
    const QCommandLineOption screenshot("screenshot", "Draws a page into FILE.png and ends.", "PAGE");
    const QCommandLineOption size("size", "Size of the picture (default 1440x900).", "WxH");
    const QCommandLineOption settingsFile("settings", "Settings file (default: the XDG config folder).", "FILE");
    parser.addOptions({home, lang, dark, light, page, runs, screenshot, size, settingsFile});
    parser.addPositionalArgument("FILE", "Picture to write, with --screenshot.", "[FILE]");
    parser.process(app);

    const QString wanted = parser.isSet(screenshot) ? parser.value(screenshot) : parser.value(page);
    if (!wanted.isEmpty() && !pageNames().count(wanted)) {
        std::fprintf(stderr, "There is no page %s; choose one of %s.\n", qPrintable(wanted), qPrintable(pageList()));
        return 2;
    }
    if (parser.isSet(screenshot) && parser.positionalArguments().size() != 1) {
        std::fprintf(stderr, "--screenshot needs a page and a file: --screenshot runs runs.png\n");
        return 2;
    }

    const bool picture = parser.isSet(screenshot);
    const QPalette system = QApplication::palette();
    Settings settings(parser.value(settingsFile));
    ThemeChoice choice = picture ? ThemeChoice::Light : settings.themeChoice();
    if (parser.isSet(dark)) choice = ThemeChoice::Dark;
    if (parser.isSet(light)) choice = ThemeChoice::Light;
    applyFont();
    applyTheme(app, themeFor(choice, system));
    installPaintedAccessibility();
    setCompactRows(!picture && settings.value(QString::fromLatin1(kCompactRowsSetting)).toBool());
    WindowLanguage language;
    language.apply(parser.isSet(lang) ? parser.value(lang) : picture ? QStringLiteral("en") : settings.language());
    QObject::connect(&settings, &Settings::languageChanged, &app,
                     [&language](const QString& code) { language.apply(code); });
    QObject::connect(&settings, &Settings::themeChanged, &app,
                     [&app, system](ThemeChoice now) { applyTheme(app, themeFor(now, system)); });

    const Home place = Home::resolve(parser.value(home).toStdString());
    // Tools > Devices reports problems of an unreadable file.
    useUserHardware(readUserHardware(place.path / kUserHardwareFile).value_or(UserHardware{}));
    Engine engine(place, Programs::find());
    Context context{engine, settings};
    MainWindow window(context);
    bool opened = false;
    QObject::connect(&engine, &Engine::storeReady, &window, [&] {
        if (opened) return;
        opened = true;
        openPage(window, place, wanted.isEmpty() ? PageId::Runs : pageNames().at(wanted), idsFrom(parser.value(runs)));
        if (wanted == QStringLiteral("search")) window.openSearch();
        if (wanted == QStringLiteral("whatif")) window.openPlan(PlanTab::WhatIf);
        if (wanted == QStringLiteral("charts")) window.openCompareTab(CompareTab::Charts);
        if (wanted == QStringLiteral("board")) window.openCompareTab(CompareTab::Board);
        const std::map<QString, ToolTab> tools{{"laws", ToolTab::Laws},
                                               {"cost", ToolTab::Cost},
                                               {"tpu", ToolTab::Tpu},
                                               {"lint", ToolTab::Lint},
                                               {"devices", ToolTab::Devices}};
        if (const auto tool = tools.find(wanted); tool != tools.end()) window.openTool(tool->second);
        if (wanted == QStringLiteral("why")) window.openCompareTab(CompareTab::WhySlower);
    });
    engine.start();
    if (!picture) {
        window.show();
        window.measureMachine();
        return QApplication::exec();
    }
    const QStringList sides = parser.value(size).split('x');
    window.resize(sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize(1440, 900));
    window.show();
    settle(400, 120000);
    const bool saved = window.grab().save(parser.positionalArguments().front());
    if (!saved) std::fprintf(stderr, "%s cannot be written.\n", qPrintable(parser.positionalArguments().front()));
    return saved ? 0 : 1;
}

}  // namespace slipway::gui
