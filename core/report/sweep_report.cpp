#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/metrics/forecast_label.h"
#include "core/report/build_report.h"
#include "core/report/figures.h"
#include "core/run/run_account.h"
#include "core/spec/stored_config.h"
#include "core/spec/token_file.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

namespace slipway {
namespace {

std::string seconds(double value) {
    return formatSeconds(value);
}
std::string bytes(double value) {
    return formatBytes(value);
}
std::string count(double value) {
    return formatShort(std::round(value));
}
std::string percent(double value) {
    return formatPercent(value);
}

std::string dateText(std::int64_t unixMilliseconds) {
    const std::time_t time = static_cast<std::time_t>(unixMilliseconds / 1000);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    return text;
}

std::string layoutText(const RunConfig& config) {
    const ParallelLayout& p = config.parallel;
    std::string out = "DP " + std::to_string(p.dp) + " × TP " + std::to_string(p.tp) + " × PP " + std::to_string(p.pp);
    if (p.cp > 1) out += " × CP " + std::to_string(p.cp);
    if (p.ep > 1) out += ", EP " + std::to_string(p.ep);
    if (p.zeroStage > 0) out += ", ZeRO-" + std::to_string(p.zeroStage);
    if (p.sequenceParallel) out += ", sequence parallel";
    if (p.pp > 1)
        out += ", " + std::string(wordOf(p.schedule)) + " with " + std::to_string(config.numMicroBatches()) +
               " micro-batches";
    return out;
}

/// What the forecasts rest on: "textbook", "calibrated", "measured", or several of them; empty when none says so.
std::string forecastBasis(const std::vector<TrialResult>& trials) {
    std::set<std::string> labels;
    for (const TrialResult& trial : trials)
        if (std::string label = forecastLabel(trial.forecastJson); !label.empty()) labels.insert(std::move(label));
    std::string text;
    for (const std::string& label : labels) {
        text += (text.empty() ? "" : "; ") + label;
        if (label == "textbook") text += " (usual efficiencies, no measured run of this hardware)";
        if (label == "calibrated") text += " (parameters fitted to measured runs)";
        if (label == "measured") text += " (measured runs of these layouts)";
    }
    return text;
}

std::string hardwareText(const ClusterSpec& cluster) {
    const std::string count = std::to_string(cluster.numDevices());
    if (cluster.device.kind == DeviceKind::Cpu)
        return cluster.device.name + ", " + count + (count == "1" ? " core" : " cores");
    return cluster.device.name + (count == "1" ? "" : " × " + count);
}

Facts setupFacts(const SweepResult& result) {
    Facts facts;
    facts.title = "What all trials share";
    const RunConfig& config = result.trials.front().config;
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    std::string parameters;
    if (const auto number = forecastPart(result.trials.front(), "parameters", "total"))
        parameters = ", " + formatShort(*number) + " parameters";
    facts.entries = {
        {"Model", std::string(wordOf(m.family)) + ", " + std::to_string(m.numLayers) + " layers of width " +
                      std::to_string(m.hiddenSize) + ", " + std::to_string(m.numHeads) + " heads, vocabulary " +
                      formatCount(static_cast<double>(m.vocabSize)) + parameters},
        {"Batch", std::to_string(t.globalBatchSize) + " sequences of " + std::to_string(t.seqLen) + " tokens, " +
                      std::to_string(t.numSteps) + " steps, seed " + std::to_string(t.seed)},
        {"Precision", std::string(wordOf(t.precision))},
        {"Optimizer", std::string(wordOf(config.optimizer.kind)) + ", lr " +
                          asciiText(formatSignificant(config.optimizer.lr, 3)) + ", " +
                          std::string(wordOf(config.optimizer.schedule.kind))},
        {"Text", config.data.tokens},
        {"Hardware", hardwareText(result.cluster)}};
    if (const auto peak = result.cluster.device.peakFlops(t.precision))
        facts.entries.emplace_back(
            "Peak for MFU",
            formatFlops(*peak) + (result.cluster.device.source.empty() ? "" : ", " + result.cluster.device.source));
    if (const std::string basis = forecastBasis(result.trials); !basis.empty())
        facts.entries.emplace_back("Forecasts", basis);
    return facts;
}

/// What the sweep sets, or for runs of no sweep what differs from the first.
std::string differenceText(const SweepResult& result, const TrialResult& trial) {
    std::string out;
    if (!result.id.empty()) {
        for (const Setting& setting : trial.settings)
            out += (out.empty() ? "" : ", ") + setting.path + " " + setting.value;
        return out;
    }
    for (const FieldDifference& d : diffConfigs(result.trials.front().config, trial.config))
        out += (out.empty() ? "" : ", ") + d.path + " " + (d.right.empty() ? "–" : d.right);
    return out;
}

/// What distinguishes the trials, and how each came to its end.
Table trialTable(const SweepResult& result) {
    Table table;
    const bool isSweep = !result.id.empty();
    table.title = isSweep ? "Trials" : "Runs";
    table.columns = {
        {"Trial", "trial", "", false, ""},
        {"Layout", "layout", "", false, ""},
        {isSweep ? "Fields the sweep sets" : "Fields that differ from the first", "differences", "", false, ""},
        {"Run", "run_id", "", false, ""},
        {"Time", "seconds", "", true, ""}};
    for (const TrialResult& trial : result.trials) {
        const std::string differs = differenceText(result, trial);
        table.rows.push_back({{trial.name, {}, Tone::Plain},
                              {layoutText(trial.config), {}, Tone::Plain},
                              {differs.empty() ? "–" : differs, {}, Tone::Plain},
                              {trial.run.empty() ? "–" : trial.run.value, {}, Tone::Quiet},
                              trial.seconds ? Cell{formatSeconds(*trial.seconds), *trial.seconds, Tone::Plain}
                                            : Cell{"–", {}, Tone::Quiet}});
    }
    return table;
}

/// One or two runs; of more the fastest.
std::vector<const TrialResult*> accountedTrials(const std::vector<TrialResult>& trials) {
    std::vector<const TrialResult*> measured;
    for (const TrialResult& trial : trials)
        if (!trial.run.empty() && trial.measured.tokensPerSecond) measured.push_back(&trial);
    if (measured.size() <= 2) return measured;
    return {*std::max_element(measured.begin(), measured.end(), [](const TrialResult* a, const TrialResult* b) {
        return *a->measured.tokensPerSecond < *b->measured.tokensPerSecond;
    })};
}

std::optional<Table> notRunTable(const SweepResult& result) {
    Table table;
    table.columns = {
        {"Trial", "trial", "", false, ""}, {"Status", "status", "", false, ""}, {"Reason", "reason", "", false, ""}};
    for (const TrialResult& trial : result.trials)
        if (!trial.reason.empty() || (trial.status != TrialStatus::Completed && trial.status != TrialStatus::Planned))
            table.rows.push_back(
                {{trial.name, {}, Tone::Plain},
                 {wordOf(trial.status), {}, trial.status == TrialStatus::Failed ? Tone::Bad : Tone::Quiet},
                 {trial.reason, {}, Tone::Plain}});
    if (table.rows.empty()) return {};
    return table;
}

}  // namespace

Report sweepReport(const SweepResult& result, const ReportData& data) {
    Report report;
    report.title = result.name;
    report.subtitle = result.question;
    Section answer{"What it shows", {}};
    answer.blocks.emplace_back(Paragraph{sweepSummary(result, data), true});
    if (!result.hypothesis.empty()) answer.blocks.emplace_back(Paragraph{"Hypothesis: " + result.hypothesis, false});
    report.sections.push_back(std::move(answer));

    Section comparison{"Comparison", {}};
    Table table = comparisonTable(result.trials);
    table.caption =
        "Measured: medians of the steps after warm-up. Memory: peak bytes of tensors on the worst rank. Communication: per rank and step. Below a forecast: its 80 % interval, of a textbook forecast a range; textbook, calibrated or measured: what it rests on (see Setup). n/a: cannot exist; –: not known.";
    comparison.blocks.emplace_back(std::move(table));
    for (const auto& [title, unit, member, format] :
         {std::tuple{"Step time", "lower is better", Member(&RunFigures::stepSeconds), NumberFormat(seconds)},
          std::tuple{"Throughput", "tokens/s, whole run", Member(&RunFigures::tokensPerSecond), NumberFormat(count)},
          std::tuple{"MFU", "share of the measured peak", Member(&RunFigures::mfu), NumberFormat(percent)}}) {
        BarFigure figure = barFigure(result.trials, title, unit, member, format);
        if (hasAny(figure)) comparison.blocks.emplace_back(std::move(figure));
    }
    if (auto figure = memoryFigure(result.trials))
        comparison.blocks.emplace_back(std::move(*figure));
    else if (BarFigure plain = barFigure(result.trials, "Memory, worst rank", "", &RunFigures::memoryPeakBytes, bytes);
             hasAny(plain))
        comparison.blocks.emplace_back(std::move(plain));
    if (auto figure = bubbleFigure(result.trials)) comparison.blocks.emplace_back(std::move(*figure));
    if (BarFigure figure =
            barFigure(result.trials, "Communication", "bytes sent per rank and step", &RunFigures::commBytes, bytes);
        hasAny(figure))
        comparison.blocks.emplace_back(std::move(figure));
    report.sections.push_back(std::move(comparison));

    if (Section account = accountSection(data.accounts); !account.blocks.empty())
        report.sections.push_back(std::move(account));
    Section losses{"Loss curves", {}};
    for (LineFigure& figure : lossFigures(result.trials, data)) losses.blocks.emplace_back(std::move(figure));
    if (!losses.blocks.empty()) report.sections.push_back(std::move(losses));
    if (auto notRun = notRunTable(result))
        report.sections.push_back({"What did not run as planned", {std::move(*notRun)}});
    if (!result.trials.empty()) report.sections.push_back({"Setup", {setupFacts(result), trialTable(result)}});
    report.footer = (result.id.empty()
                         ? ""
                         : "Sweep " + result.id.value + ", begun " + dateText(result.createdUnixMilliseconds) + ". ") +
                    data.origin;
    return report;
}

ReportData collectReportData(RunStore& store, const Home& home, const std::vector<TrialResult>& trials) {
    ReportData data;
    data.origin = "Made by Slipway " + versionText() + ".";
    std::string tokens;
    bool oneText = true;
    for (const TrialResult& trial : trials) {
        oneText = oneText && (tokens.empty() || tokens == trial.config.data.tokens);
        tokens = trial.config.data.tokens;
        if (trial.run.empty()) continue;
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

Result<Report> buildSweepReport(RunStore& store, const Home& home, const SweepId& id) {
    const auto result = loadSweepResult(store, id);
    if (!result) return fail(result.error());
    return sweepReport(*result, collectReportData(store, home, result->trials));
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
        if (auto stored = readStoredConfig(*json, id.value)) trial.config = std::move(stored->config);
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

Result<Report> buildRunReport(RunStore& store, const Home& home, const std::vector<RunId>& ids) {
    auto trials = runsAsTrials(store, ids);
    if (!trials) return fail(trials.error());
    SweepResult result;
    result.name =
        trials->size() == 1 ? trials->front().name : "Comparison of " + std::to_string(trials->size()) + " runs";
    if (const auto first = store.run(ids.front()); first && !first->clusterJson.empty())
        if (const auto json = parseJson(first->clusterJson, "cluster")) {
            Issues issues;
            result.cluster = clusterFromJson(*json, issues);
        }
    result.trials = std::move(*trials);
    return sweepReport(result, collectReportData(store, home, result.trials));
}

}  // namespace slipway
