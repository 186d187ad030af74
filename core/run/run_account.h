// The account of a run's step (step_account.h) from the index.
//   auto account = readAccount(store, id);
#pragma once

#include "core/metrics/step_difference.h"
#include "core/store/run_store.h"

namespace slipway {

/// Errors of the store, and of an unreadable config.
Result<AccountedRun> readAccount(RunStore& store, const RunId& id);

}  // namespace slipway
