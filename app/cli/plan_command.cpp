#include "app/cli/commands.h"
#include "app/cli/plan_subject.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/metrics/mfu_rule.h"
#include "core/planner/advice/gain.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/explain/explain.h"
#include "core/planner/explain/plan_difference.h"
#include "core/planner/forecast_basis.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/planner/plan.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/time/repeated_passes.h"
#include "core/planner/time/utilisation.h"

#include <cmath>
#include <optional>

namespace slipway {
namespace {

const char* wordOf(Severity severity) {
    return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "info";
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// What following a piece of advice would bring; null where no change is known to answer it.
Json gainJson(const AdviceGain* gain) {
    if (gain == nullptr) return nullptr;
    return {{"change", gain->change.empty() ? Json(nullptr) : Json(gain->change)},
            {"text", gain->text},
            {"set", gain->settings},
            {"step_seconds", number(gain->stepSeconds)},
            {"memory_peak_bytes", number(gain->memoryPeakBytes)},
            {"time_per_token_change", number(gain->timeChange)},
            {"memory_change_bytes", number(gain->memoryChangeBytes)},
            {"host_node_bytes", number(gain->hostNodeBytes)},
            {"host_node_change_bytes", number(gain->hostNodeChangeBytes)},
            {"fits", gain->fits},
            {"label", gain->label}};
}

Json timelineJson(const Plan& plan) {
    Json moments = Json::array();
    if (plan.memory.empty()) return moments;
    for (const MemoryMoment& m : memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster)))
        moments.push_back({{"moment", wordOf(m.phase)},
                           {"weight_bytes", m.bytes.weightBytes},
                           {"gradient_bytes", m.bytes.gradientBytes},
                           {"optimizer_bytes", m.bytes.optimizerBytes},
                           {"activation_bytes", m.bytes.activationBytes},
                           {"logits_bytes", m.bytes.logitsBytes},
                           {"buffer_bytes", m.bytes.bufferBytes},
                           {"reserve_bytes", m.bytes.reserveBytes},
                           {"total_bytes", m.bytes.totalBytes()}});
    return moments;
}

std::string known(double value, std::string (*format)(double)) {
    return std::isfinite(value) ? format(value) : "unknown";
}

/// The system whose node is planned with; a CPU's is its own.
const ListedHost* listedNode(const Plan& plan) {
    return plan.cluster.device.kind == DeviceKind::Cpu ? nullptr : listedHost(plan.cluster.device.name);
}

Json hostMemoryJson(const Plan& plan) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    const HostMemory& host = node.ofRank;
    const ListedHost* listed = listedNode(plan);
    return {{"staging_bytes", host.stagingBytes},
            {"optimizer_bytes", host.optimizerBytes},
            {"activation_bytes", host.activationBytes},
            {"total_bytes", host.totalBytes()},
            {"stage", host.stage},
            {"node_bytes", node.hostBytes()},
            {"node_tensor_bytes", number(node.tensorBytes)},
            {"node_capacity_bytes", number(node.capacityBytes)},
            {"node_system", listed != nullptr ? Json(listed->system) : Json(nullptr)},
            {"node_source", listed != nullptr ? Json(listed->source) : Json(nullptr)}};
}

std::string hostMemoryText(const Plan& plan) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    const HostMemory& host = node.ofRank;
    const ListedHost* listed = listedNode(plan);
    const std::string total = formatBytes(host.totalBytes());
    if (host.totalBytes() <= 0) return total;
    return total + ": checkpoint copy " + formatBytes(host.stagingBytes) + ", optimizer " +
           formatBytes(host.optimizerBytes) + ", activations " + formatBytes(host.activationBytes) + "; " +
           formatBytes(node.hostBytes()) + " a node" +
           (node.tensorBytes > 0 ? " beside tensors of " + formatBytes(node.tensorBytes) : "") +
           (std::isfinite(node.capacityBytes) ? " of " + formatBytes(node.capacityBytes)
                                              : ", whose memory the library does not know") +
           (listed != nullptr ? " (" + listed->system + ")" : "");
}

Json utilisationJson(const Plan& plan) {
    Json list = Json::array();
    const auto names = enumNames(FlopsRule{});
    for (const Utilisation& u : utilisations(plan))
        list.push_back({{"rule", wordOf(u.rule)},
                        {"counts", names.at(static_cast<std::size_t>(u.rule)).help.english()},
                        {"flops_per_token", u.flopsPerToken},
                        {"mfu", u.mfu},
                        {"hardware_flops_per_token", number(u.hardwareFlopsPerToken.value_or(kUnknown))},
                        {"hfu", number(u.hfu.value_or(kUnknown))}});
    return list;
}

/// MFU or HFU by all rules that have it.
std::string utilisationText(const Plan& plan, std::optional<double> (*share)(const Utilisation&)) {
    std::string text;
    for (const Utilisation& u : utilisations(plan))
        if (const auto value = share(u))
            text += (text.empty() ? "" : "; ") + textOf(mfuRuleName(wordOf(u.rule))) + " " + formatPercent(*value);
    return text.empty() ? "unknown" : text;
}

/// What train.cuda_graphs does for this run.
Json graphsJson(const Plan& plan) {
    const double repeated = plan.memory.empty() ? 0 : repeatedMicroBatches(plan.config);
    if (repeated <= 0) return nullptr;
    return {{"repeated_micro_batches", repeated},
            {"saved_seconds", number(explain(plan, "step.graph_saved_seconds")->figure.value)},
            {"memory_bytes", graphPoolBytes(plan.config, plan.cluster)}};
}

std::string graphsText(const Plan& plan) {
    const double repeated = plan.memory.empty() ? 0 : repeatedMicroBatches(plan.config);
    if (repeated <= 0) return "none is captured for this layout";
    return formatCount(repeated) + " of " + std::to_string(plan.config.numMicroBatches()) +
           " micro-batches are one launch each: " +
           formatSeconds(explain(plan, "step.graph_saved_seconds")->figure.value) + " less a step, " +
           formatBytes(graphPoolBytes(plan.config, plan.cluster)) + " of memory";
}

Json planJson(const Plan& plan, const std::vector<AdviceGain>& gains) {
    Json issues = Json::array();
    for (const Issue& issue : plan.issues)
        issues.push_back({{"severity", wordOf(issue.severity)},
                          {"code", issue.code},
                          {"field", issue.field},
                          {"message", issue.message},
                          {"gain", gainJson(gainOf(gains, issue.code))}});
    return Json{{"config", toJson(plan.config)},        {"cluster", toJson(plan.cluster)},
                {"forecast", forecastJson(plan)},       {"checkpoint_bytes", checkpointStateBytes(plan.config)},
                {"host_memory", hostMemoryJson(plan)},  {"cuda_graphs", graphsJson(plan)},
                {"utilisation", utilisationJson(plan)}, {"memory_timeline", timelineJson(plan)},
                {"issues", std::move(issues)}};
}

Json differencesJson(const Plan& baseline, const Plan& plan) {
    Json fields = Json::array(), figures = Json::array();
    for (const FieldDifference& d : fieldDifferences(baseline, plan))
        fields.push_back({{"field", d.path},
                          {"before", d.left.empty() ? Json(nullptr) : Json::parse(d.left)},
                          {"after", d.right.empty() ? Json(nullptr) : Json::parse(d.right)}});
    for (const FigureDifference& d : figureDifferences(baseline, plan))
        figures.push_back({{"figure", d.name},
                           {"before", number(d.before)},
                           {"after", number(d.after)},
                           {"change", number(d.change())},
                           {"label_before", d.labelBefore},
                           {"label_after", d.labelAfter}});
    return {{"fields", std::move(fields)}, {"figures", std::move(figures)}};
}

std::string figureText(const FigureDifference& d, double value) {
    if (!std::isfinite(value)) return "unknown";
    switch (d.unit) {
        case FigureUnit::Seconds: return formatSeconds(value);
        case FigureUnit::Bytes: return formatBytes(value);
        case FigureUnit::Share: return formatPercent(value);
        case FigureUnit::PerSecond: return formatCount(value);
        case FigureUnit::Hours: return formatSignificant(value, 3);
        case FigureUnit::Count:
        case FigureUnit::Money: return formatShort(value);
    }
    return {};
}

void printDifferences(CliContext& context, const Plan& baseline, const Plan& plan) {
    const auto fields = fieldDifferences(baseline, plan);
    context.out << "\nAgainst the baseline: " << fields.size()
                << (fields.size() == 1 ? " field differs\n" : " fields differ\n");
    std::vector<std::pair<std::string, std::string>> facts;
    for (const FieldDifference& d : fields)
        facts.emplace_back("  " + d.path,
                           printable((d.left.empty() ? "n/a" : d.left) + " -> " + (d.right.empty() ? "n/a" : d.right)));
    printFacts(context.out, facts);
    Table table;
    for (const char* title : {"Figure", "Baseline (", "Plan (", "Change"}) {
        std::string text = title;
        if (text.ends_with("(")) text += (text.starts_with("P") ? plan : baseline).step.label + ")";
        table.columns.push_back({text, text, "", text != "Figure", ""});
    }
    for (const FigureDifference& d : figureDifferences(baseline, plan)) {
        const bool unknown = !std::isfinite(d.before) && !std::isfinite(d.after);
        if (unknown || (d.before == 0 && d.after == 0)) continue;
        const double change = d.change();
        table.rows.push_back({{d.name, {}, Tone::Plain},
                              {figureText(d, d.before), d.before, Tone::Plain},
                              {figureText(d, d.after), d.after, Tone::Plain},
                              {std::isfinite(change) ? (change > 0 ? "+" : "") + formatPercent(change)
                               : d.before == 0       ? "was none"
                                                     : "unknown",
                               change, Tone::Plain}});
    }
    printTable(context.out, table, context.outColour);
}

/// What each piece of advice would bring.
void printGains(CliContext& context, const std::vector<AdviceGain>& gains) {
    if (gains.empty()) return;
    context.out << "\nBy how much\n";
    std::vector<std::pair<std::string, std::string>> facts;
    for (const AdviceGain& gain : gains) facts.emplace_back("  " + gain.code, gain.text);
    printFacts(context.out, facts);
}

Table timelineTable(const Plan& plan) {
    Table table;
    for (const char* title :
         {"Moment", "Weights", "Gradients", "Optimizer", "Activations", "Logits", "Buffers", "Reserve", "Total"})
        table.columns.push_back({title, title, "", std::string(title) != "Moment", ""});
    for (const MemoryMoment& m : memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster))) {
        const MemoryBreakdown& b = m.bytes;
        std::vector<Cell> row{{std::string(wordOf(m.phase)), {}, Tone::Plain}};
        for (const double bytes : {b.weightBytes, b.gradientBytes, b.optimizerBytes, b.activationBytes, b.logitsBytes,
                                   b.bufferBytes, b.reserveBytes, b.totalBytes()})
            row.push_back({formatBytes(bytes), bytes, Tone::Plain});
        table.rows.push_back(std::move(row));
    }
    return table;
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

std::string intervalText(const Plan& plan, std::pair<double, double> ends, std::string (*format)(double)) {
    return (hasProbability(plan.step.label) ? "  80 %: " : "  range: ") + format(ends.first) + " - " +
           format(ends.second);
}

void printPlan(CliContext& context, const Plan& plan) {
    const StepEstimate& s = plan.step;
    const std::string label = "  (" + s.label + ")";
    const std::int64_t world = plan.config.parallel.worldSize();
    std::vector<std::pair<std::string, std::string>> facts = {
        {"Hardware",
         std::to_string(world) + " x " +
             (plan.cluster.device.name.empty() ? "an unnamed device" : printable(plan.cluster.device.name))},
        {"Layout",
         layoutText(plan.config.parallel, plan.config.train.microBatchSize, plan.config.train.recompute.policy)},
        {"Parameters", plan.parameters.total > 0 ? formatShort(plan.parameters.total) : "unknown"},
        {"Memory, worst rank",
         known(plan.memoryPeakBytes, formatBytes) +
             (std::isfinite(plan.memoryCapacityBytes) ? " of " + formatBytes(plan.memoryCapacityBytes) : "") +
             (std::isfinite(plan.memoryPeakBytes) ? intervalText(plan, memoryInterval(plan), formatBytes) : "") +
             label},
        {"Host memory, worst rank", hostMemoryText(plan) + label},
        {"Step time",
         known(s.stepSeconds, formatSeconds) +
             (std::isfinite(s.stepSecondsLow) ? intervalText(plan, {s.stepSecondsLow, s.stepSecondsHigh}, formatSeconds)
                                              : "") +
             label},
        {"Throughput", known(s.tokensPerSecond, formatCount) + " tokens/s, " +
                           known(s.tokensPerSecondPerDevice, formatCount) + " per device" + label},
        {titleWithRule("MFU", s.mfuRule), s.mfu ? formatPercent(*s.mfu) + label : "unknown"},
        {titleWithRule("HFU", s.mfuRule), s.hfu ? formatPercent(*s.hfu) + label : "unknown"},
        {"MFU by convention", utilisationText(plan, [](const Utilisation& u) { return std::optional(u.mfu); }) + label},
        {"HFU by convention", utilisationText(plan, [](const Utilisation& u) { return u.hfu; }) + label},
        {"Pipeline bubble", plan.config.parallel.pp > 1
                                ? known(s.bubbleSimulated, formatPercent) + " simulated, " +
                                      known(s.bubbleTheoretical, formatPercent) + " in theory" + label
                                : "n/a"},
        {"Communication",
         known(s.commBytes, formatBytes) + " per rank and step, " + known(s.commSeconds, formatSeconds) + label},
        {"Checkpoint", formatBytes(checkpointStateBytes(plan.config))},
        {"Training", known(plan.cost.trainingSeconds, formatSeconds) + ", " +
                         known(plan.cost.deviceHours, [](double h) { return formatSignificant(h, 3); }) +
                         " device-hours" +
                         (plan.cost.money ? ", " + formatMoney(*plan.cost.money, plan.cost.currency) : "") + label}};
    if (const auto resident = residentInterval(plan))
        facts.insert(facts.begin() + 4, {"RSS, worst rank", formatBytes(resident->first) + " to " +
                                                                formatBytes(resident->second) + label});
    if (plan.config.train.cudaGraphs) facts.emplace_back("CUDA graphs", graphsText(plan) + label);
    printFacts(context.out, facts);
    if (std::isfinite(s.stepSeconds)) {
        context.out << "\nA step, part by part" << label << '\n';
        facts.clear();
        for (const auto& [part, seconds] :
             {std::pair{"compute", s.computeSeconds}, std::pair{"TP", s.tpExposedSeconds},
              std::pair{"CP", s.cpExposedSeconds}, std::pair{"EP", s.epExposedSeconds},
              std::pair{"PP", s.ppExposedSeconds}, std::pair{"bubble", s.bubbleSeconds},
              std::pair{"DP", s.dpExposedSeconds}, std::pair{"optimizer", s.optimizerSeconds},
              std::pair{"fixed", s.fixedSeconds}})
            if (std::isfinite(seconds) && seconds > 0)
                facts.emplace_back(std::string("  ") + part, formatSeconds(seconds));
        printFacts(context.out, facts);
    }
    if (!plan.memory.empty()) {
        context.out << "\nMemory of one rank, by pipeline stage" << label << '\n';
        printTable(context.out, memoryTable(plan), context.outColour);
        context.out << "\nMemory of the fullest rank over time" << label << '\n';
        printTable(context.out, timelineTable(plan), context.outColour);
    }
    if (!plan.issues.empty()) context.out << '\n';
    printIssues(context.out, plan.issues, context.outColour, context.language);
}

Json numberJson(const ExplainedNumber& number) {
    return Json{{"name", number.name},
                {"value", std::isfinite(number.value) ? Json(number.value) : Json(nullptr)},
                {"unit", number.unit}};
}

Json explanationJson(const Explanation& e) {
    const auto list = [](const std::vector<ExplainedNumber>& numbers) {
        Json out = Json::array();
        for (const ExplainedNumber& one : numbers) out.push_back(numberJson(one));
        return out;
    };
    Json json = numberJson(e.figure);
    json["formula"] = e.formula;
    json["inputs"] = list(e.inputs);
    json["by_other_conventions"] = list(e.others);
    json["source"] = textOf(e.source);
    json["low"] = e.interval && std::isfinite(e.interval->first) ? Json(e.interval->first) : Json(nullptr);
    json["high"] = e.interval && std::isfinite(e.interval->second) ? Json(e.interval->second) : Json(nullptr);
    return json;
}

void printExplanation(CliContext& context, const std::string& label, const Explanation& e) {
    const auto name = [&](const ExplainedNumber& number) {
        return printable(quantityText(number.name, context.language));
    };
    const auto value = [&](const ExplainedNumber& number) { return asciiText(textOf(number, context.language)); };
    context.out << name(e.figure) << " = " << value(e.figure) << "\n\n"
                << wrapText("= " + formulaText(e, context.language), lineWidth(context.out)) << "\n\n";
    std::vector<std::pair<std::string, std::string>> facts;
    for (const ExplainedNumber& input : e.inputs) facts.emplace_back("  " + name(input), value(input));
    for (const ExplainedNumber& other : e.others)
        facts.emplace_back(context.text("by another convention: %1"_text(name(other))), value(other));
    if (e.interval)
        facts.emplace_back(context.text(intervalName(label)), value({"", e.interval->first, e.figure.unit}) + " - " +
                                                                  value({"", e.interval->second, e.figure.unit}));
    printFacts(context.out, facts);
    const std::string source = context.text("Source: %1."_text(textOf(e.source, context.language)));
    context.out << '\n' << wrapText(printable(source), lineWidth(context.out)) << '\n';
}

std::string explainable() {
    std::string figures;
    for (const std::string_view figure : explainedFigures())
        figures += (figures.empty() ? "" : ", ") + std::string(figure);
    return figures;
}

/// Every figure with its value and formula.
Result<int> explainAll(CliContext& context, const Plan& plan, std::optional<std::int64_t> rank) {
    Json list = Json::array();
    for (const std::string_view figure : explainedFigures()) {
        const auto explanation = explain(plan, figure, rank);
        if (!explanation) return fail(explanation.error());
        if (context.json)
            list.push_back(explanationJson(*explanation));
        else
            context.out << quantityText(figure, context.language) << " = "
                        << asciiText(textOf(explanation->figure, context.language)) << '\n'
                        << wrapText("= " + formulaText(*explanation, context.language), lineWidth(context.out)) << '\n';
    }
    if (context.json) context.out << dumpJson(list, true);
    return kExitDone;
}

class PlanCommand : public Command {
public:
    std::string name() const override { return "plan"; }
    std::string summary() const override { return "Memory, step time, bubble, communication and cost of a config"; }
    std::string examples() const override {
        return "  slipway plan --model llama3-8b\n  slipway plan --model hf:Qwen/Qwen3-8B --cluster H100 --devices 64\n"
               "  slipway plan config.json\n  slipway plan config.json --set parallel.tp=2 --set train.micro_batch_size=4\n"
               "  slipway plan config.json --cluster h100.json --json\n"
               "  slipway plan --model hf/config.json --set train.seq_len=4096 --set parallel.tp=4\n"
               "  slipway plan config.json --against other.json\n"
               "  slipway plan config.json --explain mfu\n"
               "Figures of --explain:\n" +
               wrapText(explainable(), kLineWidth);
    }
    void declare(Arguments& arguments) override {
        m_question.declare(arguments);
        arguments
            .option(
                "--devices", m_question.devices,
                "Devices to plan for; dp takes what the other degrees leave, and of a model alone the layout is searched")
            .shownAs("N")
            .takes(1, 1)
            .between(1, 1000000);
        arguments
            .option("--against", m_against,
                    "Config to compare with, on the same hardware: every figure and field that differs")
            .shownAs("CONFIG");
        Argument figure = arguments
                              .option("--explain", m_figure,
                                      "Formula, inputs and source of a figure, one of those named below, or all")
                              .shownAs("FIGURE");
        arguments.option("--rank", m_rank, "Pipeline rank whose seconds --explain gives; without it the slowest")
            .shownAs("N")
            .takes(1, 1)
            .between(0, 1000000)
            .needs(figure);
    }
    Result<int> run(CliContext& context) override {
        std::optional<RunConfig> other;
        if (!m_against.empty()) {
            auto read = loadConfig(m_against, {});
            if (!read) return fail(read.error());
            other = std::move(*read);
        }
        auto subject = subjectOf(context, m_question);
        if (!subject) return fail(subject.error());
        if (auto laidOut = layOut(context, m_question, *subject); !laidOut) return fail(laidOut.error());
        if (other) giveNodes(m_question, subject->cluster, other->parallel.worldSize());
        const Plan plan = makePlan(subject->config, subject->cluster);
        const auto rank = m_rank.empty() ? std::nullopt : std::optional(m_rank.front());
        if (m_figure == "all") return explainAll(context, plan, rank);
        if (!m_figure.empty()) {
            const auto explanation = explain(plan, m_figure, rank);
            if (!explanation) return fail(explanation.error());
            if (context.json)
                context.out << dumpJson(explanationJson(*explanation), true);
            else
                printExplanation(context, plan.step.label, *explanation);
            return kExitDone;
        }
        std::optional<Plan> baseline;
        if (other) baseline = makePlan(*other, subject->cluster);
        const std::vector<AdviceGain> gains = adviceGains(plan);
        if (context.json) {
            Json document = planJson(plan, gains);
            if (baseline) document["against"] = differencesJson(*baseline, plan);
            context.out << dumpJson(document, true);
        } else {
            printPlan(context, plan);
            printGains(context, gains);
            if (baseline) printDifferences(context, *baseline, plan);
        }
        return hasErrors(plan.issues) ? kExitFailed : kExitDone;
    }

private:
    PlanQuestion m_question;
    std::string m_figure, m_against;
    std::vector<std::int64_t> m_rank;  ///< empty: not given
};

}  // namespace

std::unique_ptr<Command> makePlanCommand() {
    return std::make_unique<PlanCommand>();
}

}  // namespace slipway
