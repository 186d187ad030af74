// What train.cuda_graphs saves and takes.
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/activations.h"
#include "core/planner/time/repeated_passes.h"
#include "core/planner/time/step.h"

namespace slipway {

namespace {

/// Why nothing is repeated from a graph.
Explanation notRepeated(const Plan& plan, const char* unit) {
    Explanation e;
    e.figure = {"", 0, unit};
    e.state(plan.config.train.cudaGraphs ? "0: the bundled trainer captures no graph of this layout"_text
                                         : "0: train.cuda_graphs is off"_text);
    e.source = {"the bundled trainer (trainer/pipeline/micro_batch_graph.h)"_text};
    return e;
}

}  // namespace

Explanation explainGraphBytes(const Plan& plan) {
    if (!repeatsFromGraph(plan.config)) return notRepeated(plan, "B");
    const double bytes = graphPoolBytes(plan.config, plan.cluster), inputs = microBatchInputBytes(plan.config);
    Explanation e;
    e.figure = {"", bytes, "B"};
    e.inputs = {{"pass_bytes", bytes - inputs, "B"}, {"micro_batch_input_bytes", inputs, "B"}};
    e.formula = "pass_bytes + micro_batch_input_bytes";
    e.source = {
        "a captured graph keeps the memory of its passes for itself: activations, logits and workspace of one micro-batch exist twice, there and "
        "for the first and last micro-batch (CUDA graphs of libtorch: a private pool); counted in memory.buffer_bytes"_text};
    return e;
}

}  // namespace slipway
