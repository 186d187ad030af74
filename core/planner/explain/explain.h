// How a figure of a plan is computed: formula, input numbers, and the source of the formula, so that it can be checked
// by hand. Names match those of the forecast document and the config, so an input that is itself a figure can be
// explained in turn.
//   explain(plan, "mfu")->formula == "flops_per_token * tokens_per_second / peak_flops"
#pragma once

#include "core/base/result.h"
#include "core/planner/values/forecast.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway {

/// A number of a formula. Units: "s", "B", "B/s", "FLOP/s", "FLOP", "tokens/s", "h", a currency, or "" for counts and shares.
struct ExplainedNumber {
    std::string name;
    double value = 0;
    std::string unit;
};

struct Explanation {
    ExplainedNumber figure;               ///< NaN when unknown in the plan
    std::string formula;                  ///< right-hand side, in the names of `inputs`, or in a fixed sentence
    std::vector<ExplainedNumber> inputs;  ///< in the order of the formula
    std::vector<ExplainedNumber> others;  ///< the same figure by other conventions; each can be explained by name
    SourceText words;                     ///< the formula in words, empty where names suffice
    std::vector<Message> source;          ///< paper and section, or the measurement
    std::optional<std::pair<double, double>> interval;  ///< 80 %, in the figure's unit; where one is known

    /// Sets the formula in words.
    void state(SourceText formulaInWords) {
        formula = formulaInWords.english();
        words = formulaInWords;
    }
};

/// The value for display: "1.25 s", "27.6 GiB", "989 TFLOP/s", "16"; "unknown" for NaN.
std::string textOf(const ExplainedNumber& number, Language language = Language::English);

/// A figure or an input of a formula: its name in English, words in other languages. Fields have their labels.
std::string quantityText(std::string_view name, Language language);
/// The formula in these names, or its words.
std::string formulaText(const Explanation& explanation, Language language);

/// Names of all figures that can be explained, in the order of the forecast document.
const std::vector<std::string_view>& explainedFigures();

/// One of explainedFigures(), or a computed part of one. @param rank a pipeline rank whose step seconds are explained;
/// without one, those of the plan "unknown_figure" names the nearest one; "no_plan" when the config of the plan has
/// errors; "unknown_rank".
Result<Explanation> explain(const Plan& plan, std::string_view figure, std::optional<std::int64_t> rank = {});

}  // namespace slipway
