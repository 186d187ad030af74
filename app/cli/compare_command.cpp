// compare: runs side by side.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/report/build_report.h"

namespace slipway {
namespace {

/// Maximum number of runs in columns; more become rows.
constexpr std::size_t kSideBySide = 4;

class CompareCommand : public Command {
public:
    std::string name() const override { return "compare"; }
    Message summary() const override { return "Runs side by side: figures and the fields that differ"_text; }
    Examples examples() const override {
        return {{"slipway compare dp2 tp2 'PP 2'"},
                {"slipway compare dp2 tp2 --json"},
                {"", "The first run is the one the others are compared with."_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("runs", m_runs, "Ids or names of two or more runs"_text)
            .required()
            .takes(2, 1000)
            .shownAs("RUN");
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
        Table figures = comparisonTable(*trials, context.language);
        figures.columns.front().title = context.text("Run"_text);
        printTable(context.out, trials->size() <= kSideBySide ? transposed(figures) : figures, context.outColour);
        context.out << '\n';
        const Table fields = differences(context, *trials);
        if (fields.rows.empty())
            context.out << "No field differs."_text << '\n';
        else
            printTable(context.out, fields, context.outColour);
        return kExitDone;
    }

private:
    static Json valueOf(const std::string& text) { return text.empty() ? Json(nullptr) : Json::parse(text); }

    /// One row per field with different values, one column per run.
    static Table differences(const CliContext& context, const std::vector<TrialResult>& trials) {
        Table table;
        table.columns.push_back({context.text("Field"_text), "field", "", false, ""});
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

}  // namespace

std::unique_ptr<Command> makeCompareCommand() {
    return std::make_unique<CompareCommand>();
}

}  // namespace slipway
