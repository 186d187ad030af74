// Parts of the Playbook page that answer: exercises with an edition switch, typed matrices and words of figures, sliders that begin at the
// plan, published data.
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_figure.h"
#include "app/gui/pages/playbook_page.h"
#include "app/gui/pages/sweeps_controller.h"
#include "app/gui/text/language.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/drawing_view.h"
#include "app/gui/widgets/number_line.h"
#include "core/base/file.h"
#include "core/playbook/plan_figures.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QWheelEvent>
#include <algorithm>

using namespace slipway;
using namespace slipway::gui;

class TstPlaybookParts : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<PlanController> m_plan;
    std::unique_ptr<SweepsController> m_sweeps;
    std::unique_ptr<PlaybookController> m_controller;
    std::unique_ptr<PlaybookPage> m_page;

    void open(const char* place) {
        if (!m_page) {
            QVERIFY(m_home->start());
            m_plan = std::make_unique<PlanController>(*m_home->context);
            m_sweeps = std::make_unique<SweepsController>(*m_home->context);
            m_controller = std::make_unique<PlaybookController>(*m_home->context, *m_plan, *m_sweeps);
            m_page = std::make_unique<PlaybookPage>(*m_home->context, *m_controller, nullptr);
            m_page->resize(1270, 840);
            m_page->show();
            EVENTUALLY(m_controller->playbook() != nullptr && m_plan->plan() != nullptr);
        }
        m_page->open(place);
        test::settle();
    }
    void guessed(const char* subject, double value) {
        QVERIFY(addGuess(m_home->home, {subject, value, 1, ""}).has_value());
    }
    /// The last one made: those of an earlier showing may still wait for their deletion.
    template <class T>
    T* part(const char* name) const {
        const auto all = m_page->findChildren<T*>(QString::fromLatin1(name));
        return all.isEmpty() ? nullptr : all.last();
    }
    static QString plain(QString text) { return text.remove(QChar(0x2060)).replace(QChar(0x202f), QLatin1Char(' ')); }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        qputenv("SLIPWAY_PLAYBOOK_DIR", SLIPWAY_SOURCE_DIR "/experiments/playbook");
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

    // L3's file has no short form, so it has one button.
    void oneFormHasOneButton() {
        guessed("data_parallel", 3);
        guessed("L3", 1);
        open("data_parallel");
        EVENTUALLY(part<QPushButton>("runFull") != nullptr);
        QVERIFY(part<QPushButton>("runShort") == nullptr);
        EVENTUALLY(part<QLabel>("cost")->text().contains(QStringLiteral("9")));
        QVERIFY(!part<QLabel>("cost")->text().contains(QLatin1Char('\n')));
    }
    void longTitlesWrap() {
        open("data_parallel");
        auto* list = part<QListWidget>("playbookList");
        list->resize(219, 700);
        test::settle();
        int single = 0, taller = 0;
        for (int row = 0; row < list->count(); ++row) {
            const int height = list->visualItemRect(list->item(row)).height();
            if (list->item(row)->text() == QStringLiteral("Data")) single = height;
            if (list->item(row)->text().startsWith(QStringLiteral("Recomputation"))) taller = height;
        }
        QVERIFY2(single > 0 && taller > single, qPrintable(QString("%1 %2").arg(single).arg(taller)));
    }
    void ticksDiffer() {
        QCOMPARE(NumberLine::tickTexts({0.4, 0.5}), (QStringList{"0.4", "0.5"}));
        QCOMPARE(NumberLine::tickTexts({1 - 5e-7, 1.0, 1 + 5e-7}), (QStringList{"1 \u2212 5e-07", "1", "1 + 5e-07"}));
    }

    void anExerciseHasEditions() {
        guessed("exercises", 11);
        open("exercises");
        QVERIFY(part<QWidget>("solution") == nullptr);
        part<QLineEdit>("guess.exercises/llama70b")->setText(QStringLiteral("2"));
        part<QPushButton>("makeGuess.exercises/llama70b")->click();
        EVENTUALLY(m_controller->guessFor("exercises/llama70b") != nullptr);
        test::settle();
        const auto answer = [this] { return plain(part<QLabel>("answer")->text()); };
        QVERIFY2(answer().startsWith(QStringLiteral("Answer: 0.9844 times")), qPrintable(answer()));
        part<QPushButton>("edition.first")->click();
        test::settle();
        QVERIFY2(answer().startsWith(QStringLiteral("Answer: 1.969 times")), qPrintable(answer()));
        open("guesses");
        QCOMPARE(part<QTableView>("playbookGuesses")->model()->rowCount(), 2);
    }
    void matricesAreTyped() {
        guessed("tensor_parallel", 1);
        open("tensor_parallel");
        const auto product = [this] { return plain(part<QLabel>("output.product")->text()); };
        QCOMPARE(product(), QStringLiteral("19, 22; 43, 50"));
        part<QLineEdit>("edit.a")->setText(QStringLiteral("1 0; 0 2"));
        QCOMPARE(product(), QStringLiteral("5, 6; 14, 16"));
        part<QLineEdit>("edit.a")->setText(QStringLiteral("1 x; 0 2"));
        QVERIFY(product() != QStringLiteral("5, 6; 14, 16"));  // refused, and said
        part<QLineEdit>("edit.a")->setText(QStringLiteral("1 2; 3 4"));
        const QString byColumn = part<QLabel>("output.rank0")->text();
        part<QComboBox>("edit.split")->setCurrentText(QStringLiteral("row"));
        QCOMPARE(product(), QStringLiteral("19, 22; 43, 50"));
        QVERIFY(part<QLabel>("output.rank0")->text() != byColumn);
    }
    void slidersBeginAtThePlan() {
        guessed("checkpoints", 1);
        open("checkpoints");
        const auto of = planFigure("parameters", m_plan->document().config, m_plan->document().cluster);
        const auto figures = m_page->findChildren<PlaybookFigure*>();
        QVERIFY(of && !figures.isEmpty());
        QVERIFY(part<QPushButton>("figureBack") != nullptr && part<QPushButton>("figureApply") == nullptr);
        auto* slider = part<QSlider>("slider.parameters");
        const int begin = slider->value();
        slider->setValue(begin / 2);
        for (auto* back : m_page->findChildren<QPushButton*>(QStringLiteral("figureBack"))) back->click();
        QCOMPARE(slider->value(), begin);
    }
    /// The wheel scrolls the page past a list of words; a long head of a table wraps.
    void nothingIsWiderThanThePage() {
        guessed("data_parallel", 1);
        for (const char* id : {"L2", "L3", "L8", "N3", "K2"}) guessed(id, 1);
        open("data_parallel");
        auto* text = part<QScrollArea>("chapterText");
        QVERIFY2(text->widget()->minimumSizeHint().width() <= text->viewport()->width(),
                 qPrintable(QString::number(text->widget()->minimumSizeHint().width())));
        auto* policy = part<QComboBox>("edit.policy");
        const int chosen = policy->currentIndex();
        QWheelEvent wheel(policy->rect().center(), policy->mapToGlobal(policy->rect().center()), {}, {0, -120},
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(policy, &wheel);
        QCOMPARE(policy->currentIndex(), chosen);
    }
    /// What each experiment takes is in the list, before any is opened.
    void theListHasWhatEachTakes() {
        open("overview");
        const auto* experiments = part<QTableView>("shelfExperiments")->model();
        const auto cell = [experiments](int row, int column) {
            return plain(experiments->index(row, column).data().toString());
        };
        EVENTUALLY(!cell(2, 3).isEmpty());
        QCOMPARE(cell(2, 0), QStringLiteral("L3"));
        QCOMPARE(cell(2, 3), QStringLiteral("3 × 3"));
        QVERIFY(!cell(2, 4).isEmpty() && !cell(2, 5).isEmpty() && cell(2, 6).contains(QStringLiteral("KiB")));
    }
    /// One sentence in place of an empty box: what the experiment needs, and how to take it there.
    void withoutPublishedDataItSaysWhatIsNeeded() {
        for (const char* id : {"pipelines", "K3"}) guessed(id, 1);
        open("pipelines");
        const auto labels = m_page->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            const QString text = plain(label->text());
            return text.contains(QStringLiteral("no published data")) && text.contains(QStringLiteral("64 GPUs")) &&
                   text.contains(QStringLiteral("--write slurm"));
        }));
    }
    /// Keys of the content are read by people in their language.
    void wordsAreInTheLanguageOfTheWindow() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        guessed("stability", 1);
        open("stability");
        QCOMPARE(part<QLabel>("output.curve_verdict")->text(), QStringLiteral("하강"));
        const QString curve = part<QLabel>("output.source_curve")->text();
        QVERIFY2(curve.startsWith(QStringLiteral("평균 2.95, 표준편차 ")), qPrintable(curve));
        auto* rule = part<QComboBox>("edit.spike_rule");
        QCOMPARE(rule->currentText(), QStringLiteral("강건 z 점수"));
        rule->setCurrentText(QStringLiteral("평균의 3배"));
        QCOMPARE(plain(part<QLabel>("output.spike_limit")->text()), QStringLiteral("7.5 nats"));
    }
    /// Rows of a figure are a table with a head, as wide as the figure.
    void rowsAreATable() {
        guessed("one_device_memory", 1);
        open("one_device_memory");
        QVERIFY(part<QLabel>("output.policies")->isHidden());
        QStringList cells;
        for (const QLabel* label : part<QScrollArea>("chapterText")->findChildren<QLabel*>())
            cells.append(plain(label->text()));
        for (const char* text : {"Bytes per parameter", "ZeRO paper (16 B)", "fp32 accumulation (20 B)"})
            QVERIFY2(cells.contains(QString::fromLatin1(text)), text);
    }
    void publishedDataAreReplayed() {
        guessed("data_parallel", 1);
        guessed("K2", 1);
        open("data_parallel");
        auto* replay = part<QPushButton>("replay");
        QVERIFY(replay != nullptr);
        dialogAnswers().confirm = false;  // read what would be fetched, and decline
        replay->click();
        QVERIFY(!m_controller->isFetching());
        const slipway::Reference reference = *m_controller->benchmark()->data.reference("llm_foundry");
        QSignalSpy said(m_controller.get(), &PlaybookController::said);
        const std::string file = (m_home->home.path / "tables.md").string();
        QVERIFY(writeFileAtomically(file, "another document").has_value());
        m_controller->takeReference(reference, file);  // its checksum is known
        EVENTUALLY(said.count() == 1 && !m_controller->isFetching());
        QVERIFY(part<QPushButton>("replay") != nullptr);
    }
    void thePlannerHasTheDiagram() {
        open("overview");
        QVERIFY(part<DrawingView>("plannerDiagram") != nullptr);
        for (const char* id : {"bloom_log", "nccl_tables", "llm_foundry"})
            QVERIFY2(part<QPushButton>((std::string("fetch.") + id).c_str()) != nullptr, id);
    }
};

SLIPWAY_TEST(TstPlaybookParts)
#include "tst_playbook_parts.moc"
