#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/sweeps_page.h"
#include "app/gui/text/language.h"
#include "app/gui/widgets/share_bars.h"
#include "app/gui/widgets/trial_plot.h"
#include "core/base/file.h"
#include "core/process/file_lock.h"
#include "core/run/run_files.h"
#include "core/sweep/sweep_control.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/app/gui/seeded_sweep.h"
#include "tests/support/slipway_test.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <filesystem>
#include <fstream>

using namespace slipway;
using namespace slipway::gui;

class TstSweepsPage : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<SweepsController> m_controller;
    std::unique_ptr<SweepsPage> m_page;

    SweepId seed(const test::SweepSeed& what) {
        auto store = RunStore::open(m_home->home, OpenMode::ReadWrite);
        return store ? test::seedSweep(*store, what) : SweepId();
    }
    void makePage() {
        QVERIFY(m_home->start());
        m_controller = std::make_unique<SweepsController>(*m_home->context);
        m_page = std::make_unique<SweepsPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 840);
        m_page->show();
        test::settle();
    }
    void open(const SweepId& id) {
        m_controller->open(id);
        EVENTUALLY(m_controller->data().plan != nullptr || m_controller->data().error);
        test::settle();
    }
    template <class T>
    T* part(const char* name) const {
        return m_page->findChild<T*>(QString::fromLatin1(name));
    }
    HeatMap* map() const { return part<HeatMap>("sweepMap"); }
    void ask(const char* chooser, const char* value) const {
        auto* box = part<QComboBox>(chooser);
        box->setCurrentIndex(box->findData(QString::fromLatin1(value)));
        emit box->activated(box->currentIndex());
    }
    /// The cell of these values; -1 when the grid has none.
    int cell(const QString& row, const QString& column, int facet = 0) const {
        const HeatGrid& grid = map()->grid();
        const auto r = grid.rows.indexOf(row), c = grid.columns.indexOf(column);
        return r < 0 || c < 0 ? -1 : grid.cellOf(facet, static_cast<int>(r), static_cast<int>(c));
    }
    const HeatCell& at(const QString& row, const QString& column) const {
        return map()->grid().cells.at(static_cast<std::size_t>(cell(row, column)));
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() { m_home = std::make_unique<test::GuiHome>(); }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_controller.reset();
        closeThreadStore();
        m_home.reset();
    }

    void anEmptyHomeOffersToBegin() {
        makePage();
        QCOMPARE(part<QLabel>("stateHeadline")->text().remove(QChar(0x2060)), QStringLiteral("No sweeps yet"));
    }

    void theListTellsWhatEachCameTo() {
        const SweepId done = seed({.name = "done"});
        const SweepId half =
            seed({.name = "half", .numRun = 3, .failEvery = 3, .startedUnixMilliseconds = 1763730990000});
        makePage();
        auto* table = part<QTableView>("sweeps");
        QCOMPARE(table->model()->rowCount(), 2);
        const auto text = [table](int row, int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(text(0, 0), QStringLiteral("half"));  // newest first
        QCOMPARE(text(0, 1), QStringLiteral("Paused"));
        QCOMPARE(text(0, 2), QStringLiteral("2"));
        QCOMPARE(text(0, 3), QStringLiteral("1"));
        QCOMPARE(text(0, 5), QStringLiteral("12"));
        QCOMPARE(text(1, 1), QStringLiteral("Completed"));
        QCOMPARE(text(1, 2), QStringLiteral("12"));
        QVERIFY(text(1, 8).contains(QStringLiteral("micro_batch_size 2")));
        QVERIFY(text(1, 6).contains('%'));
        table->selectRow(1);
        QTest::keyClick(table, Qt::Key_Return);
        EVENTUALLY_IS(m_controller->current().value, done.value);
        test::settle();
        QVERIFY(map()->isVisible());
        QCOMPARE(m_page->header()->title(), QStringLiteral("done"));
        QTest::keyClick(m_page.get(), Qt::Key_Escape);
        QVERIFY(m_controller->current().empty());
        QVERIFY(table->isVisible());
        QVERIFY(half != done);
    }

    void aCellIsTheBestOfTheFoldedFields() {
        openSweep(seed({}));
        QCOMPARE(map()->grid().rows, (QStringList{"1", "2", "4"}));
        QCOMPARE(map()->grid().columns, (QStringList{"1", "2"}));
        const HeatCell& best = at("1", "1");
        QCOMPARE(best.state, HeatCell::State::Value);
        QVERIFY(best.isBest);
        QVERIFY2(best.lines.first().contains("mb 2"), qPrintable(best.lines.join('|')));  // faster than mb 1
        QVERIFY(best.lines.last().contains("2 of 2"));
        QVERIFY(!at("4", "2").isBest);
        QVERIFY(at("4", "2").value < best.value);
    }

    void anyTwoFieldsAreAxesAndAThirdOneFacets() {
        openSweep(seed({}));
        ask("mapRows", "train.micro_batch_size");
        ask("mapColumns", "parallel.tp");
        QCOMPARE(map()->grid().rows, (QStringList{"1", "2"}));
        QCOMPARE(map()->grid().columns, (QStringList{"1", "2", "4"}));
        ask("mapFacets", "parallel.pp");
        QCOMPARE(map()->grid().facets, (QStringList{"pp 1", "pp 2"}));
        QCOMPARE(map()->grid().cells.size(), 12U);
        const int first = cell("2", "1", 0), second = cell("2", "1", 1);
        QVERIFY(map()->grid().cells[static_cast<std::size_t>(first)].value >
                map()->grid().cells[static_cast<std::size_t>(second)].value);
        // Asking for a field that the other axis has swaps them.
        ask("mapRows", "parallel.tp");
        QCOMPARE(map()->grid().rowName, QStringLiteral("tp"));
        QCOMPARE(map()->grid().columnName, QStringLiteral("mb"));
    }

    void theMeasureDecidesWhatIsBest() {
        openSweep(seed({}));
        ask("mapMeasure", "memory_peak_bytes");
        QVERIFY(map()->grid().lessIsBetter);
        QVERIFY(at("4", "1").isBest || at("4", "2").isBest);  // the least memory
        QVERIFY(at("4", "1").headline.contains("MiB"));
        map()->grab();
        const auto colour = [this](const QString& row, const QString& column) {
            const QImage picture = map()->grab().toImage();
            const QRectF box = map()->placeOf(cell(row, column));
            return picture.pixelColor(box.bottomRight().toPoint() - QPoint(4, 4)).lightnessF();
        };
        QVERIFY(colour("4", "1") < colour("1", "1"));  // darker is better
    }

    void repeatsCountAsOneWithTheirMedian() {
        openSweep(seed({.tp = {1}, .pp = {1, 2}, .microBatch = {2}, .seeds = {1, 2, 6}}));
        ask("mapMeasure", "tokens_per_second_per_device");
        ask("mapRows", "");
        ask("mapColumns", "parallel.pp");
        const HeatCell& middle = map()->grid().cells.at(0);
        QVERIFY(std::fabs(middle.value - 9000 * 1.02) < 1);  // of 1.01, 1.02 and 1.06
        QVERIFY2(middle.tip.join('|').contains("median of 3"), qPrintable(middle.tip.join('|')));
    }

    void whatDidNotRunKeepsItsPlaceAndReason() {
        openSweep(seed({.tp = {1, 2, 3}, .pp = {1}, .microBatch = {1, 2}, .failEvery = 4, .outOfMemoryEvery = 3}));
        const SweepCounts& counts = m_controller->data().counts;
        QCOMPARE(counts.total, 6);
        QCOMPARE(counts.skipped, 2);  // 3 does not divide the heads
        QCOMPARE(counts.failed, 2);
        QCOMPARE(counts.completed, 2);
        const auto& grid = map()->grid();
        const HeatCell& hole =
            grid.cells.at(static_cast<std::size_t>(cell("3", "1") >= 0 ? cell("3", "1") : cell("3", "")));
        QCOMPARE(hole.state, HeatCell::State::Skipped);
        QVERIFY2(hole.tip.join('|').contains("3"), qPrintable(hole.tip.join('|')));
        ask("mapRows", "parallel.tp");
        ask("mapColumns", "train.micro_batch_size");
        QCOMPARE(at("2", "1").state, HeatCell::State::Failed);
        QCOMPARE(at("2", "1").headline, QStringLiteral("out of memory"));
        QCOMPARE(at("2", "2").headline, QStringLiteral("failed"));
        auto* reasons = part<CountBars>("reasons");
        QCOMPARE(reasons->dataTable().rows.size(), 3);  // two failures, then one reason of the planner for both skips
        QCOMPARE(reasons->dataTable().rows.last().last(), QStringLiteral("2"));
        reasons->setFocus();
        QTest::keyClick(reasons, Qt::Key_Down);
        QTest::keyClick(reasons, Qt::Key_Return);
        QCOMPARE(part<QTableView>("trials")->model()->rowCount(), 1);
        QVERIFY(part<QLabel>("trialDetail")
                    ->text()
                    .remove(QChar(0x2060))
                    .contains(m_controller->data().trials[2].reason.empty() ? "NaN" : "."));
        QVERIFY(map()->summary().contains("2 failed") && map()->summary().contains("2 skipped"));
    }

    // A cell has its reason in the window's language, folded instead of cut at a comma.
    void reasonsInCellsAreWhole() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        openSweep(seed({.tp = {1, 3}, .pp = {1, 2}, .microBatch = {1}}));
        const QString reason = at("3", "1").lines.join(' ');
        language.apply(QStringLiteral("en"));
        QVERIFY2(std::any_of(reason.begin(), reason.end(), [](QChar c) { return c.script() == QChar::Script_Hangul; }),
                 qPrintable(reason));
        const auto picture = [](const QString& why) {
            HeatCell cell;
            cell.state = HeatCell::State::Skipped;
            cell.headline = "skipped";
            cell.lines << why;
            HeatGrid grid;
            grid.rows = grid.columns = QStringList{"1"};
            grid.facets << QString();
            grid.cells.push_back(cell);
            HeatMap alone;
            alone.resize(420, 120);
            alone.setGrid(grid);
            return alone.grab().toImage();
        };
        QVERIFY(picture("num_heads is 4, not a multiple of tp 3") != picture("num_heads is 4"));
    }

    void failedCellsDifferInShape() {
        openSweep(seed({.tp = {1, 2}, .pp = {1}, .microBatch = {1}, .failEvery = 2}));
        const QImage picture = map()->grab().toImage();
        const auto edge = [&](const QString& tp) {
            const QRectF box = map()->placeOf(cell("", tp) >= 0 ? cell("", tp) : cell(tp, ""));
            QSet<QRgb> colours;
            for (double x = box.left() + 8; x < box.right() - 8; ++x)
                colours.insert(picture.pixel(static_cast<int>(x), static_cast<int>(box.top())));
            return colours.size();
        };
        QVERIFY(edge("2") > edge("1"));  // dashes around what failed, none around a value
    }

    void theKeyboardReachesEveryCellAndRun() {
        const SweepId id = seed({});
        openSweep(id);
        QSignalSpy runs(m_page.get(), &Page::wantsRun);
        map()->setFocus();
        QTest::keyClick(map(), Qt::Key_Right);
        QCOMPARE(map()->chosenCell(), 0);
        QTest::keyClick(map(), Qt::Key_Down);
        QTest::keyClick(map(), Qt::Key_Right);
        QCOMPARE(map()->chosenCell(), cell("2", "2"));
        QVERIFY2(map()->valueAtCursor().startsWith("tp 2, pp 2"), qPrintable(map()->valueAtCursor()));
        auto* trials = part<QTableView>("trials");
        QCOMPARE(trials->model()->rowCount(), 2);
        QTest::keyClick(map(), Qt::Key_Return);
        QCOMPARE(runs.size(), 1);
        QTest::keyClick(map(), Qt::Key_Home);
        QVERIFY(map()->grid().cells[static_cast<std::size_t>(map()->chosenCell())].isBest);
        QTest::keyClick(map(), Qt::Key_Escape);
        QCOMPARE(trials->model()->rowCount(), 12);
        trials->setFocus();
        trials->selectRow(3);
        QTest::keyClick(trials, Qt::Key_Return);
        QCOMPARE(runs.size(), 2);
        QCOMPARE(runs[1][0].value<RunId>().value, m_controller->data().trials[3].run.value);
        auto* best = part<TrialPlot>("bestSoFar");
        QCOMPARE(best->points().size(), 12U);
        QCOMPARE(best->records().size(), 2U);  // the first trial, then micro-batch 2
        best->setFocus();
        QTest::keyClick(best, Qt::Key_End);
        QTest::keyClick(best, Qt::Key_Return);
        QCOMPARE(runs[2][0].value<RunId>().value, m_controller->data().trials[11].run.value);
    }

    void forecastsStandAgainstMeasurements() {
        openSweep(seed({}));
        ask("mapMeasure", "memory_peak_bytes");
        auto* scatter = part<TrialPlot>("forecastMeasured");
        QCOMPARE(scatter->points().size(), 12U);
        for (const TrialPoint& point : scatter->points()) QVERIFY(point.x > 0 && point.y > 0);
    }

    void aThousandTrialsAreShown() {
        std::vector<int> repeats;
        for (int i = 0; i < 42; ++i) repeats.push_back(i);
        openSweep(seed({.tp = {1, 2, 4, 8}, .pp = {1, 2}, .microBatch = {1, 2, 4}, .seeds = repeats, .numRun = 2000}));
        QCOMPARE(m_controller->data().counts.total, 1008);
        QVERIFY(m_controller->data().counts.completed > 700);
        ask("mapRows", "train.seed");
        QCOMPARE(map()->grid().cells.size(), 84U);
        QVERIFY(test::numColours(map()->grab().toImage()) > 8);
        QCOMPARE(part<QTableView>("trials")->model()->rowCount(), 1008);
        for (int i = 0; i < static_cast<int>(map()->grid().cells.size()); ++i) QVERIFY(map()->placeOf(i).width() >= 6);
    }

    void pauseAndResumeReachTheRunner() {
        const SweepId id = seed({.numRun = 4, .isRunning = true});
        const auto lock = FileLock::tryLock(sweepLock(m_home->home, "identity of 8B layouts"));
        QVERIFY(lock);
        openSweep(id);
        QCOMPARE(m_controller->data().stage, SweepStage::Running);
        auto* pause = part<QPushButton>("pauseSweep");
        QCOMPARE(pause->text(), QStringLiteral("Pause"));
        pause->click();
        EVENTUALLY(m_controller->data().stage == SweepStage::Pausing);
        QCOMPARE(*sweepRequest(m_home->home, id), SweepRequest::Pause);
        QCOMPARE(pause->text(), QStringLiteral("Resume"));
        pause->click();
        EVENTUALLY(m_controller->data().stage == SweepStage::Running);
        QVERIFY(!sweepRequest(m_home->home, id));
        dialogAnswers().confirm = true;
        part<QPushButton>("stopSweep")->click();
        EVENTUALLY(m_controller->data().stage == SweepStage::Stopping);
        QCOMPARE(*sweepRequest(m_home->home, id), SweepRequest::Stop);
    }

    void aSweepWithoutItsProgramWasInterrupted() {
        openSweep(seed({.numRun = 4, .isRunning = true}));
        QCOMPARE(m_controller->data().stage, SweepStage::Interrupted);
        QVERIFY(m_controller->canResume());
    }

    void programsAreStartedWithTheirArguments() {
        const std::filesystem::path bin = m_home->dir.path().toStdString();
        m_home->programs.agent = bin / "slipway-agent";
        std::ofstream(bin / "slipway") << "#!/bin/sh\necho \"$3 $4 $5 $6\" > \"" << (bin / "seen").string()
                                       << "\"\n";  // without --home HOME
        std::filesystem::permissions(bin / "slipway", std::filesystem::perms::owner_all);
        const SweepId id = seed({.numRun = 6, .failEvery = 3});
        openSweep(id);
        const auto seen = [&] { return readFile(bin / "seen").value_or(""); };
        part<QPushButton>("pauseSweep")->click();
        EVENTUALLY(seen().starts_with("sweep " + id.value));
        part<QPushButton>("retrySweep")->click();
        EVENTUALLY(seen().starts_with("sweep " + id.value + " --retry failed,lost"));
        // A sweep that ran on nodes continues there, not here.
        const auto run = m_home->home.run(m_controller->data().trials.front().run);
        QVERIFY(run && writeNodes(*run, {{"gpu2", 1}, {"gpu1", 1}}));
        part<QPushButton>("pauseSweep")->click();
        EVENTUALLY(seen().starts_with("sweep " + id.value + " --nodes gpu1,gpu2"));
    }

    void aProgramThatRefusesIsQuoted() {
        const std::filesystem::path bin = m_home->dir.path().toStdString();
        m_home->programs.agent = bin / "slipway-agent";
        std::ofstream(bin / "slipway") << "#!/bin/sh\necho 'error: /axes/0: Unknown field modle' >&2\nexit 2\n";
        std::filesystem::permissions(bin / "slipway", std::filesystem::perms::owner_all);
        makePage();
        QSignalSpy said(m_page.get(), &Page::said);
        m_controller->start(QStringLiteral("wrong.json"));
        EVENTUALLY(!said.isEmpty() && said.last()[0].toString().contains("Unknown field modle"));
    }

    void whatCannotBeReadIsSaid() {
        const SweepId id = seed({});
        {
            auto store = RunStore::open(m_home->home, OpenMode::ReadWrite);
            auto record = store->sweep(id);
            record->document = R"({"schema": 99, "name": "later"})";
            QVERIFY(store->upsertSweep(*record));
        }
        openSweep(id);
        QVERIFY(m_controller->data().error);
        QCOMPARE(part<QLabel>("stateHeadline")->text().remove(QChar(0x2060)),
                 QStringLiteral("This sweep cannot be shown."));
    }

    void trialsAreExported() {
        openSweep(seed({.failEvery = 4}));
        const QString file = m_home->dir.filePath(QStringLiteral("trials.tsv"));
        dialogAnswers().file = file;
        QVERIFY(m_page->can(PageAction::Export));
        m_page->exportData();
        EVENTUALLY(QFile::exists(file));
        test::settle();
        const QStringList lines = QString::fromStdString(readFile(file.toStdString()).value_or("")).split('\n');
        QCOMPARE(lines.size(), 14);  // header, 12 trials, the end of the last line
        QVERIFY(lines[0].contains("parallel.tp"));
        QVERIFY(lines[4].contains("NaN"));
    }

    // The dialog and the command write the same bytes, in each form and language.
    void theReportIsTheCommands() {
        const SweepId id = seed({.failEvery = 4});
        openSweep(id);
        part<QPushButton>("sweepReport")->click();
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("reportDialog"));
        QVERIFY(dialog != nullptr);
        auto* summary = dialog->findChild<QLabel*>(QStringLiteral("reportSummary"));
        EVENTUALLY(summary->text().remove(QChar(0x2060)).contains(QStringLiteral("trials completed")));
        dialog->reject();
        test::settle();
        for (const auto& [ending, format, language] :
             {std::tuple{"html", 0, 0}, std::tuple{"pdf", 1, 1}, std::tuple{"csv", 3, 1}, std::tuple{"tex", 4, 1}}) {
            part<QPushButton>("sweepReport")->click();
            const auto dialogs = m_page->findChildren<QDialog*>(QStringLiteral("reportDialog"));
            QVERIFY(!dialogs.isEmpty());
            dialog = dialogs.last();
            dialog->findChild<QLineEdit*>(QStringLiteral("reportTitle"))->setText(QStringLiteral("Layouts & co"));
            dialog->findChild<QLineEdit*>(QStringLiteral("reportAuthor"))->setText(QStringLiteral("Ada"));
            dialog->findChild<QLineEdit*>(QStringLiteral("reportDate"))->setText(QStringLiteral("2026-11-23"));
            dialog->findChild<QComboBox*>(QStringLiteral("reportFormat"))->setCurrentIndex(format);
            dialog->findChild<QComboBox*>(QStringLiteral("reportLanguage"))->setCurrentIndex(language);
            const QString mine = m_home->dir.filePath(QStringLiteral("window.") + QString::fromLatin1(ending));
            const QString theirs = m_home->dir.filePath(QStringLiteral("command.") + QString::fromLatin1(ending));
            dialogAnswers().file = mine;
            auto* save = dialog->findChild<QPushButton*>(QStringLiteral("reportSave"));
            EVENTUALLY(save->isEnabled());
            save->click();
            EVENTUALLY(QFile::exists(mine));
            test::settle();
            QProcess command;
            command.start(QStringLiteral(SLIPWAY_BIN_DIR "/slipway"),
                          {"report", QString::fromStdString(id.value), "--title", "Layouts & co", "--author", "Ada",
                           "--date", "2026-11-23", "--lang", language == 1 ? "ko" : "en", "-o", theirs, "--home",
                           QString::fromStdString(m_home->home.path.string())});
            QVERIFY(command.waitForFinished(60000));
            QVERIFY2(command.exitCode() == 0, command.readAllStandardError().constData());
            const auto window = readFile(mine.toStdString());
            QVERIFY(window && window->size() > 200);
            QVERIFY2(*window == readFile(theirs.toStdString()).value_or(""), ending);
        }
    }

private:
    void openSweep(const SweepId& id) {
        QVERIFY(!id.empty());
        makePage();
        open(id);
    }
};

SLIPWAY_TEST(TstSweepsPage)
#include "tst_sweeps_page.moc"
