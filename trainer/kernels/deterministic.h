// Sums in a fixed order on GPUs. Some of libtorch's operators add with atomics, in whatever order threads come, so that
// the same input gives other last bits each time; with its flag, they have a slower form that does not.
//   const DeterministicOperators fixed;   // around the call of one such operator
//   const DeterministicAttention same;    // around runs that must agree to the bit
#pragma once

namespace slipway::trainer {

/// While one lives, libtorch's deterministic flag is set (torch.use_deterministic_algorithms, without filling new
/// memory). The flag is that of the whole process: where scopes of several threads overlap, the last to end takes it
/// back. Meanwhile operators of other threads heed it, too, which costs them time.
class DeterministicOperators {
public:
    /// @param wanted false: does nothing
    explicit DeterministicOperators(bool wanted = true);
    ~DeterministicOperators();
    DeterministicOperators(const DeterministicOperators&) = delete;
    DeterministicOperators& operator=(const DeterministicOperators&) = delete;

private:
    bool m_wanted;
};

/// While one lives, attention on GPUs gives the same bits each time: the flash operator with its flag, never cuDNN's,
/// whose backward pass libtorch calls in no fixed order. Of the whole process. Costs room for (multiprocessors / (B h)
/// + 1) fp32 copies of the queries' gradients beside cuDNN's speed.
class DeterministicAttention {
public:
    DeterministicAttention();
    ~DeterministicAttention();
    DeterministicAttention(const DeterministicAttention&) = delete;
    DeterministicAttention& operator=(const DeterministicAttention&) = delete;
    [[nodiscard]] static bool isOn();
};

}  // namespace slipway::trainer
