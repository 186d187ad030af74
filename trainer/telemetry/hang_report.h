// What a rank that hangs, or whose peers are gone, leaves for people: its last collectives and the stacks of its
// threads.
#pragma once

#include "trainer/comm/comm_activity.h"

#include <string>

namespace slipway::trainer {

/// Calls on the stack of every other thread of this process, the innermost first, as "library(function+offset)". A
/// thread that does not answer within a fifth of a second is named so. Uses the signal SIGRTMIN + 3; one caller at a
/// time.
std::string threadStacks();

/// The collectives that completed last, the one this rank waits in, and threadStacks().
std::string hangReport(std::int64_t rank, const CommActivity& activity);

}  // namespace slipway::trainer
