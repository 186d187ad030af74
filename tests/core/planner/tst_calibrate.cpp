// Statistics of validation, the fitter, and calibration on runs whose truth is known.
#include "core/planner/evidence/calibrate.h"
#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/least_squares.h"
#include "core/planner/evidence/score.h"
#include "core/planner/evidence/validation.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/stack/calibrated_range.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/planner/stack/stack_constants.h"
#include "tests/core/planner/evidence/toy_run.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {

class TstCalibrate : public QObject {
    Q_OBJECT
private slots:
    void quantiles() {
        QCOMPARE(quantile({3, 1, 2}, 0.5), 2.0);
        QCOMPARE(quantile({0, 10}, 0.9), 9.0);
        QVERIFY(std::isnan(quantile({}, 0.5)));
    }

    void rankCorrelation() {
        QCOMPARE(spearman({1, 2, 3, 4}, {10, 100, 1000, 1e9}), 1.0);
        QCOMPARE(spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1.0);
        QCOMPARE(spearman({1, 2, 3}, {1, 3, 2}), 0.5);  // 1 - 6 * 2 / (3 * 8)
        QCOMPARE(spearman({1, 1, 2}, {5, 5, 7}), 1.0);  // ties share their rank
    }

    void solvesSymmetricSystems() {
        const std::vector<double> x = solveSymmetric({4, 2, 2, 3}, {10, 8});
        QCOMPARE(x.size(), std::size_t{2});
        QVERIFY(std::abs(x[0] - 1.75) < 1e-12 && std::abs(x[1] - 1.5) < 1e-12);
        QVERIFY(solveSymmetric({1, 2, 2, 1}, {1, 1}).empty());
    }

    void findsParametersDespiteOutliers() {
        // ln of a + b x, true a = 3 and b = 0.5; every tenth value is eight times too large.
        std::vector<double> data;
        for (int i = 0; i < 100; ++i) data.push_back(std::log((3 + 0.5 * i) * (i % 10 == 9 ? 8 : 1)));
        const auto residuals = [&](const std::vector<double>& p) {
            std::vector<double> r;
            for (int i = 0; i < 100; ++i) r.push_back(std::log(p[0] + p[1] * i) - data[static_cast<std::size_t>(i)]);
            return r;
        };
        FitSettings settings;
        settings.spreads = {100, 100};
        const FitResult fit = fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {100, 100}, settings);
        QVERIFY(std::abs(fit.parameters[0] / 3 - 1) < 1e-2);
        QVERIFY(std::abs(fit.parameters[1] / 0.5 - 1) < 1e-2);
        QCOMPARE(fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {100, 100}, settings).parameters, fit.parameters);
        const FitResult bounded = fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {2, 100}, settings);
        QVERIFY(bounded.parameters[0] <= 2 + 1e-12);
    }

    void constantsHaveTextsAndBounds() {
        const SoftwareStack defaults;
        const std::vector<ConstantRow> rows = constantRows(defaults);
        QCOMPARE(rows.size(), std::size_t{18});
        QCOMPARE(rows.size(), stackConstants().size());
        QCOMPARE(std::ranges::count_if(stackConstants(), &ConstantInfo::ofMemory), 6);
        for (const ConstantRow& row : rows) {
            QVERIFY(!row.name.empty() && !row.help.empty());
            QVERIFY(row.constant.value > row.low && row.constant.value < row.high);
        }
        QVERIFY(beyondBounds(defaults).empty());
        SoftwareStack fast = withSpeed(defaults, 1000);  // no faster than the peak
        QCOMPARE(fast.gemmEfficiency.value, 1.0);
        fast.interShare.value = 1.5;
        QCOMPARE(beyondBounds(fast), std::string_view("inter_share"));
    }

    /// One run of software nobody knows narrows its forecast; the same software in another layout follows.
    void oneRunIsEnough() {
        MeasuredRun run = toyRun(1, 2, 16);
        run.software = "toy";
        SoftwareStack truth;
        truth.gemmEfficiency.value = 0.45;
        run.cluster.stack = truth;
        run.stepSeconds = forecastStepSeconds(run);
        MeasuredRun other = toyRun(2, 4, 8);
        other.software = "toy";
        other.cluster.stack = truth;
        const double expected = forecastStepSeconds(other);
        other.cluster.stack = SoftwareStack{};
        const double before = std::abs(std::log(forecastStepSeconds(other) / expected));
        const Calibration calibration = calibrate({&run});
        applyCalibration(calibration, other);
        const double after = std::abs(std::log(forecastStepSeconds(other) / expected));
        QVERIFY2(after < 0.4 * before, qPrintable(QString("%1 %2").arg(after).arg(before)));
        QCOMPARE(makePlan(other.config, other.cluster).step.label, std::string("calibrated"));
        // Software of which no run is known takes what all runs together say.
        QVERIFY(std::abs(calibration.stackFor({"another", "", "16 bit", false, ""}).gemmEfficiency.value - 0.6) > 0.01);
    }

    /// Runs made with a known stack, every fifth of which waited for no reason that can be seen: those must not bend the constants.
    void recoversAStack() {
        SoftwareStack truth;
        truth.facts.keepsGathered = true;
        truth.layerSeconds.value = 6e-3;
        truth.waitSeconds.value = 0.4;
        truth.waitChance.value = 0.1;
        truth.streamBytes.value = 60;
        std::vector<MeasuredRun> runs;
        for (const std::int64_t pp : {1, 2, 4})
            for (const std::int64_t tp : {1, 4, 8})
                for (const std::int64_t dp : {2, 4, 8})
                    for (const std::int64_t sequences : {1, 4}) {
                        MeasuredRun run = toyRun(tp, sequences, dp);
                        run.software = run.stack = "nanotron";
                        run.config.parallel.pp = pp;
                        run.cluster.numNodes = std::max<std::int64_t>(1, tp * pp * dp / 8);
                        run.cluster.stack = truth;
                        const TwoPoint ways = forecastStep(run).ways;
                        run.stepSeconds = runs.size() % 5 == 0 ? ways.second : ways.first;
                        run.memoryBytes = forecastMemory(run);
                        runs.push_back(run);
                    }
        std::vector<const MeasuredRun*> pointers;
        for (const MeasuredRun& run : runs) pointers.push_back(&run);
        const Calibration calibration = calibrate(pointers);
        const SoftwareStack& found = calibration.stacks.at("nanotron");
        QVERIFY2(std::abs(found.waitSeconds.value / 0.4 - 1) < 0.03,
                 qPrintable(QString::number(found.waitSeconds.value)));
        QVERIFY2(std::abs(found.layerSeconds.value / 6e-3 - 1) < 0.1,
                 qPrintable(QString::number(found.layerSeconds.value)));
        QVERIFY(found.waitChance.value > 0.02 && found.waitChance.value < 0.3);
        QVERIFY(beyondBounds(found).empty());
        int far = 0;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            MeasuredRun again = runs[i];
            again.cluster.stack = calibration.stackFor(speedKeys(again));
            const TwoPoint ways = forecastStep(again).ways;
            const double way = i % 5 == 0 ? ways.second : ways.first;
            far += std::abs(way / *runs[i].stepSeconds - 1) > 0.1 ? 1 : 0;
        }
        QVERIFY2(10 * far < static_cast<int>(runs.size()), qPrintable(QString::number(far)));
    }

    /// A node makes a run wait with chance q; a step waits per message of the busiest rank.
    void waitsByNodesAndMessages() {
        MeasuredRun run = toyRun(8, 1, 1);
        run.config.parallel.pp = 4;
        run.cluster.numNodes = 4;
        run.cluster.stack = SoftwareStack{};
        run.cluster.stack->waitChance.value = 0.1;
        run.cluster.stack->waitSeconds.value = 0.25;
        const StepForecast step = forecastStep(run);
        QVERIFY(std::abs(step.ways.chance - (1 - std::pow(0.9, 4))) < 1e-12);
        QVERIFY(std::abs(step.ways.second - step.ways.first - (4 * 4 + 2) * 0.25) < 1e-9);
        QCOMPARE(step.seconds, step.ways.first);  // the likelier
        QVERIFY(step.high > step.ways.first + 4 && step.low < step.ways.first);
        run.cluster.stack->waitChance.value = 0.3;
        QCOMPARE(forecastStep(run).seconds, step.ways.second);
        run.config.parallel.pp = 1;  // no messages
        run.config.parallel.dp = 4;
        QCOMPARE(forecastStep(run).ways.chance, 0.0);
    }

    void quantilesOfTwoWays() {
        const TwoPoint one{2, 2, 0, 0.1};
        QVERIFY(std::abs(one.quantile(0.5) - 2) < 1e-6);
        QVERIFY(std::abs(one.quantile(0.9) - 2 * std::exp(0.12815515655)) < 1e-6);
        const TwoPoint two{1, 10, 0.3, 0.01};
        QVERIFY(two.quantile(0.65) < 1.05 && two.quantile(0.75) > 9.5);
        QCOMPARE(two.likelier(), 1.0);
        // The second is slower than the first way of the other, which waits half of the time.
        const std::vector<double> chances = chancesToBeBest({{1, 5, 0.5, 0.05}, {2, 2, 0, 0.05}, {3, 3, 0, 0.05}});
        QVERIFY(std::abs(chances[0] - 0.5) < 0.02 && std::abs(chances[1] - 0.5) < 0.02 && chances[2] < 1e-3);
    }

    /// Twice as many nodes as were calibrated: a wider interval, another label and a sentence that names the axis.
    void extrapolationIsSaid() {
        MeasuredRun run = toyRun(1, 2, 16);
        run.cluster.calibration = "calibrated";
        run.cluster.stack = SoftwareStack{};
        cover(*run.cluster.stack, run.config, run.cluster);
        const Plan inside = makePlan(run.config, run.cluster);
        QCOMPARE(inside.step.label, std::string("calibrated"));
        run.config.parallel.dp = 128;
        run.config.train.globalBatchSize = 2 * 128 * 4;
        run.cluster.numNodes = 16;
        const Plan outside = makePlan(run.config, run.cluster);
        QCOMPARE(outside.step.label, std::string("extrapolated"));
        const auto width = [](const Plan& plan) { return plan.step.stepSecondsHigh / plan.step.stepSecondsLow; };
        QVERIFY(width(outside) > 1.05 * width(inside));
        const auto said = std::ranges::find(outside.issues, "extrapolated", &Issue::code);
        QVERIFY(said != outside.issues.end() && said->message.find("nodes: 16") != std::string::npos);
        QVERIFY(std::ranges::find(inside.issues, "extrapolated", &Issue::code) == inside.issues.end());
    }

    void memoryByFactsAndConstants() {
        MeasuredRun run = toyRun(4, 2, 4);
        run.cluster.stack = SoftwareStack{};
        run.cluster.stack->allocatorFactor.value = 1;
        const double tokens = 2 * 2048;
        MeasuredRun more = run;
        more.cluster.stack->extraHiddenBytes.value += 1;
        QVERIFY(std::abs(forecastMemory(more) - forecastMemory(run) - tokens * 24 * 2048 / 4) < 1);
        more = run;
        more.cluster.stack->facts.gradientCopyBytes = 2;
        QVERIFY(std::abs(forecastMemory(more) - forecastMemory(run) - 2 * rankShare(run.config, 0).parameters) < 1);
        // Inputs kept, and their stream: on top of the peak, and none in a run that more likely waits.
        more = run;
        more.cluster.stack->facts.keepsGathered = true;
        const double gathered = tokens * 2048 * (24 * 2 * 1 + more.cluster.stack->streamBytes.value);
        QVERIFY(std::abs(forecastMemory(more) - forecastMemory(run) - gathered) < 1);
        QCOMPARE(forecastPeak(more, false), forecastPeak(run, false));
        more.cluster.stack->usableShare.value = forecastMemory(run) * 1.01 / run.cluster.device.memoryBytes;
        QCOMPARE(forecastMemory(more), forecastMemory(run));  // what does not fit is gathered again
    }

    void savedAndReadBack() {
        Calibration calibration;
        calibration.stacks["toy"].name = "toy";
        calibration.stacks["toy"].precisions = {"bf16"};
        calibration.speeds["mixture"] = 0.7;
        Issues issues;
        const Calibration again = calibrationFromJson(toJson(calibration), issues);
        QVERIFY(issues.empty());
        QCOMPARE(dumpJson(toJson(again), false), dumpJson(toJson(calibration), false));
        calibration.stacks["toy"].gemmEfficiency.value = 1.2;
        (void)calibrationFromJson(toJson(calibration), issues);
        QVERIFY(!issues.empty() && issues.front().message.find("gemm_efficiency") != std::string::npos);
    }

    /// Hardware saved by earlier versions: read where it was not calibrated, else refused in one sentence.
    void calibrationsOfEarlierVersions() {
        Json plain = toJson(*findDevicePreset("NVIDIA H100 SXM 80 GB"));
        plain["stack_efficiency"] = 1.0;
        Issues issues;
        (void)clusterFromJson(plain, issues);
        QVERIFY(issues.empty());
        plain["stack"] = {{"layer_host_seconds", 4e-3}, {"hidden_bytes", 28}};
        (void)clusterFromJson(plain, issues);
        QCOMPARE(issues.size(), std::size_t{1});
        QCOMPARE(issues.front().code, std::string("old_calibration"));
    }

    /// Meta's 405B layouts are inside the interval of the shipped stack, and fit.
    void metasLayoutsWithTheShippedStack() {
        for (const auto& [dp, tflops] : {std::pair{64, 430.0}, {128, 400.0}}) {
            const auto table = readMeasuredRuns(
                "source,model_name,layers,hidden,ffn,heads,kv_heads,vocab,experts,topk,seq,gpu_type,num_gpus,dp,tp,pp,vpp,cp,ep,"
                "zero_stage,micro_batch,global_batch,recompute,precision,seq_parallel,measured_tflops_per_gpu,"
                "measured_mfu_pct,measured_iter_s,measured_mem_gb,tokens_per_s,notes\n"
                "Llama 3 Herd of Models Table 4,Llama-3-405B,126,16384,53248,128,8,128256,,,8192,H100-80GB-SXM," +
                    std::to_string(dp * 128) + "," + std::to_string(dp) + ",8,16,,1,1,,,2048,,bf16,," +
                    std::to_string(tflops) + ",,,,,\n",
                "t");
            QVERIFY(table && table->runs.size() == 1);
            MeasuredRun run = table->runs.front();
            QVERIFY(useShippedStack("megatron-core", run.config, run.cluster).has_value());
            const StepForecast step = forecastStep(run);
            QVERIFY2(*run.stepSeconds > step.low && *run.stepSeconds < step.high,
                     qPrintable(QString("%1 in %2 to %3").arg(*run.stepSeconds).arg(step.low).arg(step.high)));
            QVERIFY(forecastFits(run));
        }
    }

    /// Typical software may be any: a step that its host's launches decide is inside its interval as the slowest stack forecasts it,
    /// and the search gives that interval too.
    void typicalCoversTheStacks() {
        MeasuredRun run = toyRun(2, 1, 8);
        run.config.parallel.pp = 4;
        run.cluster.numNodes = 8;
        QVERIFY(useShippedStack("nanotron", run.config, run.cluster).has_value());
        const double slowest = forecastStep(run).ways.first;
        QVERIFY(useShippedStack("typical", run.config, run.cluster).has_value());
        const StepForecast typical = forecastStep(run);
        QVERIFY(slowest > 1.5 * typical.ways.first);
        QVERIFY2(slowest > typical.low && slowest < typical.high,
                 qPrintable(QString("%1 in %2 to %3").arg(slowest).arg(typical.low).arg(typical.high)));
        // Some software waits, so one that nobody measured may.
        QVERIFY(typical.ways.chance > 0.01 && typical.ways.chance < 0.5);
        LayoutRequest request;
        request.config = run.config;
        request.cluster = run.cluster;
        request.limit = 5;
        const LayoutSearch found = searchLayouts(request);
        QVERIFY(!found.best.empty());
        for (const FoundLayout& layout : found.best) {
            const Plan plan = makePlan(layout.applied(run.config), run.cluster);
            QVERIFY(std::abs(layout.step.stepSecondsHigh / plan.step.stepSecondsHigh - 1) < 1e-9);
        }
    }

    void shippedStacks() {
        const std::vector<std::string> names = shippedStackNames();
        for (const char* name : {"typical", "megatron-core", "nanotron", "torchtitan", "deepspeed", "llm-foundry",
                                 "nemo", "maxtext", "textbook"})
            QVERIFY2(std::ranges::find(names, name) != names.end(), name);
        for (const auto& [name, stack] : shippedCalibration().stacks)
            QVERIFY2(beyondBounds(stack).empty(), name.c_str());
        MeasuredRun run = toyRun(1, 2, 16);
        QVERIFY(!useShippedStack("nobody's", run.config, run.cluster).has_value());
        QVERIFY(useShippedStack("nemo", run.config, run.cluster).has_value());
        QVERIFY(run.cluster.stack && run.cluster.stack->name == "nemo");
        QVERIFY(useShippedStack("textbook", run.config, run.cluster).has_value() && !run.cluster.stack);
        ClusterSpec cpu;
        QVERIFY(!useShippedStack("nemo", run.config, cpu).has_value());
    }

    /// Attention stays at 16 bit in 8-bit runs: with long sequences it decides.
    void attentionOf8BitRuns() {
        MeasuredRun run = toyRun(1, 1, 16);
        run.config.train.seqLen = run.config.model.maxSeqLen = 131072;
        const double wide = forecastStepSeconds(run);
        run.config.train.precision = Precision::Fp8;
        const double narrow = forecastStepSeconds(run);
        QVERIFY(narrow < wide && narrow > 0.8 * wide);
        run.config.train.seqLen = 1024;
        const double shortNarrow = forecastStepSeconds(run);
        run.config.train.precision = Precision::Bf16;
        QVERIFY(shortNarrow / forecastStepSeconds(run) < narrow / wide);  // there the products decide
    }

    /// One layer, one micro-batch: (13 + 19) bytes of heads x seq x seq scores, and 13 more with recomputation.
    void attentionWithoutAFusedKernel() {
        MeasuredRun run = toyRun(2, 3, 8);
        run.config.model.numLayers = 1;
        run.config.train.globalBatchSize = 3 * 8;
        const double fused = forecastStepSeconds(run);
        run.writesScores = true;
        const double bytes = 16.0 / 2 * 2048 * 2048 * 3;
        const double rate = run.cluster.device.memoryBytesPerSecond * 0.8;
        QVERIFY(std::abs((forecastStepSeconds(run) - fused) / (32 * bytes / rate) - 1) < 1e-6);
        run.config.train.recompute.policy = RecomputePolicy::Full;
        const double again = forecastStepSeconds(run);
        run.writesScores = false;
        QVERIFY(std::abs((again - forecastStepSeconds(run)) / (45 * bytes / rate) - 1) < 1e-6);
    }
};
SLIPWAY_TEST(TstCalibrate)

}  // namespace slipway

#include "tst_calibrate.moc"
