// Report of a rank that hangs, or has lost its peers: its last collectives and the stacks of its
// threads.
#pragma once

#include "trainer/comm/comm_activity.h"

#include <string>

namespace slipway::trainer {

/// Calls on the stack of every other thread of this process, the innermost first, as "library(function+offset)". A
/// thread that does not answer within a fifth of a second is marked as such. Uses the signal SIGRTMIN + 3; one caller
/// at a time.
std::string threadStacks();

/// The last completed collectives, the one this rank waits in, and threadStacks().
std::string hangReport(std::int64_t rank, const CommActivity& activity);

}  // namespace slipway::trainer
