#include "core/playbook/figure_model.h"

#include "core/playbook/figure_tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

const FigureInput* inputOf(const FigureModel& model, std::string_view key) {
    const auto it = std::find_if(model.inputs.begin(), model.inputs.end(),
                                 [&](const FigureInput& input) { return input.key == key; });
    return it == model.inputs.end() ? nullptr : &*it;
}

std::string rangeText(const FigureInput& input) {
    return dumpJson(jsonNumber(input.low), false) + " .. " + dumpJson(jsonNumber(input.high), false);
}

bool isListOfNumbers(const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number(); });
}

bool isMatrix(const Json& value) {
    return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), [&](const Json& row) {
               return isListOfNumbers(row) && row.size() == value.front().size();
           });
}

/// Problem of the value; empty when valid.
Message problemOf(const FigureInput& input, const Json& value) {
    const std::string key(input.key), given = dumpJson(value, false).substr(0, 60);
    switch (input.kind) {
        case FigureInputKind::Choice: {
            const std::vector<std::string> words = input.choices();
            if (!value.is_string()) return "%1 must be a word, not %2."_text(key, given);
            const std::string word = value.get<std::string>();
            if (std::find(words.begin(), words.end(), word) != words.end()) return {};
            return "%1 cannot be %2%3"_text(key, word, didYouMean(nearestKey(word, words)));
        }
        case FigureInputKind::Numbers:
            return isListOfNumbers(value) ? Message() : "%1 must be a list of numbers, not %2."_text(key, given);
        case FigureInputKind::Matrix:
            return isMatrix(value) ? Message() : "%1 must be a list of rows of equal length, not %2."_text(key, given);
        case FigureInputKind::Number:
        case FigureInputKind::Whole: break;
    }
    const auto number = numberFromJson(value, key);
    if (!number) return "%1 must be a number, not %2."_text(key, given);
    if (input.kind == FigureInputKind::Whole && *number != std::floor(*number))
        return "%1 must be a whole number, not %2."_text(key, given);
    const bool isAny = std::isinf(input.low) && std::isinf(input.high);  // a loss may be NaN
    if (isAny || (*number >= input.low && *number <= input.high)) return {};
    return "%1 is %2; its range is %3."_text(key, given, rangeText(input));
}

}  // namespace

double FigureInputs::number(const char* key) const {
    return numberFromJson(m_values.at(key), key).value_or(0);
}
std::int64_t FigureInputs::whole(const char* key) const {
    return std::llround(number(key));
}
std::string FigureInputs::word(const char* key) const {
    return m_values.at(key).get<std::string>();
}
std::vector<double> FigureInputs::numbers(const char* key) const {
    return m_values.at(key).get<std::vector<double>>();
}
std::vector<std::vector<double>> FigureInputs::matrix(const char* key) const {
    return m_values.at(key).get<std::vector<std::vector<double>>>();
}

const std::vector<FigureModel>& figureModels() {
    static const std::vector<FigureModel> models = [] {
        std::vector<FigureModel> all;
        for (auto table : {sizeFigures, corpusFigures, memoryFigures, parallelFigures, trainingFigures, podFigures})
            for (FigureModel& model : table()) all.push_back(std::move(model));
        return all;
    }();
    return models;
}

const FigureModel* findFigureModel(std::string_view id) {
    for (const FigureModel& model : figureModels())
        if (model.id == id) return &model;
    return nullptr;
}

Result<Json> computeFigure(const FigureModel& model, const Json& inputs) {
    std::vector<Message> problems;
    Json complete = Json::object();
    for (const FigureInput& input : model.inputs) complete[std::string(input.key)] = Json::parse(input.value);
    std::vector<std::string> known;
    for (const FigureInput& input : model.inputs) known.emplace_back(input.key);
    for (const auto& item : inputs.items()) {
        const FigureInput* input = inputOf(model, item.key());
        if (input == nullptr) {
            problems.push_back("%1 has no input %2%3"_text(std::string(model.id), item.key(),
                                                           didYouMean(nearestKey(item.key(), known))));
            continue;
        }
        if (Message problem = problemOf(*input, item.value()); !problem.empty()) problems.push_back(std::move(problem));
        complete[item.key()] = item.value();
    }
    if (!problems.empty()) return fail("bad_value", linesOf(problems), std::string(model.id));
    return model.compute(FigureInputs(complete));
}

}  // namespace slipway
