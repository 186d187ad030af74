// ProcessGroup: the one interface to collectives. Makers: self (size 1), gloo (CPU processes), nccl (GPU processes),
// in-process (ranks are threads of one process). Torch communication types never appear above it.
#pragma once

#include "core/base/result.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace slipway::trainer {

enum class ReduceOp { Sum, Max };

/// Thrown when a peer is gone or a collective fails; main turns it into exit code 12 with rank, group and operation. An
/// exception, not a Result: it crosses the model's passes, which cannot handle it.
class CommError : public std::runtime_error {
public:
    CommError(std::string group, std::string operation, const std::string& what)
        : std::runtime_error(what), m_group(std::move(group)), m_operation(std::move(operation)) {}
    [[nodiscard]] const std::string& group() const { return m_group; }
    [[nodiscard]] const std::string& operation() const { return m_operation; }

private:
    std::string m_group, m_operation;
};

/// Counters of a group so far. `bytes` counts this rank's traffic under the ring algorithm of each collective
/// (all-reduce 2(n-1)/n S, gather and scatter (n-1)/n S, send S), for any actual algorithm.
struct CommCounters {
    double bytes = 0;
    double seconds = 0;         ///< from start to completion
    double exposedSeconds = 0;  ///< of `seconds`: those during which the rank was blocked, in the start or in wait()
    std::int64_t calls = 0;
};

/// A collective in progress. wait() returns when the result is in place; the destructor waits too.
class CommHandle {
public:
    virtual ~CommHandle() = default;
    virtual void wait() = 0;
};
using CommWork = std::unique_ptr<CommHandle>;

class ProcessGroup {
public:
    virtual ~ProcessGroup() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual const std::string& name() const = 0;  ///< "tp", "dp", "pp", "world", ...

    /// In place over all ranks. Same shape and dtype everywhere; contiguous.
    virtual CommWork allReduce(at::Tensor& tensor, ReduceOp op) = 0;
    /// out [n * k, ...] = inputs [k, ...] of all ranks in rank order along dim 0.
    virtual CommWork allGather(at::Tensor& out, const at::Tensor& in) = 0;
    /// out [k, ...] = this rank's block of the sum of all ranks' in [n * k, ...].
    virtual CommWork reduceScatter(at::Tensor& out, const at::Tensor& in) = 0;
    /// Rows of dim 0 are sent by inSplits and received by outSplits (one entry per rank).
    virtual CommWork allToAllV(at::Tensor& out, const at::Tensor& in, const std::vector<std::int64_t>& outSplits,
                               const std::vector<std::int64_t>& inSplits) = 0;
    virtual CommWork broadcast(at::Tensor& tensor, int root) = 0;
    /// Point to point inside the group; messages between two ranks with the same tag keep their order.
    virtual CommWork send(const at::Tensor& tensor, int to, int tag) = 0;
    virtual CommWork recv(at::Tensor& tensor, int from, int tag) = 0;
    /// The tags of the messages that `from` sends to this rank next, in its order. A backend without tags (NCCL) needs
    /// it where receives are not in sending order; the others ignore it.
    virtual void expect(int /*from*/, const std::vector<int>& /*tags*/) {}
    virtual void barrier() = 0;

    [[nodiscard]] virtual CommCounters counters() const = 0;
};

}  // namespace slipway::trainer
