// The source of a plan's explanations: the accounts behind the plan's figures, with their terms recorded.
//   Ledger(plan).step().dp.formula()
#pragma once

#include "core/planner/memory/memory_terms.h"
#include "core/planner/time/step_parts.h"
#include "core/planner/values/forecast.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace slipway {

class Ledger {
public:
    /// @param plan kept by address
    /// @param rank the pipeline rank of the figures; without one, the rank of each figure in the plan
    explicit Ledger(const Plan& plan, std::optional<std::int64_t> rank = {}) : m_plan(plan), m_rank(rank) {}
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] std::optional<std::int64_t> rank() const { return m_rank; }
    /// Made on first use.
    const StepParts<Term>& step();
    /// Of the fullest pipeline rank.
    const MomentsOf<Term>& moments();
    /// At its fullest moment.
    const BytesOf<Term>& memory() { return moments().fullest(); }
    /// Of the pipeline rank with the most memory on its host.
    const HostBytesOf<Term>& host();
    /// A computation inside these accounts, and the figure it belongs to.
    struct Part {
        Term term;
        std::string of;
    };
    std::optional<Part> part(std::string_view name);

private:
    const Plan& m_plan;
    std::optional<std::int64_t> m_rank;
    std::optional<StepParts<Term>> m_step;
    std::optional<MomentsOf<Term>> m_moments;
    std::optional<HostBytesOf<Term>> m_host;
};

}  // namespace slipway
