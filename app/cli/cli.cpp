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

/// Errors that the person who typed can mend in what was typed or in a file that was named.
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
        "no_runs",         "too_many_runs",     "bad_pattern"};
    if (error.code == "interrupted" || error.code == "cancelled") return kExitInterrupted;
    return usage.count(error.code) > 0 ? kExitUsage : kExitFailed;
}

/// Help whose descriptions are broken at spaces instead of by the terminal.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::size_t line) : m_room(line - column_width_) {}
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

/// What CLI11 could not place, in words: the nearest command or option.
std::string unexpectedText(const CLI::App& app, const std::vector<std::string>& typed) {
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
    const std::string end = near.empty() ? "." : "; did you mean " + near + "?";
    const std::string name = chosen.empty() ? "slipway" : "slipway " + owner.get_name();
    if (isOption) return name + " has no option " + word + end;
    return chosen.empty() ? "there is no command " + word + end : name + " takes no further argument: " + word + ".";
}

}  // namespace

std::vector<CommandGroup> commandGroups() {
    using Maker = std::unique_ptr<Command> (*)();
    static const std::vector<std::pair<const char*, std::vector<Maker>>> groups = {
        {"Plan",
         {makePlanCommand, makeSearchCommand, makeCostCommand, makeLawsCommand, makeLintCommand, makeTpuCommand,
          makeValidateCommand}},
        {"Library", {makeModelsCommand, makeDevicesCommand, makeCurvesCommand, makeFieldsCommand}},
        {"Learn", {makePlaybookCommand}},
        {"Train",
         {makeInitCommand, makeCorpusCommand, makeVerifyCommand, makeLaunchCommand, makeSweepCommand, makeTuneCommand,
          makeStopCommand, makeResumeCommand, makeCloneCommand}},
        {"Look at runs",
         {makeRunsCommand, makeShowCommand, makeLogsCommand, makeCompareCommand, makeWhyCommand, makeReportCommand}},
        {"Keep order", {makeTagCommand, makeArchiveCommand, makeRemoveCommand, makeRestoreCommand, makeReindexCommand}},
        {"Other programs and this computer",
         {makeConvertCommand, makeImportCommand, makeWatchCommand, makeMachineCommand, makeBenchCommand,
          makeTrainerCommand, makeNodesCommand, makeCompletionCommand}}};
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
    // An index that is new, or whose rebuild was interrupted, would hide runs: it is completed first, by whoever comes first.
    if (!*complete) store->setPatience(RunStore::kPatienceMilliseconds);
    while (true) {
        const auto adopted = adoptFolders(*store, context.now(), [&](std::int64_t done, std::int64_t all) {
            if (!*complete)
                progressLine(context, "Reading run folders: " + std::to_string(done) + " of " + std::to_string(all));
            return context.interrupts() == 0;
        });
        endProgressLine(context);
        if (adopted && adopted->finishedRebuild)
            context.err << "The index was incomplete; rebuilt it from " << adopted->runs << " run folders.\n";
        if (adopted) break;
        const bool isBusy = adopted.error().code == "store_busy";
        if (isBusy && *complete) break;  // what is there is shown; the next command goes on
        if ((!isBusy && adopted.error().code != "index_rebuilding") || context.interrupts() > 0)
            return fail(adopted.error());
        progressLine(context, "Waiting for another program that is rebuilding the index");
        context.pause();
        complete = store->isComplete();
        if (!complete) return fail(complete.error());
    }
    // Runs continue while nobody looks; what happened meanwhile is stored first, unless another program is writing.
    store->setPatience(kPatienceMilliseconds);
    const auto fresh = refreshOpenRuns(*store, context.home, context.now(), context.programs);
    if (!fresh && fresh.error().code != "store_busy")
        context.err << context.text("note"_text) << ": " << printable(fresh.error().inLanguage(context.language))
                    << '\n';
    store->setPatience(RunStore::kPatienceMilliseconds);
    return store;
}

int runCli(std::vector<std::string> arguments, CliContext& context) {
    CLI::App app("Plan, prove, launch and compare training runs of large language models.", "slipway");
    std::string homeFolder;
    std::string language;
    bool noColour = false;
    app.add_option("--home", homeFolder,
                   "Folder of runs and index; default: $SLIPWAY_HOME, else $XDG_DATA_HOME/slipway")
        ->type_name("DIR");
    app.add_flag("--json", context.json, "One JSON document on standard output");
    app.add_flag("--no-color,--no-colour", noColour, "No colours (also: NO_COLOR in the environment)");
    app.add_option("--lang", language, "Language: en or ko; default: LC_ALL, LC_MESSAGES or LANG")
        ->type_name("CODE")
        ->check(CLI::IsMember({"en", "ko"}));
    app.set_version_flag("--version", "slipway " + versionText());
    app.require_subcommand(0, 1);
    app.formatter(std::make_shared<HelpFormatter>(lineWidth(context.out)));
    app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
        const auto commands = failed->get_subcommands();
        return "slipway: " + UntrustedText(error.what()).terminalLines() + "\n`slipway " +
               (commands.empty() ? "" : commands.front()->get_name() + " ") + "--help` explains it.\n";
    });

    const auto batch = makeBatchCommand();
    Arguments batchArguments(app);
    batch->declare(batchArguments);
    const auto groups = commandGroups();
    std::vector<std::pair<CLI::App*, Command*>> declared;
    for (const CommandGroup& group : groups)
        for (const auto& command : group.commands) {
            CLI::App* sub = app.add_subcommand(command->name(), command->summary())->group(group.title);
            if (!command->alias().empty()) sub->alias(command->alias());
            sub->fallthrough();
            sub->footer("Examples:\n" + command->examples());
            Arguments its(*sub);
            command->declare(its);
            declared.emplace_back(sub, command.get());
        }
    app.footer("Without arguments slipway opens its window. `slipway COMMAND --help` explains a command.\nExamples:\n" +
               batch->examples());

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
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError& error) {
        const auto chosen = app.get_subcommands();
        // Beside a command that there is not, --help and --version are not answered.
        const bool isUnknown = chosen.empty() && error.get_exit_code() == 0 && !app.remaining(true).empty();
        if (isUnknown || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
            context.err << "slipway: " << printable(unexpectedText(app, typed)) << "\n`slipway "
                        << (chosen.empty() ? "" : chosen.front()->get_name() + " ") << "--help` explains it.\n";
            return kExitUsage;
        }
        const int code = app.exit(error, context.out, context.err);
        return code == 0 ? kExitDone : kExitUsage;
    }
    context.home = Home::resolve(homeFolder);
    if (noColour) context.outColour = false;
    if (!language.empty()) context.language = languageOf(language);

    Command* chosen = app.count("--batch") > 0 ? batch.get() : nullptr;
    for (const auto& [sub, command] : declared)
        if (sub->parsed()) {
            if (chosen != nullptr) {
                context.err << "slipway: --batch is a job of its own and takes no command; leave out "
                            << printable(command->name()) << ".\n";
                return kExitUsage;
            }
            chosen = command;
        }
    if (chosen == nullptr) {
        context.err << "slipway: name a command; `slipway --help` lists them.\n";
        return kExitUsage;
    }
    if (context.json && !chosen->hasJson()) {
        context.err << "slipway: slipway " << printable(chosen->name()) << " prints text and has no --json.\n";
        return kExitUsage;
    }
    // A command that does not look at hardware goes on; the others name the device that they then lack.
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
