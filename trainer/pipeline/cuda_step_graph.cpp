#include "trainer/pipeline/step_graph.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace slipway::trainer {
namespace {

class CudaStepGraph final : public StepGraph {
public:
    void capture(const std::function<void()>& body) override {
        m_graph.reset();
        // A capture needs a stream other than the default one. Earlier work is finished first.
        const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
        c10::cuda::getCurrentCUDAStream().synchronize();
        const c10::cuda::CUDAStreamGuard guard(side);
        // Only of this thread: others, such as NCCL's, may call the driver in the meantime.
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        try {
            body();
        } catch (...) {
            // The device accepts no other work during an open capture; the first error is the relevant one.
            try {
                m_graph.capture_end();
            } catch (const c10::Error&) {
            }
            throw;
        }
        m_graph.capture_end();
    }
    void replay() override { m_graph.replay(); }

private:
    at::cuda::CUDAGraph m_graph;
};

}  // namespace

GraphMaker cudaGraphMaker() {
    return [] { return std::make_unique<CudaStepGraph>(); };
}

}  // namespace slipway::trainer
