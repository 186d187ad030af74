#include "core/planner/evidence/validation.h"

#include "core/base/hash.h"
#include "core/planner/evidence/forecast_run.h"
#include "core/planner/evidence/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace slipway {

namespace {

ForecastRow forecastRow(const MeasuredRun& run, const Calibration* calibration) {
    MeasuredRun calibrated = run;
    if (calibration != nullptr) applyCalibration(*calibration, calibrated);
    ForecastRow row;
    row.run = &run;
    row.stepSeconds = row.stepLow = row.stepHigh = Scores::kNone;
    if (run.stepSeconds || run.fits) {
        const StepForecast step = forecastStep(calibrated);
        row.stepSeconds = step.seconds;
        row.stepLow = step.low;
        row.stepHigh = step.high;
        row.ways = step.ways;
    }
    row.memoryBytes = run.memoryBytes ? forecastMemory(calibrated) : Scores::kNone;
    row.fits = run.fits && forecastFits(calibrated);
    return row;
}

double share(std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : Scores::kNone;
}

/// Layouts of one cell, the likeliest to be the fastest first; then by the likelier time of unlikely ones.
void addCompetitors(const std::string& cell, const std::vector<const ForecastRow*>& members,
                    std::vector<Competitor>& competitors) {
    constexpr double kFails = std::numeric_limits<double>::infinity();
    std::vector<TwoPoint> ways;
    std::vector<const ForecastRow*> running;
    double slowest = 0;
    for (const ForecastRow* row : members) {
        const MeasuredRun& run = *row->run;
        const auto tokens = static_cast<double>(run.config.tokensPerStep());
        if (run.fits && !row->fits) {
            competitors.push_back({cell, kFails, run.stepSeconds ? *run.stepSeconds / tokens : kFails});
            continue;
        }
        running.push_back(row);
        ways.push_back({row->ways.first / tokens, row->ways.second / tokens, row->ways.chance, row->ways.spread});
        slowest = std::max(slowest, ways.back().second);
    }
    const bool exact = std::all_of(ways.begin(), ways.end(), [](const TwoPoint& one) { return !(one.spread > 0); });
    const std::vector<double> chances = exact ? std::vector<double>(ways.size(), 0) : chancesToBeBest(ways);
    constexpr double kHardly = 1e-3;
    for (std::size_t i = 0; i < running.size(); ++i) {
        const MeasuredRun& run = *running[i]->run;
        const auto tokens = static_cast<double>(run.config.tokensPerStep());
        const double later = ways[i].likelier() / slowest;
        competitors.push_back({cell, chances[i] > kHardly ? 1 - chances[i] : 1 + later,
                               run.stepSeconds ? *run.stepSeconds / tokens : kFails});
    }
}

Scores scoresOf(const std::vector<const ForecastRow*>& rows) {
    Scores s;
    std::vector<double> memory, step, forecasts, measured;
    std::vector<Competitor> competitors;
    std::map<std::string, std::vector<const ForecastRow*>> cells;
    std::size_t right = 0, rightPp1 = 0, pp1 = 0, held = 0;
    for (const ForecastRow* row : rows) {
        const MeasuredRun& run = *row->run;
        ++s.rows;
        if (run.memoryBytes && std::isfinite(row->memoryBytes))
            memory.push_back(std::abs(row->memoryBytes / *run.memoryBytes - 1));
        if (run.stepSeconds && std::isfinite(row->stepSeconds)) {
            step.push_back(std::abs(row->stepSeconds / *run.stepSeconds - 1));
            forecasts.push_back(row->stepSeconds);
            measured.push_back(*run.stepSeconds);
            held += *run.stepSeconds >= row->stepLow && *run.stepSeconds <= row->stepHigh ? 1 : 0;
        }
        if (std::isfinite(row->stepSeconds) && (run.stepSeconds || (run.fits && !*run.fits)))
            cells[run.cell].push_back(row);
        if (!run.fits) continue;
        ++s.fitRows;
        const bool isRight = row->fits == *run.fits;
        right += isRight ? 1 : 0;
        if (run.config.parallel.pp > 1) continue;
        ++pp1;
        rightPp1 += isRight ? 1 : 0;
    }
    for (const auto& [cell, members] : cells) addCompetitors(cell, members, competitors);
    s.memoryRows = memory.size();
    s.stepRows = step.size();
    s.memoryMedian = quantile(memory, 0.5);
    s.memoryP90 = quantile(memory, 0.9);
    s.fitAccuracy = share(right, s.fitRows);
    s.fitAccuracyPp1 = share(rightPp1, pp1);
    s.stepHeld = share(held, s.stepRows);
    s.stepMedian = quantile(step, 0.5);
    s.stepP90 = quantile(step, 0.9);
    s.spearman = spearman(forecasts, measured);
    s.top1Regret = meanRegret(competitors, 1);
    s.top5Regret = meanRegret(competitors, 5);
    return s;
}

/// Everything that makes two rows the same layout.
std::string layoutKey(const MeasuredRun& run) {
    return run.stack + '|' + configHash(run.config) + '|' + std::to_string(run.cluster.numNodes);
}

/// Repeated measurements of one figure.
struct Repeats {
    std::vector<double> fromMean;  ///< |one / mean - 1|
    std::vector<double> factors;  ///< one / mean, its logarithm widened by sqrt(n / (n - 1)) for the mean's own scatter

    void add(const std::vector<double>& values) {
        if (values.size() < 2) return;
        const auto n = static_cast<double>(values.size());
        double mean = 0;
        for (const double value : values) mean += value / n;
        for (const double value : values) {
            fromMean.push_back(std::abs(value / mean - 1));
            factors.push_back(std::exp(std::log(value / mean) * std::sqrt(n / (n - 1))));
        }
    }
};

/// One of the factors, by a fixed hash of the draw and the row.
double drawn(const std::vector<double>& factors, std::uint64_t number) {
    return factors.empty() ? 1 : factors[splitMix64(number * kSplitMix64Step) % factors.size()];
}

struct LayoutRuns {
    std::vector<double> step, memory;
    std::size_t rows = 0, failed = 0;
};

void addShare(double& sum, double value) {
    sum += value / static_cast<double>(NoiseFloor::kDraws);
}

/// Scores of a forecast whose only error is that of repeated runs.
Scores noiseScores(const MeasuredTable& table, const std::map<std::string, LayoutRuns>& layouts,
                   const std::vector<double>& step, const std::vector<double>& memory) {
    std::vector<ForecastRow> rows(table.runs.size());
    std::vector<const ForecastRow*> pointers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LayoutRuns& layout = layouts.at(layoutKey(table.runs[i]));
        rows[i].run = &table.runs[i];
        rows[i].fits = 2 * layout.failed <= layout.rows;
        pointers.push_back(&rows[i]);
    }
    Scores mean;
    for (std::size_t draw = 0; draw < NoiseFloor::kDraws; ++draw) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint64_t number = 2 * (draw * rows.size() + i);
            rows[i].stepSeconds = rows[i].run->stepSeconds.value_or(Scores::kNone) * drawn(step, number);
            rows[i].ways = {rows[i].stepSeconds, rows[i].stepSeconds, 0, 0};
            rows[i].memoryBytes = rows[i].run->memoryBytes.value_or(Scores::kNone) * drawn(memory, number + 1);
        }
        const Scores scores = scoresOf(pointers);
        if (draw == 0) {
            mean = scores;
            mean.stepHeld = Scores::kNone;
            for (double* figure : {&mean.memoryMedian, &mean.memoryP90, &mean.stepMedian, &mean.stepP90, &mean.spearman,
                                   &mean.top1Regret, &mean.top5Regret})
                *figure = 0;
        }
        addShare(mean.memoryMedian, scores.memoryMedian);
        addShare(mean.memoryP90, scores.memoryP90);
        addShare(mean.stepMedian, scores.stepMedian);
        addShare(mean.stepP90, scores.stepP90);
        addShare(mean.spearman, scores.spearman);
        addShare(mean.top1Regret, scores.top1Regret);
        addShare(mean.top5Regret, scores.top5Regret);
    }
    return mean;
}

NoiseFloor noiseOf(const MeasuredTable& table) {
    std::map<std::string, LayoutRuns> layouts;
    for (const MeasuredRun& run : table.runs) {
        LayoutRuns& layout = layouts[layoutKey(run)];
        ++layout.rows;
        if (run.stepSeconds) layout.step.push_back(*run.stepSeconds);
        if (run.memoryBytes) layout.memory.push_back(*run.memoryBytes);
        if (run.fits && !*run.fits) ++layout.failed;
    }
    NoiseFloor noise;
    Repeats step, memory;
    for (const auto& [key, layout] : layouts) {
        if (layout.step.size() >= 2) ++noise.repeatedLayouts;
        if (layout.failed > 0 && layout.failed < layout.rows) ++noise.contradicted;
        step.add(layout.step);
        memory.add(layout.memory);
    }
    noise.stepMedian = quantile(step.fromMean, 0.5);
    noise.stepMost = quantile(step.fromMean, 1);
    noise.memoryMedian = quantile(memory.fromMean, 0.5);
    noise.memoryMost = quantile(memory.fromMean, 1);
    if (noise.repeatedLayouts > 0 || noise.contradicted > 0)
        noise.scores = noiseScores(table, layouts, step.factors, memory.factors);
    return noise;
}

/// Order of groups: by kind, then by number or name.
std::string padded(std::int64_t number) {
    std::string text = std::to_string(number);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, ' ') + text;
}

void addGroups(ValidationReport& report) {
    std::map<std::string, std::vector<const ForecastRow*>> groups;
    for (const ForecastRow& row : report.rows) {
        const MeasuredRun& run = *row.run;
        groups["model " + run.model].push_back(&row);
        groups["nodes " + padded(run.cluster.numNodes)].push_back(&row);
        groups["source " + run.source].push_back(&row);
        if (run.clean) groups["clean tier"].push_back(&row);
        if (run.config.model.moe) groups["mixtures of experts"].push_back(&row);
    }
    for (const auto& [name, rows] : groups) {
        std::string plain = name;
        if (plain.rfind("nodes ", 0) == 0) plain = "nodes " + std::to_string(std::stoll(plain.substr(6)));
        report.groups.emplace_back(plain, scoresOf(rows));
    }
}

HeadToHead::Errors errorsOf(const std::vector<double>& errors) {
    HeadToHead::Errors e;
    if (errors.empty()) return e;
    e.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    e.worst = *std::max_element(errors.begin(), errors.end());
    return e;
}

std::map<std::string, std::map<RivalKind, HeadToHead>> rivalsOf(const std::vector<ForecastRow>& rows) {
    struct Pairs {
        std::vector<double> ourStep, theirStep, ourMemory, theirMemory;
    };
    std::map<std::pair<std::string, RivalKind>, Pairs> found;
    std::map<std::string, std::map<RivalKind, HeadToHead>> rivals;
    for (const ForecastRow& row : rows) {
        const MeasuredRun& run = *row.run;
        if (!run.rival) continue;
        const std::string& planner = run.rival->planner;
        const RivalKind kind = run.config.model.moe ? RivalKind::Mixture : RivalKind::Dense;
        Pairs& pairs = found[{planner, kind}];
        for (const auto& each : enumNames(RivalKind{}))
            rivals[planner][each.value];  // a kind without rows is also printed
        ++rivals[planner][kind].rows;
        if (run.stepSeconds && std::isfinite(row.stepSeconds)) {
            pairs.ourStep.push_back(std::abs(row.stepSeconds / *run.stepSeconds - 1));
            pairs.theirStep.push_back(std::abs(run.rival->stepSeconds / *run.stepSeconds - 1));
        }
        if (run.memoryBytes && std::isfinite(row.memoryBytes)) {
            pairs.ourMemory.push_back(std::abs(row.memoryBytes / *run.memoryBytes - 1));
            pairs.theirMemory.push_back(std::abs(run.rival->memoryBytes / *run.memoryBytes - 1));
        }
    }
    for (const auto& [key, pairs] : found) {
        HeadToHead& rival = rivals[key.first][key.second];
        rival.ourStep = errorsOf(pairs.ourStep);
        rival.theirStep = errorsOf(pairs.theirStep);
        rival.ourMemory = errorsOf(pairs.ourMemory);
        rival.theirMemory = errorsOf(pairs.theirMemory);
    }
    return rivals;
}

ValidationReport reportOf(const MeasuredTable& table, std::vector<ForecastRow> rows) {
    ValidationReport report;
    report.numRows = table.numRows;
    report.refused = table.refused;
    report.rows = std::move(rows);
    std::vector<const ForecastRow*> all;
    for (const ForecastRow& row : report.rows) all.push_back(&row);
    report.all = scoresOf(all);
    addGroups(report);
    report.noise = noiseOf(table);
    report.rivals = rivalsOf(report.rows);
    return report;
}

}  // namespace

ValidationReport validateForecasts(const MeasuredTable& table, const Calibration* calibration) {
    std::vector<ForecastRow> rows;
    for (const MeasuredRun& run : table.runs) rows.push_back(forecastRow(run, calibration));
    return reportOf(table, std::move(rows));
}

namespace {

/// Each part by a calibration on all other rows; rows of the part kNotJudged are used only for fitting.
constexpr std::int64_t kNotJudged = -1;
ValidationReport reportByParts(const MeasuredTable& table, const std::vector<std::int64_t>& part) {
    std::map<std::int64_t, std::vector<std::size_t>> parts;
    for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] != kNotJudged) parts[part[i]].push_back(i);
    std::vector<ForecastRow> rows;
    for (const auto& [number, members] : parts) {
        std::vector<const MeasuredRun*> others;
        for (std::size_t i = 0; i < part.size(); ++i)
            if (part[i] != number) others.push_back(&table.runs[i]);
        const Calibration calibration = calibrate(others);
        for (const std::size_t i : members) rows.push_back(forecastRow(table.runs[i], &calibration));
    }
    return reportOf(table, std::move(rows));
}

std::string partOf(const MeasuredRun& run, LeaveOut what) {
    switch (what) {
        case LeaveOut::Models: return run.model;
        case LeaveOut::Clusters: return run.cluster.device.name + '|' + std::to_string(run.cluster.numNodes);
        case LeaveOut::Cells: return run.cell;
        case LeaveOut::Sources: return run.source;
        case LeaveOut::Nodes: break;
    }
    return run.cluster.numNodes > kFittedNodes ? "evaluated" : "";
}

}  // namespace

ValidationReport crossValidate(const MeasuredTable& table, std::int64_t folds) {
    std::map<std::string, std::int64_t> partOfLayout;
    std::vector<std::int64_t> parts;
    for (const MeasuredRun& run : table.runs) {
        const auto next = static_cast<std::int64_t>(partOfLayout.size());
        parts.push_back(partOfLayout.emplace(layoutKey(run), next).first->second % folds);
    }
    return reportByParts(table, parts);
}

ValidationReport leaveOut(const MeasuredTable& table, LeaveOut what) {
    std::map<std::string, std::int64_t> numbers;
    std::vector<std::int64_t> parts;
    for (const MeasuredRun& run : table.runs) {
        const std::string name = partOf(run, what);
        const auto next = static_cast<std::int64_t>(numbers.size());
        parts.push_back(name.empty() ? kNotJudged : numbers.emplace(name, next).first->second);
    }
    return reportByParts(table, parts);
}

}  // namespace slipway
