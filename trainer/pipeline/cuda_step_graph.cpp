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
        // A capture needs a stream that is not the default one. What was queued before is finished first.
        const c10::cuda::CUDAStream side = c10::cuda::getStreamFromPool();
        c10::cuda::getCurrentCUDAStream().synchronize();
        const c10::cuda::CUDAStreamGuard guard(side);
        // Of this thread alone: others, as NCCL's, may talk to the driver meanwhile.
        m_graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
        try {
            body();
        } catch (...) {
            // The device takes no other work while a capture is open; what went wrong first is what counts.
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
