// The time of a collective from measured curves (ClusterSpec::commCurves), between measured group sizes and beyond.
//   link.of(Collective::AllReduce, 16)      // latency per hop and bandwidth of that operation among 16 ranks of the group
#pragma once

#include "core/base/message.h"
#include "core/spec/cluster_spec.h"

#include <optional>
#include <span>

namespace slipway {

/// Carrier of the messages of one group of ranks: a link, and the cluster's curves, which take precedence where they
/// cover an operation. Refers to the cluster's table; without curves it equals the link to the last bit.
struct GroupLink : LinkSpec {
    std::span<const CommCurve> curves;
    double nodes = 1;        ///< spanned by the group
    double wakeSeconds = 0;  ///< once per collective and further rank, until that rank's core is free (stack_links.h)
    bool receiverIsIdle =
        true;  ///< so a message does not wait for its core; false where all ranks compute, as in a ring

    GroupLink() = default;
    GroupLink(const LinkSpec& link) : LinkSpec(link) {}

    /// The link for this operation among `ranks` of the group.
    [[nodiscard]] LinkSpec of(Collective kind, double ranks) const {
        return curves.empty() && wakeSeconds == 0 ? LinkSpec(*this) : curved(kind, ranks);
    }

private:
    [[nodiscard]] LinkSpec curved(Collective kind, double ranks) const;
};

/// The curves that apply to a group of `ranks` over `nodes`, and their values for it; absent where there are none:
/// - Curves of one node apply to groups in one node, curves across nodes to groups across nodes; a message has two ranks.
/// - Over nodes those with as many ranks per node as the group, else with the next more, of which the group has its part of a
///   node's cards: k of k' ranks have k / k' of the bandwidth (all-to-all: all of it, each rank has its own card). Groups
///   with more ranks per node than any curve have none.
/// - Between two sizes latency and seconds per byte are linear in the logarithm of the ranks, so neither is outside of the
///   two, and where both grow with the ranks so does the time.
/// - Outside of the measured sizes the nearest curve's bandwidth and latency per hop of a ring hold.
struct CurveUse {
    const CommCurve* low = nullptr;  ///< the nearest size that is not larger, if any
    const CommCurve* high =
        nullptr;  ///< the nearest size that is not smaller; the same one as `low` where the size itself was measured
    double ranks = 0;           ///< of the group as counted by the curves
    double share = 1;           ///< of their bandwidth
    double latencySeconds = 0;  ///< of the whole operation
    double bytesPerSecond = 0;
};
std::optional<CurveUse> curveFor(std::span<const CommCurve> curves, Collective kind, double ranks, double nodes);

/// The curve that applies to an operation of this group, in words with its source, or a note that the link does; absent
/// where the cluster has no curves to choose from.
std::optional<Message> curveSentence(const GroupLink& link, Collective kind, double ranks);

}  // namespace slipway
