// One index, many programs: this window, an agent with its run, a launch that follows it, and a command after the other. Nobody's
// index is taken away under them, and what one changes the others have within a second.
#include "app/gui/main_window.h"
#include "app/gui/models/runs_model.h"
#include "core/base/json.h"
#include "core/process/proc_facts.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/soak.h"

#include <nlohmann/json.hpp>

#include <QElapsedTimer>
#include <QProcess>
#include <QTableView>
#include <algorithm>

using namespace slipway;
using namespace slipway::gui;
namespace fs = std::filesystem;

namespace {

/// Descriptors of a program on files of the home that somebody has deleted.
QStringList deletedDescriptors(std::int64_t pid, const Home& home) {
    QStringList found;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", code)) {
        const QString target = QString::fromStdString(fs::read_symlink(entry.path(), code).string());
        if (target.startsWith(QString::fromStdString(home.index().string())) &&
            target.endsWith(QStringLiteral(" (deleted)")))
            found << QStringLiteral("%1: %2").arg(pid).arg(target);
    }
    return found;
}

class CommandRunner {
public:
    explicit CommandRunner(test::GuiHome& home) : m_home(home) {
        const fs::path bin = SLIPWAY_BIN_DIR, own = fs::path(home.dir.path().toStdString()) / "bin";
        fs::create_directories(own);
        fs::create_symlink(bin / "slipway-agent", own / "slipway-agent");
        fs::create_symlink(bin / "fake" / "slipway-trainer", own / "slipway-trainer");
        m_environment = QProcessEnvironment::systemEnvironment();
        m_environment.insert(QStringLiteral("SLIPWAY_BIN_DIR"), QString::fromStdString(own.string()));
    }
    void start(QProcess& process, QStringList arguments) const {
        process.setProcessEnvironment(m_environment);
        arguments.prepend(QString::fromStdString(m_home.home.path.string()));
        arguments.prepend(QStringLiteral("--home"));
        process.start(QStringLiteral(SLIPWAY_BIN_DIR "/slipway"), arguments);
    }

private:
    test::GuiHome& m_home;
    QProcessEnvironment m_environment;
};

/// Changes whose command has ended, and when the window had them.
class Latencies {
public:
    explicit Latencies(QTableView* table) : m_model(qobject_cast<RunsModel*>(table->model())) {}
    void expect(const RunId& id, const std::string& tag) {
        m_open.push_back({id, tag, QElapsedTimer()}), m_open.back().since.start();
    }
    void look() {
        std::erase_if(m_open, [this](const Change& change) {
            const RunRecord* record = m_model->recordAt(m_model->rowOf(change.id));
            if (record == nullptr || std::ranges::find(record->tags, change.tag) == record->tags.end()) return false;
            seen.push_back(change.since.elapsed());
            return true;
        });
    }
    [[nodiscard]] bool isDone() {
        look();
        return m_open.empty();
    }
    std::vector<qint64> seen;  ///< milliseconds

private:
    struct Change {
        RunId id;
        std::string tag;
        QElapsedTimer since;
    };
    RunsModel* m_model;
    std::vector<Change> m_open;
};

void runCommands(bool withLaunch, int atLeast, double seconds) {
    test::useLook();
    test::GuiHome home(6, 0);
    fs::create_directories(home.home.corpora());
    std::vector<std::uint32_t> tokens(1000);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i * 7 % 64);
    QVERIFY(writeTokenFile(home.home.corpora() / "tiny.tok", tokens, 64, ""));
    const QString config = home.dir.filePath(QStringLiteral("config.json"));
    QVERIFY(writeJsonFile(config.toStdString(), toJson(test::tinyConfig("live [ms=50]", 1'000'000))));
    const CommandRunner programs(home);
    QProcess launch;
    if (withLaunch) programs.start(launch, {QStringLiteral("launch"), config});

    QVERIFY(home.start());
    MainWindow window(*home.context);
    window.resize(1280, 800);
    window.show();
    window.openPage(PageId::Runs);
    auto* table = window.page(PageId::Runs)->findChild<QTableView*>(QStringLiteral("runs"));
    auto reader = RunStore::open(home.home, OpenMode::ReadOnly);
    QVERIFY(reader);
    RunQuery running;
    running.filter = "status:running";
    const auto live = [&]() -> std::optional<RunRecord> {
        const auto rows = reader->list(running);
        return rows && !rows->empty() ? std::optional(rows->front().record) : std::nullopt;
    };
    EVENTUALLY_SAYING(!withLaunch || (live() && live()->lastStep > 2), launch.readAllStandardError().constData());
    const RunId liveId = withLaunch ? live()->id : RunId();
    const std::vector<std::int64_t> others =
        withLaunch ? processesWithEnvironment({"SLIPWAY_RUN_ID=" + liveId.value}) : std::vector<std::int64_t>();
    std::vector<RunId> ids;
    const auto listed = reader->list({});
    QVERIFY(listed);
    for (const RunRow& row : *listed) ids.push_back(row.record.id);

    Latencies latencies(table);
    QElapsedTimer clock;
    clock.start();
    int number = 0;
    std::int64_t step = 0;
    while (number < atLeast || static_cast<double>(clock.elapsed()) < seconds * 1000) {
        const RunId& id = ids[static_cast<std::size_t>(number) % ids.size()];
        const std::string tag = "t" + std::to_string(number++);
        QProcess command;
        programs.start(command, {QStringLiteral("tag"), QString::fromStdString(id.value), QString::fromStdString(tag)});
        EVENTUALLY((latencies.look(), command.state() == QProcess::NotRunning));
        QVERIFY2(command.exitCode() == 0, command.readAllStandardError().constData());
        latencies.expect(id, tag);
        const auto tags = reader->run(id)->tags;  // another program has it at once
        QVERIFY2(std::ranges::find(tags, tag) != tags.end(), tag.c_str());
        QStringList deleted = deletedDescriptors(QCoreApplication::applicationPid(), home.home) +
                              deletedDescriptors(launch.processId(), home.home);
        for (const std::int64_t pid : others) deleted += deletedDescriptors(pid, home.home);
        QVERIFY2(deleted.isEmpty(), qPrintable(deleted.join(QStringLiteral("; "))));
        if (!withLaunch) continue;
        QVERIFY2(launch.state() == QProcess::Running, launch.readAllStandardError().constData());
        QVERIFY(reader->run(liveId)->lastStep >= step);
        step = reader->run(liveId)->lastStep;
    }
    EVENTUALLY(latencies.isDone());
    std::ranges::sort(latencies.seen);
    const qint64 median = latencies.seen[latencies.seen.size() / 2];
    qInfo("%d commands in %.1f s; in the window after %lld ms (median), %lld ms (last)", number,
          static_cast<double>(clock.elapsed()) / 1000, static_cast<long long>(median),
          static_cast<long long>(latencies.seen.back()));
    QVERIFY2(median < 1000, qPrintable(QString::number(median)));  // of all, for a busy machine may hold one up

    if (withLaunch) {
        QVERIFY(step > 2);
        launch.terminate();
        EVENTUALLY(launch.state() == QProcess::NotRunning);
        EVENTUALLY(reader->run(liveId)->status == RunStatus::Cancelled);
    }
    auto sound = RunStore::open(home.home, OpenMode::ReadWrite);
    QVERIFY(sound && sound->check());
    closeThreadStore();
}

}  // namespace

class TstWindowAndCommands : public QObject {
    Q_OBJECT
private slots:
    // No other program holds the index: a command that ends could take it away.
    void besideAWindowAlone() { runCommands(false, 40, 0); }
    void besideAWindowAndALaunch() { runCommands(true, 200, 0); }
};

class TstWindowAndCommandsFull : public QObject {
    Q_OBJECT
private slots:
    void aSoak() { runCommands(true, 200, test::soakSeconds()); }
};

SLIPWAY_TEST(TstWindowAndCommands)
SLIPWAY_TEST_FULL(TstWindowAndCommandsFull)
#include "tst_window_and_commands.moc"
