// `slipway-trainer` train: from the command line to an exit code.
#pragma once

#include "trainer/loop/options.h"

namespace slipway::trainer {

/// Runs this process's rank, or all ranks as threads with Backend::InProcess. Problems go to standard error and to
/// agent/<node>/error_NNNNN.json; the return value is the exit code of architecture.md 4.4. After a communication failure the
/// process ends here, without running destructors that could wait for a dead peer.
int train(const TrainOptions& options);

}  // namespace slipway::trainer
