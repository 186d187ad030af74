// Options that the bundled trainer executes differently than expected: warnings in addition to trainerSupports(), which
// has only errors.
//   for (const Issue& issue : trainerNotes(config)) issues.push_back(issue);
#pragma once

#include "core/spec/run_config.h"

#include <optional>

namespace slipway {

/// plainAttentionNote(), and "not_exportable": weights that Hugging Face transformers cannot use
/// (checkExportable).
Issues trainerNotes(const RunConfig& config);

/// "plain_attention": packed documents and sliding windows under ring and all-gather context parallelism, where a GPU
/// has no fused operator; with the bytes of the scores in memory at a time.
std::optional<Issue> plainAttentionNote(const RunConfig& config);

/// Bytes of attention scores in fp32 held by a rank at a time in the backward pass of one layer; 0 with a fused
/// operator, which does not store them, without context parallelism, or with train.attention_kernel = products, whose
/// forecast includes them.
double plainAttentionBytes(const RunConfig& config);

}  // namespace slipway
