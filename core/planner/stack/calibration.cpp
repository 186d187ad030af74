#include "core/planner/stack/calibration.h"

#include "core/planner/stack/stack_constants.h"

namespace slipway {

std::vector<SpeedEffect> speedEffects(const SpeedKeys& keys) {
    std::vector<SpeedEffect> effects = {{"device " + keys.device, 0.15}, {"precision " + keys.precision, 0.2}};
    if (keys.mixture) effects.push_back({"mixture", 0.3});
    if (!keys.group.empty()) effects.push_back({"group " + keys.group, 0.15});
    return effects;
}

double speedOf(const std::map<std::string, double>& speeds, const SpeedKeys& keys) {
    double speed = 1;
    for (const SpeedEffect& effect : speedEffects(keys))
        if (const auto found = speeds.find(effect.key); found != speeds.end()) speed *= found->second;
    return speed;
}

SoftwareStack Calibration::stackFor(const SpeedKeys& keys) const {
    auto found = stacks.find(keys.software);
    if (found == stacks.end()) found = stacks.find(kTypical);
    SoftwareStack stack = found != stacks.end() ? found->second : SoftwareStack{};
    stack = withSpeed(std::move(stack), speedOf(speeds, keys));
    if (const auto spread = spreads.find(keys.group); spread != spreads.end()) stack.stepSpread = spread->second;
    return stack;
}

}  // namespace slipway
