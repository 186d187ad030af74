#include "core/playbook/value_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {
namespace {

constexpr double kWholeBelow = 1e15;

bool isCount(const Json& value) {
    return value.is_number() && std::fabs(value.get<double>()) < kWholeBelow &&
           value.get<double>() == std::round(value.get<double>());
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// The label of "%1 ..." with the word's own part put in; empty where no pattern matches.
std::string patternText(const std::string& word, const Playbook& playbook, Language language) {
    constexpr std::string_view kPlace = "%1";
    for (const FigureWord& one : playbook.words) {
        const std::size_t at = one.key.find(kPlace);
        if (at == std::string::npos) continue;
        const std::string before = one.key.substr(0, at), after = one.key.substr(at + kPlace.size());
        if (word.size() <= before.size() + after.size() || !word.starts_with(before) || !word.ends_with(after))
            continue;
        std::string text = one.label.in(language);
        const std::size_t place = text.find(kPlace);
        if (place == std::string::npos) return text;
        std::string part = word.substr(before.size(), word.size() - before.size() - after.size());
        if (language == Language::Korean) {  // lists of sections
            replaceAll(part, " and ", ", ");
            replaceAll(part, " to ", "~");
        }
        return text.replace(place, kPlace.size(), part);
    }
    return {};
}

}  // namespace

std::string wordText(const std::string& word, const Playbook& playbook, Language language) {
    constexpr std::string_view kBetween = "; ";
    if (const std::size_t at = word.find(kBetween); at != std::string::npos)
        return wordText(word.substr(0, at), playbook, language) + std::string(kBetween) +
               wordText(word.substr(at + kBetween.size()), playbook, language);
    const std::string label = playbook.label(word).in(language);
    const std::string pattern = label == word ? patternText(word, playbook, language) : "";
    return pattern.empty() ? label : pattern;
}

std::string valueText(const Json& value, const Playbook& playbook, Language language,
                      const std::function<std::string(double)>& figure) {
    if (value.is_null()) return "–";
    if (value.is_number()) return figure(value.get<double>());
    if (value.is_string()) return wordText(value.get<std::string>(), playbook, language);
    if (value.is_boolean()) return textOf(value.get<bool>() ? "yes"_text : "no"_text, language);
    std::string text;
    const auto add = [&text](std::string_view separator, const std::string& part) {
        text += (text.empty() ? "" : std::string(separator)) + part;
    };
    if (value.is_object()) {
        for (const auto& item : value.items()) {
            constexpr std::size_t kSymbol = 2;  // tp, m: as in formulas
            const std::string name =
                item.key().size() <= kSymbol ? item.key() : playbook.label(item.key()).in(language);
            if (item.value() != "") add(", ", name + ' ' + valueText(item.value(), playbook, language, figure));
        }
        return text;
    }
    const bool isTable = !value.empty() && (value[0].is_array() || value[0].is_object());
    // Counts in lists have no thousands separators, which would look like the list's.
    for (const Json& one : value)
        add(isTable ? "; " : ", ", isCount(one) ? std::to_string(std::llround(one.get<double>()))
                                                : valueText(one, playbook, language, figure));
    return text;
}

}  // namespace slipway
