#include "trainer/pipeline/micro_batch_graph.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <utility>
#include <vector>

namespace slipway::trainer {
namespace {

bool sameBits(const at::Tensor& a, const at::Tensor& b) {
    return a.view({-1}).view(at::kByte).equal(b.view({-1}).view(at::kByte));  // NaN is itself
}

double distance(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>();
}

// Some operators of libtorch add in an order that changes from run to run (cuDNN's attention backwards): where two runs of the passes
// differ, the graph may be off by ten times that; elsewhere by nothing.
bool agrees(const at::Tensor& graph, const at::Tensor& once, const at::Tensor& again) {
    constexpr double kMost = 10;
    return sameBits(graph, once) || (!sameBits(once, again) && distance(graph, once) <= kMost * distance(again, once));
}

}  // namespace

MicroBatchGraph::MicroBatchGraph(Model& model, GraphMaker maker) : m_model(model), m_maker(std::move(maker)) {}

bool MicroBatchGraph::prepare(const MicroBatch& like, double lossScale) {
    const bool again = m_lastScale == lossScale;
    m_lastScale = lossScale;
    if (m_graph && m_scale == lossScale && m_inputs.tokens.sizes() == like.tokens.sizes()) return true;
    if (again) capture(like, lossScale);
    return again;
}

void MicroBatchGraph::passes() {
    StageModel& stage = *m_model.chunks().front();
    StageModel::Saved saved;
    saved.forBackward = true;
    static_cast<void>(stage.forward(m_inputs, at::Tensor(), saved));
    m_lossSum.add_(saved.lossSum);
    static_cast<void>(stage.backward(at::Tensor(), m_scale, saved, /*last=*/false));
}

// Gradients and loss of what is run, copied to the host, where there is room for all of them; then they are zero again.
std::vector<at::Tensor> MicroBatchGraph::results(const std::function<void()>& run) {
    run();
    std::vector<at::Tensor> copies;
    const auto take = [&](at::Tensor& tensor) {
        copies.push_back(tensor.to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true).contiguous());
        tensor.zero_();
    };
    for (Parameter* parameter : m_model.parameters()) take(parameter->mainGrad);
    take(m_lossSum);
    return copies;
}

void MicroBatchGraph::capture(const MicroBatch& like, double lossScale) {
    m_graph.reset();
    m_inputs = {like.tokens.clone(), like.targets.clone()};
    m_lossSum = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(like.tokens.device()));
    m_scale = lossScale;
    std::unique_ptr<StepGraph> graph = m_maker();
    const auto eager = [this] { passes(); };
    const std::vector<at::Tensor> once = results(eager), again = results(eager);
    graph->capture(eager);
    const std::vector<at::Tensor> repeated = results([&] { graph->replay(); });
    const auto refuse = [](const std::string& what) {
        throw GraphMismatch("Repeated from a CUDA graph, a micro-batch has another " + what +
                            ". Set train.cuda_graphs = false.");
    };
    if (!agrees(repeated.back(), once.back(), again.back())) refuse("loss");
    for (std::size_t i = 0; i + 1 < once.size(); ++i)
        if (!agrees(repeated[i], once[i], again[i])) refuse("gradient of " + m_model.parameters()[i]->shard.name);
    m_graph = std::move(graph);
}

void MicroBatchGraph::run(const MicroBatch& batch, const at::Tensor& lossSum) {
    m_inputs.tokens.copy_(batch.tokens);
    m_inputs.targets.copy_(batch.targets);
    m_lossSum.zero_();
    m_graph->replay();
    lossSum.add_(m_lossSum);
}

}  // namespace slipway::trainer
