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

std::optional<Ledger::Part> Ledger::part(std::string_view name) {
    return partOf(step().step, name);
}

}  // namespace slipway
