// compare: runs side by side.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/report/build_report.h"
#include "core/spec/known_differences.h"

#include <algorithm>

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
        std::vector<StoredConfig> configs;
        for (const RunId& id : *ids) {
            const auto record = store->run(id);
            const auto json = record ? parseJson(record->configJson.empty() ? "{}" : record->configJson, id.value)
                                     : Result<Json>(fail(record.error()));
            auto stored = json ? readStoredConfig(*json, id.value) : Result<StoredConfig>(fail(json.error()));
            configs.push_back(stored ? std::move(*stored) : partialConfig(RunConfig{}, {}));
        }
        if (context.json) {
            SweepResult result;
            result.trials = *trials;
            Json out{{"runs", toJson(result)["trials"]}, {"differences", Json::array()}};
            for (std::size_t i = 0; i < trials->size(); ++i) {
                const KnownDifferences known = knownDifferences(configs.front(), configs[i]);
                out["runs"][i]["unknown_fields"] = known.numUnknown;
                for (const FieldDifference& d : known.fields)
                    out["differences"].push_back({{"run_id", (*trials)[i].run.value},
                                                  {"field", d.path},
                                                  {"first", valueOf(d.left)},
                                                  {"value", valueOf(d.right)}});
            }
            context.out << dumpJson(out, true);
            return kExitDone;
        }
        Table figures = comparisonTable(*trials, context.language);
        figures.columns.front().title = context.text("Run"_text);
        printTable(context.out, trials->size() <= kSideBySide ? transposed(figures) : figures, context.outColour);
        context.out << '\n';
        const Table fields = differences(context, *trials, configs);
        if (fields.rows.empty())
            context.out << "No field differs."_text << '\n';
        else
            printTable(context.out, fields, context.outColour);
        sayUnknown(context, *trials, configs);
        return kExitDone;
    }

private:
    static Json valueOf(const std::string& text) { return text.empty() ? Json(nullptr) : Json::parse(text); }

    /// The numbers of fields not compared; of many runs only the largest.
    static void sayUnknown(const CliContext& context, const std::vector<TrialResult>& trials,
                           const std::vector<StoredConfig>& configs) {
        std::vector<std::pair<std::int64_t, std::size_t>> unknown;
        for (std::size_t i = 1; i < configs.size(); ++i)
            if (const auto count = knownDifferences(configs.front(), configs[i]).numUnknown; count > 0)
                unknown.emplace_back(count, i);
        if (unknown.size() >= kSideBySide) unknown = {*std::max_element(unknown.begin(), unknown.end())};
        for (const auto& [count, i] : unknown)
            context.out << wrapText(printable(context.text("%1: %2"_text(trials[i].name, notCompared(count)))),
                                    lineWidth(context.out))
                        << '\n';
    }

    /// One row per field with different values, one column per run.
    static Table differences(const CliContext& context, const std::vector<TrialResult>& trials,
                             const std::vector<StoredConfig>& configs) {
        Table table;
        table.columns.push_back({context.text("Field"_text), "field", "", false, ""});
        for (const TrialResult& trial : trials) table.columns.push_back({trial.name, trial.run.value, "", false, ""});
        std::vector<std::string> paths;
        for (const StoredConfig& config : configs)
            for (const FieldDifference& d : knownDifferences(configs.front(), config).fields)
                if (std::find(paths.begin(), paths.end(), d.path) == paths.end()) paths.push_back(d.path);
        std::vector<FieldInfos> fields;
        for (const StoredConfig& config : configs) fields.push_back(runConfigFields(config.config));
        for (const std::string& path : paths) {
            std::vector<Cell> row{{path, {}, Tone::Plain}};
            for (std::size_t i = 0; i < fields.size(); ++i) {
                const auto it = std::find_if(fields[i].begin(), fields[i].end(),
                                             [&](const FieldInfo& info) { return info.path == path; });
                const std::string value = it == fields[i].end() || !it->applies ? "-" : it->defaultJson;
                row.push_back({configs[i].knows(path) ? value : "?", {}, Tone::Plain});
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
