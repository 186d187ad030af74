// StepGraph: work of a GPU that is queued once, kernel by kernel, and then repeated as a whole with one launch (CUDA
// graphs).
// A build with CUDA has cuda_step_graph.cpp, another no_cuda_step_graph.cpp.
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

    /// Remembers what `body` queues, without running it. It must not read anything back, and what it reads and writes
    /// must keep its memory;
    /// what it allocates belongs to the graph.
    virtual void capture(const std::function<void()>& body) = 0;
    /// Queues all of it on the current stream.
    virtual void replay() = 0;
};

using GraphMaker = std::function<std::unique_ptr<StepGraph>()>;

/// Empty in a build without CUDA.
GraphMaker cudaGraphMaker();

}  // namespace slipway::trainer
