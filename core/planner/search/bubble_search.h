// The layout search of a textbook: degrees by bubble alone. It ignores memory, nodes and links; kept so that a page can
// show why rankLayouts considers more (examples.csv, rows 000-4.2).
#pragma once

#include <cstdint>
#include <vector>

namespace slipway {

struct BubbleCandidate {
    std::int64_t tp = 1, pp = 1, dp = 1, microBatches = 1, layersPerStage = 1;
    double bubble = 0;  ///< idle over total time
};

/// tp in {1, 2, 4, 8}, pp divides layers and world / tp, m = 2048 / (dp * 4); sorted by bubble, then tp.
std::vector<BubbleCandidate> bubbleSearch(std::int64_t world, std::int64_t layers);

/// The first candidate whose model state fits, or null. @param stateBytes of the whole model
const BubbleCandidate* firstThatFits(const std::vector<BubbleCandidate>& candidates, double stateBytes,
                                     double deviceBytes);

}  // namespace slipway
