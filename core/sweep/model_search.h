// The methods with beliefs about untried points: a Gaussian process over ln(cost), with the forecast as its prior mean
// (planner) or without (bayesian). Private to this room and its tests.
#pragma once

#include "core/sweep/search.h"

namespace slipway {

bool usesModel(const SearchRules& rules);

/// The point with the most expected improvement; empty where the method has no model or too few observations.
std::optional<std::size_t> chooseByModel(const SearchRules& rules, const std::vector<SearchPoint>& points,
                                         const std::vector<SearchOutcome>& outcomes);

/// Fills in beliefs and chance of the decision.
void evaluatePoints(const SearchRules& rules, const std::vector<SearchPoint>& points,
                    const std::vector<SearchOutcome>& outcomes, SearchDecision& decision);

/// Enough is measured, and an untried point is unlikely to be better by `gain`.
bool isDecided(const SearchRules& rules, const std::vector<SearchOutcome>& outcomes, const SearchDecision& decision);

}  // namespace slipway
