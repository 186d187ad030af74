// Display names of the FLOP-counting conventions of an MFU, from their letters in files (FlopsRule in core/planner/count/flops.h).
//   textOf(mfuRuleName("C")) == "causal"
#pragma once

#include "core/base/message.h"

#include <string>
#include <string_view>

namespace slipway {

/// For an unknown letter the letter itself.
Message mfuRuleName(std::string_view rule);

}  // namespace slipway
