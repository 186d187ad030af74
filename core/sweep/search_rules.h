// The "search" of a sweep file: selection and order of its points.
//   {"search": {"method": "planner", "trials": 20, "objective": "step_seconds"}}
#pragma once

#include "core/base/field_table.h"

#include <array>
#include <cstdint>

namespace slipway {

enum class SearchMethod { Grid, List, Random, Asha, Bayesian, Planner };
constexpr auto enumNames(SearchMethod) {
    using Name = EnumName<SearchMethod>;
    return std::array{
        Name{SearchMethod::Grid, "grid", "the axes' product, then the named points"_text},
        Name{SearchMethod::List, "list", "the named points, then the axes' product"_text},
        Name{SearchMethod::Random, "random", "in random order, no point twice"_text},
        Name{SearchMethod::Asha, "asha", "successive halving: the better trials continue"_text},
        Name{SearchMethod::Bayesian, "bayesian", "where a Gaussian process expects the most improvement"_text},
        Name{SearchMethod::Planner, "planner", "the forecast as the prior: what could be best"_text}};
}

enum class SearchSampling { Uniform, Quasi };
constexpr auto enumNames(SearchSampling) {
    using Name = EnumName<SearchSampling>;
    return std::array{Name{SearchSampling::Uniform, "uniform", "each untried point is as likely"_text},
                      Name{SearchSampling::Quasi, "quasi", "quasi-random: spread over the axes"_text}};
}

enum class SweepObjective { StepSeconds, TokensPerSecond, Mfu, FinalLoss, FinalEvalLoss };
constexpr auto enumNames(SweepObjective) {
    using Name = EnumName<SweepObjective>;
    return std::array{Name{SweepObjective::StepSeconds, "step_seconds", "shortest step"_text},
                      Name{SweepObjective::TokensPerSecond, "tokens_per_second", "highest throughput"_text},
                      Name{SweepObjective::Mfu, "mfu", "highest MFU"_text},
                      Name{SweepObjective::FinalLoss, "final_loss", "lowest training loss"_text},
                      Name{SweepObjective::FinalEvalLoss, "final_eval_loss", "lowest held-out loss"_text}};
}

struct SearchRules {
    SearchMethod method = SearchMethod::Grid;
    std::int64_t trials = 0;
    std::int64_t seed = 1;
    SearchSampling sampling = SearchSampling::Quasi;
    SweepObjective objective = SweepObjective::StepSeconds;
    std::int64_t rungSteps = 0;
    std::int64_t reduction = 3;
    double gain = 0.03;
    double chance = 0.05;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("method").help("Which points are run, and in which order."_text), s.method);
        v(field("trials").help("Maximum points; 0: all that can run."_text).atLeast(0), s.trials);
        v(field("seed").help("Seed of the search; the same seed and results give the same next trial."_text).atLeast(0),
          s.seed);
        v(field("sampling").help("How random points are drawn; also the first points of asha and bayesian."_text),
          s.sampling);
        v(field("objective").help("Figure that decides which trial is better."_text), s.objective);
        v(field("rung_steps")
              .unit("steps"_text)
              .help("asha: steps of the lowest rung; 0: steps of the run divided by reduction squared."_text)
              .atLeast(0),
          s.rungSteps);
        v(field("reduction")
              .help(
                  "asha: one trial in this many continues to the next rung, which has this many times the steps."_text)
              .atLeast(2),
          s.reduction);
        v(field("gain")
              .help(
                  "planner, bayesian: an untried point counts when it could be better than the best by this share."_text)
              .atLeast(0),
          s.gain);
        v(field("chance")
              .help("planner, bayesian: the search ends when the chance of such a point is below this; 0: never."_text)
              .atLeast(0),
          s.chance);
    }
};

/// True where smaller is better.
constexpr bool isSmallerBetter(SweepObjective objective) {
    return objective != SweepObjective::TokensPerSecond && objective != SweepObjective::Mfu;
}
/// True where the planner forecasts this figure.
constexpr bool isForecast(SweepObjective objective) {
    return objective != SweepObjective::FinalLoss && objective != SweepObjective::FinalEvalLoss;
}

}  // namespace slipway
