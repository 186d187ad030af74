#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/explain/explain.h"
#include "core/planner/plan.h"

#include <cmath>

namespace slipway {
namespace {

const char* wordOf(Severity severity) {
    return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "info";
}

Json planJson(const Plan& plan) {
    Json issues = Json::array();
    for (const Issue& issue : plan.issues)
        issues.push_back({{"severity", wordOf(issue.severity)},
                          {"code", issue.code},
                          {"field", issue.field},
                          {"message", issue.message}});
    return Json{{"config", toJson(plan.config)},
                {"cluster", toJson(plan.cluster)},
                {"forecast", forecastJson(plan)},
                {"checkpoint_bytes", checkpointStateBytes(plan.config)},
                {"issues", std::move(issues)}};
}

std::string known(double value, std::string (*format)(double)) {
    return std::isfinite(value) ? format(value) : "unknown";
}

Table memoryTable(const Plan& plan) {
    Table table;
    for (const char* title : {"Stage", "Layers", "Weights", "Gradients", "Optimizer", "Activations", "Logits",
                              "Buffers", "Reserve", "Total"})
        table.columns.push_back({title, title, "", true, ""});
    for (const StageMemory& stage : plan.memory) {
        const MemoryBreakdown& b = stage.bytes;
        std::vector<Cell> row{{std::to_string(stage.stage), {}, Tone::Plain},
                              {std::to_string(stage.numLayers), {}, Tone::Plain}};
        for (const double bytes : {b.weightBytes, b.gradientBytes, b.optimizerBytes, b.activationBytes, b.logitsBytes,
                                   b.bufferBytes, b.reserveBytes, b.totalBytes()})
            row.push_back({formatBytes(bytes), bytes, Tone::Plain});
        table.rows.push_back(std::move(row));
    }
    return table;
}

void printPlan(CliContext& context, const Plan& plan) {
    const StepEstimate& s = plan.step;
    std::vector<std::pair<std::string, std::string>> facts = {
        {"Parameters", formatShort(plan.parameters.total)},
        {"Memory, worst rank",
         known(plan.memoryPeakBytes, formatBytes) +
             (std::isfinite(plan.memoryCapacityBytes) ? " of " + formatBytes(plan.memoryCapacityBytes) : "")},
        {"Step time", known(s.stepSeconds, formatSeconds) +
                          (std::isfinite(s.stepSecondsLow)
                               ? "  80 %: " + formatSeconds(s.stepSecondsLow) + " - " + formatSeconds(s.stepSecondsHigh)
                               : "") +
                          "  (" + s.label + ")"},
        {"Throughput", known(s.tokensPerSecond, formatCount) + " tokens/s, " +
                           known(s.tokensPerSecondPerDevice, formatCount) + " per device"},
        {"MFU (" + s.mfuRule + ")", s.mfu ? formatPercent(*s.mfu) : "unknown"},
        {"Pipeline bubble", plan.config.parallel.pp > 1 ? known(s.bubbleSimulated, formatPercent) + " simulated, " +
                                                              known(s.bubbleTheoretical, formatPercent) + " in theory"
                                                        : "n/a"},
        {"Communication",
         known(s.commBytes, formatBytes) + " per rank and step, " + known(s.commSeconds, formatSeconds)},
        {"Checkpoint", formatBytes(checkpointStateBytes(plan.config))},
        {"Training", known(plan.cost.trainingSeconds, formatSeconds) + ", " +
                         known(plan.cost.deviceHours, [](double h) { return formatSignificant(h, 3); }) +
                         " device hours" +
                         (plan.cost.money ? ", " + formatMoney(*plan.cost.money, plan.cost.currency) : "")}};
    printFacts(context.out, facts);
    if (std::isfinite(s.stepSeconds)) {
        context.out << "\nA step, part by part\n";
        facts.clear();
        for (const auto& [label, seconds] :
             {std::pair{"compute", s.computeSeconds}, std::pair{"TP", s.tpExposedSeconds},
              std::pair{"CP", s.cpExposedSeconds}, std::pair{"EP", s.epExposedSeconds},
              std::pair{"PP", s.ppExposedSeconds}, std::pair{"bubble", s.bubbleSeconds},
              std::pair{"DP", s.dpExposedSeconds}, std::pair{"optimizer", s.optimizerSeconds},
              std::pair{"fixed", s.fixedSeconds}})
            if (std::isfinite(seconds) && seconds > 0)
                facts.emplace_back(std::string("  ") + label, formatSeconds(seconds));
        printFacts(context.out, facts);
    }
    if (!plan.memory.empty()) {
        context.out << "\nMemory of one rank, by pipeline stage\n";
        printTable(context.out, memoryTable(plan), context.outColour);
    }
    if (!plan.issues.empty()) context.out << '\n';
    printIssues(context.out, plan.issues, context.outColour);
}

Json numberJson(const ExplainedNumber& number) {
    return Json{{"name", number.name},
                {"value", std::isfinite(number.value) ? Json(number.value) : Json(nullptr)},
                {"unit", number.unit}};
}

Json explanationJson(const Explanation& e) {
    Json inputs = Json::array();
    for (const ExplainedNumber& input : e.inputs) inputs.push_back(numberJson(input));
    Json json = numberJson(e.figure);
    json["formula"] = e.formula;
    json["inputs"] = std::move(inputs);
    json["source"] = e.source;
    json["low"] = e.interval && std::isfinite(e.interval->first) ? Json(e.interval->first) : Json(nullptr);
    json["high"] = e.interval && std::isfinite(e.interval->second) ? Json(e.interval->second) : Json(nullptr);
    return json;
}

void printExplanation(CliContext& context, const Explanation& e) {
    constexpr std::size_t kWidth = 100;
    context.out << e.figure.name << " = " << asciiText(textOf(e.figure)) << "\n\n"
                << wrapText("= " + e.formula, kWidth) << "\n\n";
    std::vector<std::pair<std::string, std::string>> facts;
    for (const ExplainedNumber& input : e.inputs) facts.emplace_back("  " + input.name, asciiText(textOf(input)));
    if (e.interval)
        facts.emplace_back("80 % interval", asciiText(textOf({"", e.interval->first, e.figure.unit})) + " - " +
                                                asciiText(textOf({"", e.interval->second, e.figure.unit})));
    printFacts(context.out, facts);
    context.out << '\n' << wrapText("Source: " + e.source + ".", kWidth) << '\n';
}

class PlanCommand : public Command {
public:
    std::string name() const override { return "plan"; }
    std::string summary() const override { return "Memory, step time, bubble, communication and cost of a config"; }
    std::string examples() const override {
        return "  slipway plan config.json\n  slipway plan config.json --set parallel.tp=2 --set train.micro_batch_size=4\n"
               "  slipway plan config.json --cluster h100.json --json\n"
               "  slipway plan --model hf/config.json --set train.seq_len=4096 --set parallel.tp=4\n"
               "  slipway plan config.json --explain mfu";
    }
    void declare(Arguments& arguments) override {
        arguments.option("config", m_config, "Config file (JSON); not needed with --model").shownAs("CONFIG");
        arguments.option("--model", m_model, "Model to plan: a preset (llama3-8b) or a config.json of Hugging Face")
            .shownAs("FILE");
        arguments.option("--set", m_settings, "Set a field: parallel.tp=2; may be repeated")
            .shownAs("FIELD=VALUE")
            .oneEach();
        arguments.option("--cluster", m_cluster, "Hardware to plan for (JSON); default: this computer").shownAs("FILE");
        std::string figures;
        for (const std::string_view figure : explainedFigures())
            figures += (figures.empty() ? "" : ", ") + std::string(figure);
        arguments.option("--explain", m_figure, "Formula, inputs and source of a figure: " + figures).shownAs("FIGURE");
    }
    Result<int> run(CliContext& context) override {
        if (m_config.empty() && m_model.empty())
            return fail("usage", "A config is required: name its file, or a model with --model.");
        const auto config = m_model.empty() ? loadConfig(m_config, m_settings)
                                            : loadConfigWithModel(context, m_config, m_model, m_settings);
        if (!config) return fail(config.error());
        const auto cluster = clusterFor(context, m_cluster);
        if (!cluster) return fail(cluster.error());
        const Plan plan = makePlan(*config, *cluster);
        if (!m_figure.empty()) {
            const auto explanation = explain(plan, m_figure);
            if (!explanation) return fail(explanation.error());
            if (context.json)
                context.out << dumpJson(explanationJson(*explanation), true);
            else
                printExplanation(context, *explanation);
            return kExitDone;
        }
        if (context.json)
            context.out << dumpJson(planJson(plan), true);
        else
            printPlan(context, plan);
        return hasErrors(plan.issues) ? kExitFailed : kExitDone;
    }

private:
    std::string m_config, m_cluster, m_model, m_figure;
    std::vector<std::string> m_settings;
};

}  // namespace

std::unique_ptr<Command> makePlanCommand() {
    return std::make_unique<PlanCommand>();
}

}  // namespace slipway
