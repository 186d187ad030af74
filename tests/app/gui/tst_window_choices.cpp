// What people set up once and find again: the charts of a saved view, the keys of the menus; and what the list counts.
#include "app/gui/look/style.h"
#include "app/gui/main_window.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/widgets/row_density.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_sweep.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QStyleOptionHeader>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

class TstWindowChoices : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<MainWindow> m_window;

    QAction* menuAction(const QString& text) const {
        for (QMenu* menu : m_window->menuBar()->findChildren<QMenu*>())
            for (QAction* action : menu->actions())
                if (action->text() == text) return action;
        return nullptr;
    }
    QMenu* views() const { return m_window->findChild<RunsPage*>()->findChild<QPushButton*>("views")->menu(); }
    QAction* view(const QString& text) const {
        emit views()->aboutToShow();
        for (QAction* action : views()->actions())
            if (action->text() == text) return action;
        return nullptr;
    }
    void saveAs(const char* name) const {
        dialogAnswers().text = QString::fromLatin1(name);
        view(QStringLiteral("Save view…"))->trigger();
    }
    QKeySequenceEdit* keyEdit(const char* usual) const {
        return m_window->page(PageId::Settings)->findChild<QKeySequenceEdit*>(QStringLiteral("key ") + usual);
    }
    void setKey(const char* usual, const QKeySequence& key) const {
        keyEdit(usual)->setKeySequence(key);
        emit keyEdit(usual)->editingFinished();
    }
    void show() {
        m_window = std::make_unique<MainWindow>(*m_home->context);
        m_window->resize(1440, 900);
        m_window->show();
        test::settle();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        m_home = std::make_unique<test::GuiHome>(6, 30);
        QVERIFY(m_home->start());
        show();
    }
    void cleanup() {
        m_window.reset();
        m_home.reset();
        dialogAnswers() = {};
    }

    void viewsBringTheirCharts() {
        m_window->openPage(PageId::Runs);
        auto* charts = static_cast<ComparePage*>(m_window->page(PageId::Compare))->charts();
        const ViewCharts before = charts->charts();
        QCOMPARE(before.x, std::string("parallel.tp"));
        const ViewCharts other{"parallel.pp",
                               "parallel.tp",
                               "model.num_layers",
                               "forecast",
                               "boxes",
                               "C",
                               true,
                               true,
                               "step_seconds",
                               "parallel.dp",
                               "train.micro_batch_size",
                               "front",
                               {"parallel.dp", "parallel.tp"}};
        charts->setCharts(other, QString());
        QVERIFY(charts->charts() == other);
        saveAs("by stage");
        EVENTUALLY(readView(m_home->home, "by stage").has_value());
        QVERIFY(readView(m_home->home, "by stage")->charts == other);
        charts->setCharts(before, QString());
        slipway::RunView filtered = *readView(m_home->home, "by stage");
        filtered.name = "filtered";
        filtered.filter = "tp:1";
        QVERIFY(saveView(m_home->home, filtered));
        saveAs("another");  // brings the names
        EVENTUALLY(view(QStringLiteral("filtered")) != nullptr);
        QVERIFY(readView(m_home->home, "another")->charts == before);
        view(QStringLiteral("filtered"))->trigger();
        EVENTUALLY(charts->charts() == other);
        QCOMPARE(charts->findChild<QLineEdit*>("fieldFilter")->text(), QStringLiteral("tp:1"));
    }

    // Until the store has answered nobody knows whether a run matches.
    void chartsSayThatTheyAreReading() {
        FieldsView charts(*m_home->context, nullptr);
        QVERIFY(charts.findChild<QLabel*>("stateHeadline")->text().contains(QStringLiteral("Reading")));
        charts.setRuns({});
        charts.show();
        EVENTUALLY_IS(charts.data().rows.size(), std::size_t{6});
        charts.findChild<QLineEdit*>("fieldFilter")->setText(QStringLiteral("tp:77"));
        charts.reload();
        EVENTUALLY(charts.findChild<QLabel*>("stateHeadline")->text().contains(QStringLiteral("No run matches")));
    }

    void keysCanBeChanged() {
        QAction* find = menuAction(QStringLiteral("Go to…"));
        QVERIFY(find);
        QCOMPARE(find->shortcut(), QKeySequence(QStringLiteral("Ctrl+K")));
        QVERIFY(keyEdit("Ctrl+K"));
        setKey("Ctrl+K", QKeySequence(QStringLiteral("Ctrl+J")));
        QCOMPARE(find->shortcut(), QKeySequence(QStringLiteral("Ctrl+J")));
        // A key that is taken is refused with the name of its action.
        auto* problem = m_window->page(PageId::Settings)->findChild<QLabel*>("keyProblem");
        setKey("Ctrl+E", QKeySequence(QStringLiteral("Ctrl+J")));
        QVERIFY2(problem->text().contains(QStringLiteral("Go to")), qPrintable(problem->text()));
        QCOMPARE(menuAction(QStringLiteral("Export…"))->shortcut(), QKeySequence(QStringLiteral("Ctrl+E")));
        QCOMPARE(keyEdit("Ctrl+E")->keySequence(), QKeySequence(QStringLiteral("Ctrl+E")));
        setKey("Ctrl+E", {});
        QVERIFY(menuAction(QStringLiteral("Export…"))->shortcut().isEmpty());
        // The next window has them, too.
        show();
        QCOMPARE(menuAction(QStringLiteral("Go to…"))->shortcut(), QKeySequence(QStringLiteral("Ctrl+J")));
        QVERIFY(menuAction(QStringLiteral("Export…"))->shortcut().isEmpty());
        setKey("Ctrl+K", QKeySequence(QStringLiteral("Ctrl+K")));
        show();
        QCOMPARE(menuAction(QStringLiteral("Go to…"))->shortcut(), QKeySequence(QStringLiteral("Ctrl+K")));
    }

    void settingsLeadToDevicesAndNodes() {
        m_window->openPage(PageId::Settings);
        m_window->page(PageId::Settings)->findChild<QPushButton*>("link Tools > Devices")->click();
        QCOMPARE(m_window->currentPage(), PageId::Tools);
        m_window->page(PageId::Settings)->findChild<QPushButton*>("link Nodes")->click();
        QCOMPARE(m_window->currentPage(), PageId::Nodes);
    }

    // Compact rows change every open table at once, and a window that starts later.
    void rowsAreCompactOnRequest() {
        m_window->openPage(PageId::Runs);
        auto* table = m_window->page(PageId::Runs)->findChild<QTableView*>();
        QVERIFY(table);
        const int before = table->verticalHeader()->defaultSectionSize();
        auto* density = m_window->page(PageId::Settings)->findChild<QComboBox*>("density");
        density->setCurrentIndex(1);
        emit density->activated(1);
        QVERIFY(table->verticalHeader()->defaultSectionSize() < before);
        QVERIFY(m_home->context->settings.value(kCompactRowsSetting).toBool());
        density->setCurrentIndex(0);
        emit density->activated(0);
        QCOMPARE(table->verticalHeader()->defaultSectionSize(), before);
    }

    // A backup brings back views and settings; what was not backed up is told on the page.
    void backupsComeBack() {
        QWidget* page = m_window->page(PageId::Settings);
        auto* said = page->findChild<QLabel*>("backupSaid");
        const QString folder = m_home->dir.filePath("backup");
        slipway::RunView kept;
        kept.name = "kept";
        QVERIFY(saveView(m_home->home, kept));
        m_home->context->settings.setValue(QStringLiteral("test/key"), 7);
        dialogAnswers().file = folder;
        page->findChild<QPushButton*>("backUp")->click();
        EVENTUALLY_SAYING(said->text().contains("Backed up"), qPrintable(said->text()));
        QVERIFY(removeView(m_home->home, "kept"));
        m_home->context->settings.setValue(QStringLiteral("test/key"), 8);
        dialogAnswers().file = folder + "/backup.json";
        dialogAnswers().confirm = true;
        page->findChild<QPushButton*>("restoreBackup")->click();
        EVENTUALLY_SAYING(said->text().contains("Restored"), qPrintable(said->text()));
        QVERIFY(readView(m_home->home, "kept"));
        QCOMPARE(m_home->context->settings.value(QStringLiteral("test/key")).toInt(), 7);
        dialogAnswers().file = m_home->dir.filePath("nowhere/backup.json");
        page->findChild<QPushButton*>("restoreBackup")->click();
        EVENTUALLY_SAYING(said->text().contains("not a backup"), qPrintable(said->text()));
    }

    void skippedTrialsAreCounted() {
        const auto count = [this] {
            m_window->openPage(PageId::Runs);
            return m_window->findChild<RunsPage*>()->findChild<QLabel*>("count");
        };
        EVENTUALLY(count()->text().contains(QStringLiteral("6")));
        QVERIFY(!count()->text().contains(QStringLiteral("skipped")));
        m_window.reset();
        {
            auto store = RunStore::open(m_home->home, OpenMode::ReadWrite);
            QVERIFY(store);
            const SweepId sweep =
                test::seedSweep(*store, {.tp = {1, 2, 3},
                                         .pp = {1},
                                         .microBatch = {1, 2},
                                         .failEvery = 4,
                                         .outOfMemoryEvery = 3,
                                         .startedUnixMilliseconds = 1764000000000});  // ids of their own
            QVERIFY2(!sweep.empty(), "the store refused the sweep");
            QCOMPARE(*skippedIn(*store, sweep), 2);  // 3 does not divide the heads
        }
        show();
        EVENTUALLY(count()->text().endsWith(QStringLiteral(", 2 skipped")));
        m_window->findChild<RunsPage*>()->setFilter(QStringLiteral("sweep:none"));
        EVENTUALLY(!count()->text().contains(QStringLiteral("skipped")));
    }

    // Letters with tails are whole in the heads of tables.
    void headsOfTablesShowWholeLetters() {
        const SlipwayStyle style;
        QStyleOptionHeader option;
        option.rect = QRect(0, 0, 120, lineHeight(26));
        const QRect label = style.subElementRect(QStyle::SE_HeaderLabel, &option, nullptr);
        QVERIFY(label.height() >= QFontMetrics(fontOf(1.0)).height());
        QVERIFY(label.left() > 0 && label.right() < 119);
    }
};

SLIPWAY_TEST(TstWindowChoices)
#include "tst_window_choices.moc"
