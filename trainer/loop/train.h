// `slipway-trainer` train: from the command line to an exit code.
#pragma once

#include "core/spec/agent_files.h"
#include "trainer/loop/options.h"

#include <cstdint>
#include <exception>

namespace slipway::trainer {

/// Runs this process's rank, or all ranks as threads with Backend::InProcess. Problems go to standard error and to
/// agent/<node>/error_NNNNN.json; the return value is the exit code of ARCHITECTURE.md (Contracts). After a communication
/// failure the process ends here, without running destructors that could wait for a dead peer.
int train(const TrainOptions& options);

/// An exception as the error of a rank, with its exit code: out of memory, a failed collective, a kernel that did not
/// start.
RankError rankErrorOf(const std::exception& caught, std::int64_t rank);

}  // namespace slipway::trainer
