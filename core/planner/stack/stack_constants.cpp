#include "core/planner/stack/stack_constants.h"

#include <algorithm>
#include <type_traits>

namespace slipway {

namespace {

using S = SoftwareStack;

/// Collects the constants with the texts of the field table.
struct RowFinder {
    const SoftwareStack& stack;
    std::vector<ConstantRow> rows;

    template <class T>
    void operator()(const Field& field, const T& value) {
        if constexpr (std::is_same_v<T, StackConstant>)
            for (const ConstantInfo& info : stackConstants())
                if (&(stack.*info.member) == &value)
                    rows.push_back({field.keyName, field.unitText.english(), field.helpText.english(), value, info.low,
                                    info.high});
    }
};

}  // namespace

const std::vector<ConstantInfo>& stackConstants() {
    static const std::vector<ConstantInfo> constants = {
        {&S::gemmEfficiency, false, 0.2, 0.05, 1},   {&S::attentionEfficiency, false, 0.5, 0.02, 1},
        {&S::memoryEfficiency, false, 0.4, 0.05, 1}, {&S::layerSeconds, false, 1.5, 1e-6, 0.1},
        {&S::rankSeconds, false, 2, 1e-8, 0.01},     {&S::intraShare, false, 0.3, 0.05, 1},
        {&S::interShare, false, 0.3, 0.05, 1},       {&S::interLatencySeconds, false, 1.5, 1e-6, 0.01},
        {&S::congestion, false, 1, 1e-3, 1.5},       {&S::messageSeconds, false, 1.5, 1e-6, 1},
        {&S::waitSeconds, false, 1, 1e-4, 10},       {&S::waitChance, false, 3, 1e-8, 0.5},
        {&S::allocatorFactor, true, 0.05, 1, 1.5},   {&S::fixedBytes, true, 1, 1e7, 16e9},
        {&S::extraHiddenBytes, true, 2, 1e-3, 24},   {&S::keptGathers, true, 1, 0.01, 4},
        {&S::streamBytes, true, 1, 0.1, 200},        {&S::usableShare, true, 0.05, 0.7, 1},
    };
    return constants;
}

std::vector<ConstantRow> constantRows(const SoftwareStack& stack) {
    RowFinder finder{stack, {}};
    SoftwareStack::visit(stack, finder);
    return finder.rows;
}

std::string_view beyondBounds(const SoftwareStack& stack) {
    for (const ConstantRow& row : constantRows(stack))
        if (!(row.constant.value >= row.low && row.constant.value <= row.high)) return row.name;
    return {};
}

SoftwareStack withSpeed(SoftwareStack stack, double speed) {
    for (StackConstant SoftwareStack::*efficiency : {&S::gemmEfficiency, &S::attentionEfficiency, &S::memoryEfficiency})
        (stack.*efficiency).value = std::min(1.0, (stack.*efficiency).value * speed);
    return stack;
}

}  // namespace slipway
