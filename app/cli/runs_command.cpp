#include "app/cli/commands.h"
#include "app/cli/device_text.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/metrics/mfu_rule.h"
#include "core/report/runs_table.h"
#include "core/run/restart.h"
#include "core/run/run_session.h"
#include "core/spec/stored_config.h"
#include "core/stability/loss_curve.h"
#include "core/store/run_view.h"

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
                {"num_steps", run.numSteps > 0 ? Json(run.numSteps) : Json(nullptr)},
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

std::string stepText(const RunRecord& r, const char* of) {
    return std::to_string(r.lastStep) + (r.numSteps > 0 ? of + std::to_string(r.numSteps) : "");
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
    const auto step = [](const R& r) { return Cell{stepText(r, "/"), {}, Tone::Plain}; };
    std::vector<RunColumn> columns{
        words("Run", [](const R& r) { return r.id.value; }),
        words("Name", [](const R& r) { return r.name; }),
        {{"Status", "", "", false, ""},
         [](const R& r) {
             return Cell{wordOf(r.status) + (r.host.empty() ? "" : " on " + r.host), {}, toneOf(r.status)};
         }},
        {{"Step", "", "", true, ""}, step},
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

Json cellJson(const CellValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            using Value = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<Value, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<Value, double>)
                return jsonNumber(v);
            else
                return v;
        },
        value);
}

Json groupJson(const RunGroupFigures& group, const std::vector<std::string>& figures) {
    Json out{{"value", cellJson(group.value)},
             {"runs", group.count},
             {"ran", group.ran},
             {"failed", group.failed},
             {"figures", Json::object()}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const FigureSummary& figure = group.figures[i];
        const auto number = [&](double value) { return figure.numKnown > 0 ? jsonNumber(value) : Json(nullptr); };
        out["figures"][figures[i]] = {{"known", figure.numKnown},
                                      {"mean", number(figure.mean)},
                                      {"min", number(figure.least)},
                                      {"max", number(figure.greatest)},
                                      {"median", number(figure.median)}};
    }
    return out;
}

class RunsCommand : public Command {
public:
    std::string name() const override { return "runs"; }
    std::string alias() const override { return "ls"; }
    std::string summary() const override { return "List runs, newest first"; }
    std::string examples() const override {
        return "  slipway runs\n  slipway runs 'status:completed tp:2 mfu>20' --sort mfu:desc\n  slipway runs --json | jq '.[].run_id'\n"
               "  slipway runs --group-by seed --columns final_loss,mfu      mean, least and greatest of each group\n"
               "  slipway runs tp:2 --columns name,tp,mfu --save-view tensor\n  slipway runs --view tensor --format latex > table.tex\n"
               "  slipway runs --columns all --format parquet > runs.parquet\n"
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
        m_limitOption = arguments.option("--limit", m_limit, "Most runs to list; 0: all").notNegative();
        arguments.flag("--all", m_all, "Archived and trashed runs, too");
        arguments.option("--columns", m_columns, "Fields to show, or all; fields of numbers are summarised in groups")
            .shownAs("FIELD,...")
            .separatedBy(',');
        arguments.option("--group-by", m_groupBy, "A row for each value of this field, such as seed").shownAs("FIELD");
        arguments
            .option(
                "--format", m_format,
                "A file on standard output: csv, markdown, latex or parquet; of all runs that match unless --limit is given")
            .oneOf(tableFormats())
            .shownAs("FORMAT");
        const Argument view =
            arguments
                .option("--view", m_view,
                        "A saved view; what is given beside it adds to its filter and replaces the rest")
                .shownAs("NAME");
        arguments.option("--save-view", m_saveView, "Keeps this question under a name, for the window, too")
            .shownAs("NAME");
        arguments.option("--remove-view", m_removeView, "Deletes a saved view").shownAs("NAME").excludes(view);
        arguments.flag("--views", m_listsViews, "List the saved views");
    }
    Result<int> run(CliContext& context) override {
        if (!m_removeView.empty())
            if (auto removed = removeView(context.home, m_removeView); !removed) return fail(removed.error());
        if (m_listsViews || !m_removeView.empty()) return listViews(context);
        if (context.json && !m_format.empty()) return fail("usage", "--json and --format exclude each other."_text);
        const auto view = question(context.home);
        if (!view) return fail(view.error());
        if (!m_saveView.empty())
            if (auto saved = saveView(context.home, *view); !saved) return fail(saved.error());
        auto store = openStore(context);
        if (!store) return fail(store.error());
        RunQuery query;
        query.filter = view->filter;
        query.sort = view->sort;
        constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
        const bool isLimited = m_limit != 0 && (m_format.empty() || m_limitOption->given());
        query.limit = isLimited ? std::min(m_limit, kAll - 1) + 1 : kAll;  // one more tells of the rest
        query.scope = view->scope;
        query.nowUnixMilliseconds = context.now();
        if (!view->groupBy.empty()) return printGroups(context, *store, query, *view);
        const bool own = view->columns.empty() && m_format.empty();  // the list of figures that people see
        query.columns = own ? std::vector<std::string>{} : columnsOf(*view);
        query.columns.insert(query.columns.begin(), "seq_len");
        auto rows = store->list(query);
        if (!rows) return fail(rows.error());
        if (isLimited && rows->size() > static_cast<std::size_t>(m_limit)) {
            rows->resize(static_cast<std::size_t>(m_limit));
            context.err << "note: only the first " << m_limit << "; --limit 0 lists all.\n";
        }
        if (context.json) {
            Json list = Json::array();
            for (const RunRow& row : *rows) {
                Json& run = list.emplace_back(runJson(row.record, seqLenOf(row)));
                for (std::size_t i = 1; i < query.columns.size(); ++i)
                    run["fields"][query.columns[i]] = cellJson(row.cells[i]);
            }
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        if (!own) {
            for (RunRow& row : *rows) row.cells.erase(row.cells.begin());
            query.columns.erase(query.columns.begin());
        }
        if (!m_format.empty()) {
            const auto file = writeRuns(*rows, query.columns, format());
            if (!file) return fail(file.error());
            context.out << *file;
            return kExitDone;
        }
        if (rows->empty()) {
            context.err << (query.filter.empty() ? "No runs yet; `slipway launch CONFIG` starts one.\n"
                                                 : "No run matches this filter.\n");
            return kExitDone;
        }
        const auto table = own ? Result<Table>(tableOf(*rows)) : runsTable(*rows, query.columns);
        if (!table) return fail(table.error());
        printTable(context.out, *table, context.outColour);
        return kExitDone;
    }

private:
    [[nodiscard]] TableFormat format() const {
        const auto& all = tableFormats();
        return static_cast<TableFormat>(std::find(all.begin(), all.end(), m_format) - all.begin());
    }
    /// The saved view, if one is named, with what the command line says beside it.
    [[nodiscard]] Result<RunView> question(const Home& home) const {
        auto view = m_view.empty() ? RunView() : readView(home, m_view);
        if (!view) return view;
        std::string words;
        for (const std::string& word : m_filter) words += (words.empty() ? "" : " ") + word;
        std::vector<std::string> filters{view->filter, words};
        filters.insert(filters.end(), m_more.begin(), m_more.end());
        view->filter = allOf(filters);
        if (!m_sort.empty()) {
            view->sort.clear();
            for (const std::string& key : m_sort) view->sort.push_back(sortKeyFrom(key));
        }
        if (!m_columns.empty()) view->columns = m_columns;
        if (m_columns == std::vector<std::string>{"all"}) view->columns = allColumns();
        if (!m_groupBy.empty()) view->groupBy = m_groupBy;
        if (m_all) view->scope = RunScope::All;
        if (!m_saveView.empty()) view->name = m_saveView;
        return view;
    }
    /// Those of the view, else the ones of the window.
    static std::vector<std::string> columnsOf(const RunView& view) {
        return view.columns.empty() ? usualColumns() : view.columns;
    }
    Result<int> listViews(CliContext& context) const {
        const auto names = viewNames(context.home);
        if (context.json) {
            context.out << dumpJson(Json(names), true);
            return kExitDone;
        }
        if (names.empty()) context.err << "No views yet; `slipway runs --save-view NAME` makes one.\n";
        for (const std::string& view : names) context.out << printable(view) << '\n';
        return kExitDone;
    }
    Result<int> printGroups(CliContext& context, RunStore& store, RunQuery& query, const RunView& view) const {
        query.groupBy = view.groupBy;
        std::vector<std::string> figures;
        for (const std::string& column : view.columns.empty() ? kGroupFigures : view.columns) {
            const RunField* field = findRunField(column);
            const bool isOther = field != nullptr && field != findRunField(view.groupBy) &&
                                 (field->kind == RunFieldKind::Integer || field->kind == RunFieldKind::Real);
            if (field == nullptr || isOther) figures.push_back(column);
        }
        const auto groups = groupRuns(store, query, figures);
        if (!groups) return fail(groups.error());
        if (context.json) {
            Json list = Json::array();
            for (const RunGroupFigures& group : *groups) list.push_back(groupJson(group, figures));
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        const auto table = groupsTable(*groups, query.groupBy, figures);
        if (!table) return fail(table.error());
        if (m_format == "parquet")
            return fail("usage", "Groups cannot be written as Parquet; choose csv, markdown or latex."_text);
        if (!m_format.empty())
            context.out << writeTable(*table, format());
        else
            printTable(context.out, *table, context.outColour);
        return kExitDone;
    }

    inline static const std::vector<std::string> kGroupFigures{kKeyField, "mfu", "memory_peak_bytes", "final_loss"};
    std::vector<std::string> m_filter, m_more, m_sort, m_columns;
    std::string m_groupBy, m_format, m_view, m_saveView, m_removeView;
    std::optional<Argument> m_limitOption;
    std::int64_t m_limit = 50;
    bool m_all = false, m_listsViews = false;
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
        auto events = store->events(record->id);
        if (!events) return fail(events.error());
        *events = withRestarts(std::move(*events), RunDir{record->folder});
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
            out["preflight"] = preflightOf(record->folder);
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
        for (auto& node : preflightFacts(context, record->folder)) more.push_back(std::move(node));
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
                       {"Step", stepText(r, " of ") + ", attempt " + std::to_string(r.attempts)},
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
