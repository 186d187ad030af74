#include "app/cli/arguments.h"

#include "core/base/json.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <locale>
#include <optional>
#include <sstream>

namespace slipway {
namespace {

/// Rejects values that break the rule, NaN, and text other than numbers.
/// @param refusal the sentence, with %1 for the typed text
CLI::Validator rule(const std::string& help, const std::function<std::string(const std::string&)>& refusal,
                    const std::function<bool(double)>& holds) {
    return CLI::Validator(
        [=](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool isNumber = !text.empty() && *end == 0 && std::isfinite(value);
            return isNumber && holds(value) ? std::string() : refusal(text);
        },
        help);
}

template <class T>
std::string plain(T value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << value;
    return text.str();
}

template <class T>
CLI::Validator range(T low, T high, Language language) {
    const SourceText refusal = std::is_integral_v<T> ? "must be a whole number from %1 to %2, not %3."_text
                                                     : "must be a number from %1 to %2, not %3."_text;
    return rule(
        textOf("%1 to %2"_text(plain(low), plain(high)), language),
        [=](const std::string& typed) { return textOf(refusal(plain(low), plain(high), typed), language); },
        [=](double v) {
            return v >= static_cast<double>(low) && v <= static_cast<double>(high) &&
                   (!std::is_integral_v<T> || v == std::floor(v));
        });
}

std::string joined(const std::vector<std::string>& words, const char* gap) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : gap) + word;
    return out;
}

}  // namespace

Argument& Argument::shownAs(const std::string& word) {
    m_option->type_name(word);
    return *this;
}

Argument& Argument::required() {
    m_option->required();
    return *this;
}

Argument& Argument::between(int low, int high) {
    m_option->check(range(low, high, m_language));
    return *this;
}

Argument& Argument::between(double low, double high) {
    m_option->check(range(low, high, m_language));
    return *this;
}

Argument& Argument::positive() {
    m_option->check(rule(
        textOf("above 0"_text, m_language),
        [language = m_language](const std::string& typed) {
            return textOf("must be a number above 0, not %1."_text(typed), language);
        },
        [](double value) { return value > 0; }));
    return *this;
}

Argument& Argument::notNegative() {
    m_option->check(rule(
        textOf("0 or more"_text, m_language),
        [language = m_language](const std::string& typed) {
            return textOf("must be 0 or more, not %1."_text(typed), language);
        },
        [](double value) { return value >= 0; }));
    return *this;
}

Argument& Argument::oneOf(const std::vector<std::string>& words) {
    // A long list would fill a line of its own; the option's help has it instead.
    const std::string list = joined(words, ",");
    m_option->check(CLI::Validator(
        [words, language = m_language](std::string& text) {
            for (const std::string& word : words)
                if (word == text) return std::string();
            const std::string near = nearestKey(text, words);
            const std::string choices = joined(words, ", ");
            return textOf(near.empty() ? "%1 is not one of %2."_text(text, choices)
                                       : "%1 is not one of %2; did you mean %3?"_text(text, choices, near),
                          language);
        },
        list.size() > 50 ? "" : "{" + list + "}"));
    return *this;
}

Argument& Argument::takes(int fewest, int most) {
    m_option->expected(fewest, most);
    return *this;
}

Argument& Argument::oneEach() {
    m_option->allow_extra_args(false);
    return *this;
}

Argument& Argument::separatedBy(char separator) {
    m_option->delimiter(separator);
    return *this;
}

Argument& Argument::needs(const Argument& other) {
    m_option->needs(other.m_option);
    return *this;
}

Argument& Argument::excludes(const Argument& other) {
    m_option->excludes(other.m_option);
    return *this;
}

bool Argument::given() const {
    return m_option->count() > 0;
}

template <class T>
Argument Arguments::option(const std::string& names, T& value, const Message& help) {
    return Argument(m_app.add_option(names, value, textOf(help, m_language)), m_language);
}
template Argument Arguments::option(const std::string&, std::string&, const Message&);
template Argument Arguments::option(const std::string&, std::int64_t&, const Message&);
template Argument Arguments::option(const std::string&, int&, const Message&);
template Argument Arguments::option(const std::string&, std::optional<int>&, const Message&);
template Argument Arguments::option(const std::string&, std::size_t&, const Message&);
template Argument Arguments::option(const std::string&, double&, const Message&);
template Argument Arguments::option(const std::string&, std::optional<std::string>&, const Message&);
template Argument Arguments::option(const std::string&, std::optional<std::int64_t>&, const Message&);
template Argument Arguments::option(const std::string&, std::optional<double>&, const Message&);
template Argument Arguments::option(const std::string&, std::vector<std::string>&, const Message&);
template Argument Arguments::option(const std::string&, std::vector<std::int64_t>&, const Message&);

Argument Arguments::flag(const std::string& names, bool& value, const Message& help) {
    return Argument(m_app.add_flag(names, value, textOf(help, m_language)), m_language);
}

std::vector<std::string> optionWords(const std::function<void(Arguments&)>& declare) {
    CLI::App app;
    Arguments arguments(app);
    declare(arguments);
    std::vector<std::string> words;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
        for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    }
    return words;
}

}  // namespace slipway
