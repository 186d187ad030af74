// bench: speed of this program on data of a chosen size, and quality of its search methods on measured runs.
#include "app/cli/bench_methods.h"
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/store_bench.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

std::string figureText(double value, const std::string& unit) {
    if (unit == "s") return formatSeconds(value);
    if (unit == "fraction") return formatPercent(value);
    if (unit == "bytes") return value < 1000 ? formatSignificant(value, 3) + " B" : formatBytes(value);
    return formatShort(value) + "/s";
}

class BenchCommand : public Command {
public:
    std::string name() const override { return "bench"; }
    Message summary() const override {
        return "Measure the run index with many runs, or the search methods of sweeps on measured ones"_text;
    }
    Examples examples() const override {
        return {{"slipway bench store"},
                {"slipway bench store 100000 1000", "7 GiB on the disk, some minutes"_text},
                {"slipway bench store 100000 1000 --folder /data/bench", "keeps the data for the next time"_text},
                {"slipway bench search-methods --data runs.csv --seeds 10 --json"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("what", m_what, "What to measure"_text).required().oneOf({"store", "search-methods"});
        arguments.option("runs", m_request.numRuns, "store: number of runs; default: 1000"_text).positive();
        arguments.option("points", m_request.numPoints, "store: points of each run's loss; default: 200"_text)
            .positive();
        arguments
            .option("--folder", m_folder,
                    "store: where the data is made and kept; default: a temporary folder, deleted at the end"_text)
            .shownAs("FOLDER");
        arguments.option("--data", m_data, "search-methods: measured runs (CSV), as slipway validate takes them"_text)
            .shownAs("DATA.csv");
        arguments.option("--seeds", m_replay.seeds, "search-methods: repeats with other seeds"_text).between(1, 1000);
        arguments.option("--trials", m_replay.trials, "search-methods: trials of each search"_text).between(1, 1000);
    }
    Result<int> run(CliContext& context) override {
        if ((m_what == "search-methods") != !m_data.empty())
            return fail("usage", "search-methods needs a file of measured runs; store makes its own data."_text,
                        "--data");
        if (m_what == "search-methods") return benchSearchMethods(context, m_data, m_replay);
        m_request.folder = m_folder.empty() ? std::filesystem::temp_directory_path() /
                                                  ("slipway-bench-" + std::to_string(randomEntropy()))
                                            : std::filesystem::path(m_folder);
        const auto figures = benchStore(context, m_request);
        std::error_code code;
        if (m_folder.empty()) std::filesystem::remove_all(m_request.folder, code);
        if (!figures) return fail(figures.error());
        if (context.json)
            printJson(context, *figures);
        else
            printFigures(context, *figures);
        return kExitDone;
    }

private:
    void printJson(CliContext& context, const std::vector<StoreFigure>& figures) const {
        Json out = {{"runs", m_request.numRuns}, {"points", m_request.numPoints}};
        for (const StoreFigure& figure : figures) {
            out[figure.key] = {{"value", figure.value}, {"unit", figure.unit}};
            if (figure.wanted > 0) out[figure.key]["wanted"] = figure.wanted;
            if (figure.cpuSeconds) out[figure.key]["cpu_seconds"] = *figure.cpuSeconds;
            if (figure.naive) out[figure.key]["row_per_point"] = *figure.naive;
        }
        context.out << dumpJson(out, true);
    }

    static void printFigures(CliContext& context, const std::vector<StoreFigure>& figures) {
        Table table;
        const auto column = [&](const char* key, const Message& title, bool number) {
            table.columns.push_back({context.text(title), key, "", number, ""});
        };
        column("figure", "Figure"_text, false);
        column("value", "Measured"_text, true);
        column("cpu", "CPU time"_text, true);
        column("wanted", "Wanted"_text, true);
        column("naive", "One row per point"_text, true);
        for (const StoreFigure& figure : figures) {
            const auto cell = [](std::optional<double> value, const std::string& unit) {
                return Cell{value ? figureText(*value, unit) : "", {}, Tone::Plain};
            };
            table.rows.push_back({{context.text(figure.title), {}, Tone::Plain},
                                  cell(figure.value, figure.unit),
                                  cell(figure.cpuSeconds, "s"),
                                  cell(figure.wanted > 0 ? std::optional(figure.wanted) : std::nullopt, figure.unit),
                                  cell(figure.naive, figure.unit)});
        }
        printTable(context.out, table, context.outColour);
    }

    std::string m_what, m_folder, m_data;
    StoreBenchRequest m_request{{}, 1000, 200};
    ReplayRequest m_replay;
};

}  // namespace

std::unique_ptr<Command> makeBenchCommand() {
    return std::make_unique<BenchCommand>();
}

}  // namespace slipway
