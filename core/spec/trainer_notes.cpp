#include "core/spec/trainer_notes.h"

#include "core/base/units.h"
#include "core/spec/huggingface_support.h"

namespace slipway {

// For one block of queries and keys: scores or probabilities, their gradients, and a product of the two
// (trainer/kernels/attention.cpp, plainGrad). Blocks are chunks of S / (2 cp) positions; a ring's keys come chunk by
// chunk, gathered keys reach from the first to the queries' own (trainer/parallel/context_attention.cpp).
double plainAttentionBytes(const RunConfig& c) {
    const ParallelLayout& p = c.parallel;
    const bool isMasked = c.model.slidingWindow || c.data.documentEndId;
    if (c.train.attentionKernel == AttentionKernel::Products || c.train.device != DeviceKind::Gpu || p.cp == 1 ||
        p.cpKind == CpKind::Ulysses || !isMasked)
        return 0;
    // A window alone over gathered keys ends with its queries, as the flash operator requires.
    if (p.cpKind == CpKind::AllGather && !c.data.documentEndId) return 0;
    const double chunk = static_cast<double>(c.train.seqLen) / static_cast<double>(2 * p.cp);
    const double keys = p.cpKind == CpKind::Ring ? chunk : static_cast<double>(c.train.seqLen);
    const double heads = static_cast<double>(c.model.numHeads) / static_cast<double>(p.tp);
    constexpr double kCopies = 3, kScoreBytes = 4;
    return kCopies * kScoreBytes * static_cast<double>(c.train.microBatchSize) * heads * chunk * keys;
}

std::optional<Issue> plainAttentionNote(const RunConfig& config) {
    const double bytes = plainAttentionBytes(config);
    if (bytes <= 0) return std::nullopt;
    const std::string field = config.data.documentEndId ? "data.document_end_id" : "model.sliding_window";
    return issueOf(
        Severity::Warning, "plain_attention", "parallel.cp_kind",
        "No fused GPU attention supports %1 with parallel.cp_kind = %2: the bundled trainer falls back to plain fp32 products, whose scores take %3 of memory per rank beyond the forecast, and more time; set parallel.cp_kind = ulysses."_text(
            field, wordOf(config.parallel.cpKind), formatBytes(bytes)));
}

Issues trainerNotes(const RunConfig& config) {
    Issues issues;
    if (auto plain = plainAttentionNote(config)) issues.push_back(std::move(*plain));
    if (const auto exportable = checkExportable(config.model); !exportable)
        issues.push_back(issueOf(
            Severity::Warning, "not_exportable", "model",
            "`slipway-trainer export` cannot write this run's weights. %1"_text(exportable.error().sentence())));
    return issues;
}

}  // namespace slipway
