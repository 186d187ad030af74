#include "core/planner/time/comm_curves.h"

#include "core/base/real.h"
#include "core/planner/time/communication.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

/// Ranks are quotients of integers.
constexpr double kRounding = 1e-9;

/// The group a curve was measured on; with its source where `cited`.
Message groupOf(const CommCurve& c, bool cited) {
    const std::string ranks = std::to_string(c.ranks), perNode = std::to_string(c.ranksPerNode);
    if (!cited || c.source.empty())
        return c.inOneNode() ? "%1 ranks in one node"_text(ranks) : "%1 ranks, %2 a node"_text(ranks, perNode);
    const std::string source = c.source + (c.sourceDate.empty() ? "" : ", " + c.sourceDate);
    return c.inOneNode() ? "%1 ranks in one node (%2)"_text(ranks, source)
                         : "%1 ranks, %2 a node (%3)"_text(ranks, perNode, source);
}

}  // namespace

std::optional<CurveUse> curveFor(std::span<const CommCurve> curves, Collective kind, double ranks, double nodes) {
    if (!(ranks > 1)) return {};
    if (kind == Collective::Send) ranks = 2;
    nodes = std::clamp(nodes, 1.0, ranks);
    const bool oneNode = nodes <= 1;
    const double perNode = ranks / nodes;
    std::int64_t chosen = 0;  // ranks per node of the curves, over nodes
    for (const CommCurve& c : curves)
        if (!oneNode && c.operation == kind && !c.inOneNode() && real(c.ranksPerNode) >= perNode * (1 - kRounding) &&
            (chosen == 0 || c.ranksPerNode < chosen))
            chosen = c.ranksPerNode;
    CurveUse use;
    use.ranks = oneNode ? ranks : nodes * real(chosen);
    for (const CommCurve& c : curves) {
        if (c.operation != kind || c.inOneNode() != oneNode || (!oneNode && c.ranksPerNode != chosen)) continue;
        const double size = real(c.ranks);
        if (size <= use.ranks * (1 + kRounding) && (use.low == nullptr || c.ranks > use.low->ranks)) use.low = &c;
        if (size >= use.ranks * (1 - kRounding) && (use.high == nullptr || c.ranks < use.high->ranks)) use.high = &c;
    }
    if (use.low == nullptr && use.high == nullptr) return {};
    if (use.low != nullptr && use.high != nullptr) {
        const CommCurve &a = *use.low, &b = *use.high;
        const double t =
            &a == &b
                ? 0
                : std::clamp(std::log(use.ranks / real(a.ranks)) / std::log(real(b.ranks) / real(a.ranks)), 0.0, 1.0);
        use.latencySeconds = a.latencySeconds + t * (b.latencySeconds - a.latencySeconds);
        use.bytesPerSecond = t > 0 ? 1 / ((1 - t) / a.bytesPerSecond + t / b.bytesPerSecond) : a.bytesPerSecond;
    } else {
        const CommCurve& nearest = use.low != nullptr ? *use.low : *use.high;
        use.latencySeconds = nearest.latencySeconds * ringHops(kind, use.ranks) / ringHops(kind, real(nearest.ranks));
        use.bytesPerSecond = nearest.bytesPerSecond;
    }
    if (!oneNode && kind != Collective::AllToAll) use.share = std::min(1.0, perNode / real(chosen));
    use.bytesPerSecond *= use.share;
    return use;
}

LinkSpec GroupLink::curved(Collective kind, double ranks) const {
    const auto use = curves.empty() ? std::nullopt : curveFor(curves, kind, ranks, nodes);
    if (!use) {
        LinkSpec link = *this;
        if (kind != Collective::Send)
            link.latencySeconds += wakeSeconds * (ranks - 1) / ringHops(kind, ranks);
        else if (!receiverIsIdle)
            link.latencySeconds += wakeSeconds;
        return link;
    }
    return {use->bytesPerSecond, use->latencySeconds / ringHops(kind, ranks)};
}

std::optional<Message> curveSentence(const GroupLink& link, Collective kind, double ranks) {
    if (link.curves.empty() || !(ranks > 1)) return {};
    const std::string operation(wordOf(kind));
    const auto use = curveFor(link.curves, kind, ranks, link.nodes);
    if (!use) return "%1 by the link, no curve is of such a group"_text(operation);
    const Message nearest = groupOf(use->low != nullptr ? *use->low : *use->high, true);
    Message sentence = "%1 by the curve of %2"_text(operation, nearest);
    if (use->low == nullptr || use->high == nullptr)
        sentence = "%1 by the curve of %2, the nearest size, at its latency per hop"_text(operation, nearest);
    else if (use->low != use->high)
        sentence = "%1 between the curves of %2 and of %3"_text(operation, groupOf(*use->low, false),
                                                                groupOf(*use->high, true));
    return use->share < 1 ? "%1, with its part of a node's cards"_text(sentence) : sentence;
}

}  // namespace slipway
