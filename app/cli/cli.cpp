#include "app/cli/commands.h"
#include "app/cli/planner_commands.h"
#include "app/cli/playbook_command.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "app/cli/sweep_commands.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/base/version.h"
#include "core/planner/user_hardware.h"
#include "core/run/run_actions.h"
#include "core/store/reindex.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace slipway {
namespace {

/// Exit code: usage for errors that the person can fix in the command line or in a named file.
int exitCodeOf(const Error& error) {
    static const std::set<std::string> usage = {
        "bad_config",      "bad_sweep",         "json_syntax",      "file_missing",   "file_unreadable",
        "run_missing",     "run_ambiguous",     "sweep_missing",    "bad_id",         "usage",
        "unknown_field",   "bad_value",         "bad_hardware",     "unknown_device", "filter_syntax",
        "corpus_bad_spec", "corpus_bad_text",   "corpus_too_small", "too_few_points", "points_degenerate",
        "unknown_column",  "unknown_key",       "type_mismatch",    "csv_syntax",     "unknown_columns",
        "yaml_syntax",     "toml_syntax",       "bad_log",          "bad_url",        "net_not_https",
        "json_too_deep",   "json_repeated_key", "unknown_figure",   "unknown_axis",   "bad_limit",
        "bad_devices",     "file_too_large",    "missing_columns",  "bad_name",       "unknown_group",
        "bad_node",        "unknown_node",      "uneven_nodes",     "view_missing",   "bad_view",
        "bad_alerts",      "no_runs",           "too_many_runs",    "bad_pattern"};
    if (error.code == "interrupted" || error.code == "cancelled") return kExitInterrupted;
    return usage.count(error.code) > 0 ? kExitUsage : kExitFailed;
}

/// Help with descriptions broken at spaces instead of by the terminal.
class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter(std::size_t line, Language language) : m_room(line - column_width_) {
        for (const auto& [key, words] :
             {std::pair{"Usage", "Usage"_text}, std::pair{"Positionals", "Arguments"_text},
              std::pair{"OPTIONS", "OPTIONS"_text}, std::pair{"Options", "Options"_text},
              std::pair{"SUBCOMMAND", "COMMAND"_text}, std::pair{"REQUIRED", "required"_text},
              std::pair{"Needs", "needs"_text}, std::pair{"Excludes", "not with"_text}, std::pair{"TEXT", "TEXT"_text},
              std::pair{"INT", "NUMBER"_text}, std::pair{"UINT", "NUMBER"_text}, std::pair{"FLOAT", "NUMBER"_text}})
            label(key, textOf(words, language));
    }
    std::string make_group(std::string group, bool isPositional,
                           std::vector<const CLI::Option*> options) const override {
        return CLI::Formatter::make_group(group == "Options" ? get_label("Options") : group, isPositional,
                                          std::move(options));
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapText(option->get_description(), m_room);
    }
    std::string make_subcommand(const CLI::App* command) const override {
        std::ostringstream out;
        CLI::detail::format_help(out, command->get_display_name(true), wrapText(command->get_description(), m_room),
                                 column_width_);
        return out.str();
    }

private:
    std::size_t m_room;
};

/// The lines of a text, all but the first indented by two spaces.
std::string indented(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? "\n  " : std::string(1, c);
    return out;
}

/// The examples below a help text, each with its purpose beside it or, if that does not fit, on the next line.
std::string examplesText(const Examples& examples, Language language, std::size_t room) {
    constexpr std::size_t kWidest = 68, kGap = 3;
    std::size_t width = 0;
    for (const Example& example : examples)
        if (!example.meaning.empty() && displayWidth(example.line) <= kWidest)
            width = std::max(width, displayWidth(example.line));
    std::string text = textOf("Examples"_text, language) + ":";
    for (const auto& [line, meaning] : examples) {
        text += "\n  " + line;
        if (meaning.empty()) continue;
        const std::string words = textOf(meaning, language);
        if (line.empty())
            text += indented(wrapText(words, room - 2));
        else if (displayWidth(line) <= width)
            text += std::string(width - displayWidth(line) + kGap, ' ') + words;
        else
            text += "\n      " + words;
    }
    return text;
}

/// The language of --lang, otherwise of the environment: help is written before options are parsed.
Language languageAsked(const std::vector<std::string>& arguments, Language otherwise) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--lang" && i + 1 < arguments.size()) return languageOf(arguments[i + 1]);
        if (arguments[i].starts_with("--lang=")) return languageOf(arguments[i].substr(7));
    }
    return otherwise;
}

/// Translates CLI11's English sentences that people can meet, by the kind of error.
Message refusalText(const CLI::Error& error) {
    const std::string words = error.what();
    const auto before = [&](std::string_view mark) { return words.substr(0, words.find(mark)); };
    if (error.get_name() == "RequiredError") return "%1 is required."_text(before(" is required"));
    if (error.get_name() == "RequiresError")
        return "%1 needs %2."_text(before(" requires "), words.substr(words.find(" requires ") + 10));
    if (error.get_name() == "ExcludesError")
        return "%1 cannot be used with %2."_text(before(" excludes "), words.substr(words.find(" excludes ") + 10));
    if (error.get_name() == "ConversionError" && words.starts_with("Could not convert: "))
        return "This value cannot be read: %1."_text(words.substr(19));
    if (error.get_name() == "ArgumentMismatch") return "The number of values is wrong: %1"_text(words);
    return Message::name(words);
}

/// A sentence on unexpected arguments, with the nearest command or option.
Message unexpectedText(const CLI::App& app, const std::vector<std::string>& typed) {
    const auto chosen = app.get_subcommands();
    const CLI::App& owner = chosen.empty() ? app : *chosen.front();
    const std::vector<std::string> left = app.remaining(true);
    const auto isLeft = [&](const std::string& word) { return std::ranges::find(left, word) != left.end(); };
    const auto first = std::ranges::find_if(typed, isLeft);
    const std::string word = first != typed.end() ? *first : left.empty() ? "" : left.front();
    std::vector<std::string> known;
    const bool isOption = word.starts_with("-");
    if (isOption) {
        for (const CLI::App* one : {&owner, &app})
            for (const CLI::Option* option : one->get_options())
                for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    } else if (chosen.empty()) {
        for (const CLI::App* one : app.get_subcommands({})) {
            known.push_back(one->get_name());
            known.insert(known.end(), one->get_aliases().begin(), one->get_aliases().end());
        }
    }
    const std::string near = nearestKey(word.substr(0, word.find('=')), known);
    const std::string name = chosen.empty() ? "slipway" : "slipway " + owner.get_name();
    if (isOption)
        return near.empty() ? "%1 has no option %2."_text(name, word)
                            : "%1 has no option %2; did you mean %3?"_text(name, word, near);
    if (!chosen.empty()) return "%1 takes no further argument: %2."_text(name, word);
    return near.empty() ? "unknown command %1."_text(word) : "unknown command %1; did you mean %2?"_text(word, near);
}

}  // namespace

std::vector<CommandGroup> commandGroups() {
    using Maker = std::unique_ptr<Command> (*)();
    static const std::vector<std::pair<SourceText, std::vector<Maker>>> groups = {
        {"Plan"_text,
         {makePlanCommand, makeSearchCommand, makeCostCommand, makeLawsCommand, makeLintCommand, makeTpuCommand,
          makeValidateCommand}},
        {"Library"_text, {makeModelsCommand, makeDevicesCommand, makeCurvesCommand, makeFieldsCommand}},
        {"Learn"_text, {makePlaybookCommand}},
        {"Train"_text,
         {makeInitCommand, makeCorpusCommand, makeVerifyCommand, makeLaunchCommand, makeSweepCommand, makeTuneCommand,
          makeStopCommand, makeResumeCommand, makeCloneCommand}},
        {"Look at runs"_text,
         {makeRunsCommand, makeShowCommand, makeLogsCommand, makeCompareCommand, makeWhyCommand, makeReportCommand}},
        {"Keep order"_text,
         {makeTagCommand, makeArchiveCommand, makeRemoveCommand, makeRestoreCommand, makeReindexCommand}},
        {"Other programs and this computer"_text,
         {makeConvertCommand, makeImportCommand, makeWatchCommand, makeAlertsCommand, makeMachineCommand,
          makeBenchCommand, makeTrainerCommand, makeNodesCommand, makeCompletionCommand}}};
    std::vector<CommandGroup> made;
    for (const auto& [title, makers] : groups) {
        made.push_back({title, {}});
        for (const Maker make : makers) made.back().commands.push_back(make());
    }
    return made;
}

std::vector<std::unique_ptr<Command>> allCommands() {
    std::vector<std::unique_ptr<Command>> all;
    for (CommandGroup& group : commandGroups())
        for (auto& command : group.commands) all.push_back(std::move(command));
    return all;
}

Result<RunStore> openStore(CliContext& context) {
    constexpr int kPatienceMilliseconds = 100;  // a list must not wait for a writer
    auto store = RunStore::open(context.home, OpenMode::ReadWrite);
    if (!store) return store;
    store->setPatience(kPatienceMilliseconds);
    auto complete = store->isComplete();
    if (!complete) return fail(complete.error());
    // A new index, or one with an interrupted rebuild, would hide runs: the first program to need it completes it.
    if (!*complete) store->setPatience(RunStore::kPatienceMilliseconds);
    while (true) {
        const auto adopted = adoptFolders(*store, context.now(), [&](std::int64_t done, std::int64_t all) {
            if (!*complete) progressLine(context, "Reading run folders: %1 of %2"_text(done, all));
            return context.interrupts() == 0;
        });
        endProgressLine(context);
        if (adopted && adopted->finishedRebuild)
            context.err << "The index was incomplete; rebuilt it from %1 run folders."_text(adopted->runs) << '\n';
        if (adopted) break;
        const bool isBusy = adopted.error().code == "store_busy";
        if (isBusy && *complete) break;  // shows the existing rows; the next command continues
        if ((!isBusy && adopted.error().code != "index_rebuilding") || context.interrupts() > 0)
            return fail(adopted.error());
        progressLine(context, "Waiting for another program that is rebuilding the index"_text);
        context.pause();
        complete = store->isComplete();
        if (!complete) return fail(complete.error());
    }
    // Runs continue without a follower; their news are stored first, unless another program is writing.
    store->setPatience(kPatienceMilliseconds);
    const auto fresh = refreshOpenRuns(*store, context.home, context.now(), context.programs);
    if (!fresh && fresh.error().code != "store_busy") context.note(fresh.error().sentence());
    store->setPatience(RunStore::kPatienceMilliseconds);
    return store;
}

void CliContext::note(const Message& message) const {
    err << "note"_text
        << ": " << message << '\n';
}

int runCli(std::vector<std::string> arguments, CliContext& context) {
    context.language = languageAsked(arguments, context.language);
    for (std::ostream* stream : {&context.out, &context.err}) setLanguage(*stream, context.language);
    CLI::App app(context.text("Plan, prove, launch and compare training runs of large language models."_text),
                 "slipway");
    std::string homeFolder;
    std::string language;
    bool noColour = false;
    app.add_option("--home", homeFolder,
                   context.text("Folder of runs and index; default: $SLIPWAY_HOME, else $XDG_DATA_HOME/slipway"_text))
        ->type_name("DIR");
    app.add_flag("--json", context.json, context.text("One JSON document on standard output"_text));
    app.add_flag("--no-color,--no-colour", noColour,
                 context.text("No colours (also: NO_COLOR in the environment)"_text));
    app.add_option("--lang", language, context.text("Language: en or ko; default: LC_ALL, LC_MESSAGES or LANG"_text))
        ->type_name("CODE")
        ->check(CLI::IsMember({"en", "ko"}));
    app.set_version_flag("--version", "slipway " + versionText(), context.text("Print the version and exit"_text));
    app.set_help_flag("-h,--help", context.text("Print this help and exit"_text));
    app.require_subcommand(0, 1);
    app.formatter(std::make_shared<HelpFormatter>(lineWidth(context.out), context.language));
    const auto explains = [&context](const CLI::App& of) {
        const auto commands = of.get_subcommands();
        const std::string words = commands.empty() ? "slipway" : "slipway " + commands.front()->get_name();
        return context.text("`%1 --help` explains it."_text(words));
    };
    app.failure_message([&](const CLI::App* failed, const CLI::Error& error) {
        return "slipway: " + UntrustedText(context.text(refusalText(error))).terminalLines() + '\n' +
               explains(*failed) + '\n';
    });

    const auto batch = makeBatchCommand();
    Arguments batchArguments(app, context.language);
    batch->declare(batchArguments);
    const auto groups = commandGroups();
    std::vector<std::pair<CLI::App*, Command*>> declared;
    for (const CommandGroup& group : groups)
        for (const auto& command : group.commands) {
            CLI::App* sub =
                app.add_subcommand(command->name(), context.text(command->summary()))->group(context.text(group.title));
            if (!command->alias().empty()) sub->alias(command->alias());
            sub->fallthrough();
            sub->footer(examplesText(command->examples(), context.language, lineWidth(context.out)));
            Arguments its(*sub, context.language);
            command->declare(its);
            declared.emplace_back(sub, command.get());
        }
    app.footer(
        context.text("Without arguments slipway opens its window. `slipway COMMAND --help` explains a command."_text) +
        '\n' + examplesText(batch->examples(), context.language, lineWidth(context.out)));

    const auto programOf = [&]() -> std::optional<std::vector<std::string>> {
        const auto dashes = std::ranges::find(arguments, "--");
        const auto named = std::find_if(arguments.begin(), dashes, [&](const std::string& word) {
            return std::ranges::any_of(
                declared, [&](const auto& one) { return one.second->runsPrograms() && one.second->name() == word; });
        });
        if (dashes == arguments.end() || named == dashes) return {};
        std::vector<std::string> program(dashes + 1, arguments.end());
        arguments.erase(dashes, arguments.end());
        return program;
    };
    context.program = programOf();
    const std::vector<std::string> typed = arguments;
    std::reverse(arguments.begin(), arguments.end());  // CLI11 reads them from the end
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        // With an unknown command, --help and --version are not answered.
        const bool isUnknown = chosen.empty() && error.get_exit_code() == 0 && !app.remaining(true).empty();
        if (isUnknown || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
            context.err << "slipway: " << unexpectedText(app, typed) << '\n' << explains(app) << '\n';
            return kExitUsage;
        }
        const int code = app.exit(error, context.out, context.err);
        return code == 0 ? kExitDone : kExitUsage;
    }
    context.home = Home::resolve(homeFolder);
    if (noColour) context.outColour = false;

    Command* chosen = app.count("--batch") > 0 ? batch.get() : nullptr;
    for (const auto& [sub, command] : declared)
        if (sub->parsed()) {
            if (chosen != nullptr) {
                context.err << "slipway: "
                            << "--batch takes no command; leave out %1."_text(command->name()) << '\n';
                return kExitUsage;
            }
            chosen = command;
        }
    if (chosen == nullptr) {
        context.err << "slipway: "
                    << "name a command; `slipway --help` lists them."_text << '\n';
        return kExitUsage;
    }
    if (context.json && !chosen->hasJson()) {
        context.err << "slipway: "
                    << "slipway %1 prints text and has no --json."_text(chosen->name()) << '\n';
        return kExitUsage;
    }
    // A command that does not use hardware continues; the others name the device that they lack.
    const auto own = readUserHardware(context.home.path / kUserHardwareFile);
    if (!own)
        context.err << context.text("note"_text) << ": "
                    << UntrustedText(own.error().text(context.language)).terminalLines() << '\n';
    useUserHardware(own.value_or(UserHardware{}));
    const auto result = chosen->run(context);
    if (result) return *result;
    context.err << "slipway: " << UntrustedText(result.error().text(context.language)).terminalLines() << '\n';
    return exitCodeOf(result.error());
}

}  // namespace slipway
