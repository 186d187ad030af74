// Options and arguments that a command declares; the one door to CLI11, whose header costs ten seconds in every
// including source.
//   arguments.option("--jobs", m_jobs, "Trials at the same time"_text).between(1, 1024).needs(file);
#pragma once

#include "core/base/message.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slipway {

/// One declared option or argument. Its rules appear in --help; an invalid value is refused before the command runs,
/// with a sentence that names the option.
class Argument {
public:
    explicit Argument(CLI::Option* option, Language language = Language::English)
        : m_option(option), m_language(language) {}

    /// The placeholder of the value in --help: FILE, RUN, FIELD=VALUE.
    Argument& shownAs(const std::string& word);
    Argument& required();
    Argument& between(int low, int high);
    Argument& between(double low, double high);
    Argument& positive();
    Argument& notNegative();
    Argument& oneOf(const std::vector<std::string>& words);
    /// Number of values.
    Argument& takes(int fewest, int most);
    /// One value per occurrence; the following words belong to others.
    Argument& oneEach();
    /// Several values in one word.
    Argument& separatedBy(char separator);
    Argument& needs(const Argument& other);
    Argument& excludes(const Argument& other);

    /// True if it was on the command line.
    [[nodiscard]] bool given() const;

private:
    CLI::Option* m_option;
    Language m_language;
};

class Arguments {
public:
    /// @param language of the help and of messages about refused values
    explicit Arguments(CLI::App& app, Language language = Language::English) : m_app(app), m_language(language) {}

    /// An option ("--output,-o") or, without hyphens, a positional argument. The value is stored in `value` when given.
    /// T: the types at the end of arguments.cpp.
    template <class T>
    Argument option(const std::string& names, T& value, const Message& help);
    Argument flag(const std::string& names, bool& value, const Message& help);

private:
    CLI::App& m_app;
    Language m_language;
};

/// The options ("--jobs", "-o") declared by `declare`, for shell completion.
std::vector<std::string> optionWords(const std::function<void(Arguments&)>& declare);

}  // namespace slipway
