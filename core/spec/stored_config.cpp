#include "core/spec/stored_config.h"

#include "core/spec/idle_options.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace slipway {

Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where) {
    StoredConfig stored;
    Issues found;
    stored.config = stored.acting = runConfigFromJson(json, found);
    const auto leaveOut = [&](const Issue& issue) {
        stored.leftOut.push_back(
            issueOf(Severity::Warning, issue.code, issue.field, "%1 It is left out."_text(issue.sentence())));
    };
    Issues problems;
    for (const Issue& issue : found) {
        if (issue.code == "no_effect")
            leaveOut(issue);
        else
            problems.push_back(issue);
    }
    if (!problems.empty()) return fail("bad_config", problems, where);
    if (!stored.leftOut.empty()) {
        Issues none;
        stored.acting = runConfigFromJson(toJson(stored.config), none);  // fields that do not apply are not written
    }
    for (const Issue& issue : idleOptions(stored.acting))
        if (issue.severity == Severity::Error || isPutBack(issue)) leaveOut(issue);
    stored.acting = withoutIdleOptions(std::move(stored.acting));
    // A rewind without a checkpoint was a skip.
    SpikeSpec& spikes = stored.acting.train.spikes;
    if (spikes.policy == SpikePolicy::RewindAndSkip && stored.acting.checkpoint.everySteps == 0)
        spikes.policy = SpikePolicy::Skip;
    return stored;
}

}  // namespace slipway
