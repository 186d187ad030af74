// Import and export of weights in the format of Hugging Face transformers: model.safetensors, or several files with
// model.safetensors.index.json, next to a config.json. Our matrices are [outputs, inputs] and rotary positions rotate
// (i, i + D/2) as theirs do, so most tensors are copied unchanged; GPT-2 joins and transposes, Mixtral has its own
// names, DeepSeek rotates its positions in pairs (2i, 2i + 1), and Qwen2-MoE has a gate on its shared expert. Here
// complete heads rotate: GLM-4.5 as published, with half of each head rotary, is refused, its type is not. There is no
// padding here, so rows are never cut.
#pragma once

#include "trainer/checkpoint/checkpoint.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::trainer {

/// Location of one of our weights in their files.
struct HuggingFacePlace {
    std::string name;
    std::int64_t part = 0, numParts = 1;  ///< rows part * n .. of numParts * n, before transposing
    bool isTransposed = false;            ///< stored as [inputs, outputs]
    std::int64_t headRows = 0;  ///< of each headRows rows the last pairedRows are rotary, theirs in pairs; 0: none
    std::int64_t pairedRows = 0;
    double scale = 1;  ///< theirs is ours times this, a power of two
};

/// Converts a complete weight of ours to its form in their file before joining and transposing, and back: order of
/// rotary rows and scale.
at::Tensor toTheirRows(const HuggingFacePlace& place, const at::Tensor& ours);
at::Tensor toOurRows(const HuggingFacePlace& place, const at::Tensor& theirs);

/// Tensors of their model type that ours lacks: all of them must be zero, so that they
/// have no effect. The gate of Qwen2-MoE's shared expert: sigmoid(0) = 1/2,
/// compensated by the scale of its down_proj. The routing bias of DeepSeek-V3 and
/// GLM-4.5.
struct ZeroTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::string why;  ///< its effect if it were not zero
};
std::vector<ZeroTensor> huggingFaceZeros(const ModelSpec& model);

/// @param name ours, as in Parameter::shard
HuggingFacePlace huggingFacePlace(const ModelSpec& model, const std::string& name);

/// True for a folder with model.safetensors or its index.
bool looksLikeHuggingFaceWeights(const std::filesystem::path& folder);

/// A matrix of 8-bit floating-point numbers times its blocks' factors, as fp32: factors [rows / b0, columns /
/// b1], rounded up, as published for DeepSeek-V3 ("weight_scale_inv"). "weights_mismatch" when they do not cover
/// it.
Result<at::Tensor> fromBlocks(const at::Tensor& matrix, const at::Tensor& factors, std::int64_t b0, std::int64_t b1);

/// Fills the weights among `state` (its moments are unchanged), converted to its number format.
/// Every weight must exist in its shape, and every tensor of the files must have a place in the
/// model: "weights_mismatch". Also "file_missing", "bad_safetensors", "unsupported_model". A
/// collective. Returns the names of the omitted tensors: those of the layers after the last that
/// predict further tokens, num_nextn_predict_layers of them in the config.json (DeepSeek-V3, section
/// 2.2).
Result<std::vector<std::string>> loadHuggingFaceWeights(const CheckpointContext& context,
                                                        const std::filesystem::path& folder,
                                                        std::vector<StateTensor>& state);

struct ExportOptions {
    std::string dtype;                           ///< "F64", "F32", "BF16"; empty: the run's precision
    std::uint64_t maxFileBytes = 5'000'000'000;  ///< data of one file; a single tensor may be larger
};

struct ExportReport {
    std::int64_t step = 0;
    std::int64_t numParameters = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> files;
    std::string note;  ///< reason for a missing tokenizer; else empty
};

/// Writes config.json, generation_config.json, the tokenizer if found (export_tokenizer.h) and the weights of a
/// checkpoint, from any layout, into a new folder. One process. "checkpoint_damaged", "unsupported_model", "disk_full",
/// ...
Result<ExportReport> exportHuggingFace(const std::filesystem::path& checkpoint, const std::filesystem::path& folder,
                                       const ExportOptions& options);

}  // namespace slipway::trainer
