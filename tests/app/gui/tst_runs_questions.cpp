// What people ask of the runs table: chips, groups, views, a baseline, files, and the menu of a row.
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/pages/groups_view.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/widgets/filter_chips.h"
#include "app/gui/widgets/filter_line.h"
#include "core/base/file.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>

using namespace slipway;
using namespace slipway::gui;

class TstRunsQuestions : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<RunsController> m_controller;
    std::unique_ptr<RunsPage> m_page;

    QTableView* table() const { return m_page->findChild<QTableView*>(QStringLiteral("runs")); }
    FilterLine* filter() const { return m_page->findChild<FilterLine*>(QStringLiteral("filter")); }
    FilterChips* chips() const { return m_page->findChild<FilterChips*>(); }
    QPushButton* button(const char* name) const { return m_page->findChild<QPushButton*>(QLatin1String(name)); }
    void click(const char* name, int place) const {
        const auto all = chips()->findChildren<QPushButton*>(QLatin1String(name));
        QList<QPushButton*> shown;
        for (QPushButton* each : all)
            if (each->isVisible()) shown << each;
        QVERIFY(place < shown.size());
        shown[place]->click();
    }
    QVariant cell(int row, const std::string& column, int role = Qt::DisplayRole) const {
        const auto& columns = m_controller->columns();
        const auto place = std::find(columns.begin(), columns.end(), column) - columns.begin();
        return m_controller->model()->index(row, static_cast<int>(place)).data(role);
    }
    void open(int numRuns) {
        m_home = std::make_unique<test::GuiHome>(numRuns);
        QVERIFY(m_home->start());
        show(numRuns);
    }
    void show(int numRuns) {
        m_page.reset();
        m_controller = std::make_unique<RunsController>(*m_home->context);
        m_page = std::make_unique<RunsPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 800);
        m_page->show();
        EVENTUALLY_IS(m_controller->model()->rowCount(), numRuns);
        test::settle();
    }
    /// The action of a menu button, its submenus among them.
    static QAction* action(QMenu* menu, const QString& text) {
        emit menu->aboutToShow();
        for (QMenu* each : QList<QMenu*>{menu} + menu->findChildren<QMenu*>())
            for (QAction* entry : each->actions())
                if (entry->text().section('\t', 0, 0) == text) return entry;
        return nullptr;
    }
    /// What the menu of the selected rows offers, after choosing `chosen`.
    QStringList menuOfRows(const QString& chosen = {}) {
        QStringList enabled;
        QTimer::singleShot(0, this, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            QAction* wanted = nullptr;
            for (QAction* entry : menu->actions()) {
                const QString text = entry->text().section('\t', 0, 0);
                if (entry->isEnabled() && !text.isEmpty()) enabled << text;
                if (text == chosen) wanted = entry;
            }
            if (wanted) wanted->trigger();
            menu->close();
        });
        emit table()->customContextMenuRequested(table()->visualRect(m_controller->model()->index(0, 0)).center());
        return enabled;
    }
    RunRecord record(const RunId& id) const {
        return *readStore(m_home->home, [&](RunStore& store) { return store.run(id); });
    }
    QString path(const char* name) const { return m_home->dir.filePath(QLatin1String(name)); }

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_controller.reset();
        closeThreadStore();
        m_home.reset();
    }

    // Text and chips are one query: each follows the other.
    void chipsAreTheFilter() {
        open(12);
        filter()->setText(QStringLiteral("tp:2 (status:failed or dp:1) \"run\" not tag:odd"));
        QCOMPARE(chips()->terms(), QStringList({"tp:2", "(status:failed or dp:1)", "\"run\"", "not tag:odd"}));
        click("removeTerm", 1);
        QCOMPARE(filter()->text(), QStringLiteral("tp:2 \"run\" not tag:odd"));
        QCOMPARE(chips()->terms().size(), 3);
        filter()->setText(QStringLiteral("tp:2 modle:8B"));  // cannot be read: the chips stay
        QCOMPARE(chips()->terms().size(), 3);
        filter()->setText(QStringLiteral("한:"));
        filter()->setText(QStringLiteral("\"둘\" tp:1 dp:1"));  // places are characters, not bytes
        click("removeTerm", 1);
        QCOMPARE(filter()->text(), QStringLiteral("\"둘\" dp:1"));
        click("removeTerm", 0);
        QCOMPARE(filter()->text(), QStringLiteral("dp:1"));
        EVENTUALLY(m_controller->model()->rowCount() < 12);
    }

    void chipsAreAddedAndChanged() {
        open(12);
        button("addFilter")->click();
        auto* dialog = m_page->findChild<FilterDialog*>(QStringLiteral("filterDialog"));
        QVERIFY(dialog);
        auto* fields = dialog->findChild<QListWidget*>(QStringLiteral("fields"));
        auto* values = dialog->findChild<QListWidget*>(QStringLiteral("values"));
        auto* apply = dialog->findChild<QPushButton*>();
        for (QPushButton* each : dialog->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Add")) apply = each;
        QVERIFY(!apply->isEnabled());  // nothing is chosen yet
        for (int row = 0; row < fields->count(); ++row)
            if (fields->item(row)->data(Qt::UserRole).toString() == QStringLiteral("tp")) fields->setCurrentRow(row);
        EVENTUALLY_IS(values->count(), 3);
        int numRuns = 0;
        for (int row = 0; row < 3; ++row) {
            numRuns += values->item(row)->text().section('(', 1).chopped(1).toInt();
            if (values->item(row)->data(Qt::UserRole).toString() != QStringLiteral("4"))
                values->item(row)->setCheckState(Qt::Checked);
        }
        QCOMPARE(numRuns, 12);
        apply->click();
        QStringList words = filter()->text().section(':', 1).split(',');
        words.sort();
        QCOMPARE(filter()->text().section(':', 0, 0), QStringLiteral("tp"));
        QCOMPARE(words, QStringList({"1", "2"}));
        EVENTUALLY(dialog->isHidden());
        delete dialog;
        filter()->setText(QStringLiteral("mfu>30 tp:2"));
        click("editTerm", 0);
        dialog = m_page->findChild<FilterDialog*>(QStringLiteral("filterDialog"));
        QVERIFY(dialog);
        auto* typed = dialog->findChild<QLineEdit*>(QStringLiteral("typed"));
        QCOMPARE(typed->text(), QStringLiteral("30"));
        typed->setText(QStringLiteral("35"));
        for (QPushButton* each : dialog->findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Change")) each->click();
        QCOMPARE(filter()->text(), QStringLiteral("mfu>35 tp:2"));
        QCOMPARE(filterTerm("name", FilterOp::Equal, {"a \"b\" \\"}), QStringLiteral("name:\"a \\\"b\\\" \\\\\""));
    }

    void groupsHaveBandsAndOpenTheirRuns() {
        open(10);
        QAction* seed = action(button("groupBy")->menu(), QStringLiteral("tp"));
        QVERIFY(seed);
        seed->trigger();
        auto* groups = m_page->findChild<GroupsView*>();
        EVENTUALLY(groups->isVisible());
        test::settle();
        QCOMPARE(groups->model()->rowCount(), 3);
        int numRuns = 0, numFailed = 0;
        for (int row = 0; row < 3; ++row) {
            numRuns += groups->model()->index(row, 1).data().toInt();
            numFailed += groups->model()->index(row, 3).data().toInt();
        }
        QCOMPARE(numRuns, 10);
        QCOMPARE(numFailed, 2);
        QVERIFY(groups->model()->index(0, 4).data(Qt::ToolTipRole).toString().contains(QStringLiteral("mean")));
        QVERIFY(test::numColours(groups->grab().toImage()) > 4);
        const QString tp = groups->model()->index(1, 0).data().toString();
        const int count = groups->model()->index(1, 1).data().toInt();
        emit groups->activated(groups->model()->index(1, 0));
        QCOMPARE(filter()->text(), QStringLiteral("tp:") + tp);
        EVENTUALLY(table()->isVisible());
        EVENTUALLY_IS(m_controller->model()->rowCount(), count);
    }

    void viewsAreSharedWithTheCommand() {
        open(12);
        filter()->setText(QStringLiteral("status:completed"));
        m_controller->sortBy("mfu", false);
        m_controller->setColumns({"name", "tp", "mfu"});
        test::settle();
        dialogAnswers().text = QStringLiteral("best of all");
        action(button("views")->menu(), QStringLiteral("Save view…"))->trigger();
        EVENTUALLY_IS(m_controller->viewNames(), QStringList("best of all"));
        const auto view = readView(m_home->home, "best of all");
        QVERIFY(view);
        QCOMPARE(view->filter, std::string("status:completed"));
        QCOMPARE(view->columns, (std::vector<std::string>{"name", "tp", "mfu"}));
        QVERIFY(view->sort.at(0).descending);
        RunView other = *view;
        other.name = "all";
        other.filter = "tp:4";
        other.groupBy = "dp";
        other.columns = {"name", "final_loss"};
        QVERIFY(slipway::saveView(m_home->home, other));
        show(12);
        EVENTUALLY_IS(m_controller->viewNames().size(), 2);
        action(button("views")->menu(), QStringLiteral("all"))->trigger();
        EVENTUALLY_IS(filter()->text(), QStringLiteral("tp:4"));
        QCOMPARE(chips()->terms(), QStringList("tp:4"));
        EVENTUALLY(m_page->findChild<GroupsView*>()->isVisible());
        QCOMPARE(m_controller->columns(), (std::vector<std::string>{"name", "final_loss"}));
        QSignalSpy said(m_page.get(), &Page::said);
        m_controller->openView(QStringLiteral("gone"));
        EVENTUALLY(!said.isEmpty() && said.last().first().toString().contains(QStringLiteral("Unknown view")));
        m_controller->removeView(QStringLiteral("all"));
        EVENTUALLY_IS(m_controller->viewNames(), QStringList("best of all"));
    }

    void theBaselineGivesDifferences() {
        open(4);
        m_controller->sortBy("created", false);
        test::settle();
        table()->setFocus();
        table()->setCurrentIndex(m_controller->model()->index(0, 0));
        QTest::keyClick(table(), Qt::Key_B);
        auto* strip = m_page->findChild<QLabel*>(QStringLiteral("baseline"));
        EVENTUALLY(strip->isVisible());
        test::settle();
        QVERIFY(static_cast<ElidedLabel*>(strip)->fullText().contains(QStringLiteral("run 0")));
        // MFU is 0.42 and 0.42 / 1.1: a difference of points; step times are in percent.
        QVERIFY2(cell(1, "mfu", RunsModel::kDelta).toString().startsWith(QStringLiteral("−3.8")),
                 qPrintable(cell(1, "mfu", RunsModel::kDelta).toString()));
        QVERIFY(cell(1, "mfu", RunsModel::kDelta).toString().contains(QStringLiteral("points")));
        QVERIFY(cell(1, "final_loss", RunsModel::kDelta).toString().startsWith(QStringLiteral("+0.5")));
        QVERIFY(!cell(0, "mfu", RunsModel::kDelta).isValid());
        QVERIFY(!cell(1, "tp", RunsModel::kDelta).isValid());
        filter()->setText(QStringLiteral("name~\"run 2\""));  // it stays the baseline where it does not match
        EVENTUALLY_IS(m_controller->model()->rowCount(), 1);
        test::settle();
        QVERIFY(strip->isVisible() && cell(0, "mfu", RunsModel::kDelta).isValid());
        button("unpin")->click();
        EVENTUALLY(!strip->isVisible());
        QVERIFY(!cell(0, "mfu", RunsModel::kDelta).isValid());
    }

    void filesAreThoseOfTheCommand() {
        open(12);
        m_controller->setColumns({"name", "mfu"});
        filter()->setText(QStringLiteral("tp:2"));
        test::settle();
        const auto rows = [&] {
            RunQuery query;
            query.filter = "tp:2";
            query.columns = {"name", "mfu"};
            return *readStore(m_home->home, [&](RunStore& store) { return store.list(query); });
        }();
        QVERIFY(rows.size() > 1 && rows.size() < 12);
        dialogAnswers().file = path("runs.out");
        const auto* exports = button("export")->menu();
        int place = 0;
        for (const QString& title : {QStringLiteral("CSV…"), QStringLiteral("Markdown…"), QStringLiteral("LaTeX…"),
                                     QStringLiteral("Parquet…")}) {
            QFile::remove(path("runs.out"));
            QSignalSpy said(m_page.get(), &Page::said);
            action(const_cast<QMenu*>(exports), title)->trigger();
            EVENTUALLY(!said.isEmpty());
            const auto file = readFile(path("runs.out").toStdString());
            QVERIFY2(file, qPrintable(title));
            QVERIFY(*file == *writeRuns(rows, {"name", "mfu"}, static_cast<TableFormat>(place++), Language::English));
        }
    }

    // One locked run keeps the others where they are, too: nothing is said of a move.
    void onlyWhatMovedIsSaidToBeMoved() {
        open(5);
        table()->clearSelection();
        table()->selectAll();
        m_controller->setLocked({m_controller->model()->idAt(2)}, true);
        test::settle();
        QSignalSpy said(m_page.get(), &Page::said);
        const auto isMoved = [&] {
            return std::any_of(said.begin(), said.end(),
                               [](const auto& s) { return s[0].toString().contains("trash"); });
        };
        QTest::keyClick(table(), Qt::Key_Delete);
        test::settle();
        QVERIFY(!isMoved());
        QCOMPARE(m_controller->model()->rowCount(), 5);
        m_controller->setLocked({m_controller->model()->idAt(2)}, false);
        test::settle();
        table()->selectAll();
        QTest::keyClick(table(), Qt::Key_Delete);
        EVENTUALLY(isMoved());
    }
    void theMenuOffersWhatCanBeDone() {
        open(10);
        m_controller->sortBy("created", false);
        test::settle();
        table()->clearSelection();
        table()->selectRow(0);  // completed
        QStringList offered = menuOfRows();
        for (const char* word :
             {"Open", "Open plan", "Clone as a new plan", "Report…", "Open folder", "Copy id", "Lock", "Move to trash"})
            QVERIFY2(offered.contains(QString::fromUtf8(word)), word);
        for (const char* word : {"Resume", "Stop after this step", "Compare"})
            QVERIFY2(!offered.contains(QString::fromUtf8(word)), word);
        table()->clearSelection();
        table()->selectRow(4);  // failed
        QVERIFY(menuOfRows(QStringLiteral("Copy id")).contains(QStringLiteral("Resume")));
        QCOMPARE(QApplication::clipboard()->text().toStdString(), m_controller->model()->idAt(4).value);
        QString opened;
        m_page->openFolder = [&](const QString& folder) { opened = folder; };
        menuOfRows(QStringLiteral("Open folder"));
        QCOMPARE(opened.toStdString(), record(m_controller->model()->idAt(4)).folder.string());
        dialogAnswers().file = path("report.html");
        QSignalSpy said(m_page.get(), &Page::said);
        menuOfRows(QStringLiteral("Report…"));
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("reportDialog"));
        QVERIFY(dialog != nullptr);
        auto* save = dialog->findChild<QPushButton*>(QStringLiteral("reportSave"));
        EVENTUALLY(save->isEnabled());
        save->click();
        EVENTUALLY(!said.isEmpty());
        QVERIFY(readFile(path("report.html").toStdString())->starts_with("<!DOCTYPE html>"));
        QVERIFY(m_home->engine->isReady());
        const RunId running = m_controller->model()->idAt(1);
        bool done = false;
        m_home->engine->change(
            [&](RunStore& store) {
                RunChange change;
                change.status = RunStatus::Running;
                return store.updateRun(running, change);
            },
            [&](const Result<void>&) { done = true; });
        EVENTUALLY(done);
        m_controller->reload();  // news are read once a second; by then the engine has found that it has no process
        EVENTUALLY(m_controller->model()->recordAt(1) &&
                   m_controller->model()->recordAt(1)->status == RunStatus::Running);
        table()->clearSelection();
        table()->selectRow(1);
        offered = menuOfRows();
        QVERIFY(offered.contains(QStringLiteral("Stop after this step")) &&
                !offered.contains(QStringLiteral("Resume")) && !offered.contains(QStringLiteral("Move to trash")));
    }

    // All that match, in one step back and forth.
    void manyAreEditedAtOnce() {
        open(12);
        filter()->setText(QStringLiteral("tp:2"));
        EVENTUALLY(m_controller->model()->rowCount() < 12);
        test::settle();
        table()->selectAll();
        const auto ids = m_page->selectedRuns();
        QVERIFY(ids.size() > 1);
        std::vector<RunRecord> before;
        for (const RunId& id : ids) before.push_back(record(id));
        dialogAnswers().text = QStringLiteral("best -even");
        menuOfRows(QStringLiteral("Tags…"));
        EVENTUALLY_IS(record(ids.back()).tags, std::vector<std::string>{"best"});
        QCOMPARE(record(ids.front()).tags, std::vector<std::string>{"best"});
        dialogAnswers().text = QStringLiteral("seen by two");
        menuOfRows(QStringLiteral("Notes…"));
        EVENTUALLY_IS(record(ids.back()).notes, std::string("seen by two"));
        menuOfRows(QStringLiteral("Notes…"));
        EVENTUALLY_IS(record(ids.back()).notes, std::string("seen by two\nseen by two"));
        for (int i = 0; i < 3; ++i) m_controller->undoStack()->undo();
        EVENTUALLY_IS(record(ids.back()).tags, before.back().tags);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            EVENTUALLY_IS(record(ids[i]).tags, before[i].tags);
            QCOMPARE(record(ids[i]).notes, before[i].notes);
        }
    }

    // The trash gives back what is chosen in it, and a locked run says why it stays out.
    void trashGivesBackWhatIsChosen() {
        open(6);
        table()->selectAll();
        QTest::keyClick(table(), Qt::Key_Delete);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 0);
        m_controller->setScope(RunScope::Trash);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 6);
        test::settle();
        const RunId wanted = m_controller->model()->idAt(2);
        table()->clearSelection();
        table()->selectRow(2);
        menuOfRows(QStringLiteral("Restore"));
        EVENTUALLY_IS(m_controller->model()->rowCount(), 5);
        m_controller->setScope(RunScope::Active);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 1);
        QCOMPARE(m_controller->model()->idAt(0), wanted);
        m_controller->setLocked({wanted}, true);
        EVENTUALLY(record(wanted).locked);
        QSignalSpy refused(m_home->engine.get(), &Engine::requestFailed);
        m_controller->trash({wanted});
        EVENTUALLY_IS(refused.count(), 1);
        QVERIFY(refused[0][0].value<Error>().message.find("is locked") != std::string::npos);
        QVERIFY(!record(wanted).deletedUnixMilliseconds);
    }
};

SLIPWAY_TEST(TstRunsQuestions)
#include "tst_runs_questions.moc"
