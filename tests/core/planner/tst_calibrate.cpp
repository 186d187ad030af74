// Statistics of validation, the fitter, and calibration on runs whose truth is known.
#include "core/planner/calibrate/calibrate.h"
#include "core/planner/calibrate/least_squares.h"
#include "core/planner/calibrate/stack_parameters.h"
#include "core/planner/explain/explain.h"
#include "core/planner/plan.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_evaluator.h"
#include "core/planner/validate/forecast_run.h"
#include "core/planner/validate/score.h"
#include "core/planner/validate/validation.h"
#include "tests/core/planner/validate/toy_run.h"
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
        settings.prior = 1e-4;
        const FitResult fit = fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {100, 100}, settings);
        QVERIFY(std::abs(fit.parameters[0] / 3 - 1) < 1e-2);
        QVERIFY(std::abs(fit.parameters[1] / 0.5 - 1) < 1e-2);
        QCOMPARE(fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {100, 100}, settings).parameters, fit.parameters);
        const FitResult bounded = fitLogParameters(residuals, {1, 1}, {0.01, 0.01}, {2, 100}, settings);
        QVERIFY(bounded.parameters[0] <= 2 + 1e-12);
    }

    void parametersHaveTexts() {
        const StackProfile defaults;
        const std::vector<ProfileFigure> figures = profileFigures(defaults);
        QVERIFY(figures.size() > stackParameters().size());
        for (const ProfileFigure& figure : figures) QVERIFY(!figure.name.empty() && !figure.help.empty());
        QVERIFY(std::isnan(figures.back().value) || figures.back().value > 0);
        for (const StackParameter& p : stackParameters()) {
            QVERIFY(defaults.*p.member > p.low);
            QVERIFY(defaults.*p.member < p.high);
        }
    }

    void oneEfficiencyForFewRuns() {
        std::vector<MeasuredRun> runs;
        for (const std::int64_t tp : {1, 2, 4})
            for (const std::int64_t b : {1, 2}) runs.push_back(toyRun(tp, b, 16 / tp));
        std::vector<const MeasuredRun*> pointers;
        for (MeasuredRun& run : runs) {
            run.stepSeconds = forecastStepSeconds(run) * 1.25;
            pointers.push_back(&run);
        }
        const Calibration calibration = calibrate(pointers);
        QCOMPARE(calibration.numParameters(), std::size_t{1});
        MeasuredRun other = toyRun(8, 1, 2);
        const double textbook = forecastStepSeconds(other);
        applyCalibration(calibration, other.stack, other.cluster);
        QVERIFY(std::abs(forecastStepSeconds(other) / textbook - 1.25) < 1e-9);
        // The same device with other software is not known, and takes what all runs together say.
        ClusterSpec cluster = other.cluster;
        cluster.stackEfficiency = 1;
        applyCalibration(calibration, "other | H100 | 16 bit", cluster);
        QVERIFY(std::abs(cluster.stackEfficiency - 0.8) < 1e-9);
        const Plan plan = makePlan(other.config, other.cluster);
        QCOMPARE(plan.step.label, std::string("calibrated"));
        QVERIFY(plan.step.stepSecondsLow <= plan.step.stepSeconds &&
                plan.step.stepSecondsHigh >= plan.step.stepSeconds);
        QVERIFY(std::abs(plan.step.stepSeconds / (1.25 * textbook) - 1) < 1e-9);
    }

    void plansWithAStackAndReadsItBack() {
        MeasuredRun run = toyRun(4, 2, 4);
        const double textbook = forecastStepSeconds(run);
        run.cluster.stack = StackProfile{};
        run.cluster.stack->uncertainty = {0.1, 0.2};
        QVERIFY(forecastStepSeconds(run) > textbook);  // the host launches 24 layers, four micro-batches
        QVERIFY(forecastStepSeconds(run) > 24 * 4 * run.cluster.stack->layerHostSeconds);
        Issues issues;
        const ClusterSpec again = clusterFromJson(toJson(run.cluster), issues);
        QVERIFY(issues.empty());
        QCOMPARE(dumpJson(toJson(again), false), dumpJson(toJson(run.cluster), false));
        // What the stack keeps is exact arithmetic: one more byte per hidden element is one more byte.
        MeasuredRun more = run;
        more.cluster.stack->hiddenBytes += 1;
        const double tokens = 2 * 2048, share = 24.0 * 2048 / 4;
        QVERIFY(std::abs(forecastMemory(more) - forecastMemory(run) - tokens * share) < 1);
    }

    /// Memory of the communication stream comes on top of the peak, whatever the peak is made of; pipelines have their
    /// own, in proportion to their stages up to eight.
    void streamsHoldGatheredInputs() {
        for (const std::int64_t pp : {1, 2, 4, 8, 12}) {
            MeasuredRun run = toyRun(4, 2, 2);
            run.config.parallel.pp = pp;
            run.cluster.stack = StackProfile{};
            MeasuredRun more = run, others = run;
            (pp > 1 ? more.cluster.stack->pipelineStreamGatherBytes : more.cluster.stack->streamGatherBytes) += 1;
            (pp > 1 ? others.cluster.stack->streamGatherBytes : others.cluster.stack->pipelineStreamGatherBytes) += 1;
            const double tokens = 2 * 2048, share = pp == 2 ? 0.25 : pp == 4 ? 0.5 : 1;
            QVERIFY(std::abs(forecastMemory(more) - forecastMemory(run) - share * tokens * 2048) < 1);
            QCOMPARE(forecastMemory(others), forecastMemory(run));
            more.cluster.stack->gatherLimitBytes = run.cluster.stack->gatherLimitBytes = 0;  // gathered again
            QCOMPARE(forecastMemory(more), forecastMemory(run));
        }
    }

    void onlyDataParallelRanksCopyGradients() {
        for (const std::int64_t dp : {1, 2}) {
            MeasuredRun run = toyRun(4, 2, dp);
            run.cluster.stack = StackProfile{};
            MeasuredRun more = run;
            more.cluster.stack->gradientCopyBytes += 1;
            const double added = forecastMemory(more) - forecastMemory(run);
            const double parameters = rankParameters(run.config, 0);
            QVERIFY2(std::abs(added - (dp > 1 ? parameters : 0)) < 1, qPrintable(QString::number(added)));
        }
    }

    /// Pipelines, and without one the ranks of one node, that would need too much with gathered inputs kept fail though
    /// they need little without them.
    void overflowsWithGatheredInputsKept() {
        for (const std::int64_t pp : {1, 2})
            for (const std::int64_t tp : {4, 16}) {
                MeasuredRun run = toyRun(tp, 8, 2);
                run.config.parallel.pp = pp;
                run.cluster.stack = StackProfile{};
                const double kept = forecastPeak(run);
                run.cluster.stack->gatherLimitBytes = kept * 0.5;
                const double live = forecastPeak(run);
                QVERIFY(live < kept);
                run.cluster.stack->usableBytes = std::max(live, kept / 1.03);
                QVERIFY(forecastFits(run));
                run.cluster.stack->usableKeptBytes = kept * 0.99;
                QCOMPARE(forecastFits(run), pp == 1);
                run.cluster.stack->usableKeptBytes = kept * 1.01;
                QVERIFY(forecastFits(run));
                run.cluster.stack->usableBytes = std::max(live, kept / 1.05);
                QCOMPARE(forecastFits(run), pp == 2 || tp == 16);
            }
    }

    /// Two stages with many ranks each gather again while that leaves half of the memory free.
    void shortPipelinesGatherAgain() {
        for (const std::int64_t pp : {1, 2, 4}) {
            MeasuredRun run = toyRun(4, 4, 2);
            run.config.parallel.pp = pp;
            run.cluster.stack = StackProfile{};
            const double kept = forecastPeak(run);
            run.cluster.stack->gatherLimitBytes = 0;
            const double live = forecastPeak(run);
            run.cluster.stack->gatherLimitBytes = 75e9;
            run.cluster.stack->regatherRanks = 4;
            run.cluster.stack->usableBytes = 2.01 * live;
            QCOMPARE(forecastPeak(run), pp == 2 ? live : kept);
            run.cluster.stack->usableBytes = 1.99 * live;
            QCOMPARE(forecastPeak(run), kept);
            run.cluster.stack->usableBytes = 2.01 * live;
            run.cluster.stack->regatherRanks = 5;
            QCOMPARE(forecastPeak(run), kept);
        }
    }

    void gathersAgainBeforeItFails() {
        MeasuredRun run = toyRun(4, 8, 4);
        run.cluster.stack = StackProfile{};
        const double kept = forecastMemory(run), fast = forecastStepSeconds(run);
        run.cluster.stack->gatherLimitBytes = run.cluster.stack->stallLimitBytes = kept * 0.99;
        QVERIFY(forecastMemory(run) < kept);
        QVERIFY(forecastFits(run));
        QVERIFY(forecastStepSeconds(run) > fast);
        run.cluster.stack->stallLimitBytes = kept;
        QCOMPARE(forecastStepSeconds(run), fast);
        run.cluster.stack->stallLiveLimitBytes = forecastPeak(run) * 0.99;
        QVERIFY(forecastStepSeconds(run) > fast);
        run.cluster.stack->usableBytes = 1e9;
        QVERIFY(!forecastFits(run));
    }

    /// Runs made with a known stack, every fifth of which waited for no reason that can be seen: those must not bend
    /// the figures.
    void recoversAStack() {
        StackProfile truth;
        int far = 0;
        truth.hiddenBytes = 22, truth.streamGatherBytes = 90, truth.stallSeconds = 0.4, truth.layerHostSeconds = 6e-3;
        std::vector<MeasuredRun> runs;
        for (const std::int64_t pp : {1, 2, 4})
            for (const std::int64_t tp : {1, 2, 4, 8})
                for (const std::int64_t dp : {1, 2, 4, 8})
                    for (const std::int64_t sequences : {1, 2, 4, 8, 16, 24}) {
                        MeasuredRun run = toyRun(tp, sequences, dp);
                        run.config.parallel.pp = pp;
                        run.config.parallel.zeroStage = runs.size() % 2 == 0 && dp > 1 ? 1 : 0;
                        run.cluster.stack = truth;
                        run.fits = forecastFits(run);
                        if (*run.fits) {
                            if (runs.size() % 5 == 0)
                                run.cluster.stack->congestedNodes = run.cluster.stack->stallDataRanks = 0;
                            run.stepSeconds = forecastStepSeconds(run);
                            run.memoryBytes = forecastMemory(run);
                        }
                        runs.push_back(run);
                    }
        std::vector<const MeasuredRun*> pointers;
        for (const MeasuredRun& run : runs) pointers.push_back(&run);
        const Calibration calibration = calibrate(pointers);
        QCOMPARE(calibration.stacks.size(), std::size_t{1});
        const std::optional<StackProfile>& found = calibration.stacks.begin()->second.profile;
        QVERIFY(found.has_value());
        QVERIFY(std::abs(found->stallSeconds / truth.stallSeconds - 1) < 0.02);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            MeasuredRun again = runs[i];
            again.cluster.stack = found;
            if (!runs[i].stepSeconds || i % 5 == 0) continue;
            const double step = forecastStepSeconds(again) / *runs[i].stepSeconds;
            const double memory = forecastMemory(again) / *runs[i].memoryBytes;
            far += std::abs(step - 1) > 0.02 || std::abs(memory - 1) > 0.02 ? 1 : 0;
        }
        QVERIFY2(20 * far < static_cast<int>(runs.size()), qPrintable(QString::number(far)));  // beside a limit
        QCOMPARE(found->congestedNodes, StackProfile::kNever);
    }

    void stallsByMessagesAndCollectives() {
        StackProfile stack;
        stack.stallSeconds = 0.25;
        stack.stallLayerSeconds = 0.01;
        stack.layerHostSeconds = 0.004;
        stack.pipelineHostGrowth = 0.5;  // 2 ms for each further rank, 0.2 ms in each of a layer's ten collectives
        stack.pipelineHostExponent = 1;
        const auto seconds = [&](const RunConfig& config, std::int64_t pp) {
            return stalledSeconds(config, stack, {{ScheduleKind::OneFOneB, pp, 8, 1}, {{0, 24}}});
        };
        RunConfig config = toyRun(4, 1, 1).config;
        QVERIFY(std::abs(seconds(config, 2) - 2 * 8 * 0.25) < 1e-12);
        QVERIFY(std::abs(seconds(config, 4) - (4 * 8 + 2) * 0.25) < 1e-12);
        QVERIFY(std::abs(seconds(config, 1) - 24 * 8 * (0.01 + 3 * 0.002)) < 1e-9);
        // Replicas under the wrapper add up their gradients in buckets; those of ZeRO-1 in one piece.
        config.parallel.tp = 1;
        config.parallel.dp = 16;
        config.parallel.zeroStage = 1;
        QVERIFY(std::abs(seconds(config, 1) - 24 * 8 * 0.01) < 1e-9);
        config.parallel.zeroStage = 0;
        const double buckets = 2 * rankParameters(config, 0) / (25 << 20);
        QVERIFY(std::abs(seconds(config, 1) - 24 * 8 * 0.01 - 15 * buckets * 0.0002) < 1e-9);
    }

    /// Many micro-batches under the wrapper: pipelines wait on few nodes, others on many and in wide groups only.
    void wrapperStallsAlone() {
        StackProfile stack;
        stack.stallMicroBatches = 16;
        stack.stallWrapperNodes = 2;
        stack.stallShardNodes = 32;
        stack.stallDataRanks = 32;
        stack.stallLargeSequences = 2;
        StallFacts facts;
        facts.nodes = 2;
        facts.dataRanks = 4;
        facts.wrapperMicroBatches = 16;
        facts.pipeline = true;
        QVERIFY(isCongested(facts, stack));
        facts.pipeline = false;
        QVERIFY(!isCongested(facts, stack));
        facts.nodes = 32;
        QVERIFY(!isCongested(facts, stack));
        facts.dataRanks = 32;
        QVERIFY(isCongested(facts, stack));
        // What the wrapper does not decide the other circumstances may.
        facts.dataRanks = 4;
        facts.tpNodes = 2;
        facts.sequences = 2;
        QVERIFY(isCongested(facts, stack));
    }

    /// What the search says of a layout under a calibrated stack is what its plan says, whatever was asked before.
    void searchesWithTheStacksFigures() {
        MeasuredRun run = toyRun(4, 2, 4);
        run.config.parallel.pp = 2;
        run.config.parallel.dp = 2;
        run.config.train.globalBatchSize = 2 * 2 * 4;
        run.cluster.stack = StackProfile{};
        run.cluster.stack->stallMicroBatches = 4;
        run.cluster.stack->stallWrapperNodes = 1;
        LayoutEvaluator evaluator(run.config, run.cluster);
        evaluator.setLayers({4, 2, 1, 2}, 2, {true});
        QVERIFY(evaluator.setPipeline({ScheduleKind::OneFOneB, 1}));
        double seconds[2] = {};
        for (const std::int64_t zero : {0, 1, 0}) {
            const double peak = evaluator.peakBytes({zero}, Offload::None);
            const double bound = evaluator.boundSeconds({zero}, Offload::None);
            const StepEstimate step = evaluator.estimate({zero}, Offload::None);
            QVERIFY(bound <= step.stepSeconds && bound > 0.9 * step.stepSeconds);
            run.config.parallel.zeroStage = zero;
            const Plan plan = makePlan(run.config, run.cluster);
            QCOMPARE(peak, plan.memoryPeakBytes);
            QCOMPARE(evaluator.capacityBytes(), plan.memoryCapacityBytes);
            QCOMPARE(step.stepSeconds, plan.step.stepSeconds);
            seconds[zero] = step.stepSeconds;
        }
        QVERIFY(seconds[0] > seconds[1] + 1);  // only the wrapper stalls: eight messages and more
        // The plan explains its bytes with the stack's figures, not with the bundled trainer's.
        const auto explained = explain(makePlan(run.config, run.cluster), "memory.gradient_bytes");
        QVERIFY(explained.has_value());
        const StackProfile& stack = *run.cluster.stack;
        QCOMPARE(explained->inputs[1].value, 4 + stack.gradientCopyBytes + stack.wrapperBytes);
        QVERIFY(std::abs(explained->figure.value - explained->inputs[0].value * explained->inputs[1].value) < 1);
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
