#include "core/playbook/object_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

/// English and Korean of a value; empty where it has neither.
std::optional<LocalText> bothLanguages(const Json& value) {
    if (!value.is_object() || value.size() != 2 || !value.contains("en") || !value.contains("ko")) return {};
    if (!value["en"].is_string() || !value["ko"].is_string()) return {};
    LocalText text{value["en"].get<std::string>(), value["ko"].get<std::string>()};
    if (text.english.empty() || text.korean.empty()) return {};
    return text;
}

}  // namespace

ObjectReader::ObjectReader(const Json& json, std::string place, Problems& problems)
    : m_json(json), m_place(std::move(place)), m_problems(problems) {
    if (!m_json.is_object()) problem("must be an object { ... }."_text);
}

void ObjectReader::problem(const Message& message, const char* key) {
    m_problems.push_back("%1: %2"_text(key == nullptr ? m_place : m_place + "/" + key, message));
}

bool ObjectReader::has(const char* key) const {
    return m_json.is_object() && m_json.contains(key);
}

const Json* ObjectReader::member(const char* key, bool isRequired) {
    m_known.emplace_back(key);
    if (has(key)) return &m_json[key];
    if (isRequired && m_json.is_object()) problem("is missing."_text, key);
    return nullptr;
}

std::string ObjectReader::text(const char* key) {
    const Json* value = member(key, true);
    if (value == nullptr) return {};
    if (value->is_string() && !value->get<std::string>().empty()) return value->get<std::string>();
    problem("must be a text."_text, key);
    return {};
}

std::string ObjectReader::textOr(const char* key, std::string fallback) {
    if (has(key)) return text(key);
    m_known.emplace_back(key);
    return fallback;
}

double ObjectReader::number(const char* key) {
    const Json* value = member(key, true);
    if (value == nullptr) return 0;
    const auto read = numberFromJson(*value, key);
    if (!read) problem("must be a number."_text, key);
    return read.value_or(0);
}

double ObjectReader::numberOr(const char* key, double fallback) {
    if (has(key)) return number(key);
    m_known.emplace_back(key);
    return fallback;
}

bool ObjectReader::flagOr(const char* key, bool fallback) {
    const Json* value = member(key, false);
    if (value == nullptr) return fallback;
    if (value->is_boolean()) return value->get<bool>();
    problem("must be true or false."_text, key);
    return fallback;
}

LocalText ObjectReader::localText(const char* key) {
    const Json* value = member(key, true);
    if (value == nullptr) return {};
    if (auto text = bothLanguages(*value)) return *text;
    problem("must be a text in two languages: {\"en\": ..., \"ko\": ...}."_text, key);
    return {};
}

LocalText ObjectReader::localTextOr(const char* key) {
    if (has(key)) return localText(key);
    m_known.emplace_back(key);
    return {};
}

LocalText ObjectReader::wordOf(const char* key) {
    if (!has(key) || !m_json[key].is_string()) return localText(key);
    m_known.emplace_back(key);
    const std::string word = m_json[key].get<std::string>();
    return {word, word};
}

std::vector<std::string> ObjectReader::texts(const char* key, bool isRequired) {
    const Json* value = member(key, isRequired);
    std::vector<std::string> all;
    if (value == nullptr) return all;
    const bool right =
        value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& one) { return one.is_string(); });
    if (!right)
        problem("must be a list of texts."_text, key);
    else
        all = value->get<std::vector<std::string>>();
    return all;
}

std::vector<LocalText> ObjectReader::localTexts(const char* key) {
    const Json* value = member(key, true);
    std::vector<LocalText> all;
    if (value == nullptr) return all;
    if (!value->is_array()) {
        problem("must be a list of texts."_text, key);
        return all;
    }
    for (std::size_t i = 0; i < value->size(); ++i) {
        // Each as a separate member, read like any other.
        const Json holder{{"text", (*value)[i]}};
        ObjectReader one(holder, m_place + "/" + key + "/" + std::to_string(i), m_problems);
        all.push_back(one.wordOf("text"));
    }
    return all;
}

std::string ObjectReader::any(const char* key) {
    const Json* value = member(key, true);
    return value == nullptr ? "null" : dumpJson(*value, false);
}

std::string ObjectReader::anyOr(const char* key, std::string fallback) {
    const Json* value = member(key, false);
    return value == nullptr ? std::move(fallback) : dumpJson(*value, false);
}

void ObjectReader::object(const char* key, bool isRequired, const std::function<void(ObjectReader&)>& read) {
    const Json* value = member(key, isRequired);
    if (value == nullptr) return;
    ObjectReader inner(*value, m_place + "/" + key, m_problems);
    read(inner);
    inner.finish();
}

void ObjectReader::list(const char* key, bool isRequired, const std::function<void(ObjectReader&)>& read) {
    const Json* value = member(key, isRequired);
    if (value == nullptr) return;
    if (!value->is_array()) return problem("must be a list [ ... ]."_text, key);
    for (std::size_t i = 0; i < value->size(); ++i) {
        ObjectReader inner((*value)[i], m_place + "/" + key + "/" + std::to_string(i), m_problems);
        read(inner);
        inner.finish();
    }
}

void ObjectReader::finish() {
    if (!m_json.is_object()) return;
    for (const auto& item : m_json.items())
        if (std::find(m_known.begin(), m_known.end(), item.key()) == m_known.end())
            problem("unknown key%1"_text(didYouMean(nearestKey(item.key(), m_known))), item.key().c_str());
}

}  // namespace slipway
