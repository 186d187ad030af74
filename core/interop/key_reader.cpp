#include "core/interop/key_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace slipway::interop {
namespace {

std::optional<double> numberOf(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return {};
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return number;
}

/// The value as JSON, truncated between two UTF-8 characters.
std::string shortText(const Json& value, std::size_t most = 200) {
    std::string text = dumpJson(value, false);
    if (text.size() <= most) return text;
    std::size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

}  // namespace

const Json* peek(const Json& document, std::string_view path) {
    const Json* node = &document;
    while (!path.empty()) {
        // Keys may contain dots themselves (OLMo-core has none, but people write anything): the complete rest wins.
        if (!node->is_object()) return nullptr;
        if (const auto whole = node->find(std::string(path)); whole != node->end()) return &*whole;
        const std::size_t dot = path.find('.');
        if (dot == std::string_view::npos) return nullptr;
        const auto next = node->find(std::string(path.substr(0, dot)));
        if (next == node->end()) return nullptr;
        node = &*next;
        path.remove_prefix(dot + 1);
    }
    return node;
}

std::int64_t whole(const Json& document, std::string_view path, std::int64_t otherwise) {
    const Json* v = peek(document, path);
    return v != nullptr && v->is_number_integer() ? std::clamp<std::int64_t>(v->get<std::int64_t>(), 0, 100000000)
                                                  : otherwise;
}

void put(Json& document, std::string_view path, Json value) {
    Json* node = &document;
    while (true) {
        const std::size_t dot = path.find('.');
        Json& next = (*node)[std::string(path.substr(0, dot))];
        if (dot == std::string_view::npos) {
            next = std::move(value);
            return;
        }
        if (!next.is_object()) next = Json::object();
        node = &next;
        path.remove_prefix(dot + 1);
    }
}

const Json* KeyReader::at(std::string_view key) const {
    return peek(m_document, key);
}

const Json* KeyReader::find(std::initializer_list<std::string_view> keys) {
    const Json* found = nullptr;
    for (const std::string_view key : keys) {
        const Json* value = at(key);
        if (value == nullptr) continue;
        m_used.emplace(key);
        if (found == nullptr && !value->is_null()) found = value;
    }
    return found;
}

std::optional<std::int64_t> KeyReader::integer(std::initializer_list<std::string_view> keys) {
    const Json* value = find(keys);
    if (value == nullptr) return {};
    if (value->is_number_integer() && !value->is_number_unsigned()) return value->get<std::int64_t>();
    const auto number = numberOf(*value);
    if (number && *number == std::floor(*number) && std::fabs(*number) <= kLargestExact)
        return static_cast<std::int64_t>(*number);
    problem("%1 must be a whole number, not %2."_text(*keys.begin(), shortText(*value, 60)));
    return {};
}

std::optional<double> KeyReader::real(std::initializer_list<std::string_view> keys) {
    const Json* value = find(keys);
    if (value == nullptr) return {};
    const auto number = numberOf(*value);
    if (number && std::isfinite(*number)) return number;
    problem("%1 must be a number, not %2."_text(*keys.begin(), shortText(*value, 60)));
    return {};
}

std::optional<bool> KeyReader::flag(std::initializer_list<std::string_view> keys) {
    const Json* value = find(keys);
    if (value == nullptr) return {};
    if (value->is_boolean()) return value->get<bool>();
    if (value->is_string()) {
        std::string word = value->get<std::string>();
        for (char& c : word)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (word == "true" || word == "yes" || word == "1") return true;
        if (word == "false" || word == "no" || word == "0") return false;
    }
    if (value->is_number() && (*value == 0 || *value == 1)) return *value == 1;
    problem("%1 must be true or false, not %2."_text(*keys.begin(), shortText(*value, 60)));
    return {};
}

std::optional<std::string> KeyReader::text(std::initializer_list<std::string_view> keys) {
    const Json* value = find(keys);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    if (value->is_number() || value->is_boolean()) return dumpJson(*value, false);
    problem("%1 must be text, not %2."_text(*keys.begin(), shortText(*value, 60)));
    return {};
}

std::string KeyReader::valueText(std::string_view key) const {
    const Json* value = at(key);
    return value == nullptr ? "null" : dumpJson(*value, false);
}

void KeyReader::approximated(std::string key, const Message& message) {
    std::string value = valueText(key);
    remarks.push_back({RemarkKind::Approximated, std::move(key), std::move(value), message});
}

void KeyReader::noCounterpart(std::string key, const Message& message) {
    std::string value = valueText(key);
    m_used.insert(key);
    remarks.push_back({RemarkKind::NoCounterpart, std::move(key), std::move(value), message});
}

void KeyReader::leaves(const Json& node, const std::string& prefix, const std::vector<std::string_view>& known) {
    for (const auto& item : node.items()) {
        const std::string key = prefix.empty() ? item.key() : prefix + "." + item.key();
        if (m_used.contains(key)) continue;
        bool isKnown = false;
        for (const std::string_view name : known)
            if (name.ends_with('*') ? key.starts_with(name.substr(0, name.size() - 1)) : key == name) isKnown = true;
        // For a key known as a whole and read in part, only the rest is reported.
        const auto below = m_used.lower_bound(key + ".");
        const bool isReadInPart = below != m_used.end() && below->starts_with(key + ".");
        if ((!isKnown || isReadInPart) && item.value().is_object() && !item.value().empty()) {
            leaves(item.value(), key, known);
            continue;
        }
        const std::string value = shortText(item.value());
        remarks.push_back({isKnown ? RemarkKind::NoCounterpart : RemarkKind::Unknown, key, value,
                           isKnown ? "Known key without a field in Slipway."_text : "Unknown key, skipped."_text});
    }
}

void KeyReader::finish(const std::vector<std::string_view>& known) {
    leaves(m_document, "", known);
}

}  // namespace slipway::interop
