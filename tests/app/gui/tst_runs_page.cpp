#include "app/gui/pages/columns_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/runs_page.h"
#include "app/gui/widgets/filter_line.h"
#include "app/gui/widgets/strip_plot.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QScopeGuard>
#include <QScrollBar>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTableView>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <functional>

using namespace slipway;
using namespace slipway::gui;

class TstRunsPage : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<RunsController> m_controller;
    std::unique_ptr<RunsPage> m_page;
    std::unique_ptr<QAbstractItemModelTester> m_tester;

    QTableView* table() const { return m_page->findChild<QTableView*>(QStringLiteral("runs")); }
    FilterLine* filter() const { return m_page->findChild<FilterLine*>(QStringLiteral("filter")); }
    QString cell(int row, const std::string& column) const {
        const auto& columns = m_controller->columns();
        const auto place = std::find(columns.begin(), columns.end(), column) - columns.begin();
        return table()->model()->index(row, static_cast<int>(place)).data().toString();
    }
    void open(int numRuns) {
        m_home = std::make_unique<test::GuiHome>(numRuns);
        QVERIFY(m_home->start());
        m_controller = std::make_unique<RunsController>(*m_home->context);
        m_tester = std::make_unique<QAbstractItemModelTester>(m_controller->model(),
                                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_page = std::make_unique<RunsPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 800);
        m_page->show();
        EVENTUALLY_IS(m_controller->model()->rowCount(), numRuns);
        test::settle();
    }

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_tester.reset();
        m_controller.reset();
        m_home.reset();
    }

    // The line below the table speaks of the runs of the filter, not of all.
    void bestAndMedianOfTheFilter() {
        open(9);
        const auto check = [this](const QString& text) {
            filter()->setText(text);
            test::settle();
            std::vector<double> values;
            for (int row = 0; row < m_controller->model()->rowCount(); ++row)
                if (const auto* record = m_controller->model()->recordAt(row);
                    record && record->measured.tokensPerSecondPerDevice)
                    values.push_back(*record->measured.tokensPerSecondPerDevice);
            std::sort(values.begin(), values.end());
            const std::size_t n = values.size();
            QVERIFY(n > 1);
            QCOMPARE(m_controller->keyFigures().numKnown, static_cast<std::int64_t>(n));
            QCOMPARE(m_controller->keyFigures().greatest, values.back());
            QCOMPARE(m_controller->keyFigures().median, (values[(n - 1) / 2] + values[n / 2]) / 2);
        };
        check({});
        check(QStringLiteral("status:completed tp:2 or tp:4"));
    }

    // Another program changes the index, another computer adds a folder: both show without a key being pressed. On a busy
    // machine that is late: one of three tries is in time.
    void othersChangesAppear() {
        open(3);
        auto other = RunStore::open(m_home->home, OpenMode::ReadWrite);
        QVERIFY(other);
        const RunId id = m_controller->model()->idAt(0);
        const auto milliseconds = [](const std::function<bool()>& shows) {
            QElapsedTimer since;
            since.start();
            return QTest::qWaitFor(shows, test::kPatienceMilliseconds) ? since.elapsed() : qint64{-1};
        };
        std::vector<qint64> tagged, adopted;
        for (const std::string tag : {"first", "second", "third"}) {
            QVERIFY(other->changeTags({id}, {tag}, {}));
            tagged.push_back(milliseconds([&] {
                const RunRecord* record = m_controller->model()->recordAt(m_controller->model()->rowOf(id));
                return record != nullptr && std::ranges::count(record->tags, tag) == 1;
            }));
            QVERIFY2(tagged.back() >= 0, tag.c_str());
        }
        const Home elsewhere{m_home->home.path.parent_path() / "elsewhere"};
        auto there = RunStore::open(elsewhere, OpenMode::ReadWrite);
        QVERIFY(there);
        constexpr std::int64_t kLater = 1764000000000;  // so that the ids are others
        for (const RunId& made : test::seedRuns(*there, {.numRuns = 3, .numSteps = 0, .nowUnixMilliseconds = kLater})) {
            QCOMPARE(m_controller->model()->rowOf(made), -1);
            std::filesystem::rename(elsewhere.run(made)->path, m_home->home.run(made)->path);
            adopted.push_back(milliseconds([&] { return m_controller->model()->rowOf(made) >= 0; }));
            QVERIFY2(adopted.back() >= 0, made.value.c_str());
        }
        QVERIFY(adopted.size() == 3);
        QVERIFY2(std::ranges::min(tagged) < 1000, qPrintable(QString::number(std::ranges::min(tagged))));
        QVERIFY2(std::ranges::min(adopted) < 2000, qPrintable(QString::number(std::ranges::min(adopted))));
    }

    void emptyHomeOffersAStart() {
        open(0);
        auto* headline = m_page->findChild<QLabel*>(QStringLiteral("startHeadline"));
        QVERIFY(headline && headline->isVisible());
        QSignalSpy tiny(m_page.get(), &Page::wantsTiny);
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Train it now")) button->click();
        QCOMPARE(tiny.count(), 1);
    }

    void sortsByTwoKeys() {
        open(30);
        m_controller->sortBy("tp", false);
        EVENTUALLY_IS(cell(0, "tp"), QStringLiteral("1"));
        m_controller->sortBy("dp", true);
        QCOMPARE(m_controller->sort().size(), std::size_t(2));
        const auto key = [&](int row) { return std::pair(cell(row, "tp").toInt(), cell(row, "dp").toInt()); };
        const auto isSorted = [&] {
            if (cell(29, "dp").isEmpty()) return false;
            for (int row = 1; row < 30; ++row)
                if (key(row) < key(row - 1)) return false;
            return true;
        };
        EVENTUALLY(isSorted());
        const QString title = table()->model()->headerData(3, Qt::Horizontal).toString();
        QVERIFY2(title.contains(QStringLiteral("¹")), qPrintable(title));
        m_controller->sortBy("tp", false);
        QVERIFY(m_controller->sort().front().descending);
    }

    void filterCountsAndKeepsTheLastValidResult() {
        open(30);
        filter()->setText(QStringLiteral("status:failed"));
        EVENTUALLY_IS(m_controller->model()->rowCount(), 6);
        QVERIFY(m_page->findChild<QLabel*>(QStringLiteral("count"))->text().contains(QStringLiteral("30")));
        filter()->setText(QStringLiteral("modle:8B"));
        auto* problem = m_page->findChild<QLabel*>(QStringLiteral("filterProblem"));
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().contains(QStringLiteral("model")), qPrintable(problem->text()));
        QVERIFY(filter()->property("invalid").toBool());
        test::settle();
        QCOMPARE(m_controller->model()->rowCount(), 6);
        filter()->setText(QStringLiteral("name~nothing"));
        EVENTUALLY_IS(m_controller->model()->rowCount(), 0);
        QVERIFY(!problem->isVisible());
        auto* headline = m_page->findChild<QLabel*>(QStringLiteral("stateHeadline"));
        QVERIFY(headline);
        filter()->clear();
        EVENTUALLY_IS(m_controller->model()->rowCount(), 30);
    }

    void completesFieldNames() {
        open(1);
        filter()->setFocus();
        QTest::keyClicks(filter(), "stat");
        filter()->insertCompletion(QStringLiteral("status:"));
        QCOMPARE(filter()->text(), QStringLiteral("status:"));
    }

    void selectionIsKeptById() {
        open(30);
        const RunId wanted = m_controller->model()->idAt(7);
        table()->selectRow(7);
        m_controller->sortBy("created", false);
        EVENTUALLY(m_controller->model()->idAt(0) != RunId() && m_controller->model()->rowOf(wanted) != 7);
        test::settle();
        QCOMPARE(m_page->selectedRuns(), std::vector<RunId>{wanted});
    }

    void deleteCanBeUndone() {
        open(12);
        table()->clearSelection();
        table()->selectRow(0);
        const RunId id = m_controller->model()->idAt(0);
        QTest::keyClick(table(), Qt::Key_Delete);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 11);
        QCOMPARE(m_controller->model()->rowOf(id), -1);
        m_controller->undoStack()->undo();
        EVENTUALLY_IS(m_controller->model()->rowCount(), 12);
        m_controller->undoStack()->redo();
        EVENTUALLY_IS(m_controller->model()->rowCount(), 11);
        m_controller->setScope(RunScope::Trash);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 1);
    }

    void archiveTagsNotesAndNamesCanBeUndone() {
        open(6);
        const RunId id = m_controller->model()->idAt(2);
        const auto record = [&] { return readStore(m_home->home, [&](RunStore& store) { return store.run(id); }); };
        const auto before = record();
        QVERIFY(before);
        m_controller->changeTags({id}, {"best"}, {});
        std::vector<std::string> tagged = before->tags;
        tagged.push_back("best");
        std::sort(tagged.begin(), tagged.end());
        EVENTUALLY_IS(record()->tags, tagged);
        m_controller->setNotes(id, before->notes, "looks good");
        EVENTUALLY_IS(record()->notes, std::string("looks good"));
        m_controller->rename(id, before->name, "winner");
        EVENTUALLY_IS(record()->name, std::string("winner"));
        m_controller->setArchived({id}, true);
        EVENTUALLY_IS(m_controller->model()->rowCount(), 5);
        for (int i = 0; i < 4; ++i) m_controller->undoStack()->undo();
        EVENTUALLY_IS(m_controller->model()->rowCount(), 6);
        EVENTUALLY_IS(record()->tags, before->tags);
        QCOMPARE(record()->notes, before->notes);
        QCOMPARE(record()->name, before->name);
        closeThreadStore();
    }

    // What a run in progress has reached comes into its row without any change of the list.
    void rowsOfRunsInProgressAreRenewed() {
        open(4);
        m_controller->setColumns({"name", "last_step"});
        test::settle();
        const RunId id = m_controller->model()->idAt(1);
        EVENTUALLY(m_controller->model()->recordAt(1) != nullptr);
        auto store = RunStore::open(m_home->home, OpenMode::ReadWrite);
        MetricBatch batch;
        batch.fromOffset = *store->offset(id);
        batch.toOffset = batch.fromOffset + 1;
        batch.records.emplace_back(MetricStep{5000, 1, 1, {{"loss", 1.0}}});
        QVERIFY(store->append(id, batch)->applied);
        QSignalSpy renewed(m_controller->model(), &QAbstractItemModel::dataChanged);
        emit m_home->engine->runAdvanced(RunId("of another list"), 7);
        emit m_home->engine->runAdvanced(id, 7);
        emit m_home->engine->runAdvanced(id, 8);
        EVENTUALLY_IS(renewed.count(), 1);  // once for all steps of a second
        QCOMPARE(renewed[0][0].toModelIndex().row(), 1);
        QCOMPARE(renewed[0][1].toModelIndex().row(), 1);  // the other rows look the same
    }

    void theStripShowsTheSelectedRunOnce() {
        open(9);
        table()->clearSelection();
        table()->selectRow(0);
        test::settle();
        EVENTUALLY(!m_page->findChild<StripPlot*>()->dataTable().rows.isEmpty());
        test::settle();
        QCOMPARE(static_cast<std::int64_t>(m_page->findChild<StripPlot*>()->dataTable().rows.size()),
                 m_controller->keyFigures().numKnown);
    }

    // In a small window, each figure of the preview keeps its name, and nothing is painted over something else.
    void thePreviewIsReadableInASmallWindow() {
        open(9);
        m_page->resize(960, 420);
        auto* preview = m_page->findChild<QTableView*>("previewTable");
        table()->selectAll();
        EVENTUALLY(preview->model()->headerData(1, Qt::Horizontal).toString() == "A");
        QVERIFY(preview->columnWidth(0) > preview->fontMetrics().horizontalAdvance("tokens/s"));
        table()->clearSelection();
        table()->selectRow(0);
        EVENTUALLY(preview->model()->headerData(1, Qt::Horizontal).toString() == "Forecast");
        test::settle();
        for (const QLabel* label : preview->parentWidget()->findChildren<QLabel*>())
            QVERIFY2(!label->isVisible() || label->height() >= label->fontMetrics().height(),
                     qPrintable(label->text()));
    }

    // The mouse over the table holds rows where they are, but not against what the person does.
    void deleteActsUnderTheMouse() {
        open(5);
        QEvent enter(QEvent::Enter);
        QApplication::sendEvent(table()->viewport(), &enter);
        table()->clearSelection();
        table()->selectRow(0);
        const RunId id = m_controller->model()->idAt(0);
        QTest::keyClick(table(), Qt::Key_Delete);
        EVENTUALLY_IS(m_controller->model()->rowOf(id), -1);
        m_controller->undoStack()->undo();
        EVENTUALLY_IS(m_controller->model()->rowCount(), 5);
        // What others do still waits.
        test::settle();
        QSignalSpy read(m_controller.get(), &RunsController::answered);
        bool done = false;
        m_home->engine->change([id](RunStore& store) { return store.trash({id}, 1); },
                               [&done](const Result<void>&) { done = true; });
        EVENTUALLY(done);
        EVENTUALLY(read.count() > 0);  // news of others is read once a second
        QCOMPARE(m_controller->model()->rowCount(), 5);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(table()->viewport(), &leave);
        QCOMPARE(m_controller->model()->rowCount(), 4);
    }

    // Of runs that had the tag, were archived or in the trash before, undoing takes nothing away.
    void undoGivesBackExactlyWhatWas() {
        open(3);
        std::vector<RunId> ids;
        for (int row = 0; row < m_controller->model()->rowCount(); ++row)
            ids.push_back(m_controller->model()->idAt(row));
        const auto record = [&](int i) {
            return *readStore(m_home->home,
                              [&](RunStore& store) { return store.run(ids[static_cast<std::size_t>(i)]); });
        };
        const auto make = [&](const std::function<Result<void>(RunStore&)>& edit) {
            bool done = false, good = false;
            m_home->engine->change(edit, [&](const Result<void>& outcome) {
                good = static_cast<bool>(outcome);
                done = true;
            });
            return QTest::qWaitFor([&] { return done; }, test::kPatienceMilliseconds) && good;
        };
        QVERIFY(make([&](RunStore& store) {
            return store.changeTags({ids[0]}, {"keep", "old"}, store.run(ids[0])->tags);
        }));
        QVERIFY(make([&](RunStore& store) { return store.changeTags({ids[1]}, {}, store.run(ids[1])->tags); }));
        QVERIFY(make([&](RunStore& store) { return store.setArchived({ids[0]}, true); }));
        QVERIFY(make([&](RunStore& store) { return store.trash({ids[2]}, 5000); }));
        QUndoStack& stack = *m_controller->undoStack();

        m_controller->changeTags({ids[0], ids[1]}, {"keep", "new"}, {"old", "never"});
        EVENTUALLY_IS(record(1).tags, (std::vector<std::string>{"keep", "new"}));
        QVERIFY(make([&](RunStore& store) { return store.changeTags({ids[0]}, {"meanwhile"}, {}); }));
        stack.undo();
        EVENTUALLY_IS(record(1).tags, std::vector<std::string>());
        QCOMPARE(record(0).tags, (std::vector<std::string>{"keep", "meanwhile", "old"}));

        m_controller->setArchived({ids[0], ids[1]}, true);
        EVENTUALLY(record(1).archived);
        stack.undo();
        EVENTUALLY(!record(1).archived);
        QVERIFY(record(0).archived);

        m_controller->restore({ids[1], ids[2]});
        EVENTUALLY(!record(2).deletedUnixMilliseconds);
        stack.undo();
        EVENTUALLY(record(2).deletedUnixMilliseconds.has_value());
        QCOMPARE(*record(2).deletedUnixMilliseconds, std::int64_t{5000});
        QVERIFY(!record(1).deletedUnixMilliseconds);

        m_controller->trash({ids[1], ids[2]});
        EVENTUALLY(record(1).deletedUnixMilliseconds.has_value());
        stack.undo();
        EVENTUALLY(!record(1).deletedUnixMilliseconds);
        QCOMPARE(record(2).deletedUnixMilliseconds.value_or(0), std::int64_t{5000});
        closeThreadStore();
    }

    void lockedRunsStayOutOfTheTrash() {
        open(3);
        const RunId id = m_controller->model()->idAt(0);
        table()->selectRow(0);
        // The menu of the row: what it offers, after choosing `action`.
        const auto choose = [&](const QString& action) {
            QStringList enabled;
            QTimer::singleShot(0, this, [&] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                if (!menu) return;
                for (QAction* entry : menu->actions()) {
                    if (entry->isEnabled()) enabled << entry->text().section('\t', 0, 0);
                    if (entry->text() == action) entry->trigger();
                }
                menu->close();
            });
            emit table()->customContextMenuRequested(table()->visualRect(m_controller->model()->index(0, 0)).center());
            return enabled;
        };
        const auto locked = [&] {
            return readStore(m_home->home, [&](RunStore& store) { return store.run(id); })->locked;
        };
        QVERIFY(choose(QStringLiteral("Lock")).contains(QStringLiteral("Move to trash")));
        EVENTUALLY(locked());
        EVENTUALLY(m_controller->model()->recordAt(0)->locked);
        m_controller->trash({id});
        test::settle();
        QCOMPARE(m_controller->model()->rowCount(), 3);
        QVERIFY(!choose(QStringLiteral("Unlock")).contains(QStringLiteral("Move to trash")));
        EVENTUALLY(!locked());
        m_controller->undoStack()->undo();
        EVENTUALLY(locked());
        closeThreadStore();
    }

    void columnsCanBeChosenAndMoved() {
        open(3);
        m_page->findChild<QPushButton*>(QStringLiteral("columns"))->click();
        auto* dialog = m_page->findChild<ColumnsDialog*>(QStringLiteral("columnsDialog"));
        QVERIFY(dialog);
        auto* list = dialog->findChild<QListWidget*>(QStringLiteral("columnList"));
        for (int row = 0; row < list->count(); ++row)
            if (list->item(row)->data(Qt::UserRole).toString() == QStringLiteral("lr"))
                list->item(row)->setCheckState(Qt::Checked);
        QCOMPARE(m_controller->columns().back(), std::string("lr"));
        dialog->close();
        const std::string second = m_controller->columns()[1];
        const std::string third = m_controller->columns()[2];
        table()->horizontalHeader()->moveSection(1, 2);
        EVENTUALLY_IS(m_controller->columns()[1], third);
        QCOMPARE(m_controller->columns()[2], second);
        QCOMPARE(m_home->settings->value(QStringLiteral("runs/columns")).toStringList().at(2),
                 QString::fromStdString(second));
        test::settle();
        EVENTUALLY(cell(0, "lr").startsWith(QStringLiteral("0.0003")));
    }

    void twoRunsCanBeCompared() {
        open(5);
        auto* compare = m_page->findChild<QPushButton*>(QStringLiteral("compare"));
        table()->clearSelection();
        table()->selectRow(1);
        QVERIFY(!compare->isEnabled());
        table()->selectionModel()->select(table()->model()->index(3, 0),
                                          QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QVERIFY(compare->isEnabled());
        QSignalSpy spy(m_page.get(), &Page::wantsCompare);
        compare->click();
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].value<std::vector<RunId>>().size(), std::size_t(2));
    }

    void enterOpensTheRun() {
        open(3);
        QSignalSpy spy(m_page.get(), &Page::wantsRun);
        table()->setCurrentIndex(table()->model()->index(1, 0));
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].value<RunId>(), m_controller->model()->idAt(1));
    }

    // Rows that are loaded in an order since changed come back behind the answer that put others in their places: they
    // are asked for anew.
    void rowsOfAnOlderOrder() {
        m_home = std::make_unique<test::GuiHome>(3 * RunsModel::kPageSize);
        QVERIFY(m_home->start());
        m_controller = std::make_unique<RunsController>(*m_home->context);
        RunsModel& model = *m_controller->model();
        EVENTUALLY_IS(model.rowCount(), 3 * RunsModel::kPageSize);
        test::settle();
        const RunIds before = model.ids();
        // One thread, and it is held: what is started now ends in this order.
        QThreadPool& pool = *QThreadPool::globalInstance();
        const auto threads = qScopeGuard([&pool, most = pool.maxThreadCount()] { pool.setMaxThreadCount(most); });
        pool.setMaxThreadCount(1);
        QSemaphore held;
        pool.start([&held] { held.acquire(); });
        // One page is underway; the next ones wait for it until the main thread looks, with the order of now.
        for (const int page : {1, 2}) {
            QVERIFY(!model.recordAt(page * RunsModel::kPageSize));
            bool asked = false;
            QTimer::singleShot(0, this, [&asked] { asked = true; });  // behind the controller's own timer of 0 ms
            EVENTUALLY(asked);
        }
        m_controller->sortBy("name", false);
        held.release();
        QVERIFY(pool.waitForDone());
        test::settle();
        QVERIFY(!(model.ids() == before));
        for (int row = 0; row < model.rowCount(); ++row) {
            const RunRecord* record = model.recordAt(row);
            QVERIFY2(record, qPrintable(QString::number(row)));
            QCOMPARE(record->id.value, model.idAt(row).value);
        }
    }

    // Fluid at ten thousand: rows come in pages, and nothing on the main thread waits for them.
    void tenThousandRuns() {
        open(10000);
        const int last = m_controller->model()->rowCount() - 1;
        table()->scrollToBottom();
        QVERIFY(table()->viewport()->grab().width() > 0);
        QCOMPARE(cell(last, "name"),
                 QStringLiteral("…"));  // drawn without its rows: the main thread never waits for the store
        EVENTUALLY(cell(last, "name").startsWith(QStringLiteral("run 0")));
        table()->selectAll();
        QCOMPARE(m_page->selectedRuns().size(), std::size_t(10000));
        table()->clearSelection();
        filter()->setText(QStringLiteral("tp:4 status:completed"));
        EVENTUALLY(m_controller->model()->rowCount() < 10000);
        QCOMPARE(m_controller->numAll(), std::int64_t(10000));
    }
};

SLIPWAY_TEST(TstRunsPage)
#include "tst_runs_page.moc"
