// The verdict rule in the notation of the problem: repeats of both sides, what was expected, what comes out.
#include "core/playbook/check.h"
#include "core/playbook/verdict.h"
#include "tests/support/slipway_test.h"

namespace slipway::test {

namespace {

Claim ratio(double expected, double tolerance) {
    Claim claim;
    claim.expected = expected;
    claim.tolerance = tolerance;
    return claim;
}

QString word(const Judgement& j) {
    return QString::fromUtf8(wordOf(j.verdict).data(), static_cast<int>(wordOf(j.verdict).size()));
}

}  // namespace

class TstVerdict : public QObject {
    Q_OBJECT

private slots:
    void agreesBeyondTheSpread() {
        const Judgement j = evaluate(ratio(0.75, 0.05), {{0.74, 0.76, 0.75}, {1.0, 1.01, 0.99}});
        QCOMPARE(word(j), "agrees");
        QCOMPARE(j.measured, 0.75);
        QCOMPARE(j.spread, 0.01);
    }
    void differsOutsideOfTheTolerance() {
        QCOMPARE(word(evaluate(ratio(0.75, 0.05), {{0.90, 0.91, 0.90}, {1.0, 1.01, 0.99}})), "differs");
    }
    /// A quiet measurement without the effect that was expected contradicts it.
    void differsWithoutTheEffect() {
        QCOMPARE(word(evaluate(ratio(1.31, 0.1), {{1.0, 1.0, 1.0}, {1.0, 1.01, 0.99}})), "differs");
    }
    void inconclusiveBelowTwiceTheSpread() {
        const Judgement j = evaluate(ratio(0.75, 0.05), {{0.75, 0.75, 0.75}, {0.5, 1.0, 1.5}});
        QCOMPARE(word(j), "inconclusive");
        QCOMPARE(j.spread, 0.5);
        QCOMPARE(*j.repeatsToDecide, std::int64_t(48));  // 3 (2 * 0.5 / 0.25)^2
    }
    void inconclusiveBelowThreeRepeats() {
        const Judgement j = evaluate(ratio(0.75, 0.05), {{0.75, 0.75}, {1.0, 1.0, 1.0}});
        QCOMPARE(word(j), "inconclusive");
        QCOMPARE(*j.repeatsToDecide, std::int64_t(3));
    }
    void notRunWithoutBothSides() {
        QCOMPARE(word(evaluate(ratio(1, 0.1), {{}, {1, 1, 1}})), "not_run");
        QCOMPARE(word(evaluate(ratio(1, 0.1), {{1, 1, 1}, {}})), "not_run");
    }
    /// Theory may give a direction alone.
    void aSideIsDecidedBeyondTheSpread() {
        Claim lower = ratio(0, 0);
        lower.kind = ClaimKind::Difference;
        lower.side = ClaimSide::Below;
        lower.isPaired = true;
        QCOMPARE(word(evaluate(lower, {{2.4, 2.3, 2.5}, {2.5, 2.4, 2.6}})), "agrees");
        QCOMPARE(word(evaluate(lower, {{2.6, 2.5, 2.7}, {2.5, 2.4, 2.6}})), "differs");
        QCOMPARE(word(evaluate(lower, {{2.4, 2.5, 2.7}, {2.5, 2.4, 2.6}})), "inconclusive");
        QCOMPARE(word(evaluate(lower, {{2.5, 2.5, 2.5}, {2.5, 2.5, 2.5}})), "inconclusive");  // on neither side
        lower.side = ClaimSide::Above;
        QCOMPARE(word(evaluate(lower, {{2.6, 2.5, 2.7}, {2.5, 2.4, 2.6}})), "agrees");
        const auto figure = [](double value) { return std::to_string(static_cast<int>(value)); };
        QCOMPARE(expectedText(lower, figure), std::string("> 0"));
        QCOMPARE(expectedText(ratio(3, 1), figure), std::string("3 ± 1"));
    }
    void equalValuesAgree() {
        Claim same = ratio(0, 1e-6);
        same.kind = ClaimKind::Difference;
        QCOMPARE(word(evaluate(same, {{2.5, 2.5, 2.5}, {2.5, 2.5, 2.5}})), "agrees");
        QCOMPARE(word(evaluate(same, {{2.6, 2.6, 2.6}, {2.5, 2.5, 2.5}})), "differs");
    }
    /// The level of a loss depends on the seed; its difference within a repeat does not.
    void pairsShareTheirSeed() {
        Claim same = ratio(1, 1e-6);
        const Samples losses{{5.4, 5.2, 5.1}, {5.4, 5.2, 5.1}};
        QCOMPARE(word(evaluate(same, losses)), "inconclusive");
        same.isPaired = true;
        QCOMPARE(word(evaluate(same, losses)), "agrees");
        QCOMPARE(word(evaluate(same, {{5.5, 5.3, 5.2}, {5.4, 5.2, 5.1}})), "differs");
        QCOMPARE(word(evaluate(same, {{5.4, 5.2, 5.1}, {5.4, 5.2, 5.1, 5.0}})), "inconclusive");
    }
    void notFiniteIsNoVerdict() { QCOMPARE(word(evaluate(ratio(1, 0.1), {{1, 1, 1}, {0, 0, 0}})), "inconclusive"); }
    void theWorstCounts() {
        Judgement good, bad, open;
        good.verdict = Verdict::Agrees;
        bad.verdict = Verdict::Differs;
        open.verdict = Verdict::Inconclusive;
        QCOMPARE(worstOf({good, open, bad}), Verdict::Differs);
        QCOMPARE(worstOf({good, open}), Verdict::Inconclusive);
        QCOMPARE(worstOf({good, good}), Verdict::Agrees);
        QCOMPARE(worstOf({}), Verdict::NotRun);
    }
    void quartiles() { QCOMPARE(interquartileRange({1, 2, 3, 4, 5}), 2.0); }
    void tolerancesBite() {
        QVERIFY(agrees("1", "1.0", "exact") && !agrees("2", "1", "exact"));
        QVERIFY(!agrees("1.1", "1", "rel 1e-3") && agrees("1.0005", "1", "rel 1e-3"));
        QVERIFY(!agrees("{\"a\": 1}", "{\"a\": 1, \"b\": 2}", "exact") &&
                agrees("{\"a\": 1, \"b\": 2}", "{\"a\": 1}", "exact"));
        QVERIFY(!agrees("\"reject\"", "\"keep\"", "exact") && !agrees("null", "0", "abs 1"));
        QVERIFY(isTolerance("abs 0.05") && !isTolerance("abs") && !isTolerance("about 3") && !isTolerance("rel -1"));
    }
};

}  // namespace slipway::test

using slipway::test::TstVerdict;
SLIPWAY_TEST(TstVerdict)

#include "tst_verdict.moc"
