// What the explanations of a plan are read from. Its accounts are those that made the plan's figures, with their terms written down.
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
    /// @param rank the pipeline rank that figures hold for; without one, the rank each figure of the plan is of
    explicit Ledger(const Plan& plan, std::optional<std::int64_t> rank = {}) : m_plan(plan), m_rank(rank) {}
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] std::optional<std::int64_t> rank() const { return m_rank; }
    /// Made when it is first asked for.
    const StepParts<Term>& step();
    /// Of the fullest pipeline rank.
    const MomentsOf<Term>& moments();
    /// At its fullest moment.
    const BytesOf<Term>& memory() { return moments().fullest(); }
    /// Of the pipeline rank that keeps most on its host.
    const HostBytesOf<Term>& host();
    /// A computation inside of these accounts, and the figure that it is a part of.
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
