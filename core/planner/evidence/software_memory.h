// Meaning of the memory column of a published table, and facts about its software's storage in those runs.
#pragma once

#include "core/spec/software_stack.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace slipway {

/// Quantity in a table's memory column.
enum class MemoryMeter {
    Allocated,  ///< tensors at the fullest moment (torch.cuda.max_memory_allocated)
    Reserved,   ///< memory that the allocator took from the device
    Device,     ///< the process as in nvidia-smi, with context, libraries and communicators
};

struct PrintedMemory {
    MemoryMeter meter = MemoryMeter::Allocated;
    SoftwareFacts facts;
    double unitBytes = 1024.0 * 1024.0 * 1024.0;  ///< of the table's "GB"
};

/// For a row of published runs; empty where no source defines its column.
/// @param precision, notes as printed in the table
std::optional<PrintedMemory> printedMemoryOf(std::string_view source, std::string_view precision,
                                             std::string_view notes);

/// Layers of a model whose table prints only its size: stages are equal, so the multiple of pp nearest to the printed
/// size. @param parameters printed, embedding included (GPT: 12 h^2 a layer)
std::int64_t layersOfSize(double parameters, double hidden, double vocab, std::int64_t pp);

/// DeepSpeed's partition_balanced over equal transformer blocks: all stages as many as the largest needs, the last the
/// remainder ("78/12=6.5 - so the last stage has 1 block, while the rest have 7", BLOOM chronicles); empty where stages
/// are equal, where embedding and head count as a block each, or where a stage would be empty.
std::vector<std::int64_t> deepSpeedSplit(std::int64_t numLayers, std::int64_t pp);

}  // namespace slipway
