// Adaptive gradient clipping (core/stability/adaptive_clip.h) of a sharded model: a unit is a row of a matrix or a
// whole vector, and its parts may be on several ranks.
#pragma once

#include "trainer/comm/mesh.h"
#include "trainer/parallel/bug_switch.h"
#include "trainer/parallel/parameter.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace slipway::trainer {

/// A part of one parameter that this rank owns, flat.
struct OwnedSegment {
    std::size_t item = 0;     ///< index into the parameters
    std::int64_t offset = 0;  ///< first element inside the local parameter
    at::Tensor weights;       ///< master weights, or the weights themselves
    at::Tensor gradients;     ///< scaled in place
};

/// Scales gradients of units whose norm is above `share` of their weights' norm. Each rank passes its owned segments;
/// row norms are summed over the sharding group if `sharded` (those of experts over edp), and over tp (etp) where rows
/// or vectors are sharded. Collective over all. -> number of units clipped here
std::int64_t clipAdaptively(const std::vector<Parameter*>& parameters, const std::vector<OwnedSegment>& segments,
                            const ProcessMesh& mesh, bool sharded, double share, Bug bug = Bug::None);

}  // namespace slipway::trainer
