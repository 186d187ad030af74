#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "app/cli/slurm_arguments.h"
#include "app/cli/sweep_commands.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/report/build_report.h"
#include "core/sweep/repeats.h"
#include "core/sweep/sweep_runner.h"
#include "core/sweep/trial_state.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

namespace slipway {
namespace {

/// `slipway sweep FILE`, and `slipway --batch FILE` for scripts.
class SweepCommand : public Command {
public:
    explicit SweepCommand(bool isOption) : m_isOption(isOption) {}
    std::string name() const override { return m_isOption ? "--batch" : "sweep"; }
    Message summary() const override { return "Run a sweep to its end, or show it when it is complete"_text; }
    Examples examples() const override {
        if (m_isOption)
            return {{"slipway plan --model llama3-8b", "requirements of a run"_text},
                    {"slipway launch config.json", "start it"_text},
                    {"slipway sweep experiments/quickstart.json", "run missing trials, then print the table"_text},
                    {"slipway --batch sweep.json --jobs 2 --json > out.json", "the same for scripts"_text}};
        return {{"slipway sweep experiments/quickstart.json", "run missing trials, then print the table"_text},
                {"slipway sweep sweep.json --jobs 2 --json > out.json", "two trials at a time, one JSON document"_text},
                {"slipway sweep sweep.json --slurm --queue gpu --time-limit 2:00:00 --jobs 16",
                 "each trial as a job, 16 at a time"_text},
                {"slipway sweep sweep.json --nodes gpu1,gpu2", "one trial at a time on each node"_text},
                {"slipway search config.json --sweep best.json && slipway sweep best.json"}};
    }
    void declare(Arguments& arguments) override {
        Argument file =
            arguments
                .option(
                    m_isOption ? "--batch" : "file", m_file,
                    "Sweep file to run; rerun it to complete missing trials. Also the id of a sweep that ran before, or its beginning"_text)
                .shownAs("FILE");
        Argument jobs =
            arguments
                .option("--jobs", m_jobs,
                        "Trials at the same time; with --nodes on each node, with --slurm as jobs that run"_text)
                .between(1, 1024);
        Argument nodes = arguments
                             .option("--nodes", m_nodes,
                                     "Nodes to run on (slipway nodes); several sweeps share them. Default: here"_text)
                             .shownAs("NODE,NODE")
                             .oneEach()
                             .separatedBy(',');
        Argument lostAfter =
            arguments
                .option("--lost-after", m_lostAfter,
                        "Seconds without any sign of a node until its trials continue on other nodes (0: never)"_text)
                .shownAs("SECONDS")
                .notNegative();
        Argument retry =
            arguments
                .option(
                    "--retry", m_retry,
                    "Run trials again, from their newest checkpoints: failed, lost, killed (separated by commas)"_text)
                .shownAs("REASONS")
                .separatedBy(',')
                .oneOf({std::begin(kRetryReasons), std::end(kRetryReasons)});
        Argument again = arguments.flag("--again", m_again, "Start over although this sweep has run before"_text);
        if (!m_isOption) {
            file.required();
            m_slurm.declare(arguments, "Submit each trial as a job of Slurm"_text);
            m_slurm.declarePlace(arguments);
            arguments.flag("--pause", m_pause, "Let the running trials of a sweep (by id) finish, start none"_text);
            arguments.flag("--stop", m_stop,
                           "Stop the running trials of a sweep (by id) after their current step"_text);
            return;
        }
        jobs.needs(file);
        retry.needs(file);
        again.needs(file);
        nodes.needs(file);
        lostAfter.needs(nodes);
    }
    Result<int> run(CliContext& context) override;

private:
    Result<int> request(CliContext& context, RunStore& store);
    void continueInPlace(CliContext& context, const SweepId& id);
    Result<int> show(CliContext& context, RunStore& store, const SweepId& id);

    bool m_isOption;
    std::string m_file;
    std::int64_t m_jobs = 1, m_lostAfter = kLostAfterSeconds;
    bool m_again = false;
    std::vector<std::string> m_retry, m_nodes;
    SlurmArguments m_slurm;
    bool m_pause = false, m_stop = false;
};

/// Nodes have their own trainers, which are checked when they start a trial.
Result<std::string> trainerVersion(CliContext& context, bool isOnNodes) {
    if (isOnNodes && context.programs.trainer.empty()) return versionText();
    if (auto found = requireTrainer(context); !found) return fail(found.error());
    return programVersion(context.programs.trainer, context.home.path / "versions.json");
}

/// The sweep with this id prefix. "sweep_missing".
Result<SweepRecord> findSweep(RunStore& store, const std::string& id) {
    const auto sweeps = store.sweeps();
    if (!sweeps) return fail(sweeps.error());
    for (const SweepRecord& sweep : *sweeps)
        if (!id.empty() && sweep.id.value.starts_with(id)) return sweep;
    return fail("sweep_missing", "There is neither a file nor a sweep %1."_text(id), id);
}

/// --pause and --stop: sends the request to the program that runs the sweep.
Result<int> SweepCommand::request(CliContext& context, RunStore& store) {
    const auto sweep = findSweep(store, m_file);
    if (!sweep) return fail(sweep.error());
    if (!isSweepDriven(context.home, sweep->identity))
        return fail("sweep_idle", "No program on this computer runs the sweep %1."_text(sweep->id.value));
    if (auto asked = requestSweep(context.home, sweep->id, m_stop ? SweepRequest::Stop : SweepRequest::Pause); !asked)
        return fail(asked.error());
    context.err << (m_stop ? "Sweep %1: stopping; `slipway sweep %1` continues it."_text
                           : "Sweep %1: pausing; `slipway sweep %1` continues it."_text)(sweep->id.value)
                << '\n';
    return kExitDone;
}

/// By its id a sweep continues where its last start was, unless the arguments name another place.
void SweepCommand::continueInPlace(CliContext& context, const SweepId& id) {
    const auto place = sweepPlace(context.home, id);
    if (!place || !m_nodes.empty() || m_slurm.slurm) return;
    if (m_jobs == 1) m_jobs = place->jobs;
    m_nodes = place->nodes;
    if (m_nodes.empty()) return;
    if (m_lostAfter == kLostAfterSeconds) m_lostAfter = place->lostAfterSeconds;
    std::string names;
    for (const std::string& node : m_nodes) names += (names.empty() ? "" : ",") + node;
    context.note("the sweep continues where it ran: --nodes %1 --jobs %2."_text(names, m_jobs));
}

Result<int> SweepCommand::run(CliContext& context) {
    std::error_code missing;
    const bool isFile = std::filesystem::exists(m_file, missing);
    auto file = isFile ? readSweepFile(m_file) : Result<SweepFile>(SweepFile{});
    if (!file) return fail(file.error());
    auto store = openStore(context);
    if (!store) return fail(store.error());
    if (m_pause || m_stop) return request(context, *store);
    if (const std::string unused = m_slurm.unused(); !unused.empty())
        return fail("usage", "%1 needs --slurm."_text(unused), unused);
    if (m_slurm.slurm && !m_nodes.empty())
        return fail("usage", "--slurm leaves the nodes to Slurm; name no --nodes."_text, "--slurm");
    const auto slurm = m_slurm.chosen(context.home);
    if (!slurm) return fail(slurm.error());
    const auto sweep = isFile ? Result<SweepRecord>(SweepRecord{}) : findSweep(*store, m_file);
    if (!sweep) return fail(sweep.error());
    const SweepId id = sweep->id;
    if (!isFile) continueInPlace(context, id);
    const auto version = trainerVersion(context, !m_nodes.empty() || !m_slurm.options.login.empty());
    if (!version) return fail(version.error());
    if (!isFile) {
        if (!m_retry.empty() && isSweepDriven(context.home, sweep->identity)) {
            if (auto asked = requestRetry(context.home, id, m_retry); !asked) return fail(asked.error());
            context.err << "The program that runs the sweep %1 tries these trials again."_text(id.value) << '\n';
            return kExitDone;
        }
        file = storedSweepFile(*store, id, *version);
        if (!file) return fail(file.error());
    }
    const auto named = file->cluster ? Result<std::string>() : clusterOfNodes(context, m_nodes);
    if (!named) return fail(named.error());
    auto cluster = file->cluster ? Result<ClusterSpec>(*file->cluster) : clusterFor(context, *named);
    if (!cluster) return fail(cluster.error());

    auto runner = openSweep(context, *store, *file, *cluster,
                            {m_jobs, m_again, *version, m_retry, id, m_nodes, *slurm, m_lostAfter});
    if (!runner) return fail(runner.error());
    int code = kExitDone;
    if (runner->wasComplete()) {
        context.err << "This sweep is complete; --retry failed runs its failed trials again, --again all of them."_text
                    << '\n';
    } else {
        if (auto built = buildSweepText(context, *file); !built) return fail(built.error());
        const auto driven = driveSweep(context, *runner);
        if (!driven) return driven;
        code = *driven;
    }
    const auto shown = show(context, *store, runner->id());
    return !shown || code == kExitDone ? shown : Result<int>(code);
}

/// Many trials on many nodes have news all the time, and a tick looks at all of them: ticks get a fifth of a processor.
void restAfter(double processorSeconds) {
    constexpr double kShare = 4, kMostSeconds = 0.1;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kMostSeconds, kShare * processorSeconds)));
}

Message progressText(const SweepRunner& runner, const SweepProgress& progress) {
    std::vector<Message> counts{"%1 of %2 done"_text(progress.settled(), progress.total)};
    if (progress.failed > 0) counts.push_back("%1 failed"_text(progress.failed));
    if (progress.infeasible > 0) counts.push_back("%1 out of memory"_text(progress.infeasible));
    if (progress.skipped > 0) counts.push_back("%1 skipped"_text(progress.skipped));
    if (progress.queued > 0) counts.push_back("%1 in Slurm's queue"_text(progress.queued));
    Message line = listOf(counts);
    for (const auto& running : progress.running)
        line = "%1 | %2"_text(line, (running.isWaiting ? "%1: step %2 of %3, waiting"_text : "%1: step %2 of %3"_text)(
                                        runner.trials()[running.trial].name, running.step, running.numSteps));
    return progress.secondsLeft ? "%1 | %2"_text(line, timeLeftText(*progress.secondsLeft)) : line;
}

}  // namespace

Result<SweepRunner> openSweep(CliContext& context, RunStore& store, const SweepFile& file, const ClusterSpec& cluster,
                              SweepOptions options) {
    const bool isElsewhere = !options.nodes.empty() || (options.slurm && !options.slurm->login.empty());
    const auto version = trainerVersion(context, isElsewhere);
    if (!version) return fail(version.error());
    options.trainerVersion = *version;
    return SweepRunner::open(store, context.home, context.programs, file, cluster, options, context.now());
}

Result<void> buildSweepText(CliContext& context, const SweepFile& file) {
    if (!file.corpus) return {};
    const auto corpus = buildCorpus(*file.corpus, context.home, [&](const CorpusProgress& progress) {
        progressLine(context, "Text %1: %2 %3"_text(file.corpus->name, phaseText(progress.phase),
                                                    formatPercent(progress.fraction)));
        return context.interrupts() == 0;
    });
    endProgressLine(context);
    if (!corpus) return fail(corpus.error());
    if (!corpus->reused)
        context.err << "Text %1: %2 tokens, vocabulary %3."_text(
                           file.corpus->name, ShortCount{static_cast<double>(corpus->header.numTokens)},
                           corpus->header.vocabSize)
                    << '\n';
    return {};
}

Result<int> driveSweep(CliContext& context, SweepRunner& runner, const std::function<void()>& afterTick) {
    handleInterrupts();
    int handled = 0;
    int storeFailures = 0;
    while (!runner.done()) {
        const std::clock_t begun = std::clock();
        const std::int64_t now = context.now();
        const auto events = runner.tick(now);
        if (!events) {
            // A full disk or a busy index can pass; running trials continue in the meantime.
            if (++storeFailures > 100) return fail(events.error());
            if (storeFailures == 1) {
                endProgressLine(context);
                context.err << "problem: %1; trying again."_text(events.error().sentence()) << '\n';
            }
        } else {
            storeFailures = 0;
            for (const SweepEvent& event : *events) {
                if (event.kind == SweepEvent::Kind::Started) {
                    for (const Issue& issue : runner.trials()[event.trial].leftOut) {
                        endProgressLine(context);
                        context.err << "warning"_text
                                    << ": " << printable(runner.trials()[event.trial].name) << ": " << issue.sentence()
                                    << '\n';
                    }
                    continue;
                }
                endProgressLine(context);
                const SweepProgress progress = runner.progress(now);
                context.err << '[' << progress.settled() << '/' << progress.total << "] "
                            << printable(runner.trials()[event.trial].name) << ": "
                            << (event.kind == SweepEvent::Kind::Problem ? Message("problem"_text)
                                                                        : statusText(event.status))
                            << (event.text.empty() ? "" : ", " + printable(event.text)) << '\n';
            }
        }
        const int interrupts = context.interrupts();
        if (interrupts > handled) {
            endProgressLine(context);
            if (interrupts == 1) {
                context.err << "Pausing after the running trials; Ctrl-C again stops them."_text << '\n';
                runner.pause();
            } else if (interrupts == 2) {
                context.err << "Stopping after the current step; Ctrl-C again leaves the runs alone."_text << '\n';
                runner.stop(now);
            } else {
                context.err << "The runs continue by themselves; the next start of this sweep picks them up."_text
                            << '\n';
                return kExitInterrupted;
            }
            handled = interrupts;
        }
        if (runner.done()) break;
        if (afterTick) afterTick();
        progressLine(context, progressText(runner, runner.progress(now)));
        // Pending news cannot be stored and would return at once.
        if (storeFailures > 0) {
            context.pause();
        } else {
            restAfter(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
            context.waitFor(runner.newsFds());
        }
    }
    endProgressLine(context);
    if (auto last = runner.tick(context.now()); !last) return fail(last.error());  // stores the end of the sweep
    if (runner.pausedFromOutside() && !runner.complete())
        context.err << "Paused as another program asked; `slipway sweep %1` continues it."_text(runner.id().value)
                    << '\n';
    return (handled > 0 || runner.pausedFromOutside()) && !runner.complete() ? kExitInterrupted : kExitDone;
}

namespace {

/// Medians over trials that differ only in their seed, with the quartiles; no output without repeats.
void printRepeats(CliContext& context, const std::vector<RepeatGroup>& groups) {
    if (!hasRepeats(groups)) return;
    Table table;
    for (const SourceText title :
         {"Repeats"_text, "Completed"_text, "Step time"_text, "Quartiles"_text, "Loss"_text, "Quartiles"_text})
        table.columns.push_back({context.text(title), "", "", title != "Repeats", ""});
    for (const RepeatGroup& group : groups) {
        std::vector<Cell> row{{printable(group.name), {}, Tone::Plain},
                              {context.text("%1 of %2"_text(group.completed, group.trials.size())), {}, Tone::Plain}};
        const auto add = [&](const char* key, auto format) {
            const auto found = std::ranges::find(group.figures, std::string_view(key), &RepeatFigure::key);
            const bool known = found != group.figures.end();
            row.push_back(known ? Cell{format(found->median), found->median, Tone::Plain} : Cell{"-", {}, Tone::Quiet});
            row.push_back(
                known ? Cell{context.text("%1 to %2"_text(format(found->low), format(found->high))), {}, Tone::Plain}
                      : Cell{"-", {}, Tone::Quiet});
        };
        add("step_seconds", [](double value) { return formatSeconds(value); });
        add("final_loss", [](double value) { return formatSignificant(value, 4); });
        table.rows.push_back({std::move(row)});
    }
    context.out << '\n';
    printTable(context.out, table, context.outColour);
}

Result<int> SweepCommand::show(CliContext& context, RunStore& store, const SweepId& id) {
    const auto result = loadSweepResult(store, id);
    if (!result) return fail(result.error());
    const ReportData data = collectReportData(store, context.home, result->trials);
    const Report report = sweepReport(*result, data);  // language-independent: the next reader may have another one
    const auto folder = context.home.sweep(id);
    if (!folder) return fail(folder.error());
    for (const auto& [file, text] : {std::pair{"report.md", toMarkdown(report)}, std::pair{"report.csv", toCsv(report)},
                                     std::pair{"report.html", toHtml(report)}})
        if (auto written = writeFileAtomically(*folder / file, text); !written) return fail(written.error());
    const int code = result->succeeded() ? kExitDone : kExitFailed;
    if (context.json) {
        context.out << dumpJson(toJson(*result), true);
        return code;
    }
    const Table table = selectColumns(
        comparisonTable(result->trials, context.language),
        {"trial", "step_seconds", "forecast_step_seconds", "mfu", "memory_peak_bytes", "forecast_memory_peak_bytes",
         "bubble_fraction", "forecast_bubble_simulated", "final_loss", "final_eval_loss"});
    printTable(context.out, table, context.outColour);
    printRepeats(context, groupRepeats(*result));
    for (const TrialResult& trial : result->trials)
        if (!trial.reason.empty())
            context.out << "  " << printable(trial.name) << ", " << statusText(trial.status) << ": "
                        << printable(recordedText(trial.reason, context.language)) << '\n';
    context.out << '\n'
                << wrapText(printable(sweepSummary(*result, data, context.language)), lineWidth(context.out)) << "\n\n"
                << "Report: %1"_text((*folder / "report.html").string()) << '\n';
    return code;
}

}  // namespace

std::unique_ptr<Command> makeBatchCommand() {
    return std::make_unique<SweepCommand>(true);
}

std::unique_ptr<Command> makeSweepCommand() {
    return std::make_unique<SweepCommand>(false);
}

}  // namespace slipway
