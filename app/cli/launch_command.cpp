// launch and clone: start a run from a file, or from the config of another run.
#include "app/cli/commands.h"
#include "app/cli/job_file.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "app/cli/slurm_arguments.h"
#include "core/base/json_fields.h"
#include "core/launch/checkpoint_files.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/spec/stored_config.h"

#include <filesystem>

namespace slipway {
namespace {

/// Options of both commands.
struct StartOptions {
    std::vector<std::string> settings, tags;
    std::optional<std::string> name;
    std::string cluster;
    bool detach = false;

    /// @return the options that only apply to a start
    std::vector<Argument> declare(Arguments& arguments) {
        arguments.option("--set", settings, "Set a field: parallel.tp=2; may be repeated"_text)
            .shownAs("FIELD=VALUE")
            .oneEach();
        arguments.option("--name", name, "Name of the run; default: the config's"_text).shownAs("NAME");
        return {arguments.option("--tag", tags, "Tag of the run; may be repeated"_text).shownAs("TAG").oneEach(),
                arguments.option("--cluster", cluster, kClusterHelp(kDefaultHere)).shownAs("FILE|DEVICE"),
                arguments.flag("--detach,-d", detach, "Return at once; the run continues"_text)};
    }
};

class LaunchCommand : public Command {
public:
    std::string name() const override { return "launch"; }
    Message summary() const override { return "Start a run of a config, or of any program, and follow it"_text; }
    bool runsPrograms() const override { return true; }
    Examples examples() const override {
        return {{"slipway launch config.json"},
                {"slipway launch config.json --set parallel.dp=2 --name dp2 --tag trial --detach"},
                {"slipway launch config.json --write slurm --queue gpu --time-limit 8:00:00 -o run.sbatch"},
                {"slipway launch config.json --nodes gpu1,gpu2", "on computers that slipway nodes knows"_text},
                {"slipway launch config.json --slurm --queue gpu --time-limit 8:00:00 --devices-per-node 4 --detach"},
                {"slipway launch --name base -- torchrun --nproc-per-node 8 train.py --lr 3e-4",
                 "a program of your own"_text},
                {"slipway launch --pattern 'step (?<step>\\d+) loss (?<loss>\\S+)' -- python3 train.py"},
                {"", "Ctrl-C stops the run after its current step; a second one leaves it running."_text}};
    }
    void declare(Arguments& arguments) override {
        arguments
            .option(
                "config", m_configs,
                "Config file (JSON); several with --write slurm make an array. Or, behind --, a program with its arguments"_text)
            .shownAs("CONFIG");
        arguments
            .option(
                "--log-format", m_log.format,
                "With a program: how its output is read: auto, none, %1; default: auto, unless the program records its run by packaging/python"_text(
                    interop::liveFormats()))
            .shownAs("FORMAT");
        arguments
            .option(
                "--pattern", m_log.pattern,
                "With a program: regular expression for its lines, with named groups: (?<step>\\d+), (?<loss>\\S+)"_text)
            .shownAs("REGEX")
            .oneEach();
        m_options.declare(arguments);
        m_jobFile.declare(arguments);
        arguments
            .option("--nodes", m_nodes,
                    "Nodes to run on, in the order of the ranks (slipway nodes); default: here"_text)
            .shownAs("NODE,NODE")
            .oneEach()
            .separatedBy(',');
        m_slurm.declare(arguments, "Submit the run as a job of Slurm"_text);
        arguments
            .option(
                "--restart", m_restart,
                "After a failure: auto starts the run again from its newest checkpoint where that may help; off leaves it to you"_text)
            .shownAs("POLICY")
            .oneOf({std::begin(kRestartWords), std::end(kRestartWords)});
    }
    Result<int> run(CliContext& context) override {
        if (context.program) return runProgram(context);
        if (m_configs.empty())
            return fail("usage", "Name a config, or a program behind --: slipway launch -- torchrun train.py."_text,
                        "CONFIG");
        if (!m_log.pattern.empty() || m_log.format != "auto")
            return fail("usage",
                        "%1 needs a program behind --."_text(m_log.pattern.empty() ? "--log-format" : "--pattern"),
                        m_log.pattern.empty() ? "--log-format" : "--pattern");
        if (m_configs.size() > 1 && !m_jobFile.kind)
            return fail("usage",
                        "One run is started at a time; name one config, or a sweep file with `slipway sweep`."_text,
                        m_configs[1]);
        if (m_jobFile.kind && !m_nodes.empty())
            return fail("usage", "A file for a scheduler leaves the nodes to it; name no --nodes."_text, "--nodes");
        if (m_slurm.slurm && (m_jobFile.kind || !m_nodes.empty()))
            return fail("usage", "--slurm leaves the nodes to Slurm; name neither --nodes nor --write."_text,
                        "--slurm");
        if (const std::string unused = unusedOption(); !unused.empty())
            return fail("usage",
                        (unused == "--sbatch" || unused == "--login" ? "%1 needs --slurm."_text
                                                                     : "%1 needs --write or --slurm."_text)(unused),
                        unused);
        std::vector<RunConfig> configs;
        for (const std::string& path : m_configs) {
            auto config = loadConfig(path, m_options.settings, m_options.name);
            if (!config) return fail(config.error());
            configs.push_back(std::move(*config));
        }
        if (m_jobFile.kind) return writeJobFile(context, configs, m_jobFile);
        StartPlace place{m_nodes, {}, m_restart};
        if (m_slurm.slurm) {
            m_slurm.options.queue = m_jobFile.options.queue;
            m_slurm.options.account = m_jobFile.options.account;
            m_slurm.options.timeLimit = m_jobFile.options.timeLimit;
            m_slurm.options.devicesPerNode = m_jobFile.devicesPerNode;
            place.slurm = m_slurm.options;
        }
        return startRun(context, configs.front(), m_options.cluster, m_options.tags, m_options.detach, place);
    }

private:
    Result<int> runProgram(CliContext& context) {
        if (!m_configs.empty())
            return fail("usage", "Name a config or a program behind --, not both."_text, m_configs.front());
        const std::string ofConfigs = m_jobFile.kind                ? "--write"
                                      : m_slurm.slurm               ? "--slurm"
                                      : !m_nodes.empty()            ? "--nodes"
                                      : !m_options.settings.empty() ? "--set"
                                      : !m_options.cluster.empty()  ? "--cluster"
                                                                    : unusedOption();
        if (!ofConfigs.empty())
            return fail("usage", "%1 needs a config; a program behind -- runs on this computer."_text(ofConfigs),
                        ofConfigs);
        if (!m_log.pattern.empty() && m_log.format != "auto" && m_log.format != "pattern")
            return fail("usage", "--pattern is a format of its own; leave out --log-format."_text, "--pattern");
        if (!m_log.pattern.empty()) m_log.format = "pattern";
        auto program = makeProgram(*context.program, m_log);
        if (!program) return fail(program.error());
        return startProgram(context, {std::move(*program), m_options.name.value_or(""), m_options.tags, m_restart},
                            m_options.detach);
    }

    /// A given option without effect.
    [[nodiscard]] std::string unusedOption() const {
        if (const std::string unused = m_slurm.unused(); !unused.empty() || m_slurm.slurm) return unused;
        if (m_jobFile.kind) return {};
        if (!m_jobFile.options.queue.empty()) return "--queue";
        if (!m_jobFile.options.account.empty()) return "--account";
        return m_jobFile.options.timeLimit.empty() ? "" : "--time-limit";
    }

    std::vector<std::string> m_configs, m_nodes;
    std::string m_restart = "off";
    interop::LogReading m_log;
    SlurmArguments m_slurm;
    StartOptions m_options;
    JobFileArguments m_jobFile;
};

class CloneCommand : public Command {
public:
    std::string name() const override { return "clone"; }
    Message summary() const override { return "Start a run with the config of another one, with changes"_text; }
    Examples examples() const override {
        return {{"slipway clone tp2 --set parallel.tp=4 --name tp4"},
                {"slipway clone tp2 --print > config.json", "only write its config"_text},
                {"slipway clone tp2 --from-checkpoint --set parallel.dp=4",
                 "continue tp2 in another layout, from its checkpoint"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        Argument print = arguments.flag("--print", m_print, "Print the config instead of starting it"_text);
        arguments.flag("--from-checkpoint", m_fromCheckpoint,
                       "Continue from its newest checkpoint, in any layout"_text);
        for (const Argument& ofStart : m_options.declare(arguments)) print.excludes(ofStart);
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto record = store->findRun(m_run);
        if (!record) return fail(record.error());
        const auto program = readProgram(RunDir{record->folder});
        if (!program) return fail(program.error());
        if (*program)
            return fail("usage",
                        "The run is of a program of your own; start it again with slipway resume, or as a new run with "
                        "slipway launch --."_text,
                        record->id.value);
        auto document = parseJson(record->configJson, "config of " + record->id.value);
        if (!document) return fail(document.error());
        // Fields that only older versions accepted are skipped; the rest is checked as for a new run.
        if (const auto stored = readStoredConfig(*document, record->id.value)) {
            for (const Issue& issue : stored->leftOut) context.note(issue.sentence());
            if (stored->isPartial())
                context.note(
                    "The run comes from another program; fields that it does not give have their defaults here."_text);
            if (!stored->leftOut.empty() || stored->isPartial()) document = toJson(stored->acting);
        }
        if (m_fromCheckpoint) {
            const std::string folder = std::filesystem::absolute(record->folder).lexically_normal().string();
            if (!newestCheckpoint(RunDir{folder}))
                return fail("checkpoint_missing", "The run has no complete checkpoint to continue from."_text,
                            record->id.value);
            if (auto set = setField(*document, "checkpoint.start_from", folder); !set) return fail(set.error());
        }
        if (auto set = applySettings(*document, m_options.settings); !set) return fail(set.error());
        if (m_options.name) (*document)["name"] = *m_options.name;
        const auto config = parseRunConfig(*document, record->id.value);
        if (!config) return fail(config.error());
        if (!m_print)
            return startRun(context, *config, m_options.cluster, m_options.tags.empty() ? record->tags : m_options.tags,
                            m_options.detach);
        context.out << dumpJson(toJson(*config), true);
        return kExitDone;
    }

private:
    std::string m_run;
    bool m_print = false, m_fromCheckpoint = false;
    StartOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeLaunchCommand() {
    return std::make_unique<LaunchCommand>();
}

std::unique_ptr<Command> makeCloneCommand() {
    return std::make_unique<CloneCommand>();
}

}  // namespace slipway
