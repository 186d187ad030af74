#include "core/planner/calibrate/allocator_fit.h"

#include "core/planner/calibrate/least_squares.h"
#include "core/planner/validate/forecast_run.h"

#include <cmath>

namespace slipway {

std::optional<AllocatorFit> fitAllocator(const std::vector<const MeasuredRun*>& runs) {
    std::vector<MeasuredRun> measured;
    for (const MeasuredRun* run : runs) {
        const bool seesAllocator = run->software != nullptr && (run->software->meter == MemoryMeter::Reserved ||
                                                                run->software->meter == MemoryMeter::Device);
        if (seesAllocator && run->memoryBytes) measured.push_back(*run);
    }
    if (measured.size() < kRunsPerAllocator) return {};
    const AllocatorFigures start = textbookAllocator(measured.front().software->meter);
    const auto residuals = [&](const std::vector<double>& values) {
        std::vector<double> logs;
        for (MeasuredRun& run : measured) {
            run.allocator = AllocatorFigures{values[0], values[1]};
            logs.push_back(std::log(forecastMemory(run) / *run.memoryBytes));
        }
        return logs;
    };
    FitSettings settings;
    settings.scale = 0.03;
    const FitResult result =
        fitLogParameters(residuals, {start.factor, start.fixedBytes}, {0.8, 1e8}, {1.5, 15e9}, settings);
    AllocatorFit fit;
    fit.figures = {result.parameters[0], result.parameters[1]};
    fit.factorUncertainty = result.uncertainty[0];
    fit.fixedUncertainty = result.uncertainty[1];
    fit.measuredRuns = static_cast<std::int64_t>(measured.size());
    return fit;
}

}  // namespace slipway
