#include "app/gui/values/plan_document.h"

#include "core/base/error_of.h"
#include "core/base/json.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/planner/stack/forecast_basis.h"
#include "core/planner/stack/known_software.h"
#include "core/spec/idle_options.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

namespace slipway::gui {
namespace {

constexpr const char* kClusterPrefix = "cluster.";

// Removes a dotted path from a document.
void removePath(Json& document, const std::string& path) {
    Json* at = &document;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; begin = dot + 1, dot = path.find('.', begin)) {
        const auto found = at->find(path.substr(begin, dot - begin));
        if (found == at->end() || !found->is_object()) return;
        at = &*found;
    }
    at->erase(path.substr(begin));
}

using Differences = std::vector<FieldDifference>;

Error joined(const Issues& issues) {
    return errorOf(issues.front().code, issues, issues.front().field);
}

// Numbers, words and null of the cluster's table, as typed.
Result<ClusterSpec> withClusterField(const ClusterSpec& cluster, const std::string& path, const std::string& text) {
    Json json = toJson(cluster);
    const std::string inner = path.substr(std::string(kClusterPrefix).size());
    Json* at = &json;
    std::size_t begin = 0;
    for (std::size_t dot = inner.find('.'); dot != std::string::npos; begin = dot + 1, dot = inner.find('.', begin))
        at = &(*at)[inner.substr(begin, dot - begin)];
    const std::string leaf = inner.substr(begin);
    bool isText = false;
    for (const FieldInfo& info : clusterFields(cluster))
        if (info.path == path) isText = info.kind == FieldKind::Text || info.kind == FieldKind::Enum;
    if (text.empty() && !isText)
        at->erase(leaf);
    else if (isText)
        (*at)[leaf] = text;
    else {
        auto value = parseJson(text, path);
        if (!value) return fail(value.error());
        (*at)[leaf] = std::move(*value);
    }
    Issues issues;
    ClusterSpec out = clusterFromJson(json, issues);
    if (!issues.empty()) return fail(joined(issues));
    return out;
}

/// The hardware before the run's forecast chose its stack, which would be chosen again.
ClusterSpec withoutChosenStack(ClusterSpec cluster, const RunConfig& config) {
    if (softwareOf(cluster) == kBundledTrainer) return cluster;  // may be narrowed by runs of this computer
    ClusterSpec bare = cluster;
    bare.stack.reset();
    bare.calibration = ClusterSpec{}.calibration;
    const auto chosen = chooseStack({}, config, bare);
    return chosen && softwareOf(chosen->cluster) == softwareOf(cluster) ? bare : cluster;
}

}  // namespace

PlanDocument startingDocument() {
    const ModelPreset* model = findModelPreset("llama3-8b");
    const ClusterSpec* cluster = nullptr;
    for (const ClusterSpec& preset : devicePresets())
        if (cluster == nullptr && preset.device.name.find("H100") != std::string::npos) cluster = &preset;
    if (model == nullptr || cluster == nullptr) return tinyDocument({});
    PlanDocument document;
    document.modelPreset = model->id;
    RunConfig& c = document.config;
    c.name = "llama3-8b-64xH100";
    c.model = model->model;
    c.train.seqLen = 8192;
    c.model.maxSeqLen = std::max<std::int64_t>(c.model.maxSeqLen, 8192);
    c.train.globalBatchSize = 256;
    c.train.microBatchSize = 2;
    c.train.numSteps = 47684;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.parallel.dp = 8;
    c.parallel.tp = 4;
    c.parallel.pp = 2;
    c.parallel.zeroStage = 1;
    c.parallel.sequenceParallel = true;
    document.cluster = *cluster;
    document.cluster.numNodes = 8;
    return document;
}

PlanDocument tinyDocument(const ClusterSpec& thisMachine) {
    PlanDocument document;
    RunConfig& c = document.config;
    c.name = "tiny";
    c.model.numKvHeads = 2;
    c.model.tieEmbeddings = true;
    c.train.numSteps = 100;
    c.optimizer.lr = 3e-3;
    c.optimizer.schedule.warmupSteps = 10;
    c.data.tokens = "wordnet.tok";
    document.cluster = thisMachine;
    return document;
}

std::optional<PlanDocument> documentOf(const RunRecord& record) {
    const auto json = parseJson(record.configJson, "config.json");
    if (!json) return {};
    auto stored = readStoredConfig(*json, "config.json");
    if (!stored) return {};
    PlanDocument document;
    document.config = std::move(stored->acting);
    if (const auto cluster = parseJson(record.clusterJson, "plan.json")) {
        Issues issues;
        ClusterSpec spec = clusterFromJson(*cluster, issues);
        if (issues.empty()) document.cluster = withoutChosenStack(std::move(spec), document.config);
    }
    return document;
}

Result<PlanDocument> documentFromJson(const std::string& text, const std::string& name, const PlanDocument& base) {
    const auto json = parseJson(text, name);
    if (!json) return fail(json.error());
    auto config = parseRunConfig(*json, name);
    if (!config) return fail(config.error());
    PlanDocument document = base;
    document.config = std::move(*config);
    document.modelPreset.clear();
    return document;
}

FieldInfos documentFields(const PlanDocument& document) {
    FieldInfos fields = runConfigFields(document.config);
    for (FieldInfo& info : clusterFields(document.cluster)) fields.push_back(std::move(info));
    return fields;
}

Result<PlanDocument> withField(const PlanDocument& document, const std::string& path, const std::string& text) {
    PlanDocument out = document;
    if (path.rfind(kClusterPrefix, 0) == 0) {
        auto cluster = withClusterField(document.cluster, path, text);
        if (!cluster) return fail(cluster.error());
        out.cluster = std::move(*cluster);
        return out;
    }
    Json json = toJson(document.config);
    if (auto set = setField(json, path, text); !set) return fail(set.error());
    // An edit may make other fields ineffective (pp back to 1): those are dropped, then the document is read again.
    Issues issues;
    RunConfig config = runConfigFromJson(json, issues);
    bool dropped = false;
    for (const Issue& issue : issues)
        if (issue.code == "no_effect" && issue.field != path) {
            removePath(json, issue.field);
            dropped = true;
        }
    if (dropped) {
        issues.clear();
        config = runConfigFromJson(json, issues);
    }
    if (!issues.empty()) return fail(joined(issues));
    for (const Issue& issue : idleOptions(config))
        if ((issue.severity == Severity::Error || isPutBack(issue)) && issue.field == path)
            return fail("no_effect", issue.message, path);
    out.config = withoutIdleOptions(std::move(config));
    if (path.rfind("model.", 0) == 0) out.modelPreset.clear();
    return out;
}

SwitchedOff switchedOff(const PlanDocument& before, const PlanDocument& after, const std::string& path) {
    SwitchedOff off;
    for (const FieldDifference& d : diffConfigs(before.config, after.config)) {
        if (d.path == path || d.left.empty()) continue;
        std::string text = d.left;  // for words and lists, the part between quotes or brackets
        if (text.front() == '"' || text.front() == '[') text = text.substr(1, text.size() - 2);
        off[d.path] = text;
    }
    return off;
}

PlanDocument withSwitchedOn(PlanDocument document, SwitchedOff& off) {
    // One option may depend on another of them (virtual stages on the schedule): repeat until none is restored.
    for (bool found = true; found;) {
        found = false;
        for (auto option = off.begin(); option != off.end();) {
            auto next = withField(document, option->first, option->second);
            bool changed = false, others = false;  // a field at its default is not a change
            for (const FieldDifference& d : next ? diffConfigs(document.config, next->config) : Differences()) {
                changed = changed || d.path == option->first;
                others = others || (d.path != option->first && !d.left.empty());
            }
            if (changed && !others && !hasErrors(validate(next->config))) {
                document = std::move(*next);
                option = off.erase(option);
                found = true;
            } else {
                ++option;
            }
        }
    }
    return document;
}

PlanDocument withModelPreset(const PlanDocument& document, const ModelPreset& preset) {
    PlanDocument out = document;
    out.config.model = preset.model;
    out.config.model.maxSeqLen = std::max(out.config.model.maxSeqLen, out.config.train.seqLen);
    out.config.parallel.layersPerStage.clear();
    out.modelPreset = preset.id;
    out.config.name = preset.id;
    return out;
}

PlanDocument withCluster(const PlanDocument& document, const ClusterSpec& cluster) {
    PlanDocument out = document;
    const std::int64_t nodes = document.cluster.numNodes;
    out.cluster = cluster;
    if (cluster.device.kind != DeviceKind::Cpu && document.cluster.device.kind != DeviceKind::Cpu)
        out.cluster.numNodes = nodes;
    out.config.train.device = cluster.device.kind;
    return out;
}

PlanDocument withPeaksOf(PlanDocument document, const ClusterSpec& machine) {
    ClusterSpec& cluster = document.cluster;
    DeviceSpec& device = cluster.device;
    if (device.kind != DeviceKind::Cpu || device.name != machine.device.name || device.peakFp32Flops) return document;
    device.peakFp64Flops = machine.device.peakFp64Flops;
    device.peakFp32Flops = machine.device.peakFp32Flops;
    device.peakBf16Flops = machine.device.peakBf16Flops;
    device.source = machine.device.source;
    cluster.gemmEfficiency = machine.gemmEfficiency;
    cluster.intraNode = machine.intraNode;
    device.memoryBytesPerSecond = machine.device.memoryBytesPerSecond;
    cluster.stack = machine.stack;
    cluster.calibration = machine.calibration;
    return document;
}

PlanDocument withSoftware(const PlanDocument& document, const std::string& name) {
    PlanDocument out = document;
    out.config.software = name;
    out.cluster.stack.reset();
    out.cluster.calibration = ClusterSpec{}.calibration;
    return out;
}

PlanDocument withLayout(const PlanDocument& document, const LayoutChoice& choice) {
    PlanDocument out = document;
    out.config.parallel = choice.parallel;
    out.config.train.microBatchSize = choice.microBatchSize;
    out.config.train.recompute.policy = choice.recompute;
    return out;
}

ClusterSpec forecastCluster(const PlanDocument& document) {
    auto chosen = chooseStack({}, document.config, document.cluster);
    return chosen ? std::move(chosen->cluster) : document.cluster;
}

std::string documentJson(const PlanDocument& document) {
    return dumpJson(toJson(document.config), true);
}

}  // namespace slipway::gui
