// Activation memory: what the bundled trainer saves per layer between forward and backward, tensor by tensor, and the
// published closed forms beside it.
#pragma once

#include "core/spec/run_config.h"

#include <string_view>
#include <vector>

namespace slipway {

/// A saved tensor of one rank for one micro-batch.
struct SavedTensor {
    std::string_view name;
    double bytes = 0;
};

/// All saved activations of one layer on one rank for one micro-batch, as in trainer/model. Legend: T tokens of the micro-batch on this
/// rank, T/t under sequence parallelism; h hidden; q, kv widths of query and key-value heads; f FFN.
std::vector<SavedTensor> layerActivations(const RunConfig& config, bool moeLayer);

/// Sum over layerActivations, reduced by the recompute policy; the mean over layers where only some recompute.
double layerActivationBytes(const RunConfig& config, bool moeLayer);
/// Share of the layers that recompute.
double recomputedShare(const RunConfig& config);

/// Tokens and targets of one micro-batch, 64-bit ids; every rank reads them.
double microBatchInputBytes(const RunConfig& config);
/// Saved by the last stage for one micro-batch between forward and backward: final norm and logits.
std::vector<SavedTensor> headActivations(const RunConfig& config);

/// Execution of norms, SwiGLU and the loss: as in the bundled trainer (fused on GPUs and for a CPU's wide formats,
/// trainer/kernels/fused_rows.h), or operation by operation with a tensor after each, as in much other software.
enum class RowLoops { Trainer, Operations };

/// Largest sum of temporaries while one layer runs backward (with full recomputation: plus the recomputed tensors).
double layerWorkspaceBytes(const RunConfig& config, bool moeLayer, RowLoops loops = RowLoops::Trainer);
/// Bytes of one layer in addition to its activations while its weight gradients are accumulated.
double layerWeightPassBytes(const RunConfig& config, bool moeLayer, RowLoops loops = RowLoops::Trainer);
/// Additional bytes of a layer from its input pass to its weight pass (zero-bubble schedules): the gradients of its
/// matrices' outputs replace their inputs; with recomputation the complete layer exists again. May be negative.
double layerWaitingBytes(const RunConfig& config, bool moeLayer);
/// One tensor [s, B, H] between tensor-parallel regions: a message of the pipeline.
double residualBytes(const RunConfig& config);
/// Temporaries while the loss is computed, in addition to the logits.
double headWorkspaceBytes(const RunConfig& config, RowLoops loops = RowLoops::Trainer);
/// Temporaries while the head's weight gradient is accumulated: the full table's product where it is wider than the main gradient.
double headGradientWorkBytes(const RunConfig& config);
/// The same for the embedding: rows in the main gradient's format, and on a GPU the full table's gradient, which is
/// then added (trainer/kernels/embedding.cpp).
double embeddingGradientWorkBytes(const RunConfig& config);
/// Sines and cosines of the rotary positions, one table per stage.
double rotaryTableBytes(const RunConfig& config);

// Published closed forms for GPT layers in 16 bit, bytes per layer (Korthikanti 2022, arXiv 2205.05198, table 2).

enum class ActivationForm { Full, Selective };
/// s b h (10 + 24/t + 5 a s / (h t)) without, (s b h / t)(34 + 5 a s / h) with sequence parallelism; selective
/// recomputation or flash attention drops the attention term.
double korthikantiLayerBytes(double seqLen, double batch, double hidden, double heads, double tp, bool sequenceParallel,
                             ActivationForm form);
/// 10 b s h per layer in 16 bit: a source's form, 41 % below the published count (examples.csv, row 001-1.2b).
double tenBytesLayerBytes(double seqLen, double batch, double hidden, double dtypeBytes);
/// Checkpoints only: saved tensors of width h per layer (scaling book, chapter 6).
double checkpointBytes(double tokens, double hidden, double layers, double perLayer, double dtypeBytes);
/// Activations over sqrt(L) when every sqrt(L)-th layer is checkpointed (Chen 2016, arXiv 1604.06174).
double sqrtCheckpointFactor(double layers);
/// Compute with recomputation over compute without: (forward + backward + extra forward) / (forward + backward).
double recomputeFactor(double forward, double backward, double extraForward);
/// Layers to recompute for a wanted share: exactly round(ratio * layers).
std::int64_t recomputedLayers(double ratio, std::int64_t layers);
/// A source's rule, every layer with i % int(1 / ratio) == 0; wrong for most ratios (examples.csv, row 001-4.2).
std::int64_t recomputedLayersByStride(double ratio, std::int64_t layers);

}  // namespace slipway
