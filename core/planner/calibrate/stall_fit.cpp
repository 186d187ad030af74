#include "core/planner/calibrate/stall_fit.h"

#include <algorithm>
#include <optional>
#include <set>

namespace slipway {

namespace {

using Threshold = std::int64_t StackProfile::*;
using Fact = std::int64_t StallFacts::*;

std::vector<std::int64_t> candidates(const std::vector<StallObservation>& runs, Fact fact) {
    std::set<std::int64_t> values = {StackProfile::kNever};
    for (const StallObservation& run : runs)
        if (run.facts.*fact > 0) values.insert(run.facts.*fact);
    return {values.begin(), values.end()};
}

class Search {
public:
    Search(const std::vector<StallObservation>& runs, StackProfile& profile)
        : m_runs(runs), m_profile(profile), m_right(agreement(runs, profile)) {}

    /// The best pair of two thresholds that count only together. @return true when it moved
    bool pair(Threshold first, Fact firstFact, Threshold second, Fact secondFact) {
        StackProfile best = m_profile;
        std::int64_t most = m_right + kRunsPerThreshold - 1;
        for (const std::int64_t a : candidates(m_runs, firstFact))
            for (const std::int64_t b : candidates(m_runs, secondFact)) {
                StackProfile tried = m_profile;
                tried.*first = a;
                tried.*second = b;
                keepBetter(tried, best, most);
            }
        return take(best);
    }

    bool single(Threshold threshold, Fact fact) { return pair(threshold, fact, threshold, fact); }

    /// @param wide only layouts with more than one sequence per micro-batch, or only the others; empty: all
    bool memoryLimit(double StackProfile::* limit, std::optional<bool> wide) {
        StackProfile best = m_profile;
        std::int64_t most = m_right + kRunsPerThreshold - 1;
        std::set<double> limits;
        for (const StallObservation& run : m_runs)
            if ((!wide || (run.facts.sequences > 1) == *wide) &&
                run.keptBytes > 0.5 * m_profile.usableBytes && run.keptBytes < 1.25 * m_profile.usableBytes)
                limits.insert(run.keptBytes);
        for (const double bytes : limits) {
            StackProfile tried = m_profile;
            tried.*limit = bytes;
            keepBetter(tried, best, most);
        }
        return take(best);
    }

private:
    void keepBetter(const StackProfile& tried, StackProfile& best, std::int64_t& most) const {
        const std::int64_t right = agreement(m_runs, tried);
        if (right <= most) return;
        most = right;
        best = tried;
    }

    bool take(const StackProfile& best) {
        const std::int64_t right = agreement(m_runs, best);
        const bool moved = right > m_right;
        m_profile = best;
        m_right = right;
        return moved;
    }

    const std::vector<StallObservation>& m_runs;
    StackProfile& m_profile;
    std::int64_t m_right;
};

}  // namespace

std::int64_t agreement(const std::vector<StallObservation>& runs, const StackProfile& s) {
    std::int64_t right = 0;
    for (const StallObservation& run : runs) {
        const bool stalled = isCongested(run.facts, s) || run.keptBytes > stallLimit(run.facts, s);
        if (run.stalled && *run.stalled == stalled) ++right;
        if (run.gathered && *run.gathered == (gathersAgain(run.facts, s) || run.keptBytes > s.gatherLimitBytes)) ++right;
    }
    return right;
}

void fitStallThresholds(const std::vector<StallObservation>& runs, double deviceBytes, StackProfile& profile) {
    using P = StackProfile;
    using F = StallFacts;
    for (const Threshold threshold : {&P::congestedNodes, &P::stallTpNodes, &P::stallMicroBatches, &P::stallWrapperNodes,
                                      &P::stallDataRanks, &P::stallShardNodes, &P::stallShardRanks, &P::regatherRanks})
        profile.*threshold = P::kNever;
    profile.gatherLimitBytes = profile.usableBytes;
    profile.stallLimitBytes = profile.wideStallLimitBytes = deviceBytes;
    Search search(runs, profile);
    for (int round = 0; round < 4; ++round) {
        bool moved = search.pair(&P::congestedNodes, &F::nodes, &P::stallDataRanks, &F::dataRanks);
        moved |= search.single(&P::stallTpNodes, &F::tpNodes);
        moved |= search.pair(&P::stallMicroBatches, &F::wrapperMicroBatches, &P::stallWrapperNodes, &F::nodes);
        moved |= search.pair(&P::stallShardNodes, &F::nodes, &P::stallShardRanks, &F::dataRanks);
        moved |= search.single(&P::regatherRanks, &F::shortPipelineRanks);
        moved |= search.memoryLimit(&P::gatherLimitBytes, {});
        moved |= search.memoryLimit(&P::stallLimitBytes, false);
        moved |= search.memoryLimit(&P::wideStallLimitBytes, true);
        if (!moved) break;
    }
}

}  // namespace slipway
