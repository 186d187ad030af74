#include "core/interop/translation.h"

#include "core/spec/idle_options.h"

#include <nlohmann/json.hpp>

namespace slipway::interop {
namespace {

template <class T, class U>
void dropIf(std::optional<T>& value, const U& holdsAnyway) {
    if (value && *value == holdsAnyway) value.reset();
}

}  // namespace

RunConfig canonical(RunConfig config) {
    config = withoutIdleOptions(std::move(config));
    ModelSpec& m = config.model;
    dropIf(m.numKvHeads, m.numHeads);
    if (m.numHeads > 0 && m.hiddenSize % m.numHeads == 0) dropIf(m.headDim, m.hiddenSize / m.numHeads);
    // One name per block: the family follows the activation, the other parts are stated where they differ.
    const ModelSpec stated = m;
    const bool llama = m.activationKind() == Activation::SwiGlu;
    m.family = llama ? Family::Llama : Family::Gpt2;
    m.norm = stated.normKind();
    m.activation = stated.activationKind();
    m.position = stated.positionKind();
    m.bias = stated.hasBias();
    dropIf(m.norm, llama ? NormKind::RmsNorm : NormKind::LayerNorm);
    dropIf(m.activation, llama ? Activation::SwiGlu : Activation::Gelu);
    dropIf(m.position, llama ? PositionKind::Rope : PositionKind::Learned);
    dropIf(m.bias, !llama);
    dropIf(m.qkvBias, m.hasBias());
    dropIf(m.rotaryDim, m.headSize());
    if (m.positionKind() != PositionKind::Rope) m.ropeTheta = ModelSpec{}.ropeTheta;

    ParallelLayout& p = config.parallel;
    const ParallelLayout untouched;
    dropIf(p.dpShard, p.dp);
    if (p.zeroStage == 0) p.dpShard.reset();
    if (p.zeroStage != 3) p.reshardAfterForward = untouched.reshardAfterForward;
    if (p.pp == 1) {
        p.schedule = untouched.schedule;
        p.virtualStages = 1;
        p.layersPerStage.clear();
    }
    if (!p.layersPerStage.empty()) {
        ParallelLayout even = p;
        even.layersPerStage.clear();
        if (even.stageLayers(m.numLayers) == p.layersPerStage) p.layersPerStage.clear();
    }
    if (p.tp == 1) p.sequenceParallel = false;
    if (p.cp == 1) p.cpKind = untouched.cpKind;
    if (p.dp == 1) {
        p.reduceDtype = untouched.reduceDtype;
        p.overlapGradReduce = untouched.overlapGradReduce;
        p.bucketBytes = untouched.bucketBytes;
    }
    if (config.train.precision == Precision::Fp64) config.train.gradDtype = TrainSpec{}.gradDtype;
    LrSchedule& s = config.optimizer.schedule;
    const LrSchedule plain;
    if (s.kind != LrScheduleKind::Wsd) {
        s.decaySteps = plain.decaySteps;
        s.decayShape = plain.decayShape;
    }
    if (s.kind == LrScheduleKind::Constant) s.minLrRatio = plain.minLrRatio;
    return config;
}

Remarks lostFields(const RunConfig& original, const RunConfig& restored, const Message& format) {
    Remarks remarks;
    for (const FieldDifference& difference : diffConfigs(canonical(original), canonical(restored)))
        remarks.push_back({RemarkKind::NotExpressed, difference.path,
                           difference.left.empty() ? "null" : difference.left,
                           difference.right.empty()
                               ? "%1 cannot express this; read back it would be absent."_text(format)
                               : "%1 cannot express this; read back it would be %2."_text(format, difference.right)});
    return remarks;
}

namespace {

Json::json_pointer pointerTo(const std::string& field) {
    std::string pointer = "/" + field;
    for (char& c : pointer)
        if (c == '.') c = '/';
    return Json::json_pointer(pointer);
}

}  // namespace

Result<RunConfig> configFromDocument(Json document, const std::string& where, Remarks& remarks) {
    // Removing a field can make another one ineffective (virtual_stages of a pipeline), hence the rounds.
    for (int round = 0; round < 8; ++round) {
        Issues issues;
        RunConfig config = runConfigFromJson(document, issues);
        if (issues.empty()) {
            // Options equivalent to their absence stay (canonical), so they are not simply removed.
            for (const Issue& issue : idleOptions(config)) {
                if (issue.severity != Severity::Error && !isPutBack(issue)) continue;
                const Json value = document.value(pointerTo(issue.field), Json());
                remarks.push_back({RemarkKind::NoCounterpart, issue.field, dumpJson(value, false), issue.sentence()});
            }
            return canonical(std::move(config));
        }
        bool removed = false;
        Issues others;
        for (const Issue& issue : issues) {
            if (issue.code != "no_effect") {
                others.push_back(issue);
                continue;
            }
            const Json::json_pointer at = pointerTo(issue.field);
            if (!document.contains(at)) continue;
            remarks.push_back(
                {RemarkKind::NoCounterpart, issue.field, dumpJson(document[at], false), issue.sentence()});
            document[at.parent_pointer()].erase(at.back());
            removed = true;
        }
        if (!others.empty()) return fail("bad_config", others, where);
        if (!removed) break;
    }
    return fail("bad_config", "The document cannot be converted to a config."_text, where);
}

Json toJson(const Remarks& remarks) {
    Json list = Json::array();
    for (const Remark& remark : remarks)
        list.push_back({{"kind", std::string(wordOf(remark.kind))},
                        {"key", remark.key},
                        {"value", remark.value},
                        {"message", textOf(remark.message)}});
    return list;
}

}  // namespace slipway::interop
