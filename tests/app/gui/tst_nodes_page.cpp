#include "app/gui/pages/ask_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/node_dialog.h"
#include "app/gui/pages/node_view.h"
#include "app/gui/pages/nodes_page.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/remote/last_check.h"
#include "core/run/measured_nodes.h"
#include "core/spec/token_file.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

namespace {

constexpr const char* kKey = "SHA256:UZfSCg7FIRYUEHjGTSlA8Wbxu6aRDi6/jV8JMmsOY2U";
const std::string kKeyQuestion =
    std::string("The authenticity of host 'a (10.0.0.1)' can't be established.\nED25519 key fingerprint is ") + kKey +
    ".\nAre you sure you want to continue connecting (yes/no/[fingerprint])? ";
const std::string kChangedKey = "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.";

QString plain(QString text) {
    return text.remove(QChar(0x2060));
}

}  // namespace

class TstNodesPage : public QObject {
    Q_OBJECT
    std::unique_ptr<test::FakeNodes> m_fake;
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<NodesController> m_controller;
    std::unique_ptr<NodesPage> m_page;

    static std::filesystem::path fakeTrainer() {
        return std::filesystem::path(SLIPWAY_BIN_DIR) / "fake" / "slipway-trainer";
    }
    void addNode(const std::string& name, bool hasTrainer = true) const {
        NodeRecord node;
        node.name = node.host = name;
        if (hasTrainer) node.trainer = fakeTrainer().string();
        QVERIFY(writeNode(m_home->home, node, false));
    }
    void makePage() {
        QVERIFY(m_home->start());
        m_controller = std::make_unique<NodesController>(*m_home->context);
        m_page = std::make_unique<NodesPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 840);
        m_page->show();
        EVENTUALLY(!m_controller->rows().empty());
        test::settle();
    }
    template <class T>
    T* part(const char* name) const {
        return m_page->findChild<T*>(QString::fromLatin1(name));
    }
    [[nodiscard]] NodeState state(const std::string& name) const {
        const NodeRow* row = m_controller->row(name);
        return row ? stateOf(*row) : NodeState::NotChecked;
    }
    void choose(int row) const { part<QTableView>("nodes")->selectRow(row); }
    [[nodiscard]] QString text(const char* name) const { return plain(part<QLabel>(name)->text()); }
    [[nodiscard]] QString cell(int row, int column) const {
        return part<QTableView>("nodes")->model()->index(row, column).data().toString();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        m_fake = std::make_unique<test::FakeNodes>();
        m_home = std::make_unique<test::GuiHome>();
        m_home->programs = {std::filesystem::path(SLIPWAY_BIN_DIR) / "slipway-agent", fakeTrainer()};
        if (!std::filesystem::exists(m_home->programs.agent)) QSKIP("agent not built");
    }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_controller.reset();
        closeThreadStore();
        m_home.reset();
        m_fake.reset();
    }

    void aloneThisComputerIsANode() {
        makePage();
        QCOMPARE(part<QTableView>("nodes")->model()->rowCount(), 1);
        QCOMPARE(cell(0, 0), QStringLiteral("This computer"));
        QCOMPARE(cell(0, 1), QStringLiteral("Ready"));
        QVERIFY(!part<QPushButton>("checkAll")->isEnabled());
        QVERIFY(!part<QPushButton>("checkNode")->isVisible());
        QVERIFY(part<FactGrid>("nodeFacts")->value(QStringLiteral("Memory")).contains(QStringLiteral("GiB")));
    }

    void theFirstVisitChecksEveryNode() {
        addNode("a");
        addNode("b", false);
        m_fake->set("c", "says", "ssh: connect to host c port 22: Connection refused");
        addNode("c");
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
        EVENTUALLY_IS(state("b"), NodeState::SetUpNeeded);
        EVENTUALLY_IS(state("c"), NodeState::NoContact);
        QCOMPARE(part<QTableView>("nodes")->model()->rowCount(), 4);
        QCOMPARE(cell(1, 6), QString::fromStdString(versionText()).section(' ', 0, 0));
        QCOMPARE(cell(1, 8), QStringLiteral("now"));
        QCOMPARE(cell(3, 8), QStringLiteral("–"));
        choose(1);
        QCOMPARE(text("nodeState"), QStringLiteral("Ready"));
        // The command sees what the window found.
        QVERIFY(lastCheck(m_home->home, "a")->passed);
        QVERIFY(lastCheck(m_home->home, "c")->problem.find("refuses") != std::string::npos);
        QCOMPARE(part<StepList>("nodeSteps")->texts().size(), 9);
        choose(2);
        QVERIFY(text("nodeSentence").contains(QStringLiteral("Set up")));
        // Out of reach is never called failed.
        choose(3);
        QVERIFY(text("nodeSentence").contains(QStringLiteral("refuses the connection")));
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            QVERIFY2(!label->isVisible() || !label->text().contains(QStringLiteral("fail"), Qt::CaseInsensitive),
                     qPrintable(label->text()));
    }

    void aChangedKeyStopsEverything() {
        m_fake->set("a", "says", kChangedKey);
        addNode("a");
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::KeyChanged);
        choose(1);
        QCOMPARE(text("nodeState"), QStringLiteral("Host key changed"));
        QVERIFY(text("nodeSentence").contains(QStringLiteral("ssh-keygen -R")));
        QVERIFY(!part<QPushButton>("setUpNode")->isEnabled());
        QVERIFY(!part<QPushButton>("acceptKey")->isVisible());
        m_fake->set("a", "says", "");
        part<QPushButton>("checkNode")->click();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
    }

    void anUnknownKeyIsTakenByItsFingerprintOnly() {
        m_fake->set("a", "asks", kKeyQuestion);
        addNode("a");
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::KeyUnknown);
        choose(1);
        QVERIFY(part<StepList>("nodeSteps")->texts()[1].contains(QString::fromLatin1(kKey)));
        dialogAnswers().confirm = false;
        part<QPushButton>("acceptKey")->click();
        QCOMPARE(state("a"), NodeState::KeyUnknown);
        dialogAnswers().confirm = true;
        part<QPushButton>("acceptKey")->click();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
    }

    // What ssh and the node say is a stranger's.
    void hostileTextIsShownAsItIs() {
        m_fake->set("a", "says", "<img src=file:///etc/passwd><b>owned</b>\u202E\x1b[31m");
        addNode("a");
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::NoContact);
        choose(1);
        QVERIFY(text("nodeSentence").contains(QStringLiteral("<img src=file:///etc/passwd>")));
        for (const QLabel* label : m_page->findChildren<QLabel*>()) {
            if (!label->text().contains('<')) continue;
            QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->objectName()));
            QVERIFY(!label->text().contains(QChar(0x202E)) && !label->text().contains(QChar(0x1b)));
        }
    }

    // A node that says nothing holds up neither the window nor the others, and Cancel ends it at once.
    void aSilentNodeCanBeLeft() {
        m_fake->set("a", "slow", "600");
        addNode("a");
        addNode("b");
        makePage();
        EVENTUALLY_IS(state("b"), NodeState::Ready);
        QCOMPARE(state("a"), NodeState::Checking);
        choose(1);
        QElapsedTimer timer;
        timer.start();
        part<QPushButton>("cancelNode")->click();
        QVERIFY(timer.elapsed() < 1000);
        QCOMPARE(state("a"), NodeState::NotChecked);
        QCOMPARE(text("nodeState"), QStringLiteral("Not checked"));
    }

    void aPasswordGoesToSshAlone() {
        m_fake->set("a", "asks", "anna@a's <b>password</b>: ");
        addNode("a");
        makePage();
        EVENTUALLY(state("a") != NodeState::Checking);  // nobody is asked by a check that nobody began
        QVERIFY(m_page->findChildren<AskDialog*>().isEmpty());
        choose(1);
        for (const char* answer : {"no", "yes"}) {
            part<QPushButton>("checkNode")->click();
            EVENTUALLY(m_page->findChild<AskDialog*>() != nullptr);
            auto* dialog = m_page->findChild<AskDialog*>();
            auto* asked = dialog->findChild<QLabel*>(QStringLiteral("askText"));
            QVERIFY(asked->text().contains(QStringLiteral("<b>password</b>")));
            QCOMPARE(asked->textFormat(), Qt::PlainText);
            auto* line = dialog->findChild<QLineEdit*>(QStringLiteral("askAnswer"));
            QCOMPARE(line->echoMode(), QLineEdit::Password);
            line->setText(QString::fromLatin1(answer));
            dialog->findChild<QPushButton*>(QStringLiteral("askYes"))->click();
            EVENTUALLY(state("a") != NodeState::Checking);
            EVENTUALLY(m_page->findChild<AskDialog*>() == nullptr);
        }
        EVENTUALLY_IS(state("a"), NodeState::Ready);
        // ssh has given up: the question goes.
        m_fake->set("a", "asks", "Second factor: ");
        part<QPushButton>("checkNode")->click();
        EVENTUALLY(m_page->findChild<AskDialog*>() != nullptr);
        m_fake->cut("a");
        m_page->findChild<AskDialog*>()->reject();
        EVENTUALLY(state("a") != NodeState::Checking);
    }

    // A password may go to the keychain, a second factor never.
    void remembersAPasswordInTheKeychain() {
        const auto keychain = m_fake->temp.path() / "keychain";
        std::filesystem::create_directories(keychain);
        std::filesystem::create_symlink(SLIPWAY_SOURCE_DIR "/tests/support/fake_secret_tool",
                                        m_fake->temp.path() / "bin" / "secret-tool");
        ::setenv("SLIPWAY_FAKE_KEYCHAIN", keychain.c_str(), 1);
        m_fake->set("a", "asks", "anna@a's password: ");
        addNode("a");
        makePage();
        EVENTUALLY(state("a") != NodeState::Checking);
        choose(1);
        part<QPushButton>("checkNode")->click();
        EVENTUALLY(m_page->findChild<AskDialog*>() != nullptr);
        auto* dialog = m_page->findChild<AskDialog*>();
        auto* remembers = dialog->findChild<QCheckBox*>(QStringLiteral("askRemember"));
        QVERIFY(remembers != nullptr);
        QVERIFY(remembers->isEnabled());
        remembers->setChecked(true);
        dialog->findChild<QLineEdit*>(QStringLiteral("askAnswer"))->setText(QStringLiteral("yes"));
        dialog->findChild<QPushButton*>(QStringLiteral("askYes"))->click();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
        QVERIFY(findNode(m_home->home, "a")->isInKeychain);
        EVENTUALLY(m_page->findChild<AskDialog*>() == nullptr);
        part<QPushButton>("checkNode")->click();  // nobody is asked
        QCOMPARE(state("a"), NodeState::Checking);
        EVENTUALLY(state("a") != NodeState::Checking);
        QCOMPARE(state("a"), NodeState::Ready);
        QVERIFY(m_page->findChild<AskDialog*>() == nullptr);
        m_fake->set("a", "asks", "(anna@a) Verification code: ");
        part<QPushButton>("checkNode")->click();
        EVENTUALLY(m_page->findChild<AskDialog*>() != nullptr);
        QVERIFY(m_page->findChild<AskDialog*>()->findChild<QCheckBox*>(QStringLiteral("askRemember")) == nullptr);
        m_page->findChild<AskDialog*>()->reject();
        EVENTUALLY(state("a") != NodeState::Checking);
        ::unsetenv("SLIPWAY_FAKE_KEYCHAIN");
    }

    void aSetUpCanBeCancelledAndDoneAgain() {
        // An installation of its own, whose trainer is the stand-in.
        const auto root = std::filesystem::path(m_home->dir.path().toStdString()) / "installed";
        std::filesystem::create_directories(root / "bin");
        std::filesystem::create_directories(root / "lib" / "slipway");
        std::filesystem::copy_file(fakeTrainer(), root / "bin" / "slipway-trainer");
        for (const char* name : {"slipway-trainer", "libtorch.sh", "wheels.sh", "wheels.txt"})
            QVERIFY(writeFileAtomically(root / "lib" / "slipway" / name, "x\n"));
        m_home->programs.trainer = root / "bin" / "slipway-trainer";
        addNode("a", false);
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::SetUpNeeded);
        choose(1);
        m_fake->set("a", "slow", "600");
        part<QPushButton>("setUpNode")->click();
        QCOMPARE(state("a"), NodeState::SettingUp);
        EVENTUALLY(text("nodeSentence").contains(QStringLiteral("Connecting to a")));
        QVERIFY(part<QWidget>("nodeProgress")->isVisible());
        QSignalSpy said(m_controller.get(), &NodesController::said);
        part<QPushButton>("cancelNode")->click();
        QCOMPARE(state("a"), NodeState::SetUpNeeded);
        QVERIFY(said.last()[0].toString().contains(QStringLiteral("continues with the rest")));
        m_fake->set("a", "slow", "");
        part<QPushButton>("setUpNode")->click();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
        QVERIFY(std::filesystem::exists(m_fake->home("a") / ".local/share/slipway-node/trainer/bin/slipway-trainer"));
        said.clear();
        part<QPushButton>("setUpNode")->click();
        EVENTUALLY(!said.isEmpty());
        QVERIFY2(said[0][0].toString().startsWith(QStringLiteral("Nothing to do")), qPrintable(said[0][0].toString()));
        EVENTUALLY_IS(state("a"), NodeState::Ready);
    }

    void aRemovedNodeComesBack() {
        addNode("a");
        makePage();
        EVENTUALLY_IS(state("a"), NodeState::Ready);
        choose(1);
        part<QPushButton>("removeNode")->click();
        EVENTUALLY(m_controller->row("a") == nullptr);
        QVERIFY(!std::filesystem::exists(m_home->home.path / "nodes" / "a.json"));
        m_page->undo();
        EVENTUALLY(m_controller->row("a") != nullptr);
        QCOMPARE(m_controller->row("a")->record.trainer, fakeTrainer().string());
    }

    void aNodeIsAddedStepByStep() {
        m_fake->set("a", "asks", kKeyQuestion);
        makePage();
        part<QPushButton>("addNode")->click();
        auto* dialog = part<NodeDialog>("nodeDialog");
        QVERIFY(dialog);
        const auto button = [dialog](const char* name) {
            return dialog->findChild<QPushButton*>(QString::fromLatin1(name));
        };
        auto* host = dialog->findChild<QComboBox*>(QStringLiteral("dialogHost"));
        QVERIFY(!button("dialogCheck")->isEnabled());
        host->setEditText(QStringLiteral("-oProxyCommand=touch owned"));
        QVERIFY(!button("dialogCheck")->isEnabled());
        QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("nodeProblem"))->isVisible());
        host->setEditText(QStringLiteral("a"));
        dialog->findChild<QLineEdit*>(QStringLiteral("dialogName"))->setText(QStringLiteral("first"));
        QVERIFY(m_fake->arguments("a").empty());  // nothing is sent before Check
        QTest::keyClick(dialog->findChild<QLineEdit*>(QStringLiteral("dialogName")), Qt::Key_Return);
        auto* agrees = dialog->findChild<QCheckBox*>(QStringLiteral("fingerprintAgrees"));
        EVENTUALLY(agrees->isVisible());
        QVERIFY(!agrees->isChecked());
        QVERIFY(!button("dialogCheck")->isEnabled());
        QVERIFY(!button("dialogAdd")->isEnabled());
        QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("fingerprint"))->text().contains(QString::fromLatin1(kKey)));
        agrees->setChecked(true);
        button("dialogCheck")->click();
        EVENTUALLY(button("dialogAdd")->isEnabled());
        QVERIFY(button("dialogSetUp")->isVisible());  // no trainer there: a warning, which does not block
        // The confirmed key stays known after a further check, which has nothing to confirm.
        auto* facts = dialog->findChild<FactGrid*>(QStringLiteral("dialogFacts"));
        QCOMPARE(facts->value(QStringLiteral("Host key")), QString::fromLatin1(kKey));
        button("dialogCheck")->click();
        EVENTUALLY(button("dialogAdd")->isEnabled());
        QCOMPARE(facts->value(QStringLiteral("Host key")), QString::fromLatin1(kKey));
        // The set-up is the step of the trainer, without the step's warning.
        button("dialogSetUp")->click();
        const QStringList steps = dialog->findChild<StepList*>(QStringLiteral("dialogSteps"))->texts();
        QVERIFY2(!steps[4].contains(QStringLiteral("There is no trainer yet")), qPrintable(steps[4]));
        QVERIFY(dialog->findChild<QWidget*>(QStringLiteral("dialogProgress"))->isVisible());
        button("dialogCheck")->click();  // Stop
        QVERIFY(!dialog->findChild<QWidget*>(QStringLiteral("dialogProgress"))->isVisible());
        QTest::keyClick(dialog->findChild<QLineEdit*>(QStringLiteral("dialogName")), Qt::Key_Return);
        EVENTUALLY(m_controller->row("first") != nullptr);
        QCOMPARE(m_controller->row("first")->record.host, std::string("a"));
        QCOMPARE(state("first"), NodeState::SetUpNeeded);  // as the dialog found it
    }

    void aNodeWithAChangedKeyIsNotAdded() {
        m_fake->set("a", "says", kChangedKey);
        makePage();
        part<QPushButton>("addNode")->click();
        auto* dialog = part<NodeDialog>("nodeDialog");
        dialog->findChild<QComboBox*>(QStringLiteral("dialogHost"))->setEditText(QStringLiteral("a"));
        auto* check = dialog->findChild<QPushButton*>(QStringLiteral("dialogCheck"));
        check->click();
        auto* verdict = dialog->findChild<QLabel*>(QStringLiteral("dialogVerdict"));
        EVENTUALLY(plain(verdict->text()).contains(QStringLiteral("host key differs")));
        QVERIFY(!dialog->findChild<QPushButton*>(QStringLiteral("dialogAdd"))->isEnabled());
        QVERIFY(!dialog->findChild<QCheckBox*>(QStringLiteral("fingerprintAgrees"))->isVisible());
        QSignalSpy said(dialog, &NodeDialog::said);
        dialog->reject();
        QCOMPARE(said[0][0].toString(), QStringLiteral("No node was added, and nothing was kept."));
        QVERIFY(!std::filesystem::exists(m_home->home.path / "nodes" / "a.json"));
    }

    void theLaunchSheetPlacesRanksOnNodes() {
        addNode("a");
        addNode("b");
        m_fake->set("b", "says", "ssh: connect to host b port 22: No route to host");
        std::filesystem::create_directories(m_home->home.corpora());
        std::vector<std::uint32_t> tokens(100000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i * 7 % 2048);
        QVERIFY(writeTokenFile(m_home->home.corpora() / "wordnet.tok", tokens, 2048, ""));
        QVERIFY(m_home->start());
        PlanDocument document = tinyDocument(thisMachine(m_home->home));
        document.config.parallel.dp = 2;
        document.config.train.numSteps = 8;
        document.config.optimizer.schedule.warmupSteps = 0;
        MeasuredNodes measured;
        measured.nodes.resize(1);
        measured.nodes[0].name = "a";
        measured.cluster = document.cluster;
        measured.cluster.device.source = "measured on a, slipway-trainer 1";
        QVERIFY(writeMeasuredNodes(m_home->home, measured));
        auto* sheet = new LaunchSheet(*m_home->context, document, {QStringLiteral("a"), QStringLiteral("b")}, nullptr);
        sheet->setAttribute(Qt::WA_DeleteOnClose);
        sheet->open();
        auto* now = sheet->findChild<QPushButton*>(QStringLiteral("launchNow"));
        auto* readiness = sheet->findChild<IssueList*>(QStringLiteral("readiness"));
        EVENTUALLY(readiness->texts().join(' ').contains(QStringLiteral("no route to it")));
        QVERIFY(!now->isEnabled());
        QStringList labels;
        for (const QLabel* label : sheet->findChildren<QLabel*>()) labels << label->text();
        QVERIFY2(labels.contains(QStringLiteral("rank 0")) && labels.contains(QStringLiteral("rank 1")),
                 qPrintable(labels.join('|')));
        const auto basis = [&] {
            QStringList texts;
            for (const auto* label : sheet->findChildren<ElidedLabel*>()) texts << label->fullText();
            return texts.join('|');
        };
        EVENTUALLY(basis().contains(QStringLiteral("the plan's hardware")));
        sheet->findChild<QCheckBox*>(QStringLiteral("on-b"))->setChecked(false);
        EVENTUALLY_SAYING(now->isEnabled(), qPrintable(readiness->texts().join('\n')));
        QVERIFY2(basis().contains(QStringLiteral("measured here")), qPrintable(basis()));
        QSignalSpy launched(m_home->engine.get(), &Engine::launched);
        QSignalSpy failed(m_home->engine.get(), &Engine::requestFailed);
        now->click();
        EVENTUALLY(!launched.isEmpty() || !failed.isEmpty());
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : failed[0][0].value<Error>().message.c_str());
        const RunId id = launched[0][0].value<RunId>();
        const auto status = [&] {
            const auto record = readStore(m_home->home, [&](RunStore& store) { return store.run(id); });
            return record ? record->status : RunStatus::Planned;
        };
        EVENTUALLY_IS(status(), RunStatus::Completed);
        QVERIFY(std::filesystem::exists(m_fake->home("a") / ".local/share/slipway-node/runs" / id.value));
        const auto plan = readJsonFile(m_home->home.runs() / id.value / "plan.json");
        QVERIFY(plan && (*plan)["cluster"]["device"]["source"] == Json(measured.cluster.device.source));
    }
};

SLIPWAY_TEST(TstNodesPage)
#include "tst_nodes_page.moc"
