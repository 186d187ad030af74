#include "app/gui/engine/store_access.h"
#include "app/gui/models/differences_model.h"
#include "app/gui/pages/compare_page.h"
#include "app/gui/pages/run_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_plot.h"
#include "core/spec/metric_line.h"
#include "core/store/reindex.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <cmath>

using namespace slipway;
using namespace slipway::gui;

class TstComparePage : public test::SeededTest {
    Q_OBJECT

    static CompareRequest request(std::vector<RunId> runs, bool groupSeeds = true, CurveX x = CurveX::Step) {
        CompareRequest out;
        out.runs = std::move(runs);
        out.groupSeeds = groupSeeds;
        out.x = x;
        return out;
    }
    static void load(CompareController& controller) {
        QSignalSpy spy(&controller, &CompareController::changed);
        QVERIFY(spy.wait(test::kPatienceMilliseconds));
    }

private slots:
    void initTestCase() { seed(9); }
    void curvesAndDeltasAgainstTheBaseline() {
        const CompareData data = loadCompare(m_home, request({m_ids[0], m_ids[1], m_ids[3]}, false), {});
        QCOMPARE(data.groups.size(), 3U);
        QCOMPARE(data.groups[0].letter, QString("A"));
        QCOMPARE(data.groups[1].curve.points.size(), 40);
        QCOMPARE(data.groups[1].curve.points.front().x(), 1.0);
        QVERIFY(std::fabs(data.groups[1].curve.points.front().y() - (2 + 5 * std::exp(-1 / 12.0) + 0.01)) < 1e-12);
        // dp, tp and the seed differ; nothing else does.
        QStringList differing;
        QString stepDelta;
        for (const DifferenceRow& row : data.rows) {
            if (row.kind == DifferenceRow::Kind::Field && row.differs) differing << row.title;
            if (row.kind == DifferenceRow::Kind::Result && row.cells.value(2) == QString("230\u202Fms") &&
                stepDelta.isEmpty())
                stepDelta = row.deltas.value(2);
        }
        for (const char* path : {"train.seed", "parallel.dp", "parallel.tp"}) QVERIFY2(differing.contains(path), path);
        for (const char* path : {"model.num_layers", "model.norm", "model.head_dim"})
            QVERIFY2(!differing.contains(path), path);              // absent in all is no difference
        QVERIFY2(stepDelta.contains("15"), qPrintable(stepDelta));  // 0.23 s against 0.20 s
    }
    void curvesOverTokensAndTime() {
        const CompareData tokens = loadCompare(m_home, request({m_ids[0], m_ids[1]}, true, CurveX::Tokens), {});
        QCOMPARE(tokens.groups[0].curve.points.back().x(), 40.0 * 16 * 256);
        const CompareData time = loadCompare(m_home, request({m_ids[0], m_ids[1]}, true, CurveX::Time), {});
        QCOMPARE(time.groups[0].curve.points.back().x(), 8.0);
        QCOMPARE(curveXName(CurveX::Tokens), QString("Tokens"));
    }
    void failedRunsStayVisible() {
        const CompareData data = loadCompare(m_home, request({m_ids[0], m_ids[4]}), {});
        QVERIFY(data.groups[1].failed);
        QCOMPARE(data.groups[1].curve.nonFinite.size(), 1);
        QCOMPARE(data.groups[1].curve.points.size(), 2);
        bool atTheFoot = false;
        for (const PlotPoint& point : data.points) atTheFoot = atTheFoot || (point.group == 1 && std::isnan(point.y));
        QVERIFY(atTheFoot);
    }
    void seedsAreGrouped() {
        // Runs 0 and 0' differ in the seed only.
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        test::SeedOptions options;
        options.numRuns = 1;
        options.nowUnixMilliseconds += 99000000;
        const auto twin = test::seedRuns(*store, options);
        const CompareData data = loadCompare(m_home, request({m_ids[0], m_ids[1], twin[0]}), {});
        QCOMPARE(data.groups.size(), 2U);
        QCOMPARE(data.groups[0].members.size(), 2U);
        QVERIFY(data.anySpread);
        QCOMPARE(data.groups[0].curve.low.size(), data.groups[0].curve.points.size());
    }
    // A sweep writes the seed into the names of its trials; the group has what their names share.
    void repeatsOfASweepAreGrouped() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        std::vector<RunId> ids;
        const double speeds[] = {100, 120, 110, 500};
        for (int seed = 1; seed <= 4; ++seed) {
            NewRun made;
            made.id = RunId("trial" + std::to_string(seed));
            made.config.name = made.name = "tp 2, seed " + std::to_string(seed);
            made.config.train.seed = seed;
            made.life.status = RunStatus::Completed;
            QVERIFY(store->createRun(made, 5));
            RunChange change;
            change.measured.emplace().tokensPerSecondPerDevice = speeds[seed - 1];
            QVERIFY(store->updateRun(made.id, change));
            ids.push_back(made.id);
        }
        const CompareData data = loadCompare(m_home, request(ids), {});
        QCOMPARE(data.groups.size(), 1U);
        QCOMPARE(data.groups[0].name, QString("tp 2"));
        // One slow start does not move the middle: median, and the distance of the quartiles.
        QCOMPARE(data.groups[0].middle(&RunFigures::tokensPerSecondPerDevice, false), 115.0);
        QCOMPARE(data.groups[0].spread(&RunFigures::tokensPerSecondPerDevice), 10.0);
        QCOMPARE(loadCompare(m_home, request(ids, false), {}).groups.size(), 4U);
    }
    void resultsComeFirst() {
        const CompareData data = loadCompare(m_home, request({m_ids[0], m_ids[1]}), {});
        std::vector<QString> sections;
        for (const DifferenceRow& row : data.rows)
            if (row.kind == DifferenceRow::Kind::Section) sections.push_back(row.title);
        QCOMPARE(sections, (std::vector<QString>{"Results", "Configuration"}));
    }
    // Neither other runs nor "Choose two or more runs." while the chosen ones are read.
    void chosenRunsAreSaidToBeRead() {
        CompareController controller(*m_context);
        ComparePage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        const auto isSaid = [&](const QString& text) {
            const auto labels = page.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().startsWith(text);
            });
        };
        for (const auto& runs : {std::vector{m_ids[0], m_ids[1]}, std::vector{m_ids[2], m_ids[3]}}) {
            controller.setRuns(runs);
            page.showTab(CompareTab::Summary);
            QVERIFY(isSaid("Reading 2 run"));
            page.showTab(CompareTab::Board);
            QVERIFY(isSaid("Reading the runs…"));
            page.showTab(CompareTab::WhySlower);
            QVERIFY(isSaid("Reading the runs…"));
            load(controller);
            page.showTab(CompareTab::Summary);
            QVERIFY(!isSaid("Reading 2 run"));
            QCOMPARE(page.findChild<QListWidget*>("comparedRuns")->count(), 2);
        }
    }
    // A figure and its difference have room at any width of the window; further runs scroll.
    void columnsStayReadable() {
        CompareController controller(*m_context);
        ComparePage page(*m_context, controller, nullptr);
        page.resize(1024, 700);
        page.show();
        controller.setRuns({m_ids[0], m_ids[1], m_ids[2], m_ids[3], m_ids[5], m_ids[6], m_ids[7]});
        load(controller);
        auto* table = page.findChild<QTableView*>("differences");
        for (int column = 1; column < table->model()->columnCount(); ++column)
            QVERIFY(table->columnWidth(column) >=
                    table->fontMetrics().horizontalAdvance("14.6 %   +2.1 points, noise"));
        const QModelIndex cell = table->model()->index(1, 2);
        QCOMPARE(cell.data(Qt::ToolTipRole), cell.data(Qt::DisplayRole));
    }
    // Run 1 has another layout; a twin of run 0 makes the spread of step times wider than what is between them.
    void differencesWithinTheSpreadAreNoise() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        test::SeedOptions options;
        options.numRuns = 1;
        options.nowUnixMilliseconds += 199000000;
        const auto twin = test::seedRuns(*store, options);
        RunChange change;
        change.measured = store->run(twin[0])->measured;
        change.measured->mfu = 0.2;
        QVERIFY(store->updateRun(twin[0], change));
        const CompareData data = loadCompare(m_home, request({m_ids[0], twin[0], m_ids[1]}), {});
        bool said = false;
        for (const DifferenceRow& row : data.rows)
            if (row.title == columnTitle("mfu")) {
                said = said || row.deltas.value(1).contains("noise");
                QCOMPARE(row.better.value(1), 0);
            }
        QVERIFY(said);
    }
    void missingRunsAreNamed() {
        const CompareData data = loadCompare(m_home, request({m_ids[0], RunId("nope"), m_ids[1]}), {});
        QCOMPARE(data.groups.size(), 2U);
        QCOMPARE(data.unreadable.size(), 1);
        QVERIFY(data.unreadable.front().contains("nope"));
    }
    void pageShowsStatesAndAnswersKeys() {
        CompareController controller(*m_context);
        ComparePage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        auto* runs = page.findChild<QListWidget*>("comparedRuns");
        QVERIFY(!runs->isVisible());  // "Choose two or more runs."
        QSignalSpy wanted(&page, &Page::wantsPage);
        for (auto* button : page.findChildren<QPushButton*>())
            if (button->text() == "Go to Runs") button->click();
        QCOMPARE(wanted.size(), 1);

        controller.setRuns({m_ids[0], m_ids[1], m_ids[2]});
        load(controller);
        QVERIFY(runs->isVisible());
        QCOMPARE(runs->count(), 3);

        runs->setCurrentRow(2);
        QTest::keyClick(runs, Qt::Key_B);
        load(controller);
        QCOMPARE(controller.data().groups[0].members[0].id.value, m_ids[2].value);

        auto* chart = page.findChild<MetricChart*>("compareChart");
        QCOMPARE(chart->curves().size(), 3U);
        runs->setCurrentRow(1);
        QTest::keyClick(runs, Qt::Key_Space);
        QCOMPARE(chart->curves().size(), 2U);

        QTest::keyClick(runs, Qt::Key_Delete);
        load(controller);
        QCOMPARE(runs->count(), 2);

        auto* table = page.findChild<QTableView*>("differences");
        QAbstractItemModelTester tester(table->model());
        const int differing = table->model()->rowCount();
        page.findChild<QCheckBox*>("onlyDifferences")->setChecked(false);
        QVERIFY(table->model()->rowCount() > differing + 20);
    }
    void plotFollowsItsAxes() {
        CompareController controller(*m_context);
        ComparePage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.setRuns({m_ids[0], m_ids[3], m_ids[6]});
        load(controller);
        auto* plot = page.findChild<FieldPlot*>("fieldPlot");
        plot->grab();
        QCOMPARE(plot->categories(), (QStringList{"1", "2", "4"}));  // parallel.tp
        QVERIFY(plot->dataTable().rows.size() >= 9);                 // the other runs of the store stand behind
        auto* x = page.findChild<QComboBox*>("plotX");
        x->setCurrentIndex(x->findData("parallel.dp"));
        emit x->activated(x->currentIndex());
        load(controller);
        plot->grab();
        QVERIFY(plot->categories() != (QStringList{"1", "2", "4"}) || plot->dataTable().headers[1].contains("dp"));
        auto* y = page.findChild<QComboBox*>("plotY");
        y->setCurrentIndex(y->findData("memory_peak_bytes"));
        emit y->activated(y->currentIndex());
        load(controller);
        QVERIFY(plot->dataTable().rows[0][2].contains("GiB"));
    }
    void aPointOpensItsRun() {
        CompareController controller(*m_context);
        ComparePage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.setRuns({m_ids[0], m_ids[3]});
        load(controller);
        auto* plot = page.findChild<FieldPlot*>("fieldPlot");
        plot->grab();
        QSignalSpy opened(&page, &Page::wantsRun);
        for (int x = 0; x < plot->width(); x += 4)
            for (int y = 0; y < plot->height(); y += 4) {
                QTest::mouseMove(plot, {x, y});
                const QString point = plot->valueAtCursor();
                if (point.isEmpty()) continue;
                QTest::mouseDClick(plot, Qt::LeftButton, {}, {x, y});
                QCOMPARE(opened.count(), 1);
                const auto id = opened[0][0].value<RunId>();
                const auto run = readStore(m_home, [&](RunStore& store) { return store.run(id); });
                QVERIFY(run);
                QVERIFY2(point.contains(QString::fromStdString(run->name)), qPrintable(point));
                return;
            }
        QFAIL("there is no point under the pointer");
    }
    void choosingAnAxisIsRemembered() {
        CompareController controller(*m_context);
        controller.setPlot("train.micro_batch_size", "step_seconds");
        QCOMPARE(controller.request().plotX, std::string("train.micro_batch_size"));
    }
    // A run of another program whose source gives two fields: all others are "?", nothing is derived from defaults.
    void importsShowWhatTheirSourceGives() {
        CompareRequest asked = request({m_ids[0]}, false);
        asked.metric = "tokens_per_second_per_device";
        QVERIFY(!loadCompare(m_home, asked, {}).groups[0].curve.points.empty());
        const RunId id("20260101-000000000-0badcafe");
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            NewRun run;
            run.id = id;
            run.config.model.numLayers = 7;
            run.given = {"model.num_layers", "train.seq_len"};
            run.stream = toLine(MetricHeader{1, id.value, 1, 0, 0, 1});
            for (int step = 1; step <= 3; ++step)
                run.stream += toLine(MetricStep{step, step * 100, step, {{"loss", 2.0}, {"step_seconds", 0.5}}});
            const auto made = store->createRun(run, 1);
            QVERIFY2(made, made ? "" : made.error().message.c_str());
        }
        QVERIFY(rebuildIndex(m_home, 1));
        asked.runs.push_back(id);
        const CompareData data = loadCompare(m_home, asked, {});
        QCOMPARE(data.groups.size(), 2U);
        QVERIFY(data.groups[1].curve.points.empty());  // the number of devices is unknown
        QCOMPARE(layoutText(data.groups[1].config), unknownText());
        int known = 0;
        for (const DifferenceRow& row : data.rows)
            if (row.kind == DifferenceRow::Kind::Field && row.cells.value(1) != unknownText()) {
                ++known;
                QVERIFY2(row.title == "model.num_layers" || row.title == "train.seq_len", qPrintable(row.title));
            }
        QCOMPARE(known, 2);
        asked.metric = "tokens_per_second";
        QCOMPARE(loadCompare(m_home, asked, {}).groups[1].curve.points.size(), 3);
        const auto view = loadRun(m_home, id, {});
        QVERIFY2(view, view ? "" : view.error().message.c_str());
        QVERIFY((*view)->tokensPerSecond.buckets.empty() && !(*view)->stepSeconds.buckets.empty());
    }
    // What an import does not record is counted, not compared; and without the plotted figure it is no failed run.
    void importsAreComparedByWhatTheyRecord() {
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        NewRun run;
        run.id = RunId("an-import");
        run.config = configOf(*store->run(m_ids[0]))->config;
        run.config.parallel.dp += 1;
        run.given = {"parallel.dp"};
        run.life.status = RunStatus::Completed;
        QVERIFY(store->createRun(run, 1));
        const CompareData data = loadCompare(m_home, request({m_ids[0], run.id}, false), {});
        QCOMPARE(data.numDiffering, 1);
        QVERIFY(data.numUnknown > 50);
        QCOMPARE(data.numWithoutValue, 1);
        for (const PlotPoint& point : data.points) QVERIFY(point.run != run.id);
    }
};
SLIPWAY_TEST(TstComparePage)
#include "tst_compare_page.moc"
