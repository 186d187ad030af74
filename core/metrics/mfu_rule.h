// How people name the convention by which an MFU counts, from its letter in files (FlopsRule in core/planner/count/flops.h).
//   textOf(mfuRuleName("C")) == "causal"
#pragma once

#include "core/base/message.h"

#include <string>
#include <string_view>

namespace slipway {

/// Of an unknown letter the letter itself.
Message mfuRuleName(std::string_view rule);

}  // namespace slipway
