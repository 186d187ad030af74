// environment.json: the environment of this run, for fair comparison of runs.
#pragma once

#include "core/base/json.h"
#include "core/spec/run_config.h"

namespace slipway::trainer {

/// Versions and commit, libraries and compiler, host and CPU, threads, and every environment variable that affects
/// speed.
Json describeEnvironment(const RunConfig& config, const std::string& backend);

}  // namespace slipway::trainer
