#include "trainer/optim/main_gradients.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace slipway::trainer {

at::ScalarType weightType(const RunConfig& config) {
    switch (config.train.precision) {
        case Precision::Fp64: return at::kDouble;
        case Precision::Fp32:
        case Precision::Tf32: return at::kFloat;
        case Precision::Fp16: return at::kHalf;
        case Precision::Bf16:
        case Precision::Fp8: return at::kBFloat16;
    }
    return at::kFloat;
}

at::ScalarType mainGradType(const RunConfig& config) {
    if (config.train.precision == Precision::Fp64) return at::kDouble;
    return config.train.gradDtype == Precision::Bf16 ? at::kBFloat16 : at::kFloat;
}

MainGradients::MainGradients(const RunConfig& config, const ProcessMesh& mesh,
                             const std::vector<Parameter*>& parameters, Bug bug)
    : m_mesh(mesh), m_parameters(parameters), m_bug(bug) {
    const at::ScalarType type = mainGradType(config);
    const bool replicated = mesh.dp->size() > 1;
    m_sharded = replicated && config.parallel.zeroStage >= 1;
    m_overlap = replicated && config.parallel.overlapGradReduce;
    m_reduceInBf16 = replicated && config.parallel.reduceDtype == ReduceDtype::Bf16 && type == at::kFloat;

    std::vector<FlatItem> items;
    for (const Parameter* p : parameters)
        items.push_back(
            {p->weight.numel(), p->sumOverTp && mesh.tp->size() > 1, p->tiedAcrossStages && mesh.tied->size() > 1});
    const auto elementBytes = static_cast<std::int64_t>(c10::elementSize(type));
    m_layout = makeBucketLayout(items, std::max<std::int64_t>(1, config.parallel.bucketBytes / elementBytes),
                                m_sharded ? mesh.dp->size() : 1);
    const at::Device device = parameters.empty() ? at::Device(at::kCPU) : parameters.front()->weight.device();
    m_flat = at::zeros({m_layout.elements}, at::TensorOptions().dtype(type).device(device));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i]->mainGrad =
            m_flat.narrow(0, m_layout.items[i].begin, m_layout.items[i].length()).view(parameters[i]->weight.sizes());
        parameters[i]->onGradReady = [this, i] { ready(i); };
    }
    m_work.resize(m_layout.buckets.size());
    m_rounded.resize(m_layout.buckets.size());
    m_scattered.resize(m_layout.buckets.size());
    zero();
}

MainGradients::~MainGradients() {
    for (Parameter* p : m_parameters) p->onGradReady = nullptr;
}

void MainGradients::zero() {
    m_flat.zero_();
    m_next = 0;
    m_finished = false;
    m_pending.clear();
    for (const auto& members : m_layout.bucketItems) m_pending.push_back(members.size());
}

void MainGradients::ready(std::size_t item) {
    const std::size_t bucket = m_layout.bucketOf[item];
    if (m_pending[bucket] > 0) --m_pending[bucket];
    if (m_overlap) startNext();
}

// Strictly in bucket order: every replica must start its collectives in the same order. Buckets that wait for other sums
// (tp, tied) are left to finish().
void MainGradients::startNext() {
    while (m_next < m_layout.numEarlyBuckets && m_pending[m_next] == 0) reduce(m_next++);
}

void MainGradients::reduce(std::size_t bucket) {
    if (m_mesh.dp->size() == 1 || m_bug == Bug::GradHookSkipped) return;
    const FlatRange range = m_layout.buckets[bucket];
    at::Tensor whole = m_flat.narrow(0, range.begin, range.length());
    if (m_reduceInBf16) {
        whole = whole.to(at::kBFloat16);
        m_rounded[bucket] = whole;
    }
    if (!m_sharded) {
        m_work[bucket] = m_mesh.dp->allReduce(whole, ReduceOp::Sum);
        return;
    }
    const FlatRange mine = m_layout.shardOf(bucket, m_mesh.dp->rank());
    at::Tensor block =
        m_reduceInBf16 ? at::empty({mine.length()}, whole.options()) : m_flat.narrow(0, mine.begin, mine.length());
    m_scattered[bucket] = block;
    m_work[bucket] = m_mesh.dp->reduceScatter(block, whole);
}

void MainGradients::settle(std::size_t bucket) {
    if (!m_work[bucket]) return;
    m_work[bucket]->wait();
    m_work[bucket].reset();
    if (m_reduceInBf16) {
        const FlatRange range = m_sharded ? m_layout.shardOf(bucket, m_mesh.dp->rank()) : m_layout.buckets[bucket];
        m_flat.narrow(0, range.begin, range.length()).copy_(m_sharded ? m_scattered[bucket] : m_rounded[bucket]);
    }
    m_rounded[bucket] = at::Tensor();
    m_scattered[bucket] = at::Tensor();
}

void MainGradients::finish() {
    if (m_finished) return;
    m_finished = true;
    if (m_layout.tpSum.length() > 0 && m_bug != Bug::SequenceNormGradNotSummed) {
        at::Tensor part = m_flat.narrow(0, m_layout.tpSum.begin, m_layout.tpSum.length());
        m_mesh.tp->allReduce(part, ReduceOp::Sum)->wait();
    }
    if (m_layout.tiedSum.length() > 0 && m_bug != Bug::TiedGradNotSummed) {
        at::Tensor part = m_flat.narrow(0, m_layout.tiedSum.begin, m_layout.tiedSum.length());
        m_mesh.tied->allReduce(part, ReduceOp::Sum)->wait();
    }
    while (m_next < m_layout.buckets.size()) reduce(m_next++);
    for (std::size_t bucket = 0; bucket < m_work.size(); ++bucket) settle(bucket);
}

std::vector<FlatRange> MainGradients::owned() const {
    std::vector<FlatRange> ranges;
    for (std::size_t bucket = 0; bucket < m_layout.buckets.size(); ++bucket) {
        ranges.push_back(m_sharded ? m_layout.shardOf(bucket, m_mesh.dp->rank()) : m_layout.buckets[bucket]);
    }
    return ranges;
}

}  // namespace slipway::trainer
