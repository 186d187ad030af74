// The decision after a failure: whether to restart, when, from where and without which nodes. Pure: the caller supplies
// the history, the checkpoint and a random number; the decision is a value that can be stored.
//   const RetryDecision d = decideRetry(history, newestCheckpoint, uniform);   if (d.action == "restart") ...
#pragma once

#include "core/base/field_table.h"
#include "core/base/message.h"
#include "core/faults/fault_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// One attempt that failed.
struct FailedAttempt {
    std::int64_t attempt = 1;
    std::string fault;  ///< Diagnosis::fault
    std::string kind;   ///< Diagnosis::kind
    std::string node;
    std::int64_t checkpointStep = -1;  ///< newest good checkpoint when it ended; -1: none
    double ranSeconds = 0;
    bool differsByNode = false;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("attempt"), s.attempt);
        v(field("fault"), s.fault);
        v(field("kind"), s.kind);
        v(field("node"), s.node);
        v(field("checkpoint_step"), s.checkpointStep);
        v(field("ran_seconds"), s.ranSeconds);
        v(field("differs_by_node"), s.differsByNode);
    }
};

struct RetryLimits {
    std::int64_t transient = 10;       ///< restarts after faults of links, ports and schedulers, and of nodes
    std::int64_t unknown = 1;          ///< restarts after unknown faults
    std::int64_t perNode = 2;          ///< own failures of a node before it is excluded
    std::int64_t withoutProgress = 3;  ///< attempts that end with the same newest checkpoint
    double firstDelaySeconds = 10;
    double mostDelaySeconds = 600;
    double earlySeconds =
        30;  ///< a failure that early, another one on each node, points to the nodes rather than the config
};

struct RetryDecision {
    std::string action = "stop";  ///< restart, stop
    /// transient, node, unknown, nodes_differ; stop: requested, memory, disk, config, code, numerics, no_progress, budget
    std::string rule;
    double delaySeconds = 0;
    std::int64_t fromStep = -1;         ///< checkpoint to restart from; -1: from the first step
    std::vector<std::string> excluded;  ///< nodes no longer in use
    std::string fault;                  ///< of the newest failure

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("action"), s.action);
        v(field("rule"), s.rule);
        v(field("delay_seconds"), s.delaySeconds);
        v(field("from_step"), s.fromStep);
        v(field("excluded_nodes"), s.excluded);
        v(field("fault"), s.fault);
    }
};

/// @param history all failed attempts, the newest last; without any there is nothing to restart ("requested")
/// @param uniform drawn from [0, 1): the delay is that share of min(most, first * 2^n), n restarts of the same rule before
///        (full jitter: M. Brooker, "Exponential Backoff And Jitter", 2015)
RetryDecision decideRetry(const std::vector<FailedAttempt>& history, double uniform, const RetryLimits& limits = {});

/// "Restart from the checkpoint of step 1200 in 15 s, without node b." or the reason to stop.
Message sentence(const RetryDecision& decision);

}  // namespace slipway
