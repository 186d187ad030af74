// A rank's bytes with their derivation. The accounts (memory_account.h, host_memory.cpp) are templates: with double
// they yield the plan's figures, with Term the formulas of its explanations.
//   memoryTerms(config, cluster, rank).fullest().activationBytes.formula()
#pragma once

#include "core/planner/memory/host_memory.h"
#include "core/planner/terms/term.h"

namespace slipway {

/// MemoryBreakdown over any number type.
template <class Number>
struct BytesOf {
    Number weightBytes{}, gradientBytes{}, optimizerBytes{}, activationBytes{}, logitsBytes{}, bufferBytes{},
        reserveBytes{};
    [[nodiscard]] Number totalBytes() const {
        return weightBytes + gradientBytes + optimizerBytes + activationBytes + logitsBytes + bufferBytes +
               reserveBytes;
    }
};

/// StepMoments over any number type.
template <class Number>
struct MomentsOf {
    BytesOf<Number> rest, forward, backward, update;
    Number graphBytes{};  ///< of the buffers: those of a captured graph (train.cuda_graphs)
    [[nodiscard]] const BytesOf<Number>& fullest() const {
        const BytesOf<Number>& passes = forward.totalBytes() > backward.totalBytes() ? forward : backward;
        return update.totalBytes() > passes.totalBytes() ? update : passes;
    }
};

/// HostMemory over any number type.
template <class Number>
struct HostBytesOf {
    std::int64_t stage = 0;
    Number stagingBytes{}, optimizerBytes{}, activationBytes{};
    [[nodiscard]] Number totalBytes() const { return stagingBytes + optimizerBytes + activationBytes; }
};

/// The moments of one pipeline rank.
MomentsOf<Term> memoryTerms(const RunConfig& config, const ClusterSpec& cluster, std::int64_t rank);
/// A pipeline rank's bytes in its node's memory.
HostBytesOf<Term> hostTerms(const RunConfig& config, std::int64_t rank);
/// Saved activations of a rank's layers for all micro-batches in flight, in the bundled trainer (RankContents::saved).
Term savedLayersTerm(const RunConfig& config, std::int64_t rank);

}  // namespace slipway
