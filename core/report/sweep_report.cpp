#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/message.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/metrics/forecast_label.h"
#include "core/report/build_report.h"
#include "core/report/figures.h"
#include "core/report/words.h"
#include "core/run/run_account.h"
#include "core/spec/known_differences.h"
#include "core/spec/token_file.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <tuple>

namespace slipway {
namespace {

std::string bytes(double value) {
    return formatBytes(value);
}
std::string percent(double value) {
    return formatPercent(value);
}

std::string timeText(std::int64_t unixMilliseconds, const char* format) {
    const std::time_t time = static_cast<std::time_t>(unixMilliseconds / 1000);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, format, &parts);
    return text;
}

std::string layoutText(const TrialResult& trial, Language language) {
    if (!trial.knows("parallel.dp")) return "–";
    const RunConfig& config = trial.config;
    const ParallelLayout& p = config.parallel;
    std::string out = "DP " + std::to_string(p.dp) + " × TP " + std::to_string(p.tp) + " × PP " + std::to_string(p.pp);
    if (p.cp > 1) out += " × CP " + std::to_string(p.cp);
    if (p.ep > 1) out += ", EP " + std::to_string(p.ep);
    if (p.zeroStage > 0) out += ", ZeRO-" + std::to_string(p.zeroStage);
    if (p.sequenceParallel) out += ", " + textOf("sequence parallel"_text, language);
    if (p.pp > 1 && trial.knows("parallel.schedule"))
        out += ", " + textOf("%1 with %2 micro-batches"_text(std::string(wordOf(p.schedule)), config.numMicroBatches()),
                             language);
    return out;
}

/// The basis of the forecasts, a label (StepEstimate::label) or several of them; empty when none is known.
std::string forecastBasis(const std::vector<TrialResult>& trials, Language language) {
    std::set<std::string> labels;
    for (const TrialResult& trial : trials)
        if (std::string label = forecastLabel(trial.forecastJson); !label.empty()) labels.insert(std::move(label));
    std::string text;
    for (const std::string& label : labels) {
        text += (text.empty() ? "" : "; ") + labelText(label, language);
        const SourceText why = label == "textbook"       ? "usual efficiencies, no measured run of this hardware"_text
                               : label == "typical"      ? "mean of the software whose runs are known"_text
                               : label == "calibrated"   ? "parameters fitted to measured runs"_text
                               : label == "fitted"       ? "parameters fitted to runs of this computer too"_text
                               : label == "extrapolated" ? "fitted to measured runs that differ from these"_text
                               : label == "measured"     ? "measured runs of these layouts"_text
                                                         : SourceText();
        if (!why.empty()) text += " (" + textOf(why, language) + ")";
    }
    return text;
}

Facts setupFacts(const SweepResult& result, Language language) {
    const auto say = [&](const Message& message) { return textOf(message, language); };
    Facts facts;
    const bool isOne = result.trials.size() == 1;
    if (!isOne) facts.title = say(result.id.empty() ? "Setup of the first run"_text : "Common to all trials"_text);
    const RunConfig& config = result.trials.front().config;
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    const TrialResult& first = result.trials.front();
    const auto ifKnown = [&](std::initializer_list<std::string_view> paths, const std::string& text) {
        return std::all_of(paths.begin(), paths.end(), [&](std::string_view path) { return first.knows(path); }) ? text
                                                                                                                 : "–";
    };
    std::string model = say("%1, %2 layers of width %3, %4 heads, vocabulary %5"_text(
        std::string(wordOf(m.family)), m.numLayers, m.hiddenSize, m.numHeads,
        formatCount(static_cast<double>(m.vocabSize))));
    if (const auto number = forecastPart(result.trials.front(), "parameters", "total"))
        model += ", " + say("%1 parameters"_text(ShortCount{*number}));
    facts.entries = {
        {say("Model"_text),
         ifKnown({"model.num_layers", "model.hidden_size", "model.num_heads", "model.vocab_size"}, model)},
        {say("Batch"_text), ifKnown({"train.global_batch_size", "train.seq_len", "train.num_steps", "train.seed"},
                                    say("%1 sequences of %2 tokens, %3 steps, seed %4"_text(t.globalBatchSize, t.seqLen,
                                                                                            t.numSteps, t.seed)))},
        {say("Precision"_text), ifKnown({"train.precision"}, std::string(wordOf(t.precision)))},
        {say("Optimizer"_text), ifKnown({"optimizer.kind", "optimizer.lr", "optimizer.schedule.kind"},
                                        std::string(wordOf(config.optimizer.kind)) + ", lr " +
                                            asciiText(formatSignificant(config.optimizer.lr, 3)) + ", " +
                                            std::string(wordOf(config.optimizer.schedule.kind)))},
        {say("Text"_text), config.data.tokens.empty() ? "–" : config.data.tokens}};
    if (const auto peak = result.cluster.device.peakFlops(t.precision))
        facts.entries.emplace_back(
            say("Peak for MFU"_text),
            formatFlops(*peak) + (result.cluster.device.source.empty() ? "" : ", " + result.cluster.device.source));
    if (const std::string basis = forecastBasis(result.trials, language); !basis.empty())
        facts.entries.emplace_back(say("Forecasts"_text), basis);
    return facts;
}

/// The sweep's settings, or for runs outside a sweep the differences from the first.
std::string differenceText(const SweepResult& result, const TrialResult& trial, Language language) {
    std::string out;
    if (!result.id.empty()) {
        for (const Setting& setting : trial.settings)
            out += (out.empty() ? "" : ", ") + setting.path + " " + setting.value;
        return out;
    }
    const KnownDifferences known = knownDifferences(result.trials.front().stored(), trial.stored());
    for (const FieldDifference& d : known.fields)
        out += (out.empty() ? "" : ", ") + d.path + " " + (d.right.empty() ? "–" : d.right);
    if (&trial != &result.trials.front() && known.numUnknown > 0)
        out += (out.empty() ? "" : "; ") +
               textOf(plural(known.numUnknown, "%1 field unknown"_text, "%1 fields unknown"_text)(known.numUnknown),
                      language);
    return out;
}

/// Settings and durations of the trials.
Table trialTable(const SweepResult& result, Language language) {
    const auto say = [&](const Message& message) { return textOf(message, language); };
    Table table;
    const bool isSweep = !result.id.empty();
    table.title = say(isSweep ? "Trials"_text : "Runs"_text);
    table.columns = {{say(isSweep ? "Trial"_text : "Run"_text), "trial", "", false, ""},
                     {say("Layout"_text), "layout", "", false, ""},
                     {say(isSweep ? "Fields of the sweep"_text : "Fields that differ from the first"_text),
                      "differences", "", false, ""},
                     {say("Time"_text), "seconds", "", true, ""}};
    for (const TrialResult& trial : result.trials) {
        const std::string differs = differenceText(result, trial, language);
        table.rows.push_back({{trial.name, {}, Tone::Plain},
                              {layoutText(trial, language), {}, Tone::Plain},
                              {differs.empty() ? "–" : differs, {}, Tone::Plain},
                              trial.seconds ? Cell{formatSeconds(*trial.seconds, language), *trial.seconds, Tone::Plain}
                                            : Cell{"–", {}, Tone::Quiet}});
    }
    return table;
}

/// Provenance from the run's folder.
RunOrigin originOf(const Home& home, const TrialResult& trial) {
    RunOrigin origin;
    origin.configHash = configHash(trial.config);
    const auto folder = home.run(trial.run);
    if (!folder) return origin;
    const auto environment = readJsonFile(folder->environment());
    if (!environment || !environment->is_object()) return origin;
    const auto text = [&](const char* key) {
        const auto at = environment->find(key);
        return at != environment->end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    origin.version = text("slipway_version");
    origin.commit = text("commit");
    origin.libtorch = text("libtorch_version");
    origin.host = text("host");
    origin.device = text("cpu");
    if (const auto load = environment->find("load"); load != environment->end() && load->is_number())
        origin.load = formatSignificant(load->get<double>(), 3);
    return origin;
}

/// One or two runs; if more, the fastest.
std::vector<const TrialResult*> accountedTrials(const std::vector<TrialResult>& trials) {
    std::vector<const TrialResult*> measured;
    for (const TrialResult& trial : trials)
        if (!trial.run.empty() && trial.measured.tokensPerSecond) measured.push_back(&trial);
    if (measured.size() <= 2) return measured;
    return {*std::max_element(measured.begin(), measured.end(), [](const TrialResult* a, const TrialResult* b) {
        return *a->measured.tokensPerSecond < *b->measured.tokensPerSecond;
    })};
}

/// Measured bars with the forecast of each figure, of the runs that fit into one figure.
std::vector<Block> comparisonFigures(const std::vector<TrialResult>& all, Language language) {
    const std::vector<TrialResult> trials = drawnTrials(all, kMostRows);
    std::vector<Block> blocks;
    const auto add = [&](const Message& title, const Message& unit, Member member, NumberFormat format) {
        BarFigure figure = barFigure(trials, title, unit, member, format, language);
        if (hasAny(figure)) blocks.emplace_back(std::move(figure));
    };
    add("Step time"_text, "lower is better"_text, &RunFigures::stepSeconds, secondsFormat(language));
    add("Throughput"_text, "tokens/s, whole run"_text, &RunFigures::tokensPerSecond, shortFormat(language));
    add(Message::name("MFU"), "share of the measured peak"_text, &RunFigures::mfu, percent);
    if (auto figure = memoryFigure(trials, language))
        blocks.emplace_back(std::move(*figure));
    else
        add("Memory, worst rank"_text, {}, &RunFigures::memoryPeakBytes, bytes);
    if (auto figure = bubbleFigure(trials, language)) blocks.emplace_back(std::move(*figure));
    add("Communication"_text, "bytes sent per rank and step"_text, &RunFigures::commBytes, bytes);
    return blocks;
}

Paragraph fastestOnly(std::size_t shown, std::size_t all, Language language) {
    return {textOf("The figures show the %1 fastest of %2; the table has all."_text(static_cast<std::int64_t>(shown),
                                                                                    static_cast<std::int64_t>(all)),
                   language)};
}

}  // namespace

Report sweepReport(const SweepResult& result, const ReportData& data, const ReportHead& head) {
    const Language language = head.language;
    const auto say = [&](const Message& message) { return textOf(message, language); };
    const bool isSweep = !result.id.empty();
    const std::size_t count = result.trials.size();
    Report report;
    report.language = language;
    report.title = head.title.empty() ? result.name : head.title;
    report.author = head.author;
    report.date = head.date;
    report.question = head.question.empty() ? result.question : head.question;
    std::string details;
    std::tie(report.summary, details) = shortened(summarySentences(result, data, language));
    Section answer;
    if (!details.empty()) answer.blocks.emplace_back(Paragraph{details});
    if (!result.hypothesis.empty())
        answer.blocks.emplace_back(Paragraph{say("Hypothesis: %1"_text(result.hypothesis))});
    if (isSweep)
        if (auto map = heatFigure(result.trials, language)) answer.blocks.emplace_back(std::move(*map));
    if (auto reasons = reasonsTable(result.trials, language)) {
        reasons->title = say("What did not run as planned"_text);
        answer.blocks.emplace_back(std::move(*reasons));
    }
    if (!answer.blocks.empty()) {
        answer.title = say("Findings"_text);
        report.sections.push_back(std::move(answer));
    }

    Section comparison{say("Comparison"_text), {}};
    Table table = comparisonTable(result.trials, language);
    if (!isSweep) table.columns.front() = {say("Run"_text), "run", "", false, ""};
    table.caption = say(
        "Measured: medians of the steps after warm-up. Difference: forecast against measurement. Memory: peak bytes of tensors on the worst rank. Communication: per rank and step. Below a forecast: its 80 % interval, of a textbook forecast a range; textbook, calibrated or measured: its basis (see Setup). n/a: cannot exist; –: not known."_text);
    comparison.blocks.emplace_back(std::move(table));
    if (count > kMostRows) comparison.blocks.emplace_back(fastestOnly(kMostRows, count, language));
    for (Block& figure : comparisonFigures(result.trials, language)) comparison.blocks.push_back(std::move(figure));
    report.sections.push_back(std::move(comparison));

    if (Section account = accountSection(data.accounts, language); !account.blocks.empty())
        report.sections.push_back(std::move(account));
    Section losses{say("Loss curves"_text), {}};
    if (count > kMostCurves) losses.blocks.emplace_back(fastestOnly(kMostCurves, count, language));
    const std::size_t before = losses.blocks.size();
    for (LineFigure& figure : lossFigures(drawnTrials(result.trials, kMostCurves), data, language))
        losses.blocks.emplace_back(std::move(figure));
    if (losses.blocks.size() > before) report.sections.push_back(std::move(losses));
    if (count > 0)
        report.sections.push_back({say("Setup"_text), {setupFacts(result, language), trialTable(result, language)}});
    report.sections.push_back(provenanceSection(result, data, language));
    if (isSweep)
        report.footer = say("Sweep %1, begun %2."_text(
                            result.id.value, timeText(result.createdUnixMilliseconds, "%Y-%m-%d %H:%M UTC"))) +
                        " ";
    report.footer += say("Made by Slipway %1."_text(data.origin));
    return report;
}

ReportData collectReportData(RunStore& store, const Home& home, const std::vector<TrialResult>& trials) {
    ReportData data;
    data.origin = versionText();
    std::string tokens;
    bool oneText = true;
    for (const TrialResult& trial : trials) {
        oneText = oneText && (tokens.empty() || tokens == trial.config.data.tokens);
        tokens = trial.config.data.tokens;
        if (trial.run.empty()) continue;
        data.origins[trial.run.value] = originOf(home, trial);
        if (auto series = store.series(trial.run, "loss"); series && !series->empty())
            data.losses[trial.run.value] = std::move(*series);
    }
    for (const TrialResult* trial : accountedTrials(trials))
        if (auto account = readAccount(store, trial->run)) data.accounts.push_back({trial->name, std::move(*account)});
    if (oneText && !tokens.empty())
        if (const auto file = TokenFile::open(home.tokenFile(tokens)); file && file->header().unigramEntropy > 0)
            data.unigramEntropy = file->header().unigramEntropy;
    return data;
}

Result<Report> buildSweepReport(RunStore& store, const Home& home, const SweepId& id, const ReportHead& head) {
    const auto result = loadSweepResult(store, id);
    if (!result) return fail(result.error());
    return sweepReport(*result, collectReportData(store, home, result->trials), head);
}

Result<std::vector<TrialResult>> runsAsTrials(RunStore& store, const std::vector<RunId>& ids) {
    std::vector<TrialResult> trials;
    for (const RunId& id : ids) {
        const auto run = store.run(id);
        if (!run) return fail(run.error());
        const auto json = parseJson(run->configJson.empty() ? "{}" : run->configJson, "config of " + id.value);
        if (!json) return fail(json.error());
        TrialResult trial;
        trial.index = trials.size();
        trial.name = run->name.empty() ? id.value : run->name;
        if (auto stored = readStoredConfig(*json, id.value)) {
            trial.config = std::move(stored->config);
            trial.given = std::move(stored->given);
        }
        trial.status = trialStatusFrom(wordOf(run->status)).value_or(TrialStatus::Planned);
        trial.reason = run->reason;
        trial.run = id;
        if (!run->forecastJson.empty()) trial.forecastJson = run->forecastJson;
        trial.forecast = run->forecast;
        trial.measured = run->measured;
        if (run->startedUnixMilliseconds && run->endedUnixMilliseconds)
            trial.seconds = static_cast<double>(*run->endedUnixMilliseconds - *run->startedUnixMilliseconds) / 1000;
        trials.push_back(std::move(trial));
    }
    return trials;
}

Result<Report> buildRunReport(RunStore& store, const Home& home, const std::vector<RunId>& ids,
                              const ReportHead& head) {
    if (ids.empty()) return fail("no_runs", "There is no run to report: the selection is empty."_text);
    if (ids.size() > kMostReportedRuns)
        return fail("too_many_runs",
                    "A report holds at most %1 runs; there are %2. Narrow the filter."_text(
                        static_cast<std::int64_t>(kMostReportedRuns), static_cast<std::int64_t>(ids.size())));
    auto trials = runsAsTrials(store, ids);
    if (!trials) return fail(trials.error());
    SweepResult result;
    result.name = trials->size() == 1
                      ? trials->front().name
                      : textOf("Comparison of %1 runs"_text(static_cast<std::int64_t>(trials->size())), head.language);
    if (const auto first = store.run(ids.front()); first && !first->clusterJson.empty())
        if (const auto json = parseJson(first->clusterJson, "cluster")) {
            Issues issues;
            result.cluster = clusterFromJson(*json, issues);
        }
    result.trials = std::move(*trials);
    return sweepReport(result, collectReportData(store, home, result.trials), head);
}

Result<std::string> reportFile(RunStore& store, const Home& home, const ReportSubject& subject, ReportHead head,
                               ReportFormat format) {
    if (format == ReportFormat::Csv) head.language = Language::English;
    const auto report = subject.sweep.empty() ? buildRunReport(store, home, subject.runs, head)
                                              : buildSweepReport(store, home, subject.sweep, head);
    if (!report) return fail(report.error());
    return writeReport(*report, format);
}

std::string reportDate(std::int64_t unixMilliseconds) {
    return timeText(unixMilliseconds, "%Y-%m-%d");
}

}  // namespace slipway
