#include "core/planner/calibrate/stack_parameters.h"

#include <type_traits>

namespace slipway {

namespace {

using P = StackProfile;

/// Finds the field table's text of each fitted member by address.
struct TextFinder {
    const StackProfile& profile;
    std::vector<StackParameterText> texts = std::vector<StackParameterText>(stackParameters().size());

    template <class T>
    void operator()(const Field& field, const T& value) {
        if constexpr (std::is_same_v<T, double>)
            for (std::size_t i = 0; i < texts.size(); ++i)
                if (&(profile.*stackParameters()[i].member) == &value)
                    texts[i] = {field.keyName, field.unitText, field.helpText};
    }
};

}  // namespace

const std::vector<StackParameter>& stackParameters() {
    static const std::vector<StackParameter> parameters = {
        {&P::gemmEfficiency, false, 0.05, 1},
        {&P::gemmShapeLoss, false, 1e-4, 10},
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
        {&P::zeroReduceFactor, false, 0.1, 5},
        {&P::optimizerTraffic, false, 0.5, 30},
        {&P::stepFixedSeconds, false, 1e-4, 1},
        {&P::messageSeconds, false, 1e-5, 1},
        {&P::stallSeconds, false, 1e-3, 10},
        {&P::gradientCopyBytes, true, 0.05, 4},
        {&P::wrapperBytes, true, 0.05, 4},
        {&P::hiddenBytes, true, 4, 80},
        {&P::ffnBytes, true, 1, 30},
        {&P::keptGathers, true, 0.05, 4},
        {&P::logitBytes, true, 1, 20},
        {&P::accumulatedLogitBytes, true, 0.05, 10},
        {&P::workHiddenBytes, true, 0.1, 100},
        {&P::workFfnBytes, true, 0.1, 40},
        {&P::workGatheredBytes, true, 0.1, 40},
        {&P::messageCopies, true, 0.1, 40},
        {&P::fixedBytes, true, 1e6, 5e9},
    };
    return parameters;
}

std::vector<StackParameterText> stackParameterTexts() {
    static const std::vector<StackParameterText> texts = [] {
        const StackProfile profile;
        TextFinder finder{profile};
        StackProfile::visit(profile, finder);
        return finder.texts;
    }();
    return texts;
}

}  // namespace slipway
