#include "core/planner/calibrate/stall_fit.h"

#include <algorithm>
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

    bool memoryLimit() {
        StackProfile best = m_profile;
        std::int64_t most = m_right + kRunsPerThreshold - 1;
        std::set<double> limits;
        for (const StallObservation& run : m_runs)
            if (run.keptBytes > 0.5 * m_profile.usableBytes && run.keptBytes < m_profile.usableBytes)
                limits.insert(run.keptBytes);
        for (const double limit : limits) {
            StackProfile tried = m_profile;
            tried.gatherLimitBytes = limit;
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
    const double limit = std::min(s.gatherLimitBytes, s.usableBytes);
    for (const StallObservation& run : runs) {
        const bool tooLarge = run.keptBytes > limit;
        const bool stalled =
            isCongested(run.facts, s) || (run.facts.shortPipelineRanks < s.regatherRanks && tooLarge);
        if (run.stalled && *run.stalled == stalled) ++right;
        if (run.gathered && *run.gathered == (gathersAgain(run.facts, s) || tooLarge)) ++right;
    }
    return right;
}

void fitStallThresholds(const std::vector<StallObservation>& runs, StackProfile& profile) {
    using P = StackProfile;
    using F = StallFacts;
    for (const Threshold threshold : {&P::congestedNodes, &P::stallTpNodes, &P::stallMicroBatches, &P::stallWrapperNodes,
                                      &P::stallShardNodes, &P::stallShardRanks, &P::regatherRanks})
        profile.*threshold = P::kNever;
    profile.gatherLimitBytes = profile.usableBytes;
    Search search(runs, profile);
    for (int round = 0; round < 4; ++round) {
        bool moved = search.single(&P::congestedNodes, &F::nodes);
        moved |= search.single(&P::stallTpNodes, &F::tpNodes);
        moved |= search.pair(&P::stallMicroBatches, &F::wrapperMicroBatches, &P::stallWrapperNodes, &F::nodes);
        moved |= search.pair(&P::stallShardNodes, &F::nodes, &P::stallShardRanks, &F::dataRanks);
        moved |= search.single(&P::regatherRanks, &F::shortPipelineRanks);
        moved |= search.memoryLimit();
        if (!moved) break;
    }
}

}  // namespace slipway
