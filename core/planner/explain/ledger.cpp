#include "core/planner/explain/ledger.h"

#include "core/planner/time/step.h"

namespace slipway {

namespace {

std::optional<Ledger::Part> partOf(const Term& whole, std::string_view name) {
    for (const Term& operand : whole.operands()) {
        if (!operand.isComputed()) continue;
        if (operand.name() == name) return Ledger::Part{operand, whole.name()};
        if (auto found = partOf(operand, name)) return found;
    }
    return {};
}

}  // namespace

const StepParts<Term>& Ledger::step() {
    if (!m_step) m_step = stepTerms(m_plan.config, m_plan.cluster, m_rank);
    return *m_step;
}

const MomentsOf<Term>& Ledger::moments() {
    if (!m_moments)
        m_moments = memoryTerms(m_plan.config, m_plan.cluster, m_rank.value_or(m_plan.memory[m_plan.worstStage].stage));
    return *m_moments;
}

const HostBytesOf<Term>& Ledger::host() {
    if (!m_host) m_host = hostTerms(m_plan.config, m_rank.value_or(hostMemory(m_plan.config).stage));
    return *m_host;
}

std::optional<Ledger::Part> Ledger::part(std::string_view name) {
    for (const Term& whole : {step().step.as("step_seconds", "s"), memory().totalBytes().as("memory_peak_bytes", "B")})
        if (auto found = partOf(whole, name)) return found;
    return {};
}

}  // namespace slipway
