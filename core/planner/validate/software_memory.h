// Memory of other training software, for published runs: what it holds beside the bundled trainer's tensors, and which of
// the figures called "memory" its table prints.
//   run.software = softwareOf(source, precision, notes);   forecastMemory(run)
#pragma once

#include "core/planner/memory/memory.h"

#include <string_view>
#include <vector>

namespace slipway {

/// What a table's memory column counts.
enum class MemoryMeter {
    Formula,    ///< a published formula for the layers alone: no embedding, no temporaries
    Allocated,  ///< tensors at the fullest moment (torch.cuda.max_memory_allocated)
    Reserved,   ///< what the allocator took from the device
    Device,     ///< the process as nvidia-smi shows it, with context, libraries and communicators
};

/// What layers keep for the backward pass.
enum class LayerForm {
    Korthikanti,       ///< GPT before fused attention: dropout masks, softmax and its dropout (korthikantiLayerBytes)
    Tensors,           ///< the trainer's tensors, with a fused attention kernel
    EveryOtherProduct  ///< the same; selective recomputation keeps every second product of a layer and attention's output
};

struct SoftwareMemory {
    std::string_view name;
    MemoryMeter meter = MemoryMeter::Allocated;
    LayerForm layers = LayerForm::Tensors;
    StatePolicy state;              ///< as ZeRO shards it
    double logitBytes = 0;          ///< per token and vocabulary element while the loss is computed
    double stepBytes = 0;           ///< per parameter of the own ZeRO share while the optimizer runs, activations gone
    double wholeGradientBytes = 0;  ///< per parameter in a pipeline: sums over micro-batches that ZeRO does not shard
    double messageCopies = 0;       ///< pipeline messages held per micro-batch in flight
    bool rootStays = false;         ///< ZeRO-3 leaves embedding and head gathered for the whole step
    double unitBytes = 1024.0 * 1024.0 * 1024.0;  ///< of the "GB" its table prints
};

/// The software behind a row of published runs, or null where nothing is known and the bundled trainer stands in.
/// @param precision, notes as the table prints them
const SoftwareMemory* softwareOf(std::string_view source, std::string_view precision, std::string_view notes);

/// What an allocator, communicators and libraries add: factor times everything but model state, and a fixed part.
struct AllocatorFigures {
    double factor = 1;
    double fixedBytes = 0;
};
/// Before calibration; exact for meters that see tensors only.
AllocatorFigures textbookAllocator(MemoryMeter meter);

/// Bytes of each pipeline rank as the software's meter counts them.
std::vector<double> softwareRankBytes(const RunConfig& config, const ClusterSpec& cluster, const Pipeline& pipeline,
                                      const SoftwareMemory& software, const AllocatorFigures& allocator);

/// Layers of a model whose table prints its size alone: stages are equal, so that of the multiples of pp which comes
/// nearest to the printed size. @param parameters printed, embedding included (GPT: 12 h^2 a layer)
std::int64_t layersOfSize(double parameters, double hidden, double vocab, std::int64_t pp);

/// DeepSpeed's partition_balanced over equal transformer blocks: all stages as many as the largest needs, the last what is
/// left ("78/12=6.5 - so the last stage has 1 block, while the rest have 7", BLOOM chronicles); empty where stages come out
/// equal, where embedding and head count as a block each, or where a stage would get none.
std::vector<std::int64_t> deepSpeedSplit(std::int64_t numLayers, std::int64_t pp);

}  // namespace slipway
