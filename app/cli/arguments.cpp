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

/// Refuses a number with the rule in words; NaN and what is no number keep no rule.
CLI::Validator rule(const std::string& help, const std::string& words, const std::function<bool(double)>& holds) {
    return CLI::Validator(
        [=](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool isNumber = !text.empty() && *end == 0 && std::isfinite(value);
            return isNumber && holds(value) ? std::string() : "must be " + words + ", not " + text + ".";
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
CLI::Validator range(T low, T high) {
    const std::string kind = std::is_integral_v<T> ? "a whole number" : "a number";
    return rule(plain(low) + " to " + plain(high), kind + " from " + plain(low) + " to " + plain(high), [=](double v) {
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
    m_option->check(range(low, high));
    return *this;
}

Argument& Argument::between(double low, double high) {
    m_option->check(range(low, high));
    return *this;
}

Argument& Argument::positive() {
    m_option->check(rule("above 0", "a number above 0", [](double value) { return value > 0; }));
    return *this;
}

Argument& Argument::notNegative() {
    m_option->check(rule("0 or more", "0 or more", [](double value) { return value >= 0; }));
    return *this;
}

Argument& Argument::oneOf(const std::vector<std::string>& words) {
    // A long list would be a line of its own; what says the option then names them.
    const std::string list = joined(words, ",");
    m_option->check(CLI::Validator(
        [words](std::string& text) {
            for (const std::string& word : words)
                if (word == text) return std::string();
            const std::string near = nearestKey(text, words);
            return "there is no " + text + (near.empty() ? "." : "; did you mean " + near + "?") + " Choose one of " +
                   joined(words, ", ") + ".";
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
Argument Arguments::option(const std::string& names, T& value, const std::string& help) {
    return Argument(m_app.add_option(names, value, help));
}
template Argument Arguments::option(const std::string&, std::string&, const std::string&);
template Argument Arguments::option(const std::string&, std::int64_t&, const std::string&);
template Argument Arguments::option(const std::string&, int&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<int>&, const std::string&);
template Argument Arguments::option(const std::string&, std::size_t&, const std::string&);
template Argument Arguments::option(const std::string&, double&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<std::string>&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Argument Arguments::option(const std::string&, std::optional<double>&, const std::string&);
template Argument Arguments::option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument Arguments::option(const std::string&, std::vector<std::int64_t>&, const std::string&);

Argument Arguments::flag(const std::string& names, bool& value, const std::string& help) {
    return Argument(m_app.add_flag(names, value, help));
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
