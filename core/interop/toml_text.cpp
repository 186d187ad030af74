#include "core/base/json_members.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts a condition that a file can violate ("[(" at the start of a line), with the error for it right
// after: the error is needed, also in builds with assertions.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace slipway::interop {
namespace {

Json convert(const toml::node& node) {
    if (const auto* table = node.as_table()) {
        Json object = Json::object();
        for (const auto& [key, value] : *table) appendMember(object, std::string(key.str()), convert(value));
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

constexpr std::size_t kMaxDepth = 64;

/// The line of the first value that headers, dotted keys, arrays and inline tables nest deeper than kMaxDepth; 0: none.
/// Detected before toml++ builds its tables, whose destructors would exhaust the stack. toml++ itself refuses invalid
/// TOML.
std::size_t lineTooDeep(std::string_view text) {
    struct Bracket {
        bool isTable;
        std::size_t depth;  ///< outside it
    };
    std::vector<Bracket> open;
    std::size_t line = 1, header = 0, depth = 0;
    bool inKey = true, inHeader = false, isStart = true;  // isStart: at the start of a statement
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\r') continue;
        if (c == '\n') {
            ++line;
            if (!open.empty()) continue;
            if (inHeader) header = depth;
            depth = header;
            inKey = isStart = true;
            inHeader = false;
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size()) - 1;
            continue;
        }
        if (c == '"' || c == '\'') {
            const std::string_view quotes = text.substr(i, 3);
            const bool isLong = quotes == "\"\"\"" || quotes == "\'\'\'";
            for (i += isLong ? 3 : 1; i < text.size(); ++i) {
                if (text[i] == '\n') {
                    if (!isLong) break;
                    ++line;
                }
                if (c == '"' && text[i] == '\\') {
                    line += i + 1 < text.size() && text[i + 1] == '\n';
                    ++i;
                } else if (isLong ? text.substr(i, 3) == quotes : text[i] == c) {
                    break;
                }
            }
            if (isLong)
                i += 2;
            else if (i < text.size() && text[i] == '\n')
                --i;
        } else if (c == '[' && (isStart || inHeader) && open.empty()) {
            inHeader = true;
            depth = 1;
        } else if (c == '[' || c == '{') {
            open.push_back({c == '{', depth++});
            inKey = c == '{';
        } else if ((c == ']' || c == '}') && !open.empty()) {
            depth = open.back().depth;
            open.pop_back();
            inKey = false;
        } else if (c == ',' && !open.empty()) {
            depth = open.back().depth + 1;
            inKey = open.back().isTable;
        } else if (c == '.' && inKey) {
            ++depth;
        } else if (c == '=') {
            inKey = false;
        }
        isStart = false;
        if (depth > kMaxDepth) return line;
    }
    return 0;
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
    if (const std::size_t line = lineTooDeep(text); line > 0)
        return fail("toml_syntax", "The TOML is nested deeper than 64 levels."_text,
                    where + ":" + std::to_string(line));
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
