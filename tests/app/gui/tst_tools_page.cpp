// The page Tools with its real widgets: every figure is core's, typed and slid questions are answered, and the plan gets the model.
#include "app/gui/pages/devices_view.h"
#include "app/gui/pages/laws_view.h"
#include "app/gui/pages/lint_view.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/tools_page.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/amount_edit.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/answer_table.h"
#include "app/gui/widgets/curve_plot.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/part_bars.h"
#include "app/gui/widgets/spec_form.h"
#include "core/answers/cost_answer.h"
#include "core/answers/tpu_answer.h"
#include "core/base/file.h"
#include "core/planner/count/parameters.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>

using namespace slipway;
using namespace slipway::gui;

class TstToolsPage : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<PlanController> m_plan;
    std::unique_ptr<ToolsPage> m_page;

    template <class T>
    T* part(const char* name) const {
        return m_page->findChild<T*>(QString::fromLatin1(name));
    }
    void type(const char* amount, const QString& text) {
        QLineEdit* edit = part<AmountEdit>(amount)->edit();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    LawsView* laws() const { return static_cast<LawsView*>(m_page->tab(ToolTab::Laws)); }

private slots:
    void initTestCase() { test::useLook(); }
    void init() {
        m_home = std::make_unique<test::GuiHome>();
        QVERIFY(m_home->start());
        m_plan = std::make_unique<PlanController>(*m_home->context);
        m_page = std::make_unique<ToolsPage>(*m_home->context, *m_plan, nullptr);
        m_page->resize(1270, 840);
        m_page->show();
        QApplication::setActiveWindow(m_page.get());
        test::settle();
    }
    void cleanup() {
        m_page.reset();
        m_plan.reset();
        closeThreadStore();
        m_home.reset();
        useUserHardware({});
        WindowLanguage().apply(QStringLiteral("en"));
    }

    // Strip, table and charts have the figures of core, after typing as after sliding.
    void lawsShowCoresFigures() {
        type("lawFlops", QStringLiteral("5.88e23"));
        const LawQuestion& q = laws()->question();
        QCOMPARE(*q.flops, 5.88e23);
        Json best, rows;
        const auto view = optimumAnswer(q, best);
        QVERIFY(view && rulesAnswer(q, rows));
        auto* strip = part<AnswerStrip>("lawAnswers");
        QCOMPARE(strip->figure(0), figureBasis(*view, best, "parameters").value);
        QCOMPARE(strip->figure(1), figureBasis(*view, best, "tokens").value);
        QCOMPARE(strip->figure(4), QStringLiteral("70.0\u202fB"));
        auto* table = part<AnswerTable>("laws");
        QCOMPARE(table->model()->rowCount(), 11);
        QCOMPARE(table->cell(0, 0), QStringLiteral("Corrected Chinchilla"));
        QCOMPARE(table->cell(7, 0), QStringLiteral("Kaplan"));
        QCOMPARE(table->cell(7, 5), QStringLiteral("n/a"));
        QCOMPARE(table->cell(6, 4), QStringLiteral("1.1955"));
        // The curves are core's points; the first is the chosen law's.
        const auto& curves = part<CurvePlot>("valley")->curves();
        QCOMPARE(curves.size(), std::size_t{3});
        Json valley;
        QVERIFY(isoFlopAnswer(q, valley));
        QCOMPARE(curves[0].points.size(), valley["rows"].size());
        QCOMPARE(curves[0].points[7].y(), valley["rows"][7]["loss"].get<double>());
        QVERIFY(part<QLabel>("servingNote")->text().contains(QStringLiteral("half")));

        QSlider* slider = part<AmountEdit>("lawFlops")->slider();
        slider->setValue(2400);
        QCOMPARE(*laws()->question().flops, 1e24);
        QVERIFY(part<AnswerStrip>("lawAnswers")->figure(0) != figureBasis(*view, best, "parameters").value);
        QVERIFY(laws()->title().contains(QStringLiteral("1e+24")));
        QVERIFY(test::numColours(m_page->grab().toImage()) > 50);
    }

    // A text that is no amount says so beside the edit; the figures stay.
    void aBadAmountChangesNothing() {
        const QString before = part<AnswerStrip>("lawAnswers")->figure(0);
        type("lawFlops", QStringLiteral("many"));
        QCOMPARE(*laws()->question().flops, 1e23);
        QCOMPARE(part<AnswerStrip>("lawAnswers")->figure(0), before);
        bool isTold = false;
        for (const QLabel* label : part<AmountEdit>("lawFlops")->findChildren<QLabel*>())
            isTold = isTold || (label->isVisible() && label->text().remove(QChar(0x2060)).contains("above 0"));
        QVERIFY(isTold);
        type("lawFlops", QStringLiteral("2e22"));
        QCOMPARE(*laws()->question().flops, 2e22);
    }
    void amounts() {
        QCOMPARE(amountFrom(QStringLiteral("70B")), 70e9);
        QCOMPARE(amountFrom(QStringLiteral(" 1.4 T ")), 1.4e12);
        QCOMPARE(amountFrom(QStringLiteral("3,000")), 3000.0);
        for (const char* text : {"", "B", "x", "1e999", "nan"})
            QVERIFY(std::isnan(amountFrom(QString::fromLatin1(text))));
    }

    // A law without a loss has no valley of its own and no serving; both say why.
    void aLawWithoutLoss() {
        auto* box = part<QComboBox>("law");
        box->setCurrentIndex(box->findData(QStringLiteral("kaplan")));
        QCOMPARE(part<AnswerStrip>("lawAnswers")->figure(3), QStringLiteral("n/a"));
        QVERIFY(part<PartBars>("servingBars")->summary().contains(QStringLiteral("does not give a loss")));
        QCOMPARE(part<CurvePlot>("valley")->curves().size(), std::size_t{3});
        QVERIFY(laws()->canPrimary());
        part<QComboBox>("chosenSize")->setCurrentIndex(1);
        QVERIFY(!laws()->canPrimary());
        QVERIFY(!part<QPushButton>("toolPrimary")->isEnabled());
    }

    void planThisModel() {
        type("lawFlops", QStringLiteral("1e22"));
        type("lawServed", QStringLiteral("1e12"));
        part<QComboBox>("chosenSize")->setCurrentIndex(1);
        const auto size = chosenSize(laws()->question(), ChosenSize::Serving);
        QVERIFY(size.has_value());
        QSignalSpy opened(m_page.get(), &Page::wantsPage);
        const RunConfig before = m_plan->document().config;
        part<QPushButton>("toolPrimary")->click();
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened[0][0].value<PageId>(), PageId::Plan);
        const RunConfig& planned = m_plan->document().config;
        QVERIFY(std::fabs(countParameters(planned.model).total / size->parameters - 1) < 0.03);
        const double tokens = static_cast<double>(planned.train.numSteps) *
                              static_cast<double>(planned.train.globalBatchSize * planned.train.seqLen);
        QVERIFY(std::fabs(tokens / size->tokens - 1) < 0.001);
        QCOMPARE(planned.parallel.tp, before.parallel.tp);
        m_plan->undoStack()->undo();
        QCOMPARE(m_plan->document().config.model.hiddenSize, before.model.hiddenSize);
    }

    void theTextsOfMarksKeepApart() {
        const QRectF first(10, 100, 40, 12), second(30, 104, 40, 12);
        std::vector<QRectF> taken{first};
        QCOMPARE(clearOf(QRectF(60, 100, 40, 12), taken, 200), QRectF(60, 100, 40, 12));
        const QRectF moved = clearOf(second, taken, 200);
        QCOMPARE(moved, QRectF(30, 116, 40, 12));
        taken.push_back(moved);
        for (const QRectF& other : taken) QVERIFY(!clearOf(QRectF(20, 102, 40, 12), taken, 200).intersects(other));
        // No room below the plot: above the others.
        QCOMPARE(clearOf(second, {first}, 118), QRectF(30, 80, 40, 12));
    }

    // What does not fit side by side takes a second row before its words are cut.
    void wordsBelowFiguresAreNotCut() {
        AnswerStrip strip(2);
        strip.setAnswers(
            {{"Money", "11.6 k USD", {}, "64 x NVIDIA H100"}, {"Energy", "2,764 kWh", {}, "carbon needs g/kWh"}});
        strip.resize(600, 82);
        strip.show();
        const int oneRow = strip.minimumSizeHint().height();
        strip.resize(220, 82);
        QVERIFY(strip.minimumSizeHint().height() > oneRow);
    }

    void formulasOnDemand() {
        auto* table = part<AnswerTable>("laws");
        table->setFocus();
        table->setCurrentIndex(table->model()->index(7, 1));
        QTest::keyClick(table, Qt::Key_Return);
        auto* dialog = m_page->findChild<QDialog*>(QStringLiteral("figureBasis"));
        QVERIFY(dialog);
        const auto says = [&](const char* name) {
            return dialog->findChild<QLabel*>(QString::fromLatin1(name))->text().remove(QChar(0x2060));
        };
        QVERIFY(says("formula").contains(QStringLiteral("PF-day")));
        QVERIFY(says("source").contains(QStringLiteral("2001.08361")));
    }

    // Of the open plan the same as core says of it; a budget needs its figures, and says at the field which one is missing.
    void costOfThePlanAndOfABudget() {
        m_page->showTab(ToolTab::Cost);
        EVENTUALLY(m_plan->plan());
        test::settle();
        Json json;
        CostInput input;
        input.nodeMtbfDays = 264;
        input.checkpointSeconds = 60;
        input.restartSeconds = 600;
        const auto basis = costOfPlan(input, *m_plan->plan());
        QVERIFY(basis.has_value());
        const AnswerView view = costAnswer(*basis, json);
        auto* strip = part<AnswerStrip>("costAnswers");
        QCOMPARE(strip->figure(0), figureBasis(view, json, "device_hours").value);
        QCOMPARE(strip->figure(1), figureBasis(view, json, "busy_seconds").value);
        QCOMPARE(part<AnswerTable>("offers")->model()->rowCount(), static_cast<int>(json["listed_prices"].size()));
        QVERIFY(json["listed_prices"].size() > 3);

        auto* form = part<SpecForm>("costForm");
        QVERIFY(!form->editor("mfu")->isEnabled());
        part<QComboBox>("costOf")->setCurrentIndex(1);
        QVERIFY(form->editor("mfu")->isEnabled());
        QVERIFY(strip->figure(0) != figureBasis(view, json, "device_hours").value);
        emit form->edited(QStringLiteral("mfu"), QString());
        QVERIFY(form->issueShownAt("mfu").remove(QChar(0x2060)).contains(QStringLiteral("fraction of the peak")));
        QCOMPARE(strip->figure(0), unknownText());
        emit form->edited(QStringLiteral("mfu"), QStringLiteral("0.4"));
        QVERIFY(form->issueShownAt("mfu").isEmpty());
        // Buying needs a price.
        QVERIFY(part<CurvePlot>("buyOrRent")->curves().empty());
        emit form->edited(QStringLiteral("price"), QStringLiteral("2"));
        emit form->edited(QStringLiteral("buy_price"), QStringLiteral("20000"));
        QCOMPARE(part<CurvePlot>("buyOrRent")->curves().size(), std::size_t{2});
        QVERIFY(strip->figure(5).startsWith(QStringLiteral("10,000")) ||
                strip->figure(5).startsWith(QStringLiteral("10.0")));
    }

    // At 1024 pixels a bar is below the columns: it hides neither edition.
    void bothEditionsFitANarrowWindow() {
        m_page->resize(1024, 700);
        m_page->showTab(ToolTab::Tpu);
        test::settle();
        auto* editions = part<QTableView>("editions");
        const QRect second = editions->visualRect(editions->model()->index(1, 0));
        const QString seen = QStringLiteral("%1 of %2").arg(second.bottom()).arg(editions->viewport()->height());
        QVERIFY2(second.bottom() <= editions->viewport()->height(), qPrintable(seen));
    }

    void tpuLimitsOfBothEditions() {
        m_page->showTab(ToolTab::Tpu);
        auto* form = part<SpecForm>("tpuForm");
        emit form->edited(QStringLiteral("pods"), QStringLiteral("4"));
        TpuInput input;
        input.pods = 4;
        input.parameters = 70e9;
        Json json;
        const auto view = tpuAnswer(input, *findDevicePreset("Google TPU v5p"), json);
        QVERIFY(view.has_value());
        auto* strip = part<AnswerStrip>("tpuAnswers");
        QCOMPARE(strip->figure(1), figureBasis(*view, json, "tokens_per_chip").value);
        QCOMPARE(strip->figure(5), figureBasis(*view, json, "chips_to_hold").value);
        auto* editions = part<AnswerTable>("editions");
        QCOMPARE(editions->model()->rowCount(), 2);
        QCOMPARE(editions->cell(0, 2), QStringLiteral("communication-bound"));
        QCOMPARE(editions->cell(1, 2), QStringLiteral("compute-bound"));
        emit form->edited(QStringLiteral("fsdp"), QStringLiteral("9000"));
        QVERIFY(part<QLabel>("tpuProblem")->isVisible());
        QVERIFY(form->issueShownAt("fsdp").contains(QStringLiteral("chips of a pod")));
    }

    // The sources of the inventory, as the command judges them; each opens as the plan that it states.
    void lintFindsWhatTheCommandFinds() {
        m_page->showTab(ToolTab::Lint);
        auto* lint = static_cast<LintView*>(m_page->tab(ToolTab::Lint));
        QVERIFY(!lint->canPrimary());
        int numJudged = 0;
        std::size_t numFound = 0;
        for (const char* name :
             {"megatron.sh", "ds_zero2.json", "titan.toml", "deepspeed.sh", "olmo.yaml", "never_saves.toml"}) {
            const QString file = QStringLiteral(SLIPWAY_TEST_DATA "/interop/sources/") + QString::fromLatin1(name);
            const auto text = readFile(file.toStdString());
            QVERIFY2(text.has_value(), name);
            lint->open(file);
            EVENTUALLY(lint->sideText() == QString::fromLatin1(name));
            const auto expected = lintText(*text, name, {});
            QVERIFY2(expected.has_value() == lint->answer().has_value(), name);
            if (!expected) continue;
            QCOMPARE(lint->answer()->issues.size(), expected->issues.size());
            for (std::size_t i = 0; i < expected->issues.size(); ++i)
                QCOMPARE(lint->answer()->issues[i].message, expected->issues[i].message);
            QCOMPARE(part<IssueList>("lintFound")->texts().size(), static_cast<qsizetype>(expected->issues.size()));
            numFound += expected->issues.size();
            ++numJudged;
        }
        QVERIFY(numJudged >= 4 && numFound >= 1);
        lint->open(QStringLiteral(SLIPWAY_TEST_DATA "/interop/sources/megatron.sh"));
        EVENTUALLY(lint->canPrimary() && lint->sideText() == QStringLiteral("megatron.sh"));
        lint->primary();
        QCOMPARE(m_plan->document().config.model.numLayers, lint->answer()->plan->model.numLayers);
        QCOMPARE(m_plan->document().config.parallel.tp, lint->answer()->plan->parallel.tp);
    }
    void lintOfPastedFacts() {
        m_page->showTab(ToolTab::Lint);
        auto* lint = static_cast<LintView*>(m_page->tab(ToolTab::Lint));
        auto* text = part<QPlainTextEdit>("lintText");
        text->setPlainText(QStringLiteral("{\n \"num_steps\": 477,\n \"save_every\": 1000\n}"));
        EVENTUALLY(lint->answer() && lint->answer()->issues.size() == 1);
        QVERIFY(!lint->canPrimary());
        QVERIFY(part<IssueList>("lintFound")->texts().join(' ').contains(QStringLiteral("interval_never_reached")));
        for (QPushButton* link : m_page->findChildren<QPushButton*>())
            if (link->text() == QStringLiteral("Line 3")) link->click();
        QCOMPARE(text->textCursor().blockNumber(), 2);
        text->setPlainText(QStringLiteral("not a script {"));
        EVENTUALLY(!lint->answer());
        QVERIFY(part<IssueList>("lintFound")->texts().join(' ').contains(QStringLiteral("cannot be read")));
    }

    // A figure that is changed is the user's: in the file, in the table, for the planner; and goes back.
    void devicesAreChangedAndRestored() {
        m_page->showTab(ToolTab::Devices);
        auto* view = static_cast<DevicesView*>(m_page->tab(ToolTab::Devices));
        auto* filter = part<QLineEdit>("deviceFilter");
        filter->setText(QStringLiteral("h100 sxm"));
        auto* devices = part<QTableView>("devices");
        QCOMPARE(devices->model()->rowCount(), 1);
        const auto whose = [&] { return devices->model()->index(0, 7).data().toString(); };
        QCOMPARE(whose(), QStringLiteral("library"));
        auto* form = part<SpecForm>("deviceForm");
        QSignalSpy changed(view, &DevicesView::hardwareChanged);
        emit form->edited(QStringLiteral("cluster.device.memory_bytes"), QStringLiteral("-4"));
        QVERIFY(!form->issueShownAt("cluster.device.memory_bytes").isEmpty());
        QCOMPARE(changed.size(), 0);
        emit form->edited(QStringLiteral("cluster.device.price_per_hour"), QStringLiteral("2.1"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(whose(), QStringLiteral("changed by you"));
        const auto file = m_home->home.path / kUserHardwareFile;
        QCOMPARE(*readUserHardware(file)->devices.at(0).device.pricePerHour, 2.1);
        QCOMPARE(*findDevicePreset("NVIDIA H100 SXM 80 GB")->device.pricePerHour, 2.1);
        auto* figures = part<QTableView>("deviceFigures")->model();
        int numUsers = 0;
        for (int row = 0; row < figures->rowCount(); ++row) {
            QVERIFY(!figures->index(row, 2).data().toString().isEmpty());
            numUsers += figures->index(row, 2).data().toString() == QStringLiteral("you");
        }
        QCOMPARE(numUsers, 1);
        part<QLineEdit>("priceOffer")->setText(QStringLiteral("us"));
        part<QLineEdit>("priceValue")->setText(QStringLiteral("cheap"));
        part<QPushButton>("addPrice")->click();
        QVERIFY(part<QLabel>("devicesProblem")->isVisible());
        part<QLineEdit>("priceValue")->setText(QStringLiteral("1.5"));
        part<QLineEdit>("priceCurrency")->setText(QStringLiteral("USD"));
        part<QLineEdit>("priceSource")->setText(QStringLiteral("contract"));
        part<QPushButton>("addPrice")->click();
        QVERIFY(!part<QLabel>("devicesProblem")->isVisible());
        QCOMPARE(*listedPrice("NVIDIA H100 SXM 80 GB", "us"), 1.5);
        part<QPushButton>("restoreDevice")->click();
        QCOMPARE(whose(), QStringLiteral("library"));
        QVERIFY(readUserHardware(file)->devices.empty());
    }

    void korean() {
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        m_page = std::make_unique<ToolsPage>(*m_home->context, *m_plan, nullptr);
        m_page->resize(1014, 640);
        m_page->show();
        test::settle();
        static const QRegularExpression hangul(QStringLiteral("[가-힣]"));
        QVERIFY(laws()->title().contains(hangul));
        QVERIFY(part<AnswerTable>("laws")->model()->headerData(1, Qt::Horizontal).toString().contains(hangul));
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            if (label->isVisible() && !label->wordWrap()) QVERIFY(label->sizeHint().width() <= m_page->width());
    }
};

SLIPWAY_TEST(TstToolsPage)
#include "tst_tools_page.moc"
