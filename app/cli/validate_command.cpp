#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/units.h"
#include "core/planner/evidence/validation.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/planner/stack/stack_constants.h"
#include "core/spec/run_config.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace slipway {
namespace {

Cell percentCell(double share) {
    return {std::isfinite(share) ? formatPercent(share) : "-", share, Tone::Plain};
}

Table scoreTable(const CliContext& context, const ValidationReport& report) {
    Table table;
    for (const SourceText title :
         {"Group"_text, "Rows"_text, "Memory"_text, "90 %"_text, "Fits"_text, "PP 1"_text, "Step time"_text,
          "90 %"_text, "Held"_text, "Spearman"_text, "Top 1"_text, "Top 5"_text})
        table.columns.push_back({context.text(title), "", "", title != "Group", ""});
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
    add(context.text("all"_text), report.all);
    if (report.noise.scores.rows > 0) add(context.text("noise alone"_text), report.noise.scores);
    for (const auto& [name, scores] : report.groups) add(name, scores);
    return table;
}

void printCalibration(CliContext& context, const Calibration& calibration) {
    std::ostream& out = context.out;
    out << '\n' << "Calibrated constants; bounds are physical"_text << '\n';
    Table table;
    for (const SourceText title : {"Stack"_text, "Runs"_text, "Constant"_text, "Value"_text, "Unit"_text, "+-"_text,
                                   "At most"_text, "Meaning"_text})
        table.columns.push_back({context.text(title), "", "", false, ""});
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
    printTable(out, table, context.outColour);
    out << '\n' << "Speed over the constants"_text << '\n';
    FactLines facts;
    for (const auto& [key, speed] : calibration.speeds) facts.emplace_back(key, formatSignificant(speed, 3));
    printFacts(out, facts);
}

void printReport(CliContext& context, const ValidationReport& report) {
    std::ostream& out = context.out;
    out << "%1 of %2 rows used"_text(report.all.rows, report.numRows);
    for (const auto& [_, met] : report.refused)
        out << "\n  "
            << "%1 skipped: %2"_text(met.count, met.reason);
    out << "\n\n"
        << "Errors of forecasts, medians and 90 % quantiles; regret of the forecast's choices"_text << '\n';
    printTable(out, scoreTable(context, report), context.outColour);
    const auto errors = [](const HeadToHead::Errors& e) {
        return std::isfinite(e.mean) ? "%1 (worst %2)"_text(formatPercent(e.mean), formatPercent(e.worst))
                                     : Message::name("-");
    };
    for (const auto& [planner, kinds] : report.rivals)
        for (const auto& kind : enumNames(RivalKind{})) {
            const HeadToHead& r = kinds.at(kind.value);
            out << '\n' << "Head to head with %1, %2:"_text(planner, kind.help) << ' ';
            if (r.rows == 0)
                out << "no rows"_text << '\n';
            else
                out << plural(r.rows, "%1 row, mean error: step time %2 against %3, memory %4 against %5"_text,
                              "%1 rows, mean error: step time %2 against %3, memory %4 against %5"_text)(
                           r.rows, errors(r.ourStep), errors(r.theirStep), errors(r.ourMemory), errors(r.theirMemory))
                    << '\n';
        }
    const NoiseFloor& n = report.noise;
    if (n.repeatedLayouts == 0 && n.contradicted == 0) return;
    const auto share = [](double value) { return std::isfinite(value) ? formatPercent(value) : std::string("-"); };
    out << '\n'
        << "Noise of the data: %1 layouts measured more than once differ from their mean by %2 of step time (most %3) and %4 of memory (most %5); %6 layouts once ran and once failed."_text(
               n.repeatedLayouts, share(n.stepMedian), share(n.stepMost), share(n.memoryMedian), share(n.memoryMost),
               n.contradicted)
        << '\n';
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

/// The rows of files in a comma-separated list.
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
    Message summary() const override { return "Compare the planner's forecasts with measured runs"_text; }
    Examples examples() const override {
        return {{"slipway validate runs.csv"},
                {"slipway validate runs.csv --calibrate earlier.csv --json"},
                {"slipway validate runs.csv --folds 5"},
                {"slipway validate runs.csv --leave-out models"},
                {"slipway validate runs.csv --calibrate earlier.csv --save cluster.json"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("data", m_data, "Measured runs (CSV)"_text).required().shownAs("DATA.csv");
        const Argument earlier =
            arguments.option("--calibrate", m_calibrate, "Fit the software stacks to these runs first"_text)
                .shownAs("DATA.csv");
        const Argument folds =
            arguments.option("--folds", m_folds, "Cross-validate: forecast each part with a fit on the others"_text)
                .shownAs("N")
                .between(2, 100)
                .excludes(earlier);
        const Argument left =
            arguments
                .option(
                    "--leave-out", m_leaveOut,
                    "Forecast each part with a fit on the others: models, nodes (fit up to 16, evaluate the larger), "
                    "clusters, cells (each model on each cluster) or sources"_text)
                .shownAs("WHAT")
                .oneOf(wordsOf(enumNames(LeaveOut{})))
                .excludes(earlier)
                .excludes(folds);
        arguments.option("--save", m_save, "Write the calibrated cluster with its software stack (JSON)"_text)
            .shownAs("FILE")
            .needs(earlier);
        arguments
            .option(
                "--save-stacks", m_saveStacks,
                "Write all stacks as resources/stacks holds them (JSON); several files of --calibrate are separated by commas"_text)
            .shownAs("FILE")
            .needs(earlier);
        arguments
            .option(
                "--stack", m_stack,
                "Without a fit: the shipped software that every row is forecast with, such as typical; default: textbook. With --save: the stack to write; default: the one with most runs"_text)
            .shownAs("NAME")
            .excludes(folds)
            .excludes(left);
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
        } else if (m_calibrate.empty() && isTextbook()) {
            report = validateForecasts(*table, nullptr);
        } else if (m_calibrate.empty()) {
            const auto shipped = calibrationOf(m_stack);
            if (!shipped) return fail(shipped.error());
            report = validateForecasts(*table, &*shipped);
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
            const bool isFitted = !m_leaveOut.empty() || m_folds > 0 || !m_calibrate.empty();
            json["label"] = isFitted                           ? "calibrated"
                            : isTextbook()                     ? "textbook"
                            : m_stack == Calibration::kTypical ? m_stack
                                                               : "calibrated";
            if (!isFitted && !isTextbook()) json["software"] = m_stack;
            if (m_folds > 0) json["folds"] = m_folds;
            if (!m_leaveOut.empty()) json["left_out"] = m_leaveOut;
            if (!m_calibrate.empty()) json["calibration"] = calibrationJson(calibration);
            context.out << dumpJson(json, true);
            return kExitDone;
        }
        printReport(context, report);
        if (!m_calibrate.empty()) printCalibration(context, calibration);
        return kExitDone;
    }

private:
    [[nodiscard]] bool isTextbook() const { return m_stack.empty() || m_stack == "textbook"; }

    /// The hardware of one software's runs with its stack, in the format that `slipway plan --cluster` reads.
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
        return fail("usage", "No run of the calibration file belongs to the stack %1."_text(software));
    }

    std::string m_data, m_calibrate, m_save, m_stack, m_leaveOut, m_saveStacks;
    std::int64_t m_folds = 0;
};

}  // namespace

std::unique_ptr<Command> makeValidateCommand() {
    return std::make_unique<ValidateCommand>();
}

}  // namespace slipway
