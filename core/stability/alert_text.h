// The texts of alerts. A run's alerts.jsonl keeps them in English; here they are read back, for people of another language.
//   alertMessage("The loss is not finite at step 7.")   // kAlertNotFinite with the argument 7
#pragma once

#include "core/base/message.h"

#include <string_view>

namespace slipway {

inline constexpr SourceText kAlertNotFinite = "The loss is not finite at step %1."_text;
inline constexpr SourceText kAlertSpike = "Loss %1 at step %2 exceeds %3, the limit from the steps before."_text;
inline constexpr SourceText kAlertThroughput =
    "Throughput has dropped by %1 at step %2: the median of %3 steps, against that of the %4 before."_text;
inline constexpr SourceText kAlertStraggler = "Rank %1 works %2 longer than the median of its pipeline stage."_text;
inline constexpr SourceText kAlertDisk = "The disk of the run folder has %1 free, %2 of it."_text;
inline constexpr SourceText kAlertEnd = "Attempt %1: %2."_text;
inline constexpr SourceText kAlertEndWithReason = "Attempt %1: %2. %3"_text;

/// The message that an alert's English text was made from; the text as it is where it is none of them.
Message alertMessage(std::string_view english);

}  // namespace slipway
