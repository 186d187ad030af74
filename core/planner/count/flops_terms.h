// The FLOPs of a token with their derivation.
#pragma once

#include "core/planner/count/flops.h"
#include "core/planner/terms/term.h"

namespace slipway {

/// modelFlopsPerToken() as a term.
Term modelFlopsTerm(const ModelSpec& model, std::int64_t seqLen, FlopsRule rule);

}  // namespace slipway
