#include "app/gui/engine/jobs.h"
#include "app/gui/look/program_icon.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/field_plot.h"
#include "app/gui/widgets/memory_bar.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/read_out.h"
#include "app/gui/widgets/schedule_view.h"
#include "app/gui/widgets/share_bars.h"
#include "app/gui/widgets/strip_plot.h"
#include "app/gui/widgets/tables.h"
#include "app/gui/widgets/time_split.h"
#include "core/base/units.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <atomic>
#include <cmath>

using namespace slipway;
using namespace slipway::gui;

class TstWidgets : public QObject {
    Q_OBJECT

    static Curve curveOf(const QVector<double>& values) {
        Curve curve;
        curve.name = QStringLiteral("loss");
        curve.solid = true;
        for (int i = 0; i < values.size(); ++i) {
            curve.points.append(QPointF(i + 1, values[i]));
            if (!std::isfinite(values[i])) curve.nonFinite.append(i + 1);
        }
        return curve;
    }
    static std::vector<TimeSpan> spans() {
        std::vector<TimeSpan> out;
        for (int rank = 0; rank < 2; ++rank)
            for (int m = 0; m < 4; ++m) {
                out.push_back({rank, ActionKind::Forward, m, 0, m * 0.1 + rank * 0.1, m * 0.1 + rank * 0.1 + 0.08});
                out.push_back({rank, ActionKind::BackwardFull, m, 0, 1 + m * 0.2, 1 + m * 0.2 + 0.18});
                out.push_back({rank, ActionKind::SendForward, m, 0, 0, 0.01});
            }
        return out;
    }
    static int pixelsOf(const QImage& image, const QColor& colour) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) count += QColor(image.pixel(x, y)) == colour;
        return count;
    }

private slots:
    void initTestCase() { test::useLook(); }

    // Reasons that arrive while their page is hidden have their lines when it is shown.
    void countBarsGrowWhileHidden() {
        QScrollArea area;
        auto* bars = new CountBars(&area);
        area.setWidgetResizable(true);
        area.setWidget(bars);
        area.resize(300, 200);
        const auto share = [](const char* name) {
            CountShare out;
            out.name = name;
            out.count = 1;
            return out;
        };
        bars->setShares({share("a")});
        area.show();
        QCoreApplication::processEvents();
        area.hide();
        bars->setShares({share("a"), share("b"), share("c")});
        area.show();
        QCoreApplication::processEvents();
        QCOMPARE(bars->height(), bars->sizeHint().height());
    }
    // Points that hide each other are a shape as wide as they are many: few runs far from the others stay visible as few.
    void aCrowdOfPointsIsAShape() {
        FieldPlot plot;
        plot.resize(400, 300);
        std::vector<FieldPoint> points;
        for (int i = 0; i < 2400; ++i) {
            FieldPoint point;
            point.x = "1";
            point.xNumber = 1;
            point.y = i % 40 == 0 ? 0.9 + i / 24000.0 : 0.45 + i / 24000.0;
            point.id = QString::number(i);
            points.push_back(point);
        }
        plot.setPoints(std::move(points));
        plot.grab();
        QSignalSpy chosen(&plot, &FieldPlot::selected);
        const auto chosenIn = [&](double top, double bottom) {
            const QRectF area = plot.area();
            const auto at = [&](double x, double y) {
                return QPoint(static_cast<int>(area.left() + x * area.width()),
                              static_cast<int>(area.top() + y * area.height()));
            };
            QTest::mousePress(&plot, Qt::LeftButton, {}, at(0.02, top));
            QTest::mouseMove(&plot, at(0.2, (top + bottom) / 2));
            QTest::mouseMove(&plot, at(0.35, bottom));
            QTest::mouseRelease(&plot, Qt::LeftButton, {}, at(0.35, bottom));
            return chosen.takeLast()[0].toStringList().size();
        };
        QCOMPARE(chosenIn(0, 0.3), 0);  // the few at 0.9 to 1
        QVERIFY(chosenIn(0.4, 0.8) > 100);
    }
    void chartDrawsItsCurve() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.setCurves({curveOf({5, 4, 3, 2.5, 2.2})});
        chart.show();
        const QImage picture = chart.grab().toImage();
        QVERIFY(pixelsOf(picture, theme().series(0)) > 50);
        const QRectF range = chart.shownRange();
        QVERIFY(range.top() < 2.2 && range.bottom() > 5);
        QCOMPARE(range.left(), 1.0);
        QCOMPARE(range.right(), 5.0);
    }

    void nanBreaksTheLineAndIsMarked() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.show();
        chart.setCurves({curveOf({5, 4, std::nan(""), 3, 2})});
        QVERIFY(pixelsOf(chart.grab().toImage(), theme().bad) > 5);
        chart.setCurves({curveOf({5, 4, 3.5, 3, 2})});
        QCOMPARE(pixelsOf(chart.grab().toImage(), theme().bad), 0);
    }

    void logAxisCountsWhatItLeavesOut() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.setCurves({curveOf({100, 10, 0, -1, 1})});
        QCOMPARE(chart.numLeftOut(), 0);
        QTest::keyClick(&chart, Qt::Key_L);
        QVERIFY(chart.logY());
        QCOMPARE(chart.numLeftOut(), 2);
        QVERIFY(chart.shownRange().top() > 0);
    }

    void arrowsMoveThePointer() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.setCurves({curveOf({5, 4, 3, 2, 1})});
        QSignalSpy spy(&chart, &MetricChart::pointerMoved);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(*chart.pointer(), 1.0);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(*chart.pointer(), 2.0);
        QTest::keyClick(&chart, Qt::Key_End);
        QCOMPARE(*chart.pointer(), 5.0);
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(!chart.pointer());
        QCOMPARE(spy.count(), 4);
    }

    void zoomChangesTheRange() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.setCurves({curveOf({5, 4, 3, 2, 1})});
        chart.setZoom(QPair(2.0, 3.0));
        QCOMPARE(chart.shownRange().left(), 2.0);
        QVERIFY(chart.shownRange().bottom() < 4.5);
        QTest::keyClick(&chart, Qt::Key_0);
        QCOMPARE(chart.shownRange().right(), 5.0);
    }

    // The refresh of a page sets much of a chart that has not changed, and all of it at once.
    void aRefreshPaintsOnceAndOnlyChanges() {
        MetricChart chart;
        chart.resize(400, 240);
        chart.setCurves({curveOf({5, 4, 3})});
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        test::settle();
        struct Paints : QObject {
            int count = 0;
            bool eventFilter(QObject*, QEvent* event) override {
                count += event->type() == QEvent::Paint;
                return false;
            }
        } paints;
        chart.findChild<QAbstractScrollArea*>()->viewport()->installEventFilter(&paints);
        const auto refresh = [&](const QVector<double>& values, double limit) {
            paints.count = 0;
            chart.setCurves({curveOf(values)});
            chart.setMarks({2});
            chart.setReference(Reference{limit, limit, limit, true});
            chart.setWarmUp({});
            test::settle();
            return paints.count;
        };
        refresh({5, 4, 3}, 3);  // other labels beside the axis may move the plot, which takes another turn
        QCOMPARE(refresh({5, 4, 3, 2}, 3), 1);
        QCOMPARE(chart.shownRange().right(), 4.0);
        const QImage before = chart.grab().toImage();
        QCOMPARE(refresh({5, 4, 3, 2}, 3), 0);
        // Another number of lines: Qt Charts lays out the new ones in a turn of its own.
        for (const auto& values : {QVector<double>{5, 4, 3, 2, std::nan(""), 1}, QVector<double>{5, 4, 3, 2}}) {
            const int count = refresh(values, 3);
            QVERIFY2(count == 1 || count == 2, qPrintable(QString::number(count)));
        }
        QCOMPARE(chart.grab().toImage(), before);  // what was changed in place is what a new chart shows
        chart.hide();
        QCOMPARE(refresh({5, 4, 3, 2, 1}, 2), 0);
        chart.show();
        test::settle();
        QCOMPARE(chart.shownRange().right(), 5.0);
        MetricChart fresh;
        fresh.resize(400, 240);
        fresh.setCurves({curveOf({5, 4, 3, 2, 1})});
        fresh.setMarks({2});
        fresh.setReference(Reference{2, 2, 2, true});
        fresh.show();
        QCOMPARE(chart.grab().toImage(), fresh.grab().toImage());
    }

    void scheduleLeavesTransfersOutAndZooms() {
        ScheduleView view;
        view.resize(800, 120);
        view.setForecast(spans(), {0.05, 0.02}, 4);
        QCOMPARE(view.dataTable().rows.size(), 16);
        QVERIFY(view.windowText().isEmpty());
        QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(!view.windowText().isEmpty());
        QTest::keyClick(&view, Qt::Key_0);
        QVERIFY(view.windowText().isEmpty());
        QVERIFY(pixelsOf(view.grab().toImage(), theme().hue(Hue::Blue)) > 100);
        view.setMeasured(spans());
        QCOMPARE(view.dataTable().rows.size(), 32);
    }

    void memoryBeyondCapacityIsHatchedBad() {
        MemoryBar bar;
        bar.resize(500, 120);
        StageMemory stage;
        stage.numLayers = 4;
        stage.bytes.weightBytes = 4.0 * 1024 * 1024 * 1024;
        bar.setMemory({stage}, 0, 8.0 * 1024 * 1024 * 1024);
        const int before = pixelsOf(bar.grab().toImage(), theme().sunken);
        QCOMPARE(bar.unit(), QStringLiteral("GiB"));
        stage.bytes.activationBytes = 8.0 * 1024 * 1024 * 1024;
        bar.setMemory({stage}, 0, 8.0 * 1024 * 1024 * 1024);
        QVERIFY(pixelsOf(bar.grab().toImage(), theme().sunken) < before);
        QVERIFY(bar.summary().contains(QStringLiteral("12.0")));
    }

    void memoryShowsWhatARunMeasured() {
        MemoryBar bar;
        bar.resize(500, 120);
        MemoryBreakdown bytes;
        bytes.weightBytes = 4 * kGiB;
        const MemoryRow row{QStringLiteral("Baseline"), {}, bytes};
        bar.setRows(QStringLiteral("Plan"), {row}, 0, 8 * kGiB);
        QVERIFY(!bar.dataTable().headers.contains(QStringLiteral("Measured peak")));
        const int before = pixelsOf(bar.grab().toImage(), theme().text);
        bar.setRows(QStringLiteral("Plan"), {{row.title, {}, bytes, 6 * kGiB}}, 0, 8 * kGiB);
        QVERIFY(pixelsOf(bar.grab().toImage(), theme().text) > before + 20);
        QCOMPARE(bar.dataTable().headers.back(), QStringLiteral("Measured peak"));
        QCOMPARE(bar.dataTable().rows[0].back(), bytesText(6 * kGiB));
    }

    void paintedWidgetsSpeak() {
        TimeSplit split;
        split.setAccessibleName(QStringLiteral("Step time"));
        StepEstimate step;
        step.computeSeconds = 3;
        step.bubbleSeconds = 1;
        step.stepSeconds = 4;
        split.setStep(step);
        QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(&split);
        QVERIFY(spoken);
        QCOMPARE(spoken->role(), QAccessible::Graphic);
        QVERIFY(spoken->text(QAccessible::Description).contains(QStringLiteral("75.0")));
        QCOMPARE(split.dataTable().rows.size(), 2);
        StripPlot strip;
        strip.setValues({1, 2, std::nan("")}, {{QStringLiteral("A"), 2}}, QStringLiteral("x"),
                        [](double v) { return QString::number(v); });
        QVERIFY(strip.summary().contains(QStringLiteral("3 run")));
    }

    // Letters of close runs stand in lanes of their own, inside of the strip.
    void lettersOfAStripDoNotOverlap() {
        StripPlot strip;
        strip.resize(px(260), px(96));
        std::vector<StripPlot::Mark> marks;
        for (int i = 0; i < 8; ++i)
            marks.push_back({QString(QChar('A' + i)), i < 4 ? 100.0 - 0.1 * i : 20.0 * (i - 4)});
        strip.setValues({100, 50}, marks, QStringLiteral("x"), [](double v) { return QString::number(v); });
        const std::vector<QRectF> rects = strip.markRects();
        QCOMPARE(rects.size(), std::size_t{8});
        for (std::size_t i = 0; i < rects.size(); ++i) {
            QVERIFY(QRectF(strip.rect()).contains(rects[i]));
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!rects[i].intersects(rects[j]), qPrintable(QStringLiteral("%1 %2").arg(j).arg(i)));
        }
    }

    // A box beside the pointer stays inside the picture whatever its texts and wherever the pointer; what has no room is elided.
    void readOutsStayInside() {
        const QStringList names{QStringLiteral("step 120"), QString(200, QChar('w')),
                                QStringLiteral("loss   3.21   3.1 – 3.4")};
        for (const QSizeF size : {QSizeF(600, 300), QSizeF(150, 200), QSizeF(90, 40), QSizeF(600, 20)})
            for (const double x : {0.0, 0.4, 1.0})
                for (const double y : {0.0, 0.5, 1.0}) {
                    const QRectF bounds(QPointF(3, 5), size);
                    const QPointF at(bounds.left() + x * size.width(), bounds.top() + y * size.height());
                    const ReadOut out = placeReadOut(bounds, at, names);
                    QVERIFY2(bounds.contains(out.box),
                             qPrintable(QStringLiteral("%1 x %2").arg(size.width()).arg(size.height())));
                    for (qsizetype i = 0; i < out.lines.size(); ++i)
                        QVERIFY(QFontMetricsF(fontOf(kSideSize, i == 0)).horizontalAdvance(out.lines[i]) <=
                                out.box.width() - px(20) + 1);
                }
        QCOMPARE(placeReadOut(QRectF(0, 0, 2000, 400), {10, 10}, names).lines, names);
        QVERIFY(placeReadOut(QRectF(0, 0, 100, 100), {10, 10}, {}).lines.isEmpty());
    }

    void ticksOfBytesAreRound() {
        QCOMPARE(roundByteTicks(0, 2 * kGiB, 4), (QVector<double>{0, 0.5 * kGiB, kGiB, 1.5 * kGiB, 2 * kGiB}));
        QCOMPARE(roundByteTicks(0, 30 * kMiB, 3), (QVector<double>{0, 10 * kMiB, 20 * kMiB, 30 * kMiB}));
        FieldPlot plot;
        plot.setYFormat([](double v) { return bytesText(v); }, true);
        plot.setPoints({{QStringLiteral("1"), 1.0, 1.9 * kGiB, {}, QStringLiteral("a"), {}, 0}});
        plot.resize(300, 200);
        plot.grab();  // lays it out
        QVERIFY(plot.yTicks().size() > 2);
        for (const double tick : plot.yTicks())
            QVERIFY2(std::fabs(tick / kGiB * 10 - std::round(tick / kGiB * 10)) < 1e-9, qPrintable(bytesText(tick)));
    }

    void theProgramHasAnIcon() {
        const QIcon icon = programIcon();
        for (const int side : {16, 48, 256}) QVERIFY(icon.availableSizes().contains(QSize(side, side)));
        QVERIFY(test::numColours(icon.pixmap(64, 64).toImage()) > 4);
    }

    // A run that is marked is not a dot of the others beside.
    void aStripShowsEveryRunOnce() {
        StripPlot strip;
        strip.setValues({1, 2}, {{QStringLiteral("A"), 3.0}}, QStringLiteral("x"),
                        [](double v) { return QString::number(v); });
        QCOMPARE(strip.dataTable().rows.size(), 3);
        QVERIFY2(strip.summary().contains(QStringLiteral("3 run")), qPrintable(strip.summary()));
    }

    void whatIsNotKnownIsNotDrawn() {
        StepEstimate unknown;  // figures are NaN
        TimeSplit split;
        split.setStep(unknown);
        QVERIFY(split.dataTable().rows.isEmpty());
        QVERIFY2(!split.summary().contains(QStringLiteral("nan"), Qt::CaseInsensitive), qPrintable(split.summary()));
    }

    void noColumnVanishesUnsaid() {
        QStandardItemModel model(1, 4);
        model.setHorizontalHeaderLabels({"alpha", "beta", "gamma", "delta"});
        for (int i = 0; i < 4; ++i) model.setItem(0, i, new QStandardItem(QString(8, QChar('0' + i))));
        QTableView view;
        view.setModel(&model);
        prepareTable(&view);
        view.resize(1000, 200);
        keepColumnsFitted(&view, {2, 1});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto hidden = [&] { return view.horizontalHeader()->hiddenSectionCount(); };
        const auto button = [&] { return view.findChild<QPushButton*>(QStringLiteral("hiddenColumns")); };
        QTRY_COMPARE(hidden(), 0);
        QVERIFY(!button() || !button()->isVisible());
        view.resize(240, 200);
        QTRY_COMPARE(hidden(), 2);
        QVERIFY(button() && button()->isVisible());
        QCOMPARE(button()->text(), QStringLiteral("+2"));
        QVERIFY(button()->accessibleName().contains("gamma, beta"));
        int right = 0;  // no heading is below the button
        for (const int i : {0, 3}) right = std::max(right, view.columnViewportPosition(i) + view.columnWidth(i));
        QVERIFY(right <= button()->x());
        button()->click();
        QVERIFY(hidden() == 0 && !button()->isVisible());
        view.resize(250, 200);
        QCoreApplication::processEvents();
        QCOMPARE(hidden(), 0);
        view.resize(1000, 200);  // once they fit, the next time they do not is as the first
        QCoreApplication::processEvents();
        view.resize(240, 200);
        QTRY_COMPARE(hidden(), 2);
        QVERIFY(button()->isVisible());
    }
    void ticksAreRound() {
        QCOMPARE(roundTicks(0, 100, 5), (QVector<double>{0, 20, 40, 60, 80, 100}));
        QCOMPARE(roundTicks(1, 14, 5, true), (QVector<double>{2, 4, 6, 8, 10, 12, 14}));
        QCOMPARE(roundTicks(1, 3, 6, true), (QVector<double>{1, 2, 3}));
        QCOMPARE(roundTicks(5.5, 7.7, 4), (QVector<double>{5.5, 6, 6.5, 7, 7.5}));
        QVERIFY(!std::signbit(roundTicks(-1, 1, 2)[1]));
        QVERIFY(roundTicks(1, 1, 5).isEmpty());
        QCOMPARE(roundTicks(2.5, 2.5000000000000004, 5), (QVector<double>{2.5}));
        QVERIFY(roundTicks(std::nan(""), 1, 5).isEmpty());
    }

    void onlyTheNewestJobAnswers() {
        LatestJob job;
        QVector<int> answers;
        std::atomic<bool> release = false;
        job.start(
            [&release](std::stop_token) {
                while (!release) QThread::yieldCurrentThread();
                return 1;
            },
            [&](int v) { answers << v; });
        job.start([](std::stop_token) { return 2; }, [&](int v) { answers << v; });
        job.start([](std::stop_token) { return 3; }, [&](int v) { answers << v; });
        release = true;
        EVENTUALLY(!answers.isEmpty());
        test::settle();
        QCOMPARE(answers, QVector<int>{3});
    }

    void aJobOfSomebodyGoneIsDropped() {
        bool answered = false;
        {
            LatestJob job;
            job.start([](std::stop_token) { return 1; }, [&](int) { answered = true; });
        }
        test::settle();
        QVERIFY(!answered);
    }
};

SLIPWAY_TEST(TstWidgets)
#include "tst_widgets.moc"
