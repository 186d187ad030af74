// Sums in a fixed order on GPUs. Some of libtorch's operators add with atomics, in arbitrary thread order, so that the
// same input yields different last bits each time; its flag selects a slower deterministic form.
//   const DeterministicOperators fixed;   // around the call of one such operator
//   const DeterministicAttention same;    // around runs that must agree to the bit
#pragma once

namespace slipway::trainer {

/// While one lives, libtorch's deterministic flag is set (torch.use_deterministic_algorithms, without filling new
/// memory). The flag is global to the process: where scopes of several threads overlap, the last to end resets it.
/// Meanwhile it also slows down operators of other threads.
class DeterministicOperators {
public:
    /// @param wanted false: no effect
    explicit DeterministicOperators(bool wanted = true);
    ~DeterministicOperators();
    DeterministicOperators(const DeterministicOperators&) = delete;
    DeterministicOperators& operator=(const DeterministicOperators&) = delete;

private:
    bool m_wanted;
};

/// While one lives, attention on GPUs is bitwise reproducible: the flash operator with its flag, never cuDNN's, whose
/// backward pass libtorch calls in no fixed order. Global to the process. Costs memory for (multiprocessors / (B h) +
/// 1) fp32 copies of the queries' gradients, in addition to cuDNN's speed.
class DeterministicAttention {
public:
    DeterministicAttention();
    ~DeterministicAttention();
    DeterministicAttention(const DeterministicAttention&) = delete;
    DeterministicAttention& operator=(const DeterministicAttention&) = delete;
    [[nodiscard]] static bool isOn();
};

}  // namespace slipway::trainer
