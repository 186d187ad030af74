// The search inside a sweep: what each method proposes, from points and outcomes alone.
#include "core/sweep/gaussian_process.h"
#include "core/sweep/search.h"
#include "tests/support/slipway_test.h"

#include <algorithm>
#include <set>

using namespace slipway;

namespace {

using State = SearchOutcome::State;

/// An 8 x 8 grid whose true cost has its minimum at (5, 2); the forecast is off by a factor and by a slope along the first axis.
struct Bowl {
    std::vector<SearchPoint> points;
    std::vector<double> costs;
    Bowl() {
        for (int x = 0; x < 8; ++x)
            for (int y = 0; y < 8; ++y) {
                SearchPoint point;
                point.place = {x / 7.0, y / 7.0};
                const double cost = 1 + 0.06 * (x - 5) * (x - 5) + 0.04 * (y - 2) * (y - 2);
                point.forecast = 0.7 * cost * std::exp(0.05 * (x - 3));
                costs.push_back(cost);
                points.push_back(point);
            }
    }
    [[nodiscard]] std::size_t best() const {
        return static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
    }
};

struct Played {
    std::vector<std::size_t> order;
    SearchDecision last;
    std::vector<SearchOutcome> outcomes;
    double bestCost = 1e9;
};

/// Runs the search to its end, or for `most` trials.
Played play(const SearchRules& rules, const Bowl& bowl, std::size_t most = 1000) {
    Played out;
    out.outcomes.assign(bowl.points.size(), {});
    for (SearchOutcome& outcome : out.outcomes) outcome.numSteps = 90;
    while (out.order.size() < most) {
        out.last = proposeNext(rules, bowl.points, out.outcomes);
        if (!out.last.point) break;
        SearchOutcome& outcome = out.outcomes[*out.last.point];
        outcome.state = State::Finished;
        outcome.cost = bowl.costs[*out.last.point];
        outcome.rungCosts.push_back(outcome.cost);
        out.bestCost = std::min(out.bestCost, outcome.cost);
        out.order.push_back(*out.last.point);
    }
    return out;
}

SearchRules rulesOf(SearchMethod method, std::int64_t trials = 0) {
    SearchRules rules;
    rules.method = method;
    rules.trials = trials;
    return rules;
}

}  // namespace

class TstSearch : public QObject {
    Q_OBJECT

private slots:
    void gridAndListKeepTheFilesOrder() {
        Bowl bowl;
        bowl.points[3].isNamed = bowl.points[40].isNamed = true;
        bowl.points[1].canRun = false;
        const Played grid = play(rulesOf(SearchMethod::Grid, 5), bowl);
        QCOMPARE(grid.order, (std::vector<std::size_t>{0, 2, 3, 4, 5}));
        QVERIFY(grid.last.ended);
        QVERIFY(textOf(grid.last.reason).find("5 trials are used up") != std::string::npos);
        const Played list = play(rulesOf(SearchMethod::List, 5), bowl);
        QCOMPARE(list.order, (std::vector<std::size_t>{3, 40, 0, 2, 4}));
        const Played all = play(rulesOf(SearchMethod::Grid), bowl);
        QCOMPARE(all.order.size(), std::size_t{63});
        QVERIFY(textOf(all.last.reason).find("all 63 points") != std::string::npos);
    }

    void randomTakesEachPointOnceByItsSeed_data() {
        QTest::addColumn<int>("sampling");
        QTest::newRow("uniform") << static_cast<int>(SearchSampling::Uniform);
        QTest::newRow("quasi-random") << static_cast<int>(SearchSampling::Quasi);
    }
    void randomTakesEachPointOnceByItsSeed() {
        QFETCH(int, sampling);
        Bowl bowl;
        bowl.points[7].canRun = false;
        SearchRules rules = rulesOf(SearchMethod::Random);
        rules.sampling = static_cast<SearchSampling>(sampling);
        const Played first = play(rules, bowl), again = play(rules, bowl);
        QCOMPARE(first.order, again.order);
        const std::set<std::size_t> different(first.order.begin(), first.order.end());
        QCOMPARE(different.size(), std::size_t{63});
        QVERIFY(!different.contains(7));
        QVERIFY(!std::ranges::is_sorted(first.order));
        rules.seed = 2;
        QVERIFY(play(rules, bowl).order != first.order);
    }

    // Each quarter of the square gets its share of the first eight.
    void quasiRandomSpreads() {
        const Bowl bowl;
        const std::vector<std::size_t> first = randomOrder(rulesOf(SearchMethod::Random), bowl.points, 8);
        std::map<std::pair<bool, bool>, int> quarters;
        for (const std::size_t i : first) ++quarters[{bowl.points[i].place[0] > 0.5, bowl.points[i].place[1] > 0.5}];
        QCOMPARE(quarters.size(), std::size_t{4});
        for (const auto& [quarter, count] : quarters) QVERIFY(count <= 3);
    }

    // What was tried decides, not the order in which this program learnt it.
    void proposalsFollowFromOutcomesAlone() {
        const Bowl bowl;
        for (const SearchMethod method : {SearchMethod::Random, SearchMethod::Bayesian, SearchMethod::Planner}) {
            SearchRules rules = rulesOf(method, 12);
            rules.chance = 0;
            const Played whole = play(rules, bowl);
            Played half = play(rules, bowl, 6);
            const SearchDecision next = proposeNext(rules, bowl.points, half.outcomes);
            QCOMPARE(*next.point, whole.order[6]);
        }
    }

    void modelsBeatTheRandomOrder() {
        const Bowl bowl;
        const double least = bowl.costs[bowl.best()];
        SearchRules bayesian = rulesOf(SearchMethod::Bayesian, 14);
        bayesian.chance = 0;
        QVERIFY(play(bayesian, bowl).bestCost <= 1.01 * least);
        SearchRules planner = rulesOf(SearchMethod::Planner, 8);
        planner.chance = 0;
        QVERIFY(play(planner, bowl).bestCost <= 1.01 * least);
    }

    // The planner's first trial is the best forecast; it ends by itself once nothing untried is likely to be 3 % better.
    void plannerEndsWhenItKnows() {
        const Bowl bowl;
        const Played played = play(rulesOf(SearchMethod::Planner), bowl);
        const auto forecast = [&](std::size_t i) { return bowl.points[i].forecast; };
        for (std::size_t i = 0; i < bowl.points.size(); ++i) QVERIFY(forecast(played.order[0]) <= forecast(i));
        QVERIFY2(played.last.ended && played.order.size() <= 20 && played.order.size() >= 3,
                 qPrintable(QString::number(played.order.size())));
        QVERIFY(played.last.chance < 0.05);
        QVERIFY(played.bestCost <= 1.03 * bowl.costs[bowl.best()]);
        QVERIFY(textOf(played.last.reason).find("chance that an untried point") != std::string::npos);
    }

    // Points that cannot run are never proposed; failed ones make their neighbours less likely.
    void plannerAvoidsFailures() {
        Bowl bowl;
        bowl.points[bowl.best()].canRun = false;
        SearchRules rules = rulesOf(SearchMethod::Planner, 64);
        rules.chance = 0;
        const Played played = play(rules, bowl);
        QCOMPARE(std::ranges::count(played.order, bowl.best()), 0);
        std::vector<SearchOutcome> outcomes(bowl.points.size());
        const std::size_t first = *proposeNext(rules, bowl.points, outcomes).point;
        outcomes[first].state = State::Failed;
        const std::size_t second = *proposeNext(rules, bowl.points, outcomes).point;
        outcomes[second].state = State::Failed;
        const std::size_t third = *proposeNext(rules, bowl.points, outcomes).point;
        QVERIFY(third != first && third != second);
    }

    // A point that does not run says nothing of how fast its neighbours are; it makes them less likely to run.
    void failuresAreNotSlowness() {
        const Bowl bowl;
        const SearchRules rules = rulesOf(SearchMethod::Planner, 64);
        std::vector<SearchOutcome> outcomes(bowl.points.size());
        for (const std::size_t i : {0U, 20U, 45U}) {
            outcomes[i].state = State::Finished;
            outcomes[i].cost = bowl.costs[i];
        }
        const SearchDecision before = proposeNext(rules, bowl.points, outcomes);
        const std::size_t failed = bowl.best() + 1;
        outcomes[failed].state = State::Failed;
        const SearchDecision after = proposeNext(rules, bowl.points, outcomes);
        for (std::size_t i = 0; i < bowl.points.size(); ++i) QCOMPARE(after.beliefs[i].cost, before.beliefs[i].cost);
        QVERIFY(after.beliefs[bowl.best()].chance < 0.9 * before.beliefs[bowl.best()].chance);
    }

    void rungs() {
        SearchRules rules = rulesOf(SearchMethod::Asha);
        QCOMPARE(rungSteps(rules, 90), (std::vector<std::int64_t>{10, 30, 90}));
        rules.rungSteps = 4;
        QCOMPARE(rungSteps(rules, 90), (std::vector<std::int64_t>{4, 12, 36, 90}));
        QCOMPARE(rungSteps(rules, 3), (std::vector<std::int64_t>{3}));
    }

    // Nine begin, three continue, one runs to its end: the true best.
    void successiveHalving() {
        const Bowl bowl;
        SearchRules rules = rulesOf(SearchMethod::Asha, 9);
        rules.rungSteps = 10;
        const Played played = play(rules, bowl);
        std::array<int, 4> reached{};
        std::size_t winner = 0;
        double least = 1e9;
        for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
            ++reached[played.outcomes[i].rungCosts.size()];
            if (played.outcomes[i].rungCosts.size() == 3) winner = i;
            if (!played.outcomes[i].rungCosts.empty()) least = std::min(least, bowl.costs[i]);
        }
        QCOMPARE(reached[1] + reached[2] + reached[3], 9);
        QVERIFY(reached[2] + reached[3] >= 3 && reached[2] + reached[3] <= 4);
        QCOMPARE(reached[3], 1);
        QCOMPARE(bowl.costs[winner], least);
        QVERIFY(played.last.ended);
    }

    // With one observation at the same place: mean and variance in closed form.
    void gaussianProcess() {
        const GpScales scales{0.3, 0.4, 0.5, 0.1};
        const GaussianProcess one({{0.5}}, {2.0}, scales);
        const double prior = 0.09 + 0.16, at = prior / (prior + 0.01);
        QVERIFY(std::abs(one.at({0.5}).mean - 2 * at) < 1e-12);
        QVERIFY(std::abs(one.at({0.5}).deviation - std::sqrt(prior - prior * at)) < 1e-12);
        const double near = 0.09 + 0.16 * std::exp(-0.5);
        QVERIFY(std::abs(one.at({1.0}).mean - 2 * near / (prior + 0.01)) < 1e-12);
        QVERIFY(std::abs(one.covariance({0.5}, {1.0}) - (near - prior * near / (prior + 0.01))) < 1e-12);
        QVERIFY(std::abs(one.logEvidence() + 0.5 * 4 / (prior + 0.01) + 0.5 * std::log(2 * M_PI * (prior + 0.01))) <
                1e-12);
    }
};

SLIPWAY_TEST(TstSearch)
#include "tst_search.moc"
