#include "app/gui/engine/live_refresh.h"
#include "app/gui/pages/board_view.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/curve_layer.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/metric_chooser.h"
#include "core/base/file.h"
#include "core/spec/metric_names.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableWidget>
#include <QTimer>
#include <QTreeWidget>
#include <algorithm>
#include <cmath>

using namespace slipway;
using namespace slipway::gui;

class TstBoardView : public test::SeededTest {
    Q_OBJECT

    std::unique_ptr<BoardView> shownView(const std::vector<RunId>& runs) {
        auto view = std::make_unique<BoardView>(*m_context, nullptr);
        view->resize(1240, 800);
        view->setRuns(runs);
        view->show();
        test::settle();
        return view;
    }
    static QTreeWidgetItem* metric(BoardView& view, const QString& name) {
        auto* tree = view.findChild<QTreeWidget*>("boardMetrics");
        for (int g = 0; g < tree->topLevelItemCount(); ++g)
            for (int i = 0; i < tree->topLevelItem(g)->childCount(); ++i)
                if (tree->topLevelItem(g)->child(i)->data(0, Qt::UserRole).toString() == name)
                    return tree->topLevelItem(g)->child(i);
        return nullptr;
    }
    static std::vector<Curve> manyCurves(int count, int numPoints) {
        std::vector<Curve> curves(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            for (int x = 0; x < numPoints; ++x)
                curves[static_cast<std::size_t>(i)].points.append(
                    {static_cast<double>(x), 2 + std::exp(-x / 100.0) + 0.001 * i});
        return curves;
    }

private slots:
    void initTestCase() {
        test::useLook();
        seed(9);
    }
    void cleanup() { test::settle(); }

    void metricsOfTheRunsAtOneAxis() {
        const auto view = shownView({m_ids[0], m_ids[1], m_ids[4]});
        QCOMPARE(view->charts().size(), 4U);  // loss, gradient norm, MFU, step time
        QCOMPARE(view->charts()[0]->curves().size(), 3U);
        QCOMPARE(view->charts()[0]->curves()[2].nonFinite.size(), 1);  // the run that failed
        QCOMPARE(view->charts()[3]->curves()[0].points.size(), 40);
        metric(*view, "memory_peak_bytes")->setCheckState(0, Qt::Checked);
        test::settle();
        QCOMPARE(view->charts().size(), 5U);
        QVERIFY(view->charts()[4]->accessibleName().contains("memory", Qt::CaseInsensitive));
    }
    // More than a hundred runs are read from their rows, without their documents, on several connections: the same names, layouts and
    // curves, in their order.
    void manyRunsAreReadFromTheirRows() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        NewRun import;
        import.id = RunId("import");
        import.given = {"train.seed"};
        import.life.status = RunStatus::Completed;
        QVERIFY(store->createRun(import, 1));
        NewRun pipeline;
        pipeline.id = RunId("pipeline");
        pipeline.config.parallel.pp = 2;
        pipeline.config.parallel.cp = 2;
        pipeline.config.parallel.zeroStage = 1;
        pipeline.config.parallel.schedule = ScheduleKind::ZbH1;
        pipeline.config.parallel.sequenceParallel = true;
        pipeline.config.train.microBatchSize = 3;
        QVERIFY(store->createRun(pipeline, 2));
        BoardRequest few;
        few.runs = m_ids;
        few.runs.push_back(import.id);
        few.runs.push_back(pipeline.id);
        few.board.metrics = {"loss", "tokens_per_second_per_device"};
        BoardRequest many = few;
        while (many.runs.size() <= 450) many.runs.insert(many.runs.end(), few.runs.begin(), few.runs.end());
        many.runs.push_back(RunId("nope"));
        const BoardData expected = loadBoard(*store, few, {}), found = loadBoard(*store, many, {});
        QCOMPARE(found.unreadable, QStringList{"nope"});
        QCOMPARE(found.runs.size(), many.runs.size() - 1);
        for (std::size_t i = 0; i < found.runs.size(); ++i) {
            const BoardRun &a = expected.runs[i % few.runs.size()], &b = found.runs[i];
            QCOMPARE(b.name, a.name);
            QCOMPARE(layoutText(b.source.config), layoutText(a.source.config));
            QCOMPARE(b.source.numDevices, a.source.numDevices);
        }
        for (std::size_t c = 0; c < expected.charts.size(); ++c) {
            const BoardChart &a = expected.charts[c], &b = found.charts[c];
            QVERIFY2(!a.curves.empty(), a.metric.c_str());
            QCOMPARE(b.curves.size(), a.curves.size() * (found.runs.size() / few.runs.size()));
            QVERIFY(std::is_sorted(b.runs.begin(), b.runs.end()));
            for (std::size_t i = 0; i < b.curves.size(); ++i) {
                QCOMPARE(static_cast<std::size_t>(b.runs[i]) % few.runs.size(),
                         static_cast<std::size_t>(a.runs[i % a.runs.size()]));
                const auto& wanted = a.curves[i % a.curves.size()].points;
                QVERIFY(std::ranges::equal(b.curves[i].points, wanted, [](const QPointF& p, const QPointF& q) {
                    return p.x() == q.x() && (p.y() == q.y() || (std::isnan(p.y()) && std::isnan(q.y())));
                }));
            }
        }
    }
    // A part of the axis is read again, finer: an outline has at most fifty buckets, however long the curve is.
    void aVisiblePartIsReadFiner() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        NewRun made;
        made.id = RunId("long");
        made.life.status = RunStatus::Completed;
        QVERIFY(store->createRun(made, 3));
        MetricBatch batch;
        for (std::int64_t step = 1; step <= 6000; ++step)
            batch.records.emplace_back(MetricStep{step, step, 1, {{"loss", step == 3123 ? 99.0 : 2.0 + (step % 7)}}});
        batch.toOffset = 1;
        QVERIFY(store->append(made.id, batch)->applied);
        BoardRequest request;
        request.board.metrics = {"loss"};
        while (request.runs.size() <= 100) request.runs.push_back(made.id);
        const BoardData whole = loadBoard(*store, request, {});
        const auto within = [](const Curve& curve, double from, double to) {
            return std::count_if(curve.points.begin(), curve.points.end(),
                                 [&](const QPointF& p) { return p.x() >= from && p.x() <= to; });
        };
        QVERIFY(within(whole.charts[0].curves[0], 3100, 3150) < 3);
        const auto part = loadBoardPart(*store, whole, request.board, {3100, 3150}, {});
        QCOMPARE(part.size(), 1U);
        QCOMPARE(part[0].curves.size(), whole.charts[0].curves.size());
        const Curve& fine = part[0].curves[0];
        QCOMPARE(within(fine, 3100, 3150), 51);
        QCOMPARE(within(fine, 0, 3070) + within(fine, 3180, 6000), 0);  // half the width on both sides
        QVERIFY(fine.points.contains(QPointF(3123, 99)));

        const auto view = shownView(request.runs);
        MetricChart& chart = *view->charts()[0];
        chart.setZoom(QPair(3100.0, 3150.0));
        emit chart.zoomed(QPair(3100.0, 3150.0));
        QTRY_VERIFY(within(chart.curves()[0], 3100, 3150) == 51);
        emit chart.zoomed({});
        QCOMPARE(chart.curves()[0].points, whole.charts[0].curves[0].points);
    }
    // A smoothed line depends on what is before its visible part, which is read again, too.
    void aVisiblePartIsSmoothedFromTheBeginning() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        NewRun made;
        made.id = RunId("fallen");
        made.life.status = RunStatus::Completed;
        QVERIFY(store->createRun(made, 3));
        MetricBatch batch;
        for (std::int64_t step = 1; step <= 6000; ++step)
            batch.records.emplace_back(MetricStep{step, step, 1, {{"loss", step < 3060 ? 100.0 : 2.0 + (step % 7)}}});
        batch.toOffset = 1;
        QVERIFY(store->append(made.id, batch)->applied);
        BoardRequest request;
        request.board.metrics = {"loss"};
        request.board.smoothing = 0.99;
        while (request.runs.size() <= 100) request.runs.push_back(made.id);
        const MetricSeries exact = smooth(*store->series(made.id, "loss"), 0.99);
        const auto part = loadBoardPart(*store, loadBoard(*store, request, {}), request.board, {3100, 3150}, {});
        int compared = 0;
        for (const QPointF& point : part[0].curves[0].points) {
            if (point.x() < 3100 || point.x() > 3150) continue;
            ++compared;
            QVERIFY(std::fabs(point.y() - exact.values[static_cast<std::size_t>(point.x()) - 1]) < 5);
        }
        QCOMPARE(compared, 51);

        const auto view = shownView(request.runs);
        view->findChild<QSlider*>("boardSmoothing")->setValue(99);
        test::settle();
        MetricChart& chart = *view->charts()[0];
        const qsizetype coarse = chart.curves()[0].points.size();
        emit chart.zoomed(QPair(3100.0, 3150.0));
        QTRY_VERIFY(chart.curves()[0].points.size() > coarse);
    }
    // Noise is a long way in pixels, which Qt Charts dashes for a second: it is painted as a picture instead.
    void longLinesAreALayer() {
        ChartState state;
        state.size = QSizeF(600, 300);
        state.plot = QRectF(40, 8, 500, 260);
        state.curves = manyCurves(4, 400);
        state.computeRange();
        QVERIFY(!isDense(state));
        for (Curve& curve : state.curves)
            for (qsizetype i = 0; i < curve.points.size(); ++i) curve.points[i].setY(i % 2);
        state.computeRange();
        QVERIFY(isDense(state));
        const QImage image = drawCurves(state, 1);
        QVERIFY(qAlpha(image.pixel(250, 130)) > 200);
    }
    // The next refresh waits for the answer of the last, and for so long that both take a small part of a core.
    void refreshesWaitForEachOther() {
        CpuCredit credit;
        QCOMPARE(credit.spend(100, 0), 500);
        QCOMPARE(credit.spend(400, 0), 8000);
        QCOMPARE(credit.spend(0, 8000), 500);
        QCOMPARE(credit.spend(100, 4000), 4000);
        QCOMPARE(credit.spend(0, 1e6), 500);
        QCOMPARE(credit.spend(400, 0), 500);  // no more than at the beginning
        QCOMPARE(credit.spend(1e6, 0), 60000);
        int begun = 0;
        LiveRefresh live(nullptr, [&] {
            ++begun;
            return true;
        });
        live.ask();
        QTRY_COMPARE(begun, 1);
        live.ask();
        live.ask();
        test::settle();
        QCOMPARE(begun, 1);
        live.answered(0);
        QTRY_COMPARE(begun, 2);
    }
    // Points of a run that goes on arrive without a change of the list of runs.
    void followsARunThatGoesOn() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        NewRun made;
        made.id = RunId("goes-on");
        made.life.status = RunStatus::Completed;
        QVERIFY(store->createRun(made, 4));
        std::uint64_t offset = 0;
        const auto add = [&](std::int64_t step) {
            MetricBatch batch;
            batch.fromOffset = offset;
            batch.toOffset = ++offset;
            batch.records.emplace_back(MetricStep{step, step, 1, {{"loss", 1.5}}});
            return store->append(made.id, batch)->applied;
        };
        QVERIFY(add(1) && add(2));
        const auto view = shownView({made.id, m_ids[1]});
        QCOMPARE(view->data().charts[0].curves[0].points.size(), 2);
        QVERIFY(add(3));
        emit m_context->engine.runAdvanced(m_ids[5], 3);
        test::settle();
        QCOMPARE(view->data().charts[0].curves[0].points.size(), 2);
        emit m_context->engine.runAdvanced(made.id, 3);
        QTRY_COMPARE(view->data().charts[0].curves[0].points.size(), 3);
    }
    void metricsNobodyRecordedAreGrey() {
        const auto view = shownView({m_ids[0], m_ids[1]});
        QCOMPARE(metric(*view, "eval_loss")->text(1), QString("none"));
        QCOMPARE(metric(*view, "eval_loss")->foreground(0).color(), theme().text3);
        QCOMPARE(metric(*view, "loss")->text(1), QString("all"));
        QCOMPARE(metric(*view, "loss")->foreground(0).color(), theme().text);
        for (const MetricName& known : kStepMetrics) QVERIFY2(metric(*view, qs(known.name)), known.name.data());
        for (const MetricName& known : kDerivedMetrics) QVERIFY2(metric(*view, qs(known.name)), known.name.data());
        view->findChild<QLineEdit*>("metricSearch")->setText("gradient");
        QVERIFY(metric(*view, "loss")->isHidden());
        QVERIFY(!metric(*view, "grad_norm")->isHidden());
    }
    void smoothingKeepsTheRawLine() {
        const auto view = shownView({m_ids[0]});
        const QVector<QPointF> raw = view->charts()[1]->curves()[0].points;
        view->findChild<QSlider*>("boardSmoothing")->setValue(86);
        test::settle();
        const auto& curves = view->charts()[1]->curves();
        QCOMPARE(curves.size(), 2U);
        QVERIFY(curves[0].faint && !curves[1].faint);
        QCOMPARE(curves[0].points, raw);
        QVERIFY(std::fabs(curves[1].points.back().y() - raw.back().y()) > 1e-6);
        QVERIFY(!view->charts()[1]->summary().contains("2 curves"));  // a raw line is no curve of its own
    }
    void pointerAndZoomAreShared() {
        const auto view = shownView({m_ids[0], m_ids[1]});
        QTest::keyClick(view->charts()[0], Qt::Key_Home);
        for (MetricChart* chart : view->charts()) QCOMPARE(*chart->pointer(), 1.0);
        auto* table = view->findChild<QTableWidget*>("boardReadOut");
        QCOMPARE(table->rowCount(), 2);
        const QString first = table->item(0, 1)->text();
        QTest::keyClick(view->charts()[0], Qt::Key_End);
        QVERIFY(table->item(0, 1)->text() != first);
        QVERIFY(table->item(1, 1)->text().contains(QChar(0x2212)) || table->item(1, 1)->text().contains('+'));
        // The table has the step of the tips, which is the nearest one.
        const auto valueAt = [&](double x) {
            emit view->charts()[0]->pointerMoved(x);
            return table->item(0, 1)->text();
        };
        QVERIFY(valueAt(4) != valueAt(5));
        QCOMPARE(valueAt(4.2), valueAt(4));
        QCOMPARE(valueAt(4.8), valueAt(5));
        QTest::keyClick(view->charts()[2], Qt::Key_Plus);
        for (MetricChart* chart : view->charts())
            QCOMPARE(chart->shownRange().width(), view->charts()[2]->shownRange().width());
        QVERIFY(view->charts()[0]->shownRange().width() < 39);
    }
    void supersededStepsAndEventsStay() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        QVERIFY(store);
        const RunId id = m_ids[8];
        MetricBatch batch;
        batch.fromOffset = 1000;
        batch.toOffset = 2000;
        batch.records.push_back(MetricHeader{1, id.value, 2, 30, 1, 1763730900000});
        for (int step = 31; step <= 35; ++step)
            batch.records.push_back(MetricStep{step, step * 100, 1763730900000 + step, {{"loss", 9.0}}});
        batch.records.push_back(MetricEvent{33, "loss_spike", "9.0 above 2.2", 1763730900000});
        const auto stored = store->append(id, batch);
        QVERIFY(stored && stored->applied);
        const auto view = shownView({id});
        const auto& curves = view->charts()[0]->curves();
        QCOMPARE(curves.size(), 2U);
        QVERIFY(curves[0].faint);
        QCOMPARE(curves[0].points.front().x(), 31.0);
        QCOMPARE(curves[0].points.back().x(), 40.0);
        QCOMPARE(curves[1].points.back().x(), 35.0);
        const QString events = view->findChild<QLabel*>("boardEventText")->text();
        QVERIFY2(events.contains("Loss spike") && events.contains("attempt 2"), qPrintable(events));
        view->findChild<QCheckBox*>("boardEvents")->setChecked(false);
        test::settle();
        QVERIFY(!view->findChild<QLabel*>("boardEventText")->isVisible());
    }
    void clippedPointsAreCounted() {
        MetricChart chart;
        chart.resize(500, 300);
        Curve curve;
        for (int x = 0; x < 100; ++x) curve.points.append({double(x), x == 50 ? 1e6 : 2.0 + 0.01 * x});
        chart.setCurves({curve});
        QVERIFY(chart.shownRange().bottom() > 1e6);
        chart.setClip(true);
        QCOMPARE(chart.numClipped(), 1);
        QVERIFY(chart.shownRange().bottom() < 10);
    }
    void boardsAreSavedByName() {
        const auto view = shownView({m_ids[0], m_ids[1]});
        view->findChild<QSlider*>("boardSmoothing")->setValue(50);
        metric(*view, "lr")->setCheckState(0, Qt::Checked);
        dialogAnswers().text = QStringLiteral("Loss and speed");
        view->findChild<QPushButton*>("saveBoard")->click();
        dialogAnswers() = {};
        QVERIFY(readFile(m_home.path / "boards" / "Loss and speed.json"));
        const auto other = shownView({});
        auto* names = other->findChild<QComboBox*>("boardName");
        const int at = names->findText("Loss and speed");
        QVERIFY(at > 0);
        names->setCurrentIndex(at);
        emit names->activated(at);
        test::settle();
        QCOMPARE(other->board(), view->board());
        QCOMPARE(other->charts().size(), 5U);
        QCOMPARE(other->data().runs.size(), 2U);  // a board without runs of its own takes the saved ones
        dialogAnswers().confirm = true;
        other->findChild<QPushButton*>("removeBoard")->click();
        dialogAnswers() = {};
        QVERIFY(savedBoards(m_home).empty());
    }
    void aDamagedBoardSaysSo() {
        std::filesystem::create_directories(m_home.path / "boards");
        QVERIFY(writeFileAtomically(m_home.path / "boards" / "bad.json", "{\"version\": 1, \"metrics\": 7}"));
        const auto read = readBoard(m_home, "bad");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad_board"));
        QVERIFY(removeBoard(m_home, "bad"));
        QCOMPARE(saveBoard(m_home, Board{}).error().code, std::string("bad_name"));
    }
    void allPointsAsCsv() {
        Board board;
        board.metrics = {"loss", "mfu"};
        const auto text = readStore(m_home, [&](RunStore& store) -> Result<std::string> {
            return boardCsv(store, {{m_ids[0]}, board}, {});
        });
        QVERIFY(text);
        const QString csv = QString::fromStdString(*text);
        QCOMPARE(csv.count(QStringLiteral(",loss,")), 40);
        QVERIFY(csv.startsWith("run_id,metric,step,value\n"));
    }
    // Above a hundred curves the chart draws them itself: the same axes, pointer and table, and no spike is lost.
    void manyCurvesAreALayerWithTheSameAxes() {
        MetricChart few, many;
        for (MetricChart* chart : {&few, &many}) chart->resize(600, 300);
        few.setCurves(manyCurves(100, 50));
        auto curves = manyCurves(101, 50);
        curves[3].points[20].setY(1000);
        many.setCurves(curves);
        QCOMPARE(many.shownRange().left(), few.shownRange().left());
        QCOMPARE(many.shownRange().width(), few.shownRange().width());
        QVERIFY(many.shownRange().bottom() > 1000);
        QCOMPARE(many.dataTable().rows.size(), 101 * 50);
        QVERIFY(test::numColours(many.grab().toImage()) > 8);

        ChartState state;
        state.curves = std::move(curves);
        state.size = QSizeF(600, 300);
        state.plot = QRectF(40, 8, 500, 260);
        state.computeRange();
        const QImage image = drawCurves(state, 1);
        QCOMPARE(image.size(), QSize(500, 260));
        int top = image.height();
        const int column = static_cast<int>(state.pixelX(20) - state.plot.left());
        for (int y = image.height() - 1; y >= 0; --y)
            if (qAlpha(image.pixel(column, y)) > 0) top = y;
        QVERIFY2(std::fabs(top - (state.pixelY(1000) - state.plot.top())) <= 2, qPrintable(QString::number(top)));
    }
    void chartsSavePictureAndData() {
        MetricChart chart;
        chart.setAccessibleName("Loss");
        chart.resize(400, 200);
        chart.setCurves(manyCurves(2, 10));
        const auto before = fileQuestion();
        const auto save = [&](const QString& file, const QString& entry) {
            fileQuestion() = [file](QWidget*, const QString&, const QString&) { return file; };
            QTimer::singleShot(0, this, [entry] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                QVERIFY(menu);
                for (QAction* action : menu->actions())
                    if (action->text() == entry) action->trigger();
                menu->close();
            });
            QContextMenuEvent event(QContextMenuEvent::Keyboard, {10, 10}, chart.mapToGlobal(QPoint(10, 10)));
            QApplication::sendEvent(&chart, &event);
        };
        chart.show();
        const QString png = m_dir.filePath("loss.png"), pdf = m_dir.filePath("loss.pdf"),
                      csv = m_dir.filePath("loss.csv");
        save(png, "Save picture…");
        save(pdf, "Save picture…");
        save(csv, "Save data…");
        fileQuestion() = before;
        QVERIFY(test::numColours(QImage(png)) > 3);
        const auto document = readFile(pdf.toStdString());
        QVERIFY(document && document->starts_with("%PDF"));
        const auto data = readFile(csv.toStdString());
        QVERIFY(data);
        QCOMPARE(std::count(data->begin(), data->end(), '\n'), 21);
    }
};
SLIPWAY_TEST(TstBoardView)
#include "tst_board_view.moc"
