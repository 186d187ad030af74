#include "trainer/pipeline/micro_batch_graph.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace slipway::trainer {
namespace {

constexpr std::int64_t kPieceElements = std::int64_t{1} << 22;  // 32 MiB in fp64

// [3] fp64 on the device: 1 if any bit differs, squared distance, squared length of the reference. Piece by
// piece, to limit the device memory.
at::Tensor compare(const at::Tensor& reference, const at::Tensor& tensor) {
    const at::Tensor was = reference.reshape({-1}), is = tensor.reshape({-1});
    at::Tensor sums = at::zeros({3}, at::TensorOptions().dtype(at::kDouble).device(tensor.device()));
    for (std::int64_t begin = 0; begin < is.numel(); begin += kPieceElements) {
        const std::int64_t length = std::min(kPieceElements, is.numel() - begin);
        const at::Tensor before = was.narrow(0, begin, length).to(is.device()), now = is.narrow(0, begin, length);
        const at::Tensor wide = before.to(at::kDouble);
        // By their bytes: NaN equals itself.
        sums.select(0, 0).add_(before.view(at::kByte).ne(now.view(at::kByte)).any());
        sums.select(0, 1).add_((now.to(at::kDouble) - wide).square_().sum());
        sums.select(0, 2).add_(wide.square().sum());
    }
    return sums;
}

}  // namespace

Differences differences(const Results& reference, const Results& results) {
    std::vector<at::Tensor> sums;
    for (std::size_t i = 0; i < reference.size(); ++i) sums.push_back(compare(reference[i], results[i]));
    const at::Tensor all = at::stack(sums).cpu();
    Differences list;
    for (std::int64_t i = 0; i < all.size(0); ++i) {
        const double* const of = all.const_data_ptr<double>() + 3 * i;
        list.push_back({of[0] == 0, std::sqrt(of[1]), std::sqrt(of[2])});
    }
    return list;
}

std::optional<std::size_t> firstWrong(const Differences& again, const Differences& graph) {
    constexpr double kMost = 10;
    double apart = 0, whole = 0;
    bool steady = true;
    for (const Difference& one : again) {
        steady = steady && one.same;
        apart += one.apart * one.apart;
        whole += one.length * one.length;
    }
    const double share = whole > 0 ? std::sqrt(apart / whole) : 0;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (graph[i].same) continue;
        // Not below the share: a few numbers may coincide twice by chance, but not a third time.
        if (steady || !(graph[i].apart <= kMost * std::max(again[i].apart, share * again[i].length))) return i;
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

Results MicroBatchGraph::results() {
    Results results{m_lossSum};
    for (Parameter* parameter : m_model.parameters()) results.push_back(parameter->mainGrad);
    return results;
}

void MicroBatchGraph::capture(const MicroBatch& like, double lossScale) {
    m_graph.reset();
    m_inputs = {like.tokens.clone(), like.targets.clone()};
    m_lossSum = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(like.tokens.device()));
    m_scale = lossScale;
    std::unique_ptr<StepGraph> graph = m_maker();
    const Results here = results();
    const auto clear = [&] {
        for (const at::Tensor& tensor : here) tensor.zero_();
    };
    passes();
    // One copy in host memory, where there is room for it; later results are compared with it on the
    // device.
    Results once;
    for (const at::Tensor& tensor : here)
        once.push_back(tensor.to(at::kCPU, tensor.scalar_type(),
                                 /*non_blocking=*/false, /*copy=*/true));
    const auto measure = [&](const std::function<void()>& run) {
        clear();
        run();
        return differences(once, here);
    };
    const Differences again = measure([this] { passes(); });
    clear();
    graph->capture([this] { passes(); });
    const auto wrong = firstWrong(again, measure([&] { graph->replay(); }));
    clear();
    if (wrong)
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
