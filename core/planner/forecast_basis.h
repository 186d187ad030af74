// What kind of figures a forecast is made of: StepEstimate::label and ClusterSpec::calibration as texts.
#pragma once

#include "core/base/message.h"

#include <string_view>

namespace slipway {

/// "textbook", "calibrated" or "measured" as a word; other labels are names.
Message basisText(std::string_view label);
/// The same as a sentence, for tool tips; empty for other labels.
Message basisHelp(std::string_view label);

}  // namespace slipway
