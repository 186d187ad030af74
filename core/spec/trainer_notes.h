// What the bundled trainer executes, but otherwise than a person may expect: warnings beside trainerSupports(), which
// has errors alone.
//   for (const Issue& issue : trainerNotes(config)) issues.push_back(issue);
#pragma once

#include "core/spec/run_config.h"

#include <optional>

namespace slipway {

/// plainAttentionNote(), and "not_exportable": weights that Hugging Face transformers cannot compute with
/// (checkExportable).
Issues trainerNotes(const RunConfig& config);

/// "plain_attention": packed documents and sliding windows under ring and all-gather context parallelism, where no
/// fused operator of a GPU serves; with the bytes of the scores that are in memory at a time.
std::optional<Issue> plainAttentionNote(const RunConfig& config);

/// Bytes of attention scores in fp32 that a rank holds at a time in the backward pass of one layer; 0 where a fused
/// operator serves, which keeps none in memory, or without context parallelism.
double plainAttentionBytes(const RunConfig& config);

}  // namespace slipway
