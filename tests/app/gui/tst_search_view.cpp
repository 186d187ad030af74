#include "app/gui/pages/search_pictures.h"
#include "app/gui/pages/search_view.h"
#include "app/gui/text/language.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/parallel_plot.h"
#include "app/gui/widgets/pareto_plot.h"
#include "app/gui/widgets/search_form.h"
#include "core/base/json.h"
#include "tests/app/gui/plan_tab_test.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QLineF>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <algorithm>
#include <limits>

using namespace slipway;
using namespace slipway::gui;

class TstSearchView : public test::PlanTabTest {
    Q_OBJECT

    bool search() {
        m_page->search();
        return QTest::qWaitFor([this] { return m_plan->search().state() == SearchController::State::Done; },
                               test::kPatienceMilliseconds);
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() { QVERIFY(openPage()); }
    void cleanup() { closePage(); }

    void opensEmptyAndSearches() {
        m_page->showTab(PlanTab::Search);
        auto* headline = m_page->findChild<SearchView*>()->findChild<QLabel*>(QStringLiteral("stateHeadline"));
        QVERIFY(!headline->text().isEmpty());
        QVERIFY(!child<QPushButton>("applyFound")->isEnabled());
        child<QPushButton>("search")->click();
        QCOMPARE(child<QPushButton>("search")->text(), QStringLiteral("Cancel"));
        EVENTUALLY(m_plan->search().state() == SearchController::State::Done);
        auto* table = child<QTableView>("found");
        const QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(table->model()->rowCount(), static_cast<int>(m_plan->search().rows().size()));
        // Layouts get the room that is left, at any width.
        for (const int width : {1268, 1900}) {
            m_page->resize(width, 820);
            EVENTUALLY(table->viewport()->width() > width / 2 &&
                       table->horizontalHeader()->length() >= table->viewport()->width());
        }
        QVERIFY(child<QPushButton>("applyFound")->isEnabled());
        QCOMPARE(child<QPushButton>("search")->text(), QStringLiteral("Search"));
        QVERIFY(test::numColours(m_page->grab().toImage()) > 50);
    }

    void everyColumnSortsByItsFigure() {
        QVERIFY(search());
        auto* table = child<QTableView>("found");
        auto* sorted = qobject_cast<FoundSort*>(table->model());
        const auto& rows = m_plan->search().rows();
        const auto figure = [&](int row, FoundColumn column) {
            const FoundLayout& l = rows[static_cast<std::size_t>(sorted->sourceRow(sorted->index(row, 0)))].layout;
            switch (column) {
                case FoundColumn::Step: return l.step.stepSeconds;
                case FoundColumn::Speed: return l.step.tokensPerSecondPerDevice;
                case FoundColumn::Mfu: return l.step.mfu.value_or(0);
                case FoundColumn::Memory: return l.memoryPeakBytes;
                case FoundColumn::Bubble: return l.step.bubbleSimulated;
                default: return l.cost.money.value_or(l.cost.deviceHours);
            }
        };
        for (const FoundColumn column : {FoundColumn::Step, FoundColumn::Speed, FoundColumn::Mfu, FoundColumn::Memory,
                                         FoundColumn::Bubble, FoundColumn::Cost})
            for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                table->sortByColumn(static_cast<int>(column), order);
                for (int i = 1; i < sorted->rowCount(); ++i)
                    QVERIFY(order == Qt::AscendingOrder ? figure(i - 1, column) <= figure(i, column)
                                                        : figure(i - 1, column) >= figure(i, column));
            }
        // What is not ranked stands last in both orders.
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            table->sortByColumn(static_cast<int>(FoundColumn::Rank), order);
            bool seen = false;
            for (int i = 0; i < sorted->rowCount(); ++i) {
                const bool unranked = rows[static_cast<std::size_t>(sorted->sourceRow(sorted->index(i, 0)))].rank == 0;
                QVERIFY(unranked || !seen);
                seen = seen || unranked;
            }
        }
    }

    void aClickOnTheFrontSelectsItsRow() {
        QVERIFY(search());
        auto* pareto = child<ParetoPlot>("pareto");
        pareto->grab();  // lays out
        QVERIFY(pareto->front().size() > 1);
        // The one with the most room: layouts of nearly the same figures share a place.
        const auto room = [&](std::size_t point) {
            qreal least = std::numeric_limits<qreal>::infinity();
            for (std::size_t other = 0; other < m_plan->search().rows().size(); ++other)
                if (other != point)
                    least = std::min(least, QLineF(pareto->placeOf(point), pareto->placeOf(other)).length());
            return least;
        };
        const auto wanted = *std::ranges::max_element(pareto->front(), {}, room);
        QTest::mouseClick(pareto, Qt::LeftButton, {}, pareto->placeOf(wanted).toPoint());
        QCOMPARE(pareto->selected(), static_cast<int>(wanted));
        auto* table = child<QTableView>("found");
        auto* sorted = qobject_cast<FoundSort*>(table->model());
        const QModelIndexList selected = table->selectionModel()->selectedRows();
        QCOMPARE(selected.size(), 1);
        QCOMPARE(sorted->sourceRow(selected.front()), static_cast<int>(wanted));
        // And back: the table's row is ringed. Arrows walk the front, Enter applies.
        table->selectRow(0);
        QCOMPARE(pareto->selected(), sorted->sourceRow(sorted->index(0, 0)));
        pareto->setFocus();
        QTest::keyClick(pareto, Qt::Key_End);
        QTest::keyClick(pareto, Qt::Key_Left);
        QCOMPARE(pareto->selected(), static_cast<int>(pareto->front()[pareto->front().size() - 2]));
        const FoundLayout layout = m_plan->search().rows()[static_cast<std::size_t>(pareto->selected())].layout;
        QTest::keyClick(pareto, Qt::Key_Return);
        QCOMPARE(m_plan->document().config.parallel.tp, layout.parallel.tp);
        QCOMPARE(m_plan->document().config.train.microBatchSize, layout.microBatchSize);
        QVERIFY(m_page->undoStack()->canUndo());
    }

    // Beside the short list stand the layouts as fast as the selected one; all variants are a switch away.
    void alternativesStandBesideTheShortList() {
        QVERIFY(search());
        auto* table = child<QTableView>("found");
        auto* beside = child<QTableView>("alternatives");
        QVERIFY(beside->isVisible());
        const auto alternatives = [&] { return m_plan->search().alternatives(); };
        int row = 0;
        for (; row < table->model()->rowCount(); ++row) {
            table->selectRow(row);
            EVENTUALLY(alternatives().has_value());
            QCOMPARE(beside->model()->rowCount(), static_cast<int>(alternatives()->size()));
            if (alternatives()->size() > 1) break;
        }
        QVERIFY(beside->model()->rowCount() > 1);
        const QAbstractItemModelTester tester(beside->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const FoundLayout second = (*alternatives())[1];
        QVERIFY(!beside->model()->index(1, 0).data().toString().isEmpty());
        // Enter applies it; Ctrl+Z takes it back.
        const RunConfig before = m_plan->document().config;
        beside->setFocus();
        beside->setCurrentIndex(beside->model()->index(1, 0));
        QTest::keyClick(beside, Qt::Key_Return);
        QCOMPARE(configHash(m_plan->document().config), configHash(second.applied(before)));
        m_page->undoStack()->undo();
        QCOMPARE(configHash(m_plan->document().config), configHash(before));
        auto* all = child<QCheckBox>("allVariants");
        QVERIFY(!all->isChecked());
        const double best = m_plan->search().rows()[0].layout.step.stepSeconds;
        all->click();
        EVENTUALLY(m_plan->search().state() == SearchController::State::Done && !m_plan->search().request().distinct);
        QVERIFY(!beside->isVisible());
        QCOMPARE(m_plan->search().rows()[0].layout.step.stepSeconds, best);
        // The form keeps the switch.
        child<QCheckBox>("onlyRunnable")->click();
        QVERIFY(m_plan->search().question().variants);
        QVERIFY(all->isChecked());
    }

    // Results get the room of the axes; a limit that cannot be read brings them back.
    void axesFoldAway() {
        m_page->showTab(PlanTab::Search);
        auto* tp = child<QLineEdit>("axis.tp");
        auto* fold = child<QPushButton>("foldAxes");
        QVERIFY(tp->isVisible());
        QVERIFY(search());
        QVERIFY(!tp->isVisible());
        fold->click();
        QVERIFY(tp->isVisible());
        m_page->primaryAction();
        EVENTUALLY(m_plan->search().state() == SearchController::State::Done);
        QVERIFY(tp->isVisible());  // the person's choice stays
        fold->click();
        QVERIFY(!tp->isVisible());
        tp->setText(QStringLiteral("8..2"));
        emit tp->textEdited(tp->text());
        m_page->primaryAction();
        QCOMPARE(m_plan->search().state(), SearchController::State::Failed);
        QVERIFY(tp->isVisible());
    }

    // The plan has 64 devices: its speed says nothing about layouts of 32.
    void thePlanIsNotAmongLayoutsOfOtherDevices() {
        auto* devices = child<QLineEdit>("searchDevices");
        devices->setText(QStringLiteral("32"));
        emit devices->textEdited(devices->text());
        QVERIFY(search());
        auto* pareto = child<ParetoPlot>("pareto");
        const auto numRows = static_cast<qsizetype>(m_plan->search().rows().size());
        QVERIFY(numRows > 0);
        QVERIFY(m_plan->document().config.parallel.worldSize() != 32);
        QCOMPARE(pareto->dataTable().rows.size(), numRows);
    }

    void theFrontIsNotDominated() {
        QVERIFY(search());
        auto* pareto = child<ParetoPlot>("pareto");
        auto* against = child<QComboBox>("against");
        const auto& rows = m_plan->search().rows();
        for (int choice = 0; choice < against->count(); ++choice) {
            against->setCurrentIndex(choice);
            emit against->activated(choice);
            const auto y = [&](std::size_t i) {
                return choice == 0 ? rows[i].layout.memoryPeakBytes
                                   : rows[i].layout.cost.money.value_or(rows[i].layout.cost.deviceHours);
            };
            const auto x = [&](std::size_t i) { return rows[i].layout.step.tokensPerSecond; };
            for (const std::size_t f : pareto->front())
                for (std::size_t i = 0; i < rows.size(); ++i)
                    QVERIFY(!(x(i) >= x(f) && y(i) <= y(f) && (x(i) > x(f) || y(i) < y(f))));
        }
    }

    void aRangeOnAnAxisFilters() {
        QVERIFY(search());
        auto* parallel = child<ParallelPlot>("parallel");
        auto* table = child<QTableView>("found");
        const int all = table->model()->rowCount();
        parallel->resize(600, 220);
        parallel->setFocus();
        QTest::keyClick(parallel, Qt::Key_Up);  // the lowest step of the first axis
        const auto passing = parallel->passing();
        const auto left = std::count(passing.begin(), passing.end(), true);
        QVERIFY(left > 0 && left < all);
        QCOMPARE(table->model()->rowCount(), static_cast<int>(left));
        QVERIFY(child<QPushButton>("clearBrushes")->isVisible());
        QTest::keyClick(parallel, Qt::Key_Escape);
        QCOMPARE(table->model()->rowCount(), all);
        // With the mouse: drag over the lower half of the last axis, then click it away.
        const QRectF area = parallel->axisArea(parallel->numAxes() - 1);
        QTest::mousePress(parallel, Qt::LeftButton, {}, QPointF(area.center().x(), area.bottom()).toPoint());
        QTest::mouseMove(parallel, area.center().toPoint());
        QTest::mouseRelease(parallel, Qt::LeftButton, {}, area.center().toPoint());
        QVERIFY(parallel->hasBrush());
        QVERIFY(table->model()->rowCount() < all);
        QTest::mouseClick(parallel, Qt::LeftButton, {}, area.center().toPoint());
        QVERIFY(!parallel->hasBrush());
    }

    // At any width: figures stay, what is shown differs and stands side by side, and what is left out says why.
    void axesWithoutNewsOrRoomAreLeftOut() {
        QVERIFY(search());
        auto* parallel = child<ParallelPlot>("parallel");
        const DataTable all = parallel->dataTable();  // a column for the layout, then one for each axis
        const auto states = parallel->axisStates();
        QCOMPARE(static_cast<int>(states.size()), static_cast<int>(all.headers.size()) - 1);
        const QStringList figures{QStringLiteral("Step time"), QStringLiteral("Memory"), QStringLiteral("MFU")};
        for (std::size_t i = 0; i < states.size(); ++i) {
            QSet<QString> values;
            for (const QStringList& row : all.rows) values.insert(row[static_cast<qsizetype>(i) + 1]);
            if (!figures.contains(states[i].name)) QCOMPARE(states[i].fate == AxisFate::Constant, values.size() == 1);
        }
        int before = 0;
        for (const int width : {300, 420, 600, 900, 1400, 2400}) {
            parallel->resize(width, 220);
            QVERIFY(parallel->numAxes() >= before);
            before = parallel->numAxes();
            QStringList shown;
            for (int a = 0; a < parallel->numAxes(); ++a) {
                shown << parallel->axisName(a);
                const QRectF slot = parallel->slotArea(a);
                QVERIFY(slot.right() <= width + 1e-6);
                if (a > 0) QVERIFY(slot.left() >= parallel->slotArea(a - 1).right() - 1e-6);
            }
            for (const QString& figure : figures) QVERIFY2(shown.contains(figure), qPrintable(figure));
            const QString side = parallel->parentWidget()->findChild<ElidedLabel*>()->fullText();
            QVERIFY(side.startsWith(QStringLiteral("%1 of %2 axes").arg(shown.size()).arg(states.size())));
            for (const AxisState& axis : parallel->axisStates()) {
                QCOMPARE(shown.contains(axis.name), axis.fate == AxisFate::Shown);
                if (axis.fate == AxisFate::Constant)
                    QVERIFY(side.section(QStringLiteral("identical"), 1).contains(axis.name + ' ' + axis.value));
                if (axis.fate == AxisFate::NoRoom)
                    QVERIFY(side.section(QStringLiteral("not shown"), 1).contains(axis.name));
            }
        }
        for (const AxisState& axis : parallel->axisStates()) QVERIFY(axis.fate != AxisFate::NoRoom);
    }

    void theMenuChoosesAxes() {
        QVERIFY(search());
        auto* parallel = child<ParallelPlot>("parallel");
        QMenu* menu = child<QPushButton>("chooseAxes")->menu();
        const auto action = [&](const QString& name) {
            emit menu->aboutToShow();
            for (QAction* a : menu->actions())
                if (a->data().toString() == name) return a;
            return static_cast<QAction*>(nullptr);
        };
        const auto fateOf = [&](const QString& name) {
            for (const AxisState& axis : parallel->axisStates())
                if (axis.name == name) return axis.fate;
            return AxisFate::Constant;
        };
        // The axis that finds room last, and the widest picture without it.
        QString wanted, constant;
        int width = 0;
        for (int w = 330; w < 2400; w += 10) {
            parallel->resize(w, 220);
            for (const AxisState& axis : parallel->axisStates()) {
                if (axis.fate == AxisFate::Constant) constant = axis.name;
                if (axis.fate != AxisFate::NoRoom) continue;
                wanted = axis.name;
                width = w;
            }
        }
        QVERIFY(!wanted.isEmpty() && !constant.isEmpty());
        parallel->resize(width, 220);
        QVERIFY(!action(constant)->isEnabled());
        QVERIFY(action(wanted)->isEnabled() && !action(wanted)->isChecked());
        // Asked for: it is there, in the place of another. Hidden: it goes, whatever the width.
        action(wanted)->trigger();
        QCOMPARE(fateOf(wanted), AxisFate::Shown);
        action(wanted)->trigger();
        parallel->resize(2400, 220);
        QCOMPARE(fateOf(wanted), AxisFate::Hidden);
        // A range keeps its axis in sight, and hiding the axis takes the range away.
        action(wanted)->trigger();
        for (int a = 0; a < parallel->numAxes(); ++a)
            if (parallel->axisName(a) == wanted) parallel->setBrush(a, std::pair{0.0, 0.5});
        action(wanted)->trigger();
        QVERIFY(!parallel->hasBrush());
        emit menu->aboutToShow();
        QVERIFY(menu->actions().back()->isEnabled());
        menu->actions().back()->trigger();  // as there is room
        parallel->resize(2400, 220);
        QCOMPARE(fateOf(wanted), AxisFate::Shown);
    }

    // Words of options are those of the forms; names of degrees stay.
    void layoutsAreInKorean() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        QVERIFY(search());
        auto* model = child<QTableView>("found")->model();
        static const QRegularExpression english(QStringLiteral(
            "1f1b|afab|zb_|dualpipe|recompute|selective|full|offload|micro-batch|async|all_gather|layers"));
        bool schedule = false;
        for (int i = 0; i < model->rowCount(); ++i) {
            const QString text = model->index(i, static_cast<int>(FoundColumn::Layout)).data().toString();
            QVERIFY2(!text.contains(english), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("마이크로배치")), qPrintable(text));
            schedule = schedule || text.contains(choiceText("parallel.schedule", "1f1b"));
        }
        QVERIFY(schedule);
        language.apply(QStringLiteral("en"));
    }

    void whyIsAnsweredBelow() {
        QVERIFY(search());
        m_page->find();
        auto* edit = child<QLineEdit>("why");
        auto* answer = child<IssueList>("whyAnswer");
        QVERIFY(!answer->isVisible());
        QTest::keyClicks(edit, "tp=3");
        QTest::keyClick(edit, Qt::Key_Return);
        EVENTUALLY(answer->isVisible());
        QVERIFY(answer->texts().front().contains(QStringLiteral("It is not legal.")));
        child<QPushButton>("whySelected")->click();
        EVENTUALLY(answer->texts().front().contains(QStringLiteral("No layout of the search is faster.")));
    }

    void aWrongLimitIsMarked() {
        m_page->showTab(PlanTab::Search);
        auto* tp = child<QLineEdit>("axis.tp");
        QTest::keyClicks(tp, "8..2");
        QTest::keyClick(tp, Qt::Key_Return);
        QCOMPARE(m_plan->search().state(), SearchController::State::Failed);
        QVERIFY(tp->property("invalid").toBool());
        QVERIFY(child<QLabel>("searchProblem")->isVisible());
        child<QPushButton>("freeAll")->click();
        QVERIFY(tp->text().isEmpty());
        child<QPushButton>("fixAll")->click();
        QCOMPARE(tp->text(), QStringLiteral("4"));
        QCOMPARE(m_page->findChild<SearchForm*>()->numLimited(), static_cast<int>(kNumSearchAxes));
        m_page->primaryAction();
        EVENTUALLY(m_plan->search().state() == SearchController::State::Done);
        QCOMPARE(m_plan->search().rows().size(), std::size_t{1});
        QVERIFY(m_plan->search().rows()[0].isCurrent);
        QVERIFY(!tp->property("invalid").toBool());
    }

    // Limits that nothing can meet are marked with their reasons, whether something else is found or not, until they
    // are changed.
    void impossibleLimitsAreMarked() {
        m_page->showTab(PlanTab::Search);
        auto* tp = child<QLineEdit>("axis.tp");
        auto* pp = child<QLineEdit>("axis.pp");
        auto* problem = child<QLabel>("searchProblem");
        QTest::keyClicks(tp, "4,3");
        QVERIFY(search());
        QVERIFY(!m_plan->search().rows().empty());
        QVERIFY(tp->isVisible() && tp->property("invalid").toBool() && !pp->property("invalid").toBool());
        QVERIFY2(
            problem->isVisible() && problem->text().contains(QStringLiteral("No layout has Tensor parallel (tp) 3.")),
            qPrintable(problem->text()));
        QVERIFY2(problem->text().contains(QStringLiteral("not a multiple of")), qPrintable(problem->text()));
        // The question is another one: marks go, and come again with its answer.
        tp->clear();
        emit tp->textEdited(tp->text());
        QVERIFY(!tp->property("invalid").toBool() && !problem->isVisible());
        QTest::keyClicks(pp, ">=99");
        QVERIFY(search());
        QVERIFY(m_plan->search().rows().empty());
        QVERIFY(pp->property("invalid").toBool());
        QVERIFY2(problem->text().contains(
                     QStringLiteral("No layout has Pipeline parallel (pp) ≥ 99. Values of this search: 1, 2")),
                 qPrintable(problem->text()));
        QCOMPARE(m_page->findChild<SearchView*>()->findChild<QLabel*>(QStringLiteral("stateHeadline"))->text(),
                 QStringLiteral("No layout meets the limits."));
        // In Korean the same, without a word of English.
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        static const QRegularExpression english(QStringLiteral("No layout|options|multiple"));
        for (const QString& sentence : impossibleSentences(m_plan->search().impossible()))
            QVERIFY2(!sentence.contains(english), qPrintable(sentence));
        language.apply(QStringLiteral("en"));
        child<QPushButton>("freeAll")->click();
        QVERIFY(search());
        QVERIFY(!problem->isVisible());
    }

    void exportsAndBenchmarks() {
        QVERIFY(search());
        dialogAnswers().file = m_home->dir.filePath(QStringLiteral("layouts.tsv"));
        m_page->exportData();
        EVENTUALLY(QFile::exists(*dialogAnswers().file));
        // The five best become the file of a new sweep.
        QSignalSpy wanted(m_page.get(), &Page::wantsNewSweep);
        child<QPushButton>("benchmarkFound")->click();
        EVENTUALLY_IS(wanted.count(), 1);
        const auto json = parseJson(wanted[0][0].toString().toStdString(), "sweep");
        QVERIFY(json);
        QCOMPARE((*json)["points"].size(), std::size_t{5});
    }
};

SLIPWAY_TEST(TstSearchView)
#include "tst_search_view.moc"
