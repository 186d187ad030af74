#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts what a file can break ("[(" at the start of a line) and has the error for it right behind: the
// error is wanted, also in builds with assertions.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <sstream>

namespace slipway::interop {
namespace {

Json convert(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        Json object = Json::object();
        for (const auto& [key, value] : *table) object[std::string(key.str())] = convert(value);
        return object;
    }
    if (const auto* array = node.as_array()) {
        Json list = Json::array();
        for (const auto& item : *array) list.push_back(convert(item));
        return list;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* whole = node.as_integer()) return whole->get();
    if (const auto* real = node.as_floating_point()) return jsonNumber(real->get());
    if (const auto* truth = node.as_boolean()) return truth->get();
    std::ostringstream date;
    if (const auto* d = node.as_date()) date << d->get();
    if (const auto* t = node.as_time()) date << t->get();
    if (const auto* dt = node.as_date_time()) date << dt->get();
    return date.str();
}

std::string keyText(const std::string& key) {
    const bool bare =
        !key.empty() &&
        key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
    return bare ? key : dumpJson(Json(key), false);
}

void emit(const Json& table, const std::string& path, std::string& out) {
    std::string scalars;
    for (const auto& item : table.items())
        if (!item.value().is_object() && !item.value().is_null())
            scalars += keyText(item.key()) + " = " + dumpJson(item.value(), false) + "\n";
    if (!scalars.empty()) out += (path.empty() ? "" : (out.empty() ? "[" : "\n[") + path + "]\n") + scalars;
    for (const auto& item : table.items())
        if (item.value().is_object())
            emit(item.value(), path.empty() ? keyText(item.key()) : path + "." + keyText(item.key()), out);
}

}  // namespace

Result<Json> parseToml(const std::string& text, const std::string& where) {
    try {
        const toml::table table = toml::parse(text);
        return convert(table);
    } catch (const toml::parse_error& error) {
        const auto& at = error.source().begin;
        return fail("toml_syntax", "Not valid TOML: %1."_text(std::string(error.description())),
                    where + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
    }
}

std::string dumpToml(const Json& value) {
    std::string out;
    emit(value, "", out);
    return out;
}

}  // namespace slipway::interop
