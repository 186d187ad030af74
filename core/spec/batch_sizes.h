// BatchSizes: the number of sequences of each step, with or without a batch ramp. A pure function of the config without
// its layout: sampler, metrics and planner share it.
//   BatchSizes sizes(config.train);   sizes.of(step);   sizes.before(step) * seqLen tokens were seen before it
#pragma once

#include "core/spec/train_spec.h"

#include <cstdint>
#include <vector>

namespace slipway {

class BatchSizes {
public:
    explicit BatchSizes(const TrainSpec& train);

    /// Sequences of a step; 0 is the first.
    [[nodiscard]] std::int64_t of(std::int64_t step) const { return at(step).size; }
    /// Sequences of all steps before it.
    [[nodiscard]] std::int64_t before(std::int64_t step) const;
    /// Number of full-batch steps with as many sequences as the first `steps` steps.
    [[nodiscard]] double wholeSteps(std::int64_t steps) const {
        return static_cast<double>(before(steps)) / static_cast<double>(m_levels.back().size);
    }
    /// The sizes that occur, in order.
    [[nodiscard]] std::vector<std::int64_t> sizes() const;

private:
    /// Steps of one size in a row.
    struct Level {
        std::int64_t firstStep = 0, sequencesBefore = 0, size = 0;
    };
    [[nodiscard]] const Level& at(std::int64_t step) const;

    std::vector<Level> m_levels;
};

}  // namespace slipway
