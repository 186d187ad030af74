// Configs of runs that are kept. Older versions took options that nothing reads with the other settings and that a new run is refused with
// ("no_effect"). They never acted, so a kept run is read and shown with them, and planned, cloned and resumed without.
// A run of another program may record little of its config: its config.json has the key "partial" and only fields that its source gives.
//   auto stored = readStoredConfig(json, where);   plan = makePlan(stored->acting, cluster);
//   for (issue : stored->leftOut) report(issue.message);
#pragma once

#include "core/spec/run_config.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct StoredConfig {
    RunConfig config;  ///< as it is kept
    RunConfig acting;  ///< without what never acted
    Issues leftOut;    ///< a warning "no_effect" for each such option
    /// Dotted paths of the fields that a partial document gives; nothing: all are known, absent ones have their defaults.
    std::optional<std::set<std::string, std::less<>>> given{};

    [[nodiscard]] bool isPartial() const { return given.has_value(); }
    [[nodiscard]] bool knows(std::string_view path) const { return !given || given->contains(path); }
    /// The document to keep: the config in full, or what is given with the mark "partial".
    [[nodiscard]] Json document() const;
};

/// A config of which its source gives only these fields or sections ("parallel.dp", "model").
StoredConfig partialConfig(const RunConfig& config, const std::vector<std::string>& given);

/// What parseRunConfig() reads, and options without effect. "bad_config" with all else that is wrong.
Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where);

}  // namespace slipway
