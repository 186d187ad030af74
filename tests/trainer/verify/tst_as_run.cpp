// Verification in the run's own number formats, and what a verification says that it did not cover.
#include "tests/support/slipway_test.h"
#include "tests/trainer/verify/layout_cases.h"
#include "trainer/verify/coverage.h"
#include "trainer/verify/verify.h"
#include "trainer/verify/verify_command.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace slipway;
using namespace slipway::test;
using namespace slipway::trainer;

namespace {

RunConfig withSettings(const RunConfig& base, const QString& settings) {
    Json json = toJson(base);
    for (const QString& item : settings.split(' ', Qt::SkipEmptyParts))
        if (const auto set = setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString());
            !set)
            qFatal("%s", set.error().message.c_str());
    const auto config = parseRunConfig(json, "test");
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

RunConfig base() {
    WalkedPoint point;
    point.layout.dp = point.layout.tp = 2;
    point.layout.sequenceParallel = true;
    point.layout.zeroStage = 1;
    point.numMicroBatches = 2;
    RunConfig config = configOf(point, {});
    config.train.precision = Precision::Fp32;
    return config;
}

QString reasons(const VerifyReport& report) {
    return report.passed() ? QString() : QString::fromStdString(report.failures.front());
}

VerifyReport asRun(const RunConfig& config, Bug bug = Bug::None) {
    VerifyOptions options{5, bug};
    options.formats = VerifiedFormats::AsRun;
    return verifyInProcess(config, makeReference(config, options), options);
}

}  // namespace

class TstAsRun : public QObject {
    Q_OBJECT
private slots:
    // Sound layouts pass, and a wrong one is wrong by more than rounding.
    void boundsFollowRounding_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<double>("least");  // largest difference of gradients, so that the formats are seen to act
        QTest::addColumn<double>("most");
        QTest::newRow("fp32") << "" << 1e-8 << 1e-4;
        QTest::newRow("bf16") << "train.precision=bf16" << 1e-4 << 0.1;
        QTest::newRow("bf16, sums in bf16")
            << "train.precision=bf16 train.grad_dtype=bf16 parallel.reduce_dtype=bf16" << 1e-3 << 0.1;
        QTest::newRow("bf16, rounded at random")
            << "train.precision=bf16 train.stochastic_rounding=true optimizer.moment_dtype=bf16 optimizer.beta2=0.95"
            << 1e-4 << 0.1;
        QTest::newRow("fp16, pipeline") << "train.precision=fp16 parallel.pp=2" << 1e-5 << 0.1;
        QTest::newRow("fp8") << "train.precision=fp8" << 1e-3 << 1.0;
        QTest::newRow("bf16, ring") << "train.precision=bf16 parallel.cp=2 parallel.dp=1" << 1e-4 << 0.1;
        QTest::newRow("bf16, ZeRO-3") << "train.precision=bf16 parallel.zero_stage=3" << 1e-4 << 0.1;
    }
    void boundsFollowRounding() {
        QFETCH(QString, settings);
        QFETCH(double, least);
        QFETCH(double, most);
        const RunConfig config = withSettings(base(), settings);
        const auto legal = checkVerifiable(config);
        QVERIFY2(legal, legal ? "" : legal.error().text().c_str());
        const VerifyReport sound = asRun(config);
        QVERIFY2(sound.passed(), qPrintable(reasons(sound)));
        QVERIFY2(sound.largestGradientDifference > least && sound.largestGradientDifference < most,
                 qPrintable(QString::number(sound.largestGradientDifference)));
        for (const ParameterDifference& p : sound.parameters)
            QVERIFY(p.gradientBound > kGradientBound && p.gradientBound < 4);
        for (const Bug bug : {Bug::ColumnGradNotReduced, Bug::SequenceNormGradNotSummed, Bug::LossNotDividedByTokens,
                              Bug::InitDependsOnRank})
            QVERIFY2(!asRun(config, bug).passed(), qPrintable(QString::number(static_cast<int>(bug))));
    }

    // What only the weights show: gradients agree, and each step goes a fifth too far.
    void aWrongStepShowsInTheWeights() {
        const RunConfig config = withSettings(base(), "train.precision=bf16");
        VerifyOptions options{2};
        options.formats = VerifiedFormats::AsRun;
        const Reference reference = makeReference(config, options);
        RunConfig wrong = config;
        wrong.optimizer.lr *= 1.2;
        const VerifyReport report = verifyInProcess(wrong, reference, options);
        for (const ParameterDifference& p : report.parameters) QVERIFY(p.gradientDifference <= p.gradientBound);
        const auto off = [](const ParameterDifference& p) { return p.weightDifference > p.weightBound; };
        QVERIFY(std::ranges::count_if(report.parameters, off) > 10);
    }

    void namesWhatWasNotCovered_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<bool>("asRun");
        QTest::addColumn<QStringList>("expected");
        const auto row = [](const QString& settings, bool asRun, const QStringList& expected) {
            QTest::addRow("%s%s", qPrintable(settings), asRun ? ", as run" : "") << settings << asRun << expected;
        };
        row("train.precision=fp64", false, {});
        row("train.precision=bf16 parallel.reduce_dtype=bf16", false,
            {"train.precision = bf16", "parallel.reduce_dtype = bf16"});
        row("train.precision=bf16 parallel.reduce_dtype=bf16", true, {});
        row("train.precision=fp16", false, {"train.precision = fp16", "changes of the loss scale"});
        row("train.precision=fp16", true, {"changes of the loss scale"});
        row("train.precision=bf16 train.stochastic_rounding=true", false,
            {"train.precision = bf16", "train.stochastic_rounding = true"});
        row("train.precision=fp8", true, {});
        row("train.precision=fp64 train.batch_ramp.initial=2 train.batch_ramp.tokens=64", false,
            {"train.batch_ramp.initial = 2"});
        row("train.device=gpu parallel.offload=all", true,
            {"parallel.offload = all (its copies stayed in host memory)",
             "train.device = gpu (kernels of the CPU computed; --gpu takes a GPU's)"});
    }
    void namesWhatWasNotCovered() {
        QFETCH(QString, settings);
        QFETCH(bool, asRun);
        QFETCH(QStringList, expected);
        const RunConfig config = withSettings(base(), settings);
        QStringList found;
        for (const std::string& text :
             notCovered(config, asRun ? VerifiedFormats::AsRun : VerifiedFormats::Fp64, /*onGpu=*/false))
            found << QString::fromStdString(text);
        QCOMPARE(found, expected);
    }

    void namesTheWholeLayout() {
        QCOMPARE(layoutText(base()), std::string("dp 2, tp 2, pp 1, cp 1, sequence_parallel, zero_stage 1"));
        const RunConfig pipeline = withSettings(
            base(),
            "parallel.pp=2 parallel.cp=2 parallel.cp_kind=ulysses parallel.virtual_stages=2 "
            "parallel.schedule=interleaved_1f1b parallel.dp_shard=1 model.num_layers=4 train.recompute.policy=full");
        QCOMPARE(layoutText(pipeline),
                 std::string("dp 2, tp 2, pp 2, cp 2, schedule interleaved_1f1b, cp_kind ulysses, dp_shard 1, "
                             "sequence_parallel, virtual_stages 2, zero_stage 1, train.recompute.policy full"));
        const VerifyReport report =
            compareWithReference(base(), makeReference(base(), {1}), {makeReference(base(), {1}).run});
        const std::string text = toText(report);
        const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
        QVERIFY2(last.starts_with("PASSED: dp 2, tp 2, pp 1, cp 1, sequence_parallel, zero_stage 1, in fp64: ") &&
                     last.ends_with("; not covered: train.precision = fp32\n"),
                 last.c_str());
    }
};
SLIPWAY_TEST(TstAsRun)
#include "tst_as_run.moc"
