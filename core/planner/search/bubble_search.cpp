#include "core/planner/search/bubble_search.h"

#include "core/planner/schedule/bubble.h"

#include <algorithm>

namespace slipway {

std::vector<BubbleCandidate> bubbleSearch(std::int64_t world, std::int64_t layers) {
    std::vector<BubbleCandidate> found;
    for (const std::int64_t tp : {1, 2, 4, 8}) {
        if (world % tp != 0) continue;
        for (std::int64_t pp = 1; pp <= layers; ++pp) {
            if (layers % pp != 0 || (world / tp) % pp != 0) continue;
            const std::int64_t dp = world / tp / pp;
            const std::int64_t m = 2048 / (dp * 4);
            if (m < 1) continue;
            found.push_back({tp, pp, dp, m, layers / pp,
                             bubbleFraction(ScheduleKind::OneFOneB, static_cast<double>(pp), static_cast<double>(m))});
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const BubbleCandidate& a, const BubbleCandidate& b) {
        return a.bubble != b.bubble ? a.bubble < b.bubble : a.tp < b.tp;
    });
    return found;
}

const BubbleCandidate* firstThatFits(const std::vector<BubbleCandidate>& candidates, double stateBytes,
                                     double deviceBytes) {
    for (const BubbleCandidate& c : candidates)
        if (stateBytes / static_cast<double>(c.tp * c.pp) <= deviceBytes) return &c;
    return nullptr;
}

}  // namespace slipway
