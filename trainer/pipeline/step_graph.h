// StepGraph: GPU work that is queued once, kernel by kernel, and then replayed with one launch (CUDA
// graphs).
// A build with CUDA has cuda_step_graph.cpp, others no_cuda_step_graph.cpp.
#pragma once

#include <functional>
#include <memory>

namespace slipway::trainer {

class StepGraph {
public:
    StepGraph() = default;
    virtual ~StepGraph() = default;
    StepGraph(const StepGraph&) = delete;
    StepGraph& operator=(const StepGraph&) = delete;

    /// Records the work queued by `body`, without running it. It must not read anything back,
    /// and its inputs and outputs must keep their memory; its allocations belong to the
    /// graph.
    virtual void capture(const std::function<void()>& body) = 0;
    /// Queues all of it on the current stream.
    virtual void replay() = 0;
};

using GraphMaker = std::function<std::unique_ptr<StepGraph>()>;

/// Empty in a build without CUDA.
GraphMaker cudaGraphMaker();

}  // namespace slipway::trainer
