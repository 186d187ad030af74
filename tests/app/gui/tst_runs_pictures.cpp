#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/field_axes.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/runs_pictures.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/parallel_plot.h"
#include "app/gui/widgets/pareto_plot.h"
#include "app/gui/widgets/plot_frame.h"
#include "core/base/json.h"
#include "core/store/run_filter.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTimer>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <set>

using namespace slipway;
using namespace slipway::gui;

class TstRunsPictures : public test::SeededTest {
    Q_OBJECT

    std::unique_ptr<FieldsView> shownView() {
        auto view = std::make_unique<FieldsView>(*m_context, nullptr);
        view->resize(1400, 860);
        view->setRuns({});
        view->show();
        test::settle();
        return view;
    }
    static void choose(FieldsView& view, const char* name, int index) {
        auto* box = view.findChild<QComboBox*>(name);
        box->setCurrentIndex(index);
        emit box->activated(index);
        test::settle();
    }
    static int axisOf(const ParallelPlot& plot, const QString& name) {
        for (int axis = 0; axis < plot.numAxes(); ++axis)
            if (plot.axisName(axis) == name) return axis;
        return -1;
    }
    static QString selection(const FieldsView& view) { return view.findChild<QLabel*>("fieldSelection")->text(); }

private slots:
    void initTestCase() {
        test::useLook();
        seed(9);
    }
    void cleanup() { test::settle(); }

    void everyRunIsALineBestFirst() {
        const auto view = shownView();
        auto* plot = view->findChild<ParallelPlot*>("runAxes");
        const DataTable table = plot->dataTable();
        QCOMPARE(table.rows.size(), 9);
        QVERIFY(table.headers.contains("dp") && table.headers.contains("tp"));
        QCOMPARE(table.headers.back(), columnTitle("mfu"));
        QCOMPARE(table.rows.front().back(), figureText("mfu", 0.42));
        QCOMPARE(table.rows.back().front(), nameOfFailed());
        QVERIFY(axisOf(*plot, "tp") >= 0);
        // What is the same everywhere has no axis, and its value is told.
        QVERIFY(axisOf(*plot, "ep") < 0);
        QVERIFY2(plot->axesText().contains("ep 1"), qPrintable(plot->axesText()));
    }
    void aRangeSelectsEverywhere() {
        const auto view = shownView();
        auto* plot = view->findChild<ParallelPlot*>("runAxes");
        const int tp = axisOf(*plot, "tp");
        plot->setBrush(tp, std::pair(plot->shareOf(tp, 1) - 0.01, plot->shareOf(tp, 1) + 0.01));  // tp 2
        const auto passing = plot->passing();
        const auto wanted = std::count(passing.begin(), passing.end(), true);
        QCOMPARE(wanted, 3);
        QVERIFY2(selection(*view).contains("3 of 9"), qPrintable(selection(*view)));
        // A live refresh keeps the range.
        view->reload();
        test::settle();
        QVERIFY(plot->hasBrush());
        QVERIFY2(selection(*view).contains("3 of 9"), qPrintable(selection(*view)));
        // A selection made elsewhere replaces it.
        auto* front = view->findChild<ParetoPlot*>("runFront");
        emit front->chosen(static_cast<int>(front->front().back()));
        QVERIFY(!plot->hasBrush());
        QVERIFY2(selection(*view).contains("1 of 9"), qPrintable(selection(*view)));
    }
    // A saved view has the ranges, by their values: they come back in another window, over other runs too.
    void savedViewsKeepRanges() {
        const auto view = shownView();
        auto* plot = view->findChild<ParallelPlot*>("runAxes");
        const int tp = axisOf(*plot, "tp"), mfu = axisOf(*plot, columnTitle("mfu"));
        plot->setBrush(tp, std::pair(0.0, plot->shareOf(tp, 1) + 0.01));  // tp 1 and 2
        plot->setBrush(mfu, std::pair(0.25, 0.75));
        const auto passing = plot->passing();
        const ViewCharts charts = view->charts();
        QCOMPARE(charts.ranges.size(), 2U);
        QCOMPARE(charts.ranges[0].field, std::string("parallel.tp"));
        QCOMPARE(charts.ranges[0].values, (std::vector<std::string>{"1", "2"}));
        QCOMPARE(charts.ranges[1].field, std::string("mfu"));
        const auto other = shownView();
        other->setCharts(charts, QString());
        QVERIFY(other->charts() == charts);
        test::settle();
        QCOMPARE(other->findChild<ParallelPlot*>("runAxes")->passing(), passing);
        const ViewCharts again = other->charts();
        QCOMPARE(again.ranges.size(), 2U);
        QVERIFY(again.ranges[0] == charts.ranges[0]);
        QVERIFY(std::fabs(*again.ranges[1].low - *charts.ranges[1].low) < 1e-9);
        ViewCharts none = charts;
        none.ranges.clear();
        other->setCharts(none, QString());
        test::settle();
        QVERIFY(!other->findChild<ParallelPlot*>("runAxes")->hasBrush());
    }
    void rangesOpenInTheListAsAFilter() {
        const auto view = shownView();
        auto* plot = view->findChild<ParallelPlot*>("runAxes");
        QSignalSpy wanted(view.get(), &FieldsView::runsWanted);
        auto* open = view->findChild<QPushButton*>("openInRuns");
        QVERIFY(!open->isEnabled());
        const int tp = axisOf(*plot, "tp"), mfu = axisOf(*plot, columnTitle("mfu"));
        plot->setBrush(tp, std::pair(0.0, plot->shareOf(tp, 1) + 0.01));  // tp 1 and 2
        plot->setBrush(mfu, std::pair(0.5, 1.0));
        const auto passing = plot->passing();
        open->click();
        QCOMPARE(wanted.size(), 1);
        const std::string filter = wanted[0][0].toString().toStdString();
        QVERIFY2(filter.starts_with("parallel.tp:1,2 measured.mfu>=0."), filter.c_str());
        RunQuery query;
        query.filter = filter;
        auto store = RunStore::open(m_home, OpenMode::ReadOnly);
        const auto found = store->list(query);
        QVERIFY2(found, found ? "" : found.error().message.c_str());
        QCOMPARE(static_cast<std::ptrdiff_t>(found->size()), std::count(passing.begin(), passing.end(), true));
        QVERIFY(!found->empty());
        // A range that takes what failed has no such filter: the runs themselves are named.
        plot->setBrush(mfu, std::pair(ParallelPlot::kFailedShare - 0.01, 0.2));
        open->click();
        QVERIFY(wanted[1][0].toString().startsWith("id:"));
    }
    void whatFailedHasASlot() {
        ParallelPlot plot;
        plot.resize(500, 240);
        plot.setAxes({{"tp", {0, 1, 1, NAN}, {"1", "2"}}, {"MFU", {0.4, NAN, NAN, 0.2}, {}}}, {"a", "b", "c", "d"},
                     {false, true, false, false});
        plot.grab();
        plot.setBrush(1, std::pair(-0.2, 0.0));
        QCOMPARE(plot.passing(), (std::vector<bool>{false, true, false, false}));  // c is unknown, not failed
        QVERIFY(plot.limits()[0].takesFailed);
        plot.setBrush(1, std::pair(0.0, 1.0));
        QCOMPARE(plot.passing(), (std::vector<bool>{true, false, false, true}));
        const auto limit = plot.limits()[0];
        QVERIFY(limit.isScale && limit.low <= 0.2 && limit.high >= 0.4 && !limit.takesFailed);
    }
    // A field that no run records is no figure: its axis has no slot for what failed.
    void aFieldWithoutValuesIsNoFigure() {
        FieldsData data;
        for (const RunStatus status : {RunStatus::Completed, RunStatus::Failed}) {
            data.rows.emplace_back();
            data.rows.back().record.status = status;
            data.rows.back().cells = {CellValue()};
        }
        const auto axes = runAxes(data, {{"parallel.schedule", 0}}, {"mfu"});
        const auto schedule = std::find_if(axes.begin(), axes.end(), [](const ParallelAxis& axis) {
            return axis.name == fieldLabel("parallel.schedule");
        });
        QVERIFY(schedule != axes.end());
        QCOMPARE(schedule->steps, QStringList{notApplicableText()});
    }

    void theChosenLinePassesBehindTheWords() {
        ParallelPlot plot;
        plot.resize(500, 240);
        plot.setAxes({{"recompute", {1, 0}, {"no layers at all", "selective layers"}}, {"MFU", {0.4, 0.2}, {}}},
                     {"a", "b"}, {});
        plot.setSelected(0);
        const QImage image = plot.grab().toImage();
        const QRgb ink = theme().accent.rgb();
        QPoint first(-1, -1);  // of the chosen line, at its axis
        for (int x = 0; x < image.width() && first.x() < 0; ++x)
            for (int y = 0; y < image.height() && first.x() < 0; ++y)
                if (image.pixel(x, y) == ink && image.pixel(x + 1, y) == ink) first = {x, y};
        QVERIFY(first.x() >= 0);
        int bare = 0;  // pixels of the line right of the axis, where the label is
        for (int x = first.x() + 8; x < first.x() + 40; ++x)
            for (int y = 0; y < image.height(); ++y) bare += image.pixel(x, y) == ink ? 1 : 0;
        QCOMPARE(bare, 0);
    }
    // A share that all runs have in common is not drawn on an axis from -50 to 50 %.
    void anAxisOfOneValueHasPossibleEnds() {
        ParallelPlot plot;
        plot.resize(500, 240);
        plot.setAxes({{"bubble", {0, 0}, {}}, {"MFU", {0.25, 0.25}, {}}}, {"a", "b"}, {false, false});
        plot.grab();
        for (const int axis : {0, 1}) plot.setBrush(axis, std::pair(0.0, 1.0));
        const auto limits = plot.limits();
        QVERIFY(limits[0].low > -0.1 && limits[0].high >= 1);
        QVERIFY(limits[1].low > 0.2 && limits[1].high < 0.3);
    }
    void wordsOfAFilterAreQuoted() {
        FieldsData data;
        for (const char* text : {"plain", "with \"quotes\" and \\"})
            data.rows.push_back({RunRecord{}, {CellValue(std::string(text))}});
        const auto filter = rangesAsFilter({{0, false, {1}, 0, 0, false}}, data, {{"name", 0}}, {"mfu"});
        QVERIFY(filter.has_value());
        const auto parsed = parseRunFilter(*filter);
        QVERIFY2(parsed.has_value(), filter->c_str());
        QCOMPARE(parsed->root.children[0].values, (std::vector<std::string>{"with \"quotes\" and \\"}));
    }
    void theFrontIsThatOfBruteForce_data() {
        QTest::addColumn<bool>("moreX");
        QTest::addColumn<bool>("moreY");
        for (const bool x : {false, true})
            for (const bool y : {false, true}) QTest::addRow("more x %d, more y %d", x, y) << x << y;
    }
    void theFrontIsThatOfBruteForce() {
        QFETCH(bool, moreX);
        QFETCH(bool, moreY);
        QRandomGenerator chance(17);
        std::vector<ParetoPoint> points;
        while (points.size() < 300) {
            const double x = chance.bounded(40), y = chance.bounded(40);
            if (std::abs(x - 19.5) + std::abs(y - 19.5) > 28) continue;  // without corners: no point beats all others
            points.push_back({x, points.size() % 20 == 0 ? NAN : y, false, {}});
        }
        ParetoPlot plot;
        plot.resize(300, 200);
        plot.setBetter(moreX, moreY);
        plot.setPoints(points);
        const auto beats = [&](double a, double b, bool more) { return more ? a > b : a < b; };
        std::set<std::pair<double, double>> wanted, found;
        for (const ParetoPoint& p : points) {
            if (std::isnan(p.y)) continue;
            const bool beaten = std::any_of(points.begin(), points.end(), [&](const ParetoPoint& q) {
                return !std::isnan(q.y) && !beats(p.x, q.x, moreX) && !beats(p.y, q.y, moreY) &&
                       (q.x != p.x || q.y != p.y);
            });
            if (!beaten) wanted.emplace(p.x, p.y);
        }
        for (const std::size_t i : plot.front()) found.emplace(points[i].x, points[i].y);
        QCOMPARE(found, wanted);
        // From the worst x to the best, and the arrow to the right goes right.
        for (std::size_t i = 1; i < plot.front().size(); ++i)
            QVERIFY(beats(points[plot.front()[i]].x, points[plot.front()[i - 1]].x, moreX));
        QTest::keyClick(&plot, Qt::Key_Home);
        const double left = points[static_cast<std::size_t>(plot.selected())].x;
        QTest::keyClick(&plot, Qt::Key_Right);
        QVERIFY(points[static_cast<std::size_t>(plot.selected())].x > left);
    }
    void theFrontCanBeSelected() {
        const auto view = shownView();
        choose(*view, "runPicture", 1);
        auto* front = view->findChild<ParetoPlot*>("runFront");
        QVERIFY(!front->front().empty());
        view->findChild<QPushButton*>("selectFront")->click();
        QVERIFY2(selection(*view).contains(QStringLiteral("%1 of 9").arg(front->front().size())),
                 qPrintable(selection(*view)));
        QVERIFY(!front->summary().contains("layout"));
    }
    void anyFieldBecomesAnAxis() {
        const auto view = shownView();
        auto* plot = view->findChild<ParallelPlot*>("runAxes");
        QVERIFY(!plot->dataTable().headers.contains(axisName("optimizer.lr")));
        auto* pictures = view->findChild<RunsPictures*>();
        QSignalSpy changed(pictures, &RunsPictures::fieldsChanged);
        emit view->findChild<FieldChooser*>("addAxisField")->chosen("optimizer.lr");
        test::settle();
        QCOMPARE(changed.size(), 1);
        QVERIFY(plot->dataTable().headers.contains(axisName("optimizer.lr")));
    }
    void everyMfuByOneConvention() {
        const auto view = shownView();
        const double before = *view->data().rows[0].record.measured.mfu;
        choose(*view, "fieldRule", 1 + static_cast<int>(FlopsRule::A));
        const RunRecord& run = view->data().rows[0].record;
        const auto config =
            parseRunConfig(*parseJson(RunStore::open(m_home, OpenMode::ReadOnly)->run(run.id)->configJson, "c"), "c");
        QVERIFY(config);
        const auto flops = [&](FlopsRule rule) {
            return modelFlopsPerToken(config->model, config->train.seqLen, rule);
        };
        QCOMPARE(*run.measured.mfu, before * flops(FlopsRule::A) / flops(FlopsRule::C));
        QCOMPARE(run.measured.mfuRule, std::string("A"));
        QVERIFY(*run.measured.mfu > before);  // full attention counts more than causal
        choose(*view, "fieldRule", 0);
        QCOMPARE(*view->data().rows[0].record.measured.mfu, before);
    }
    void anMfuOfUnknownConventionIsLeftOut() {
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            RunChange change;
            change.measured = store->run(m_ids[0])->measured;
            change.measured->mfuRule.clear();
            QVERIFY(store->updateRun(m_ids[0], change));
        }
        const auto view = shownView();
        QCOMPARE(view->data().numNotRescored, 0);
        choose(*view, "fieldRule", 1 + static_cast<int>(FlopsRule::B));
        QCOMPARE(view->data().numNotRescored, 1);
        for (const RunRow& row : view->data().rows)
            if (row.record.id == m_ids[0]) QVERIFY(!row.record.measured.mfu);
        QVERIFY(view->findChild<QLabel*>("fieldCounts")->text().contains("1 without an MFU of this convention"));
    }

private:
    QString nameOfFailed() { return qs(RunStore::open(m_home, OpenMode::ReadOnly)->run(m_ids[4])->name); }
};
SLIPWAY_TEST(TstRunsPictures)

// Pictures saved as SVG: well-formed, with their words as text, nothing drawn beyond the edge.
class TstSvg : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    QString saved(QWidget& widget, std::function<void(QPainter&)> paint) {
        const QString file = m_dir.filePath("picture.svg");
        const auto before = fileQuestion();
        fileQuestion() = [file](QWidget*, const QString&, const QString&) { return file; };
        QMenu menu;
        addSaveActions(menu, &widget, std::move(paint), [] { return DataTable(); });
        menu.actions().front()->trigger();
        fileQuestion() = before;
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
    }

private slots:
    void initTestCase() { test::useLook(); }

    void aZoomedChartStaysInItsPlot() {
        MetricChart chart;
        chart.setAccessibleName("Loss & more");
        chart.resize(400, 240);
        Curve curve;
        curve.name = "loss";
        for (int i = 0; i < 200; ++i) {
            curve.points << QPointF(i, i % 50 == 7 ? NAN : std::sin(i * 0.1) * 3);
            curve.low << QPointF(i, -4);
            curve.high << QPointF(i, 4);
        }
        chart.setCurves({curve});
        chart.setZoom(QPair(60.0, 90.0));
        chart.grab();
        const QString file = m_dir.filePath("loss.svg");
        const auto before = fileQuestion();
        fileQuestion() = [file](QWidget*, const QString&, const QString&) { return file; };
        chart.show();
        QTimer::singleShot(0, this, [] {
            auto* open = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(open);
            for (QAction* action : open->actions())
                if (action->text() == "Save picture…") action->trigger();
            open->close();
        });
        QContextMenuEvent event(QContextMenuEvent::Keyboard, {10, 10}, chart.mapToGlobal(QPoint(10, 10)));
        QApplication::sendEvent(&chart, &event);
        fileQuestion() = before;
        QFile in(file);
        QVERIFY(in.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(in.readAll());
        int numLines = 0;
        bool hasTitle = false;
        while (!xml.atEnd()) {
            xml.readNext();
            if (!xml.isStartElement()) continue;
            if (xml.name() == QLatin1String("title")) hasTitle = xml.readElementText() == "Loss & more";
            const QString numbers =
                xml.attributes().value("points").toString() + xml.attributes().value("d").toString();
            if (numbers.isEmpty()) continue;
            ++numLines;
            static const QRegularExpression pair(QStringLiteral("(-?[0-9.]+),(-?[0-9.]+)"));
            for (auto match = pair.globalMatch(numbers); match.hasNext();) {
                const auto at = match.next();
                const double x = at.captured(1).toDouble(), y = at.captured(2).toDouble();
                QVERIFY2(x >= -1 && x <= 401 && y >= -1 && y <= 241, qPrintable(at.captured(0)));
            }
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(hasTitle);
        QVERIFY(numLines >= 2);  // the band, the curve
    }
    void hatchesStayInTheirArea() {
        QWidget widget;
        widget.resize(100, 60);
        const QString text = saved(widget, [](QPainter& painter) { fillHatch(painter, QRectF(20, 10, 40, 30)); });
        QXmlStreamReader xml(text);
        int numLines = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            if (!xml.isStartElement() || xml.name() != QLatin1String("polyline")) continue;
            ++numLines;
            const QString points = xml.attributes().value("points").toString();
            static const QRegularExpression pair(QStringLiteral("(-?[0-9.]+),(-?[0-9.]+)"));
            for (auto match = pair.globalMatch(points); match.hasNext();) {
                const auto at = match.next();
                QVERIFY2(QRectF(19.9, 9.9, 40.2, 30.2).contains(at.captured(1).toDouble(), at.captured(2).toDouble()),
                         qPrintable(points));
            }
        }
        QVERIFY(numLines > 5);
    }
    void linesAreCutAtTheEdges() {
        const QRectF area(0, 0, 10, 10);
        QCOMPARE(insideOf(area, QPolygonF{{1, 1}, {9, 9}}), (QVector<QPolygonF>{QPolygonF{{1, 1}, {9, 9}}}));
        QCOMPARE(insideOf(area, QPolygonF{{-5, 5}, {15, 5}}), (QVector<QPolygonF>{QPolygonF{{0, 5}, {10, 5}}}));
        QCOMPARE(insideOf(area, QPolygonF{{5, 5}, {5, 15}, {7, 15}, {7, 5}}),
                 (QVector<QPolygonF>{QPolygonF{{5, 5}, {5, 10}}, QPolygonF{{7, 10}, {7, 5}}}));
        QCOMPARE(insideOf(area, QPolygonF{{-5, -5}, {-1, 20}}), QVector<QPolygonF>{});
        QCOMPARE(insideOf(area, QPolygonF{{2, 2}, {4, 4}, {6, 2}}),
                 (QVector<QPolygonF>{QPolygonF{{2, 2}, {4, 4}, {6, 2}}}));
    }
};
SLIPWAY_TEST(TstSvg)
#include "tst_runs_pictures.moc"
