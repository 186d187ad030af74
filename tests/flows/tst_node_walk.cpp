// What a new user does with nodes, by command and in the window: two computers (sshd in networks, and with views of the disk, of their own)
// are added and set up, a sweep of the real trainer runs on both, the link of one is cut in the middle and heals, and the table is that of
// the same sweep on this computer.
#include "app/gui/look/theme.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/node_dialog.h"
#include "core/base/json.h"
#include "core/process/process.h"
#include "core/run/run_files.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_result.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"
#include "tests/support/sshd.h"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace slipway;
using namespace slipway::gui;
using namespace slipway::test;

namespace {

namespace fs = std::filesystem;

/// By the name of a trial: how it ended, and all of its losses.
using Table = std::map<std::string, std::pair<std::string, std::vector<double>>>;

constexpr std::int64_t kSteps = 400;

Table tableOf(const Home& home) {
    Table table;
    auto store = RunStore::open(home, OpenMode::ReadOnly);
    if (!store) return table;
    const auto sweeps = store->sweeps();
    const auto result = sweeps && sweeps->size() == 1 ? loadSweepResult(*store, sweeps->front().id)
                                                      : Result<SweepResult>(SweepResult{});
    for (const TrialResult& trial : result ? result->trials : std::vector<TrialResult>()) {
        const auto losses = store->series(trial.run, "loss");
        table[trial.name] = {wordOf(trial.status), losses ? losses->values : std::vector<double>()};
    }
    return table;
}

std::string statusOfSweep(const Home& home) {
    auto store = RunStore::open(home, OpenMode::ReadOnly);
    const auto sweeps = store ? store->sweeps() : Result<std::vector<SweepRecord>>(std::vector<SweepRecord>());
    return sweeps && sweeps->size() == 1 ? sweeps->front().status : "";
}

/// A run on this node that has begun and is far from its end.
RunId runningOn(const Home& home, const std::string& node) {
    auto store = RunStore::open(home, OpenMode::ReadOnly);
    RunQuery running;
    running.filter = "status:running";
    const auto rows = store ? store->list(running) : Result<std::vector<RunRow>>(std::vector<RunRow>());
    for (const RunRow& row : rows ? *rows : std::vector<RunRow>()) {
        const auto files = readRunFiles(RunDir{row.record.folder});
        if (!files || row.record.lastStep < 1 || row.record.lastStep > kSteps / 2) continue;
        for (const LaunchNode& each : files->nodes)
            if (each.name == node) return row.record.id;
    }
    return {};
}

}  // namespace

class TstNodeWalkFull : public QObject {
    Q_OBJECT
    std::unique_ptr<Networks> m_networks;
    std::unique_ptr<TempDir> m_temp;
    std::unique_ptr<Sshd> m_sshd;
    fs::path m_file;
    Table m_expected;

    [[nodiscard]] std::string fingerprint(const std::string& name) const {
        QProcess keygen;
        keygen.start(
            QStringLiteral("/usr/bin/ssh-keygen"),
            {QStringLiteral("-lf"), QString::fromStdString((m_sshd->root / ("host_key_" + name + ".pub")).string())});
        keygen.waitForFinished();
        return QString::fromUtf8(keygen.readAllStandardOutput()).split(QLatin1Char(' ')).value(1).toStdString();
    }
    /// Starts `slipway` with this home; its output is in `log`.
    static Result<Process> start(const Home& home, const fs::path& log, const std::vector<std::string>& arguments) {
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", home.path.string()};
        spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
        spec.output = log;
        spec.newSession = true;
        return Process::start(spec);
    }
    static int run(const Home& home, const fs::path& log, const std::vector<std::string>& arguments) {
        std::error_code code;
        fs::remove(log, code);
        auto process = start(home, log, arguments);
        const auto& exit = process ? process->wait(240) : std::optional<ExitState>();
        return exit ? exit->code : -1;
    }
    /// Nothing of the home or of the hosts outlives a test, even one that fails.
    void endAll() const {
        m_networks->setLink("a", true);
        for (const pid_t pid :
             Sshd::processes({std::string(SLIPWAY_BIN_DIR) + "/slipway", (m_temp->path() / "here").string()}))
            ::kill(pid, SIGKILL);
        for (const char* name : {"a", "b"})
            for (const pid_t pid : Sshd::processes({"slipway-", m_sshd->home(name).string()})) ::kill(pid, SIGKILL);
    }

private slots:
    void initTestCase() {
        if (const char* missing = Sshd::isMissing()) QSKIP(missing);
        if (::geteuid() != 0 || ::access("/usr/sbin/ip", X_OK) != 0) QSKIP("needs root and ip, to make networks");
        if (!fs::exists(fs::path(SLIPWAY_BIN_DIR) / "slipway-trainer")) QSKIP("slipway-trainer is not built");
        const fs::path cache = fs::path(std::getenv("HOME")) / ".cache" / "slipway";
        std::error_code code;
        fs::path libtorch;
        for (const auto& entry : fs::directory_iterator(cache, code))
            if (entry.path().filename().string().starts_with("torch-")) libtorch = entry.path();
        if (libtorch.empty()) QSKIP("no libtorch in ~/.cache/slipway: slipway trainer setup");
        m_networks = std::make_unique<Networks>();
        if (!m_networks->isMade) QSKIP("this kernel lets nobody make networks");
        ::unsetenv("SLIPWAY_BIN_DIR");
        useLook();
        m_temp = std::make_unique<TempDir>();
        fs::create_directories(m_temp->path() / "here");  // the hosts see an empty one
        m_sshd = std::make_unique<Sshd>(m_temp->path() / "hosts", *m_networks, m_temp->path() / "here");
        // The set-up finds libtorch on the hosts, as on a cluster that has it: a copy of a gigabyte is another test's.
        for (const char* name : {"a", "b"}) {
            fs::create_directories(m_sshd->home(name) / ".cache" / "slipway");
            fs::create_directory_symlink(libtorch, m_sshd->home(name) / ".cache" / "slipway" / libtorch.filename());
        }
        m_file = m_temp->path() / "here" / "walk.json";
        std::vector<std::uint32_t> tokens(100000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i * 7 % 64);
        RunConfig base = tinyConfig("walk", kSteps);
        base.data.tokens = (m_temp->path() / "here" / "tiny.tok").string();
        QVERIFY(writeTokenFile(base.data.tokens, tokens, 64, ""));
        Json file{{"schema", 1}, {"name", "walk"}, {"base", toJson(base)}};
        file["points"] = {{{"name", "one process"}},
                          {{"name", "another seed"}, {"train.seed", 2}},
                          {{"name", "DP 2"}, {"parallel.dp", 2}},
                          {{"name", "TP 2"}, {"parallel.tp", 2}}};
        QVERIFY(writeJsonFile(m_file, file));
        const Home local{m_temp->path() / "here" / "local"};
        const fs::path log = m_temp->path() / "here" / "local.log";
        QVERIFY2(run(local, log, {"sweep", m_file.string()}) == 0, readFile(log).value_or("").c_str());
        m_expected = tableOf(local);
        // The homes of the two tests: this computer is measured once.
        for (const char* name : {"command", "window"}) {
            fs::create_directories(m_temp->path() / "here" / name);
            fs::copy_file(local.path / "machine.json", m_temp->path() / "here" / name / "machine.json");
        }
        QCOMPARE(m_expected.size(), std::size_t(4));
        for (const auto& [name, row] : m_expected) {
            QCOMPARE(row.first, std::string("completed"));
            QCOMPARE(row.second.size(), std::size_t(kSteps));
        }
    }
    void cleanup() {
        if (m_sshd) endAll();
    }
    void cleanupTestCase() {
        m_sshd.reset();
        m_networks.reset();
    }

    void byCommand() {
        const Home home{m_temp->path() / "here" / "command"};
        const fs::path log = m_temp->path() / "here" / "command.log";
        const auto words = [&] { return readFile(log).value_or(""); };
        for (const char* name : {"a", "b"}) {
            // The host key is refused, and accepted by its fingerprint.
            QVERIFY(run(home, log, {"nodes", "add", name}) != 0);
            QVERIFY2(words().find(fingerprint(name)) != std::string::npos, words().c_str());
            (void)run(home, log, {"nodes", "add", name, "--accept-host-key", fingerprint(name)});
            QVERIFY2(words().find("The login works.") != std::string::npos, words().c_str());
            QVERIFY2(run(home, log, {"nodes", "setup", name}) == 0, words().c_str());
            QVERIFY2(run(home, log, {"nodes", "check", name}) == 0, words().c_str());
        }
        auto sweep = start(home, log, {"sweep", m_file.string(), "--nodes", "a,b"});
        QVERIFY(sweep);
        QVERIFY2(waitUntil(120, [&] { return !runningOn(home, "a").empty() || sweep->poll(); }), words().c_str());
        QVERIFY2(!sweep->poll(), words().c_str());
        m_networks->setLink("a", false);
        QVERIFY2(waitUntil(60, [&] { return words().find("Cannot reach a since") != std::string::npos; }),
                 words().c_str());
        QVERIFY(!sweep->poll());
        m_networks->setLink("a", true);
        const auto& exit = sweep->wait(180);
        QVERIFY2(exit && exit->ok(), words().c_str());
        QVERIFY(tableOf(home) == m_expected);
    }

    void inTheWindow() {
        const Home home{m_temp->path() / "here" / "window"};
        fs::remove(m_sshd->root / "known_hosts");
        Settings settings(QString::fromStdString((m_temp->path() / "here" / "gui.ini").string()));
        Engine engine(
            home, Programs{fs::path(SLIPWAY_BIN_DIR) / "slipway-agent", fs::path(SLIPWAY_BIN_DIR) / "slipway-trainer"});
        Context context{engine, settings};
        MainWindow window(context);
        window.resize(1280, 800);
        window.show();
        engine.start();
        EVENTUALLY(engine.isReady());

        Page* nodes = window.openPage(PageId::Nodes);
        for (const char* name : {"a", "b"}) {
            nodes->findChild<QPushButton*>(QStringLiteral("addNode"))->click();
            QPointer<NodeDialog> dialog = nodes->findChild<NodeDialog*>();
            QVERIFY(dialog);
            dialog->findChild<QComboBox*>(QStringLiteral("dialogHost"))->setEditText(QString::fromLatin1(name));
            const auto button = [&](const char* called) {
                return dialog->findChild<QPushButton*>(QString::fromLatin1(called));
            };
            button("dialogCheck")->click();
            auto* agrees = dialog->findChild<QCheckBox*>(QStringLiteral("fingerprintAgrees"));
            EVENTUALLY(agrees->isVisible());
            const QString shown = dialog->findChild<QLabel*>(QStringLiteral("fingerprint"))->text();
            QVERIFY2(shown.contains(QString::fromStdString(fingerprint(name))), qPrintable(shown));
            agrees->click();
            button("dialogCheck")->click();
            EVENTUALLY(button("dialogAdd")->isEnabled());
            if (button("dialogSetUp")->isVisible()) {  // not after the set-up by command: the computer is the same
                button("dialogSetUp")->click();
                EVENTUALLY(button("dialogAdd")->isEnabled() && !button("dialogSetUp")->isVisible());
            }
            button("dialogAdd")->click();
            EVENTUALLY(!dialog);
        }

        Page* sweeps = window.openPage(PageId::Sweeps);
        sweeps->findChild<QPushButton*>(QStringLiteral("newSweep"))->click();
        const auto text = readFile(m_file);
        QVERIFY(text);
        sweeps->findChild<QPlainTextEdit*>(QStringLiteral("sweepText"))->setPlainText(QString::fromStdString(*text));
        auto* there = sweeps->findChild<QRadioButton*>(QStringLiteral("launchThere"));
        EVENTUALLY(there->isVisible());
        there->click();
        for (const char* box : {"on-a", "on-b"}) sweeps->findChild<QCheckBox*>(QString::fromLatin1(box))->click();
        auto* begin = sweeps->findChild<QPushButton*>(QStringLiteral("startSweep"));
        EVENTUALLY(begin->isEnabled());
        begin->click();

        EVENTUALLY(!runningOn(home, "a").empty());
        const RunId id = runningOn(home, "a");
        window.openRun(id);
        Page* run = window.page(PageId::Run);
        const auto shows = [&](const QString& words) {
            for (const QLabel* label : run->header()->findChildren<QLabel*>())
                if (label->isVisible() && label->text() == words) return true;
            return false;
        };
        EVENTUALLY(shows(QStringLiteral("Running")));
        m_networks->setLink("a", false);
        EVENTUALLY(shows(QStringLiteral("Running, no contact")));
        m_networks->setLink("a", true);
        EVENTUALLY(shows(QStringLiteral("Completed")));
        EVENTUALLY_IS(statusOfSweep(home), std::string("completed"));
        QVERIFY(tableOf(home) == m_expected);
    }
};

SLIPWAY_TEST_FULL(TstNodeWalkFull)
#include "tst_node_walk.moc"
