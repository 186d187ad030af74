#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/file.h"
#include "core/base/units.h"
#include "core/planner/calibrate/stack_parameters.h"
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
    out << "\nCalibrated figures (" << calibration.numParameters() << ")\n";
    Table table;
    for (const char* title : {"Stack", "Runs", "Figure", "Value", "Unit", "+-", "Meaning"})
        table.columns.push_back({title, title, "", false, ""});
    const auto text = [](const std::string& t) { return Cell{t, {}, Tone::Plain}; };
    for (const auto& [name, stack] : calibration.stacks) {
        table.rows.push_back({text(name), text(std::to_string(stack.measuredRuns)), text("stack_efficiency"),
                              text(formatSignificant(stack.efficiency, 3)), text(""), percentCell(stack.uncertainty),
                              text("speed over the forecast of the other figures")});
        if (stack.allocator) {
            const AllocatorFit& fit = *stack.allocator;
            table.rows.push_back({text(""), text(std::to_string(fit.measuredRuns)), text("allocator_factor"),
                                  text(formatSignificant(fit.figures.factor, 3)), text(""),
                                  percentCell(fit.factorUncertainty),
                                  text("memory taken over asked for, all but model state")});
            table.rows.push_back({text(""), text(""), text("fixed_bytes"),
                                  text(formatSignificant(fit.figures.fixedBytes, 3)), text("bytes"),
                                  percentCell(fit.fixedUncertainty),
                                  text("held by context, libraries, communicators and buckets")});
        }
        if (!stack.profile) continue;
        for (const ProfileFigure& f : profileFigures(*stack.profile))
            table.rows.push_back({text(""), text(""), text(std::string(f.name)),
                                  text(std::isfinite(f.value) ? formatSignificant(f.value, 3) : "never"),
                                  text(std::string(f.unit)), percentCell(f.uncertainty), text(std::string(f.help))});
    }
    printTable(out, table, colour);
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
            const auto earlier = loadRuns(m_calibrate);
            if (!earlier) return fail(earlier.error());
            calibration = calibrate(pointers(*earlier));
            report = validateForecasts(*table, &calibration);
            if (const auto saved = save(*earlier, calibration); !saved) return fail(saved.error());
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
    /// The hardware of one stack's runs with its calibrated figures, as `slipway plan --cluster` reads it.
    Result<void> save(const MeasuredTable& table, const Calibration& calibration) const {
        if (m_save.empty()) return {};
        std::string stack = m_stack;
        std::int64_t most = 0;
        for (const auto& [name, found] : calibration.stacks)
            if (m_stack.empty() && found.measuredRuns > most) {
                most = found.measuredRuns;
                stack = name;
            }
        for (const MeasuredRun& run : table.runs) {
            if (run.stack != stack) continue;
            ClusterSpec cluster = run.cluster;
            applyCalibration(calibration, stack, cluster);
            return writeJsonFile(m_save, toJson(cluster));
        }
        return fail("usage", "No run of the calibration file belongs to the stack \"" + stack + "\".");
    }

    std::string m_data, m_calibrate, m_save, m_stack, m_leaveOut;
    std::int64_t m_folds = 0;
};

}  // namespace

std::unique_ptr<Command> makeValidateCommand() {
    return std::make_unique<ValidateCommand>();
}

}  // namespace slipway
