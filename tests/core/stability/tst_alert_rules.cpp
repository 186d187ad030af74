// Each rule on a stream made for it: when it is raised, once an episode, and at its boundary.
#include "core/stability/alert_rules.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>
#include <random>

using namespace slipway;

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

struct Stream {
    AlertDetector detector{defaultAlertChoices()};
    std::int64_t step = 0;
    std::vector<std::string> raised;  // "loss_spike 41"

    void take(const std::vector<Alert>& alerts) {
        for (const Alert& alert : alerts)
            raised.push_back(std::string(infoOf(alert.rule).word) + ' ' + std::to_string(alert.step));
    }
    void loss(double value, int times = 1) {
        for (; times > 0; --times) take(detector.takeStep({++step, value, std::nullopt}));
    }
    void throughput(double value, int times = 1) {
        for (; times > 0; --times) take(detector.takeStep({++step, std::nullopt, value}));
    }
};

using Words = std::vector<std::string>;

}  // namespace

class TstAlertRules : public QObject {
    Q_OBJECT

private slots:
    void theTableIsInTheOrderOfTheRules() {
        QCOMPARE(alertRules().size(), kNumAlertRules);
        for (std::size_t i = 0; i < kNumAlertRules; ++i) {
            const AlertRuleInfo& info = alertRules()[i];
            QCOMPARE(static_cast<std::size_t>(info.rule), i);
            QCOMPARE(findAlertRule(info.word), &info);
            QVERIFY(info.unit.empty() || (info.threshold >= info.least && info.threshold <= info.most));
        }
        QVERIFY(findAlertRule("los_spike") == nullptr);
    }

    void aLossThatIsNotFiniteIsRaisedOncePerEpisode() {
        Stream s;
        s.loss(kNan);  // the first step already
        s.loss(kNan, 5);
        s.loss(2.0, AlertDetector::kCalmSteps - 1);
        s.loss(std::numeric_limits<double>::infinity());  // inside the calm: the same episode
        QCOMPARE(s.raised, Words{"loss_not_finite 1"});
        s.loss(2.0, AlertDetector::kCalmSteps);
        s.loss(-std::numeric_limits<double>::infinity());
        QCOMPARE(s.raised, (Words{"loss_not_finite 1", "loss_not_finite 47"}));
    }

    void aSpikeIsRaisedOncePerEpisode() {
        Stream s;
        for (int i = 0; i < 40; ++i) s.loss(3.0 + 0.01 * (i % 3));
        QVERIFY(s.raised.empty());
        s.loss(9.0, 4);
        QCOMPARE(s.raised, Words{"loss_spike 41"});
        for (int i = 0; i < 25; ++i) s.loss(3.0 + 0.01 * (i % 3));
        s.loss(9.0);
        QCOMPARE(s.raised, (Words{"loss_spike 41", "loss_spike 70"}));
    }

    void throughputIsDownBeyondItsThresholdOnly_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<bool>("isRaised");
        QTest::newRow("a drop at the threshold") << 0.95 << false;
        QTest::newRow("a drop just beyond it") << 0.949 << true;
        QTest::newRow("faster") << 1.3 << false;
    }
    void throughputIsDownBeyondItsThresholdOnly() {
        QFETCH(double, share);
        QFETCH(bool, isRaised);
        Stream s;
        s.throughput(1000, 60);
        s.throughput(1000 * share, 60);
        QCOMPARE(s.raised.size(), isRaised ? 1U : 0U);
        if (!isRaised) return;
        s.throughput(1000, 60);  // over
        s.throughput(1000 * share, 60);
        QCOMPARE(s.raised.size(), 2U);
    }

    void aSlowStepOrTooFewStepsAreNoDrop() {
        Stream s;
        s.throughput(1000, 60);
        s.throughput(100);  // a checkpoint
        s.throughput(1000, 60);
        s.throughput(kNan, 60);
        QVERIFY(s.raised.empty());
        Stream few;
        few.throughput(1000, static_cast<int>(AlertDetector::kLeastReference) - 1);
        few.throughput(500, static_cast<int>(AlertDetector::kRecentSteps));
        QVERIFY(few.raised.empty());
    }

    void noiseIsNoDrop() {
        std::mt19937 generator(5);
        std::normal_distribution<double> normal(1000, 150);
        Stream s;
        for (int i = 0; i < 3000; ++i) s.throughput(std::max(1.0, normal(generator)));
        QVERIFY2(s.raised.size() <= 3, std::to_string(s.raised.size()).c_str());
    }

    void aLastingDropIsANewLevel() {
        Stream s;
        s.throughput(1000, 60);
        s.throughput(800, 400);
        QCOMPARE(s.raised.size(), 1U);
        s.throughput(600, 60);
        QCOMPARE(s.raised.size(), 2U);
    }

    void aStragglerIsRaisedOnceUntilItIsFastAgain() {
        Stream s;
        s.take(s.detector.takeStragglers(10, {{3, 0.05}}));  // not beyond 5 %
        s.take(s.detector.takeStragglers(20, {{3, 0.08}, {5, 0.2}}));
        s.take(s.detector.takeStragglers(30, {{3, 0.09}}));
        QCOMPARE(s.raised, (Words{"straggler 20", "straggler 20"}));
        s.take(s.detector.takeStragglers(40, {{3, 0.09}, {5, 0.3}}));
        QCOMPARE(s.raised.back(), std::string("straggler 40"));
    }

    void aDiskIsNearlyFullBelowItsThreshold() {
        Stream s;
        s.take(s.detector.takeDisk(1, 50, 1000));  // 5 % is not below 5 %
        QVERIFY(s.raised.empty());
        s.take(s.detector.takeDisk(2, 49, 1000));
        s.take(s.detector.takeDisk(3, 55, 1000));  // within its hysteresis
        s.take(s.detector.takeDisk(4, 49, 1000));
        QCOMPARE(s.raised, Words{"disk_nearly_full 2"});
        s.take(s.detector.takeDisk(5, 61, 1000));
        s.take(s.detector.takeDisk(6, 10, 1000));
        s.take(s.detector.takeDisk(7, 0, 0));  // a file system that does not know its size
        QCOMPARE(s.raised, (Words{"disk_nearly_full 2", "disk_nearly_full 6"}));
    }

    void aRuleThatIsOffIsNotRaised() {
        AlertChoices choices = defaultAlertChoices();
        choices[static_cast<std::size_t>(AlertRule::LossNotFinite)].isOn = false;
        Stream s;
        s.detector.choose(choices);
        s.loss(kNan, 3);
        QVERIFY(s.raised.empty());
    }

    void aThresholdIsTakenAtOnce() {
        Stream s;
        for (int i = 0; i < 40; ++i) s.loss(3.0 + 0.01 * (i % 3));
        AlertChoices choices = defaultAlertChoices();
        choices[static_cast<std::size_t>(AlertRule::LossSpike)].threshold = 100;
        s.detector.choose(choices);
        s.loss(3.2);  // 6 are exceeded, 100 are not
        QVERIFY(s.raised.empty());
        s.detector.choose(defaultAlertChoices());
        s.loss(3.2);
        QCOMPARE(s.raised, Words{"loss_spike 42"});
    }
};

SLIPWAY_TEST(TstAlertRules)
#include "tst_alert_rules.moc"
