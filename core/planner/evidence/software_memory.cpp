#include "core/planner/evidence/software_memory.h"

#include "core/base/real.h"
#include "core/planner/stack/known_software.h"

#include <algorithm>
#include <cmath>

namespace slipway {

namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

std::optional<PrintedMemory> printedMemoryOf(std::string_view source, std::string_view precision,
                                             std::string_view notes) {
    PrintedMemory memory{MemoryMeter::Allocated, factsOf(softwareIdOf(source))};
    if (contains(source, "bigscience")) {
        // Its arithmetic uses 1e9 bytes per GB; "80GB" is more than a card's 79.35 GiB.
        memory.meter = MemoryMeter::Device;
        memory.unitBytes = 1e9;
        if (contains(precision, "fp32 grad")) return memory;
        // fp16 "grad accumulates in fp16"; the optimizer's step makes fp32 gradients of the rank's own share
        // (DeepSpeed, runtime/zero/stage_1_and_2.py).
        memory.facts.states = "zero_paper";
        memory.facts.stepBytes = 4;
        return memory;
    }
    if (contains(source, "SimuMax")) return memory;
    if (contains(source, "torchtitan")) {
        memory.meter = MemoryMeter::Reserved;
        // The loss is compiled with the model since April 2025; pipelines with asynchronous tensor parallelism need the
        // compiler. Eager: logits, their fp32 copy, log-softmax, its gradient, the gradient in 16 bit; compiled, the
        // 16-bit logits are fused into their copy.
        if (!contains(notes, "compile") && !contains(notes, "AsyncTP"))
            memory.facts.logitBytes = 16;
        else if (contains(source, "_2024"))
            memory.facts.logitBytes = 14;
        return memory;
    }
    return {};
}

std::int64_t layersOfSize(double parameters, double hidden, double vocab, std::int64_t pp) {
    const double layers = (parameters - vocab * hidden) / (12 * hidden * hidden);
    return pp * std::max<std::int64_t>(1, std::llround(layers / real(pp)));
}

std::vector<std::int64_t> deepSpeedSplit(std::int64_t numLayers, std::int64_t pp) {
    const std::int64_t most = (numLayers + pp - 1) / pp, last = numLayers - most * (pp - 1);
    if (pp == 1 || numLayers % pp == 0 || (numLayers + 2) % pp == 0 || last < 1) return {};
    std::vector<std::int64_t> stages(static_cast<std::size_t>(pp - 1), most);
    stages.push_back(last);
    return stages;
}

}  // namespace slipway
