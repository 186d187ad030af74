#include "app/gui/pages/bubble_row.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/log_pane.h"
#include "app/gui/pages/run_page.h"
#include "app/gui/pages/run_rows.h"
#include "app/gui/values/plan_document.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/log_view.h"
#include "app/gui/widgets/rank_grid.h"
#include "core/base/file.h"
#include "core/planner/presets.h"
#include "core/run/program_file.h"
#include "core/spec/log_times.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_test.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QDateTime>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

class TstRunPage : public test::SeededTest {
    Q_OBJECT

    static void load(RunController& controller) { EVENTUALLY(controller.view() || controller.error()); }

private slots:
    void anEndedRunHasNoEventsToCome() {
        RunView view;
        view.record.status = RunStatus::Running;
        QCOMPARE(eventsNote(view), QString("none yet"));
        view.record.status = RunStatus::Completed;
        QCOMPARE(eventsNote(view), QString("none"));
    }
    void initTestCase() {
        seed(6, *findDevicePreset("NVIDIA A100 SXM 80 GB"));
        // Run 4 is dp 2 x tp 2 and failed: give it files of its ranks.
        const RunDir dir = *m_home.run(m_ids[4]);
        QVERIFY(makeFolders(dir.path / "ranks"));
        QVERIFY(makeFolders(dir.path / "logs"));
        for (int rank = 0; rank < 4; ++rank) {
            const std::string seconds = rank == 2 ? "0.39" : "0.30";
            QVERIFY(writeFileAtomically(
                dir.rankStream(rank),
                "{\"kind\":\"health\",\"step\":2,\"tensor_peak_bytes\":1048576,\"step_seconds\":0.1}\n"
                "{\"kind\":\"health\",\"step\":3,\"tensor_peak_bytes\":2097152,\"tensor_bytes\":1048576,\"rss_bytes\":4194304,\"step_seconds\":" +
                    seconds + "}\n{\"kind\":\"hea"));
            QVERIFY(writeFileAtomically(
                dir.rankLog(rank),
                "step 1 loss 6.9\nwarning: slow disk\nerror: loss is NaN on rank " + std::to_string(rank) + "\n"));
        }
    }
    void loadsCurvesRanksAndLogs() {
        const auto loaded = loadRun(m_home, m_ids[4], {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().message.c_str());
        const auto view = *loaded;
        QCOMPARE(view->loss.totalPoints, 3);
        QCOMPARE(view->ranks.size(), 4U);
        QCOMPARE(*view->ranks[2].stepSeconds, 0.39);  // the newest whole line, not the half one behind it
        QCOMPARE(*view->ranks[0].tensorPeakBytes, 2097152.0);
        QCOMPARE(view->log.size(), 12U);
        QCOMPARE(view->log[2].level, LogLevel::Error);
        QCOMPARE(curveOf(view->loss, 0, {}).nonFinite.size(), 1);
        QCOMPARE(loadRun(m_home, RunId("nope"), {}).error().code, std::string("run_missing"));
    }
    // A run of an older version, whose config has an option that never acted: shown with it, forecast without.
    void optionsThatNeverActed() {
        NewRun run;
        run.id = RunId("20250101-000000000-0ld");
        run.config.name = "old";
        run.config.model.maxSeqLen = run.config.train.seqLen;
        run.config.optimizer.kind = OptimizerKind::Lion;
        run.config.optimizer.eps = 1e-6;
        run.cluster = *findDevicePreset("NVIDIA A100 SXM 80 GB");
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            QVERIFY(store && store->createRun(run, 1));
        }
        const auto loaded = loadRun(m_home, run.id, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().message.c_str());
        const auto view = *loaded;
        QCOMPARE(view->stored.config.optimizer.eps, 1e-6);
        QVERIFY(view->plan && !hasErrors(view->plan->issues));
        const auto document = documentOf(view->record);
        QVERIFY(document);
        QCOMPARE(document->config.optimizer.eps, OptimizerSpec{}.eps);
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        QVERIFY(store && store->trash({run.id}, 2));
    }
    void emptyFailedAndFilledStates() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        auto* state = page.findChild<StatePanel*>();
        QCOMPARE(state->headline(), QString("No run is open."));
        controller.open(RunId("nope"));
        load(controller);
        QCOMPARE(state->headline(), QString("The run cannot be read."));
        controller.openLatest();
        EVENTUALLY(controller.view() != nullptr);
        QCOMPARE(controller.id().value, m_ids[5].value);
        QVERIFY(!state->isVisible());
    }
    // Behind another page, or minimised, a run in progress is not drawn at each of its steps.
    void anUnseenRunRests() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[3]);
        load(controller);
        test::settle();
        QSignalSpy changed(&controller, &RunController::changed);
        const auto write = [&](std::int64_t step) {
            RunChange change;
            change.reason = "step " + std::to_string(step);
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            QVERIFY(store && store->updateRun(m_ids[3], change));
            emit m_context->engine.runAdvanced(m_ids[3], step);
            test::settle();
        };
        write(1);
        QCOMPARE(changed.count(), 1);
        page.hide();
        write(2);
        QCOMPARE(changed.count(), 1);
        page.show();
        test::settle();
        QCOMPARE(changed.count(), 2);
        QCOMPARE(controller.view()->record.reason, std::string("step 2"));
    }
    void failedRunTellsWhyAndOffersResume() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[4]);
        load(controller);
        QVERIFY(page.findChild<QPushButton*>("resume")->isVisible());
        QVERIFY(!page.findChild<QPushButton*>("stop")->isVisible());
        QVERIFY(page.header()->title().startsWith("run 4"));
        auto* promises = page.findChild<QTableView*>("promises")->model();
        QCOMPARE(promises->index(0, 1).data().toString(), QString("250\u202Fms"));  // forecast step time
    }
    // The steps that the medians leave out lie on a darker ground, which ends before the chart does.
    void warmUpIsShaded() {
        RunController controller(*m_context);
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            RunChange change;
            change.measured = store->run(m_ids[0])->measured;
            change.measured->warmupSteps = 8;
            QVERIFY(store->updateRun(m_ids[0], change));
        }
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[0]);
        load(controller);
        test::settle();
        auto* chart = page.findChild<MetricChart*>("speedChart");
        const auto shadedColumns = [&] {
            const QImage image = chart->grab().toImage();
            int columns = 0;
            for (int x = 0; x < image.width(); ++x) {
                bool shaded = false;
                for (int y = 0; y < image.height() && !shaded; ++y) shaded = image.pixelColor(x, y) == theme().sunken;
                columns += shaded;
            }
            return columns;
        };
        const int columns = shadedColumns();
        QVERIFY2(columns > 10 && columns < chart->width() / 2, qPrintable(QString::number(columns)));
        chart->setWarmUp({});
        QCOMPARE(shadedColumns(), 0);
    }
    void forecastStandsBesideMeasurement() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        controller.open(m_ids[0]);
        load(controller);
        auto* promises = page.findChild<QTableView*>("promises")->model();
        QCOMPARE(promises->index(0, 1).data().toString(), QString("250\u202Fms"));
        QCOMPARE(promises->index(0, 2).data().toString(), QString("200\u202Fms"));
        QCOMPARE(promises->index(0, 3).data().toString(), QString("\u221220\u202F%"));
        QCOMPARE(page.findChild<MetricChart*>("lossChart")->curves().front().points.size(), 40);
    }
    // A run in progress has no final loss yet: the newest point is shown instead.
    void theLossOfARunInProgressIsItsLatest() {
        RunView view;
        view.record.status = RunStatus::Running;
        view.record.measured.finalLoss = 4.0;  // kept some seconds ago
        view.loss = thin(MetricSeries{"loss", "nats", {1, 2}, {5.0, 3.25}}, 10);
        const auto loss = [&view] {
            for (const PromiseRow& row : promiseRows(view))
                if (row.figure == "final_loss") return row.name + QStringLiteral(" ") + row.measured;
            return QString();
        };
        QCOMPARE(loss(), QStringLiteral("Latest loss 3.250"));
        view.record.status = RunStatus::Completed;
        QCOMPARE(loss(), QStringLiteral("Final loss 4.000"));
        view.record.forecast.mfu = 0.40;
        view.record.measured.mfu = 0.35;
        for (const PromiseRow& row : promiseRows(view))
            if (row.figure == "mfu") QCOMPARE(row.differenceShown, QStringLiteral("\u22125.0\u202Fpoints"));
    }
    // A figure of the run opens the formula of its forecast; how it was measured is its tip.
    void promisesShowTheirFormula() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[0]);
        load(controller);
        QVERIFY(controller.view()->plan);
        auto* promises = page.findChild<QTableView*>("promises");
        emit promises->activated(promises->model()->index(4, 1));
        auto* dialog = promises->findChild<ExplainDialog*>("explanation");
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("memory_peak_bytes"));
        delete dialog;
        emit promises->activated(promises->model()->index(7, 1));  // a loss has no forecast
        QVERIFY(!promises->findChild<ExplainDialog*>("explanation"));
        QVERIFY(promises->model()->index(0, 2).data(Qt::ToolTipRole).toString().contains(QString("of 40 steps")));
        // The seeded forecast is no forecast of this config: that is told.
        QVERIFY(
            promises->model()->index(0, 1).data(Qt::ToolTipRole).toString().contains(QString("the current forecast")));
    }
    // Axes without a curve say nothing; a sentence does.
    void emptyChartsSayWhy() {
        MetricChart chart;
        chart.setEmptyText("No steps.");
        chart.resize(300, 200);
        chart.show();
        const QImage empty = chart.grab().toImage();
        QCOMPARE(chart.summary(), QString("No steps."));
        chart.setEmptyText("Another sentence.");
        QVERIFY(chart.grab().toImage() != empty);
        Curve curve;
        curve.name = "loss";
        curve.points = {{1, 2}, {2, 1}};
        chart.setCurves({curve});
        QVERIFY(chart.summary().contains("loss"));
        const QImage filled = chart.grab().toImage();
        chart.setEmptyText("No steps.");
        QCOMPARE(chart.grab().toImage(), filled);
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        controller.open(m_ids[4]);
        load(controller);
        QVERIFY(!page.findChild<MetricChart*>("waitingChart")->summary().isEmpty());
    }
    void ranksFilterTheLog() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[4]);
        load(controller);
        auto* grid = page.findChild<RankGrid*>("ranks");
        QCOMPARE(grid->outlier(), std::optional<int>(2));  // 0.39 s against a median of 0.30 s
        auto* log = page.findChild<LogView*>("log");
        QCOMPARE(log->numShown(), 12);
        emit grid->rankClicked(2);
        QCOMPARE(log->numShown(), 3);
        QVERIFY(log->toPlainText().contains("rank 2"));
        QVERIFY(!log->toPlainText().contains("NaN on rank 1"));
        emit grid->rankClicked(2);
        QCOMPARE(log->numShown(), 12);
        page.findChild<QLineEdit*>("logSearch")->setText("slow");
        QCOMPARE(log->numShown(), 4);
        page.findChild<QComboBox*>("rankQuantity")->setCurrentIndex(1);
        QVERIFY(!grid->outlier());
    }
    // The search reads whole logs, not the lines that are loaded; it has times where the agent noted them, and follows a growing log.
    void searchReadsWholeLogs() {
        const RunDir dir = *m_home.run(m_ids[0]);
        QVERIFY(makeFolders(dir.path / "logs"));
        std::string text = "the first needle\n";
        for (int i = 0; i < 5000; ++i)
            text += "a line that is only there to be long, number " + std::to_string(i) + "\n";
        QVERIFY(writeFileAtomically(dir.rankLog(0), text));
        QVERIFY(
            writeFileAtomically(logTimesFile(dir.rankLog(0)), "17 1000\n" + std::to_string(text.size()) + " 61000\n"));
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(m_ids[0]);
        load(controller);
        auto* log = page.findChild<LogView*>("log");
        auto* search = page.findChild<QLineEdit*>("logSearch");
        QVERIFY(log->numShown() > 100 && log->numShown() <= 300);
        const QString later = QDateTime::fromMSecsSinceEpoch(61000).toString("yyyy-MM-dd HH:mm:ss");
        QVERIFY2(log->toPlainText().startsWith(later + "  rank 0"), qPrintable(log->toPlainText().left(80)));
        search->setText("NEEDLE");
        QCOMPARE(log->numShown(), 0);  // the loaded lines have none
        EVENTUALLY_IS(log->numShown(), 1);
        QVERIFY2(log->toPlainText().contains("the first needle"), qPrintable(log->toPlainText()));
        QVERIFY(log->toPlainText().startsWith(QDateTime::fromMSecsSinceEpoch(1000).toString("yyyy-MM-dd HH:mm:ss")));
        auto* pane = page.findChild<LogPane*>();
        QVERIFY2(pane->sideText().startsWith("1 match"), qPrintable(pane->sideText()));
        {
            auto file = AppendFile::open(dir.rankLog(0));
            QVERIFY(file && file->append("another needle\n"));
        }
        controller.reload();
        EVENTUALLY_IS(log->numShown(), 2);
        search->clear();
        EVENTUALLY(log->numShown() > 100);
        page.findChild<QComboBox*>("logLevel")->setCurrentIndex(2);
        EVENTUALLY(pane->sideText().startsWith("0 match"));
    }
    // The bubble of a pipeline: in theory, simulated, observed; formulas and the way of measuring on demand.
    void bubblesAreSideBySide() {
        NewRun run;
        run.id = RunId("20260102-000000000-0bbb1e");
        run.config.parallel.pp = 2;
        run.config.train.globalBatchSize = 8;
        run.cluster = *findDevicePreset("NVIDIA A100 SXM 80 GB");
        run.forecastJson = R"({"bubble_fraction":0.15,"bubble_simulated":0.15,"bubble_theoretical":0.125})";
        run.life.status = RunStatus::Completed;
        run.life.measured.emplace().bubbleFraction = 0.21;
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            QVERIFY(store && store->createRun(run, 1));
        }
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        controller.open(run.id);
        load(controller);
        auto* row = page.findChild<BubbleRow*>();
        QVERIFY(row->isVisible());
        const QStringList texts = row->texts();
        QVERIFY2(texts[0].contains("12.5") && texts[1].contains("15.0") && texts[2].contains("21.0"),
                 qPrintable(texts.join(' ')));
        row->findChild<QPushButton*>("bubbleTheory")->click();
        auto* dialog = page.findChild<ExplainDialog*>("explanation");
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("bubble_theoretical"));
        controller.open(m_ids[4]);
        load(controller);
        EVENTUALLY(!row->isVisible());
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        QVERIFY(store && store->trash({run.id}, 2));
    }
    // A run of a program without figures gives the remedy where its curves would be.
    void missingFiguresHaveARemedy() {
        NewRun run;
        run.id = RunId("20260103-000000000-0f16");
        run.given.emplace();
        run.documents = programDocuments({{{"/bin/true"}, "/", {}}, {}});
        {
            auto store = RunStore::open(m_home, OpenMode::ReadWrite);
            QVERIFY(store && store->createRun(run, 1));
        }
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        controller.open(run.id);
        load(controller);
        const QString shown = page.findChild<MetricChart*>("lossChart")->summary();
        QVERIFY2(shown.contains("--pattern"), qPrintable(shown));
        auto store = RunStore::open(m_home, OpenMode::ReadWrite);
        QVERIFY(store && store->trash({run.id}, 2));
    }
    // Figures of GPUs are offered where ranks have them, and a GPU that is held back is named with its reason.
    void gpusOfTheRanks() {
        RunController controller(*m_context);
        RunPage page(*m_context, controller, nullptr);
        page.resize(1200, 800);
        page.show();
        auto* quantity = page.findChild<QComboBox*>("rankQuantity");
        controller.open(m_ids[4]);
        load(controller);
        QCOMPARE(quantity->count(), 4);  // ranks on CPUs
        const RunDir dir = *m_home.run(m_ids[4]);
        std::vector<std::string> before;
        for (int rank = 0; rank < 4; ++rank) {
            before.push_back(*readFile(dir.rankStream(rank)));
            const std::string hot =
                rank == 3
                    ? R"(1200000000,"device_temperature_celsius":88,"device_throttled":["hw_thermal","sw_power_cap"])"
                    : R"(1980000000,"device_temperature_celsius":60,"device_throttled":[])";
            QVERIFY(writeFileAtomically(
                dir.rankStream(rank),
                R"({"kind":"health","step":4,"step_seconds":0.1,"device_power_watts":612.3,"device_memory_used_bytes":2097152,"device_clock_hertz":)" +
                    hot + "}\n"));
        }
        controller.reload();
        EVENTUALLY(quantity->count() == 8);
        QCOMPARE(*controller.view()->ranks[3].deviceClockHertz, 1.2e9);
        auto* grid = page.findChild<RankGrid*>("ranks");
        const std::pair<int, QString> shown[] = {
            {4, "1.20\u202FGHz"}, {5, "612\u202FW"}, {6, "88\u202F°C"}, {7, "2.0\u202FMiB"}};
        for (const auto& [index, text] : shown) {
            quantity->setCurrentIndex(index);
            QCOMPARE(grid->dataTable().rows[3][1], text);
        }
        QStringList texts;
        for (const QLabel* label : page.findChildren<QLabel*>()) texts << label->text();
        QVERIFY2(texts.join('|').contains("Throttled: rank 3 (heat, power limit)."), qPrintable(texts.join('|')));
        for (int rank = 0; rank < 4; ++rank)
            QVERIFY(writeFileAtomically(dir.rankStream(rank), before[static_cast<std::size_t>(rank)]));
        controller.reload();
        EVENTUALLY(quantity->count() == 4);
        QCOMPARE(quantity->currentIndex(), 0);
    }
    void stoppingAsksFirst() {
        RunController controller(*m_context);
        controller.open(m_ids[0]);
        load(controller);
        QVERIFY(!controller.isActive());
        dialogAnswers().confirm = true;
        controller.askStop(nullptr);  // a finished run has nothing to stop
        dialogAnswers().confirm.reset();
        QVERIFY(!std::filesystem::exists(m_home.run(m_ids[0])->stopFile()));
    }
};
SLIPWAY_TEST(TstRunPage)
#include "tst_run_page.moc"
