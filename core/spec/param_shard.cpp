#include "core/spec/param_shard.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace slipway {
namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Result<Axis> axisFrom(const Json& json, const std::string& where) {
    if (json.is_string())
        for (const auto& name : enumNames(Axis{}))
            if (json.get_ref<const std::string&>() == name.word) return name.value;
    return fail("bad_param_shard", "Not an axis name."_text, where);
}

}  // namespace

std::vector<std::int64_t> ParamShard::localShape() const {
    std::vector<std::int64_t> shape = globalShape;
    for (const ShardSlice& slice : slices) shape.at(static_cast<std::size_t>(slice.dim)) = slice.length;
    return shape;
}

std::int64_t ParamShard::localElements() const {
    return product(localShape());
}

std::int64_t ParamShard::globalElements() const {
    return product(globalShape);
}

Json toJson(const ParamShard& shard) {
    Json slices = Json::array();
    for (const ShardSlice& s : shard.slices)
        slices.push_back(
            Json{{"axis", std::string(wordOf(s.axis))}, {"dim", s.dim}, {"offset", s.offset}, {"length", s.length}});
    Json replicated = Json::array();
    for (const Axis axis : shard.replicatedAxes) replicated.push_back(std::string(wordOf(axis)));
    Json out{{"name", shard.name},
             {"global_shape", shard.globalShape},
             {"dtype", shard.dtype},
             {"slices", slices},
             {"replicated_axes", replicated}};
    if (shard.flatOffset) out["flat_offset"] = *shard.flatOffset;
    if (shard.flatLength) out["flat_length"] = *shard.flatLength;
    return out;
}

Result<ParamShard> paramShardFromJson(const Json& json, const std::string& where) {
    try {
        ParamShard shard;
        shard.name = json.at("name").get<std::string>();
        for (const Json& n : json.at("global_shape")) {
            if (!n.is_number_integer() || n.get<std::int64_t>() < 0)
                return fail("bad_param_shard", "global_shape of %1 must be a list of sizes."_text(shard.name), where);
            shard.globalShape.push_back(n.get<std::int64_t>());
        }
        shard.dtype = json.at("dtype").get<std::string>();
        for (const Json& s : json.at("slices")) {
            const auto axis = axisFrom(s.at("axis"), where);
            if (!axis) return fail(axis.error());
            ShardSlice slice{*axis, s.at("dim").get<std::int64_t>(), s.at("offset").get<std::int64_t>(),
                             s.at("length").get<std::int64_t>()};
            const bool inside = slice.dim >= 0 && slice.dim < static_cast<std::int64_t>(shard.globalShape.size()) &&
                                slice.offset >= 0 && slice.length >= 0;
            if (!inside) return fail("bad_param_shard", "A slice of %1 is outside its shape."_text(shard.name), where);
            shard.slices.push_back(slice);
        }
        for (const Json& a : json.at("replicated_axes")) {
            const auto axis = axisFrom(a, where);
            if (!axis) return fail(axis.error());
            shard.replicatedAxes.push_back(*axis);
        }
        if (json.contains("flat_offset")) shard.flatOffset = json["flat_offset"].get<std::int64_t>();
        if (json.contains("flat_length")) shard.flatLength = json["flat_length"].get<std::int64_t>();
        return shard;
    } catch (const nlohmann::json::exception& error) {
        return fail("bad_param_shard", "Not a parameter shard: %1"_text(error.what()), where);
    }
}

}  // namespace slipway
