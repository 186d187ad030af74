// search: the best layouts of a config on a cluster, exactly; why another is not better; a sweep to measure the best.
#include "app/cli/all_cores.h"
#include "app/cli/commands.h"
#include "app/cli/plan_subject.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/planner/search/explain_layout.h"
#include "core/planner/search/layout_message.h"
#include "core/planner/search/layout_search.h"
#include "core/planner/search/search_request.h"
#include "core/planner/stack/forecast_basis.h"

#include <cmath>
#include <set>

namespace slipway {
namespace {

constexpr std::size_t kBenchmarked = 5;

std::string text(const FoundLayout& l) {
    return layoutText(l.parallel, l.microBatchSize, l.recompute);
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json number(const std::optional<double>& value) {
    return value ? number(*value) : Json(nullptr);
}

Json layoutJson(const FoundLayout& l, const RunConfig& config) {
    const StepEstimate& s = l.step;
    return {{"layout", text(l)},
            {"devices", l.parallel.worldSize()},
            {"parallel", fields::toJson(l.parallel)},
            {"micro_batch_size", l.microBatchSize},
            {"num_micro_batches", l.applied(config).numMicroBatches()},
            {"recompute", wordOf(l.recompute)},
            {"step_seconds", number(s.stepSeconds)},
            {"step_seconds_low", number(s.stepSecondsLow)},
            {"step_seconds_high", number(s.stepSecondsHigh)},
            {"label", s.label},
            {"tokens_per_second", number(s.tokensPerSecond)},
            {"tokens_per_second_per_device", number(s.tokensPerSecondPerDevice)},
            {"mfu", number(s.mfu)},
            {"memory_peak_bytes", number(l.memoryPeakBytes)},
            {"device_hours", number(l.cost.deviceHours)},
            {"money", number(l.cost.money)},
            {"currency", l.cost.currency}};
}

Json sentencesOf(const std::vector<Message>& messages) {
    Json list = Json::array();
    for (const Message& message : messages) list.push_back(textOf(message));
    return list;
}

Json explanationJson(const LayoutExplanation& e) {
    Json gaps = Json::array(), changes = Json::array();
    for (const PartGap& gap : e.gaps)
        gaps.push_back(
            {{"part", gap.part}, {"seconds", number(gap.seconds)}, {"best_seconds", number(gap.bestSeconds)}});
    for (const LayoutChange& c : e.changes)
        changes.push_back({{"change", c.text},
                           {"axis", wordOf(c.axis)},
                           {"from", axisText(c.axis, c.from)},
                           {"to", axisText(c.axis, c.to)},
                           {"step_seconds", number(c.stepSeconds)},
                           {"memory_peak_bytes", number(c.memoryPeakBytes)},
                           {"fits", c.fits}});
    return {{"legal", e.legal},
            {"fits", e.fits},
            {"verdict", textOf(e.verdict)},
            {"reasons", sentencesOf(e.reasons)},
            {"step_seconds", number(e.step.stepSeconds)},
            {"memory_peak_bytes", number(e.memoryPeakBytes)},
            {"memory_capacity_bytes", number(e.memoryCapacityBytes)},
            {"parts", std::move(gaps)},
            {"changes", std::move(changes)}};
}

Table layoutTable(const CliContext& context, const std::vector<FoundLayout>& layouts) {
    Table table;
    const bool hasShare = layouts.empty() || hasProbability(layouts.front().step.label);
    for (const SourceText title : {"#"_text, "Layout"_text, "Step"_text, hasShare ? "80 %"_text : "Range"_text,
                                   "Tokens/s/device"_text, "MFU"_text, "Memory"_text, "Device-hours"_text})
        table.columns.push_back({context.text(title), "", "", title != "Layout", ""});
    for (const FoundLayout& l : layouts) {
        const StepEstimate& s = l.step;
        table.rows.push_back(
            {{std::to_string(table.rows.size() + 1), {}, Tone::Plain},
             {context.text(layoutMessage(l.parallel, l.microBatchSize, l.recompute)), {}, Tone::Plain},
             {context.text(Seconds{s.stepSeconds}), s.stepSeconds, Tone::Plain},
             {context.text("%1 - %2"_text(Seconds{s.stepSecondsLow}, Seconds{s.stepSecondsHigh})), {}, Tone::Plain},
             {formatCount(s.tokensPerSecondPerDevice), s.tokensPerSecondPerDevice, Tone::Plain},
             {s.mfu ? formatPercent(*s.mfu) : context.text("unknown"_text), s.mfu, Tone::Plain},
             {formatBytes(l.memoryPeakBytes), l.memoryPeakBytes, Tone::Plain},
             {formatSignificant(l.cost.deviceHours, 3), l.cost.deviceHours, Tone::Plain}});
    }
    return table;
}

void printExplanation(CliContext& context, const std::string& layout, const LayoutExplanation& e) {
    context.out << '\n' << "Why not %1?"_text(layout) << '\n' << e.verdict << '\n';
    for (const Message& reason : e.reasons) context.out << "  " << reason << '\n';
    for (const LayoutChange& c : e.changes) context.out << "  " << changeSentence(c.text, c) << '\n';
}

/// The kinds of the figures, each once.
std::set<std::string> labelsOf(const std::vector<FoundLayout>& layouts) {
    std::set<std::string> labels;
    for (const FoundLayout& l : layouts) labels.insert(l.step.label);
    return labels;
}

class SearchCommand : public Command {
public:
    std::string name() const override { return "search"; }
    Message summary() const override { return "The best layouts of a config, exactly; why another is not better"_text; }
    Examples examples() const override {
        return {
            {"slipway search config.json --cluster h100.json --devices 512"},
            {"slipway search config.json --fix tp=2..8 --fix schedule=1f1b,interleaved_1f1b --objective memory"},
            {"slipway search config.json --why tp=8,pp=4,zero_stage=1"},
            {"slipway search --model llama3.1-405b --cluster H100 --devices 16384 --set train.global_batch_size=2048"},
            {"slipway search config.json --sweep best.json && slipway sweep best.json"},
            {"",
             "Axes of --fix and --why: dp, tp, pp, cp, ep, etp, cp_kind, zero_stage, dp_shard, sequence_parallel, async_tp, recompute, schedule, virtual_stages, layer_split, micro_batch_size, offload; as one value, a list 2,4, a range 2..8, <=8 or >=2. dp_shard is dp where all of dp shards together. layer_split is even, last_1 or last_2 (one or two layers fewer in the last stage), ends_1 or ends_2 (fewer at both ends)."_text},
            {"",
             "Layouts with the same degrees, schedule, virtual_stages, micro_batch_size and recompute are one entry, the best of them, so that entries are usefully different; so are layouts that swap dp for cp at equal tokens per rank, or virtual_stages, and take the same time within 1 %. Others within 1 % are counted and named as its alternatives (--json: best[].alternatives). --variants lists every layout by itself."_text},
            {"",
             "Schedules are afab, 1f1b and interleaved_1f1b unless --fix schedule=... names others (zb_h1, zb_v, dualpipe, dualpipe_v)."_text}};
    }
    void declare(Arguments& arguments) override {
        m_question.declare(arguments);
        arguments
            .option(
                "--devices", m_question.devices,
                "Numbers of devices to lay out over; default: the config's; of a model alone the fewest nodes that hold it"_text)
            .shownAs("N[,N...]")
            .separatedBy(',')
            .between(1, 1000000)
            .oneEach();
        arguments.option("--objective", m_objective, "speed, memory or cost"_text)
            .shownAs("WORD")
            .oneOf({"speed", "memory", "cost"});
        arguments.option("--fix", m_limits, "Fix or bound an axis: tp=4, tp=2..8, tp<=8; may be repeated"_text)
            .shownAs("AXIS=VALUE")
            .oneEach();
        arguments.option("--limit", m_limit, "Layouts to list"_text).shownAs("N").between(1, 1000);
        arguments
            .option("--why", m_why,
                    "Explain why this layout is not better, or not legal; \"config\": the config's own"_text)
            .shownAs("LAYOUT")
            .oneEach();
        arguments
            .option("--sweep", m_sweep, "Write a sweep of the five best, usefully different, for slipway sweep"_text)
            .shownAs("FILE");
        arguments.option("--memory", m_memoryGib, "GiB one rank may use; default: the memory of its device"_text)
            .shownAs("GIB")
            .positive();
        arguments
            .option(
                "--node-memory", m_nodeMemoryGib,
                "GiB of host memory of a node, for offload and checkpoint copies; default: the figure listed for the device"_text)
            .shownAs("GIB")
            .positive();
        arguments.flag("--runnable", m_runnable, "Only layouts that the bundled trainer can execute"_text);
        arguments.flag("--variants", m_variants,
                       "List every layout by itself, also those that are alternatives of a better one"_text);
        arguments.flag("--tp-across-nodes", m_tpAcrossNodes, "Allow tensor parallelism beyond a node"_text);
    }

    Result<int> run(CliContext& context) override {
        m_question.isSearch = true;
        auto subject = subjectOf(context, m_question);
        if (!subject) return fail(subject.error());
        const std::vector<std::int64_t> devices = devicesToSearch(context, m_question, *subject);
        const Message basis = subject->stack().text();
        LayoutRequest request{std::move(subject->config), std::move(subject->cluster)};
        request.devices = devices;
        for (const std::string& limit : m_limits)
            if (auto set = request.limits.set(limit); !set) return fail("usage", set.error().sentence());
        for (const auto& objective : enumNames(SearchObjective{}))
            if (objective.word == m_objective) request.objective = objective.value;
        request.limit = std::max(static_cast<std::size_t>(m_limit), m_sweep.empty() ? 1 : kBenchmarked);
        request.tpAcrossNodes = m_tpAcrossNodes;
        request.onlyRunnable = m_runnable;
        request.distinct = !m_variants;
        request.run = onAllCores;
        growCluster(request);
        if (m_memoryGib > 0) limitMemory(request, m_memoryGib * kGiB);
        if (m_nodeMemoryGib > 0) request.nodeBytes = m_nodeMemoryGib * kGiB;
        const double begin = monotonicSecondsNow();
        LayoutSearch found = searchLayouts(request);
        const double seconds = monotonicSecondsNow() - begin;
        std::vector<std::pair<std::string, LayoutExplanation>> explanations;
        for (const std::string& layout : m_why) {
            auto named = layoutFromText(request, layout);
            if (!named) return fail("usage", named.error().sentence());
            explanations.emplace_back(layout, explainLayout(request, *named, found.best));
        }
        if (auto written = writeSweep(context, request, found); !written) return fail(written.error());
        if (found.best.size() > static_cast<std::size_t>(m_limit)) found.best.resize(static_cast<std::size_t>(m_limit));
        std::vector<std::vector<FoundLayout>> alternatives(found.best.size());
        if (request.distinct)
            onAllCores(found.best.size(), [&](std::size_t i) {
                LayoutRequest alone = request;
                alone.run = {};
                alternatives[i] = alternativesTo(alone, found.best[i]);
            });
        if (context.json)
            context.out << dumpJson(json(request, found, alternatives, explanations, seconds), true);
        else
            print(context, basis, request, found, alternatives, explanations, seconds);
        return found.best.empty() ? kExitFailed : kExitDone;
    }

private:
    Result<void> writeSweep(CliContext& context, const LayoutRequest& request, const LayoutSearch& found) const {
        if (m_sweep.empty()) return {};
        const std::vector<FoundLayout> layouts = layoutsToBenchmark(request, found, kBenchmarked);
        if (layouts.empty()) return fail("no_layout", "No layout fits, so there is nothing to benchmark."_text);
        if (auto written = writeFileAtomically(m_sweep, dumpJson(benchmarkSweep(request, layouts), true)); !written)
            return written;
        context.err << "Wrote %1 layouts to %2; run slipway sweep %2."_text(layouts.size(), m_sweep) << '\n';
        return {};
    }

    using Explanations = std::vector<std::pair<std::string, LayoutExplanation>>;
    using Alternatives = std::vector<std::vector<FoundLayout>>;

    static Json json(const LayoutRequest& request, const LayoutSearch& found, const Alternatives& alternatives,
                     const Explanations& explanations, double seconds) {
        Json best = Json::array(), front = Json::array(), counts = Json::array(), why = Json::array(),
             impossible = Json::array();
        for (std::size_t i = 0; i < found.best.size(); ++i) {
            best.push_back(layoutJson(found.best[i], request.config));
            if (!request.distinct) continue;
            Json& others = best.back()["alternatives"] = Json::array();
            for (const FoundLayout& l : alternatives[i])
                others.push_back({{"change", changesText(request.config, found.best[i], l)},
                                  {"layout", text(l)},
                                  {"step_seconds", number(l.step.stepSeconds)},
                                  {"memory_peak_bytes", number(l.memoryPeakBytes)}});
        }
        for (const FoundLayout& l : found.front) front.push_back(layoutJson(l, request.config));
        for (const SearchCount& c : found.counts)
            counts.push_back({{"reason", c.reason}, {"text", textOf(c.text)}, {"layouts", c.layouts}});
        for (const auto& [layout, explanation] : explanations) {
            why.push_back(explanationJson(explanation));
            why.back()["layout"] = layout;
        }
        for (const ImpossibleLimit& limit : impossibleLimits(request))
            impossible.push_back({{"limit", limit.limit}, {"reasons", sentencesOf(limit.reasons)}});
        return {{"objective", wordOf(request.objective)},
                {"distinct", request.distinct},
                {"software", request.cluster.stack ? Json(request.cluster.stack->name) : Json(nullptr)},
                {"num_layouts", found.numLayouts},
                {"seconds", seconds},
                {"best", std::move(best)},
                {"front", std::move(front)},
                {"counts", std::move(counts)},
                {"impossible_limits", std::move(impossible)},
                {"why", std::move(why)}};
    }

    static void printAlternatives(CliContext& context, const RunConfig& config, const LayoutSearch& found,
                                  const Alternatives& alternatives) {
        constexpr std::size_t kNamed = 3;
        bool any = false;
        for (std::size_t i = 0; i < alternatives.size(); ++i) {
            const std::vector<FoundLayout>& others = alternatives[i];
            if (others.empty()) continue;
            if (!any) context.out << '\n' << "As fast within 1 %, one entry each above"_text << '\n';
            any = true;
            std::string changes;
            for (std::size_t j = 0; j < std::min(kNamed, others.size()); ++j)
                changes += (j > 0 ? "; " : "") + changesText(config, found.best[i], others[j]);
            const auto count = static_cast<std::int64_t>(others.size());
            context.out << "  "
                        << plural(count, "%1, %2 layout: %3"_text, "%1, %2 layouts: %3"_text)(i + 1, count, changes);
            if (others.size() > kNamed)
                context.out << "; "
                            << "and %1 more"_text(others.size() - kNamed);
            context.out << '\n';
        }
    }

    static void print(CliContext& context, const Message& basis, const LayoutRequest& request,
                      const LayoutSearch& found, const Alternatives& alternatives, const Explanations& explanations,
                      double seconds) {
        const std::vector<ImpossibleLimit> impossible = impossibleLimits(request);
        if (found.best.empty() && impossible.empty())
            context.out << "No layout fits; --why LAYOUT gives the obstacle of one."_text << '\n';
        else if (found.best.empty())
            context.out << "No layout meets these limits."_text << '\n';
        FactLines facts;
        for (const ImpossibleLimit& limit : impossible)
            facts.emplace_back("%1 is impossible"_text(limit.limit), linesOf(limit.reasons));
        printFacts(context.out, facts, 2);
        if (!found.best.empty()) printTable(context.out, layoutTable(context, found.best), context.outColour);
        std::vector<Message> labels;
        for (const std::string& label : labelsOf(found.best)) labels.push_back(basisText(label));
        printFacts(context.out,
                   {{"Forecast basis"_text, labels.empty() ? basis : "%1 (%2)"_text(basis, listOf(labels))}});
        printAlternatives(context, request.config, found, alternatives);
        if (request.objective == SearchObjective::Speed && found.front.size() > 1) {
            context.out << '\n'
                        << "Less memory for more time (%1 Pareto-optimal layouts)"_text(found.front.size()) << '\n';
            std::vector<FoundLayout> some;
            const std::size_t step = (found.front.size() + 7) / 8;
            for (std::size_t i = 0; i < found.front.size(); i += step) some.push_back(found.front[i]);
            printTable(context.out, layoutTable(context, some), context.outColour);
        }
        for (const auto& [layout, explanation] : explanations) printExplanation(context, layout, explanation);
        context.out << '\n' << "%1 layouts in %2"_text(formatCount(found.numLayouts), Seconds{seconds}) << '\n';
        facts.clear();
        for (const SearchCount& c : found.counts) facts.emplace_back(formatCount(c.layouts), c.text);
        printFacts(context.out, facts, 2);
    }

    PlanQuestion m_question;
    std::string m_objective = "speed", m_sweep;
    std::vector<std::string> m_limits, m_why;
    int m_limit = 10;
    double m_memoryGib = 0, m_nodeMemoryGib = 0;
    bool m_runnable = false, m_tpAcrossNodes = false, m_variants = false;
};

}  // namespace

std::unique_ptr<Command> makeSearchCommand() {
    return std::make_unique<SearchCommand>();
}

}  // namespace slipway
