#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/search_controller.h"
#include "app/gui/pages/search_pictures.h"
#include "app/gui/text/language.h"
#include "app/gui/text/layout_words.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/planner/search/search_request.h"
#include "core/sweep/sweep_file.h"
#include "core/sweep/trial.h"
#include "tests/app/gui/gui_fixture.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QSignalSpy>
#include <set>

using namespace slipway;
using namespace slipway::gui;

using State = SearchController::State;

class TstSearchController : public QObject {
    Q_OBJECT
    std::unique_ptr<test::GuiHome> m_home;
    std::unique_ptr<PlanController> m_plan;

    SearchController& search() { return m_plan->search(); }
    void limit(SearchAxis axis, const std::string& text) {
        SearchQuestion question = search().question();
        question.axes[static_cast<std::size_t>(axis)] = text;
        search().setQuestion(question);
    }
    bool run() {
        search().start();
        return QTest::qWaitFor([this] { return !search().isRunning(); }, test::kPatienceMilliseconds);
    }

    static std::string keyText(const FoundLayout& l) { return layoutText(l.parallel, l.microBatchSize, l.recompute); }

private slots:
    void init() {
        m_home = std::make_unique<test::GuiHome>();
        QVERIFY(m_home->start());
        m_plan = std::make_unique<PlanController>(*m_home->context);
    }
    void cleanup() {
        m_plan.reset();
        m_home.reset();
        WindowLanguage().apply(QStringLiteral("en"));
    }

    // A layout whose end stages have fewer layers keeps them so in the plan.
    void unequalLayersAreApplied() {
        limit(SearchAxis::Pp, "2..4");
        limit(SearchAxis::LayerSplit, "last_1");
        QVERIFY(run());
        const auto& rows = search().rows();
        const auto uneven = std::find_if(
            rows.begin(), rows.end(), [](const FoundRow& row) { return !row.layout.parallel.layersPerStage.empty(); });
        QVERIFY(uneven != rows.end());
        const auto layers = uneven->layout.parallel.layersPerStage;
        search().apply(static_cast<std::size_t>(uneven - rows.begin()));
        QVERIFY(m_plan->document().config.parallel.layersPerStage == layers);
        QVERIFY(search().rows()[static_cast<std::size_t>(uneven - rows.begin())].isCurrent);
    }

    // One of each family is ranked, as in `slipway search`; all variants, as with --variants.
    void familiesOrVariants() {
        const auto families = [this] {
            std::set<LayoutFamily> seen;
            std::size_t ranked = 0;
            for (const FoundRow& row : search().rows()) {
                if (row.rank == 0) continue;
                ++ranked;
                seen.insert(familyOf(row.layout.parallel, row.layout.microBatchSize, row.layout.recompute));
            }
            return std::pair{ranked, seen.size()};
        };
        QVERIFY(run());
        const auto [shortRanked, shortFamilies] = families();
        QCOMPARE(shortFamilies, shortRanked);
        const double best = search().rows()[0].layout.step.stepSeconds;
        SearchQuestion question = search().question();
        question.variants = true;
        search().setQuestion(question);
        QVERIFY(search().isStale());
        QVERIFY(run());
        const auto [allRanked, allFamilies] = families();
        QCOMPARE(allRanked, shortRanked);
        QVERIFY(allFamilies < allRanked);
        QCOMPARE(search().rows()[0].layout.step.stepSeconds, best);
    }

    // The alternatives are core's, each says in words what it changes, and one becomes the plan.
    void alternativesAreCores() {
        QVERIFY(run());
        const auto answer = [this](std::size_t row) {
            search().askAlternatives(row);
            return QTest::qWaitFor([this] { return search().alternatives().has_value(); }, test::kPatienceMilliseconds);
        };
        std::size_t row = 0;
        for (; row < search().rows().size(); ++row) {
            QVERIFY(answer(row));
            if (search().alternatives()->size() > 1) break;
        }
        QVERIFY(row < search().rows().size());
        const FoundLayout chosen = search().rows()[row].layout;
        const std::vector<FoundLayout> expected = alternativesTo(search().request(), chosen);
        QCOMPARE(search().alternatives()->size(), expected.size());
        const RunConfig from = chosen.applied(search().request().config);
        QSet<QString> changes;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const FoundLayout& other = (*search().alternatives())[i];
            QCOMPARE(keyText(other), keyText(expected[i]));
            QVERIFY(other.step.stepSeconds <= chosen.step.stepSeconds * (1 + kSameForecast));
            const QString change = layoutChangeWords(from, other.applied(search().request().config));
            QVERIFY(!change.isEmpty() && !changes.contains(change));
            changes.insert(change);
        }
        QVERIFY(layoutChangeWords(from, from).isEmpty());
        search().apply(expected.back());
        QCOMPARE(configHash(m_plan->document().config), configHash(expected.back().applied(m_plan->document().config)));
        // Where all are listed by themselves, none stands beside another.
        SearchQuestion question = search().question();
        question.variants = true;
        search().setQuestion(question);
        QVERIFY(run());
        search().askAlternatives(0);
        QVERIFY(!search().alternatives());
    }

    // The window's search is core's: the same layouts in the same order, and the whole front.
    void findsWhatCoreFinds() {
        limit(SearchAxis::Cp, "1");
        QVERIFY(run());
        QCOMPARE(search().state(), State::Done);
        auto request = requestOf(m_plan->document(), search().question());
        QVERIFY(request);
        const LayoutSearch expected = searchLayouts(*request);
        QVERIFY(search().rows().size() >= expected.best.size());
        for (std::size_t i = 0; i < expected.best.size(); ++i) {
            QCOMPARE(search().rows()[i].rank, static_cast<int>(i) + 1);
            QCOMPARE(search().rows()[i].layout.step.stepSeconds, expected.best[i].step.stepSeconds);
            QCOMPARE(search().rows()[i].layout.parallel.cp, std::int64_t(1));
        }
        const auto front = std::count_if(search().rows().begin(), search().rows().end(),
                                         [](const FoundRow& row) { return row.onFront; });
        QCOMPARE(static_cast<std::size_t>(front), expected.front.size());
        QVERIFY(!search().isStale());
    }

    void theQuestionIsThePlan_data() {
        QTest::addColumn<int>("axis");
        QTest::addColumn<QString>("text");
        QTest::newRow("value") << static_cast<int>(SearchAxis::Tp) << "4";
        QTest::newRow("range") << static_cast<int>(SearchAxis::Tp) << "2..4";
        QTest::newRow("at most") << static_cast<int>(SearchAxis::Tp) << "<=2";
        QTest::newRow("list") << static_cast<int>(SearchAxis::Tp) << "1,8";
    }
    void theQuestionIsThePlan() {
        QFETCH(int, axis);
        QFETCH(QString, text);
        limit(static_cast<SearchAxis>(axis), text.toStdString());
        const auto request = requestOf(m_plan->document(), search().question());
        QVERIFY2(request, request ? "" : request.error().message.c_str());
        QCOMPARE(request->devices, std::vector<std::int64_t>{64});
        QVERIFY(run());
        QVERIFY(!search().rows().empty());
        for (const FoundRow& row : search().rows())
            QVERIFY(request->limits.allows(SearchAxis::Tp, row.layout.parallel.tp));
    }

    void memoryIsLimited() {
        QVERIFY(run());
        double least = INFINITY, most = 0;
        for (const FoundRow& row : search().rows()) {
            least = std::min(least, row.layout.memoryPeakBytes);
            most = std::max(most, row.layout.memoryPeakBytes);
        }
        SearchQuestion question = search().question();
        question.memoryBytes = (least + most) / 2;
        QVERIFY(*question.memoryBytes < most);
        search().setQuestion(question);
        QVERIFY(search().isStale());
        QVERIFY(run());
        QVERIFY(!search().rows().empty());
        for (const FoundRow& row : search().rows()) QVERIFY(row.layout.memoryPeakBytes <= *question.memoryBytes);
        // Less than any layout needs: nothing, and the reasons say why.
        question.memoryBytes = 0.5 * kGiB;
        search().setQuestion(question);
        QVERIFY(run());
        QVERIFY(search().rows().empty());
        QVERIFY(countSentences(search().found()).join(' ').contains(QStringLiteral("more memory than a rank has")));
    }

    void aLimitThatCannotBeReadNamesItsAxis() {
        limit(SearchAxis::Pp, "4..2");
        search().start();
        QCOMPARE(search().state(), State::Failed);
        QCOMPARE(search().error().where, std::string("pp"));
        SearchQuestion question;
        question.devices = "12,x";
        search().setQuestion(question);
        search().start();
        QCOMPARE(search().state(), State::Failed);
        QCOMPARE(search().error().where, std::string("devices"));
    }

    // 405 B on 16,384 GPUs: the window gets its answers within a frame or two while cores are busy, and Cancel keeps
    // what was found.
    void cancelKeepsWhatWasFound() {
        const ModelPreset* preset = findModelPreset("llama3.1-405b");
        if (!preset) QSKIP("no preset of 405 B");
        m_plan->chooseModel(preset->id);
        m_plan->edit(QStringLiteral("cluster.num_nodes"), QStringLiteral("2048"));
        m_plan->edit(QStringLiteral("train.global_batch_size"), QStringLiteral("2048"));
        QSignalSpy told(&search(), &SearchController::progressChanged);
        search().start();
        QCOMPARE(search().state(), State::Running);
        QVERIFY(QTest::qWaitFor([&] { return !told.isEmpty() || !search().isRunning(); }, test::kPatienceMilliseconds));
        search().cancel();
        QVERIFY(QTest::qWaitFor([&] { return !search().isRunning(); }, test::kPatienceMilliseconds));
        QVERIFY(search().state() == State::Cancelled || search().state() == State::Done);
        if (search().state() == State::Cancelled) QVERIFY(search().found().stopped);
    }

    void anotherPlanMakesTheAnswerStale() {
        QVERIFY(run());
        QVERIFY(!search().isStale());
        // The layout is not part of the question, batch and hardware are.
        search().apply(0);
        QVERIFY(!search().isStale());
        QVERIFY(search().rows()[0].isCurrent);
        QCOMPARE(m_plan->document().config.parallel.dp, search().rows()[0].layout.parallel.dp);
        QVERIFY(!hasErrors(validate(m_plan->document().config)));
        m_plan->undoStack()->undo();
        QVERIFY(!search().rows()[0].isCurrent || search().rows()[0].layout.parallel.dp == 8);
        m_plan->edit(QStringLiteral("train.seq_len"), QStringLiteral("4096"));
        QVERIFY(search().isStale());
    }

    void moreDevicesBringTheirNodes() {
        SearchQuestion question;
        question.devices = "128";
        search().setQuestion(question);
        QVERIFY(run());
        QVERIFY(!search().rows().empty());
        QCOMPARE(search().rows()[0].layout.parallel.worldSize(), std::int64_t(128));
        search().apply(0);
        QCOMPARE(m_plan->document().cluster.numNodes, std::int64_t(16));
    }

    // Word for word the answer of `slipway search --why`.
    void explainsWhyNot_data() {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<bool>("legal");
        QTest::newRow("slower") << "tp=8,pp=1" << true;
        QTest::newRow("the plan") << "config" << true;
        QTest::newRow("too big") << "tp=1,pp=1,zero_stage=0" << true;
        QTest::newRow("not legal") << "tp=3" << false;
    }
    void explainsWhyNot() {
        QFETCH(QString, layout);
        QFETCH(bool, legal);
        QVERIFY(run());
        QSignalSpy answered(&search(), &SearchController::whyAnswered);
        search().askWhy(layout);
        QVERIFY(QTest::qWaitFor([&] { return search().why().has_value(); }, test::kPatienceMilliseconds));
        const auto named = layoutFromText(search().request(), layout.toStdString());
        QVERIFY(named);
        const LayoutExplanation expected = explainLayout(search().request(), *named, search().found().best);
        const LayoutExplanation& given = search().why()->explanation;
        QCOMPARE(textOf(given.verdict), textOf(expected.verdict));
        QCOMPARE(textOf(given.reasons), textOf(expected.reasons));
        QCOMPARE(given.legal, legal);
        QVERIFY(whySentences(*search().why()).size() > 0);
        QCOMPARE(whySentences(*search().why()).front(), QString::fromStdString(textOf(expected.verdict)));
        // Verdict and reasons are the command line's, in either language.
        WindowLanguage language;
        language.apply(QStringLiteral("ko"));
        const QStringList korean = whySentences(*search().why());
        QStringList sentences{QString::fromStdString(textOf(expected.verdict, Language::Korean))};
        for (const Message& reason : expected.reasons)
            sentences << QString::fromStdString(textOf(reason, Language::Korean));
        QCOMPARE(korean.mid(0, sentences.size()), sentences);
        language.apply(QStringLiteral("en"));
        QVERIFY(!answered.isEmpty());
    }

    void aWordThatIsNoAxisIsAProblem() {
        search().askWhy(QStringLiteral("ttp=2"));
        QVERIFY(search().whyProblem().contains(QStringLiteral("tp")));
        QVERIFY(!search().why());
    }

    void aFoundLayoutReadsBackFromItsText() {
        QVERIFY(run());
        for (const std::size_t i : {std::size_t{0}, search().rows().size() / 2, search().rows().size() - 1}) {
            const FoundLayout& layout = search().rows()[i].layout;
            const auto config = layoutFromText(search().request(), whyTextOf(layout));
            QVERIFY2(config, config ? "" : config.error().message.c_str());
            QCOMPARE(layoutText(config->parallel, config->train.microBatchSize, config->train.recompute.policy),
                     layoutText(layout.parallel, layout.microBatchSize, layout.recompute));
            QVERIFY(explainLayout(search().request(), *config, search().found().best).legal);
        }
    }

    void fiveBecomeASweep() {
        QVERIFY(run());
        std::string text;
        search().benchmark([&](const Result<std::string>& sweep) { text = sweep ? *sweep : sweep.error().text(); });
        QVERIFY(QTest::qWaitFor([&] { return !text.empty(); }, test::kPatienceMilliseconds));
        const auto json = parseJson(text, "sweep");
        QVERIFY2(json, text.c_str());
        Issues issues;
        const SweepFile sweep = sweepFileFromJson(*json, issues);
        QVERIFY(issues.empty());
        QCOMPARE(expandSweep(sweep).size(), std::size_t{5});
    }

    // All choices are there; one that does not vary explains nothing of the step time (the picture leaves it out).
    void axesAreWeightedByWhatTheyExplain() {
        limit(SearchAxis::Tp, "2");
        QVERIFY(run());
        const std::vector<ParallelAxis> axes = layoutAxes(search().rows());
        double most = 0;
        bool tp = false;
        for (const ParallelAxis& axis : axes) {
            QCOMPARE(axis.values.size(), search().rows().size());
            QVERIFY(axis.weight <= 1);
            most = std::max(most, axis.weight);
            if (axis.steps.size() == 1) QCOMPARE(axis.weight, 0.0);
            if (axis.name != QStringLiteral("tp")) continue;
            tp = true;
            QCOMPARE(axis.steps, QStringList{QStringLiteral("2")});
        }
        QVERIFY(tp && most > 0.1);
        QVERIFY(std::count_if(axes.begin(), axes.end(),
                              [](const ParallelAxis& axis) { return axis.steps.isEmpty(); }) == 3);
    }
};

SLIPWAY_TEST(TstSearchController)
#include "tst_search_controller.moc"
