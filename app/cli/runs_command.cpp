#include "app/cli/commands.h"
#include "app/cli/device_text.h"
#include "app/cli/print.h"
#include "app/cli/run_documents.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/recorded_text.h"
#include "core/base/units.h"
#include "core/metrics/forecast_label.h"
#include "core/metrics/mfu_rule.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/report/runs_table.h"
#include "core/run/event_titles.h"
#include "core/run/restart.h"
#include "core/run/run_session.h"
#include "core/run/tensorboard_export.h"
#include "core/spec/stored_config.h"
#include "core/stability/loss_curve.h"
#include "core/store/run_view.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace slipway {
namespace {

/// The only requested column.
std::optional<std::int64_t> seqLenOf(const RunRow& row) {
    const auto* value = row.cells.empty() ? nullptr : std::get_if<std::int64_t>(&row.cells.front());
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

Cell figure(const std::optional<double>& value, std::string (*format)(double)) {
    return value ? Cell{format(*value), *value, Tone::Plain} : Cell{"-", {}, Tone::Quiet};
}

Message stepText(const RunRecord& r) {
    return r.numSteps > 0 ? "step %1 of %2"_text(r.lastStep, r.numSteps) : "step %1"_text(r.lastStep);
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

/// A column of the list and its cell for a run.
struct RunColumn {
    Column column;
    std::function<Cell(const RunRecord&)> cell;
};

/// Held-out loss is a column if any run has one.
Table tableOf(const CliContext& context, const std::vector<RunRow>& rows) {
    using R = RunRecord;
    const auto words = [&](SourceText title, auto text) {
        return RunColumn{{context.text(title), "", "", false, ""}, [text](const R& r) {
                             return Cell{text(r), {}, Tone::Plain};
                         }};
    };
    const auto figures = [&](SourceText title, std::optional<double> RunFigures::*member,
                             std::string (*format)(double)) {
        return RunColumn{{context.text(title), "", "", true, ""},
                         [=](const R& r) { return figure(r.measured.*member, format); }};
    };
    const auto fixed3 = [](double v) { return formatFixed(v, 3); };
    const auto step = [](const R& r) {
        return Cell{
            std::to_string(r.lastStep) + (r.numSteps > 0 ? "/" + std::to_string(r.numSteps) : ""), {}, Tone::Plain};
    };
    const auto status = [&](const R& r) {
        const Message word = statusText(r.status);
        return context.text(r.host.empty() ? word : "%1 on %2"_text(word, r.host));
    };
    std::vector<RunColumn> columns{words("Run"_text, [](const R& r) { return r.id.value; }),
                                   words("Name"_text, [](const R& r) { return r.name; }),
                                   {{context.text("Status"_text), "", "", false, ""},
                                    [&](const R& r) {
                                        return Cell{status(r), {}, toneOf(r.status)};
                                    }},
                                   {{context.text("Step"_text), "", "", true, ""}, step},
                                   figures("Step time"_text, &RunFigures::stepSeconds, formatSeconds),
                                   figures("Tokens/s"_text, &RunFigures::tokensPerSecond, formatCount),
                                   figures("MFU"_text, &RunFigures::mfu, formatPercent),
                                   figures("Memory"_text, &RunFigures::memoryPeakBytes, formatBytes),
                                   figures("Loss"_text, &RunFigures::finalLoss, fixed3),
                                   {{context.text("Perplexity"_text), "", "", true, ""},
                                    [](const R& r) { return figure(finalPerplexity(r.measured), formatPerplexity); }}};
    if (std::any_of(rows.begin(), rows.end(),
                    [](const RunRow& row) { return row.record.measured.finalEvalLoss.has_value(); }))
        columns.push_back(figures("Held-out"_text, &RunFigures::finalEvalLoss, fixed3));
    columns.push_back(words("Tags"_text, tagsText));
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
    Message summary() const override { return "List runs, newest first"_text; }
    Examples examples() const override {
        return {
            {"slipway runs"},
            {"slipway runs 'status:completed tp:2 mfu>20' --sort mfu:desc"},
            {"slipway runs --json | jq '.[].run_id'"},
            {"slipway runs --group-by seed --columns final_loss,mfu", "mean, minimum and maximum of each group"_text},
            {"slipway runs tp:2 --columns name,tp,mfu --save-view tensor"},
            {"slipway runs --view tensor --format latex > table.tex"},
            {"slipway runs --columns all --format parquet > runs.parquet"},
            {"", "Filters: field:value[,value], field>number, field~text, words; or, not, parentheses."_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("filter", m_filter, "Filter; words are joined by spaces"_text).shownAs("FILTER");
        arguments.option("--filter", m_more, "A filter as one argument; may be repeated, and all must match"_text)
            .shownAs("FILTER")
            .oneEach();
        arguments.option("--sort", m_sort, "Field to sort by, :desc for the highest first; may be repeated"_text)
            .shownAs("FIELD[:desc]")
            .oneEach();
        m_limitOption = arguments.option("--limit", m_limit, "Most runs to list; 0: all"_text).notNegative();
        arguments.flag("--all", m_all, "Also archived and trashed runs"_text);
        arguments
            .option("--columns", m_columns, "Fields to show, or all; fields of numbers are summarised in groups"_text)
            .shownAs("FIELD,...")
            .separatedBy(',');
        arguments.option("--group-by", m_groupBy, "A row for each value of this field, such as seed"_text)
            .shownAs("FIELD");
        arguments
            .option(
                "--format", m_format,
                "A file on standard output: csv, markdown, latex or parquet; of all runs that match unless --limit is given"_text)
            .oneOf(tableFormats())
            .shownAs("FORMAT");
        const Argument view =
            arguments
                .option("--view", m_view, "A saved view; other options add to its filter and replace the rest"_text)
                .shownAs("NAME");
        arguments.option("--save-view", m_saveView, "Save this query under a name, also for the window"_text)
            .shownAs("NAME");
        arguments.option("--remove-view", m_removeView, "Deletes a saved view"_text).shownAs("NAME").excludes(view);
        arguments.flag("--views", m_listsViews, "List the saved views"_text);
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
        query.limit = isLimited ? std::min(m_limit, kAll - 1) + 1 : kAll;  // one more shows whether there are others
        query.scope = view->scope;
        query.nowUnixMilliseconds = context.now();
        if (!view->groupBy.empty()) return printGroups(context, *store, query, *view);
        const bool own = view->columns.empty() && m_format.empty();  // the list of figures for people
        query.columns = own ? std::vector<std::string>{} : columnsOf(*view);
        query.columns.insert(query.columns.begin(), "seq_len");
        auto rows = store->list(query);
        if (!rows) return fail(rows.error());
        if (isLimited && rows->size() > static_cast<std::size_t>(m_limit)) {
            rows->resize(static_cast<std::size_t>(m_limit));
            context.note("only the first %1; --limit 0 lists all."_text(m_limit));
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
            const auto file = writeRuns(*rows, query.columns, format(), context.language);
            if (!file) return fail(file.error());
            context.out << *file;
            return kExitDone;
        }
        if (rows->empty()) {
            context.err << (query.filter.empty() ? "No runs yet; `slipway launch CONFIG` starts one."_text
                                                 : "No run matches this filter."_text)
                        << '\n';
            return kExitDone;
        }
        const auto table =
            own ? Result<Table>(tableOf(context, *rows)) : runsTable(*rows, query.columns, context.language);
        if (!table) return fail(table.error());
        printTable(context.out, *table, context.outColour);
        return kExitDone;
    }

private:
    [[nodiscard]] TableFormat format() const {
        const auto& all = tableFormats();
        return static_cast<TableFormat>(std::find(all.begin(), all.end(), m_format) - all.begin());
    }
    /// The saved view, if one is named, combined with the options of the command line.
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
    /// The columns of the view, otherwise those of the window.
    static std::vector<std::string> columnsOf(const RunView& view) {
        return view.columns.empty() ? usualColumns() : view.columns;
    }
    Result<int> listViews(CliContext& context) const {
        const auto names = viewNames(context.home);
        if (context.json) {
            context.out << dumpJson(Json(names), true);
            return kExitDone;
        }
        if (names.empty()) context.err << "No views yet; `slipway runs --save-view NAME` makes one."_text << '\n';
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
        const auto groups = store.groups(query, figures);
        if (!groups) return fail(groups.error());
        if (context.json) {
            Json list = Json::array();
            for (const RunGroup& group : *groups) list.push_back(groupJson(group, figures));
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        const auto table =
            groupsTable(*groups, query.groupBy, figures, m_format == "csv" ? Language::English : context.language);
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
    Message summary() const override { return "One run: state, figures, events, config"_text; }
    Examples examples() const override {
        return {{"slipway show 20261121-1305"}, {"slipway show tp2 --json"}, {"slipway show tp2 --tensorboard boards"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("run", m_run, kRunHelp).required().shownAs("RUN");
        arguments
            .option("--tensorboard", m_tensorBoard,
                    "Write its curves as a TensorBoard event file in this folder instead"_text)
            .shownAs("FOLDER");
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto found = store->findRun(m_run);
        if (!found) return fail(found.error());
        if (!m_tensorBoard.empty()) return writeEvents(context, *store, found->id);
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
        const auto seqLen =
            stored && stored->knows("train.seq_len") ? std::optional(stored->config.train.seqLen) : std::nullopt;
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
                                                      {"advice", textOf(curve.advice)}};
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
        FactLines more;
        if (end) more.emplace_back("Advice"_text, context.text(sentence(end->decision)));
        if (!losses.empty()) more.emplace_back("Loss curve"_text, context.text(curveText(curve, losses.size())));
        if (const auto value = lastOf(*series, "eval_loss"))
            more.emplace_back("Held-out loss"_text, "%1 nats per token"_text(formatFixed(*value, 3)));
        if (const auto value = lastOf(*series, "noise_scale"))
            more.emplace_back("Noise scale"_text,
                              "%1 sequences, about the critical batch"_text(formatSignificant(*value, 3)));
        if (const Message devices = devicesText(*series); !devices.empty()) more.emplace_back("GPUs"_text, devices);
        for (auto& node : preflightFacts(record->folder)) more.push_back(std::move(node));
        const auto attempts = store->attempts(record->id);
        const std::int64_t fromStep = attempts && !attempts->empty() ? attempts->back().resumeStep : 0;
        for (auto& node : slowNodeFacts(record->folder, fromStep)) more.push_back(std::move(node));
        print(context, *record, end, *events, more, !stored || stored->config.parallel.pp > 1, seqLen);
        if (stored && stored->isPartial()) printKnown(context, *stored);
        if (stored && !stored->isPartial()) printConfig(context, stored->config);
        return kExitDone;
    }

private:
    Result<int> writeEvents(CliContext& context, RunStore& store, const RunId& id) const {
        const auto file = writeTensorBoard(store, id, m_tensorBoard);
        if (!file) return fail(file.error());
        if (context.json)
            context.out << dumpJson(
                Json{{"run_id", id.value}, {"file", file->path.string()}, {"scalars", file->numScalars}}, true);
        else
            context.out << plural(file->numScalars, "%1 value written to %2"_text, "%1 values written to %2"_text)(
                               file->numScalars, file->path.string())
                        << '\n';
        return kExitDone;
    }

    /// Of another program's run, every field that it recorded.
    static void printKnown(CliContext& context, const StoredConfig& stored) {
        FactLines facts;
        const Json document = stored.document();
        for (const auto& [section, fields] : document.items())
            if (fields.is_object())
                for (const auto& [key, value] : fields.items())
                    facts.emplace_back(section + "." + key, dumpJson(value, false));
        if (facts.empty()) return;
        context.out << '\n' << "Config, the fields that the program recorded"_text << '\n';
        printFacts(context.out, facts, 2);
    }
    static void printConfig(CliContext& context, const RunConfig& config) {
        FactLines facts;
        for (const FieldDifference& d : diffConfigs(RunConfig{}, config))
            facts.emplace_back(d.path, d.right.empty() ? "-" : d.right);
        context.out << '\n'
                    << "Config, where it differs from the defaults (all of it: slipway clone RUN --print)"_text << '\n';
        printFacts(context.out, facts, 2);
    }
    static std::vector<double> lossesOf(const std::vector<MetricSeries>& all) {
        for (const MetricSeries& series : all)
            if (series.name == "loss") return series.values;
        return {};
    }
    static Words stateText(const CliContext& context, const RunRecord& r, const std::optional<RunEnd>& end) {
        if (!r.host.empty() && r.status == RunStatus::Running)
            return elsewhereText(r.host, r.lastSignUnixMilliseconds, context.now());
        return end ? "%1: %2"_text(statusText(r.status), sentence(end->diagnosis))
                   : statusText(context, r.status, r.reason);
    }
    static void print(CliContext& context, const RunRecord& r, const std::optional<RunEnd>& end,
                      const std::vector<EventRecord>& events, const FactLines& more, bool isPipeline,
                      std::optional<std::int64_t> seqLen) {
        FactLines facts = {{"Run"_text, r.id.value},
                           {"Name"_text, r.name.empty() ? "-" : r.name},
                           {"Status"_text, stateText(context, r, end)},
                           {"Progress"_text, "%1, attempt %2"_text(stepText(r), r.attempts)},
                           {"Created"_text, timeText(r.createdUnixMilliseconds)},
                           {"Started"_text, timeText(r.startedUnixMilliseconds)},
                           {"Ended"_text, timeText(r.endedUnixMilliseconds)},
                           {"Tags"_text, r.tags.empty() ? "-" : tagsText(r)},
                           {"Folder"_text, r.folder.string()}};
        if (!r.notes.empty()) facts.emplace_back("Notes"_text, r.notes);
        facts.insert(facts.end(), more.begin(), more.end());
        printFacts(context.out, facts);
        Table table;
        const std::string label = forecastLabel(r.forecastJson);
        const Message forecastTitle = label.empty()
                                          ? Message("forecast"_text)
                                          : "forecast, %1"_text(basisText(label, forecastSoftware(r.forecastJson)));
        table.columns = {{"", "", "", false, ""},
                         {context.text("measured"_text), "", "", true, ""},
                         {context.text(forecastTitle), "", "", true, ""}};
        const auto add = [&](const Message& title, const std::optional<double>& measured,
                             const std::optional<double>& forecast, std::string (*format)(double)) {
            if (measured || forecast)
                table.rows.push_back(
                    {{context.text(title), {}, Tone::Plain}, figure(measured, format), figure(forecast, format)});
        };
        add("Step time"_text, r.measured.stepSeconds, r.forecast.stepSeconds, formatSeconds);
        add("Tokens/s"_text, r.measured.tokensPerSecond, r.forecast.tokensPerSecond, formatCount);
        add("Samples/s"_text, samplesPerSecond(r.measured, seqLen), samplesPerSecond(r.forecast, seqLen),
            [](double v) { return formatSignificant(v, 4); });
        const std::string rule = r.measured.mfuRule.empty() ? r.forecast.mfuRule : r.measured.mfuRule;
        add(rule.empty() ? Message("MFU"_text) : "MFU (%1)"_text(mfuRuleName(rule)), r.measured.mfu, r.forecast.mfu,
            formatPercent);
        add("Memory, worst rank"_text, r.measured.memoryPeakBytes, r.forecast.memoryPeakBytes, formatBytes);
        if (isPipeline)
            add("Pipeline bubble"_text, r.measured.bubbleFraction, r.forecast.bubbleSimulated, formatPercent);
        if (r.forecast.bubbleTheoretical.value_or(0) > 0)
            add("Pipeline bubble in theory"_text, {}, r.forecast.bubbleTheoretical, formatPercent);
        add("Sent per step"_text, r.measured.commBytes, r.forecast.commBytes, formatBytes);
        add("Communication"_text, r.measured.commSeconds, r.forecast.commSeconds, formatSeconds);
        add("Final loss"_text, r.measured.finalLoss, {}, [](double v) { return formatFixed(v, 3); });
        add("Perplexity"_text, finalPerplexity(r.measured), {}, formatPerplexity);
        add("Held-out loss"_text, r.measured.finalEvalLoss, {}, [](double v) { return formatFixed(v, 3); });
        add("Held-out perplexity"_text, finalEvalPerplexity(r.measured), {}, formatPerplexity);
        context.out << '\n';
        if (!table.rows.empty()) printTable(context.out, table, context.outColour);
        if (events.empty()) return;
        context.out << '\n' << "Events"_text << '\n';
        facts.clear();
        for (const EventRecord& event : events)
            facts.emplace_back("step %1"_text(event.step), context.text(eventTitle(event.name)) + ": " +
                                                               recordedText(event.detail, context.language));
        printFacts(context.out, facts, 2);
    }

    std::string m_run, m_tensorBoard;
};

}  // namespace

std::unique_ptr<Command> makeRunsCommand() {
    return std::make_unique<RunsCommand>();
}

std::unique_ptr<Command> makeShowCommand() {
    return std::make_unique<ShowCommand>();
}

}  // namespace slipway
