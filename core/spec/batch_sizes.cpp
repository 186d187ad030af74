#include "core/spec/batch_sizes.h"

#include <algorithm>
#include <cmath>

namespace slipway {

// size(tokens) = initial + (final - initial) tokens / ramp (Brown 2020, arXiv 2005.14165, table 2.1), whole increments.
BatchSizes::BatchSizes(const TrainSpec& train) {
    const std::int64_t last = train.globalBatchSize, first = train.batchRamp.initial;
    const std::int64_t increment = train.batchRamp.incrementSize();
    if (first < 1 || first >= last || increment < 1 || train.batchRamp.tokens < 1) {
        m_levels.push_back({0, 0, last});
        return;
    }
    const std::int64_t numLevels = (last - first) / increment;
    const double sequencesPerLevel = static_cast<double>(train.batchRamp.tokens) / static_cast<double>(train.seqLen) /
                                     static_cast<double>(std::max<std::int64_t>(1, numLevels));
    Level level{0, 0, first};
    for (std::int64_t i = 0; i < numLevels;) {
        const double end = sequencesPerLevel * static_cast<double>(i + 1);
        const auto steps = static_cast<std::int64_t>(
            std::ceil((end - static_cast<double>(level.sequencesBefore)) / static_cast<double>(level.size)));
        m_levels.push_back(level);
        level.firstStep += steps;
        level.sequencesBefore += steps * level.size;
        // One step may skip several levels.
        i = std::min(numLevels, std::max(i + 1, static_cast<std::int64_t>(static_cast<double>(level.sequencesBefore) /
                                                                          sequencesPerLevel)));
        level.size = i == numLevels ? last : first + i * increment;
    }
    m_levels.push_back(level);
}

const BatchSizes::Level& BatchSizes::at(std::int64_t step) const {
    const auto next = std::upper_bound(m_levels.begin(), m_levels.end(), step,
                                       [](std::int64_t value, const Level& level) { return value < level.firstStep; });
    return next == m_levels.begin() ? *next : *(next - 1);
}

std::int64_t BatchSizes::before(std::int64_t step) const {
    const Level& level = at(step);
    return level.sequencesBefore + (step - level.firstStep) * level.size;
}

std::vector<std::int64_t> BatchSizes::sizes() const {
    std::vector<std::int64_t> all;
    for (const Level& level : m_levels) all.push_back(level.size);
    return all;
}

}  // namespace slipway
