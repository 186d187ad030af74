// Weights as Hugging Face transformers keeps them, in and out: model.safetensors, or several files with model.safetensors.index.json,
// beside a config.json. Our matrices are [outputs, inputs] and rotary positions turn (i, i + D/2) as theirs do, so most tensors go over
// as they are; GPT-2 joins and transposes, Mixtral has names of its own. Nothing is padded here, so no rows are cut.
#pragma once

#include "trainer/checkpoint/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Where one of our weights stands in their files.
struct HuggingFacePlace {
    std::string name;
    std::int64_t part = 0, numParts = 1;  ///< rows part * n .. of numParts * n, before transposing
    bool isTransposed = false;            ///< stored as [inputs, outputs]
};

/// @param name ours, as in Parameter::shard
HuggingFacePlace huggingFacePlace(const ModelSpec& model, const std::string& name);

/// "unsupported_model" for a shape that no model type of transformers computes exactly as we do.
Result<void> checkHuggingFaceModel(const ModelSpec& model);

/// True for a folder with model.safetensors or its index.
bool looksLikeHuggingFaceWeights(const std::filesystem::path& folder);

/// Fills the weights among `state` (its moments are left alone), converted to its number format. Every weight must be there in its
/// shape, and every tensor of the files must have a place in the model: "weights_mismatch". Also "file_missing", "bad_safetensors",
/// "unsupported_model". A collective.
Result<void> loadHuggingFaceWeights(const CheckpointContext& context, const std::filesystem::path& folder,
                                    std::vector<StateTensor>& state);

struct ExportOptions {
    std::string dtype;                           ///< "F64", "F32", "BF16"; empty: that of the run's precision
    std::uint64_t maxFileBytes = 5'000'000'000;  ///< data of one file; a single tensor may be larger
};

struct ExportReport {
    std::int64_t step = 0;
    std::int64_t numParameters = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> files;
};

/// Writes config.json and the weights of a checkpoint, whatever layout wrote it, into a folder that is made. One process.
/// "checkpoint_damaged", "unsupported_model", "disk_full", ...
Result<ExportReport> exportHuggingFace(const std::filesystem::path& checkpoint, const std::filesystem::path& folder,
                                       const ExportOptions& options);

}  // namespace slipway::trainer
