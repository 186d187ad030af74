#include "app/cli/commands.h"
#include "app/cli/plan_documents.h"
#include "app/cli/plan_subject.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/metrics/mfu_rule.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/explain/explain.h"
#include "core/planner/explain/plan_difference.h"
#include "core/planner/memory/graph_passes.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/listed_hosts.h"
#include "core/planner/memory/memory_interval.h"
#include "core/planner/memory/memory_timeline.h"
#include "core/planner/plan.h"
#include "core/planner/search/layout_message.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/time/utilisation.h"
#include "core/planner/variants/gain.h"
#include "core/run/measured_nodes.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>

namespace slipway {
namespace {

constexpr std::size_t kIndent = 2;

/// "MFU (causal)".
Message withRule(const char* title, const std::string& rule) {
    return rule.empty() ? Message::name(title) : "%1 (%2)"_text(std::string(title), mfuRuleName(rule));
}

Words known(double value, std::string (*format)(double)) {
    return std::isfinite(value) ? Words(format(value)) : Words("unknown"_text);
}

Words knownSeconds(double value) {
    return std::isfinite(value) ? Words(Seconds{value}) : Words("unknown"_text);
}

Message hostMemoryText(const Plan& plan) {
    const NodeHostMemory node = nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes);
    const HostMemory& host = node.ofRank;
    const ListedHost* listed = listedNode(plan);
    const Message total = Message::name(formatBytes(host.totalBytes()));
    if (host.totalBytes() <= 0) return total;
    Message perNode = "%1 per node"_text(formatBytes(node.hostBytes()));
    if (node.tensorBytes > 0) perNode = "%1 plus tensors of %2"_text(perNode, formatBytes(node.tensorBytes));
    perNode = std::isfinite(node.capacityBytes) ? "%1, of %2"_text(perNode, formatBytes(node.capacityBytes))
                                                : "%1, of an unknown memory"_text(perNode);
    if (listed != nullptr) perNode = "%1 (%2)"_text(perNode, listed->system);
    return "%1: checkpoint copy %2, optimizer %3, activations %4; %5"_text(total, formatBytes(host.stagingBytes),
                                                                           formatBytes(host.optimizerBytes),
                                                                           formatBytes(host.activationBytes), perNode);
}

/// MFU or HFU by all rules with a value.
Message utilisationText(const Plan& plan, std::optional<double> (*share)(const Utilisation&)) {
    std::vector<Message> shares;
    for (const Utilisation& u : utilisations(plan))
        if (const auto value = share(u))
            shares.push_back("%1 %2"_text(mfuRuleName(wordOf(u.rule)), formatPercent(*value)));
    return shares.empty() ? Message("unknown"_text) : listOf(shares);
}

Message graphsText(const Plan& plan) {
    const double repeated = plan.memory.empty() ? 0 : repeatedMicroBatches(plan.config);
    if (repeated <= 0) return "no graph is captured for this layout"_text;
    return "%1 of %2 micro-batches are one launch each: %3 less per step, %4 of memory"_text(
        formatCount(repeated), plan.config.numMicroBatches(),
        Seconds{explain(plan, "step.graph_saved_seconds")->figure.value},
        formatBytes(graphPoolBytes(plan.config, plan.cluster)));
}

Words figureText(const FigureDifference& d, double value) {
    if (!std::isfinite(value)) return "unknown"_text;
    switch (d.unit) {
        case FigureUnit::Seconds: return Message(Seconds{value});
        case FigureUnit::Bytes: return formatBytes(value);
        case FigureUnit::Share: return formatPercent(value);
        case FigureUnit::PerSecond: return formatCount(value);
        case FigureUnit::Hours: return formatSignificant(value, 3);
        case FigureUnit::Count:
        case FigureUnit::Money: return Message(ShortCount{value});
    }
    return "";
}

/// The basis of a plan's figures: its software, or textbook.
Message basisOf(const Plan& plan) {
    return basisText(plan.step.label, softwareOf(plan.cluster));
}

void printDifferences(CliContext& context, const Plan& baseline, const Plan& plan) {
    const auto fields = fieldDifferences(baseline, plan);
    const auto count = static_cast<std::int64_t>(fields.size());
    context.out << '\n'
                << plural(count, "Against the baseline: %1 field differs"_text,
                          "Against the baseline: %1 fields differ"_text)(count)
                << '\n';
    FactLines facts;
    for (const FieldDifference& d : fields)
        facts.emplace_back(d.path, (d.left.empty() ? "n/a" : d.left) + " -> " + (d.right.empty() ? "n/a" : d.right));
    printFacts(context.out, facts, kIndent);
    Table table;
    for (const Message& title : {Message("Figure"_text), "Baseline (%1)"_text(basisOf(baseline)),
                                 "Plan (%1)"_text(basisOf(plan)), Message("Change"_text)})
        table.columns.push_back({context.text(title), "", "", !table.columns.empty(), ""});
    for (const FigureDifference& d : figureDifferences(baseline, plan)) {
        const bool unknown = !std::isfinite(d.before) && !std::isfinite(d.after);
        if (unknown || (d.before == 0 && d.after == 0)) continue;
        const double change = d.change();
        const std::string changed = std::isfinite(change) ? (change > 0 ? "+" : "") + formatPercent(change)
                                    : d.before == 0       ? context.text("was none"_text)
                                                          : context.text("unknown"_text);
        table.rows.push_back({{quantityText(d.name, context.language), {}, Tone::Plain},
                              {context.text(figureText(d, d.before)), d.before, Tone::Plain},
                              {context.text(figureText(d, d.after)), d.after, Tone::Plain},
                              {changed, change, Tone::Plain}});
    }
    printTable(context.out, table, context.outColour);
}

/// The gain of each piece of advice.
void printGains(CliContext& context, const std::vector<AdviceGain>& gains) {
    if (gains.empty()) return;
    context.out << '\n' << "By how much"_text << '\n';
    FactLines facts;
    for (const AdviceGain& gain : gains) facts.emplace_back(gain.code, gain.text);
    printFacts(context.out, facts, kIndent);
}

Table timelineTable(const CliContext& context, const Plan& plan) {
    Table table;
    for (const SourceText title : {"Moment"_text, "Weights"_text, "Gradients"_text, "Optimizer"_text,
                                   "Activations"_text, "Logits"_text, "Buffers"_text, "Reserve"_text, "Total"_text})
        table.columns.push_back({context.text(title), "", "", title != "Moment", ""});
    for (const MemoryMoment& m : memoryTimeline(plan.memory[plan.worstStage], allocationOf(plan.cluster))) {
        const MemoryBreakdown& b = m.bytes;
        std::vector<Cell> row{{context.text(meaningOf(m.phase)), {}, Tone::Plain}};
        for (const double bytes : {b.weightBytes, b.gradientBytes, b.optimizerBytes, b.activationBytes, b.logitsBytes,
                                   b.bufferBytes, b.reserveBytes, b.totalBytes()})
            row.push_back({formatBytes(bytes), bytes, Tone::Plain});
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table memoryTable(const CliContext& context, const Plan& plan) {
    Table table;
    for (const SourceText title : {"Stage"_text, "Layers"_text, "Weights"_text, "Gradients"_text, "Optimizer"_text,
                                   "Activations"_text, "Logits"_text, "Buffers"_text, "Reserve"_text, "Total"_text})
        table.columns.push_back({context.text(title), "", "", true, ""});
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

Message intervalText(const Plan& plan, const Words& low, const Words& high) {
    return hasProbability(plan.step.label) ? "80 %: %1 - %2"_text(low, high) : "range: %1 - %2"_text(low, high);
}

/// A line of facts, followed by the basis of its figures.
Words labelled(const Message& text, const Message& basis) {
    return "%1  (%2)"_text(text, basis);
}

Message memoryText(const Plan& plan) {
    Message text = known(plan.memoryPeakBytes, formatBytes);
    if (std::isfinite(plan.memoryCapacityBytes)) text = "%1 of %2"_text(text, formatBytes(plan.memoryCapacityBytes));
    if (!std::isfinite(plan.memoryPeakBytes)) return text;
    const auto [low, high] = memoryInterval(plan);
    return "%1  %2"_text(text, intervalText(plan, formatBytes(low), formatBytes(high)));
}

Message stepText(const Plan& plan) {
    const StepEstimate& s = plan.step;
    const Message text = knownSeconds(s.stepSeconds);
    if (!std::isfinite(s.stepSecondsLow)) return text;
    return "%1  %2"_text(text,
                         intervalText(plan, Message(Seconds{s.stepSecondsLow}), Message(Seconds{s.stepSecondsHigh})));
}

Message trainingText(const Plan& plan) {
    if (!std::isfinite(plan.cost.trainingSeconds)) return "unknown"_text;
    const Message text =
        "%1, %2 device-hours"_text(knownSeconds(plan.cost.trainingSeconds),
                                   known(plan.cost.deviceHours, [](double h) { return formatSignificant(h, 3); }));
    return plan.cost.money ? "%1, %2"_text(text, formatMoney(*plan.cost.money, plan.cost.currency)) : text;
}

void printPlan(CliContext& context, const PlanSubject& subject, const Plan& plan) {
    const StepEstimate& s = plan.step;
    const Message basis = basisOf(plan);
    const auto title = [&](SourceText heading) { context.out << '\n' << "%1  (%2)"_text(heading, basis) << '\n'; };
    const std::int64_t world = plan.config.parallel.worldSize();
    const Message hardware = plan.cluster.device.name.empty() ? "%1 x an unnamed device"_text(world)
                                                              : "%1 x %2"_text(world, plan.cluster.device.name);
    FactLines facts = {
        {"Hardware"_text, isMeasuredHere(plan.cluster) ? "%1, measured here"_text(hardware) : hardware},
        {"Layout"_text,
         layoutMessage(plan.config.parallel, plan.config.train.microBatchSize, plan.config.train.recompute.policy)},
        {"Forecast basis"_text, subject.stack().text()},
        {"Parameters"_text,
         plan.parameters.total > 0 ? Words(ShortCount{plan.parameters.total}) : Words("unknown"_text)},
        {"Memory, worst rank"_text, labelled(memoryText(plan), basis)},
        {"Host memory, worst rank"_text, labelled(hostMemoryText(plan), basis)},
        {"Step time"_text, labelled(stepText(plan), basis)},
        {"Throughput"_text,
         std::isfinite(s.tokensPerSecond)
             ? labelled("%1 tokens/s, %2 per device"_text(formatCount(s.tokensPerSecond),
                                                          known(s.tokensPerSecondPerDevice, formatCount)),
                        basis)
             : Words("unknown"_text)},
        {withRule("MFU", s.mfuRule),
         s.mfu ? labelled(Message::name(formatPercent(*s.mfu)), basis) : Words("unknown"_text)},
        {withRule("HFU", s.mfuRule),
         s.hfu ? labelled(Message::name(formatPercent(*s.hfu)), basis) : Words("unknown"_text)},
        {"MFU by convention"_text,
         labelled(utilisationText(plan, [](const Utilisation& u) { return std::optional(u.mfu); }), basis)},
        {"HFU by convention"_text, labelled(utilisationText(plan, [](const Utilisation& u) { return u.hfu; }), basis)},
        {"Pipeline bubble"_text, plan.config.parallel.pp > 1 ? labelled("%1 simulated, %2 in theory"_text(
                                                                            known(s.bubbleSimulated, formatPercent),
                                                                            known(s.bubbleTheoretical, formatPercent)),
                                                                        basis)
                                                             : Words("n/a")},
        {"Communication"_text,
         labelled("%1 per rank and step, %2"_text(known(s.commBytes, formatBytes), knownSeconds(s.commSeconds)),
                  basis)},
        {"Checkpoint"_text, formatBytes(checkpointStateBytes(plan.config))},
        {"Training"_text, labelled(trainingText(plan), basis)}};
    if (const auto resident = residentInterval(plan))
        facts.insert(facts.begin() + 5,
                     {"RSS, worst rank"_text,
                      labelled("%1 to %2"_text(formatBytes(resident->first), formatBytes(resident->second)), basis)});
    if (plan.config.train.cudaGraphs) facts.emplace_back("CUDA graphs"_text, labelled(graphsText(plan), basis));
    printFacts(context.out, facts);
    if (std::isfinite(s.stepSeconds)) {
        title("Parts of a step"_text);
        facts.clear();
        for (const auto& [part, seconds] :
             {std::pair{"compute"_text, s.computeSeconds}, std::pair{"TP"_text, s.tpExposedSeconds},
              std::pair{"CP"_text, s.cpExposedSeconds}, std::pair{"EP"_text, s.epExposedSeconds},
              std::pair{"PP"_text, s.ppExposedSeconds}, std::pair{"bubble"_text, s.bubbleSeconds},
              std::pair{"DP"_text, s.dpExposedSeconds}, std::pair{"optimizer"_text, s.optimizerSeconds},
              std::pair{"fixed"_text, s.fixedSeconds}})
            if (std::isfinite(seconds) && seconds > 0) facts.emplace_back(part, Message(Seconds{seconds}));
        printFacts(context.out, facts, kIndent);
    }
    if (!plan.memory.empty()) {
        title("Memory of one rank, by pipeline stage"_text);
        printTable(context.out, memoryTable(context, plan), context.outColour);
        title("Memory of the fullest rank over time"_text);
        printTable(context.out, timelineTable(context, plan), context.outColour);
    }
    if (!plan.issues.empty()) context.out << '\n';
    printIssues(context.out, plan.issues, context.outColour, context.language);
}

void printExplanation(CliContext& context, const std::string& label, const Explanation& e) {
    const auto name = [&](const ExplainedNumber& number) {
        return printable(quantityText(number.name, context.language));
    };
    const auto value = [&](const ExplainedNumber& number) { return asciiText(textOf(number, context.language)); };
    context.out << name(e.figure) << " = " << value(e.figure) << "\n\n"
                << wrapText("= " + formulaText(e, context.language), lineWidth(context.out)) << "\n\n";
    FactLines facts;
    for (const ExplainedNumber& input : e.inputs) facts.emplace_back("  " + name(input), value(input));
    for (const ExplainedNumber& other : e.others)
        facts.emplace_back("by another convention: %1"_text(name(other)), value(other));
    if (e.interval)
        facts.emplace_back(intervalName(label), value({"", e.interval->first, e.figure.unit}) + " - " +
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
    Message summary() const override { return "Memory, step time, bubble, communication and cost of a config"_text; }
    Examples examples() const override {
        return {{"slipway plan --model llama3-8b"},
                {"slipway plan --model hf:Qwen/Qwen3-8B --cluster H100 --devices 64"},
                {"slipway plan config.json"},
                {"slipway plan config.json --set parallel.tp=2 --set train.micro_batch_size=4"},
                {"slipway plan config.json --cluster h100.json --json"},
                {"slipway plan --model hf/config.json --set train.seq_len=4096 --set parallel.tp=4"},
                {"slipway plan config.json --against other.json"},
                {"slipway plan config.json --explain mfu"},
                {"", "Figures of --explain: %1"_text(explainable())}};
    }
    void declare(Arguments& arguments) override {
        m_question.declare(arguments);
        arguments
            .option(
                "--devices", m_question.devices,
                "Devices to plan for; dp is the quotient by the other degrees, and with a model alone the layout is searched"_text)
            .shownAs("N")
            .takes(1, 1)
            .between(1, 1000000);
        arguments
            .option("--against", m_against,
                    "Config to compare with, on the same hardware: every figure and field that differs"_text)
            .shownAs("CONFIG");
        Argument figure =
            arguments
                .option("--explain", m_figure, "Formula, inputs and source of a figure (listed below), or all"_text)
                .shownAs("FIGURE");
        arguments.option("--rank", m_rank, "Pipeline rank whose seconds --explain gives; without it the slowest"_text)
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
        if (other) baseline = makePlan(*other, subject->stack().clusterFor(*other));
        const std::vector<AdviceGain> gains = adviceGains(plan);
        if (context.json) {
            Json document = planJson(plan, gains);
            if (baseline) document["against"] = differencesJson(*baseline, plan);
            context.out << dumpJson(document, true);
        } else {
            printPlan(context, *subject, plan);
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
