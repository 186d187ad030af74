#include "core/playbook/check.h"

#include "core/playbook/figure_model.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>

namespace slipway {
namespace {

bool matches(const Json& actual, const Json& expected, const std::string& tolerance) {
    if (expected.is_object()) {
        for (const auto& item : expected.items())
            if (!actual.is_object() || !actual.contains(item.key()) ||
                !matches(actual[item.key()], item.value(), tolerance))
                return false;
        return true;
    }
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size()) return false;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (!matches(actual[i], expected[i], tolerance)) return false;
        return true;
    }
    if (!expected.is_number() || !actual.is_number()) return actual == expected;
    const double a = actual.get<double>(), e = expected.get<double>();
    if (tolerance == "exact") return a == e || (e != std::floor(e) && std::fabs(a - e) <= 1e-9);
    const double bound = std::strtod(tolerance.c_str() + 4, nullptr);
    return std::fabs(a - e) <= (tolerance.starts_with("rel") ? bound * std::fabs(e) : bound);
}

}  // namespace

std::string_view wordOf(CheckVerdict verdict) {
    switch (verdict) {
        case CheckVerdict::Agrees: return "agrees";
        case CheckVerdict::SourceMistake: return "source_mistake";
        case CheckVerdict::Fails: break;
    }
    return "fails";
}

bool isTolerance(const std::string& text) {
    if (text == "exact") return true;
    if (!text.starts_with("rel ") && !text.starts_with("abs ")) return false;
    char* end = nullptr;
    const double bound = std::strtod(text.c_str() + 4, &end);
    return end != text.c_str() + 4 && *end == '\0' && bound > 0;
}

bool agrees(const std::string& actual, const std::string& expected, const std::string& tolerance) {
    const auto a = parseJson(actual, "actual"), e = parseJson(expected, "expected");
    return a && e && matches(*a, *e, tolerance);
}

CheckResult runCheck(const Check& check) {
    CheckResult result;
    const FigureModel* model = findFigureModel(check.call.model);
    const auto inputs = parseJson(check.call.inputsJson, "inputs");
    if (model == nullptr || !inputs) {
        result.problem = model == nullptr ? "there is no figure model %1%2"_text(check.call.model, Message::name("."))
                                          : inputs.error().sentence();
        return result;
    }
    const auto outputs = computeFigure(*model, *inputs);
    if (!outputs) {
        result.problem = outputs.error().sentence();
        return result;
    }
    const auto textOf = [&](const std::string& key) {
        return outputs->contains(key) ? dumpJson((*outputs)[key], false) : "null";
    };
    result.actualJson = textOf(check.call.output);
    if (!check.rightOutput.empty()) result.rightJson = textOf(check.rightOutput);
    if (agrees(result.actualJson, check.expectedJson, check.tolerance))
        result.verdict = check.mistake.empty() ? CheckVerdict::Agrees : CheckVerdict::SourceMistake;
    return result;
}

std::vector<CheckResult> runChecks(const std::vector<Check>& checks) {
    std::vector<CheckResult> results;
    for (const Check& check : checks) results.push_back(runCheck(check));
    return results;
}

}  // namespace slipway
