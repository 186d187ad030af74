// Configs of runs that are kept. Older versions took options that nothing reads with the other settings and that a new run is refused with
// ("no_effect"). They never acted, so a kept run is read and shown with them, and planned, cloned and resumed without.
//   auto stored = readStoredConfig(json, where);   plan = makePlan(stored->acting, cluster);
//   for (issue : stored->leftOut) say(issue.message);
#pragma once

#include "core/spec/run_config.h"

#include <string>

namespace slipway {

struct StoredConfig {
    RunConfig config;  ///< as it is kept
    RunConfig acting;  ///< without what never acted
    Issues leftOut;    ///< a warning "no_effect" for each such option
};

/// What parseRunConfig() reads, and options without effect. "bad_config" with all else that is wrong.
Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where);

}  // namespace slipway
