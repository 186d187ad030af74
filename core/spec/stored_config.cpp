#include "core/spec/stored_config.h"

#include "core/spec/idle_options.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace slipway {

namespace {

constexpr const char* kPartial = "partial";

Json::json_pointer pointerOf(std::string_view path) {
    std::string text = "/" + std::string(path);
    std::replace(text.begin(), text.end(), '.', '/');
    return Json::json_pointer(text);
}

/// Paths of the config's leaves in the document.
std::set<std::string, std::less<>> leavesIn(const Json& document) {
    std::set<std::string, std::less<>> out;
    for (const auto& [path, value] : document.items()) {
        if (path == "schema" || path == "name" || path == kPartial) continue;
        if (!value.is_object()) {
            out.insert(path);
            continue;
        }
        for (const std::string& inner : leavesIn(value)) out.insert(path + "." + inner);
    }
    return out;
}

}  // namespace

Json StoredConfig::document() const {
    const Json all = toJson(config);
    if (!given) return all;
    Json out{{"schema", all.at("schema")}, {"name", config.name}, {kPartial, true}};
    for (const std::string& path : *given)
        if (const auto at = pointerOf(path); all.contains(at)) out[at] = all[at];
    return out;
}

StoredConfig partialConfig(const RunConfig& config, const std::vector<std::string>& given) {
    StoredConfig out;
    out.config = out.acting = config;
    out.given.emplace();
    for (const std::string& path : leavesIn(toJson(config)))
        for (const std::string& one : given)
            if (path == one || path.starts_with(one + ".")) out.given->insert(path);
    return out;
}

Result<StoredConfig> readStoredConfig(const Json& json, const std::string& where) {
    if (const auto mark = json.is_object() ? json.find(kPartial) : json.end(); mark != json.end() && *mark == true) {
        Json given = json;
        given.erase(kPartial);
        auto stored = readStoredConfig(given, where);
        if (stored) stored->given = leavesIn(given);
        return stored;
    }
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
        stored.acting = runConfigFromJson(toJson(stored.config), none);  // inapplicable fields are not written
    }
    for (const Issue& issue : idleOptions(stored.acting))
        if (issue.severity == Severity::Error || isPutBack(issue)) leaveOut(issue);
    stored.acting = withoutIdleOptions(std::move(stored.acting));
    // A rewind without a checkpoint used to be a skip.
    SpikeSpec& spikes = stored.acting.train.spikes;
    if (spikes.policy == SpikePolicy::RewindAndSkip && stored.acting.checkpoint.everySteps == 0)
        spikes.policy = SpikePolicy::Skip;
    return stored;
}

}  // namespace slipway
