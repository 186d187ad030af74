// What `slipway laws` answers: each topic fills a JSON document and says how to show it as lines and a table.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/planner/laws/law_fit.h"
#include "core/planner/laws/scaling_laws.h"

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// What was asked for. A budget is given directly, or as parameters and tokens, or by one of them at a rule's optimum.
struct LawQuestion {
    OptimumRule rule = OptimumRule::Corrected;
    std::optional<double> flops, parameters, tokens;
    std::optional<double> servedTokens, uniqueTokens;
    int numPoints = 11;
    double span = 16;  ///< largest size over smallest, around the optimum, is span^2

    /// The budget, "usage" when nothing gives one, or three figures contradict each other.
    [[nodiscard]] Result<double> budget() const;
};

/// A column of a table made of a document's list.
struct LawColumn {
    std::string key, title;
    std::string (*format)(double) = nullptr;  ///< null: text
};

/// How a document is shown: single figures, and under "rows" a list with these columns.
struct LawView {
    std::vector<LawColumn> figures;
    std::vector<LawColumn> columns;
};

/// N, D, loss and the check 6ND = C of a rule; with parameters and tokens also how far from the optimum they are.
Result<LawView> optimumDocument(const LawQuestion& q, Json& json);
/// Every rule side by side.
Result<LawView> rulesDocument(const LawQuestion& q, Json& json);
/// Points of equal compute; the lowest, and where a parabola through them sees it.
Result<LawView> isoFlopDocument(const LawQuestion& q, Json& json);
/// Sizes from an eighth to four times the optimum at the same loss: tokens and compute they need.
Result<LawView> overtrainingDocument(const LawQuestion& q, Json& json);
/// The same with serving, and the break-even of each size.
Result<LawView> servingDocument(const LawQuestion& q, Json& json);
/// Epochs over limited data.
Result<LawView> repeatedDataDocument(const LawQuestion& q, Json& json);
/// Kaplan's loss by parameters, and by tokens where they are given.
Result<LawView> kaplanDocument(const LawQuestion& q, Json& json);
/// Experts, marked as experimental.
Result<LawView> expertsDocument(const LawQuestion& q, Json& json);
/// Batch size and learning rate.
Result<LawView> recipeDocument(const LawQuestion& q, Json& json);
/// A fit with bands of its constants and of the optimum at a budget.
LawView fitDocument(const LawPoints& points, const LawFit& huber, const LawFit& projection,
                    const std::vector<ParametricLaw>& laws, double share, double flops, Json& json);

}  // namespace slipway
