#include "core/spec/stored_config.h"

#include "core/base/problem_lines.h"
#include "core/spec/idle_options.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace slipway {

Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where) {
    StoredConfig stored;
    Issues found;
    stored.config = stored.acting = runConfigFromJson(json, found);
    const auto leaveOut = [&](const Issue& issue) {
        stored.leftOut.push_back({Severity::Warning, issue.code, issue.field, issue.message + " It is left out."});
    };
    ProblemLines problems;
    for (const Issue& issue : found) {
        if (issue.code == "no_effect")
            leaveOut(issue);
        else
            problems.add(issue.message);
    }
    if (problems.count() > 0) return fail("bad_config", problems.text(), where);
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
