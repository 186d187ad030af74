#include "core/answers/tpu_answer.h"

#include "core/answers/question_fields.h"
#include "core/base/units.h"
#include "core/planner/cost/cost.h"

#include <cmath>

namespace slipway {
namespace {

constexpr const char* kBook = "jax-ml/scaling-book, chapter 5";
constexpr const char* kPods = "jax-ml/scaling-book, chapter 5, across pods";

SourceText boundName(std::string_view word) {
    return word == "compute" ? "compute-bound"_text : "communication-bound"_text;
}

SourceText editionName(std::string_view word) {
    for (const auto& name : enumNames(RooflineEdition{}))
        if (name.word == word) return name.label;
    return {};
}

Json boundOf(double tokens, double limit) {
    return tokens >= limit ? "compute" : "communication";
}

}  // namespace

FieldInfos tpuFields(const TpuInput& input) {
    return fields::collect(input);
}

Result<TpuInput> withTpuField(const TpuInput& input, const std::string& path, const std::string& text) {
    return withText(input, path, text);
}

Result<AnswerView> tpuAnswer(const TpuInput& input, const ClusterSpec& device, Json& json) {
    if (!device.device.peakBf16Flops)
        return fail("usage", "The bf16 peak of %1 is unknown."_text(device.device.name), "device");
    TpuQuestion q;
    q.chipsPerPod = input.chips;
    q.numPods = input.pods;
    q.batchTokens = input.batchTokens;
    q.ffnWidth = input.ffnWidth;
    q.fsdp = input.fsdp;
    q.tp = input.tp;
    q.edition = input.edition;
    const int deviceAxes = iciAxes(device.device.name);
    q.axes = static_cast<int>(input.axes.value_or(deviceAxes));
    if (q.axes > deviceAxes) return fail("usage", "%1 has %2 ICI axes."_text(device.device.name, deviceAxes), "axes");
    q.peakFlops = *device.device.peakBf16Flops;
    // An unused axis loses its links.
    q.axisBytesPerSecond = device.intraNode.bytesPerSecond / deviceAxes;
    q.dcnBytesPerSecond = device.interNode.bytesPerSecond;
    if (q.fsdp.value_or(1) * q.tp.value_or(1) > q.chipsPerPod)
        return fail("usage", "fsdp x tp is more than the chips of a pod."_text, "fsdp");
    if (q.axes == 1 && q.tp.value_or(1) > 1 && q.fsdp.value_or(q.chipsPerPod / *q.tp) > 1)
        return fail("usage", "A single axis carries FSDP or TP; leave one of them at 1."_text, "axes");
    const TpuLayout l = tpuLayout(q);
    const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    json = {{"device", device.device.name},
            {"edition", std::string(wordOf(q.edition))},
            {"axes", q.axes},
            {"pods", q.numPods},
            {"fsdp", l.fsdp},
            {"tp", l.tp},
            {"used_chips", l.usedChips},
            {"idle_chips", l.idleChips},
            {"tokens_per_chip", l.tokensPerChip},
            {"fsdp_token_limit", l.fsdpTokenLimit},
            {"mixed_token_limit", optional(l.mixedTokenLimit)},
            {"best_fsdp", l.bestFsdp},
            {"best_tp", l.bestTp},
            {"tp_limit", l.tpLimit},
            {"comm_over_compute", l.commRatio},
            {"peak_ceiling", l.peakCeiling},
            {"dcn_token_limit", l.dcnTokenLimit},
            {"dcn_margin", numberOrNull(l.dcnMargin)},
            {"fsdp_bound", boundOf(l.tokensPerChip, l.fsdpTokenLimit)}};
    if (input.parameters) {
        const double bytes = *input.parameters * input.bytesPerParameter;
        json["state_bytes"] = bytes;
        json["chips_to_hold"] = std::ceil(devicesToHold(bytes, device.device.memoryBytes));
    }
    json["rows"] = Json::array();
    for (const auto& edition : enumNames(RooflineEdition{})) {
        q.edition = edition.value;
        const TpuLayout one = tpuLayout(q);
        json["rows"].push_back(
            {{"edition", std::string(edition.word)},
             {"mixed_token_limit", optional(one.mixedTokenLimit)},
             {"bound", one.mixedTokenLimit ? boundOf(one.tokensPerChip, *one.mixedTokenLimit) : Json(nullptr)},
             {"comm_over_compute", one.commRatio},
             {"peak_ceiling", one.peakCeiling},
             {"fsdp", one.fsdp},
             {"tp", one.tp}});
    }
    using namespace written;
    const std::string mixed =
        input.edition == RooflineEdition::SumOfBoth ? "4 a^2 / (Mx My F), a = C / W" : "a^2 / (Mx My F), a = C / W";
    AnswerView view;
    view.figures = {
        {"fsdp", "FSDP"_text, whole, "chips / tp", kBook},
        {"tp", "Tensor parallel"_text, whole, "power of two nearest to the best", kBook},
        {"used_chips", "Chips in use"_text, whole, "pods x fsdp x tp"},
        {"idle_chips", "Idle chips"_text, whole, "pods x chips - used"},
        {"tokens_per_chip", "Tokens per chip"_text, four, "batch / (pods x fsdp x tp)"},
        {"fsdp_token_limit", "Limit of FSDP alone (tokens per chip)"_text, four, "(C / W) / axes", kBook},
        {"fsdp_bound", "FSDP alone"_text, nullptr, {}, kBook, boundName},
        {"mixed_token_limit", "Limit of FSDP with TP (tokens per chip)"_text, four, mixed, kBook},
        {"comm_over_compute", "Communication / compute"_text, three, "(limit / tokens per chip)^(1/2)", kBook},
        {"peak_ceiling", "Ceiling of the peak"_text, percent, "min(1, compute / communication)", kBook},
        {"best_fsdp", "Best FSDP"_text, four, "(Mx B N / (My F))^(1/2)", kBook},
        {"best_tp", "Best TP"_text, four, "N / best FSDP", kBook},
        {"tp_limit", "Largest TP per axis"_text, four, "F / a", kBook},
        {"dcn_token_limit", "Limit between pods (tokens per pod)"_text, four, "C / W_dcn", kPods},
        {"dcn_margin", "Margin between pods"_text, three, "tokens per pod / limit", kPods},
        {"state_bytes", "Model and its states"_text, bytes, "N x bytes per parameter"},
        {"chips_to_hold", "Chips to hold them"_text, whole, "states / memory of a chip"}};
    view.columns = {
        {"edition", "Edition"_text, nullptr, {}, {}, editionName},
        {"mixed_token_limit", "Limit of FSDP with TP (tokens per chip)"_text, four,
         "a^2 / (Mx My F), first edition 4 times", kBook},
        {"bound", "Verdict"_text, nullptr, {}, kBook, boundName},
        {"comm_over_compute", "Communication / compute"_text, three, "(limit / tokens per chip)^(1/2)", kBook},
        {"peak_ceiling", "Ceiling of the peak"_text, percent, "min(1, compute / communication)", kBook},
        {"fsdp", "FSDP"_text, whole, "chips / tp", kBook},
        {"tp", "Tensor parallel"_text, whole, "power of two nearest to the best", kBook}};
    return view;
}

}  // namespace slipway
