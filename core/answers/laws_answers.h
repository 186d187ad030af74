// Answers of `slipway laws`: each topic fills a JSON document and describes its lines and table.
#pragma once

#include "core/answers/answer.h"
#include "core/planner/laws/law_fit.h"
#include "core/planner/laws/scaling_laws.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The question. A budget is given directly, or as parameters and tokens, or by one of them at a rule's optimum.
struct LawQuestion {
    OptimumRule rule = OptimumRule::Corrected;
    std::optional<double> flops, parameters, tokens;
    std::optional<double> servedTokens, uniqueTokens;
    int numPoints = 11;
    double span = 16;  ///< largest size over smallest, around the optimum, is span^2

    /// The budget, "usage" when nothing determines it, or three figures contradict each other.
    [[nodiscard]] Result<double> budget() const;
};

/// N, D, loss and the check 6ND = C of a rule; with parameters and tokens also their distance from the optimum.
Result<AnswerView> optimumAnswer(const LawQuestion& q, Json& json);
/// Every rule side by side.
Result<AnswerView> rulesAnswer(const LawQuestion& q, Json& json);
/// Points of equal compute; the lowest, and the minimum of a parabola through them.
Result<AnswerView> isoFlopAnswer(const LawQuestion& q, Json& json);
/// Sizes from an eighth to four times the optimum at the same loss: required tokens and compute.
Result<AnswerView> overtrainingAnswer(const LawQuestion& q, Json& json);
/// The same with serving, and the break-even of each size.
Result<AnswerView> servingAnswer(const LawQuestion& q, Json& json);
/// Epochs over limited data.
Result<AnswerView> repeatedDataAnswer(const LawQuestion& q, Json& json);
/// Kaplan's loss by parameters, and by tokens where they are given.
Result<AnswerView> kaplanAnswer(const LawQuestion& q, Json& json);
/// Experts, marked as experimental.
Result<AnswerView> expertsAnswer(const LawQuestion& q, Json& json);
/// Batch size and learning rate.
Result<AnswerView> recipeAnswer(const LawQuestion& q, Json& json);
/// The model to plan: the law's optimum, or the one with the least total cost including serving.
enum class ChosenSize { Optimum, Serving };
Result<Allocation> chosenSize(const LawQuestion& q, ChosenSize size);
/// The run of `base` with a model of that size and as many steps as its tokens take. Errors as in modelOfSize().
Result<RunConfig> runOfSize(const RunConfig& base, const Allocation& size);
/// A shape for the given number of parameters, or for the optimum of the rule.
Result<AnswerView> shapeAnswer(const LawQuestion& q, Json& json);
/// A fit with bands of its constants and of the optimum at a budget.
AnswerView fitAnswer(const LawPoints& points, const LawFit& huber, const LawFit& projection,
                     const std::vector<ParametricLaw>& laws, double share, double flops, Json& json);

}  // namespace slipway
