#include "core/interop/stated_fields.h"

#include "core/interop/key_reader.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace slipway::interop {
namespace {

/// Two legal values of each field; the one not in the base is used for the other base. Degrees are excluded: a layout
/// that does not fit the ranks would be refused, and a missing degree is 1.
constexpr std::array<std::pair<const char*, std::array<std::int64_t, 2>>, 10> kOther = {{
    {"model.num_layers", {4, 6}},
    {"model.hidden_size", {256, 512}},
    {"model.ffn_hidden_size", {704, 1024}},
    {"model.num_heads", {4, 8}},
    {"model.vocab_size", {2048, 4096}},
    {"train.seq_len", {256, 128}},
    {"train.global_batch_size", {16, 32}},
    {"train.micro_batch_size", {2, 4}},
    {"train.num_steps", {100, 200}},
    {"checkpoint.every_steps", {0, 50}},
}};

}  // namespace

const std::vector<std::string>& essentialFields() {
    static const std::vector<std::string> fields = [] {
        std::vector<std::string> all;
        for (const auto& [path, values] : kOther) all.emplace_back(path);
        return all;
    }();
    return fields;
}

Result<std::set<std::string>> statedFields(std::string_view format, const std::string& text, const std::string& where,
                                           const RunConfig& base) {
    const Json ours = slipway::toJson(base);
    Json others = ours;
    for (const auto& [path, values] : kOther) {
        const Json* value = peek(ours, path);
        put(others, path, value != nullptr && *value == values[0] ? values[1] : values[0]);
    }
    const auto other = parseRunConfig(others, "the other base");
    if (!other) return fail(other.error());
    const auto first = importConfig(format, text, where, base);
    if (!first) return fail(first.error());
    const auto second = importConfig(format, text, where, *other);
    if (!second) return fail(second.error());
    const Json a = slipway::toJson(first->config), b = slipway::toJson(second->config);
    std::set<std::string> stated;
    for (const auto& [path, values] : kOther) {
        const Json *left = peek(a, path), *right = peek(b, path);
        if (left != nullptr && right != nullptr && *left == *right) stated.insert(path);
    }
    return stated;
}

}  // namespace slipway::interop
