#include "core/sweep/search_points.h"

#include "core/base/json_fields.h"
#include "core/store/run_store.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

namespace slipway {
namespace {

const Json* valueAt(const Json& document, const std::string& path) {
    const Json* at = &document;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t dot = std::min(path.find('.', begin), path.size());
        const auto found = at->is_object() ? at->find(path.substr(begin, dot - begin)) : at->end();
        if (!at->is_object() || found == at->end()) return nullptr;
        at = &*found;
        begin = dot + 1;
    }
    return at;
}

/// Adds to each place the coordinates of one field.
void addAxis(const std::vector<std::string>& values, std::vector<SearchPoint>& points) {
    std::vector<double> numbers;
    for (const std::string& text : values) {
        const auto json = parseJson(text, "value");
        if (json && json->is_number()) numbers.push_back(json->get<double>());
    }
    if (numbers.size() == values.size()) {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const double number : numbers) {
            least = std::min(least, number);
            most = std::max(most, number);
        }
        const bool isLog = least > 0 && most >= 4 * least;
        const auto scaled = [&](double v) { return isLog ? std::log(v) : v; };
        const double width = scaled(most) - scaled(least);
        if (width <= 0) return;
        for (std::size_t i = 0; i < points.size(); ++i)
            points[i].place.push_back((scaled(numbers[i]) - scaled(least)) / width);
        return;
    }
    const std::set<std::string> words(values.begin(), values.end());
    if (words.size() < 2) return;
    for (const std::string& word : words)
        for (std::size_t i = 0; i < points.size(); ++i)
            points[i].place.push_back(values[i] == word ? 1 / std::numbers::sqrt2 : 0);  // any two are 1 apart
}

}  // namespace

std::optional<double> costOf(const RunFigures& figures, SweepObjective objective) {
    std::optional<double> value;
    switch (objective) {
        case SweepObjective::StepSeconds: value = figures.stepSeconds; break;
        case SweepObjective::TokensPerSecond: value = figures.tokensPerSecond; break;
        case SweepObjective::Mfu: value = figures.mfu; break;
        case SweepObjective::FinalLoss: value = figures.finalLoss; break;
        case SweepObjective::FinalEvalLoss: value = figures.finalEvalLoss; break;
    }
    if (!value || !std::isfinite(*value) || *value <= 0) return {};
    return isSmallerBetter(objective) ? *value : 1 / *value;
}

std::vector<SearchPoint> searchPoints(const SweepFile& file, const std::vector<Trial>& trials,
                                      SweepObjective objective) {
    std::vector<SearchPoint> points(trials.size());
    std::set<std::string> paths;
    for (const Trial& trial : trials)
        for (const Setting& setting : trial.settings)
            if (setting.path != "train.seed") paths.insert(setting.path);
    std::vector<std::vector<std::string>> values(paths.size());
    for (const Trial& trial : trials) {
        const Json document = toJson(trial.config);
        std::size_t p = 0;
        for (const std::string& path : paths) {
            const Json* value = valueAt(document, path);
            values[p++].push_back(value != nullptr ? dumpJson(*value, false) : "null");
        }
    }
    for (const auto& column : values) addAxis(column, points);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        SearchPoint& point = points[i];
        point.canRun = trials[i].skipReason.empty();
        point.isNamed = i + file.points.size() >= trials.size();
        const auto forecast = parseJson(trials[i].forecastJson, "forecast");
        if (!forecast || !forecast->is_object()) continue;
        point.forecast = costOf(figuresFromJson(*forecast), objective).value_or(point.forecast);
        const Json step = forecast->value("step", Json::object());
        const Json low = step.value("step_seconds_low", Json()), high = step.value("step_seconds_high", Json());
        if (!low.is_number() || !high.is_number() || low.get<double>() <= 0) continue;
        // The interval contains 80 %: 1.28 deviations on each side.
        constexpr double kDeviations = 2 * 1.2816;
        const double spread = std::log(high.get<double>() / low.get<double>()) / kDeviations;
        if (std::isfinite(spread)) point.spread = std::clamp(spread, 0.05, 1.5);
    }
    return points;
}

}  // namespace slipway
