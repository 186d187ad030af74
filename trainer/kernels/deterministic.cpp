#include "trainer/kernels/deterministic.h"

#include <ATen/Context.h>

#include <atomic>
#include <mutex>

namespace slipway::trainer {
namespace {

// The flags of the process before the first active scope.
struct Flags {
    std::mutex mutex;
    int scopes = 0;
    bool set = false, warns = false, fills = true;
};

Flags& flags() {
    static Flags all;
    return all;
}

std::atomic<int> s_attentionScopes{0};

}  // namespace

DeterministicOperators::DeterministicOperators(bool wanted) : m_wanted(wanted) {
    if (!m_wanted) return;
    Flags& f = flags();
    const std::lock_guard lock(f.mutex);
    if (f.scopes++ > 0) return;
    at::Context& context = at::globalContext();
    f.set = context.deterministicAlgorithms();
    f.warns = context.deterministicAlgorithmsWarnOnly();
    f.fills = context.deterministicFillUninitializedMemory();
    context.setDeterministicFillUninitializedMemory(false);  // before the flag that it belongs to
    context.setDeterministicAlgorithms(true, /*warn_only=*/false);
}

DeterministicOperators::~DeterministicOperators() {
    if (!m_wanted) return;
    Flags& f = flags();
    const std::lock_guard lock(f.mutex);
    if (--f.scopes > 0) return;
    at::Context& context = at::globalContext();
    context.setDeterministicAlgorithms(f.set, f.warns);
    context.setDeterministicFillUninitializedMemory(f.fills);
}

DeterministicAttention::DeterministicAttention() {
    ++s_attentionScopes;
}

DeterministicAttention::~DeterministicAttention() {
    --s_attentionScopes;
}

bool DeterministicAttention::isOn() {
    return s_attentionScopes > 0;
}

}  // namespace slipway::trainer
