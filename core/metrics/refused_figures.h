// Contradictory figures of a run, and the reasons to omit them (core/spec/plausible.h).
//   for (const Message& why : refusedFigures(meta["measured"])) ...   // "step_seconds is negative"
#pragma once

#include "core/base/json.h"
#include "core/metrics/summarise.h"

#include <string>
#include <vector>

namespace slipway {

/// The figures of the document that figuresFromJson omits, each with its reason.
std::vector<Message> refusedFigures(const Json& json);

/// A memory peak beyond the device's memory (0: unknown) becomes refusedMemoryBytes.
void leaveOutBeyondDevice(RunFigures& figures, double deviceMemoryBytes);

/// Reasons why summarise() omitted figures whose inputs were present: an MFU above 100 %, a memory peak beyond the device.
std::vector<Message> refusedMeasurements(const RunFigures& figures);

}  // namespace slipway
