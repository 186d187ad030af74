// The peak of this computer, measured once for all readers.
#pragma once

#include "core/run/machine.h"

namespace slipway::gui {

/// The stored profile, else a new measurement, which takes seconds to a minute; a second caller waits for the first
/// one's. For pool threads, which release their slot meanwhile. Errors as in measureMachine().
Result<MachineProfile> measuredPeak(const Home& home, const Programs& programs);

}  // namespace slipway::gui
