// MicroBatchGraph: both passes of one micro-batch as a StepGraph (train.cuda_graphs), for the micro-batches between the
// first and the last of a step, on a rank that holds the whole model.
//   if (graph.prepare(batch, scale)) graph.run(batch, lossSum);
//   No collective: only the last micro-batch, which is not repeated from a graph, starts reductions.
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

/// The graph did not compute the gradients that the passes compute: the rank ends with the error "graph_mismatch".
class GraphMismatch : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The loss, then the gradients, of one micro-batch.
using Results = std::vector<at::Tensor>;

/// How far a tensor is from its reference, by the Euclidean norm.
struct Difference {
    bool same = true;  ///< to the bit
    double apart = 0;
    double length = 0;  ///< of the reference
};
using Differences = std::vector<Difference>;

/// Measured where the results are; the reference may be elsewhere. The host reads three numbers for each tensor, in
/// one copy.
Differences differences(const Results& reference, const Results& results);

/// Place of the first of `graph` that is not what the passes give, which ran twice; nothing if all are. Some operators
/// of libtorch add in an order that changes from run to run (cuDNN's attention backwards): where the two runs differ
/// anywhere, the graph may be ten times as far from them, each tensor by its own measure or by that of all together;
/// else not by a bit. @param again the second run against the first, as `graph`
std::optional<std::size_t> firstWrong(const Differences& again, const Differences& graph);

class MicroBatchGraph {
public:
    /// The model must outlive it.
    MicroBatchGraph(Model& model, GraphMaker maker);

    /// True if run() will do. The loss scale is a constant of the graph: it is captured when a scale comes for the
    /// second step in a row, so that batches whose numbers of valid tokens differ are not captured again each time. A
    /// capture is held against the passes themselves, bit for bit where they give the same bits twice, and leaves the
    /// main gradients zero, as they must have been. @param like of the sizes to come, on the device
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
    MicroBatch m_inputs;   ///< the tensors that the graph reads
    at::Tensor m_lossSum;  ///< and adds the loss to
    double m_scale = 0;    ///< of the graph
    std::optional<double> m_lastScale;
};

}  // namespace slipway::trainer
