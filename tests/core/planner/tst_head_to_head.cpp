// The eight runs of Calculon's validation (Korthikanti 2022, arXiv 2205.05198, table 5, on Selene), forecast with the
// textbook formulas and one figure, the speed of the software, which the other seven rows give.
#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/score.h"
#include "core/planner/presets.h"
#include "tests/core/planner/evidence/toy_run.h"
#include "tests/support/slipway_test.h"

#include <cmath>
#include <numeric>

namespace slipway {

namespace {

struct Row {
    std::int64_t layers, hidden, heads, devices, pp, virtualStages, microBatch, batch;
    double fullSeconds, selectiveSeconds;  ///< full recompute; selective with sequence parallelism
};

constexpr Row kRows[] = {{48, 6144, 64, 8, 1, 1, 4, 4, 1.42, 1.10},
                         {96, 12288, 96, 64, 8, 3, 1, 64, 18.13, 13.75},
                         {105, 20480, 128, 280, 35, 3, 1, 280, 49.05, 37.83},
                         {128, 25600, 160, 512, 64, 1, 1, 512, 94.42, 71.49}};

MeasuredRun runOf(const Row& row, bool selective) {
    MeasuredRun run;
    RunConfig& c = run.config;
    c.model.family = Family::Gpt2;
    c.model.numLayers = row.layers;
    c.model.hiddenSize = row.hidden;
    c.model.ffnHiddenSize = 4 * row.hidden;
    c.model.numHeads = row.heads;
    c.model.vocabSize = 51200;
    c.model.tieEmbeddings = true;
    c.train.seqLen = c.model.maxSeqLen = 2048;
    c.train.precision = Precision::Fp16;
    c.train.device = DeviceKind::Gpu;
    c.train.microBatchSize = row.microBatch;
    c.train.globalBatchSize = row.batch;
    c.train.recompute.policy = selective ? RecomputePolicy::Selective : RecomputePolicy::Full;
    c.parallel.tp = 8;
    c.parallel.pp = row.pp;
    c.parallel.dp = row.devices / (8 * row.pp);
    c.parallel.sequenceParallel = selective;
    if (row.virtualStages > 1) {
        c.parallel.schedule = ScheduleKind::InterleavedOneFOneB;
        c.parallel.virtualStages = row.virtualStages;
    }
    run.cluster = *findDevicePreset("NVIDIA A100 SXM 80 GB");
    run.writesScores = true;
    run.cluster.numNodes = row.devices / 8;
    run.stepSeconds = selective ? row.selectiveSeconds : row.fullSeconds;
    return run;
}

}  // namespace

class TstHeadToHead : public QObject {
    Q_OBJECT
private slots:
    void calculonsEightRows() {
        std::vector<double> ratios;
        for (const Row& row : kRows)
            for (const bool selective : {false, true}) {
                const MeasuredRun run = runOf(row, selective);
                ratios.push_back(*run.stepSeconds / forecastStepSeconds(run));
                QVERIFY(std::isfinite(ratios.back()));
            }
        std::vector<double> errors;
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            std::vector<double> others = ratios;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            errors.push_back(std::abs(quantile(others, 0.5) / ratios[i] - 1));
        }
        const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
        const double worst = quantile(errors, 1);
        for (std::size_t i = 0; i < errors.size(); ++i)
            qInfo("row %d: measured / textbook %.3f, error %.2f %%", static_cast<int>(i), ratios[i], 100 * errors[i]);
        qInfo("ours: mean %.2f %%, worst %.2f %%; Calculon: 3.65 %%, 8.87 %%", 100 * mean, 100 * worst);
        QVERIFY(mean < 0.0365);
        QVERIFY(worst < 0.0887);
    }
};
SLIPWAY_TEST(TstHeadToHead)

}  // namespace slipway

#include "tst_head_to_head.moc"
