// Figure models: the named calculations behind the live figures and the checks of the playbook. Each is a pure function over the
// planner's arithmetic; its inputs and outputs are declared, so that a chapter's file can bind sliders and numbers to them by name.
//   const FigureModel* bubble = findFigureModel("pipeline_bubble");
//   computeFigure(*bubble, {{"pp", 8}, {"micro_batches", 32}})   // {"overhead": 0.21875, "fraction": 0.179..., ...}
// Labels and units of the keys are in experiments/playbook/words.json, formulas and sources here.
#pragma once

#include "core/base/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

enum class FigureInputKind {
    Number,   ///< real, "inf" where the range is unbounded
    Whole,    ///< whole number
    Choice,   ///< one of choices()
    Numbers,  ///< list of numbers
    Matrix    ///< list of rows of equal length
};

struct FigureInput {
    std::string_view key;
    FigureInputKind kind = FigureInputKind::Number;
    std::string_view value;    ///< default as JSON text: "8", "\"zero_paper\"", "[[1, 2], [3, 4]]"
    double low = 0, high = 0;  ///< of numbers, inclusive
    std::vector<std::string> (*choices)() = nullptr;
};

struct FigureOutput {
    std::string_view key;
    std::string_view formula;  ///< in the notation of the source; the same in every language
    std::string_view source;   ///< source of the formula
};

/// Inputs of one calculation: complete and checked. Keys are those declared by the model.
class FigureInputs {
public:
    explicit FigureInputs(const Json& checked) : m_values(checked) {}
    [[nodiscard]] double number(const char* key) const;
    [[nodiscard]] std::int64_t whole(const char* key) const;
    [[nodiscard]] bool flag(const char* key) const { return number(key) != 0; }
    [[nodiscard]] std::string word(const char* key) const;
    [[nodiscard]] std::vector<double> numbers(const char* key) const;
    [[nodiscard]] std::vector<std::vector<double>> matrix(const char* key) const;

private:
    const Json& m_values;
};

struct FigureModel {
    std::string_view id;
    std::vector<FigureInput> inputs;
    std::vector<FigureOutput> outputs;
    /// One member per output: a number (jsonNumber), a word, or a list or object of them; null where there is no result.
    Json (*compute)(const FigureInputs&) = nullptr;
};

/// All models, in the order of the chapters.
const std::vector<FigureModel>& figureModels();
/// Null when there is none.
const FigureModel* findFigureModel(std::string_view id);

/// The outputs for these inputs; missing inputs have their defaults. "bad_value" lists every input that is unknown, of
/// the wrong kind or out of range.
Result<Json> computeFigure(const FigureModel& model, const Json& inputs);

}  // namespace slipway
