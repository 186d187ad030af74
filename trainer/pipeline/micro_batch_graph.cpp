#include "trainer/pipeline/micro_batch_graph.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace slipway::trainer {
namespace {

bool sameBits(const at::Tensor& a, const at::Tensor& b) {
    return a.view({-1}).view(at::kByte).equal(b.view({-1}).view(at::kByte));  // NaN is itself
}

double lengthOf(const at::Tensor& a) {
    return a.to(at::kDouble).norm().item<double>();
}

double distance(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b.to(at::kDouble)).norm().item<double>();
}

}  // namespace

std::optional<std::size_t> firstWrong(const Results& once, const Results& again, const Results& graph) {
    constexpr double kMost = 10;
    bool steady = true;
    for (std::size_t i = 0; i < once.size() && steady; ++i) steady = sameBits(once[i], again[i]);
    double apart = 0, whole = 0;
    for (std::size_t i = 0; i < once.size() && !steady; ++i) {
        apart += std::pow(distance(once[i], again[i]), 2);
        whole += std::pow(lengthOf(once[i]), 2);
    }
    const double share = whole > 0 ? std::sqrt(apart / whole) : 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
        if (sameBits(graph[i], once[i])) continue;
        // Not below the share: a few numbers may come out alike twice by chance, and then not a third time.
        if (steady ||
            !(distance(graph[i], once[i]) <= kMost * std::max(distance(again[i], once[i]), share * lengthOf(once[i]))))
            return i;
    }
    return std::nullopt;
}

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

// Loss and gradients of what is run, copied to the host, where there is room for all of them; then they are zero again.
Results MicroBatchGraph::results(const std::function<void()>& run) {
    run();
    Results copies;
    const auto take = [&](at::Tensor& tensor) {
        copies.push_back(tensor.to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true).contiguous());
        tensor.zero_();
    };
    take(m_lossSum);
    for (Parameter* parameter : m_model.parameters()) take(parameter->mainGrad);
    return copies;
}

void MicroBatchGraph::capture(const MicroBatch& like, double lossScale) {
    m_graph.reset();
    m_inputs = {like.tokens.clone(), like.targets.clone()};
    m_lossSum = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(like.tokens.device()));
    m_scale = lossScale;
    std::unique_ptr<StepGraph> graph = m_maker();
    const auto eager = [this] { passes(); };
    const Results once = results(eager), again = results(eager);
    graph->capture(eager);
    if (const auto wrong = firstWrong(once, again, results([&] { graph->replay(); })))
        throw GraphMismatch("Repeated from a CUDA graph, a micro-batch has another " +
                            (*wrong == 0 ? "loss" : "gradient of " + m_model.parameters()[*wrong - 1]->shard.name) +
                            ". Set train.cuda_graphs = false.");
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
