// Figures of a run that contradict themselves, and why they are left out (core/spec/plausible.h).
//   for (const Message& why : refusedFigures(meta["measured"])) ...   // "step_seconds is negative"
#pragma once

#include "core/base/json.h"
#include "core/metrics/summarise.h"

#include <string>
#include <vector>

namespace slipway {

/// The figures that figuresFromJson leaves out of the document, each with its reason.
std::vector<Message> refusedFigures(const Json& json);

/// Why summarise() gave no MFU though it had throughput, FLOPs and peak: it would be above 100 %. Empty otherwise.
Message refusedMfu(const RunFigures& figures);

}  // namespace slipway
