// Members of JSON objects that keep their order, which nlohmann/json finds and adds in time linear in the object's size.
#pragma once

#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace slipway {

/// Adds a member under a new key, without searching the others. @return the member's value
inline Json& appendMember(Json& object, std::string key, Json value) {
    auto& members = object.get_ref<Json::object_t&>();
    members.emplace_back(std::move(key), std::move(value));
    return members.back().second;
}

}  // namespace slipway
