// playbook: chapters with questions, guesses and checks; experiments that run here, with a verdict.
#include "app/cli/playbook_command.h"

#include "app/cli/playbook_catalogue.h"
#include "app/cli/playbook_export.h"
#include "app/cli/playbook_references.h"
#include "app/cli/playbook_remarks.h"
#include "app/cli/playbook_text.h"
#include "app/cli/print.h"
#include "app/cli/rehearsed_kill.h"
#include "app/cli/run_tools.h"
#include "app/cli/sweep_commands.h"
#include "core/base/units.h"
#include "core/playbook/catalogue.h"
#include "core/playbook/curve_figures.h"
#include "core/process/host_identity.h"
#include "core/process/proc_facts.h"
#include "core/run/machine.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <thread>

namespace slipway {
namespace {

constexpr double kBenchSeconds = 300;  // the trainer's benchmark of collectives takes ten

class PlaybookCommand : public Command {
public:
    std::string name() const override { return "playbook"; }
    Message summary() const override { return "Guess, check and try: chapters and experiments on training"_text; }
    Examples examples() const override {
        return {
            {"slipway playbook list", "chapters, experiments and where you are"_text},
            {"slipway playbook show pipelines", "the question; with a guess, the whole chapter"_text},
            {"slipway playbook guess pipelines 15", "before anything is shown; the first guess counts"_text},
            {"slipway playbook show exercises --edition first", "the worked solutions of the first edition"_text},
            {"slipway playbook note L6 --note TEXT", "a note on an experiment"_text},
            {"slipway playbook tick storage", "a point of the pre-flight list that no program can see"_text},
            {"slipway playbook check", "recompute the worked numbers of all sources"_text},
            {"slipway playbook run L3 --short", "train its points here, with repeats"_text},
            {"slipway playbook run L6 --plan", "runs, time, disk and what does not fit; start nothing"_text},
            {"slipway playbook verdict L3 --json"},
            {"slipway playbook calibration", "how far off your guesses were"_text},
            {"slipway playbook claims --json", "confirmed, contradicted, undecided, untested"_text},
            {"slipway playbook export K3 -o k3.json", "a sweep file for another machine"_text},
            {"slipway playbook export K1 --write slurm -o k1/", "an array for each number of ranks; or torchrun"_text},
            {"slipway playbook export K5 -o k5.sh", "a job of other programs: nccl-tests under Slurm"_text},
            {"slipway playbook export pipelines --lang ko -o chapter.html", "(or .pdf, .md)"_text},
            {"slipway playbook export all --config run.json -o playbook.pdf",
             "all chapters with your results, pictures drawn from a plan"_text},
            {"slipway playbook run L4 --repeats 9", "more repeats, where a verdict is inconclusive"_text},
            {"slipway playbook record L6 -o l6.json", "the record as a file, to commit or to hand on"_text},
            {"slipway playbook record --from l6.json", "take a record of another computer"_text},
            {"slipway playbook fetch ultrascale --yes",
             "published data, after its URL, licence and size were shown"_text},
            {"slipway playbook replay K2", "what fetched data say about an experiment, with a verdict"_text},
            {"slipway playbook explore --model 8B", "the benchmark's layouts by tokens/s, failed ones included"_text},
            {"slipway playbook models", "large models with their published shapes; also catalogue, glossary"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments
            .option(
                "action", m_action,
                "list, show, guess, note, tick, run, check, verdict, record, calibration, claims, export, fetch, replay, explore, catalogue, models or glossary"_text)
            .oneOf({"list", "show", "guess", "note", "tick", "run", "check", "verdict", "record", "calibration",
                    "claims", "export", "fetch", "replay", "explore", "catalogue", "models", "glossary"})
            .shownAs("ACTION");
        arguments.option("id", m_id, "A chapter (pipelines, 10) or an experiment (L6)"_text).shownAs("ID");
        arguments.option("value", m_value, "The guess, in the unit of the question"_text).shownAs("VALUE");
        arguments.option("--note", m_note, "A note that is kept with the guess or the experiment"_text).shownAs("TEXT");
        arguments.flag("--off", m_isOff, "Take the tick back (tick)"_text);
        arguments
            .option("--output,-o", m_output,
                    "File to write (export, record); a chapter is .html, .pdf, .md, .csv or .tex"_text)
            .shownAs("FILE");
        arguments
            .option("--write", m_write,
                    "Jobs of an experiment's trials, into the folder --output (export): slurm, torchrun"_text)
            .oneOf({"slurm", "torchrun"});
        arguments.option("--queue", m_queue, "With --write slurm: the partition"_text).shownAs("NAME");
        arguments.option("--title", m_title, "Title of the chapter's file (export); default: the chapter's"_text)
            .shownAs("TEXT");
        arguments.option("--author", m_author, "Author of the chapter's file (export)"_text).shownAs("TEXT");
        arguments
            .option("--config", m_config,
                    "Config whose plan the pictures are drawn from (export); default: a tiny run"_text)
            .shownAs("FILE");
        arguments.option("--repeats", m_repeats, "Repeats in place of the experiment's own (run)"_text)
            .between(kLeastRepeats, 100);
        arguments.flag("--short", m_isShort, "The short form of the experiment"_text);
        arguments.flag("--plan", m_isPlanOnly, "Show what run would take; start nothing"_text);
        arguments.flag("--answer", m_withAnswer, "Show the chapter or experiment without a guess (show)"_text);
        arguments
            .option("--edition", m_edition,
                    "Edition of the source whose solutions of the exercises are shown (show): later or first"_text)
            .shownAs("EDITION");
        arguments.flag("--yes", m_isAgreed, "Fetch the listed file (fetch)"_text);
        arguments
            .option("--from", m_from,
                    "A copy of the document that is here already (fetch); a record's file (record)"_text)
            .shownAs("FILE");
        arguments.option("--model", m_model, "Model of the benchmark: 1B, 3B, 8B or 80B (explore)"_text)
            .shownAs("MODEL");
        arguments.option("--nodes", m_nodes, "Nodes of 8 GPUs (explore); 0: all"_text).between(0, 64);
        arguments
            .option("--content", m_content, "Folder with chapters and experiments; default: the installed one"_text)
            .shownAs("FOLDER");
    }
    Result<int> run(CliContext& context) override;

private:
    Result<int> list(CliContext& context, const Playbook& playbook);
    Result<int> show(CliContext& context, const Playbook& playbook);
    Result<int> guess(CliContext& context, const Playbook& playbook);
    Result<int> check(CliContext& context, const Playbook& playbook);
    Result<int> runExperiment(CliContext& context, const Playbook& playbook);
    Result<int> verdict(CliContext& context, const Playbook& playbook);
    /// Over all results so far: calibration, claims.
    Result<int> balance(CliContext& context, const Playbook& playbook);
    Result<int> exportTo(CliContext& context, const Playbook& playbook);
    /// Writes this computer's record of an experiment, or reads one from another computer.
    Result<int> record(CliContext& context, const Playbook& playbook);

    Result<Measurements> bench(CliContext& context, const Experiment& experiment);
    Result<int> measured(CliContext& context, const Playbook& playbook, const Experiment& experiment,
                         const Measurements& measurements, const std::string& sweepId);
    Result<void> showPlan(CliContext& context, const Experiment& experiment, const ExperimentCost& cost);
    Result<const Experiment*> experimentOf(const Playbook& playbook) const;
    [[nodiscard]] tl::unexpected<Error> unknownId(const Playbook& playbook) const;

    std::string m_action = "list", m_id, m_note, m_output, m_content, m_from, m_model, m_title, m_author, m_config,
                m_edition, m_write, m_queue;
    std::int64_t m_nodes = 0, m_repeats = 0;
    std::optional<double> m_value;
    bool m_isShort = false, m_isPlanOnly = false, m_withAnswer = false, m_isAgreed = false, m_isOff = false;
    double m_load = 0;
};

Result<int> PlaybookCommand::run(CliContext& context) {
    const std::filesystem::path folder = m_content.empty() ? findPlaybookFolder() : std::filesystem::path(m_content);
    if (folder.empty())
        return fail("folder_missing", "The playbook is not installed; name its folder with --content."_text,
                    "--content");
    const auto playbook = readPlaybook(folder);
    if (!playbook) return fail(playbook.error());
    if (m_action == "fetch") return fetchReference(context, *playbook, m_id, m_from, m_isAgreed);
    if (m_action == "explore") return exploreBenchmark(context, *playbook, m_model, m_nodes);
    if (m_action == "catalogue" || m_action == "models" || m_action == "glossary")
        return lookUp(context, *playbook, m_action);
    if (m_action == "note" || m_action == "tick")
        return m_action == "note" && !m_id.empty() && !playbook->chapter(m_id) && !playbook->experiment(m_id)
                   ? unknownId(*playbook)
                   : remark(context, *playbook, {m_action, m_id, m_note, m_isOff});
    if (m_action == "record" && !m_from.empty()) return record(context, *playbook);
    if (m_id.empty() && m_action != "list" && m_action != "check" && m_action != "calibration" && m_action != "claims")
        return fail("usage", "Name a chapter or an experiment; slipway playbook list shows them."_text, m_action);
    if (m_value && m_action != "guess") return fail("usage", "Only guess takes a value."_text, "VALUE");
    if (m_action == "list") return list(context, *playbook);
    if (m_action == "show") return show(context, *playbook);
    if (m_action == "guess") return guess(context, *playbook);
    if (m_action == "check") return check(context, *playbook);
    if (m_action == "run") return runExperiment(context, *playbook);
    if (m_action == "calibration" || m_action == "claims") return balance(context, *playbook);
    if (m_action == "verdict") return verdict(context, *playbook);
    if (m_action == "replay") {
        const auto experiment = experimentOf(*playbook);
        return experiment ? replayExperiment(context, *playbook, **experiment) : fail(experiment.error());
    }
    if (m_action == "record") return record(context, *playbook);
    return exportTo(context, *playbook);
}

tl::unexpected<Error> PlaybookCommand::unknownId(const Playbook& playbook) const {
    std::vector<std::string> known;
    for (const Chapter& c : playbook.chapters) {
        known.push_back(c.id);
        for (const Exercise& exercise : c.exercises) known.push_back(c.subjectOf(exercise));
    }
    for (const Experiment& e : playbook.experiments) known.push_back(e.id);
    return fail("usage", "Unknown chapter or experiment %1%2"_text(m_id, didYouMean(nearestKey(m_id, known))), "ID");
}

Result<const Experiment*> PlaybookCommand::experimentOf(const Playbook& playbook) const {
    if (const Experiment* e = playbook.experiment(m_id)) return e;
    if (playbook.chapter(m_id) != nullptr)
        return fail("usage", "%1 is a chapter; name one of its experiments."_text(m_id), "ID");
    return unknownId(playbook);
}

Result<int> PlaybookCommand::list(CliContext& context, const Playbook& playbook) {
    const auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    const auto records = recordsOf(context.home);
    if (!records) return fail(records.error());
    Json chapters = Json::array(), experiments = Json::array();
    for (const Chapter& c : playbook.chapters) {
        std::size_t right = 0;
        for (const CheckResult& result : runChecks(c.checks)) right += result.verdict == CheckVerdict::Fails ? 0 : 1;
        const Guess* guess = firstGuess(*guesses, c.id);
        chapters.push_back({{"number", c.number},
                            {"id", c.id},
                            {"title", toJson(c.title)},
                            {"guess", guess == nullptr ? Json(nullptr) : jsonNumber(guess->value)},
                            {"checks", c.checks.size()},
                            {"checks_reached", right},
                            {"experiments", c.experiments}});
    }
    const ClusterSpec machine = thisMachine(context.home);
    for (const Experiment& e : playbook.experiments)
        experiments.push_back(
            listedDocument(e, ownRecord(*records, e.id, thisHost().host), firstGuess(*guesses, e.id), machine));
    if (context.json) {
        context.out << dumpJson(
            Json{{"folder", playbook.folder.string()}, {"chapters", chapters}, {"experiments", experiments}}, true);
        return kExitDone;
    }
    printPlaybookList(context, chapters, experiments);
    return kExitDone;
}

Result<int> PlaybookCommand::check(CliContext& context, const Playbook& playbook) {
    int failed = 0;
    Json all = Json::array();
    bool found = m_id.empty();
    const auto take = [&](const std::string& id, const LocalText& title, const std::vector<Check>& checks) {
        if (checks.empty() || !(m_id.empty() || m_id == id)) return;
        found = true;
        if (!context.json) {
            context.out << '\n' << printable(title.in(context.language)) << '\n';
            failed += printChecks(context, playbook, checks);
            return;
        }
        for (const Check& one : checks) {
            const CheckResult result = runCheck(one);
            failed += result.verdict == CheckVerdict::Fails ? 1 : 0;
            all.push_back(checkDocument(one, result));
            all.back()["of"] = id;
        }
    };
    const Chapter* chapter = playbook.chapter(m_id);
    if (chapter != nullptr) m_id = chapter->id;
    for (const Chapter& c : playbook.chapters) take(c.id, c.title, c.checks);
    for (const Experiment& e : playbook.experiments) take(e.id, e.title, e.computes);
    if (!found) return unknownId(playbook);
    if (context.json) context.out << dumpJson(Json{{"checks", all}, {"failed", failed}}, true);
    return failed > 0 ? kExitFailed : kExitDone;
}

Result<int> PlaybookCommand::guess(CliContext& context, const Playbook& playbook) {
    const auto found = playbook.guessSubject(m_id);
    if (!found) return unknownId(playbook);
    const std::string& subject = found->id;
    const GuessQuestion& question = *found->question;
    if (!m_value || !std::isfinite(*m_value))
        return fail("usage", "Type the guess as a number: %1"_text(question.asked.in(context.language)), "VALUE");
    const auto before = guessesOf(context.home);
    if (!before) return fail(before.error());
    const Guess* first = firstGuess(*before, subject);
    if (auto added = addGuess(context.home, {subject, *m_value, context.now(), m_note}); !added)
        return fail(added.error());
    if (context.json) {
        context.out << dumpJson(
            Json{{"subject", subject}, {"value", jsonNumber(*m_value)}, {"is_first", first == nullptr}}, true);
        return kExitDone;
    }
    context.out << context.text("Guess for %1: %2 %3."_text(subject, asciiText(formatSignificant(*m_value, 6)),
                                                            question.unit.in(context.language)))
                << '\n';
    if (first != nullptr)
        context.out << context.text("The first one, %1, is the one that counts."_text(
                           asciiText(formatSignificant(first->value, 6))))
                    << '\n';
    return kExitDone;
}

Result<int> PlaybookCommand::show(CliContext& context, const Playbook& playbook) {
    const auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    const Chapter* c = playbook.chapter(m_id);
    const Experiment* e = playbook.experiment(m_id);
    if (c == nullptr && e == nullptr) return unknownId(playbook);
    const Guess* guess = firstGuess(*guesses, c != nullptr ? c->id : e->id);
    const bool isOpen = guess != nullptr || m_withAnswer;
    if (context.json) {
        context.out << dumpJson(c != nullptr ? chapterDocument(playbook, *c, *guesses, m_withAnswer)
                                             : experimentDocument(*e, guess, isOpen),
                                true);
        return kExitDone;
    }
    printSubject(context, playbook, c, e, guess, isOpen);
    if (c != nullptr && isOpen) printExercises(context, *c, *guesses, m_withAnswer, m_edition);
    return kExitDone;
}

Result<void> PlaybookCommand::showPlan(CliContext& context, const Experiment& experiment, const ExperimentCost& cost) {
    std::ostream& to = m_isPlanOnly ? context.out : context.err;
    to << context.text("%1: %2 points, %3 runs, about %4, %5 on disk."_text(
              experiment.id, cost.points, cost.runs,
              cost.seconds ? Message(Seconds{*cost.seconds}) : Message("an unknown time"_text),
              asciiText(formatBytes(cost.diskBytes))))
       << '\n';
    for (const auto& skipped : cost.skipped)
        to << "  " << printable(skipped.run) << ": " << printable(skipped.reason) << '\n';
    if (!cost.device.empty())
        to << context.text(
                  "It needs other hardware (%1): forecast for %2. slipway playbook export %3 writes its jobs."_text(
                      experiment.hardware.in(context.language), cost.device, experiment.id))
           << '\n';
    if (cost.runs == 0) return fail("nothing_runs", "None of its points can run here."_text, experiment.id);
    return {};
}

Result<Measurements> PlaybookCommand::bench(CliContext& context, const Experiment& experiment) {
    Measurements all;
    const std::int64_t repeats = m_repeats > 0 ? m_repeats : experiment.repeats;
    for (std::int64_t repeat = 1; repeat <= repeats; ++repeat) {
        progressLine(context, "%1: %2 of %3"_text(experiment.id, repeat, repeats));
        if (experiment.bench == "near_duplicates") {
            addNearDuplicates(static_cast<std::uint64_t>(repeat), m_isShort, all);
            continue;
        }
        if (auto found = requireTrainer(context); !found) return fail(found.error());
        const auto printed =
            programOutput({context.programs.trainer.string(), "bench", "--comm", "--json"}, kBenchSeconds);
        if (!printed) return fail(printed.error());
        const auto report = parseJson(*printed, "bench");
        if (!report) return fail(report.error());
        addCommBench(*report, all);
    }
    endProgressLine(context);
    return all;
}

Result<int> PlaybookCommand::measured(CliContext& context, const Playbook& playbook, const Experiment& experiment,
                                      const Measurements& measurements, const std::string& sweepId) {
    Circumstances at;
    at.unixMilliseconds = context.now();
    at.host = thisHost().host;
    at.processor = cpuName();
    at.cpus = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    at.load = m_load;
    at.isShort = m_isShort;
    at.sweepId = sweepId;
    if (!context.programs.trainer.empty())
        at.version = programVersion(context.programs.trainer, context.home.path / "versions.json").value_or("");
    const Json record = recordOf(experiment, measurements, at);
    if (auto added = addRecord(context.home, record); !added) return fail(added.error());
    const auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    printVerdict(context, playbook, experiment,
                 verdictDocument(experiment, record, firstGuess(*guesses, experiment.id)));
    return kExitDone;
}

Result<int> PlaybookCommand::runExperiment(CliContext& context, const Playbook& playbook) {
    const auto found = experimentOf(playbook);
    if (!found) return fail(found.error());
    const Experiment& experiment = **found;
    if (!experiment.waitsFor.empty())
        return fail("not_ready", "%1 waits for: %2."_text(experiment.id, experiment.waitsFor.in(context.language)));
    const bool isElsewhere = experiment.need == ExperimentNeed::Gpu || experiment.need == ExperimentNeed::Node ||
                             experiment.need == ExperimentNeed::Cluster;
    std::optional<ClusterSpec> machine;  // measuring it takes seconds, where it was not measured before
    if (isElsewhere || !experiment.sweepJson.empty()) {
        auto cluster = clusterFor(context, {});
        if (!cluster) return fail(cluster.error());
        machine = std::move(*cluster);
    }
    if (isElsewhere && !m_isPlanOnly && !runsOn(experiment, *machine))
        return fail(
            "needs_hardware",
            "%1 needs other hardware (%2); slipway playbook export %1 writes its sweep, --write slurm its jobs."_text(
                experiment.id, experiment.hardware.in(context.language)));
    if (experiment.need == ExperimentNeed::Plan) {
        const auto guesses = guessesOf(context.home);
        if (!guesses) return fail(guesses.error());
        printVerdict(context, playbook, experiment,
                     verdictDocument(experiment, nullptr, firstGuess(*guesses, experiment.id)));
        return kExitDone;
    }
    (void)getloadavg(&m_load, 1);
    const std::optional<std::int64_t> repeats = m_repeats > 0 ? std::optional(m_repeats) : std::nullopt;
    const auto cost = costOf(experiment, m_isShort, machine.value_or(ClusterSpec{}), repeats);
    if (!cost) return fail(cost.error());
    if (context.json && m_isPlanOnly) {
        context.out << dumpJson(costDocument(*cost), true);
        return kExitDone;
    }
    if (auto shown = showPlan(context, experiment, *cost); !shown) return fail(shown.error());
    if (m_isPlanOnly) return kExitDone;
    if (!experiment.bench.empty()) {
        const auto all = bench(context, experiment);
        return all ? measured(context, playbook, experiment, *all, "") : fail(all.error());
    }
    const auto file = sweepOf(experiment, m_isShort, repeats);
    if (!file) return fail(file.error());
    const ClusterSpec& cluster = file->cluster ? *file->cluster : *machine;
    auto store = openStore(context);
    if (!store) return fail(store.error());
    auto runner = openSweep(context, *store, *file, cluster, {});
    if (!runner) return fail(runner.error());
    RehearsedKill kill(experiment, context.home, *store);
    if (!runner->wasComplete()) {
        if (auto built = buildSweepText(context, *file); !built) return fail(built.error());
        const auto driven = driveSweep(context, *runner, [&] { kill.tick(*runner, context.now()); });
        if (!driven || *driven != kExitDone) return driven;
    }
    const auto result = loadSweepResult(*store, runner->id());
    if (!result) return fail(result.error());
    Measurements all = measurementsOf(*result);
    const auto curve = [&](const RunId& run, const std::string& name) { return store->series(run, name); };
    if (auto added = addCurveFigures(experiment, *result, curve, all); !added) return fail(added.error());
    if (auto added = kill.addAttempts(*result, all); !added) return fail(added.error());
    return measured(context, playbook, experiment, all, runner->id().value);
}

Result<int> PlaybookCommand::verdict(CliContext& context, const Playbook& playbook) {
    const auto experiment = experimentOf(playbook);
    if (!experiment) return fail(experiment.error());
    const auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    const auto records = recordsOf(context.home);
    if (!records) return fail(records.error());
    const Json* own = ownRecord(*records, m_id, thisHost().host);
    Json document = verdictDocument(**experiment, own == nullptr ? Json(nullptr) : *own, firstGuess(*guesses, m_id));
    document["theirs"] = Json::array();
    for (const Json* theirs : theirRecords(*records, m_id, thisHost().host))
        document["theirs"].push_back(verdictDocument(**experiment, *theirs, nullptr));
    const auto data = readPublishedData(context.home, playbook.folder);
    if (!data) return fail(data.error());
    const ReplayResult replay = replayOf(**experiment, *data);
    document["replay"] = replayDocument(replay);
    printVerdict(context, playbook, **experiment, document);
    const bool isHere = (*experiment)->need == ExperimentNeed::Laptop || (*experiment)->need == ExperimentNeed::Plan;
    if (!context.json && replay.reference != nullptr) {
        context.out << '\n';
        printReplay(context, replay);
    } else if (!context.json && !isHere) {
        context.out << '\n'
                    << wrapText(context.text(noReplayText(**experiment, context.language)), lineWidth(context.out))
                    << '\n';
    }
    return kExitDone;
}

Result<int> PlaybookCommand::balance(CliContext& context, const Playbook& playbook) {
    const auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    const auto records = recordsOf(context.home);
    if (!records) return fail(records.error());
    const bool isClaims = m_action == "claims";
    const Json document = isClaims
                              ? claimsDocument(claimsOf(playbook, *records, thisHost().host))
                              : calibrationDocument(guessCalibrationOf(playbook, *guesses, *records, thisHost().host));
    if (context.json)
        context.out << dumpJson(document, true);
    else if (isClaims)
        printClaims(context, document);
    else
        printCalibration(context, document);
    return kExitDone;
}

Result<int> PlaybookCommand::exportTo(CliContext& context, const Playbook& playbook) {
    const Chapter* chapter = playbook.chapter(m_id);
    if (chapter != nullptr || m_id == "all")
        return exportReport(context, playbook, chapter, {m_output, m_config, m_title, m_author});
    const auto experiment = experimentOf(playbook);
    if (!experiment) return fail(experiment.error());
    if (!m_write.empty()) return exportJobs(context, **experiment, m_isShort, m_write, m_output, m_queue);
    const auto exported = exportOf(**experiment, m_isShort, m_output.ends_with(".sh"));
    return exported ? writeOrPrint(context, m_output, *exported) : fail(exported.error());
}

Result<int> PlaybookCommand::record(CliContext& context, const Playbook& playbook) {
    if (!m_from.empty()) return takeRecord(context, playbook, m_from);
    const auto experiment = experimentOf(playbook);
    return experiment ? writeRecord(context, m_id, m_output) : fail(experiment.error());
}

}  // namespace

std::unique_ptr<Command> makePlaybookCommand() {
    return std::make_unique<PlaybookCommand>();
}

}  // namespace slipway
