// A parallel layout in one line of the reader's language.
//   textOf(layoutMessage(p, 2, RecomputePolicy::Full)) == "DP 4, TP 8, PP 4, ZeRO-1, SP, 1f1b, recompute full, micro-batch 2"
#pragma once

#include "core/base/message.h"
#include "core/spec/run_config.h"

#include <cstdint>

namespace slipway {

/// Degrees above 1, ZeRO and options; names of degrees, ZeRO and SP are the same in every language. layoutText() is its English text.
Message layoutMessage(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);

}  // namespace slipway
