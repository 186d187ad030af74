// The peak of this computer for whoever needs it: measured once, however many ask.
#pragma once

#include "core/run/machine.h"

namespace slipway::gui {

/// The stored profile, else a new measurement, which takes seconds to a minute; a second caller waits for the first one's. For threads
/// of the pool, which lend their place meanwhile. Errors as measureMachine().
Result<MachineProfile> measuredPeak(const Home& home, const Programs& programs);

}  // namespace slipway::gui
