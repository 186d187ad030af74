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

/// A memory peak beyond the device's memory (0: unknown) becomes refusedMemoryBytes.
void leaveOutBeyondDevice(RunFigures& figures, double deviceMemoryBytes);

/// Why summarise() left figures out though it had what they need: an MFU above 100 %, a memory peak beyond the device.
std::vector<Message> refusedMeasurements(const RunFigures& figures);

}  // namespace slipway
