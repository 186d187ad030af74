// Basis of a forecast's figures: StepEstimate::label and ClusterSpec::calibration as texts.
#pragma once

#include "core/base/message.h"
#include "core/spec/cluster_spec.h"

#include <string>
#include <string_view>

namespace slipway {

/// "textbook", "typical", "calibrated", "fitted" here, "extrapolated" or "measured" as a word; other labels are names.
Message basisText(std::string_view label);
/// The same with the software whose stack the forecast uses: "Megatron-Core, calibrated", "Megatron-Core,
/// extrapolated", "typical software"; a textbook one has none.
Message basisText(std::string_view label, std::string_view software);
/// The name of the cluster's stack; empty: none, so textbook efficiencies.
std::string softwareOf(const ClusterSpec& cluster);
/// True where the interval around a figure comes from the errors of measured runs and contains 80 % of them; the ends
/// of a textbook figure are a range without a probability (it contained about a third of measured layouts).
bool hasProbability(std::string_view label);
/// Name of the interval: "80 % interval" or "range".
Message intervalName(std::string_view label);
/// basisText() as a sentence, for tool tips; empty for other labels.
Message basisHelp(std::string_view label);

}  // namespace slipway
