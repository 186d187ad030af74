// The parts of a step.
#pragma once

#include "core/planner/terms/term.h"

#include <cstdint>

namespace slipway {

/// Seconds of one step. Figures with double; with Term each has its formula.
template <class Number>
struct StepParts {
    Number compute{};
    Number tp{}, cp{}, ep{}, pp{};  ///< exposed
    Number bubble{};
    Number dp{};  ///< exposed, of the rank that waits longest
    Number optimizer{};
    Number fixed{};
    Number step{};             ///< their sum
    Number bubbleSimulated{};  ///< a share
    Number commBytes{}, commSeconds{};
    std::int64_t rank = 0;                       ///< rank of these passes
    std::int64_t dpRank = 0, optimizerRank = 0;  ///< the slowest for each
    /// Calls visit(name, unit, number) for each, in the order of the sum.
    template <class Visit>
    static void eachOf(StepParts& s, Visit visit) {
        visit("step.compute_seconds", s.compute);
        visit("step.tp_exposed_seconds", s.tp);
        visit("step.cp_exposed_seconds", s.cp);
        visit("step.ep_exposed_seconds", s.ep);
        visit("step.pp_exposed_seconds", s.pp);
        visit("step.bubble_seconds", s.bubble);
        visit("step.dp_exposed_seconds", s.dp);
        visit("step.optimizer_seconds", s.optimizer);
        visit("step.fixed_seconds", s.fixed);
    }
};

}  // namespace slipway
