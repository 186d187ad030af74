// The page Playbook with its real widgets: a guess before anything is shown, figures through core, verdicts of stored records.
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_figure.h"
#include "app/gui/pages/playbook_page.h"
#include "app/gui/pages/sweeps_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/drawing_view.h"
#include "app/gui/widgets/figure_curve.h"
#include "app/gui/widgets/number_line.h"
#include "core/base/file.h"
#include "core/process/host_identity.h"
#include "core/report/chapter_picture.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <filesystem>
#include <fstream>

using namespace slipway;
using namespace slipway::gui;

namespace {

constexpr const char* kContent = SLIPWAY_SOURCE_DIR "/experiments/playbook";

}  // namespace

class TstPlaybookPage : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<PlanController> m_plan;
    std::unique_ptr<SweepsController> m_sweeps;
    std::unique_ptr<PlaybookController> m_controller;
    std::unique_ptr<PlaybookPage> m_page;

    void makePage() {
        QVERIFY(m_home->start());
        m_plan = std::make_unique<PlanController>(*m_home->context);
        m_sweeps = std::make_unique<SweepsController>(*m_home->context);
        m_controller = std::make_unique<PlaybookController>(*m_home->context, *m_plan, *m_sweeps);
        m_page = std::make_unique<PlaybookPage>(*m_home->context, *m_controller, nullptr);
        m_page->resize(1270, 840);
        m_page->show();
        EVENTUALLY(m_controller->playbook() != nullptr && m_plan->plan() != nullptr);
        test::settle();
    }
    void open(const char* place) {
        m_page->open(place);
        test::settle();
    }
    void typeGuess(const QString& subject, const QString& value) {
        auto* edit = part<QLineEdit>(("guess." + subject).toUtf8());
        QVERIFY(edit && !edit->isReadOnly());
        edit->setText(value);
        part<QPushButton>(("makeGuess." + subject).toUtf8())->click();
        EVENTUALLY(m_controller->guessFor(subject.toStdString()) != nullptr);
        test::settle();
    }
    /// The last one made: those of an earlier showing may still wait for their deletion.
    template <class T>
    T* part(const char* name) const {
        const auto all = m_page->findChildren<T*>(QString::fromLatin1(name));
        return all.isEmpty() ? nullptr : all.last();
    }
    QListWidget* list() const { return part<QListWidget>("playbookList"); }
    static QString plain(QString text) { return text.remove(QChar(0x2060)); }
    /// Measurements as L6 leaves them, all as expected.
    void storeL6() {
        const auto playbook = readPlaybook(kContent);
        Measurements m;
        m.measured["step_seconds"]["AFAB, m 1"] = {0.99, 1.0, 1.01};
        m.measured["step_seconds"]["AFAB, m 2"] = {0.75, 0.75, 0.76};
        m.measured["step_seconds"]["AFAB, m 4"] = {0.62, 0.63, 0.64};
        m.measured["step_seconds"]["1F1B, m 4"] = {0.63, 0.63, 0.64};
        Circumstances at;
        at.unixMilliseconds = 1763730990000;
        at.host = thisHost().host;
        at.cpus = 2;
        at.sweepId = "20261121-100000-abcdef";
        QVERIFY(addRecord(m_home->home, recordOf(*playbook->experiment("L6"), m, at)).has_value());
    }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        qputenv("SLIPWAY_PLAYBOOK_DIR", kContent);
        m_home = std::make_unique<test::GuiHome>();
    }
    void cleanup() {
        dialogAnswers() = {};
        m_page.reset();
        m_controller.reset();
        m_sweeps.reset();
        m_plan.reset();
        closeThreadStore();
        m_home.reset();
        WindowLanguage().apply(QStringLiteral("en"));
    }
    void theShelfHasAllChapters() {
        makePage();
        QCOMPARE(list()->count(), 22);  // all, 18 chapters, guesses, claims, benchmark
        auto* table = part<QTableView>("shelfChapters");
        QCOMPARE(table->model()->rowCount(), 18);
        const auto text = [table](int row, int column) { return table->model()->index(row, column).data().toString(); };
        QCOMPARE(text(9, 1), QStringLiteral("Pipelines"));
        QCOMPARE(text(9, 3), QStringLiteral("9 of 9"));
        QVERIFY(text(9, 4).contains(QStringLiteral("L6 not run")));
        table->selectRow(9);
        QTest::keyClick(table, Qt::Key_Return);
        EVENTUALLY_IS(m_page->place(), std::string("pipelines"));
        QCOMPARE(part<QTableView>("shelfExperiments")->model()->rowCount(), 33);
    }
    void nothingIsShownBeforeAGuess() {
        makePage();
        open("pipelines");
        QVERIFY(part<QLabel>("idea") == nullptr);
        QVERIFY(m_page->findChildren<PlaybookFigure*>().isEmpty());
        auto* button = part<QPushButton>("makeGuess.pipelines");
        QVERIFY(button && !button->isEnabled());
        part<QLineEdit>("guess.pipelines")->setText(QStringLiteral("a half"));
        QVERIFY(!button->isEnabled());
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        EVENTUALLY(part<QLabel>("idea") != nullptr);
        QVERIFY(!m_page->findChildren<PlaybookFigure*>().isEmpty());
        QCOMPARE(part<NumberLine>("guessLine")->marks().size(), std::size_t(2));
        QCOMPARE(guessesOf(m_home->home)->front().value, 15.0);
        QVERIFY(part<QLabel>("verdict") == nullptr);
        QVERIFY(part<QPushButton>("runShort") == nullptr);  // the experiment has a guess of its own
        typeGuess(QStringLiteral("L6"), QStringLiteral("0.7"));
        EVENTUALLY(part<QPushButton>("runShort") != nullptr);
        EVENTUALLY(part<QLabel>("cost")->text().contains(QStringLiteral("runs")));
    }
    void aGuessIsNeverOverwritten() {
        makePage();
        open("pipelines");
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        QVERIFY(part<QLineEdit>("guess.pipelines")->isReadOnly());
        m_controller->guess("pipelines", 11);
        test::settle();
        QCOMPARE(guessesOf(m_home->home)->size(), std::size_t(1));
        // Another program guesses while the page does not know it yet.
        QVERIFY(addGuess(m_home->home, {"data_parallel", 3, 1, ""}).has_value());
        m_controller->guess("data_parallel", 4);
        EVENTUALLY(m_controller->guessFor("data_parallel") != nullptr);
        QCOMPARE(guessesOf(m_home->home)->size(), std::size_t(2));
        QCOMPARE(m_controller->guessFor("data_parallel")->value, 3.0);
    }
    void slidersRecomputeThroughCore() {
        makePage();
        open("pipelines");
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        auto* figure = m_page->findChildren<PlaybookFigure*>().first();
        const double before = figure->values()["bubble_share"].get<double>();
        auto* slider = figure->findChild<QSlider*>(QStringLiteral("slider.micro_batches"));
        slider->setValue(slider->maximum());
        const double after = figure->values()["bubble_share"].get<double>();
        QVERIFY(after < before);
        const ParallelLayout& layout = m_plan->document().config.parallel;
        const auto expected =
            computeFigure(*findFigureModel("pipeline_bubble"), {{"schedule", "interleaved_1f1b"},
                                                                {"pp", layout.pp},
                                                                {"micro_batches", 256},
                                                                {"virtual_stages", layout.virtualStages}});
        QCOMPARE(after, (*expected)["bubble_share"].get<double>());
        QVERIFY(!figure->findChild<QLabel*>(QStringLiteral("output.bubble_share"))->text().isEmpty());
        auto* curve = figure->findChild<FigureCurve*>();
        QCOMPARE(curve->curve().now.x(), 256.0);
        QVERIFY(curve->curve().points.size() > 20);
        auto* formula = figure->findChild<QLabel*>(QStringLiteral("formula.bubble_share"));
        QVERIFY(formula->isHidden());
        m_page->findChildren<QPushButton*>(QStringLiteral("formulas")).first()->click();
        QVERIFY(!formula->isHidden() && formula->text().contains(QStringLiteral("p")));
    }

    void slidersAreBoundToThePlan() {
        makePage();
        open("pipelines");
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        auto* figure = m_page->findChildren<PlaybookFigure*>().first();
        auto* apply = figure->findChild<QPushButton*>(QStringLiteral("figureApply"));
        QVERIFY(!apply->isEnabled());
        const auto before = m_plan->document().config.parallel.pp;
        auto* slider = figure->findChild<QSlider*>(QStringLiteral("slider.pp"));
        slider->setValue(before == 1 ? 500 : 0);
        QVERIFY(apply->isEnabled());
        QCOMPARE(m_plan->document().config.parallel.pp, before);  // nothing happens by itself
        apply->click();
        QVERIFY(m_plan->document().config.parallel.pp != before);
        test::settle();
        m_plan->undoStack()->undo();
        QCOMPARE(m_plan->document().config.parallel.pp, before);
    }

    void everyChapterHasAPictureOfThePlan() {
        const auto playbook = readPlaybook(kContent);
        for (const Chapter& chapter : playbook->chapters)
            QVERIFY(addGuess(m_home->home, {chapter.id, 1, 1, ""}).has_value());
        makePage();
        int drawn = 0;
        for (const Chapter& chapter : playbook->chapters) {
            open(chapter.id.c_str());
            auto* picture = part<DrawingView>("ideaPicture");
            if (picture == nullptr) {  // the open plan lacks its figures, such as the peak of this CPU
                QVERIFY2(!chapterPicture(chapter.id, *m_plan->plan(), Language::English), chapter.id.c_str());
                continue;
            }
            ++drawn;
            QVERIFY2(picture, chapter.id.c_str());
            QVERIFY2(picture->summary().size() > 20 && !picture->dataTable().rows.isEmpty(), chapter.id.c_str());
            QVERIFY2(test::numColours(picture->grab().toImage()) > 8, chapter.id.c_str());
            EVENTUALLY_IS(picture->height(), picture->heightForWidth(picture->width()));
        }
        QVERIFY2(drawn >= 16, qPrintable(QString::number(drawn)));
    }

    /// A record of another computer is taken, shown as theirs, and leaves the own verdict as it is.
    void aRecordOfOthersIsTheirs() {
        storeL6();
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        QVERIFY(addGuess(m_home->home, {"L6", 0.5, 1, ""}).has_value());
        makePage();
        open("pipelines");
        const QString file = m_home->dir.filePath(QStringLiteral("l6.record.json"));
        dialogAnswers().file = file;
        part<QPushButton>("saveRecord")->click();
        EVENTUALLY(QFile::exists(file));
        Json record = *readJsonFile(file.toStdString());
        QCOMPARE(QString::fromStdString(record["host"].get<std::string>()), QString::fromStdString(thisHost().host));
        record["host"] = "gpu-lab";
        record["processor"] = "EPYC";
        record["measured"]["step_seconds"]["AFAB, m 2"] = {0.98, 0.98, 0.98};
        QVERIFY(writeJsonFile(file.toStdString(), record).has_value());
        open("claims");
        part<QPushButton>("takeRecord")->click();
        EVENTUALLY(m_controller->records().size() == 2);
        QVERIFY(part<QLabel>("playbookClaimsSummary")->text().contains(QStringLiteral("0 contradicted")));
        open("pipelines");
        QCOMPARE(part<QLabel>("verdict")->text(), QStringLiteral("agrees"));
        bool isTheirs = false;
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            isTheirs |= plain(label->text()).contains(QStringLiteral("Measured by others on gpu-lab, EPYC, 2 CPUs"));
        QVERIFY(isTheirs);
    }

    void theVerdictOfAStoredRecordIsShown() {
        storeL6();
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        makePage();
        open("pipelines");
        QVERIFY(part<QLabel>("verdict") == nullptr);  // the experiment's own guess comes first
        typeGuess(QStringLiteral("L6"), QStringLiteral("0.5"));
        EVENTUALLY(part<QLabel>("verdict") != nullptr);
        QCOMPARE(part<QLabel>("verdict")->text(), QStringLiteral("agrees"));
        const auto& marks = part<NumberLine>("numberLine")->marks();
        QCOMPARE(marks.size(), std::size_t(3));  // published, measured, guess
        QCOMPARE(marks.front().value, 0.5);
        QSignalSpy sweep(m_page.get(), &Page::wantsSweep);
        part<QPushButton>("openSweep")->click();
        QCOMPARE(sweep.size(), 1);
        open("guesses");
        QVERIFY2(part<QLabel>("playbookGuessesSummary")->text().contains(QStringLiteral("0 of 2")),
                 qPrintable(part<QLabel>("playbookGuessesSummary")->text()));
        QCOMPARE(part<QTableView>("playbookGuesses")->model()->rowCount(), 2);
        open("claims");
        QVERIFY(part<QLabel>("playbookClaimsSummary")->text().startsWith(QStringLiteral("3 confirmed, 0")) ||
                part<QLabel>("playbookClaimsSummary")->text().contains(QStringLiteral("confirmed, 0 contradicted")));
    }

    void runStartsTheCommand() {
        // The program beside the agent keeps the words it is given.
        const std::filesystem::path folder = m_home->dir.path().toStdString();
        std::ofstream(folder / "slipway") << "#!/bin/sh\necho \"$@\" > '" << (folder / "words").string() << "'\n";
        std::filesystem::permissions(folder / "slipway", std::filesystem::perms::owner_all);
        m_home->programs.agent = folder / "slipway-agent";
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        QVERIFY(addGuess(m_home->home, {"L6", 0.5, 1, ""}).has_value());
        makePage();
        open("pipelines");
        part<QPushButton>("runShort")->click();
        QCOMPARE(m_controller->running(), std::string("L6"));
        QVERIFY(!part<QPushButton>("runFull")->isEnabled());
        EVENTUALLY(m_controller->running().empty());
        const auto words = readFile(folder / "words");
        QVERIFY(words.has_value());
        QVERIFY2(QString::fromStdString(*words).contains(QStringLiteral("playbook run L6 --content")) &&
                     QString::fromStdString(*words).contains(QStringLiteral("--short")),
                 words->c_str());
    }

    void aRunThatCannotStartSaysSo() {
        m_home->programs.agent = m_home->dir.filePath(QStringLiteral("slipway-agent")).toStdString();  // and no slipway
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        QVERIFY(addGuess(m_home->home, {"L6", 0.5, 1, ""}).has_value());
        makePage();
        open("pipelines");
        QSignalSpy said(m_page.get(), &Page::said);
        part<QPushButton>("runShort")->click();
        EVENTUALLY(m_controller->running().empty());
        QVERIFY(!said.isEmpty());
        test::settle();
        QVERIFY(part<QPushButton>("runShort")->isEnabled());
    }

    void aDamagedFileIsNamedAndTheRestStays() {
        const std::filesystem::path copy = std::filesystem::path(m_home->dir.path().toStdString()) / "playbook";
        std::filesystem::copy(kContent, copy, std::filesystem::copy_options::recursive);
        std::ofstream(copy / "experiments/L6.json") << "{ cut off";
        qputenv("SLIPWAY_PLAYBOOK_DIR", copy.string().c_str());
        makePage();
        QCOMPARE(list()->count(), 22);
        QVERIFY2(m_page->header()->notice().contains(QStringLiteral("L6.json")),
                 qPrintable(m_page->header()->notice()));
        open("pipelines");
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        QVERIFY(part<QWidget>("experiment.K3") != nullptr);
        QVERIFY(part<QWidget>("experiment.L6") == nullptr);
    }

    void aPlanThatBreaksARuleMarksItsChapter() {
        makePage();
        const auto isMarked = [this] { return list()->item(10)->toolTip().contains(QStringLiteral("breaks")); };
        PlanDocument document = m_plan->document();
        document.config.parallel = {};
        document.config.parallel.dp = 8;
        document.config.parallel.pp = 8;
        document.config.train.microBatchSize = 1;
        document.config.train.globalBatchSize = 16;
        m_plan->load(document);
        EVENTUALLY(isMarked());
        document.config.train.globalBatchSize = 1024;
        m_plan->load(document);
        EVENTUALLY(!isMarked());
    }

    void theReportHasTheOwnResults() {
        storeL6();
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        makePage();
        open("data");
        QVERIFY(!part<QPushButton>("chapterReport")->isEnabled());  // it would answer the question
        open("pipelines");
        const QString file = m_home->dir.filePath(QStringLiteral("chapter.html"));
        dialogAnswers().file = file;
        part<QPushButton>("chapterReport")->click();
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("reportDialog"));
        QVERIFY(dialog != nullptr);
        auto* save = dialog->findChild<QPushButton*>(QStringLiteral("reportSave"));
        EVENTUALLY(save->isEnabled());
        save->click();
        EVENTUALLY(QFile::exists(file));
        test::settle();
        const auto html = readFile(file.toStdString());
        QVERIFY(html && html->find("agrees") != std::string::npos &&
                html->find("15 % of the step") != std::string::npos);
        QVERIFY(html->find("class=\"curve") != std::string::npos);  // the figure of the chapter
    }

    void aNoteStaysBesideAnExperiment() {
        makePage();
        open("pipelines");
        typeGuess(QStringLiteral("pipelines"), QStringLiteral("15"));
        typeGuess(QStringLiteral("L6"), QStringLiteral("0.7"));
        auto* note = part<QLineEdit>("note");
        note->setText(QStringLiteral("the fan was loud"));
        QTest::keyClick(note, Qt::Key_Return);
        EVENTUALLY_IS(m_controller->remarkOn("L6"), std::string("the fan was loud"));
        test::settle();
        QCOMPARE(part<QLineEdit>("note")->text(), QStringLiteral("the fan was loud"));
        QCOMPARE(remarksOf(m_home->home)->at("L6"), std::string("the fan was loud"));
    }

    void anExperimentForOtherHardwareIsExported() {
        makePage();
        open("links_collectives");
        typeGuess(QStringLiteral("links_collectives"), QStringLiteral("1"));
        typeGuess(QStringLiteral("K5"), QStringLiteral("500"));
        const QString file = QString::fromStdString((m_home->home.path / "k5.sh").string());
        dialogAnswers().file = file;
        part<QPushButton>("export")->click();
        EVENTUALLY(QFile::exists(file));
        EVENTUALLY(readFile(file.toStdString())->find("all_reduce") != std::string::npos);
    }

    void pointsAreTickedByHand() {
        makePage();
        open("overview");
        auto* box = part<QCheckBox>("point.storage");
        QVERIFY(box && !box->isChecked());
        box->click();
        EVENTUALLY_IS(m_controller->remarkOn("preflight/storage"), std::string("done"));
        test::settle();
        QVERIFY(part<QCheckBox>("point.storage")->isChecked());
        part<QCheckBox>("point.storage")->click();
        EVENTUALLY(m_controller->remarkOn("preflight/storage").empty());
        QVERIFY(remarksOf(m_home->home)->empty());
    }

    void theCatalogueListsSystemsModelsWords() {
        makePage();
        open("overview");
        QString all;
        for (const QLabel* label : part<QScrollArea>("shelfCatalogue")->findChildren<QLabel*>())
            all += plain(label->text());
        for (const char* text : {"Megatron-LM", "Falcon 180B", "GPT-4", "unpublished", "bubble = 버블"})
            QVERIFY2(all.contains(QString::fromUtf8(text)), text);
    }

    /// The published list until a page is here; then every layout of the selected cell, the failed ones included.
    void theBenchmarkIsExplored() {
        for (const char* subject : {"finding_layout", "K1"})
            QVERIFY(addGuess(m_home->home, {subject, 1, 1, ""}).has_value());
        makePage();
        open("benchmark");
        auto* best = part<QTableView>("benchmarkBest");
        auto* layouts = part<QTableView>("benchmarkLayouts");
        QCOMPARE(best->model()->rowCount(), 28);
        QVERIFY(layouts->isHidden());
        part<QComboBox>("benchmarkModel")->setCurrentText(QStringLiteral("8B"));
        QCOMPARE(best->model()->rowCount(), 7);
        part<QComboBox>("benchmarkModel")->setCurrentIndex(0);
        dialogAnswers().confirm = false;
        part<QPushButton>("benchmarkFetch")->click();
        QVERIFY(!m_controller->isFetching());
        QSignalSpy said(m_controller.get(), &PlaybookController::said);
        const std::string file = (m_home->home.path / "page.html").string();
        dialogAnswers().file = qs(file);
        QVERIFY(writeFileAtomically(file, "another page"));
        part<QPushButton>("benchmarkFile")->click();
        EVENTUALLY(said.count() == 1 && part<QPushButton>("benchmarkFile")->isEnabled());
        const auto hover = [](const char* nodes, const char* layout, const char* rest) {
            return std::string("\"Model: 1B<br>Nodes: ") + nodes + "<br>" + layout + rest + '"';
        };
        const char* wide = "DP: 64<br>TP: 1<br>PP: 1<br>Micro batch: 1<br>Grad acc: 4<br>ZeRO: 1";
        const std::string rows =
            hover("8", "DP: 64<br>TP: 1<br>PP: 1<br>Micro batch: 1<br>Grad acc: 4<br>ZeRO: 0", "") + ", " +
            hover("8", wide, "<br>Tokens/s/GPU: 31297<br>MFU: 30.5%<br>Memory: 40") + ", " +
            hover("1", "DP: 8<br>TP: 1<br>PP: 1<br>Micro batch: 2<br>Grad acc: 16<br>ZeRO: 0",
                  "<br>Tokens/s/GPU: 40150<br>MFU: 39.2%<br>Memory: 50.2");
        QVERIFY(writeFileAtomically(file, "Plotly.newPlot(\"p\", [{\"text\": [" + rows + "]}], {})"));
        part<QPushButton>("benchmarkFile")->click();
        EVENTUALLY(m_controller->playbook() != nullptr && m_controller->benchmark()->cells.size() == 2);
        test::settle();
        QCOMPARE(best->model()->rowCount(), 2);
        best->selectRow(1);
        QCOMPARE(layouts->model()->rowCount(), 2);
        QVERIFY(!layouts->isHidden() && part<QPushButton>("benchmarkFetch")->isHidden());
        QVERIFY(part<DrawingView>("benchmarkPlot") != nullptr);
        const auto text = [layouts](int row, int column) {
            return layouts->model()->index(row, column).data().toString();
        };
        QCOMPARE(text(0, 0), QStringLiteral("DP64 TP1 PP1 acc4 mbs1 Z1"));
        QCOMPARE(plain(text(0, 3)), percentText(0.305));
        QCOMPARE(text(1, 1), QStringLiteral("failed"));
        const QString summary = plain(part<QLabel>("benchmarkSummary")->text());
        QVERIFY2(summary.contains(QStringLiteral("3 layouts of the fetched page: 2 ran, 1 failed")),
                 qPrintable(summary));
        open("finding_layout");
        QStringList found;
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            if (plain(label->text()).contains(QStringLiteral(" (expected "))) found.append(plain(label->text()));
        QVERIFY2(found.join('\n').contains(QStringLiteral("0.7795 (expected 0.78 ± 0.1)")),
                 qPrintable(found.join('\n')));
        QCOMPARE(part<QLabel>("replayVerdict")->text(), QStringLiteral("agrees"));  // 512 GPUs are not on this page
    }

    void korean() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        QVERIFY(addGuess(m_home->home, {"pipelines", 15, 1, ""}).has_value());
        makePage();
        open("pipelines");
        QCOMPARE(m_page->header()->title(), QStringLiteral("파이프라인"));
        QVERIFY(plain(part<QLabel>("idea")->text()).contains(QStringLiteral("마이크로배치")));
        for (const QLabel* label : part<QScrollArea>("chapterText")->findChildren<QLabel*>())
            QVERIFY2(!label->text().contains(QStringLiteral("Your guess")), qPrintable(label->text()));
        open("claims");
        QVERIFY(plain(part<QLabel>("playbookClaimsSummary")->text()).contains(QStringLiteral("검증 전")));
        open("benchmark");
        QVERIFY(plain(part<QLabel>("benchmarkSummary")->text()).contains(QStringLiteral("공개된 최적 구성 목록")));
    }
};

SLIPWAY_TEST(TstPlaybookPage)
#include "tst_playbook_page.moc"
