#include "app/gui/engine/machine_peak.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/launch_sheet.h"
#include "app/gui/pages/plan_page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/memory_bar.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/schedule_view.h"
#include "app/gui/widgets/spec_form.h"
#include "app/gui/widgets/time_split.h"
#include "core/base/file.h"
#include "core/spec/token_file.h"
#include "tests/app/gui/plan_tab_test.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

using namespace slipway;
using namespace slipway::gui;

class TstPlanPage : public test::PlanTabTest {
    Q_OBJECT

private slots:
    void initTestCase() { test::useLook(); }
    void cleanup() { closePage(); }

    void typingChangesTheAnswers() {
        QVERIFY(openPage());
        auto* answers = m_page->findChild<AnswerStrip*>(QStringLiteral("answers"));
        EVENTUALLY(!answers->figure(1).isEmpty() && answers->figure(1) != QStringLiteral("–"));
        test::settle();
        const QString before = answers->figure(1);
        auto* form = m_page->findChild<SpecForm*>(QStringLiteral("planForm"));
        auto* seq = qobject_cast<NumberEdit*>(form->editor("train.seq_len"));
        seq->setFocus();
        seq->selectAll();
        QTest::keyClicks(seq, "2048");
        EVENTUALLY(answers->figure(1) != before);
        QCOMPARE(m_plan->document().config.train.seqLen, std::int64_t(2048));
    }

    void nodesThatWereMeasuredAreHardware() {
        QVERIFY(openPage());
        auto* box = m_page->findChild<QComboBox*>(QStringLiteral("devicePreset"));
        const int before = box->count();
        MeasuredNodes measured;
        measured.nodes = {{"a", "host", "CPU", "0.10.0", 0, 1e11, {}, 8e9},
                          {"b", "host", "CPU", "0.10.0", 0, 1e11, {}, 8e9}};
        measured.unixMilliseconds = 1795305600000;
        measured.cluster.numNodes = 2;
        measured.cluster.device.memoryBytes = 8e9;
        measured.cluster.device.memoryBytesPerSecond = 8e9;
        measured.cluster.device.peakFp32Flops = 1e11;
        measured.cluster.device.source = "measured on a, b, slipway-trainer 0.10.0";
        measured.cluster.device.sourceDate = "2026-11-22";
        QVERIFY(writeMeasuredNodes(m_home->home, measured));
        m_page->refresh();
        EVENTUALLY(box->count() == before + 1);
        QCOMPARE(box->itemText(before), QStringLiteral("Nodes a, b, measured here 2026-11-22"));
        box->setCurrentIndex(before);
        emit box->activated(before);
        QCOMPARE(m_plan->document().cluster.device.source, measured.cluster.device.source);
        QCOMPARE(box->currentIndex(), before);
    }

    void everyAnswerShowsItsFormula() {
        QVERIFY(openPage());
        auto* answers = m_page->findChild<AnswerStrip*>(QStringLiteral("answers"));
        EVENTUALLY(m_plan->shownPlan() && m_plan->shownPlan()->step.stepSeconds > 0);
        test::settle();
        QSignalSpy asked(answers, &AnswerStrip::asked);
        std::vector<QWidget*> cells;
        for (QWidget* child : answers->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (child->focusPolicy() == Qt::TabFocus) cells.push_back(child);
        QCOMPARE(cells.size(), std::size_t(6));
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QTest::mouseClick(cells[i], Qt::LeftButton);
            QCOMPARE(asked.count(), static_cast<int>(i) + 1);
            auto* dialog = m_page->findChild<ExplainDialog*>(QStringLiteral("explanation"));
            QVERIFY2(dialog, std::to_string(i).c_str());
            QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("formula"))->text().size() > 3);
            delete dialog;
        }
        // The step's parts open in turn, and Back returns.
        cells[1]->setFocus();
        QTest::keyClick(cells[1], Qt::Key_Return);
        auto* dialog = m_page->findChild<ExplainDialog*>(QStringLiteral("explanation"));
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("step_seconds"));
        dialog->findChild<QPushButton*>(QStringLiteral("step.compute_seconds"))->click();
        EVENTUALLY(dialog->figure() == "step.compute_seconds");
        dialog->findChild<QPushButton*>(QStringLiteral("back"))->click();
        EVENTUALLY(dialog->figure() == "step_seconds");
        QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("formula"))->isVisible());
        if (const QByteArray file = qgetenv("SLIPWAY_TEST_PICTURE"); !file.isEmpty())
            dialog->grab().save(QString::fromLocal8Bit(file));
        delete dialog;
    }

    // The pictures open their formulas too: of the rank that was asked, and of the part.
    void partsOfPicturesShowTheirFormula() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->shownPlan() && m_plan->shownPlan()->memory.size() > 1);
        test::settle();
        const auto ask = [this](auto* picture, auto send) {
            send();
            auto* dialog = picture->template findChild<ExplainDialog*>(QStringLiteral("explanation"));
            const std::string figure = dialog ? dialog->figure() : std::string();
            const QString value =
                dialog ? dialog->template findChild<QLabel*>(QStringLiteral("value"))->text() : QString();
            delete dialog;
            return std::pair(figure, value);
        };
        auto* memory = m_page->findChild<MemoryBar*>(QStringLiteral("memory"));
        const Plan& plan = *m_plan->shownPlan();
        const std::size_t other = plan.worstStage == 0 ? 1 : 0;
        const auto kept = ask(memory, [&] { emit memory->asked(other, "memory.activation_bytes"); });
        QCOMPARE(kept.first, std::string("memory.activation_bytes"));
        QCOMPARE(kept.second, bytesText(plan.memory[other].bytes.activationBytes));
        QCOMPARE(ask(memory, [&] { emit memory->asked(other, "memory.reserve_bytes"); }).second,
                 bytesText(plan.memory[other].bytes.reserveBytes));
        QCOMPARE(ask(memory, [&] { QTest::keyClick(memory, Qt::Key_Return); }).second, bytesText(plan.memoryPeakBytes));
        auto* split = m_page->findChild<TimeSplit*>();
        QCOMPARE(ask(split, [&] { QTest::mouseClick(split, Qt::LeftButton, {}, QPoint(4, 4)); }).first,
                 std::string("step.compute_seconds"));
        QCOMPARE(
            ask(split, [&] { QTest::mouseClick(split, Qt::LeftButton, {}, QPoint(4, split->height() - 2)); }).first,
            std::string("step_seconds"));
        QCOMPARE(ask(split, [&] { QTest::keyClick(split, Qt::Key_Return); }).first, std::string("step_seconds"));
    }

    // Figures of a row of "Better layouts" open the formula of that layout, degrees do not; MFU tells the other
    // conventions.
    void rowsOfBetterLayoutsShowTheirFormula() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->layouts().size() > 1);
        auto* layouts = m_page->findChild<QTableView*>(QStringLiteral("layouts"));
        EVENTUALLY_IS(layouts->model()->rowCount(), static_cast<int>(m_plan->layouts().size()));
        const int row = m_plan->layouts()[0].isCurrent ? 1 : 0;
        const auto opened = [&](int column) {
            layouts->setFocus();
            layouts->selectionModel()->setCurrentIndex(layouts->model()->index(row, column),
                                                       QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
            QTest::keyClick(layouts, Qt::Key_Return, Qt::AltModifier);
            return layouts->findChild<ExplainDialog*>(QStringLiteral("explanation"));
        };
        QVERIFY(!opened(0));
        auto* dialog = opened(7);
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("step_seconds"));
        QCOMPARE(dialog->findChild<QLabel*>(QStringLiteral("value"))->text(),
                 secondsText(m_plan->layouts()[static_cast<std::size_t>(row)].plan->step.stepSeconds));
        delete dialog;
        emit layouts->customContextMenuRequested(layouts->visualRect(layouts->model()->index(row, 10)).center());
        auto* menu = layouts->findChild<QMenu*>();
        QVERIFY(menu && menu->actions().size() == 1);
        menu->actions().front()->trigger();
        dialog = layouts->findChild<ExplainDialog*>(QStringLiteral("explanation"));
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("memory_peak_bytes"));
        delete dialog;
        ExplainDialog::open(layouts, m_plan->plan(), "hfu");
        dialog = layouts->findChild<ExplainDialog*>(QStringLiteral("explanation"));
        QVERIFY(dialog->findChild<QPushButton*>(QStringLiteral("hfu_a")) &&
                dialog->findChild<QPushButton*>(QStringLiteral("hfu_b")));
        delete dialog;
    }

    // Measured collectives: loaded from a file they change the plan at once, undo takes them back, a bad file is told.
    void collectivesAreLoaded() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->shownPlan() && m_plan->shownPlan()->step.stepSeconds > 0);
        auto* link = m_page->findChild<QPushButton*>(QStringLiteral("curves"));
        QVERIFY(link);
        const QString none = link->text();
        link->click();
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("curvesDialog"));
        QVERIFY(dialog);
        auto* state = dialog->findChild<QLabel*>(QStringLiteral("curveState"));
        auto* remove = dialog->findChild<QPushButton*>(QStringLiteral("removeCurves"));
        QVERIFY(!remove->isEnabled());
        QTemporaryDir folder;
        dialogAnswers().file = folder.filePath(QStringLiteral("curves.csv"));
        const auto load = [&](const std::string& text) {
            if (!writeFileAtomically(dialogAnswers().file->toStdString(), text)) QFAIL("not written");
            dialog->findChild<QPushButton*>(QStringLiteral("loadCurves"))->click();
        };
        load("a,b\n1,2\n");
        EVENTUALLY(state->text().contains(QStringLiteral("curves.csv")));
        QVERIFY(m_plan->document().cluster.commCurves.empty());
        const double before = m_plan->plan()->step.tpExposedSeconds;
        load(
            "collective,gpus,nodes,message_mb,gb_per_s_mean,latency_us,source,date\nall_gather,4,1,100,20,50,me,2026-01-01\n"
            "reduce_scatter,4,1,100,20,50,me,2026-01-01\n");
        EVENTUALLY_IS(m_plan->document().cluster.commCurves.size(), std::size_t{2});
        EVENTUALLY(m_plan->plan()->step.tpExposedSeconds > before);
        QCOMPARE(dialog->findChild<QTableView*>(QStringLiteral("curveTable"))->model()->rowCount(), 2);
        QVERIFY2(link->text().startsWith(QStringLiteral("2 curve")), qPrintable(link->text()));
        QVERIFY(state->text().contains(QStringLiteral("2026-01-01")));
        m_plan->undoStack()->undo();
        QCOMPARE(link->text(), none);
        m_plan->undoStack()->redo();
        remove->click();
        QVERIFY(m_plan->document().cluster.commCurves.empty());
        QCOMPARE(link->text(), none);
        EVENTUALLY(m_plan->plan()->step.tpExposedSeconds == before);
        auto* published = dialog->findChild<QPushButton*>(QStringLiteral("publishedCurves"))->menu();
        QVERIFY(!published->actions().isEmpty());
        published->actions().front()->trigger();
        QVERIFY(!m_plan->document().cluster.commCurves.empty());
        dialogAnswers() = {};
    }

    // In the smallest window the answers stand in two rows, whole, and what does not fit below them scrolls.
    void aSmallWindowShowsWholeAnswers() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->shownPlan() && m_plan->shownPlan()->step.stepSeconds > 0);
        m_page->resize(px(976), px(560));
        test::settle();
        auto* answers = m_page->findChild<AnswerStrip*>(QStringLiteral("answers"));
        for (QLabel* label : answers->findChildren<QLabel*>())
            QVERIFY2(label->height() >= label->minimumSizeHint().height(), qPrintable(label->text()));
        auto* split = m_page->findChild<TimeSplit*>();
        QVERIFY(split->height() >= split->minimumSizeHint().height());
    }

    // What ranks keep in their node's memory: shown where there is any, and explained part by part.
    void hostMemoryOpensItsFormula() {
        QVERIFY(openPage());
        auto* host = m_page->findChild<QPushButton*>(QStringLiteral("hostMemory"));
        QVERIFY(host);
        m_plan->edit(QStringLiteral("checkpoint.every_steps"), QStringLiteral("0"));
        QTRY_VERIFY(m_plan->shownPlan() && m_plan->shownPlan()->config.checkpoint.everySteps == 0);
        QTRY_VERIFY(!host->isVisibleTo(m_page.get()));
        m_plan->edit(QStringLiteral("checkpoint.every_steps"), QStringLiteral("50"));
        QTRY_VERIFY(host->isVisibleTo(m_page.get()));
        host->click();
        auto* dialog = m_page->findChild<ExplainDialog*>(QStringLiteral("explanation"));
        QVERIFY(dialog);
        QCOMPARE(dialog->figure(), std::string("host_memory.total_bytes"));
        for (const char* part :
             {"host_memory.staging_bytes", "host_memory.optimizer_bytes", "host_memory.activation_bytes"}) {
            dialog->findChild<QPushButton*>(QString::fromLatin1(part))->click();
            QTRY_VERIFY(dialog->figure() == part);
            dialog->findChild<QPushButton*>(QStringLiteral("back"))->click();
            QTRY_VERIFY(dialog->figure() == "host_memory.total_bytes");
        }
        delete dialog;
    }

    void anErrorTurnsLaunchOffAndSaysWhy() {
        QVERIFY(openPage());
        auto* launch = m_page->findChild<QPushButton*>(QStringLiteral("launch"));
        EVENTUALLY(launch->isEnabled());
        m_plan->edit(QStringLiteral("train.micro_batch_size"), QStringLiteral("3"));
        EVENTUALLY(!launch->isEnabled());
        QVERIFY(!launch->toolTip().isEmpty());
        QVERIFY(!m_page->header()->notice().isEmpty());
        auto* checks = m_page->findChild<IssueList*>(QStringLiteral("checks"));
        QVERIFY(checks->texts().join('\n').contains(QStringLiteral("micro_batch_size")));
        m_plan->undoStack()->undo();
        EVENTUALLY(launch->isEnabled());
        QVERIFY(m_page->header()->notice().isEmpty());
    }

    // In Korean the checks have the figures of the advice.
    void koreanAdviceHasItsFigures() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        const auto back = qScopeGuard([&] { language.apply(QStringLiteral("en")); });
        QVERIFY(openPage());
        EVENTUALLY(m_plan->shownPlan() && !m_plan->issues().empty());
        test::settle();
        const QString texts = m_page->findChild<IssueList*>(QStringLiteral("checks"))->texts().join('\n');
        int shown = 0;
        for (const Issue& issue : m_plan->issues()) {
            if (issue.severity == Severity::Info && isAnswerable(issue.code) && !gainOf(m_plan->gains(), issue.code))
                continue;  // no change makes it better
            QVERIFY2(!issue.source.empty(), issue.code.c_str());
            QVERIFY2(texts.contains(withFormWords(QString::fromStdString(textOf(issue.source, Language::Korean)))),
                     qPrintable(texts));
            ++shown;
        }
        QVERIFY(shown > 0);
    }

    // Each row has its rank, and the step time its interval; a plan below the fastest has no rank.
    void betterLayoutsAreRanked() {
        QVERIFY(openPage());
        auto* table = m_page->findChild<QTableView*>(QStringLiteral("layouts"));
        EVENTUALLY(table->model()->rowCount() > 1);
        test::settle();
        const auto& rows = m_plan->layouts();
        int expected = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto cell = [&](int column) {
                return table->model()->index(static_cast<int>(i), column).data().toString();
            };
            const StepEstimate& s = rows[i].plan->step;
            ++expected;
            QCOMPARE(cell(0), rows[i].rank > 0 ? QString::number(expected) : QStringLiteral("–"));
            QVERIFY2(cell(7).contains(QStringLiteral(" ± ")) || cell(7).contains(QStringLiteral(" (")),
                     qPrintable(cell(7)));
            QCOMPARE(cell(7), secondsWithin(s.stepSeconds, {s.stepSecondsLow, s.stepSecondsHigh}));
        }
        QCOMPARE(secondsWithin(4.15, {3.73, 4.57}).remove(QChar(0x202F)), QStringLiteral("4.15 ± 0.42s"));
        QCOMPARE(secondsWithin(4.15, {3.23, 25.44}).remove(QChar(0x202F)), QStringLiteral("4.15 (3.2–25.4)s"));
        QCOMPARE(secondsWithin(4.15, {4.15, 4.15}), secondsText(4.15));
    }

    void enterAppliesALayout() {
        QVERIFY(openPage());
        auto* table = m_page->findChild<QTableView*>(QStringLiteral("layouts"));
        const QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        EVENTUALLY(table->model()->rowCount() > 1);
        test::settle();
        const int row = m_plan->layouts()[0].isCurrent ? 1 : 0;
        const ParallelLayout wanted = m_plan->layouts()[static_cast<std::size_t>(row)].choice.parallel;
        emit table->activated(table->model()->index(row, 0));
        QCOMPARE(m_plan->document().config.parallel.dp, wanted.dp);
        QCOMPARE(m_plan->document().config.parallel.tp, wanted.tp);
        QVERIFY(m_page->undoStack()->canUndo());
    }

    void picturesTellTheirContent() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->plan());
        test::settle();
        auto* memory = m_page->findChild<MemoryBar*>(QStringLiteral("memory"));
        QVERIFY(memory->summary().contains(QStringLiteral("GiB")));
        QCOMPARE(memory->dataTable().rows.size(), 2);
        auto* schedule = m_page->findChild<ScheduleView*>();
        QCOMPARE(schedule->dataTable().rows.size(), 2 * 2 * 16);  // stages x (forward, backward) x micro-batches
        QVERIFY(test::numColours(m_page->grab().toImage()) > 50);
    }

    void savesTheConfig() {
        QVERIFY(openPage());
        dialogAnswers().file = m_home->dir.filePath(QStringLiteral("plan.json"));
        m_page->exportData();
        EVENTUALLY(QFile::exists(*dialogAnswers().file));
        const auto json = readJsonFile(dialogAnswers().file->toStdString());
        QVERIFY(json);
        const auto config = parseRunConfig(*json, "plan.json");
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        QCOMPARE(config->parallel.dp, std::int64_t(8));
    }

    // Without the peak of this computer nothing is invented: no NaN, no unit without a figure, no schedule of one bar.
    void unknownPeaksAreSaidToBeSo() {
        QVERIFY(openPage());
        m_plan->chooseTiny();
        EVENTUALLY_IS(m_plan->document().config.name, std::string("tiny"));
        EVENTUALLY(m_plan->plan() && m_plan->plan()->config.name == "tiny");
        test::settle();
        auto* answers = child<AnswerStrip>("answers");
        QCOMPARE(answers->figure(1), unknownText());
        QCOMPARE(answers->figure(2), unknownText());
        QString memory;
        for (const QLabel* label : m_page->findChildren<QLabel*>()) {
            QVERIFY2(!label->text().contains(QStringLiteral("nan"), Qt::CaseInsensitive), qPrintable(label->text()));
            if (label->isVisible() && label->text().contains(QStringLiteral("tokens/s/")))
                QVERIFY2(!label->text().contains(QChar(0x2013)), qPrintable(label->text()));
            if (label->text().contains(QStringLiteral("GiB</span>"))) memory = label->text();
        }
        // The peak of memory is known, and so is its unit beside that of the capacity.
        QVERIFY2(answers->figure(0).endsWith(QStringLiteral("MiB")), qPrintable(answers->figure(0)));
        QVERIFY2(memory.contains(QStringLiteral("MiB of ")), qPrintable(memory));
        QVERIFY(m_page->findChild<ScheduleView*>()->dataTable().rows.isEmpty());
        QVERIFY(m_page->findChild<TimeSplit*>()->dataTable().rows.isEmpty());
        // Measured meanwhile, an open plan takes it over, and a plan that undoing gives back.
        m_plan->edit(QStringLiteral("train.num_steps"), QStringLiteral("50"));
        const std::filesystem::path trainer = std::filesystem::path(SLIPWAY_BIN_DIR) / "fake" / "slipway-trainer";
        if (!std::filesystem::exists(trainer)) QSKIP("stand-in trainer not built");
        const auto measured = measuredPeak(m_home->home, {{}, trainer});
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        m_plan->takePeaks();
        EVENTUALLY(answers->figure(1) != unknownText());
        m_plan->undoStack()->undo();
        test::settle();
        QVERIFY(answers->figure(1) != unknownText());
        QVERIFY(!m_page->findChild<ScheduleView*>()->dataTable().rows.isEmpty());
    }

    // "Better layouts" and advice stay within the cluster, whatever the form says meanwhile.
    void nothingOutsideTheClusterIsProposed() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->plan());
        m_plan->edit(QStringLiteral("parallel.tp"), QStringLiteral("8"));  // 128 ranks of 64 devices
        EVENTUALLY(m_plan->hasErrors());
        EVENTUALLY(!m_plan->gains().empty());
        test::settle();
        for (const LayoutRow& row : m_plan->layouts())
            if (!row.isCurrent) QCOMPARE(row.choice.parallel.worldSize(), std::int64_t(64));
        for (const AdviceGain& gain : m_plan->gains()) QVERIFY(gain.config.parallel.worldSize() <= 64);
        m_plan->applyGain("too_few_devices");
        EVENTUALLY(!m_plan->hasErrors());
        QCOMPARE(m_plan->document().config.parallel.worldSize(), std::int64_t(64));
    }

    // A plan that a quarter is lost in is not "all in order", and one Apply leads to the best of the table.
    void oneApplyLeadsToTheBestOfTheTable() {
        QVERIFY(openPage());
        EVENTUALLY(m_plan->plan());
        EVENTUALLY(!m_plan->gains().empty());
        test::settle();
        auto* checks = child<IssueList>("checks");
        const auto state = [&] {
            for (const Pane* pane : m_page->findChildren<Pane*>())
                if (pane->isAncestorOf(checks)) return pane->sideText();
            return QString();
        };
        QVERIFY2(state().contains(QStringLiteral("suggestion")), qPrintable(state()));
        for (const QString& text : checks->texts())
            QVERIFY2(!text.contains(QStringLiteral("No change of")), qPrintable(text));
        const double best = m_plan->layouts().front().plan->step.stepSeconds;
        QPushButton* apply = nullptr;
        for (QPushButton* button : checks->findChildren<QPushButton*>())
            if (!apply && button->text() == QStringLiteral("Apply")) apply = button;
        QVERIFY(apply);
        apply->click();
        test::settle();
        EVENTUALLY(m_plan->plan()->step.stepSeconds <= best * 1.005);
    }

    // The real agent and the trainer's stand-in: the sheet says ready, the button starts, the run completes.
    void launchStartsARun() {
        test::GuiHome home;
        const std::filesystem::path bin = SLIPWAY_BIN_DIR;
        home.programs = {bin / "slipway-agent", bin / "fake" / "slipway-trainer"};
        if (!std::filesystem::exists(home.programs.agent) || !std::filesystem::exists(home.programs.trainer))
            QSKIP("agent or stand-in trainer not built");
        std::filesystem::create_directories(home.home.corpora());
        std::vector<std::uint32_t> tokens(100000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i * 7 % 2048);
        QVERIFY(writeTokenFile(home.home.corpora() / "wordnet.tok", tokens, 2048, ""));
        QVERIFY(home.start());
        PlanController controller(*home.context);
        controller.chooseTiny();
        EVENTUALLY_IS(controller.document().config.name, std::string("tiny"));
        controller.edit(QStringLiteral("train.num_steps"), QStringLiteral("8"));
        controller.edit(QStringLiteral("optimizer.schedule.warmup_steps"), QStringLiteral("0"));
        PlanPage page(*home.context, controller, nullptr);
        page.show();
        auto* launch = page.findChild<QPushButton*>(QStringLiteral("launch"));
        EVENTUALLY_SAYING(launch->isEnabled(), qPrintable(launch->toolTip()));
        QSignalSpy launched(home.engine.get(), &Engine::launched);
        QSignalSpy failed(home.engine.get(), &Engine::requestFailed);
        launch->click();
        auto* sheet = page.findChild<LaunchSheet*>(QStringLiteral("launchSheet"));
        QVERIFY(sheet);
        auto* now = sheet->findChild<QPushButton*>(QStringLiteral("launchNow"));
        auto* readiness = sheet->findChild<IssueList*>(QStringLiteral("readiness"));
        EVENTUALLY(!readiness->texts().isEmpty());
        QVERIFY2(now->isEnabled(), qPrintable(readiness->texts().join('\n')));
        // Enter in a field does what the main button says.
        auto* name = sheet->findChild<QLineEdit*>(QStringLiteral("launchName"));
        name->setFocus();
        QTest::keyClick(name, Qt::Key_Return);
        QVERIFY(!sheet->isVisible());
        EVENTUALLY(!launched.isEmpty() || !failed.isEmpty());
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : failed[0][0].value<Error>().message.c_str());
        const RunId id = launched[0][0].value<RunId>();
        const auto finished = [&] {
            const auto record = readStore(home.home, [&](RunStore& store) { return store.run(id); });
            return record && record->status == RunStatus::Completed && record->lastStep == 8;
        };
        EVENTUALLY(finished());
        EVENTUALLY_IS(home.engine->numRuns(), std::int64_t(1));
        closeThreadStore();
    }
};

SLIPWAY_TEST(TstPlanPage)
#include "tst_plan_page.moc"
