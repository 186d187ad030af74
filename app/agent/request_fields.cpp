#include "app/agent/request_fields.h"

#include <nlohmann/json.hpp>

namespace slipway {

std::string textOf(const Json& request, const char* key) {
    return request.contains(key) && request[key].is_string() ? request[key].get<std::string>() : std::string();
}

std::int64_t numberOf(const Json& request, const char* key, std::int64_t otherwise) {
    return request.contains(key) && request[key].is_number_integer() ? request[key].get<std::int64_t>() : otherwise;
}

std::string lastWords(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    constexpr std::size_t kMost = 2000;
    return text.size() > kMost ? text.substr(text.size() - kMost) : text;
}

}  // namespace slipway
