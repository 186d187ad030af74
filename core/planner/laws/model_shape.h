// A shape for a size: layers, width and heads of a dense model with about this many parameters.
//   modelOfSize(29.4e9)->numLayers == 50
#pragma once

#include "core/base/result.h"
#include "core/spec/model_spec.h"

namespace slipway {

/// Sizes supported by modelOfSize().
constexpr double kSmallestShape = 60e6;
constexpr double kLargestShape = 10e12;

/// A model of Llama's family: hidden / layers nearest to 128 and feed-forward layers near 3.5 times as wide (Llama 3,
/// arXiv 2407.21783, table 3); 8 key-value heads, an even number of layers and heads in eights, so that tp 8 and pp 2
/// divide it. Vocabulary 128,256, below 1 B parameters 32,000; below 4 B the output head is the embedding, as in Llama
/// 3.2. The feed-forward width makes up the rest of the size. "out_of_range" outside kSmallestShape to kLargestShape.
Result<ModelSpec> modelOfSize(double parameters);

}  // namespace slipway
