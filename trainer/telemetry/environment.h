// environment.json: what this run ran on, so that two runs can be compared honestly.
#pragma once

#include "core/base/json.h"
#include "core/spec/run_config.h"

namespace slipway::trainer {

/// Versions and commit, libraries and compiler, host and CPU, threads, and every environment variable that changes
/// speed.
Json describeEnvironment(const RunConfig& config, const std::string& backend);

}  // namespace slipway::trainer
