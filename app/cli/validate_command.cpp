#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/units.h"
#include "core/planner/stack/stack_constants.h"
#include "core/planner/validate/validation.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace slipway {
namespace {

Cell percentCell(double share) {
    return {std::isfinite(share) ? formatPercent(share) : "-", share, Tone::Plain};
}

Table scoreTable(const ValidationReport& report) {
    Table table;
    for (const char* title :
         {"Group", "Rows", "Memory", "90 %", "Fits", "PP 1", "Step time", "90 %", "Held", "Spearman", "Top 1", "Top 5"})
        table.columns.push_back({title, title, "", std::string(title) != "Group", ""});
    const auto add = [&](const std::string& name, const Scores& s) {
        table.rows.push_back(
            {{name, {}, Tone::Plain},
             {std::to_string(s.rows), {}, Tone::Plain},
             percentCell(s.memoryMedian),
             percentCell(s.memoryP90),
             percentCell(s.fitAccuracy),
             percentCell(s.fitAccuracyPp1),
             percentCell(s.stepMedian),
             percentCell(s.stepP90),
             percentCell(s.stepHeld),
             {std::isfinite(s.spearman) ? formatSignificant(s.spearman, 3) : "-", s.spearman, Tone::Plain},
             percentCell(s.top1Regret),
             percentCell(s.top5Regret)});
    };
    add("all", report.all);
    if (report.noise.scores.rows > 0) add("noise alone", report.noise.scores);
    for (const auto& [name, scores] : report.groups) add(name, scores);
    return table;
}

void printCalibration(std::ostream& out, const Calibration& calibration, bool colour) {
    out << "\nCalibrated constants; bounds are physical\n";
    Table table;
    for (const char* title : {"Stack", "Runs", "Constant", "Value", "Unit", "+-", "At most", "Meaning"})
        table.columns.push_back({title, title, "", false, ""});
    const auto text = [](const std::string& t) { return Cell{t, {}, Tone::Plain}; };
    for (const auto& [name, stack] : calibration.stacks) {
        bool first = true;
        for (const ConstantRow& row : constantRows(stack)) {
            table.rows.push_back({text(first ? name : ""), text(first ? std::to_string(stack.measuredRuns) : ""),
                                  text(std::string(row.name)), text(formatSignificant(row.constant.value, 3)),
                                  text(std::string(row.unit)), percentCell(row.constant.uncertainty),
                                  text(formatSignificant(row.high, 3)), text(std::string(row.help))});
            first = false;
        }
    }
    printTable(out, table, colour);
    out << "\nSpeed over the constants\n";
    std::vector<std::pair<std::string, std::string>> facts;
    for (const auto& [key, speed] : calibration.speeds) facts.emplace_back(key, formatSignificant(speed, 3));
    printFacts(out, facts);
}

void printReport(std::ostream& out, const ValidationReport& report, bool colour) {
    out << report.all.rows << " of " << report.numRows << " rows used";
    for (const auto& [reason, count] : report.refused) out << "\n  " << count << " not: " << reason;
    out << "\n\nErrors of forecasts, medians and 90 % quantiles; regret of the forecast's choices\n";
    printTable(out, scoreTable(report), colour);
    const auto errors = [](const HeadToHead::Errors& e) {
        return std::isfinite(e.mean) ? formatPercent(e.mean) + " (worst " + formatPercent(e.worst) + ")"
                                     : std::string("-");
    };
    for (const auto& [planner, kinds] : report.rivals)
        for (const auto& kind : enumNames(RivalKind{})) {
            const HeadToHead& r = kinds.at(kind.value);
            out << "\nHead to head with " << planner << ", " << kind.help.english() << ": ";
            if (r.rows == 0)
                out << "no rows\n";
            else
                out << r.rows << (r.rows == 1 ? " row" : " rows") << ", mean error: step time " << errors(r.ourStep)
                    << " against " << errors(r.theirStep) << ", memory " << errors(r.ourMemory) << " against "
                    << errors(r.theirMemory) << "\n";
        }
    const NoiseFloor& n = report.noise;
    if (n.repeatedLayouts == 0 && n.contradicted == 0) return;
    out << "\nNoise of the data: " << n.repeatedLayouts << " layouts measured more than once differ from their mean by "
        << (std::isfinite(n.stepMedian) ? formatPercent(n.stepMedian) : "-") << " of step time (most "
        << (std::isfinite(n.stepMost) ? formatPercent(n.stepMost) : "-") << ") and "
        << (std::isfinite(n.memoryMedian) ? formatPercent(n.memoryMedian) : "-") << " of memory (most "
        << (std::isfinite(n.memoryMost) ? formatPercent(n.memoryMost) : "-") << "); " << n.contradicted
        << " layouts once ran and once failed.\n";
}

template <class Names>
std::vector<std::string> wordsOf(const Names& names) {
    std::vector<std::string> words;
    for (const auto& name : names) words.emplace_back(name.word);
    return words;
}

Result<MeasuredTable> loadRuns(const std::string& path) {
    const auto text = readFile(path);
    if (!text) return fail(text.error());
    return readMeasuredRuns(*text, path);
}

/// The rows of files separated by commas.
Result<MeasuredTable> loadAll(const std::string& paths) {
    MeasuredTable all;
    for (std::size_t begin = 0; begin <= paths.size();) {
        const std::size_t comma = std::min(paths.find(',', begin), paths.size());
        auto table = loadRuns(paths.substr(begin, comma - begin));
        if (!table) return fail(table.error());
        all.runs.insert(all.runs.end(), table->runs.begin(), table->runs.end());
        all.numRows += table->numRows;
        begin = comma + 1;
    }
    return all;
}

std::vector<const MeasuredRun*> pointers(const MeasuredTable& table) {
    std::vector<const MeasuredRun*> runs;
    for (const MeasuredRun& run : table.runs) runs.push_back(&run);
    return runs;
}

class ValidateCommand : public Command {
public:
    std::string name() const override { return "validate"; }
    std::string summary() const override { return "Compare the planner's forecasts with measured runs"; }
    std::string examples() const override {
        return "  slipway validate runs.csv\n  slipway validate runs.csv --calibrate earlier.csv --json\n"
               "  slipway validate runs.csv --folds 5\n"
               "  slipway validate runs.csv --leave-out models\n"
               "  slipway validate runs.csv --calibrate earlier.csv --save cluster.json";
    }
    void declare(Arguments& arguments) override {
        arguments.option("data", m_data, "Measured runs (CSV)").required().shownAs("DATA.csv");
        const Argument earlier =
            arguments.option("--calibrate", m_calibrate, "Fit the software stacks to these runs first")
                .shownAs("DATA.csv");
        const Argument folds =
            arguments.option("--folds", m_folds, "Cross-validate: forecast each part with a fit on the others")
                .shownAs("N")
                .between(2, 100)
                .excludes(earlier);
        arguments
            .option("--leave-out", m_leaveOut,
                    "Forecast each part with a fit on the others: models, nodes (fit up to 16, judge the larger), "
                    "clusters, cells (each model on each cluster) or sources")
            .shownAs("WHAT")
            .oneOf(wordsOf(enumNames(LeaveOut{})))
            .excludes(earlier)
            .excludes(folds);
        arguments.option("--save", m_save, "Write the calibrated cluster with its software stack (JSON)")
            .shownAs("FILE")
            .needs(earlier);
        arguments
            .option(
                "--save-stacks", m_saveStacks,
                "Write all stacks as resources/stacks holds them (JSON); several files of --calibrate are separated by commas")
            .shownAs("FILE")
            .needs(earlier);
        arguments.option("--stack", m_stack, "Which stack --save writes; default: the one with most runs")
            .shownAs("NAME");
    }
    Result<int> run(CliContext& context) override {
        const auto table = loadRuns(m_data);
        if (!table) return fail(table.error());
        Calibration calibration;
        ValidationReport report;
        if (!m_leaveOut.empty()) {
            for (const auto& what : enumNames(LeaveOut{}))
                if (m_leaveOut == what.word) report = leaveOut(*table, what.value);
        } else if (m_folds > 0) {
            report = crossValidate(*table, m_folds);
        } else if (m_calibrate.empty()) {
            report = validateForecasts(*table, nullptr);
        } else {
            const auto earlier = loadAll(m_calibrate);
            if (!earlier) return fail(earlier.error());
            calibration = calibrate(pointers(*earlier));
            report = validateForecasts(*table, &calibration);
            if (const auto saved = save(*earlier, calibration); !saved) return fail(saved.error());
            if (!m_saveStacks.empty())
                if (const auto saved = writeJsonFile(m_saveStacks, toJson(calibration)); !saved)
                    return fail(saved.error());
        }
        if (context.json) {
            Json json = validationJson(report);
            json["label"] = !m_leaveOut.empty() || m_folds > 0 || !m_calibrate.empty() ? "calibrated" : "textbook";
            if (m_folds > 0) json["folds"] = m_folds;
            if (!m_leaveOut.empty()) json["left_out"] = m_leaveOut;
            if (!m_calibrate.empty()) json["calibration"] = calibrationJson(calibration);
            context.out << dumpJson(json, true);
            return kExitDone;
        }
        printReport(context.out, report, context.outColour);
        if (!m_calibrate.empty()) printCalibration(context.out, calibration, context.outColour);
        return kExitDone;
    }

private:
    /// The hardware of one software's runs with its stack, as `slipway plan --cluster` reads it.
    Result<void> save(const MeasuredTable& table, const Calibration& calibration) const {
        if (m_save.empty()) return {};
        std::string software = m_stack;
        std::int64_t most = 0;
        for (const auto& [name, stack] : calibration.stacks)
            if (m_stack.empty() && name != Calibration::kTypical && stack.measuredRuns > most) {
                most = stack.measuredRuns;
                software = name;
            }
        for (MeasuredRun run : table.runs) {
            if (run.software != software) continue;
            applyCalibration(calibration, run);
            return writeJsonFile(m_save, toJson(run.cluster));
        }
        return fail("usage", "No run of the calibration file belongs to the stack \"" + software + "\".");
    }

    std::string m_data, m_calibrate, m_save, m_stack, m_leaveOut, m_saveStacks;
    std::int64_t m_folds = 0;
};

}  // namespace

std::unique_ptr<Command> makeValidateCommand() {
    return std::make_unique<ValidateCommand>();
}

}  // namespace slipway
