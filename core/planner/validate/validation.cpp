#include "core/planner/validate/validation.h"

#include "core/planner/validate/forecast_run.h"
#include "core/planner/validate/score.h"

#include <cmath>

namespace slipway {

namespace {

ForecastRow forecastRow(const MeasuredRun& run, const Calibration* calibration) {
    MeasuredRun calibrated = run;
    if (calibration != nullptr) applyCalibration(*calibration, run.stack, calibrated.cluster);
    ForecastRow row;
    row.run = &run;
    row.stepSeconds = run.stepSeconds ? forecastStepSeconds(calibrated) : Scores::kNone;
    row.memoryBytes = run.memoryBytes ? forecastMemory(calibrated) : Scores::kNone;
    row.fits = run.fits && forecastFits(calibrated);
    return row;
}

double share(std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : Scores::kNone;
}

Scores scoresOf(const std::vector<const ForecastRow*>& rows) {
    Scores s;
    std::vector<double> memory, step, forecasts, measured;
    std::vector<Competitor> competitors;
    std::size_t right = 0, rightPp1 = 0, pp1 = 0;
    for (const ForecastRow* row : rows) {
        const MeasuredRun& run = *row->run;
        ++s.rows;
        if (run.memoryBytes && std::isfinite(row->memoryBytes))
            memory.push_back(std::abs(row->memoryBytes / *run.memoryBytes - 1));
        if (run.stepSeconds && std::isfinite(row->stepSeconds)) {
            step.push_back(std::abs(row->stepSeconds / *run.stepSeconds - 1));
            forecasts.push_back(row->stepSeconds);
            measured.push_back(*run.stepSeconds);
            const auto tokens = static_cast<double>(run.config.tokensPerStep());
            competitors.push_back({run.cell, row->stepSeconds / tokens, *run.stepSeconds / tokens});
        }
        if (!run.fits) continue;
        ++s.fitRows;
        const bool isRight = row->fits == *run.fits;
        right += isRight ? 1 : 0;
        if (run.config.parallel.pp > 1) continue;
        ++pp1;
        rightPp1 += isRight ? 1 : 0;
    }
    s.memoryRows = memory.size();
    s.stepRows = step.size();
    s.memoryMedian = quantile(memory, 0.5);
    s.memoryP90 = quantile(memory, 0.9);
    s.fitAccuracy = share(right, s.fitRows);
    s.fitAccuracyPp1 = share(rightPp1, pp1);
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

void spreadOf(const std::vector<double>& values, std::vector<double>& into) {
    if (values.size() < 2) return;
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) into.push_back(std::abs(value / mean - 1));
}

NoiseFloor noiseOf(const MeasuredTable& table) {
    struct Layout {
        std::vector<double> step, memory;
        std::size_t rows = 0, failed = 0;
    };
    std::map<std::string, Layout> layouts;
    for (const MeasuredRun& run : table.runs) {
        Layout& layout = layouts[layoutKey(run)];
        ++layout.rows;
        if (run.stepSeconds) layout.step.push_back(*run.stepSeconds);
        if (run.memoryBytes) layout.memory.push_back(*run.memoryBytes);
        if (run.fits && !*run.fits) ++layout.failed;
    }
    NoiseFloor noise;
    std::vector<double> step, memory;
    for (const auto& [key, layout] : layouts) {
        if (layout.step.size() >= 2) ++noise.repeatedLayouts;
        if (layout.failed > 0 && layout.failed < layout.rows) ++noise.contradicted;
        spreadOf(layout.step, step);
        spreadOf(layout.memory, memory);
    }
    noise.stepMedian = quantile(step, 0.5);
    noise.stepMost = quantile(step, 1);
    noise.memoryMedian = quantile(memory, 0.5);
    noise.memoryMost = quantile(memory, 1);
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
    }
    for (const auto& [name, rows] : groups) {
        std::string plain = name;
        if (plain.rfind("nodes ", 0) == 0) plain = "nodes " + std::to_string(std::stoll(plain.substr(6)));
        report.groups.emplace_back(plain, scoresOf(rows));
    }
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
    return report;
}

}  // namespace

ValidationReport validateForecasts(const MeasuredTable& table, const Calibration* calibration) {
    std::vector<ForecastRow> rows;
    for (const MeasuredRun& run : table.runs) rows.push_back(forecastRow(run, calibration));
    return reportOf(table, std::move(rows));
}

ValidationReport crossValidate(const MeasuredTable& table, std::int64_t folds) {
    std::map<std::string, std::int64_t> foldOfLayout;
    std::vector<std::int64_t> fold;
    for (const MeasuredRun& run : table.runs) {
        const auto next = static_cast<std::int64_t>(foldOfLayout.size());
        fold.push_back(foldOfLayout.emplace(layoutKey(run), next).first->second % folds);
    }
    std::vector<ForecastRow> rows(table.runs.size());
    for (std::int64_t k = 0; k < folds; ++k) {
        std::vector<const MeasuredRun*> others;
        for (std::size_t i = 0; i < table.runs.size(); ++i)
            if (fold[i] != k) others.push_back(&table.runs[i]);
        const Calibration calibration = calibrate(others);
        for (std::size_t i = 0; i < table.runs.size(); ++i)
            if (fold[i] == k) rows[i] = forecastRow(table.runs[i], &calibration);
    }
    return reportOf(table, std::move(rows));
}

}  // namespace slipway
