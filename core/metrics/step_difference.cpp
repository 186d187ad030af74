#include "core/metrics/step_difference.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

/// Prefixes of the fields that affect a part directly. Slow ranks are not a setting.
std::vector<std::string_view> fieldsOf(TimePart part) {
    switch (part) {
        case TimePart::Useful:
            return {"model.",          "train.seq_len", "train.global_batch_size",
                    "train.precision", "parallel.dp",   "parallel.tp",
                    "parallel.pp",     "parallel.cp"};
        case TimePart::Kernels:
            return {"model.",
                    "train.seq_len",
                    "train.micro_batch_size",
                    "train.precision",
                    "train.device",
                    "train.cuda_graphs",
                    "train.threads_per_rank",
                    "train.fp8",
                    "parallel.tp",
                    "parallel.cp",
                    "parallel.ep",
                    "parallel.offload"};
        case TimePart::Recompute: return {"train.recompute"};
        case TimePart::TensorParallel:
            return {"parallel.tp",       "parallel.sequence_parallel",
                    "parallel.async_tp", "train.micro_batch_size",
                    "train.seq_len",     "train.recompute"};
        case TimePart::ContextParallel: return {"parallel.cp", "train.seq_len", "train.micro_batch_size"};
        case TimePart::ExpertParallel: return {"parallel.ep", "parallel.etp", "model.moe", "train.micro_batch_size"};
        case TimePart::DataParallel:
            return {"parallel.dp",
                    "parallel.zero_stage",
                    "parallel.overlap_grad_reduce",
                    "parallel.bucket_bytes",
                    "parallel.reduce_dtype",
                    "parallel.reshard_after_forward",
                    "train.global_batch_size",
                    "train.micro_batch_size"};
        case TimePart::Collectives: return {"parallel."};
        case TimePart::Pipeline:
            return {"parallel.pp",
                    "parallel.schedule",
                    "parallel.virtual_stages",
                    "parallel.layers_per_stage",
                    "train.micro_batch_size",
                    "train.global_batch_size",
                    "parallel.dp"};
        case TimePart::Optimizer: return {"optimizer.", "parallel.zero_stage", "parallel.offload", "parallel.dp"};
        case TimePart::Data: return {"data."};
        default: return {};
    }
}

bool isWithin(const std::optional<Quartiles>& first, const std::optional<Quartiles>& second, double scale) {
    return first && second && first->low <= second->high * scale && second->low * scale <= first->high;
}

}  // namespace

Result<StepDifference> differenceOf(const AccountedRun& first, const AccountedRun& second) {
    const StepAccount &a = first.account, &b = second.account;
    if (!a.stepSeconds || !b.stepSeconds)
        return fail("no_measurement", a.stepSeconds ? "The second run has no measured step to compare."_text
                                                    : "The first run has no measured step to compare."_text);
    StepDifference out;
    if (a.tokensPerStep && b.tokensPerStep && *a.tokensPerStep != *b.tokensPerStep) {
        out.scale = *a.tokensPerStep / *b.tokensPerStep;
        out.notes.emplace_back(
            "The runs train another number of tokens a step; the second's times are for as many tokens as the first's."_text);
    }
    out.first = *a.stepSeconds;
    out.second = *b.stepSeconds * out.scale;
    out.isWithinSpread = isWithin(a.stepSpread, b.stepSpread, out.scale);
    KnownDifferences known = knownDifferences(first.stored, second.stored);
    out.fields = std::move(known.fields);
    out.numUnknown = known.numUnknown;
    if (known.numUnknown > 0) out.notes.push_back(notCompared(known.numUnknown));
    if (a.peakFlops && b.peakFlops && *a.peakFlops != *b.peakFlops)
        out.notes.emplace_back("The runs use devices with another peak in all."_text);
    for (const auto& name : enumNames(TimePart{})) {
        const auto &one = a.measured[name.value], &other = b.measured[name.value];
        if (isOutsideStep(name.value) || (one.value_or(0) == 0 && other.value_or(0) == 0)) continue;
        PartDifference part;
        part.part = name.value;
        part.first = one.value_or(0);
        part.second = other.value_or(0) * out.scale;
        const auto index = static_cast<std::size_t>(name.value);
        part.isWithinSpread = isWithin(a.spread[index], b.spread[index], out.scale);
        // A field missing in one of them is implied by another.
        for (const FieldDifference& field : out.fields)
            for (const std::string_view begin : fieldsOf(name.value))
                if (!field.left.empty() && !field.right.empty() && field.path.starts_with(begin)) {
                    part.fields.push_back(field);
                    break;
                }
        out.parts.push_back(std::move(part));
    }
    std::stable_sort(out.parts.begin(), out.parts.end(), [](const PartDifference& x, const PartDifference& y) {
        return std::fabs(x.seconds()) > std::fabs(y.seconds());
    });
    return out;
}

Json toJson(const StepDifference& difference) {
    const auto fieldsJson = [](const std::vector<FieldDifference>& fields) {
        Json list = Json::array();
        for (const FieldDifference& field : fields)
            list.push_back({{"field", field.path},
                            {"first", field.left.empty() ? Json(nullptr) : Json::parse(field.left)},
                            {"second", field.right.empty() ? Json(nullptr) : Json::parse(field.right)}});
        return list;
    };
    Json parts = Json::array();
    for (const PartDifference& part : difference.parts) {
        Json fields = Json::array();
        for (const FieldDifference& field : part.fields) fields.push_back(field.path);
        parts.push_back({{"part", std::string(wordOf(part.part))},
                         {"title", textOf(titleOf(part.part))},
                         {"first_seconds", jsonNumber(part.first)},
                         {"second_seconds", jsonNumber(part.second)},
                         {"difference_seconds", jsonNumber(part.seconds())},
                         {"within_spread", part.isWithinSpread},
                         {"fields", std::move(fields)}});
    }
    Json notes = Json::array();
    for (const Message& note : difference.notes) notes.push_back(textOf(note));
    return {{"first_seconds", jsonNumber(difference.first)},
            {"second_seconds", jsonNumber(difference.second)},
            {"difference_seconds", jsonNumber(difference.seconds())},
            {"within_spread", difference.isWithinSpread},
            {"scale", jsonNumber(difference.scale)},
            {"parts", std::move(parts)},
            {"fields", fieldsJson(difference.fields)},
            {"unknown_fields", difference.numUnknown},
            {"notes", std::move(notes)}};
}

}  // namespace slipway
