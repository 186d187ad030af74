// Checkpoints of a world of one whose state is two vectors of numbers that tell their step.
#pragma once

#include "trainer/checkpoint/checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace slipway::test {

inline at::Tensor numbers(std::int64_t count, double first) {
    return at::arange(count, at::kDouble) + first;
}

inline std::vector<trainer::StateTensor> stateOf(double value, std::int64_t rank = 0) {
    std::vector<trainer::StateTensor> state;
    for (const char* name : {"a.weight", "a.weight.exp_avg"}) {
        trainer::StateTensor entry;
        entry.name = name;
        entry.shard.name = "a.weight";
        entry.shard.globalShape = {40};
        entry.shard.dtype = "F64";
        entry.tensor = numbers(40, value + 1000 * static_cast<double>(rank) + (state.empty() ? 0 : 0.5));
        state.push_back(std::move(entry));
    }
    return state;
}

/// A world of one in a folder.
struct OneRank {
    explicit OneRank(const std::filesystem::path& path)
        : dir{path}, mesh(trainer::makeMesh(config.parallel, 0, nullptr)) {}
    RunDir dir;
    RunConfig config;
    trainer::ProcessMesh mesh;
    std::optional<TokenFileHeader> file;
    [[nodiscard]] trainer::CheckpointContext context() const {
        return {dir, config, mesh, at::kCPU, file ? &*file : nullptr};
    }
    Result<void> save(std::int64_t step) const {
        return trainer::saveCheckpoint(context(), {step, step - 1, step * 16, step * 4096, {}},
                                       stateOf(static_cast<double>(step)));
    }
    /// The step that "latest" finds, checked against the tensors; -1 for none, -2 for an error, -3 for wrong values.
    std::int64_t latest(std::size_t* damaged = nullptr) const {
        std::vector<trainer::StateTensor> state = stateOf(-7);
        const auto loaded = trainer::loadCheckpoint(context(), "latest", state);
        if (!loaded) return -2;
        if (damaged != nullptr) *damaged = loaded->damaged.size();
        if (!loaded->mark) return -1;
        const auto expected = stateOf(static_cast<double>(loaded->mark->step));
        for (std::size_t i = 0; i < state.size(); ++i)
            if (!at::equal(state[i].tensor, expected[i].tensor)) return -3;
        return loaded->mark->numUpdates == loaded->mark->step - 1 &&
                       loaded->mark->dataPosition == loaded->mark->step * 16
                   ? loaded->mark->step
                   : -3;
    }
};

}  // namespace slipway::test
