#include "core/planner/variants/gain.h"

#include "core/base/units.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/memory.h"
#include "core/planner/plan.h"
#include "core/planner/search/explain_layout.h"
#include "core/planner/search/rank_layouts.h"
#include "core/planner/stack/forecast_basis.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

constexpr double kWorthwhile = 0.005;  // changes below half a percent are not advised

/// Goal of the change for a rule.
enum class Aim { Faster, Smaller, Fit, SmallerHost };

/// A candidate change: one of layoutChanges(), or a special one.
struct Option {
    std::string text;
    RunConfig config;
};

struct Answer {
    const char* code;
    Aim aim;
    std::vector<SearchAxis> axes;
    /// Further options than single steps on the axes.
    std::vector<Option> (*more)(const Plan& plan) = nullptr;
};

std::string arrow(const char* name, std::int64_t from, std::int64_t to) {
    return std::string(name) + " " + std::to_string(from) + " -> " + std::to_string(to);
}

/// Moves layers from the ends of the pipeline inwards: the first stage has the embedding, the last the logits.
std::vector<Option> fewerLayersAtTheEnds(const Plan& plan) {
    const std::vector<std::int64_t> even = plan.config.parallel.stageLayers(plan.config.model.numLayers);
    std::vector<Option> options;
    const std::size_t stages = even.size();
    if (stages < 3) return options;
    for (const auto& [first, last] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 1}}) {
        std::vector<std::int64_t> layers = even;
        layers.front() -= first;
        layers.back() -= last;
        if (layers.front() < 1 || layers.back() < 1) continue;
        // To the inner stages with the fewest layers.
        for (int moved = 0; moved < first + last; ++moved) ++*std::min_element(layers.begin() + 1, layers.end() - 1);
        Option option{"", plan.config};
        option.config.parallel.layersPerStage = layers;
        option.text = "layers_per_stage ";
        for (std::size_t i = 0; i < stages; ++i) option.text += (i > 0 ? "," : "") + std::to_string(layers[i]);
        options.push_back(std::move(option));
    }
    return options;
}

std::vector<Option> paddedVocabulary(const Plan& plan) {
    const std::int64_t unit = 128 * plan.config.parallel.tp, vocab = plan.config.model.vocabSize;
    Option option{"", plan.config};
    option.config.model.vocabSize = (vocab + unit - 1) / unit * unit;
    option.text = arrow("vocab_size", vocab, option.config.model.vocabSize);
    return {option};
}

/// More sequences per step, so that more micro-batches hide the reduction and fill the pipeline.
std::vector<Option> largerBatch(const Plan& plan) {
    Option option{"", plan.config};
    option.config.train.globalBatchSize *= 2;
    option.text = arrow("global_batch_size", plan.config.train.globalBatchSize, option.config.train.globalBatchSize);
    return {option};
}

std::vector<Option> allDevices(const Plan& plan) {
    const std::int64_t rest = plan.config.parallel.worldSize() / plan.config.parallel.dp;
    std::vector<Option> options;
    // The most replicas that divide the batch.
    for (std::int64_t dp = plan.cluster.numDevices() / rest; dp > plan.config.parallel.dp; --dp) {
        Option option{arrow("dp", plan.config.parallel.dp, dp), plan.config};
        option.config.parallel.dp = dp;
        if (hasErrors(validate(option.config))) continue;
        options.push_back(std::move(option));
        break;
    }
    return options;
}

std::vector<Option> otherGraphs(const Plan& plan) {
    Option option{"", plan.config};
    option.config.train.cudaGraphs = !plan.config.train.cudaGraphs;
    option.text = std::string("cuda_graphs ") + (plan.config.train.cudaGraphs ? "true -> false" : "false -> true");
    return {option};
}

Option optionOf(const Plan& plan, const LayoutChoice& choice) {
    Option option{layoutText(choice.parallel, choice.microBatchSize, choice.recompute), plan.config};
    option.config.parallel = choice.parallel;
    option.config.train.microBatchSize = choice.microBatchSize;
    option.config.train.recompute.policy = choice.recompute;
    return option;
}

/// Where no single change is enough.
std::vector<Option> bestLayout(const Plan& plan) {
    std::vector<Option> options;
    for (const LayoutChoice& choice : rankLayouts(plan.config, plan.cluster, 1))
        options.push_back(optionOf(plan, choice));
    return options;
}

const std::vector<Answer>& answers() {
    using A = SearchAxis;
    static const std::vector<Answer> list = {
        {"too_few_devices", Aim::Fit, {}, bestLayout},
        {"does_not_fit",
         Aim::Fit,
         {A::Tp, A::Pp, A::Cp, A::Ep, A::ZeroStage, A::SequenceParallel, A::Recompute, A::MicroBatchSize, A::Schedule,
          A::Offload},
         bestLayout},
        {"tight_fit", Aim::Smaller, {A::Tp, A::Pp, A::ZeroStage, A::SequenceParallel, A::Recompute, A::MicroBatchSize}},
        {"host_does_not_fit",
         Aim::Fit,
         {A::Offload, A::ZeroStage, A::Tp, A::Pp, A::Cp, A::Ep, A::Recompute, A::MicroBatchSize, A::Schedule},
         bestLayout},
        {"host_tight_fit",
         Aim::SmallerHost,
         {A::Offload, A::ZeroStage, A::Tp, A::Pp, A::Cp, A::Ep, A::Recompute, A::MicroBatchSize, A::Schedule}},
        {"tp_crosses_nodes", Aim::Faster, {A::Tp}},
        {"bubble_high", Aim::Faster, {A::MicroBatchSize, A::Pp, A::VirtualStages, A::Schedule}, largerBatch},
        {"few_micro_batches", Aim::Faster, {A::MicroBatchSize, A::Pp, A::VirtualStages, A::Schedule}, largerBatch},
        {"stages_uneven", Aim::Faster, {}, fewerLayersAtTheEnds},
        {"dp_exposed", Aim::Faster, {A::ZeroStage, A::Tp, A::Pp, A::MicroBatchSize}, largerBatch},
        {"tp_exposed", Aim::Faster, {A::Tp, A::SequenceParallel}},
        {"logits_big", Aim::Smaller, {A::MicroBatchSize, A::Tp}},
        {"activations_big", Aim::Smaller, {A::Recompute}},
        {"shard_optimizer", Aim::Smaller, {A::ZeroStage}},
        {"free_memory", Aim::Faster, {A::MicroBatchSize, A::Tp, A::Pp, A::Cp, A::ZeroStage}},
        {"recompute_not_needed", Aim::Faster, {A::Recompute}},
        {"graphs_help", Aim::Faster, {}, otherGraphs},
        {"graphs_idle", Aim::Smaller, {}, otherGraphs},
        {"vocab_padding", Aim::Faster, {}, paddedVocabulary},
        {"idle_devices", Aim::Faster, {}, allDevices},
    };
    return list;
}

double secondsPerToken(double stepSeconds, const RunConfig& config) {
    return stepSeconds / static_cast<double>(config.tokensPerStep());
}

double hostNodeBytes(const Plan& plan) {
    return nodeHostMemory(plan.config, plan.cluster, plan.memoryPeakBytes).neededBytes();
}

bool hasDevices(const RunConfig& config, const ClusterSpec& cluster) {
    return cluster.device.kind == DeviceKind::Cpu || config.parallel.worldSize() <= cluster.numDevices();
}

/// Figures of a change against the plan.
AdviceGain evaluated(const Plan& plan, std::string text, const RunConfig& config, double stepSeconds, double peakBytes,
                     const std::string& label) {
    AdviceGain gain;
    gain.change = std::move(text);
    gain.config = config;
    gain.stepSeconds = stepSeconds;
    gain.memoryPeakBytes = peakBytes;
    gain.timeChange = secondsPerToken(stepSeconds, config) / secondsPerToken(plan.step.stepSeconds, plan.config) - 1;
    gain.memoryChangeBytes = peakBytes - plan.memoryPeakBytes;
    const NodeHostMemory node = nodeHostMemory(config, plan.cluster, peakBytes);
    gain.hostNodeBytes = node.neededBytes();
    gain.hostNodeChangeBytes = gain.hostNodeBytes - hostNodeBytes(plan);
    gain.fits = !(peakBytes > capacityPerRank(config, plan.cluster)) && node.fits() && hasDevices(config, plan.cluster);
    gain.label = label;
    return gain;
}

/// True when the change addresses the advice.
bool helps(const Plan& plan, const AdviceGain& gain, Aim aim) {
    switch (aim) {
        case Aim::Faster: return gain.fits && gain.timeChange < -kWorthwhile;
        case Aim::Fit: return gain.fits;
        case Aim::SmallerHost: return gain.fits && gain.hostNodeChangeBytes < -kWorthwhile * gain.hostNodeBytes;
        case Aim::Smaller:
            return hasDevices(gain.config, plan.cluster) &&
                   gain.memoryChangeBytes < -kWorthwhile * plan.memoryPeakBytes;
    }
    return false;
}

/// Whether the first of two useful ones is better: the fastest that fits; among others, the smallest.
bool better(const AdviceGain& a, const AdviceGain& b) {
    if (a.fits != b.fits) return a.fits;
    return a.fits ? a.timeChange < b.timeChange : a.memoryPeakBytes < b.memoryPeakBytes;
}

Message sentence(const Plan& plan, const AdviceGain& g, bool ofHost) {
    const auto count = [](double value) { return asciiText(formatCount(value)); };
    const auto bytes = [](double value) { return asciiText(formatBytes(value)); };
    std::vector<Message> parts;
    if (std::isfinite(g.timeChange)) {
        const std::string share = asciiText(formatPercent(std::fabs(g.timeChange)));
        const Message change = std::fabs(g.timeChange) < 0.0005 ? Message("no slower"_text)
                               : g.timeChange < 0               ? "%1 less time per token"_text(share)
                                                                : "%1 more time per token"_text(share);
        parts.push_back(
            g.config.tokensPerStep() == plan.config.tokensPerStep()
                ? "step time %1 instead of %2 (%3)"_text(Seconds{g.stepSeconds}, Seconds{plan.step.stepSeconds}, change)
                : "%1 tokens/s instead of %2 (%3)"_text(
                      count(static_cast<double>(g.config.tokensPerStep()) / g.stepSeconds),
                      count(plan.step.tokensPerSecond), change));
    }
    parts.push_back("memory %1 instead of %2"_text(bytes(g.memoryPeakBytes), bytes(plan.memoryPeakBytes)));
    if (ofHost)
        parts.push_back("of a node's %1 instead of %2"_text(bytes(g.hostNodeBytes),
                                                            bytes(g.hostNodeBytes - g.hostNodeChangeBytes)));
    if (!g.fits) parts.push_back("still too much"_text);
    return "%1: %2 (%3)."_text(g.change, listOf(parts), basisText(g.label, softwareOf(plan.cluster)));
}

/// A field for --set: words without quotes, "default" for a removed field.
std::vector<std::string> settingsOf(const RunConfig& before, const RunConfig& after) {
    std::vector<std::string> settings;
    for (const FieldDifference& d : diffConfigs(before, after)) {
        std::string value = d.right;
        if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
        settings.push_back(d.path + "=" + (value.empty() ? "default" : value));
    }
    return settings;
}

}  // namespace

std::vector<AdviceGain> adviceGains(const Plan& plan, const std::vector<LayoutChoice>& ranked) {
    std::vector<AdviceGain> gains;
    if (plan.memory.empty()) return gains;
    std::vector<const Answer*> wanted;
    for (const Issue& issue : plan.issues)
        for (const Answer& answer : answers())
            if (issue.code == answer.code && std::find(wanted.begin(), wanted.end(), &answer) == wanted.end())
                wanted.push_back(&answer);
    if (wanted.empty()) return gains;

    LayoutRequest request{plan.config, plan.cluster};
    request.onlyRunnable = trainerSupports(plan.config).empty();
    const std::vector<LayoutChange> changes = layoutChanges(request, plan.config);
    for (const Answer* answer : wanted) {
        AdviceGain best;
        const auto look = [&](AdviceGain gain) {
            if (!helps(plan, gain, answer->aim)) return;
            if (best.change.empty() || better(gain, best)) best = std::move(gain);
        };
        for (const LayoutChange& change : changes)
            if (std::find(answer->axes.begin(), answer->axes.end(), change.axis) != answer->axes.end())
                look(evaluated(plan, change.text, change.config, change.stepSeconds, change.memoryPeakBytes,
                               plan.step.label));
        const auto lookAt = [&](const Option& option) {
            if (request.onlyRunnable && !trainerSupports(option.config).empty()) return;
            const Plan planned = makePlan(option.config, plan.cluster);
            if (planned.memory.empty()) return;
            look(evaluated(plan, option.text, option.config, planned.step.stepSeconds, planned.memoryPeakBytes,
                           planned.step.label));
        };
        const bool ofLayout =
            answer->aim == Aim::Faster && !ranked.empty() && (!answer->axes.empty() || answer->more == allDevices);
        if (ofLayout) lookAt(optionOf(plan, ranked.front()));
        // The full search only where no single change is enough, a different batch only where no layout is better.
        if (answer->more != nullptr && ((answer->aim != Aim::Fit && !ofLayout) || best.change.empty()))
            for (const Option& option : answer->more(plan)) lookAt(option);
        if (best.change.empty() && answer->aim != Aim::Fit) continue;
        best.code = answer->code;
        if (best.change.empty()) {
            best.text =
                best.code == "host_does_not_fit"
                    ? "No layout of these devices fits their nodes; use nodes with more memory, or more of them."_text
                    : "No layout of these devices fits; use more devices, a shorter sequence or a smaller model."_text;
            best.label = plan.step.label;
        } else {
            best.text = sentence(plan, best, std::string_view(answer->code).starts_with("host_"));
            best.settings = settingsOf(plan.config, best.config);
        }
        gains.push_back(std::move(best));
    }
    return gains;
}

bool isAnswerable(std::string_view code) {
    return std::any_of(answers().begin(), answers().end(), [&](const Answer& answer) { return code == answer.code; });
}

const AdviceGain* gainOf(const std::vector<AdviceGain>& gains, std::string_view code) {
    const auto found = std::find_if(gains.begin(), gains.end(), [&](const AdviceGain& g) { return g.code == code; });
    return found == gains.end() ? nullptr : &*found;
}

}  // namespace slipway
