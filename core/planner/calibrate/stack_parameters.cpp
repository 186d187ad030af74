#include "core/planner/calibrate/stack_parameters.h"

#include <limits>
#include <type_traits>

namespace slipway {

namespace {

using P = StackProfile;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Thresholds that calibration chooses beside the fitted figures (stall_fit.h).
bool isThreshold(const StackProfile& s, const void* member) {
    for (const void* threshold :
         {static_cast<const void*>(&s.congestedNodes), static_cast<const void*>(&s.stallTpNodes),
          static_cast<const void*>(&s.stallMicroBatches), static_cast<const void*>(&s.stallWrapperNodes),
          static_cast<const void*>(&s.stallShardNodes), static_cast<const void*>(&s.stallShardRanks),
          static_cast<const void*>(&s.stallDataRanks), static_cast<const void*>(&s.stallLimitBytes),
          static_cast<const void*>(&s.stallLiveLimitBytes), static_cast<const void*>(&s.stallLargeNodes),
          static_cast<const void*>(&s.stallLargeHidden), static_cast<const void*>(&s.stallLargeSequences),
          static_cast<const void*>(&s.regatherRanks), static_cast<const void*>(&s.gatherLimitBytes),
          static_cast<const void*>(&s.usableBytes), static_cast<const void*>(&s.usableKeptBytes)})
        if (threshold == member) return true;
    return false;
}

/// Collects the members calibration decides, with the texts of the field table.
struct FigureFinder {
    const StackProfile& profile;
    std::vector<ProfileFigure> fitted;
    std::vector<ProfileFigure> thresholds;

    template <class T>
    void operator()(const Field& field, const T& value) {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>)
            if (isThreshold(profile, &value))
                thresholds.push_back({field.keyName, field.unitText.english(), field.helpText.english(),
                                      std::is_same_v<T, std::int64_t> && value >= StackProfile::kNever
                                          ? kNone
                                          : static_cast<double>(value),
                                      kNone});
        if constexpr (std::is_same_v<T, double>)
            for (std::size_t i = 0; i < fitted.size(); ++i)
                if (&(profile.*stackParameters()[i].member) == &value)
                    fitted[i] = {field.keyName, field.unitText.english(), field.helpText.english(), value,
                                 i < profile.uncertainty.size() ? profile.uncertainty[i] : kNone};
    }
};

}  // namespace

const std::vector<StackParameter>& stackParameters() {
    static const std::vector<StackParameter> parameters = {
        {&P::gemmEfficiency, false, 0.05, 1},
        {&P::attentionEfficiency, false, 0.02, 1},
        {&P::memoryEfficiency, false, 0.02, 1},
        {&P::layerHostSeconds, false, 1e-5, 1},
        {&P::pipelineHostGrowth, false, 1e-3, 10},
        {&P::pipelineHostExponent, false, 0.2, 3},
        {&P::tpIntraBytesPerSecond, false, 1e9, 2e12},
        {&P::tpIntraLatencySeconds, false, 1e-7, 1e-2},
        {&P::tpInterBytesPerSecond, false, 1e9, 2e12},
        {&P::tpInterLatencySeconds, false, 1e-6, 1e-1},
        {&P::dpBytesPerSecond, false, 1e9, 4e12},
        {&P::dpLatencySeconds, false, 1e-6, 1},
        {&P::dpCongestion, false, 1e-3, 3},
        {&P::wrapperExposedShare, false, 0.01, 1},
        {&P::pipelineExposedShare, false, 0.01, 5},
        {&P::zeroReduceFactor, false, 0.1, 5},
        {&P::optimizerTraffic, false, 0.5, 30},
        {&P::messageSeconds, false, 1e-5, 1},
        {&P::stallSeconds, false, 1e-3, 10},
        {&P::stallLayerSeconds, false, 1e-4, 10},
        {&P::gradientCopyBytes, true, 0.05, 4},
        {&P::wrapperBytes, true, 0.05, 4},
        {&P::hiddenBytes, true, 4, 80},
        {&P::ffnBytes, true, 1, 30},
        {&P::keptGathers, true, 0.05, 4},
        {&P::logitBytes, true, 1, 20},
        {&P::accumulatedLogitBytes, true, 0.05, 10},
        {&P::workHiddenBytes, true, 0.1, 100},
        {&P::workGatheredBytes, true, 0.1, 40},
        {&P::streamGatherBytes, true, 0.5, 400},
        {&P::pipelineStreamGatherBytes, true, 0.5, 400},
        {&P::messageCopies, true, 0.1, 40},
        {&P::fixedBytes, true, 1e6, 5e9},
    };
    return parameters;
}

std::vector<ProfileFigure> profileFigures(const StackProfile& profile) {
    FigureFinder finder{profile, std::vector<ProfileFigure>(stackParameters().size()), {}};
    StackProfile::visit(profile, finder);
    finder.fitted.insert(finder.fitted.end(), finder.thresholds.begin(), finder.thresholds.end());
    return finder.fitted;
}

}  // namespace slipway
