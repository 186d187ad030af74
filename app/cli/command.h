// A command of `slipway`: name, arguments, action. Commands write to the given streams and never exit, so tests run
// them in-process.
#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/launch/programs.h"
#include "core/spec/run_dir.h"
#include "core/store/run_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace slipway {

/// Exit codes of `slipway` (ARCHITECTURE.md, Contracts).
constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;

/// All external resources of a command.
struct CliContext {
    std::ostream& out;           ///< results
    std::ostream& err;           ///< progress and problems
    bool outColour = false;      ///< out is a colour terminal
    bool errIsTerminal = false;  ///< progress may redraw its line
    bool json = false;           ///< --json
    Home home;
    Programs programs;
    std::function<std::int64_t()> now;                     ///< milliseconds since the Unix epoch
    std::function<void()> pause;                           ///< a tenth of a second, less on a signal
    std::function<int()> interrupts;                       ///< number of Ctrl-C so far
    Language language = Language::English;                 ///< of texts for people; JSON, CSV and files have none
    std::optional<std::vector<std::string>> program = {};  ///< the words after --, of a command that runsPrograms()
    /// As pause, but ends when a descriptor becomes readable; without it every wait is a pause.
    std::function<void(const std::vector<int>& fds)> waitForNews = {};

    /// Waits for news of these descriptors, at most a tenth of a second.
    void waitFor(const std::vector<int>& fds) const { waitForNews ? waitForNews(fds) : pause(); }
    [[nodiscard]] std::string text(const Message& message) const { return textOf(message, language); }
    /// "note: ..." on err.
    void note(const Message& message) const;
};

/// A command line of --help, and its purpose; one of the two may be empty.
struct Example {
    std::string line;
    Message meaning = {};
};
using Examples = std::vector<Example>;

class Command {
public:
    virtual ~Command() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    /// Another name for it; empty: none.
    [[nodiscard]] virtual std::string alias() const { return {}; }
    /// One line for the list of commands.
    [[nodiscard]] virtual Message summary() const = 0;
    /// Lines for the end of --help.
    [[nodiscard]] virtual Examples examples() const = 0;
    /// Declares options and arguments; values are stored in members.
    virtual void declare(Arguments& arguments) = 0;
    /// False where the result is text for people only; --json is refused there.
    [[nodiscard]] virtual bool hasJson() const { return true; }
    /// True if a program with its own options follows --.
    [[nodiscard]] virtual bool runsPrograms() const { return false; }
    /// Runs the command. An Error is printed by the caller and determines the exit code.
    virtual Result<int> run(CliContext& context) = 0;
};

/// Commands under one heading of --help.
struct CommandGroup {
    Message title;
    std::vector<std::unique_ptr<Command>> commands;
};
std::vector<CommandGroup> commandGroups();
/// All commands in the order of --help.
std::vector<std::unique_ptr<Command>> allCommands();

/// Opens the index of context.home; a missing index of existing run folders is rebuilt first.
Result<RunStore> openStore(CliContext& context);

/// Parses arguments and runs one command. @param arguments without the program's name
int runCli(std::vector<std::string> arguments, CliContext& context);

}  // namespace slipway
