#include "app/gui/engine/corpus_job.h"
#include "app/gui/engine/tiny_run.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/corpus_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/pages/start_panel.h"
#include "app/gui/widgets/number_edit.h"
#include "core/base/file.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>

using namespace slipway;
using namespace slipway::gui;

/// From text to a run in the window: "Train a tiny model here", File > New corpus…, and the choice of token files.
class TstTinyRun : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;

    /// A text of words enough for some thousand entries of a vocabulary.
    QString textFile(const QString& name) {
        std::string text;
        std::uint32_t state = 1;
        for (int word = 0; word < 60000; ++word) {
            state = state * 1664525U + 1013904223U;
            const std::uint32_t which = (state >> 8) % 3000;
            for (std::uint32_t rest = which + 30; rest > 0; rest /= 26) text += static_cast<char>('a' + rest % 26);
            text += word % 12 == 11 ? '\n' : ' ';
        }
        const QString file = m_home->dir.filePath(name);
        return writeFileAtomically(file.toStdString(), text) ? file : QString();
    }
    void open(bool programs) {
        m_home = std::make_unique<test::GuiHome>();
        const std::filesystem::path bin = SLIPWAY_BIN_DIR;
        if (programs) m_home->programs = {bin / "slipway-agent", bin / "fake" / "slipway-trainer"};
        QVERIFY(m_home->start());
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1280, 800);
        m_window->show();
        QApplication::setActiveWindow(m_window.get());  // offscreen has no window manager that would
        m_window->openPage(PageId::Runs);
        test::settle();
    }
    QPushButton* trainButton() {
        for (QPushButton* button : m_window->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Train it now") && button->isVisible()) return button;
        return nullptr;
    }
    QString said() { return m_window->findChild<ElidedLabel*>(QStringLiteral("said"))->fullText(); }

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() {
        qunsetenv("SLIPWAY_SAMPLE_TEXT");
        dialogAnswers() = {};
        closeThreadStore();
        m_window.reset();
        m_home.reset();
    }

    // One click: the tokens are made, the run starts, and it ends with all of its steps.
    void oneClickTrains() {
        open(true);
        if (!std::filesystem::exists(m_home->programs.agent) || !std::filesystem::exists(m_home->programs.trainer))
            QSKIP("agent or stand-in trainer not built");
        qputenv("SLIPWAY_SAMPLE_TEXT", textFile(QStringLiteral("sample text.txt")).toUtf8());
        QSignalSpy launched(m_home->engine.get(), &Engine::launched);
        QPushButton* train = trainButton();
        QVERIFY(train);
        train->click();
        train->click();  // a second click is not a second run
        EVENTUALLY_SAYING(!launched.isEmpty(), qPrintable(said()));
        QCOMPARE(m_window->currentPage(), PageId::Run);
        const RunId id = launched[0][0].value<RunId>();
        const auto record = [&] { return readStore(m_home->home, [&](RunStore& store) { return store.run(id); }); };
        EVENTUALLY(record() && record()->status == RunStatus::Completed);
        QCOMPARE(record()->lastStep, record()->numSteps);
        QVERIFY(std::filesystem::exists(m_home->home.corpora() / "sample-text.tok"));
        QVERIFY(record()->forecast.stepSeconds.has_value());  // the peak was measured before
        QCOMPARE(m_home->engine->numRuns(), std::int64_t(1));
    }

    void whatIsMissingIsSaid() {
        open(false);
        qputenv("SLIPWAY_SAMPLE_TEXT", "/nowhere/text.txt");
        trainButton()->click();
        EVENTUALLY_SAYING(said().contains(QStringLiteral("/nowhere/text.txt")), qPrintable(said()));
        QVERIFY2(said().contains(QStringLiteral("New corpus")), qPrintable(said()));
        // Without programs the tokens are made and the run is refused with the reason.
        qputenv("SLIPWAY_SAMPLE_TEXT", textFile(QStringLiteral("sample.txt")).toUtf8());
        trainButton()->click();
        EVENTUALLY_SAYING(said().contains(QStringLiteral("slipway-agent")), qPrintable(said()));
        QCOMPARE(m_home->engine->numRuns(), std::int64_t(0));
    }

    void itCanBeCancelled() {
        open(true);
        qputenv("SLIPWAY_SAMPLE_TEXT", textFile(QStringLiteral("sample.txt")).toUtf8());
        QSignalSpy launched(m_home->engine.get(), &Engine::launched);
        trainButton()->click();
        auto* cancel = m_window->findChild<QPushButton*>(QStringLiteral("cancelJob"));
        EVENTUALLY(cancel->isVisible());
        cancel->click();
        EVENTUALLY_IS(said(), QStringLiteral("Cancelled"));
        test::settle();
        QVERIFY(launched.isEmpty());
        QVERIFY(!cancel->isVisible());
    }

    void aCorpusIsMadeFromTheMenu() {
        open(false);
        QAction* entry = nullptr;
        for (QAction* menu : m_window->menuBar()->actions())
            for (QAction* action : menu->menu()->actions())
                if (action->text() == QStringLiteral("New corpus…")) entry = action;
        QVERIFY(entry);
        entry->trigger();
        auto* dialog = m_window->findChild<CorpusDialog*>(QStringLiteral("corpusDialog"));
        QVERIFY(dialog);
        auto* make = dialog->findChild<QPushButton*>(QStringLiteral("makeCorpus"));
        QVERIFY(!make->isEnabled());
        dialogAnswers().file = textFile(QStringLiteral("my notes.txt"));
        dialog->findChild<QPushButton*>(QStringLiteral("browseText"))->click();
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("corpusName"));
        QCOMPARE(name->text(), QStringLiteral("my-notes"));
        name->setText(QStringLiteral("my notes"));
        QVERIFY(!make->isEnabled());
        name->setText(QStringLiteral("notes"));
        dialog->findChild<NumberEdit*>(QStringLiteral("corpusVocabulary"))->setValue(3000);
        QTest::keyClick(name, Qt::Key_Return);  // as the main button
        EVENTUALLY_SAYING(said().startsWith(QStringLiteral("notes.tok")), qPrintable(said()));
        QVERIFY(std::filesystem::exists(m_home->home.corpora() / "notes.tok"));
        m_window->openPage(PageId::Plan);
        auto* tokens = m_window->page(PageId::Plan)->findChild<QLineEdit*>(QStringLiteral("field.data.tokens"));
        QCOMPARE(tokens->text(), QStringLiteral("notes.tok"));
    }

    void tokenFilesCanBeBrowsed() {
        open(false);
        m_window->openPage(PageId::Plan);
        auto* browse = m_window->page(PageId::Plan)->findChild<QPushButton*>(QStringLiteral("browseTokens"));
        auto* tokens = m_window->page(PageId::Plan)->findChild<QLineEdit*>(QStringLiteral("field.data.tokens"));
        QVERIFY(browse && tokens);
        const auto choose = [&](const std::filesystem::path& file) {
            dialogAnswers().file = QString::fromStdString(file.string());
            browse->click();
            test::settle();
            return tokens->text();
        };
        QCOMPARE(choose(m_home->home.corpora() / "web.tok"), QStringLiteral("web.tok"));
        QCOMPARE(choose("/data/web.tok"), QStringLiteral("/data/web.tok"));
    }
};

SLIPWAY_TEST(TstTinyRun)
#include "tst_tiny_run.moc"
