// A calibration as shipped and saved.
#include "core/base/json_fields.h"
#include "core/planner/stack/calibration.h"
#include "core/planner/stack/stack_constants.h"

namespace slipway {

namespace {

std::map<std::string, double> numbersOf(const Json& json, const char* key, Issues& issues) {
    std::map<std::string, double> numbers;
    if (!json.contains(key)) return numbers;
    for (const auto& [name, value] : json[key].items()) {
        if (value.is_number() && value.get<double>() > 0)
            numbers[name] = value.get<double>();
        else
            issues.push_back(issueOf(Severity::Error, "bad_value", std::string(key) + "." + name,
                                     "%1 must be a positive number."_text(name)));
    }
    return numbers;
}

}  // namespace

Json toJson(const Calibration& calibration) {
    Json stacks = Json::array();
    for (const auto& [name, stack] : calibration.stacks) stacks.push_back(fields::toJson(stack));
    return {{"stacks", std::move(stacks)}, {"speeds", calibration.speeds}, {"spreads", calibration.spreads}};
}

Calibration calibrationFromJson(const Json& json, Issues& issues) {
    Calibration calibration;
    if (!json.is_object() || !json.contains("stacks") || !json["stacks"].is_array()) {
        issues.push_back(issueOf(Severity::Error, "bad_value", "stacks", "A calibration has a list of stacks."_text));
        return calibration;
    }
    for (const Json& entry : json["stacks"]) {
        SoftwareStack stack = fields::fromJson<SoftwareStack>(entry, issues, "stacks");
        if (const std::string_view name = beyondBounds(stack); !name.empty())
            issues.push_back(
                issueOf(Severity::Error, "out_of_range", "stacks." + stack.name,
                        "%1 of the stack %2 is beyond what the hardware allows."_text(std::string(name), stack.name)));
        calibration.stacks[stack.name] = std::move(stack);
    }
    calibration.speeds = numbersOf(json, "speeds", issues);
    calibration.spreads = numbersOf(json, "spreads", issues);
    return calibration;
}

}  // namespace slipway
