// Files that agent, trainer and dashboard exchange in runs/<id>/agent/<node>/. Each is replaced atomically.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway {

/// error_00012.json: written by a failing rank before it exits. The earliest file of a run is the cause; a
/// communication failure never masks another.
struct RankError {
    std::int64_t rank = 0;
    std::string code;       ///< Error::code
    std::string message;
    std::string group;      ///< communication failures: "tp", "dp", ...
    std::string operation;  ///< "all_reduce", ...
    int exitCode = 0;
    std::int64_t timeUnixMilliseconds = 0;
};
Json toJson(const RankError& error);
Result<RankError> rankErrorFromJson(const Json& json, const std::string& where);

}  // namespace slipway
