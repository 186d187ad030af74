#include "core/spec/agent_files.h"

#include "core/base/json_fields.h"

namespace slipway {
namespace {

template <class T>
Result<T> parse(std::string_view text, const std::string& where) {
    const auto json = parseJson(text, where);
    if (!json) return fail(json.error());
    Issues issues;
    T value = fields::fromJson<T>(*json, issues);
    for (const Issue& issue : issues)
        if (issue.code != "unknown_key") return fail("bad_agent_file", issue.sentence(), where);
    return value;
}

}  // namespace

Json toJson(const RankError& e) {
    return Json{{"rank", e.rank},
                {"code", e.code},
                {"message", e.message},
                {"group", e.group},
                {"operation", e.operation},
                {"exit_code", e.exitCode},
                {"time_unix_ms", e.timeUnixMilliseconds}};
}

Result<RankError> rankErrorFromJson(const Json& json, const std::string& where) {
    try {
        return RankError{json.at("rank").get<std::int64_t>(),
                         json.at("code").get<std::string>(),
                         json.at("message").get<std::string>(),
                         json.value("group", ""),
                         json.value("operation", ""),
                         json.value("exit_code", 0),
                         json.value("time_unix_ms", std::int64_t{0})};
    } catch (const nlohmann::json::exception& error) {
        return fail("bad_agent_file", "Not a rank's error file: %1"_text(error.what()), where);
    }
}

Json toJson(const LaunchPlan& plan) {
    return fields::toJson(plan);
}

Json toJson(const AgentId& id) {
    return fields::toJson(id);
}

Json toJson(const AgentHeartbeat& heartbeat) {
    return fields::toJson(heartbeat);
}

Json toJson(const AgentExit& exit) {
    return fields::toJson(exit);
}

Result<LaunchPlan> parseLaunchPlan(std::string_view text, const std::string& where) {
    return parse<LaunchPlan>(text, where);
}

Result<AgentId> parseAgentId(std::string_view text, const std::string& where) {
    return parse<AgentId>(text, where);
}

Result<AgentHeartbeat> parseAgentHeartbeat(std::string_view text, const std::string& where) {
    return parse<AgentHeartbeat>(text, where);
}

Result<AgentExit> parseAgentExit(std::string_view text, const std::string& where) {
    return parse<AgentExit>(text, where);
}

Result<RankError> parseRankError(std::string_view text, const std::string& where) {
    const auto json = parseJson(text, where);
    return json ? rankErrorFromJson(*json, where) : Result<RankError>(fail(json.error()));
}

}  // namespace slipway
