// compare and report: runs and sweeps side by side.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/report/build_report.h"

namespace slipway {
namespace {

Result<std::vector<RunId>> findRuns(RunStore& store, const std::vector<std::string>& names) {
    std::vector<RunId> ids;
    for (const std::string& name : names) {
        const auto record = store.findRun(name);
        if (!record) return fail(record.error());
        ids.push_back(record->id);
    }
    return ids;
}

/// So many runs stand beside each other; more stand below each other, a line each.
constexpr std::size_t kSideBySide = 4;

class CompareCommand : public Command {
public:
    std::string name() const override { return "compare"; }
    std::string summary() const override { return "Runs side by side: figures and the fields that differ"; }
    std::string examples() const override {
        return "  slipway compare dp2 tp2 'PP 2'\n  slipway compare dp2 tp2 --json\n  The first run is the one the others are compared with.";
    }
    void declare(Arguments& arguments) override {
        arguments.option("runs", m_runs, "Ids or names of two or more runs").required().takes(2, 1000).shownAs("RUN");
    }
    Result<int> run(CliContext& context) override {
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto ids = findRuns(*store, m_runs);
        if (!ids) return fail(ids.error());
        const auto trials = runsAsTrials(*store, *ids);
        if (!trials) return fail(trials.error());
        if (context.json) {
            SweepResult result;
            result.trials = *trials;
            Json out{{"runs", toJson(result)["trials"]}, {"differences", Json::array()}};
            for (std::size_t i = 1; i < trials->size(); ++i)
                for (const FieldDifference& d : diffConfigs(trials->front().config, (*trials)[i].config))
                    out["differences"].push_back({{"run_id", (*trials)[i].run.value},
                                                  {"field", d.path},
                                                  {"first", valueOf(d.left)},
                                                  {"value", valueOf(d.right)}});
            context.out << dumpJson(out, true);
            return kExitDone;
        }
        Table figures = comparisonTable(*trials);
        figures.columns.front().title = "Run";
        printTable(context.out, trials->size() <= kSideBySide ? transposed(figures) : figures, context.outColour);
        context.out << '\n';
        const Table fields = differences(*trials);
        if (fields.rows.empty())
            context.out << "No field differs.\n";
        else
            printTable(context.out, fields, context.outColour);
        return kExitDone;
    }

private:
    static Json valueOf(const std::string& text) { return text.empty() ? Json(nullptr) : Json::parse(text); }

    /// One row per field that differs anywhere, one column per run.
    static Table differences(const std::vector<TrialResult>& trials) {
        Table table;
        table.columns.push_back({"Field", "field", "", false, ""});
        for (const TrialResult& trial : trials) table.columns.push_back({trial.name, trial.run.value, "", false, ""});
        std::vector<std::string> paths;
        for (std::size_t i = 1; i < trials.size(); ++i)
            for (const FieldDifference& d : diffConfigs(trials.front().config, trials[i].config))
                if (std::find(paths.begin(), paths.end(), d.path) == paths.end()) paths.push_back(d.path);
        std::vector<FieldInfos> fields;
        for (const TrialResult& trial : trials) fields.push_back(runConfigFields(trial.config));
        for (const std::string& path : paths) {
            std::vector<Cell> row{{path, {}, Tone::Plain}};
            for (const FieldInfos& infos : fields) {
                const auto it =
                    std::find_if(infos.begin(), infos.end(), [&](const FieldInfo& info) { return info.path == path; });
                row.push_back({it == infos.end() || !it->applies ? "-" : it->defaultJson, {}, Tone::Plain});
            }
            table.rows.push_back(std::move(row));
        }
        return table;
    }

    std::vector<std::string> m_runs;
};

class ReportCommand : public Command {
public:
    std::string name() const override { return "report"; }
    std::string summary() const override { return "Write a report of a sweep or of runs"; }
    std::string examples() const override {
        return "  slipway report                           the newest sweep, as HTML on standard output\n  slipway report SWEEP --output report.html\n"
               "  slipway report dp2 tp2 --format md";
    }
    void declare(Arguments& arguments) override {
        arguments.option("what", m_what, "A sweep, or one or more runs; default: the newest sweep")
            .shownAs("SWEEP|RUN");
        arguments.option("--format", m_format, "html, md or csv; default: from the file's name, else html")
            .oneOf({"html", "md", "csv"});
        arguments.option("--output,-o", m_output, "File to write; default: standard output").shownAs("FILE");
    }
    Result<int> run(CliContext& context) override {
        std::string format = m_format;
        if (format.empty()) {
            const std::string ending = std::filesystem::path(m_output).extension().string();
            format = ending == ".md" ? "md" : ending == ".csv" ? "csv" : "html";
            if (format == "html" && !ending.empty() && ending != ".html" && ending != ".htm")
                return fail("usage", "A report is .html, .md or .csv; with another ending say which with --format.",
                            m_output);
        }
        if (context.json && m_output.empty())
            return fail("usage",
                        "With --json name the file to write; the figures as JSON are in slipway compare --json.",
                        "--output");
        auto store = openStore(context);
        if (!store) return fail(store.error());
        const auto report = build(context, *store);
        if (!report) return fail(report.error());
        const std::string text = format == "md"    ? toMarkdown(*report)
                                 : format == "csv" ? toCsv(*report)
                                                   : toHtml(*report);
        if (m_output.empty()) {
            context.out << text;
            return kExitDone;
        }
        if (auto written = writeFileAtomically(m_output, text); !written) return fail(written.error());
        context.err << "Report: " << printable(m_output) << '\n';
        if (context.json) context.out << dumpJson(Json{{"output", m_output}, {"format", format}}, true);
        return kExitDone;
    }

private:
    Result<Report> build(CliContext& context, RunStore& store) {
        const auto sweeps = store.sweeps();
        if (!sweeps) return fail(sweeps.error());
        if (m_what.empty()) {
            if (sweeps->empty())
                return fail("sweep_missing", "There is no sweep yet; name a run, or run one with slipway sweep FILE.");
            return buildSweepReport(store, context.home, sweeps->front().id);
        }
        if (m_what.size() == 1)
            for (const SweepRecord& sweep : *sweeps)
                if (sweep.id.value.starts_with(m_what[0]) || sweep.name == m_what[0])
                    return buildSweepReport(store, context.home, sweep.id);
        const auto ids = findRuns(store, m_what);
        if (!ids) return fail(ids.error());
        return buildRunReport(store, context.home, *ids);
    }

    std::vector<std::string> m_what;
    std::string m_format, m_output;
};

}  // namespace

std::unique_ptr<Command> makeCompareCommand() {
    return std::make_unique<CompareCommand>();
}

std::unique_ptr<Command> makeReportCommand() {
    return std::make_unique<ReportCommand>();
}

}  // namespace slipway
