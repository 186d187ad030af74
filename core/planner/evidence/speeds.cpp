#include "core/planner/evidence/speeds.h"

#include "core/planner/evidence/least_squares.h"
#include "core/planner/evidence/stack_fit.h"

#include <cmath>

namespace slipway {

void fitSpeeds(const std::vector<const MeasuredRun*>& runs, Calibration& calibration) {
    constexpr double kNoise = 0.1;
    std::map<std::string, std::size_t> places;
    std::vector<double> spreads, logs;
    std::vector<std::vector<std::size_t>> rows;
    for (const MeasuredRun* run : runs) {
        if (!run->stepSeconds) continue;
        const SpeedKeys keys = speedKeys(*run);
        MeasuredRun forecast = *run;
        forecast.cluster.stack = calibration.stackFor(keys);
        const double error = nearerWayLog(forecast);
        if (!std::isfinite(error)) continue;
        std::vector<std::size_t> row;
        for (const SpeedEffect& effect : speedEffects(keys)) {
            const auto [place, isNew] = places.emplace(effect.key, places.size());
            if (isNew) spreads.push_back(effect.spread);
            row.push_back(place->second);
        }
        rows.push_back(std::move(row));
        logs.push_back(std::log(speedOf(calibration.speeds, keys)) - error);
    }
    const std::size_t n = places.size();
    std::vector<double> effects(n, 0);
    constexpr int kReweightings = 5;
    for (int i = 0; i < kReweightings; ++i) {
        std::vector<double> matrix(n * n, 0), right(n, 0);
        for (std::size_t k = 0; k < n; ++k) matrix[k * n + k] = 1 / (spreads[k] * spreads[k]);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            double rest = logs[r];
            for (const std::size_t k : rows[r]) rest -= effects[k];
            const double weight = 1 / (kNoise * kNoise + (i > 0 ? rest * rest : 0));
            for (const std::size_t a : rows[r]) {
                right[a] += weight * logs[r];
                for (const std::size_t b : rows[r]) matrix[a * n + b] += weight;
            }
        }
        effects = solveSymmetric(std::move(matrix), std::move(right));
        if (effects.empty()) return;
    }
    calibration.speeds.clear();
    for (const auto& [key, place] : places) calibration.speeds[key] = std::exp(effects[place]);
}

}  // namespace slipway
