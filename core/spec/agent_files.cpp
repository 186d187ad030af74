#include "core/spec/agent_files.h"

#include <nlohmann/json.hpp>

namespace slipway {

Json toJson(const RankError& e) {
    return Json{{"rank", e.rank}, {"code", e.code}, {"message", e.message}, {"group", e.group}, {"operation", e.operation}, {"exit_code", e.exitCode}, {"time_unix_ms", e.timeUnixMilliseconds}};
}

Result<RankError> rankErrorFromJson(const Json& json, const std::string& where) {
    try {
        return RankError{json.at("rank").get<std::int64_t>(), json.at("code").get<std::string>(), json.at("message").get<std::string>(), json.value("group", ""),
                         json.value("operation", ""), json.value("exit_code", 0), json.value("time_unix_ms", std::int64_t{0})};
    } catch (const nlohmann::json::exception& error) {
        return fail("bad_agent_file", std::string("This is not a rank's error file: ") + error.what(), where);
    }
}

}  // namespace slipway
