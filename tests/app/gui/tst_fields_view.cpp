#include "app/gui/main_window.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/step_difference_view.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/field_plot.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/trial_plot.h"
#include "core/base/json.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>
#include <cmath>

using namespace slipway;
using namespace slipway::gui;

class TstFieldsView : public test::SeededTest {
    Q_OBJECT

    std::unique_ptr<FieldsView> shownView(const std::vector<RunId>& runs) {
        auto view = std::make_unique<FieldsView>(*m_context, nullptr);
        view->resize(1240, 800);
        view->setRuns(runs);
        view->show();
        test::settle();
        return view;
    }
    static FieldPlot* chart(FieldsView& view, int at) {
        auto* plot = view.findChild<FieldPlot*>(QStringLiteral("fieldChart%1").arg(at));
        if (plot) plot->grab();  // lays it out
        return plot;
    }
    static void choose(FieldsView& view, const char* name, const QString& text) {
        auto* box = view.findChild<FieldChooser*>(name);
        box->lineEdit()->setText(text);
        emit box->lineEdit()->editingFinished();
        test::settle();
    }
    static void addRepeats(const Home& home, const RunId& of, const std::vector<double>& mfus) {
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        QVERIFY(store);
        auto config = parseRunConfig(*parseJson(store->run(of)->configJson, "config"), "config");
        QVERIFY(config);
        for (std::size_t i = 0; i < mfus.size(); ++i) {
            config->train.seed = 1000 + static_cast<std::int64_t>(i);
            NewRun run;
            run.id = RunId(of.value.substr(0, of.value.size() - 3) + "r" + std::to_string(i) + "x");
            run.config = *config;
            run.name = of.value + " again " + std::to_string(i);
            QVERIFY(store->createRun(run, 1763730900000));
            RunChange change;
            change.status = RunStatus::Completed;
            RunFigures figures;
            figures.mfu = mfus[i];
            figures.memoryPeakBytes = 1.9e9;
            change.measured = figures;
            QVERIFY(store->updateRun(run.id, change));
        }
    }

private slots:
    void initTestCase() {
        test::useLook();
        seed(9);
    }
    void cleanup() { test::settle(); }

    void threeChartsOverTheComparedRuns() {
        const auto view = shownView({m_ids[0], m_ids[3], m_ids[4]});
        for (int at = 0; at < 3; ++at) {
            auto* plot = chart(*view, at);
            QVERIFY(plot);
            QCOMPARE(plot->points().size(), 3U);
            QCOMPARE(plot->categories(), (QStringList{"1", "2"}));  // parallel.tp
            QCOMPARE(plot->numFailed(), 1);                         // run 4
        }
        QVERIFY(view->findChild<QLabel*>("fieldCounts")->text().endsWith("2 ran, 1 failed"));
        // The failed one is in its lane with its reason, never at 0.
        auto* plot = chart(*view, 0);
        QVERIFY(!plot->lane().isEmpty());
        QVERIFY(plot->lane().top() > plot->area().bottom());
        bool found = false;
        for (const FieldPoint& point : plot->points())
            found = found || point.reason.contains("The loss became NaN at step 3.");
        QVERIFY(found);
    }
    void anyFieldByTyping() {
        const auto view = shownView({});
        choose(*view, "fieldX", "Data parallel (dp)");
        QCOMPARE(chart(*view, 1)->categories(), (QStringList{"1", "2", "4"}));
        QVERIFY(chart(*view, 1)->dataTable().headers[1].contains("dp"));
        choose(*view, "fieldX", "no such field");
        QCOMPARE(view->findChild<FieldChooser*>("fieldX")->chosenKey(), QString("parallel.dp"));
        QCOMPARE(view->findChild<FieldChooser*>("fieldX")->currentText(),
                 view->findChild<FieldChooser*>("fieldX")->chosenName());
    }
    void namesOfFieldsAreUniqueAndGrouped() {
        const auto fields = choicesOfFields();
        QSet<QString> names, keys;
        QString group;
        QSet<QString> ended;
        for (const ChoiceOfField& field : fields) {
            QVERIFY2(!names.contains(field.name), qPrintable(field.name));
            QVERIFY2(!keys.contains(field.key), qPrintable(field.key));
            names << field.name;
            keys << field.key;
            if (field.group == group) continue;
            QVERIFY2(!ended.contains(field.group), qPrintable(field.group));
            ended << group;
            group = field.group;
        }
        for (const char* key : {"parallel.tp", "train.seq_len", "world_size", "measured.mfu", "train.recompute.policy"})
            QVERIFY2(keys.contains(key), key);
    }
    void filtersAndTheirMistakes() {
        const auto view = shownView({});
        QCOMPARE(view->data().rows.size(), 9U);
        auto* filter = view->findChild<QLineEdit*>("fieldFilter");
        filter->setText("tp:2");
        emit filter->editingFinished();
        test::settle();
        QCOMPARE(view->data().rows.size(), 3U);
        filter->setText("modle:8B");
        emit filter->editingFinished();
        test::settle();
        QCOMPARE(view->data().rows.size(), 3U);  // the last valid answer stays
        QVERIFY(view->findChild<QLabel*>("fieldProblem")->text().contains("model"));
        QVERIFY(view->findChild<QLabel*>("fieldProblem")->isVisible());
    }
    void colourAndFacets() {
        const auto view = shownView({});
        choose(*view, "fieldColour", "Data parallel (dp)");
        QSet<int> colours;
        for (const FieldPoint& point : chart(*view, 0)->points()) colours << point.colour;
        QCOMPARE(colours, (QSet<int>{0, 1, 2}));
        QVERIFY(view->findChild<QLabel*>("fieldLegend")->text().contains("1, 2, 4"));
        choose(*view, "fieldFacet", "Tensor parallel (tp)");
        QVERIFY(chart(*view, 8));
        QVERIFY(!chart(*view, 9));
        QCOMPARE(chart(*view, 0)->points().size(), 3U);
        choose(*view, "fieldFacet", "none");
        QVERIFY(!chart(*view, 3));
    }
    void keyboardReachesEveryPoint() {
        const auto view = shownView({m_ids[0], m_ids[3], m_ids[4]});
        auto* plot = chart(*view, 0);
        QSet<QString> reached;
        QTest::keyClick(plot, Qt::Key_Home);
        for (int i = 0; i < 3; ++i) {
            reached << plot->valueAtCursor();
            QTest::keyClick(plot, Qt::Key_Right);
        }
        QCOMPARE(reached.size(), 3);
        QSignalSpy opened(view.get(), &FieldsView::runWanted);
        QTest::keyClick(plot, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QTest::keyClick(plot, Qt::Key_Space);
        QVERIFY(view->findChild<QLabel*>("fieldSelection")->text().contains("1 of 3"));
        QTest::keyClick(plot, Qt::Key_Escape);
        QVERIFY(!view->findChild<QLabel*>("fieldSelection")->text().contains("1 of 3"));
    }
    void aDraggedRectangleSelectsInAllCharts() {
        const auto view = shownView({});
        auto* plot = chart(*view, 0);
        const QPoint from = plot->area().topLeft().toPoint(), to = plot->area().bottomRight().toPoint();
        QTest::mousePress(plot, Qt::LeftButton, {}, from);
        QTest::mouseMove(plot, to - QPoint(4, 4));
        QTest::mouseMove(plot, to);
        QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
        QVERIFY2(view->findChild<QLabel*>("fieldSelection")->text().contains("8 of 9"),
                 qPrintable(view->findChild<QLabel*>("fieldSelection")->text()));
        QSignalSpy wanted(view.get(), &FieldsView::compareWanted);
        view->findChild<QPushButton*>("compareSelection")->click();
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<std::vector<RunId>>().size(), 8U);
    }
    void theMapShowsTheBestAndTheHole() {
        const auto view = shownView({});
        choose(*view, "fieldColumns", "Data parallel (dp)");
        const HeatGrid& grid = view->findChild<HeatMap*>("fieldMap")->grid();
        QCOMPARE(grid.rows, (QStringList{"1", "2", "4"}));
        QCOMPARE(grid.columns, (QStringList{"1", "2", "4"}));
        const HeatCell& best = grid.cells[static_cast<std::size_t>(grid.cellOf(0, 0, 0))];
        QVERIFY(best.isBest);
        QCOMPARE(best.headline, figureText("mfu", 0.42));
        QVERIFY2(best.lines[0].contains("pp 1"), qPrintable(best.lines[0]));  // tp and dp are the place
        QVERIFY(!best.lines[0].contains("tp"));
        const HeatCell& hole = grid.cells[static_cast<std::size_t>(grid.cellOf(0, 1, 1))];  // run 4
        QCOMPARE(hole.state, HeatCell::State::Failed);
        QVERIFY(hole.lines.join(' ').contains("The loss became NaN at step 3."));
    }
    void forecastsAndTheirResidual() {
        const auto view = shownView({});
        auto* pairs = view->findChild<TrialPlot*>("fieldForecasts");
        QCOMPARE(pairs->points().size(), 8U);
        QCOMPARE(pairs->points()[0].x, 0.4);
        auto* value = view->findChild<QComboBox*>("fieldValue");
        value->setCurrentIndex(2);
        emit value->activated(2);
        double most = -1;
        for (const FieldPoint& point : chart(*view, 0)->points())
            if (std::isfinite(point.y)) most = std::max(most, point.y);
        QVERIFY(std::fabs(most - 0.02) < 1e-12);  // 0.42 measured, 0.40 forecast
    }
    void logAxesCountWhatTheyCannotShow() {
        FieldPlot plot;
        plot.resize(400, 240);
        std::vector<FieldPoint> points;
        for (int i = 0; i < 20; ++i) {
            FieldPoint point;
            point.x = QString::number(i + 1);
            point.xNumber = i + 1;
            point.y = i;  // the first is 0
            points.push_back(point);
        }
        plot.setPoints(points);
        plot.setLog(true, true);
        plot.grab();
        QCOMPARE(plot.numLeftOut(), 1);
        const auto ticks = plot.yTicks();
        QVERIFY(ticks.contains(1.0) && ticks.contains(10.0));
    }
    void tenThousandPointsAreAllThere() {
        FieldPlot plot;
        plot.resize(400, 240);
        std::vector<FieldPoint> points(10000);
        for (std::size_t i = 0; i < points.size(); ++i) {
            points[i].x = QString::number(i % 4);
            points[i].xNumber = static_cast<double>(i % 4);
            points[i].y = static_cast<double>(i);
        }
        plot.setPoints(points);
        plot.grab();
        QCOMPARE(plot.dataTable().rows.size(), 10000);
        QVERIFY(plot.summary().contains("10000"));
    }
    void repeatsAreBoxesAndTellNoise() {
        addRepeats(m_home, m_ids[0], {0.42, 0.38, 0.36});
        addRepeats(m_home, m_ids[1], {0.36, 0.39, 0.41});
        const auto view = shownView({});
        auto* kind = view->findChild<QComboBox*>("fieldKind");
        kind->setCurrentIndex(1);
        emit kind->activated(1);
        QCOMPARE(chart(*view, 0)->numBoxes(), 2);
        QVERIFY2(view->findChild<QLabel*>("fieldSelection")->text().contains("noise"),
                 qPrintable(view->findChild<QLabel*>("fieldSelection")->text()));
    }
    void onePlotFrameForAll() {
        // The same points at the same place, whichever widget draws them.
        const PlotAxis x{.name = "x", .low = 0, .high = 10};
        PlotFrame frame{x, x, {}};
        frame.layOut({300, 200}, 0, 0);
        QCOMPARE(frame.at(0, 0), frame.area.bottomLeft());
        QCOMPARE(frame.at(10, 10), frame.area.topRight());
        PlotAxis log{.name = "x", .low = 1, .high = 100, .isLog = true};
        QCOMPARE(log.share(10), 0.5);
        QCOMPARE(log.ticks(4), (QVector<double>{1, 2, 5, 10, 20, 50, 100}));
    }
    void whyIsBSlower() {
        StepDifferenceView view(m_home, nullptr);
        view.resize(1100, 700);
        view.setRuns({m_ids[0], m_ids[3]}, {"A: first", "B: second"});
        view.show();
        test::settle();
        auto* sentence = view.findChild<QLabel*>("whySentence");
        QVERIFY(sentence->isVisible());
        QVERIFY2(sentence->text().startsWith("B: "), qPrintable(sentence->text()));
        auto* parts = view.findChild<QTableWidget*>("whyParts");
        QVERIFY(parts->rowCount() >= 2);
        // The parts add up to the step, and the step's bar is empty.
        QCOMPARE(parts->item(parts->rowCount() - 1, 4)->data(Qt::UserRole).toDouble(), 0.0);
        QStringList settings;
        auto* table = view.findChild<QTableWidget*>("whySettings");
        for (int row = 0; row < table->rowCount(); ++row) settings << table->item(row, 0)->text();
        QVERIFY2(settings.contains("Tensor parallel (tp)"), qPrintable(settings.join(", ")));
        auto* second = view.findChild<QComboBox*>("whySecond");
        second->setCurrentIndex(0);
        emit second->activated(0);
        test::settle();
        QVERIFY(!sentence->isVisible());  // a run is not slower than itself
    }
};
SLIPWAY_TEST(TstFieldsView)

// From Runs to the three charts of MFU, memory and bubble against a field of one's choice.
class TstChartsFromRuns : public QObject {
    Q_OBJECT

private slots:
    void inAtMostEightActions() {
        test::useLook();
        test::GuiHome home(6, 0);
        QVERIFY(home.start());
        MainWindow window(*home.context);
        window.resize(1440, 900);
        window.show();
        QApplication::setActiveWindow(&window);
        window.openPage(PageId::Runs);
        test::settle();
        int actions = 0;
        auto* table = window.findChild<QTableView*>("runs");
        EVENTUALLY(table->model()->rowCount() == 6);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_A, Qt::ControlModifier);
        ++actions;
        test::settle();
        QTest::mouseClick(window.findChild<QPushButton*>("compare"), Qt::LeftButton);
        ++actions;
        test::settle();
        auto* tabs = window.findChild<QTabBar*>("compareTabs");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        ++actions;
        test::settle();
        auto* field = window.findChild<FieldChooser*>("fieldX");
        field->lineEdit()->setFocus();
        field->lineEdit()->selectAll();
        QTest::keyClicks(field->lineEdit(), "Data parallel (dp)");
        ++actions;
        QTest::keyClick(field->lineEdit(), Qt::Key_Return);
        ++actions;
        test::settle();
        QVERIFY(actions <= 8);
        QStringList titles;
        for (int at = 0; at < 3; ++at) {
            auto* plot = window.findChild<FieldPlot*>(QStringLiteral("fieldChart%1").arg(at));
            QVERIFY(plot && plot->isVisible());
            QCOMPARE(plot->points().size(), 6U);
            titles << plot->accessibleName();
        }
        QVERIFY2(titles[0].contains("MFU") && titles[0].contains("(dp)"), qPrintable(titles[0]));
        QVERIFY2(titles[1].contains("emory"), qPrintable(titles[1]));
        QVERIFY2(titles[2].contains("ubble"), qPrintable(titles[2]));
        closeThreadStore();
    }
};
SLIPWAY_TEST(TstChartsFromRuns)
#include "tst_fields_view.moc"
