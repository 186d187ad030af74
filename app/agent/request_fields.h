// Fields of a request to the agent, and the words of a program for an answer.
#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>

namespace slipway {

/// Fields of a request; missing fields and fields of another type have the value `otherwise`.
std::string textOf(const Json& request, const char* key);
std::int64_t numberOf(const Json& request, const char* key, std::int64_t otherwise = 0);
/// Without the end of its line; at most the last 2,000 bytes.
std::string lastWords(std::string text);

}  // namespace slipway
