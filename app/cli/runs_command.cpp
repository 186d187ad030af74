#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/metrics/mfu_rule.h"
#include "core/run/end_file.h"
#include "core/run/run_session.h"
#include "core/spec/run_config.h"
#include "core/spec/stored_config.h"
#include "core/stability/loss_curve.h"

#include <algorithm>
#include <functional>

namespace slipway {
namespace {

Json runJson(const RunRecord& run, std::optional<std::int64_t> seqLen) {
    const auto time = [](const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); };
    return Json{{"run_id", run.id.value},
                {"name", run.name},
                {"status", wordOf(run.status)},
                {"host", run.host.empty() ? Json(nullptr) : Json(run.host)},
                {"last_sign_unix_ms", time(run.lastSignUnixMilliseconds)},
                {"reason", run.reason.empty() ? Json(nullptr) : Json(run.reason)},
                {"tags", run.tags},
                {"archived", run.archived},
                {"sweep_id", run.sweep.empty() ? Json(nullptr) : Json(run.sweep.value)},
                {"trial", run.trial ? Json(*run.trial) : Json(nullptr)},
                {"attempts", run.attempts},
                {"last_step", run.lastStep},
                {"num_steps", run.numSteps},
                {"created_unix_ms", run.createdUnixMilliseconds},
                {"started_unix_ms", time(run.startedUnixMilliseconds)},
                {"ended_unix_ms", time(run.endedUnixMilliseconds)},
                {"forecast", measuredJson(run.forecast)},
                {"measured", shownJson(run.measured, seqLen)}};
}

/// The one column that is asked for.
std::optional<std::int64_t> seqLenOf(const RunRow& row) {
    const auto* value = row.cells.empty() ? nullptr : std::get_if<std::int64_t>(&row.cells.front());
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

Cell figure(const std::optional<double>& value, std::string (*format)(double)) {
    return value ? Cell{format(*value), *value, Tone::Plain} : Cell{"-", {}, Tone::Quiet};
}

Tone toneOf(RunStatus status) {
    return status == RunStatus::Completed ? Tone::Good
           : status == RunStatus::Failed  ? Tone::Bad
           : status == RunStatus::Lost    ? Tone::Warn
                                          : Tone::Plain;
}

std::string tagsText(const RunRecord& run) {
    std::string text;
    for (const std::string& tag : run.tags) text += (text.empty() ? "" : " ") + tag;
    return text;
}

/// A column of the list with what it shows of a run.
struct RunColumn {
    Column column;
    std::function<Cell(const RunRecord&)> cell;
};

/// Held-out loss is a column where a run has one.
Table tableOf(const std::vector<RunRow>& rows) {
    using R = RunRecord;
    const auto words = [](const char* title, auto text) {
        return RunColumn{{title, "", "", false, ""}, [text](const R& r) { return Cell{text(r), {}, Tone::Plain}; }};
    };
    const auto figures = [](const char* title, std::optional<double> RunFigures::*member,
                            std::string (*format)(double)) {
        return RunColumn{{title, "", "", true, ""}, [=](const R& r) { return figure(r.measured.*member, format); }};
    };
    const auto fixed3 = [](double v) { return formatFixed(v, 3); };
    std::vector<RunColumn> columns{
        words("Run", [](const R& r) { return r.id.value; }),
        words("Name", [](const R& r) { return r.name; }),
        {{"Status", "", "", false, ""},
         [](const R& r) {
             return Cell{wordOf(r.status) + (r.host.empty() ? "" : " on " + r.host), {}, toneOf(r.status)};
         }},
        {{"Step", "", "", true, ""},
         [](const R& r) {
             return Cell{std::to_string(r.lastStep) + "/" + std::to_string(r.numSteps), {}, Tone::Plain};
         }},
        figures("Step time", &RunFigures::stepSeconds, formatSeconds),
        figures("Tokens/s", &RunFigures::tokensPerSecond, formatCount),
        figures("MFU", &RunFigures::mfu, formatPercent),
        figures("Memory", &RunFigures::memoryPeakBytes, formatBytes),
        figures("Loss", &RunFigures::finalLoss, fixed3),
        {{"Perplexity", "", "", true, ""},
         [](const R& r) { return figure(finalPerplexity(r.measured), formatPerplexity); }}};
    if (std::any_of(rows.begin(), rows.end(),
                    [](const RunRow& row) { return row.record.measured.finalEvalLoss.has_value(); }))
        columns.push_back(figures("Held-out", &RunFigures::finalEvalLoss, fixed3));
    columns.push_back(words("Tags", tagsText));
    Table table;
    for (const RunColumn& c : columns) table.columns.push_back(c.column);
    for (const RunRow& row : rows) {
        table.rows.emplace_back();
        for (const RunColumn& c : columns) table.rows.back().push_back(c.cell(row.record));
    }
    return table;
}

class RunsCommand : public Command {
public:
    std::string name() const override { return "runs"; }
    std::string alias() const override { return "ls"; }
    std::string summary() const override { return "List runs, newest first"; }
    std::string examples() const override {
        return "  slipway runs\n  slipway runs 'status:completed tp:2 mfu>20' --sort mfu:desc\n  slipway runs --json | jq '.[].run_id'\n"
               "  Filters: field:value[,value], field>number, field~text, words; or, not, parentheses.";
    }
    void declare(Arguments& arguments) override {
        arguments.option("filter", m_filter, "Filter; words are joined by spaces").shownAs("FILTER");
        arguments.option("--filter", m_more, "The same as one argument; may be repeated, and all must hold")
            .shownAs("FILTER")
            .oneEach();
        arguments.option("--sort", m_sort, "Field to sort by, :desc for the highest first; may be repeated")
            .shownAs("FIELD[:desc]")
            .oneEach();
        arguments.option("--limit", m_limit, "Most runs to list; 0: all").notNegative();
        arguments.flag("--all", m_all, "Archived and trashed runs, too");
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        RunQuery query;
        for (const std::string& word : m_filter) query.filter += (query.filter.empty() ? "" : " ") + word;
        for (const std::string& filter : m_more)
            query.filter = query.filter.empty() ? filter : "(" + query.filter + ") (" + filter + ")";
        constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
        query.limit = m_limit == 0 ? kAll : std::min(m_limit, kAll - 1) + 1;  // one more tells of the rest
        query.scope = m_all ? RunScope::All : RunScope::Active;
        query.nowUnixMilliseconds = context.now();
        query.columns = {"seq_len"};
        for (const std::string& key : m_sort) {
            const bool descending = key.ends_with(":desc");
            query.sort.push_back({descending ? key.substr(0, key.size() - 5) : key, descending});
        }
        auto rows = store->list(query);
        if (!rows) return fail(rows.error());
        if (m_limit > 0 && rows->size() > static_cast<std::size_t>(m_limit)) {
            rows->resize(static_cast<std::size_t>(m_limit));
            context.err << "note: only the first " << m_limit << "; --limit 0 lists all.\n";
        }
        if (context.json) {
            Json list = Json::array();
            for (const RunRow& row : *rows) list.push_back(runJson(row.record, seqLenOf(row)));
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        const Table table = tableOf(*rows);
        if (table.rows.empty())
            context.err << (query.filter.empty() ? "No runs yet; `slipway launch CONFIG` starts one.\n"
                                                 : "No run matches this filter.\n");
        else
            printTable(context.out, table, context.outColour);
        return kExitDone;
    }

private:
    std::vector<std::string> m_filter, m_more, m_sort;
    std::int64_t m_limit = 50;
    bool m_all = false;
};

class ShowCommand : public Command {
public:
    std::string name() const override { return "show"; }
    std::string summary() const override { return "One run: state, figures, events, config"; }
    std::string examples() const override { return "  slipway show 20261121-1305\n  slipway show tp2 --json"; }
    void declare(Arguments& arguments) override { arguments.option("run", m_run, kRunHelp).required().shownAs("RUN"); }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto found = store->findRun(m_run);
        if (!found) return fail(found.error());
        const auto record = store->run(found->id);
        if (!record) return fail(record.error());
        const auto events = store->events(record->id);
        if (!events) return fail(events.error());
        const auto series = store->allSeries(record->id);
        if (!series) return fail(series.error());
        const std::vector<double> losses = lossesOf(*series);
        const LossCurve curve = analyseLosses(losses, curveWindow(losses.size()));
        const auto config = parseJson(record->configJson.empty() ? "{}" : record->configJson, "config");
        const auto end = record->status == RunStatus::Failed ? readEnd(RunDir{record->folder}, record->attempts)
                                                             : std::optional<RunEnd>();
        const auto stored = config ? readStoredConfig(*config, record->id.value) : fail(config.error());
        const auto seqLen = stored ? std::optional(stored->config.train.seqLen) : std::nullopt;
        if (context.json) {
            Json out = runJson(*record, seqLen);
            if (const auto forecast =
                    parseJson(record->forecastJson.empty() ? "null" : record->forecastJson, "forecast"))
                out["forecast"] = *forecast;
            out["loss_curve"] = losses.empty() ? Json(nullptr)
                                               : Json{{"verdict", wordOf(curve.verdict)},
                                                      {"recent", jsonNumber(curve.recent)},
                                                      {"improvement", jsonNumber(curve.improvement)},
                                                      {"spikes", curve.spikes},
                                                      {"nonfinite", curve.nonFinite},
                                                      {"advice", curve.advice}};
            out["notes"] = record->notes;
            out["folder"] = record->folder.string();
            out["exit_code"] = record->exitCode ? Json(*record->exitCode) : Json(nullptr);
            out["config"] = config ? *config : Json(nullptr);
            out["end"] = end ? endJson(*end) : Json(nullptr);
            Json list = Json::array();
            for (const EventRecord& event : *events)
                list.push_back(
                    {{"attempt", event.attempt}, {"step", event.step}, {"name", event.name}, {"detail", event.detail}});
            out["events"] = std::move(list);
            context.out << dumpJson(out, true);
            return kExitDone;
        }
        Facts more;
        if (end) more.emplace_back("Advice", context.text(sentence(end->decision)));
        if (!losses.empty()) more.emplace_back("Loss curve", curveText(curve, losses.size()));
        if (const auto value = lastOf(*series, "eval_loss"))
            more.emplace_back("Held-out loss", formatFixed(*value, 3) + " nats per token");
        if (const auto value = lastOf(*series, "noise_scale"))
            more.emplace_back("Noise scale", formatSignificant(*value, 3) + " sequences, about the critical batch");
        if (const std::string devices = devicesText(*series); !devices.empty()) more.emplace_back("GPUs", devices);
        print(context, *record, end, *events, more, !stored || stored->config.parallel.pp > 1, seqLen);
        if (stored) printConfig(context, stored->config);
        return kExitDone;
    }

private:
    using Facts = std::vector<std::pair<std::string, std::string>>;

    static void printConfig(CliContext& context, const RunConfig& config) {
        Facts facts;
        for (const FieldDifference& d : diffConfigs(RunConfig{}, config))
            facts.emplace_back("  " + d.path, d.right.empty() ? "-" : d.right);
        context.out << "\nConfig, where it differs from the defaults (all of it: slipway clone RUN --print)\n";
        printFacts(context.out, facts);
    }
    static std::vector<double> lossesOf(const std::vector<MetricSeries>& all) {
        for (const MetricSeries& series : all)
            if (series.name == "loss") return series.values;
        return {};
    }
    static std::optional<double> lastOf(const std::vector<MetricSeries>& all, const char* name) {
        for (const MetricSeries& series : all)
            if (series.name == name && !series.empty()) return series.values.back();
        return {};
    }
    /// What the GPUs last told of themselves; empty for a run on CPUs.
    static std::string devicesText(const std::vector<MetricSeries>& all) {
        std::string text;
        const auto add = [&](const char* name, const std::function<std::string(double)>& format) {
            if (const auto value = lastOf(all, name)) text += (text.empty() ? "" : ", ") + format(*value);
        };
        add("device_clock_hertz", [](double v) { return formatFixed(v / 1e9, 2) + " GHz (slowest)"; });
        add("device_power_watts", [](double v) { return formatFixed(v, 0) + " W (mean)"; });
        add("device_temperature_celsius", [](double v) { return formatFixed(v, 0) + " °C (hottest)"; });
        add("device_memory_used_bytes", [](double v) { return formatBytes(v) + " in use (fullest)"; });
        add("memory_reserved_peak_bytes", [](double v) { return formatBytes(v) + " taken by the allocator (most)"; });
        if (lastOf(all, "allocator_retries").value_or(0) > 0)
            add("allocator_retries", [](double v) { return formatFixed(v, 0) + " allocator retries (worst)"; });
        add("device_throttled_fraction", [](double v) { return formatPercent(v) + " held back"; });
        return text;
    }
    static std::string statusText(const CliContext& context, const RunRecord& r, const std::optional<RunEnd>& end) {
        if (!r.host.empty() && r.status == RunStatus::Running)
            return elsewhereText(r.host, r.lastSignUnixMilliseconds, context.now());
        const std::string reason = end ? context.text(sentence(end->diagnosis)) : r.reason;
        return wordOf(r.status) + (reason.empty() ? "" : ": " + reason);
    }
    static void print(CliContext& context, const RunRecord& r, const std::optional<RunEnd>& end,
                      const std::vector<EventRecord>& events, const Facts& more, bool isPipeline,
                      std::optional<std::int64_t> seqLen) {
        Facts facts = {{"Run", r.id.value},
                       {"Name", r.name.empty() ? "-" : r.name},
                       {"Status", statusText(context, r, end)},
                       {"Step", std::to_string(r.lastStep) + " of " + std::to_string(r.numSteps) + ", attempt " +
                                    std::to_string(r.attempts)},
                       {"Created", timeText(r.createdUnixMilliseconds)},
                       {"Started", timeText(r.startedUnixMilliseconds)},
                       {"Ended", timeText(r.endedUnixMilliseconds)},
                       {"Tags", r.tags.empty() ? "-" : tagsText(r)},
                       {"Folder", r.folder.string()}};
        if (!r.notes.empty()) facts.emplace_back("Notes", r.notes);
        facts.insert(facts.end(), more.begin(), more.end());
        printFacts(context.out, facts);
        Table table;
        table.columns = {{"", "", "", false, ""}, {"measured", "", "", true, ""}, {"forecast", "", "", true, ""}};
        if (const std::string label = forecastLabel(r.forecastJson); !label.empty())
            table.columns.back().title += ", " + label;
        const auto add = [&](const std::string& title, const std::optional<double>& measured,
                             const std::optional<double>& forecast, std::string (*format)(double)) {
            if (measured || forecast)
                table.rows.push_back({{title, {}, Tone::Plain}, figure(measured, format), figure(forecast, format)});
        };
        add("Step time", r.measured.stepSeconds, r.forecast.stepSeconds, formatSeconds);
        add("Tokens/s", r.measured.tokensPerSecond, r.forecast.tokensPerSecond, formatCount);
        add("Samples/s", samplesPerSecond(r.measured, seqLen), samplesPerSecond(r.forecast, seqLen),
            [](double v) { return formatSignificant(v, 4); });
        const std::string rule = r.measured.mfuRule.empty() ? r.forecast.mfuRule : r.measured.mfuRule;
        add(titleWithRule("MFU", rule), r.measured.mfu, r.forecast.mfu, formatPercent);
        add("Memory, worst rank", r.measured.memoryPeakBytes, r.forecast.memoryPeakBytes, formatBytes);
        if (isPipeline) add("Pipeline bubble", r.measured.bubbleFraction, r.forecast.bubbleSimulated, formatPercent);
        if (r.forecast.bubbleTheoretical.value_or(0) > 0)
            add("Pipeline bubble in theory", {}, r.forecast.bubbleTheoretical, formatPercent);
        add("Sent per step", r.measured.commBytes, r.forecast.commBytes, formatBytes);
        add("Communication", r.measured.commSeconds, r.forecast.commSeconds, formatSeconds);
        add("Final loss", r.measured.finalLoss, {}, [](double v) { return formatFixed(v, 3); });
        add("Perplexity", finalPerplexity(r.measured), {}, formatPerplexity);
        add("Held-out loss", r.measured.finalEvalLoss, {}, [](double v) { return formatFixed(v, 3); });
        add("Held-out perplexity", finalEvalPerplexity(r.measured), {}, formatPerplexity);
        context.out << '\n';
        if (!table.rows.empty()) printTable(context.out, table, context.outColour);
        if (events.empty()) return;
        context.out << "\nEvents\n";
        facts.clear();
        for (const EventRecord& event : events)
            facts.emplace_back("  step " + std::to_string(event.step), event.name + ": " + event.detail);
        printFacts(context.out, facts);
    }

    std::string m_run;
};

}  // namespace

std::unique_ptr<Command> makeRunsCommand() {
    return std::make_unique<RunsCommand>();
}

std::unique_ptr<Command> makeShowCommand() {
    return std::make_unique<ShowCommand>();
}

}  // namespace slipway
