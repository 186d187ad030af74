// One group of a search: its pipelines, shardings and offloads, from the cheapest check to the most expensive.
#include "core/planner/cost/cost.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/search/search_groups.h"
#include "core/spec/idle_options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace slipway {

namespace {

constexpr const char *kNoBetter = "no_better", *kTooLarge = "does_not_fit", *kHostTooSmall = "host_does_not_fit";

class GroupSearch {
public:
    /// @param incumbents null: evaluate legality and memory alone
    GroupSearch(LayoutEvaluator& evaluator, const LayoutRequest& request, const LayoutGroup& group,
                const Incumbents* incumbents)
        : m_request(request),
          m_group(group),
          m_incumbents(incumbents),
          m_nodeBytes(request.nodeBytes.value_or(nodeHostCapacity(request.cluster))),
          m_evaluator(evaluator) {}

    GroupResult run() {
        const DegreeSpace& space = *m_group.space;
        const LegalPipelines& pipelines = m_group.pipelines();
        m_evaluator.setLayers(space.degrees, m_group.microBatchSize(), m_group.options);
        ShareBytes leastBytes{};
        ShareClasses open = ShareClasses().set();
        if (m_request.prune) {
            leastBytes = m_incumbents != nullptr ? m_group.leastBytes : m_evaluator.boundBytes(pipelines);
            if (m_incumbents != nullptr) {
                m_bounds = m_group.ownBounds ? *m_group.ownBounds : m_evaluator.boundShares(pipelines, space.shardings);
                m_hostWaitSeconds = m_evaluator.boundHostWait();
                LayoutGroup group = m_group;
                group.close(*m_incumbents);
                open = group.open;
            }
        }
        for (std::size_t begin = 0, end = 0; begin < space.shardings.size(); begin = end) {
            const std::int64_t zero = space.shardings[begin].zeroStage;
            while (end < space.shardings.size() && space.shardings[end].zeroStage == zero) ++end;
            for (const Offload offload : space.offloads) {
                const Share share{{&space.shardings[begin], end - begin}, offload};
                const std::size_t of = shareClass(zero, offload);
                const bool fits = !(leastBytes.at(of) > m_evaluator.capacityBytes());
                if (fits && open.test(of))
                    m_shares.push_back(share);
                else
                    drop(fits ? kNoBetter : kTooLarge, share, pipelines.choices.size());
            }
        }
        for (const PipelineFamily& family : pipelines.families)
            if (!m_shares.empty()) splits(family, {&pipelines.choices[family.begin], family.end - family.begin});
        if (m_noBetter > 0) count(kNoBetter, m_noBetter);
        if (m_tooLarge > 0) count(kTooLarge, m_tooLarge);
        return std::move(m_result);
    }

private:
    /// One ZeRO stage and offload.
    struct Share {
        std::span<const Sharding> shardings;  ///< possible groups, all of dp first
        Offload offload;
    };
    struct Variant {
        Sharding sharding;
        Offload offload;
        double peakBytes = 0;
    };

    void count(const char* reason, double layouts) { m_result.counts[reason] += layouts; }
    void drop(const char* reason, std::size_t layouts) {
        (reason == kNoBetter ? m_noBetter : m_tooLarge) += static_cast<double>(layouts);
    }
    void drop(const char* reason, const Share& share, std::size_t pipelines) {
        drop(reason, share.shardings.size() * pipelines);
    }
    [[nodiscard]] bool hopeless(double seconds, double bytes) const {
        return m_incumbents != nullptr && m_request.prune &&
               m_incumbents->cannotEnter({seconds, bytes, seconds * static_cast<double>(m_group.space->devices)});
    }

    void offer(const LayoutFigures& figures, const LayoutFamily& family) {
        if (!m_grown) m_incumbents = &m_grown.emplace(*m_incumbents);
        m_grown->offer(figures, FamilyName(family));
    }

    /// Pipelines that differ in their split alone.
    void splits(const LeastPipeline& least, std::span<const PartitionedPipeline> choices) {
        m_evaluator.setPipelineForBounds(choices.front());
        m_evaluator.setLeastLayers(least);
        m_open.clear();
        for (const Share& share : m_shares) {
            const std::size_t of = shareClass(share.shardings.front().zeroStage, share.offload);
            if (const char* reason = reasonAgainst(share, m_group.leastSeconds.at(of)))
                drop(reason, share, choices.size());
            else
                m_open.push_back(share);
        }
        for (const PartitionedPipeline& choice : choices)
            if (!m_open.empty()) pipeline(choice);
    }

    void pipeline(const PartitionedPipeline& choice) {
        m_evaluator.setPipelineForBounds(choice);
        const double passSeconds = m_incumbents != nullptr ? m_evaluator.boundSeconds() : 0;
        m_left.clear();
        for (const Share& share : m_open) {
            const double seconds = leastSeconds(share, passSeconds);
            if (const char* reason = reasonAgainst(share, seconds))
                drop(reason, share, 1);
            else
                variants(share, seconds);
        }
        if (!m_left.empty()) estimate(choice);
    }

    /// Lower bound on the step.
    [[nodiscard]] double leastSeconds(const Share& share, double passSeconds) const {
        if (m_incumbents == nullptr) return 0;
        const double waits = offloadsActivations(share.offload) ? m_hostWaitSeconds : 0;
        return m_bounds.seconds(passSeconds + waits, share.shardings.front().zeroStage, share.offload);
    }

    /// Reason that rules all these layouts out in the pipelines as set; else null.
    /// @param seconds lower bound on the step
    const char* reasonAgainst(const Share& share, double seconds) {
        if (!m_request.prune) return nullptr;
        // With fewer sharding ranks each holds more, so all of dp is the minimum of its ZeRO stage.
        const double bytes = m_evaluator.leastBytes(share.shardings.front(), share.offload);
        if (bytes > m_evaluator.capacityBytes()) return kTooLarge;
        return hopeless(seconds, bytes) ? kNoBetter : nullptr;
    }

    /// In the current pipeline.
    void variants(const Share& share, double seconds) {
        const std::span<const Sharding> shardings = share.shardings;
        const Offload offload = share.offload;
        // If all of dp does not fit, or is no better, neither are fewer. A calibrated stack may gather again instead, which only the
        // cheaper bound ignores.
        const bool monotone = !m_request.cluster.stack;
        for (std::size_t i = 0; i < shardings.size(); ++i) {
            const Sharding& sharding = shardings[i];
            if (m_request.prune && i > 0 && !monotone) {
                const double bytes = m_evaluator.leastBytes(sharding, offload);
                if (bytes > m_evaluator.capacityBytes()) return drop(kTooLarge, shardings.size() - i);
                if (hopeless(seconds, bytes)) return drop(kNoBetter, shardings.size() - i);
            }
            const double peak = m_evaluator.peakBytes(sharding, offload);
            const bool fits = !(peak > m_evaluator.capacityBytes());
            if (!fits || hopeless(seconds, peak)) {
                drop(fits ? kNoBetter : kTooLarge, monotone ? shardings.size() - i : 1);
                if (monotone) return;
            } else if (m_request.onlyRunnable && !trainerSupports(m_evaluator.config()).empty()) {
                count("trainer_unsupported", 1);
            } else if (m_incumbents == nullptr) {
                const bool hostFits = m_evaluator.hostFits(sharding, offload, peak, m_nodeBytes);
                count(!hostFits ? kHostTooSmall : m_evaluator.isExact() ? "fits" : "undecided", 1);
            } else if (hopeless(m_evaluator.boundSeconds(sharding, offload), peak)) {
                drop(kNoBetter, 1);
            } else if (!m_evaluator.hostFits(sharding, offload, peak, m_nodeBytes)) {
                count(kHostTooSmall, 1);
            } else {
                m_left.push_back({sharding, offload, peak});
            }
        }
    }

    void estimate(const PartitionedPipeline& choice) {
        const bool bounded = !m_evaluator.isExact();
        if (bounded && !m_evaluator.setPipeline(choice))
            return count("bad_schedule", static_cast<double>(m_left.size()));
        for (Variant& v : m_left) {
            if (bounded) v.peakBytes = m_evaluator.peakBytes(v.sharding, v.offload);
            if (bounded && v.peakBytes > m_evaluator.capacityBytes()) {
                count(kTooLarge, 1);
                continue;
            }
            if (bounded && !m_evaluator.hostFits(v.sharding, v.offload, v.peakBytes, m_nodeBytes)) {
                count(kHostTooSmall, 1);
                continue;
            }
            FoundLayout layout;
            layout.memoryPeakBytes = v.peakBytes;
            layout.step = m_evaluator.estimate(v.sharding, v.offload);
            const bool known = layout.step.stepSeconds > 0;
            count(known ? "estimated" : "unknown_time", 1);
            const double stepSeconds = layout.step.stepSeconds;
            const LayoutFigures figures{stepSeconds, v.peakBytes,
                                        stepSeconds * static_cast<double>(m_group.space->devices)};
            if (!known || m_incumbents->cannotEnter(figures)) continue;
            const RunConfig& config = m_evaluator.config();
            offer(figures, familyOf(config.parallel, m_group.microBatchSize(), m_group.options.recompute));
            layout.parallel = withoutIdleOptions(config).parallel;  // buckets of the base, which ZeRO-2 does not have
            layout.microBatchSize = m_group.microBatchSize();
            layout.recompute = m_group.options.recompute;
            layout.cost = estimateCost(config, m_request.cluster, layout.step.stepSeconds);
            m_result.layouts.push_back(std::move(layout));
        }
    }

    const LayoutRequest& m_request;
    const LayoutGroup& m_group;
    const Incumbents* m_incumbents;     ///< of the search, or m_grown
    std::optional<Incumbents> m_grown;  ///< with the group's own layouts
    double m_nodeBytes;
    LayoutEvaluator& m_evaluator;
    ShareBounds m_bounds;
    double m_hostWaitSeconds = 0;
    double m_noBetter = 0, m_tooLarge = 0;  ///< layouts
    std::vector<Share> m_shares,
        m_open;                     ///< that may contain a layout for the best or the front; in the current splits
    std::vector<double> m_seconds;  ///< lower bounds on the passes of each split
    std::vector<Variant> m_left;    ///< of the current pipeline, to be estimated
    GroupResult m_result;
};

}  // namespace

GroupResult searchGroup(LayoutEvaluator& evaluator, const LayoutRequest& request, const LayoutGroup& group,
                        const Incumbents& incumbents) {
    return GroupSearch(evaluator, request, group, &incumbents).run();
}

LayoutCounts evaluateGroup(const LayoutRequest& request, const LayoutGroup& group) {
    LayoutEvaluator evaluator(request.config, request.cluster);
    return GroupSearch(evaluator, request, group, nullptr).run().counts;
}

}  // namespace slipway
