#include "app/cli/arguments.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>

namespace slipway {

Argument& Argument::shownAs(const std::string& word) {
    m_option->type_name(word);
    return *this;
}

Argument& Argument::required() {
    m_option->required();
    return *this;
}

Argument& Argument::between(int low, int high) {
    m_option->check(CLI::Range(low, high));
    return *this;
}

Argument& Argument::between(double low, double high) {
    m_option->check(CLI::Range(low, high));
    return *this;
}

Argument& Argument::positive() {
    m_option->check(CLI::PositiveNumber);
    return *this;
}

Argument& Argument::notNegative() {
    m_option->check(CLI::NonNegativeNumber);
    return *this;
}

Argument& Argument::oneOf(const std::vector<std::string>& words) {
    m_option->check(CLI::IsMember(words));
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
