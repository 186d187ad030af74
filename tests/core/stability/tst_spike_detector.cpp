// Spike rules, what a step guard makes of them, adaptive clipping, the loss scale and the verdicts on a curve.
#include "core/base/recorded_text.h"
#include "core/stability/adaptive_clip.h"
#include "core/stability/loss_curve.h"
#include "core/stability/loss_scaler.h"
#include "core/stability/step_guard.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <limits>

using namespace slipway;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A falling curve with a small repeating disturbance.
double healthy(int step) {
    return 4.0 / (1 + 0.01 * step) + 0.02 * std::sin(step * 1.7);
}

}  // namespace

class TstSpikeDetector : public QObject {
    Q_OBJECT
private slots:
    void nonFiniteIsNeverNormal_data() {
        QTest::addColumn<int>("rule");
        for (const SpikeRule rule : {SpikeRule::Off, SpikeRule::Mean3x, SpikeRule::Mean5x, SpikeRule::RobustZ})
            QTest::newRow(std::string(wordOf(rule)).c_str()) << static_cast<int>(rule);
    }
    void nonFiniteIsNeverNormal() {
        QFETCH(int, rule);
        SpikeDetector detector(static_cast<SpikeRule>(rule));
        QCOMPARE(detector.evaluate(std::nan("")), SpikeVerdict::NonFinite);
        for (int i = 0; i < 200; ++i) QCOMPARE(detector.evaluate(2.0), SpikeVerdict::Normal);
        for (const double bad : {std::nan(""), kInfinity, -kInfinity})
            QCOMPARE(detector.evaluate(bad), SpikeVerdict::NonFinite);
        QCOMPARE(detector.evaluate(2.0), SpikeVerdict::Normal);  // nothing of it stayed in the window
    }

    void aHealthyCurveHasNoSpikes() {
        SpikeDetector detector(SpikeRule::RobustZ);
        for (int step = 0; step < 1000; ++step) QCOMPARE(detector.evaluate(healthy(step)), SpikeVerdict::Normal);
    }

    // Twice the loss is below three times the mean.
    void theRobustRuleSeesWhatTheMeanRulesMiss() {
        SpikeDetector robust(SpikeRule::RobustZ), mean(SpikeRule::Mean3x);
        for (int step = 500; step < 700; ++step) {
            robust.evaluate(healthy(step));
            mean.evaluate(healthy(step));
        }
        QCOMPARE(robust.evaluate(healthy(700) * 2), SpikeVerdict::Spike);
        QCOMPARE(mean.evaluate(healthy(700) * 2), SpikeVerdict::Normal);
    }

    // One outlier among the first values poisons a mean, not a median.
    void anEarlyOutlierDoesNotHideLaterSpikes() {
        SpikeDetector detector(SpikeRule::RobustZ);
        detector.evaluate(1000.0);
        for (int i = 0; i < 60; ++i) detector.evaluate(2.0 + 0.01 * (i % 3));
        QCOMPARE(detector.evaluate(3.0), SpikeVerdict::Spike);
    }

    void aNewLevelIsAcceptedInTheEnd_data() {
        QTest::addColumn<int>("rule");
        for (const SpikeRule rule : {SpikeRule::Mean3x, SpikeRule::RobustZ})
            QTest::newRow(std::string(wordOf(rule)).c_str()) << static_cast<int>(rule);
    }
    void aNewLevelIsAcceptedInTheEnd() {
        QFETCH(int, rule);
        SpikeDetector detector(static_cast<SpikeRule>(rule));
        for (int i = 0; i < 128; ++i) detector.evaluate(1.0);
        int spikes = 0;
        for (int i = 0; i < 200; ++i) spikes += detector.evaluate(5.0) == SpikeVerdict::Spike ? 1 : 0;
        QVERIFY(spikes > 0 && spikes < 100);
        QCOMPARE(detector.evaluate(5.0), SpikeVerdict::Normal);
    }

    void theWindowIsAllThereIs() {
        SpikeDetector first(SpikeRule::RobustZ), second(SpikeRule::RobustZ);
        for (int step = 0; step < 90; ++step) first.evaluate(healthy(step));
        second.restore(first.window());
        QCOMPARE(second.limit(), first.limit());
        QVERIFY(std::isfinite(first.limit()));
    }

    void guard_data() {
        QTest::addColumn<int>("policy");
        QTest::addColumn<double>("loss");
        QTest::addColumn<double>("norm");
        QTest::addColumn<int>("action");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, SpikePolicy policy, double loss, double norm, StepAction action,
                            const char* code) {
            QTest::newRow(name) << static_cast<int>(policy) << loss << norm << static_cast<int>(action) << code;
        };
        row("normal", SpikePolicy::Stop, 2.0, 1.0, StepAction::Update, "");
        row("alert goes on", SpikePolicy::Alert, 9.0, 1.0, StepAction::Update, "loss_spike");
        row("alert never applies NaN", SpikePolicy::Alert, std::nan(""), 1.0, StepAction::Skip, "nonfinite_loss");
        row("alert never applies an infinite gradient", SpikePolicy::Alert, 2.0, kInfinity, StepAction::Skip,
            "nonfinite_gradient");
        row("skip", SpikePolicy::Skip, 9.0, 1.0, StepAction::Skip, "loss_spike");
        row("skip by norm", SpikePolicy::Skip, 2.0, 10.01, StepAction::Skip, "gradient_spike");
        row("the limit itself is allowed", SpikePolicy::Skip, 2.0, 10.0, StepAction::Update, "");
        row("rewind", SpikePolicy::RewindAndSkip, 9.0, 1.0, StepAction::Rewind, "loss_spike");
        row("stop", SpikePolicy::Stop, std::nan(""), std::nan(""), StepAction::Stop, "nonfinite_loss");
    }
    void guard() {
        QFETCH(int, policy);
        QFETCH(double, loss);
        QFETCH(double, norm);
        QFETCH(int, action);
        QFETCH(QString, code);
        SpikeSpec spec;
        spec.policy = static_cast<SpikePolicy>(policy);
        spec.gradNormLimit = 10.0;
        StepGuard guard(spec);
        for (int i = 0; i < 50; ++i) QVERIFY(guard.evaluate(2.0 + 0.01 * (i % 3), 1.0).code.empty());
        const StepJudgement judgement = guard.evaluate(loss, norm);
        QCOMPARE(static_cast<int>(judgement.action), action);
        QCOMPARE(QString::fromStdString(judgement.code), code);
        QCOMPARE(judgement.reason.empty(), code.isEmpty());
        // The trainer records it; windows show it in their language.
        if (!code.isEmpty()) QVERIFY(recordedText(judgement.reason, Language::Korean) != judgement.reason);
    }

    void rewindsEndInAStop() {
        SpikeSpec spec;
        spec.policy = SpikePolicy::RewindAndSkip;
        StepGuard guard(spec);
        for (int i = 1; i < StepGuard::kMostRewinds; ++i)
            QCOMPARE(guard.evaluate(std::nan(""), 1.0).action, StepAction::Rewind);
        QCOMPARE(guard.evaluate(std::nan(""), 1.0).action, StepAction::Stop);
        StepGuard calm(spec);
        for (int round = 0; round < 10; ++round) {
            QCOMPARE(calm.evaluate(std::nan(""), 1.0).action, StepAction::Rewind);
            for (int i = 0; i < StepGuard::kCalmSteps; ++i) calm.evaluate(2.0, 1.0);
        }
    }

    // Unlike the source's rule a tensor that starts at zero may move.
    void adaptiveClipping() {
        QCOMPARE(adaptiveClipFactor(10, 1, 0.01), 0.1);
        QCOMPARE(adaptiveClipFactor(10, 0.05, 0.01), 1.0);
        QCOMPARE(adaptiveClipFactor(0, 1, 0.01), 0.01 * kAdaptiveClipFloor);
        QCOMPARE(adaptiveClipFactor(0, 0, 0.01), 1.0);
    }

    void lossScale() {
        LossScaler scaler(1024, 3);
        scaler.stepDone(true);
        QCOMPARE(scaler.scale(), 512.0);
        for (int i = 0; i < 2; ++i) scaler.stepDone(false);
        QCOMPARE(scaler.scale(), 512.0);
        scaler.stepDone(false);
        QCOMPARE(scaler.scale(), 1024.0);
        scaler.stepDone(false);
        scaler.stepDone(true);  // begins to count anew
        for (int i = 0; i < 2; ++i) scaler.stepDone(false);
        QCOMPARE(scaler.scale(), 512.0);
        for (int i = 0; i < 100; ++i) scaler.stepDone(true);
        QCOMPARE(scaler.scale(), 1.0);
    }

    void curves_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("verdict");
        const auto row = [](const char* name, int kind, CurveVerdict verdict) {
            QTest::newRow(name) << kind << static_cast<int>(verdict);
        };
        row("short", 0, CurveVerdict::TooShort);
        row("falling", 1, CurveVerdict::Falling);
        row("plateau", 2, CurveVerdict::Plateau);
        row("rising", 3, CurveVerdict::Rising);
        row("spiking", 4, CurveVerdict::Spiking);
        row("not finite", 5, CurveVerdict::NonFinite);
    }
    void curves() {
        QFETCH(int, kind);
        QFETCH(int, verdict);
        std::vector<double> losses;
        for (int i = 0; i < (kind == 0 ? 199 : 200); ++i)
            losses.push_back(kind == 1 ? 3.0 - 0.002 * i : kind == 3 ? 3.0 + 0.001 * i : 3.0);
        if (kind == 4) losses.back() = 10.0;
        if (kind == 5) losses[150] = std::nan("");
        const LossCurve curve = analyseLosses(losses, 100);
        QCOMPARE(static_cast<int>(curve.verdict), verdict);
        QVERIFY(!curve.advice.empty());
        if (kind == 4) {
            // The source calls this stagnant and advises a higher rate.
            QVERIFY(curve.advice.english().find("lower the learning rate") != std::string::npos);
            QCOMPARE(curve.recent, 3.0);
        }
    }
};
SLIPWAY_TEST(TstSpikeDetector)
#include "tst_spike_detector.moc"
