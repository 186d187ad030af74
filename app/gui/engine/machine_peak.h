// The peak of this computer for all its readers: measured once.
#pragma once

#include "core/run/machine.h"

namespace slipway::gui {

/// The stored profile, else a new measurement, which takes seconds to a minute; a second caller waits for the first one's. For threads
/// of the pool, which lend their place meanwhile. Errors as measureMachine().
Result<MachineProfile> measuredPeak(const Home& home, const Programs& programs);

}  // namespace slipway::gui
