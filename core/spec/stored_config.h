// Configs of stored runs. Older versions accepted options without effect under the other settings, which a new run may not have
// ("no_effect"). They never had an effect, so a stored run is read and shown with them, and planned, cloned and resumed without. A run of
// another program may record only part of its config: its config.json has the key "partial" and only the source's fields.
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
    RunConfig config;  ///< as stored
    RunConfig acting;  ///< without options that never had an effect
    Issues leftOut;    ///< a warning "no_effect" for each such option
    /// Dotted paths of the fields in a partial document; absent: all are known, missing ones have their defaults.
    std::optional<std::set<std::string, std::less<>>> given{};

    [[nodiscard]] bool isPartial() const { return given.has_value(); }
    [[nodiscard]] bool knows(std::string_view path) const { return !given || given->contains(path); }
    /// The document to store: the config in full, or the given fields with the mark "partial".
    [[nodiscard]] Json document() const;
};

/// A config whose source has only these fields or sections ("parallel.dp", "model").
StoredConfig partialConfig(const RunConfig& config, const std::vector<std::string>& given);

/// Reads the same as parseRunConfig(), and options without effect. "bad_config" with all other problems.
Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where);

}  // namespace slipway
