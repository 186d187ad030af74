// Options and arguments that a command declares; the one door to CLI11, whose header costs ten seconds in every source that
// includes it.
//   arguments.option("--jobs", m_jobs, "Trials at the same time").between(1, 1024).needs(file);
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slipway {

/// One declared option or argument. What is said of it here shows in --help; a value that breaks a rule is refused before the
/// command runs, with a sentence that names the option.
class Argument {
public:
    explicit Argument(CLI::Option* option) : m_option(option) {}

    /// The word that stands for the value in --help: FILE, RUN, FIELD=VALUE.
    Argument& shownAs(const std::string& word);
    Argument& required();
    Argument& between(int low, int high);
    Argument& between(double low, double high);
    Argument& positive();
    Argument& notNegative();
    Argument& oneOf(const std::vector<std::string>& words);
    /// How many values it takes.
    Argument& takes(int fewest, int most);
    /// One value each time it is given; the words behind it belong to others.
    Argument& oneEach();
    /// Several values in one word.
    Argument& separatedBy(char separator);
    Argument& needs(const Argument& other);
    Argument& excludes(const Argument& other);

    /// It stood on the command line.
    [[nodiscard]] bool given() const;

private:
    CLI::Option* m_option;
};

class Arguments {
public:
    explicit Arguments(CLI::App& app) : m_app(app) {}

    /// An option ("--output,-o") or, without hyphens, a positional argument. The value lands in `value` when it is given.
    /// T: those at the end of arguments.cpp.
    template <class T>
    Argument option(const std::string& names, T& value, const std::string& help);
    Argument flag(const std::string& names, bool& value, const std::string& help);

private:
    CLI::App& m_app;
};

/// The options ("--jobs", "-o") that `declare` declares, for shell completion.
std::vector<std::string> optionWords(const std::function<void(Arguments&)>& declare);

}  // namespace slipway
