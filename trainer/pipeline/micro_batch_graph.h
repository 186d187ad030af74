// MicroBatchGraph: both passes of one micro-batch as a StepGraph (train.cuda_graphs), for the micro-batches between the
// first and the last of a step, on a rank that holds the full model.
//   if (graph.prepare(batch, scale)) graph.run(batch, lossSum);
//   No collective: only the last micro-batch, which is not replayed from a graph, starts reductions.
#pragma once

#include "trainer/model/model.h"
#include "trainer/pipeline/step_graph.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace slipway::trainer {

/// The graph's gradients differ from those of the passes: the rank ends with the error "graph_mismatch".
class GraphMismatch : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The loss, then the gradients, of one micro-batch.
using Results = std::vector<at::Tensor>;

/// Distance of a tensor from its reference, by the Euclidean norm.
struct Difference {
    bool same = true;  ///< bitwise
    double apart = 0;
    double length = 0;  ///< of the reference
};
using Differences = std::vector<Difference>;

/// Measured on the results' device; the reference may be elsewhere. The host reads three numbers per tensor, in one
/// copy.
Differences differences(const Results& reference, const Results& results);

/// Index of the first of `graph` that differs from the passes, which ran twice; absent if none does. Some operators of
/// libtorch add in an order that changes from run to run (cuDNN's attention backwards): where the two runs differ
/// anywhere, the graph may be ten times as far from them, each tensor by its own measure or by that of all together;
/// else it must match bitwise. @param again the second run against the first, like `graph`
std::optional<std::size_t> firstWrong(const Differences& again, const Differences& graph);

class MicroBatchGraph {
public:
    /// The model must outlive it.
    MicroBatchGraph(Model& model, GraphMaker maker);

    /// True if run() can be used. The loss scale is a constant of the graph: it is captured when a scale occurs in two
    /// consecutive steps, so that batches with different numbers of valid tokens are not recaptured each time. A
    /// capture is compared with the passes themselves, bitwise where they are reproducible, and leaves the main
    /// gradients zero, as required before. @param like with the sizes to come, on the device
    bool prepare(const MicroBatch& like, double lossScale);
    /// Adds the gradients of the batch to the main gradients, and its loss to lossSum [] fp64.
    void run(const MicroBatch& batch, const at::Tensor& lossSum);

private:
    void passes();
    void capture(const MicroBatch& like, double lossScale);
    Results results();

    Model& m_model;
    GraphMaker m_maker;
    std::unique_ptr<StepGraph> m_graph;
    MicroBatch m_inputs;   ///< the graph's input tensors
    at::Tensor m_lossSum;  ///< the graph's accumulated loss
    double m_scale = 0;    ///< of the graph
    std::optional<double> m_lastScale;
};

}  // namespace slipway::trainer
