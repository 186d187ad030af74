#include "core/planner/calibrate/stall_fit.h"

#include <algorithm>
#include <iterator>
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
    Search(const std::vector<StallObservation>& runs, StackProfile& profile) : m_runs(runs), m_profile(profile) {}

    /// Thresholds that count only together: the values that tell most runs right, or never.
    void together(const std::vector<std::pair<Threshold, Fact>>& thresholds) {
        for (const auto& [threshold, fact] : thresholds) m_profile.*threshold = StackProfile::kNever;
        begin(kRunsPerThreshold);
        StackProfile tried = m_profile;
        tryAll(thresholds, 0, tried);
        m_profile = m_best;
    }

    /// A limit of memory between half and five quarters of what the stack can use, or off. There is a limit in any case,
    /// so that one run more is enough.
    void memoryLimit(double StackProfile::*limit, double PeakBytes::*bytesOf, double off) {
        m_profile.*limit = off;
        begin(1);
        std::set<double> limits;
        for (const StallObservation& run : m_runs)
            if (run.peak.*bytesOf > 0.5 * m_profile.usableBytes && run.peak.*bytesOf < 1.25 * m_profile.usableBytes)
                limits.insert(run.peak.*bytesOf);
        for (auto bytes = limits.begin(); bytes != limits.end(); ++bytes) {
            const auto next = std::next(bytes);
            StackProfile tried = m_profile;
            tried.*limit = next == limits.end() ? *bytes : 0.5 * (*bytes + *next);
            keepBetter(tried);
        }
        m_profile = m_best;
    }

private:
    /// @param gain fewest runs more that a change must tell right
    void begin(std::int64_t gain) {
        m_best = m_profile;
        m_most = agreement(m_runs, m_profile) + gain - 1;
    }

    void tryAll(const std::vector<std::pair<Threshold, Fact>>& thresholds, std::size_t next, StackProfile& tried) {
        if (next == thresholds.size()) return keepBetter(tried);
        for (const std::int64_t value : candidates(m_runs, thresholds[next].second)) {
            tried.*thresholds[next].first = value;
            tryAll(thresholds, next + 1, tried);
        }
    }

    void keepBetter(const StackProfile& tried) {
        const std::int64_t right = agreement(m_runs, tried);
        if (right <= m_most) return;
        m_most = right;
        m_best = tried;
    }

    const std::vector<StallObservation>& m_runs;
    StackProfile& m_profile;
    StackProfile m_best;
    std::int64_t m_most = 0;
};

}  // namespace

std::int64_t agreement(const std::vector<StallObservation>& runs, const StackProfile& s) {
    std::int64_t right = 0;
    for (const StallObservation& run : runs) {
        const bool stalled = waits(run.facts, run.peak, s);
        if (run.stalled && *run.stalled == stalled) ++right;
        const bool gathered = gathersAgain(run.facts, run.peak, s) || run.peak.kept > s.gatherLimitBytes;
        if (run.gathered && *run.gathered == gathered) ++right;
    }
    return right;
}

void forgetCircumstances(StackProfile& profile) {
    using P = StackProfile;
    for (const Threshold threshold :
         {&P::congestedNodes, &P::stallTpNodes, &P::stallMicroBatches, &P::stallWrapperNodes, &P::stallDataRanks,
          &P::stallShardNodes, &P::stallShardRanks, &P::stallLargeNodes, &P::stallLargeHidden, &P::stallLargeSequences,
          &P::regatherRanks})
        profile.*threshold = P::kNever;
}

void fitStallThresholds(const std::vector<StallObservation>& runs, double deviceBytes, StackProfile& profile) {
    using P = StackProfile;
    using F = StallFacts;
    forgetCircumstances(profile);
    profile.gatherLimitBytes = profile.usableBytes;
    profile.stallLimitBytes = profile.stallLiveLimitBytes = deviceBytes;
    Search search(runs, profile);
    std::int64_t before = -1;
    for (int round = 0; round < 6 && agreement(runs, profile) > before; ++round) {
        before = agreement(runs, profile);
        search.together({{&P::congestedNodes, &F::nodes}, {&P::stallDataRanks, &F::dataRanks}});
        search.together({{&P::stallTpNodes, &F::tpNodes}});
        search.together({{&P::stallMicroBatches, &F::wrapperMicroBatches}, {&P::stallWrapperNodes, &F::nodes}});
        search.together({{&P::stallShardNodes, &F::nodes}, {&P::stallShardRanks, &F::dataRanks}});
        search.together({{&P::stallLargeNodes, &F::nodes},
                         {&P::stallLargeHidden, &F::hiddenSize},
                         {&P::stallLargeSequences, &F::sequences}});
        search.together({{&P::regatherRanks, &F::shortPipelineRanks}});
        search.memoryLimit(&P::gatherLimitBytes, &PeakBytes::kept, profile.usableBytes);
        search.memoryLimit(&P::stallLiveLimitBytes, &PeakBytes::live, deviceBytes);
        search.memoryLimit(&P::stallLimitBytes, &PeakBytes::kept, deviceBytes);
    }
}

}  // namespace slipway
