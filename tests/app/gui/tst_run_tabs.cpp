// The tabs of a run beside its overview: ranks by step, and where the MFU went.
#include "app/gui/pages/board_view.h"
#include "app/gui/pages/mfu_view.h"
#include "app/gui/pages/ranks_view.h"
#include "app/gui/pages/run_page.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/log_view.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/rank_map_view.h"
#include "app/gui/widgets/span_timeline.h"
#include "app/gui/widgets/waterfall_view.h"
#include "core/base/file.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <cmath>

using namespace slipway;
using namespace slipway::gui;

namespace {

/// A second, of which 0.4 s are useful, with a forecast of 0.8 s.
StepAccount anAccount() {
    StepAccount account;
    account.stepSeconds = 1;
    account.forecastSeconds = 0.8;
    account.mfu = 0.4;
    account.forecastMfu = 0.5;
    account.mfuRule = "C";
    account.measured[TimePart::Useful] = account.forecast[TimePart::Useful] = 0.4;
    account.measured[TimePart::Kernels] = account.forecast[TimePart::Kernels] = 0.2;
    account.measured[TimePart::TensorParallel] = 0.3;
    account.forecast[TimePart::TensorParallel] = 0.2;
    account.measured[TimePart::Unexplained] = 0.1;
    account.forecast[TimePart::Unexplained] = 0;
    account.numSteps = 8;
    account.firstStep = 3;
    account.lastStep = 10;
    return account;
}

std::shared_ptr<RankMap> aMap(std::int64_t ranks, std::int64_t columns) {
    auto map = std::make_shared<RankMap>();
    map->numRanks = ranks;
    map->numColumns = columns;
    map->firstStep = 1;
    map->lastStep = columns;
    map->hasWaits = true;
    for (auto& values : map->values) values.assign(static_cast<std::size_t>(ranks * columns), 1.0);
    return map;
}

void setOwnTime(RankMap& map, std::int64_t rank, std::int64_t column, double value) {
    map.values[static_cast<std::size_t>(RankQuantity::OwnTime)]
              [static_cast<std::size_t>(rank * map.numColumns + column)] = value;
}

}  // namespace

class TstRunTabs : public test::SeededTest {
    Q_OBJECT

private slots:
    void initTestCase() {
        seed(6);
        const RunDir dir = *m_home.run(m_ids[0]);
        QVERIFY(makeFolders(dir.path / "ranks"));
        QVERIFY(makeFolders(dir.path / "logs"));
        std::string lines;
        for (int step = 1; step <= 40; ++step)
            lines += "{\"kind\":\"health\",\"step\":" + std::to_string(step) +
                     ",\"tensor_peak_bytes\":1048576,\"step_seconds\":0.2,\"wait_seconds\":0.05}\n";
        QVERIFY(writeFileAtomically(dir.rankStream(0), lines));
        QVERIFY(writeFileAtomically(dir.rankLog(0), "step 1\n"));
    }

    void waterfall() {
        WaterfallView view;
        view.resize(760, 240);
        QCOMPARE(view.rows().size(), std::size_t{0});
        view.setAccount(anAccount());
        view.show();
        QCOMPARE(view.summary(),
                 QString("A step takes 1.00\u202Fs, and its MFU is 40.0 %. The largest loss is Tensor-parallel "
                         "traffic, exposed: 30.0 % of the step. Unexplained: 10.0 %."));
        const DataTable table = view.dataTable();
        QCOMPARE(table.headers.size(), 6);
        QCOMPARE(table.rows.size(), 5);
        QCOMPARE(table.rows[2].mid(1),
                 QStringList({"\u221230.0", "300\u202Fms", "\u221225.0", "200\u202Fms", "+100\u202Fms"}));
        QCOMPARE(table.rows[4][1], QString("40.0"));
        QVERIFY(test::numColours(view.grab().toImage()) > 5);
        // The bar of the traffic hangs between that of the kernels and the rest: teal at its height, and nowhere else.
        const QImage image = view.grab().toImage();
        int left = image.width(), right = 0;
        for (int x = 0; x < image.width(); ++x)
            for (int y = 0; y < image.height(); ++y)
                if (image.pixelColor(x, y) == theme().hue(Hue::Teal)) {
                    left = std::min(left, x);
                    right = std::max(right, x);
                }
        int blueRight = 0, wholeLeft = image.width(), wholeRight = 0;
        for (int x = 0; x < image.width(); ++x)
            for (int y = 0; y < image.height(); ++y) {
                if (image.pixelColor(x, y) == theme().hue(Hue::Blue)) blueRight = std::max(blueRight, x);
                if (image.pixelColor(x, y) == theme().ramp(0.15)) {
                    wholeLeft = std::min(wholeLeft, x);
                    wholeRight = std::max(wholeRight, x);
                }
            }
        const double whole = wholeRight - wholeLeft;
        QVERIFY(whole > 50);
        QVERIFY(std::abs((right - left) / whole - 0.3) < 0.03);
        QVERIFY(std::abs((right - wholeLeft) / whole - 0.8) < 0.03);
        QCOMPARE(blueRight, wholeRight);
    }

    void waterfallByKeyboard() {
        WaterfallView view;
        view.resize(760, 240);
        view.setAccount(anAccount());
        view.show();
        QVERIFY(view.valueAtCursor().isEmpty());
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(view.valueAtCursor(),
                 QString("MFU (causal) reached: 40.0 %, 1.00\u202Fs, forecast 50.0 %, 800\u202Fms"));
        QTest::keyClick(&view, Qt::Key_Up);
        QVERIFY(view.valueAtCursor().startsWith("Unexplained"));
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(view.valueAtCursor().isEmpty());
        view.setAccount(StepAccount());
        QCOMPARE(view.summary(), QString("No step was measured."));
        QTest::keyClick(&view, Qt::Key_Down);
        QVERIFY(view.valueAtCursor().isEmpty());
        QVERIFY(!view.grab().isNull());
    }

    void rankMap() {
        auto map = aMap(16, 20);
        for (std::int64_t column = 10; column < 20; ++column) setOwnTime(*map, 5, column, 1.3);
        setOwnTime(*map, 2, 3, NAN);
        RankMapView view;
        view.resize(600, 240);
        view.setMap(map, 8);
        ParallelLayout layout;
        layout.dp = 16;
        const auto slow = stragglersOf(*map, layout);
        QCOMPARE(slow.size(), std::size_t{1});
        view.setStragglers(slow);
        view.show();
        QCOMPARE(view.ranksPerRow(), std::int64_t{1});
        QCOMPARE(view.summary(), QString("Rank 5 is 30.0\u202F% slower than the median of its stage."));
        const QImage image = view.grab().toImage();
        int orange = 0;
        for (int x = 0; x < image.width(); ++x)
            for (int y = 0; y < image.height(); ++y) orange += image.pixelColor(x, y) == theme().hue(Hue::Orange);
        QVERIFY(orange > 200);
        // From the newest step of the first rank to the slow one.
        QTest::keyClick(&view, Qt::Key_End);
        for (int i = 0; i < 5; ++i) QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.valueAtCursor(), QString("node 0, rank 5, step 20: 1.30\u202Fs, +30\u202F% from the median"));
        QSignalSpy clicked(&view, &RankMapView::rankClicked);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked[0][0].toInt(), 5);
        for (int i = 0; i < 3; ++i) QTest::keyClick(&view, Qt::Key_Up);
        QTest::keyClick(&view, Qt::Key_Home);
        for (int i = 0; i < 3; ++i) QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.valueAtCursor(), QString("node 0, rank 2, step 4: no record"));
        QCOMPARE(view.dataTable().rows.size(), 320);
    }

    // More ranks than rows: a row shows its rank furthest from the median.
    void thousandRanks() {
        auto map = aMap(1000, 64);
        for (std::int64_t column = 0; column < 64; ++column) setOwnTime(*map, 777, column, 1.5);
        RankMapView view;
        view.resize(600, 240);
        view.setMap(map, 8);
        view.show();
        QVERIFY(view.ranksPerRow() > 1);
        const QImage image = view.grab().toImage();
        int orange = 0;
        for (int x = 0; x < image.width(); ++x)
            for (int y = 0; y < image.height(); ++y) orange += image.pixelColor(x, y) == theme().hue(Hue::Orange);
        QVERIFY(orange > 200);
        const std::int64_t row = 777 / view.ranksPerRow();
        QTest::keyClick(&view, Qt::Key_End);
        for (std::int64_t i = 0; i < row; ++i) QTest::keyClick(&view, Qt::Key_Down);
        QVERIFY2(view.valueAtCursor().startsWith("node 97, rank 777, step 64"), qPrintable(view.valueAtCursor()));
    }

    static TimelineRow aRow(std::int64_t rank, double busy) {
        TimelineRow row{rank / 2, rank == 3, {rank, 120, {}, {}}};
        row.spans.spans = {{"data_wait", 0, 0, 0, 1},
                           {"forward", 4, 0, 1, 1 + busy / 2},
                           {"backward_weight", 4, 0, 5, 5 + busy / 2},
                           {"recv_forward", 5, 0, 8, 9},
                           {"optimizer", 0, 0, 9, 10}};
        row.spans.collectives = {{"all_reduce", "tp", 2, 3}, {"reduce_scatter", "dp", 8.5, 10}};
        return row;
    }
    void spansOfRanks() {
        SpanTimeline view;
        view.resize(900, 200);
        view.setRows({aRow(0, 4), aRow(3, 6)});
        view.show();
        QVERIFY(test::numColours(view.grab().toImage()) > 8);
        QCOMPARE(view.busyShare(0), 0.5);  // 4 s of passes, 1 s of the optimizer, of 10 s
        QCOMPARE(view.busyShare(1), 0.7);
        QCOMPARE(view.collectiveShare(0), 0.25);
        QVERIFY2(view.summary().contains("rank 3 has the shortest wait, 30"), qPrintable(view.summary()));
        QVERIFY(view.windowText().isEmpty());
        // Zoom at the middle: shares are those of the part that is shown.
        QSignalSpy moved(&view, &SpanTimeline::windowChanged);
        for (int i = 0; i < 4; ++i) QTest::keyClick(&view, Qt::Key_Plus);
        QVERIFY(moved.size() == 4 && !view.windowText().isEmpty());
        const double before = view.busyShare(0);
        for (int i = 0; i < 30; ++i) QTest::keyClick(&view, Qt::Key_Right);
        QVERIFY(view.busyShare(0) != before);
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.busyShare(0), 0.5);
        // Every span can be reached and read.
        view.grab();
        QSet<QString> read;
        for (int i = 0; i < 14; ++i) {
            QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
            read << view.valueAtCursor();
        }
        QCOMPARE(read.size(), 14);
        QCOMPARE(view.dataTable().rows.size(), 14);
    }

    void tabsOfARun() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[0]);
        EVENTUALLY(controller.view() != nullptr);
        test::settle();
        auto* tabs = page.findChild<QTabBar*>("runTabs");
        auto* mfu = page.findChild<MfuView*>();
        QVERIFY(!mfu->account());  // nothing is read for a tab that nobody looks at
        tabs->setCurrentIndex(2);
        EVENTUALLY(mfu->account().has_value());
        auto* waterfall = page.findChild<WaterfallView*>("waterfall");
        QVERIFY(waterfall->isVisible() && !waterfall->rows().empty());
        // The seeded run has step times and nothing of their parts.
        QVERIFY(page.findChild<QLabel*>("mfuNotes")->text().contains("does not record its passes"));
        tabs->setCurrentIndex(3);
        auto* board = page.findChild<BoardView*>();
        EVENTUALLY(board->data().runs.size() == 1);
        QCOMPARE(board->data().runs[0].source.record.id, m_ids[0]);
        tabs->setCurrentIndex(1);
        auto* picture = page.findChild<RankMapView*>("rankMap");
        EVENTUALLY(picture->isVisible());
        auto* quantity = page.findChild<QComboBox*>("mapQuantity");
        quantity->setCurrentIndex(2);
        QCOMPARE(picture->quantity(), RankQuantity::Wait);
        QCOMPARE(page.findChild<IssueList*>("stragglers")->texts().size(), 1);
        emit picture->rankClicked(0);
        QCOMPARE(tabs->currentIndex(), 0);
        QCOMPARE(page.findChild<QComboBox*>("logRank")->currentIndex(), 1);
        // Another run without streams of ranks.
        tabs->setCurrentIndex(1);
        controller.open(m_ids[1]);
        auto* ranks = page.findChild<RanksView*>();
        EVENTUALLY(ranks->findChild<StatePanel*>()->headline() == QString("No rank has written a record."));
    }
};

SLIPWAY_TEST(TstRunTabs)
#include "tst_run_tabs.moc"
