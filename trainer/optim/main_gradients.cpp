#include "trainer/optim/main_gradients.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace slipway::trainer {
namespace {

/// Maximum number of buckets with live copies in reduce_dtype. Waiting for an older one is free: if it is not done
/// yet, the links limit the step anyway.
constexpr std::size_t kConvertedInFlight = 4;

}  // namespace

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

at::ScalarType gradReduceType(const RunConfig& config) {
    if (config.train.precision == Precision::Fp64) return at::kDouble;
    return config.parallel.reduceDtype == ReduceDtype::Bf16 ? at::kBFloat16 : at::kFloat;
}

MainGradients::MainGradients(const RunConfig& config, const ProcessMesh& mesh,
                             const std::vector<Parameter*>& parameters, Bug bug)
    : m_mesh(mesh), m_parameters(parameters), m_bug(bug) {
    const at::ScalarType type = mainGradType(config);
    const bool replicated = mesh.dp->size() > 1;
    const bool hasExperts = config.model.moe.has_value();
    const std::int64_t shards = config.parallel.zeroStage >= 1 ? mesh.shardGroup().size() : 1;
    const std::int64_t expertShards = config.parallel.zeroStage >= 1 ? mesh.edp->size() : 1;
    m_sharded = shards > 1 || (hasExperts && expertShards > 1);
    m_overlap = replicated && config.parallel.overlapGradReduce;
    m_reduceType = gradReduceType(config);
    m_converts = m_reduceType != type;

    for (const Parameter* p : parameters)
        m_items.push_back({p->weight.numel(), p->sumOverTp && mesh.tp->size() > 1,
                           p->tiedAcrossStages && mesh.tied->size() > 1, p->isExpert, p->tpCopies > 1});
    const auto elementBytes = static_cast<std::int64_t>(c10::elementSize(type));
    const at::Device device = parameters.empty() ? at::Device(at::kCPU) : parameters.front()->weight.device();
    if (m_sharded && config.parallel.zeroStage >= 2) {
        std::vector<std::size_t> unitOf;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            unitOf.push_back(i == 0 ? 0 : unitOf.back() + (parameters[i]->unit != parameters[i - 1]->unit ? 1 : 0));
        m_layout = makeUnitLayout(m_items, unitOf, shards, expertShards);
        m_flat =
            at::zeros({m_layout.ownedBegin(m_layout.buckets.size())}, at::TensorOptions().dtype(type).device(device));
        m_units = std::make_unique<UnitShards>(config, mesh, parameters, m_layout, m_flat, bug);
        return;
    }
    m_layout = makeBucketLayout(m_items, std::max<std::int64_t>(1, config.parallel.bucketBytes / elementBytes), shards,
                                expertShards);
    m_flat = at::zeros({m_layout.elements}, at::TensorOptions().dtype(type).device(device));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        parameters[i]->mainGrad =
            m_flat.narrow(0, m_layout.items[i].begin, m_layout.items[i].length()).view(parameters[i]->weight.sizes());
        parameters[i]->onGradReady = [this, i] { ready(i); };
    }
    m_work.resize(m_layout.buckets.size());
    m_converted.resize(m_layout.buckets.size());
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
    if (m_units) return;
    m_pending.clear();
    for (const auto& members : m_layout.bucketItems) m_pending.push_back(members.size());
}

void MainGradients::ready(std::size_t item) {
    const std::size_t bucket = m_layout.bucketOf[item];
    if (m_pending[bucket] > 0) --m_pending[bucket];
    if (m_overlap) startNext();
}

// Strictly in bucket order: every replica must start its collectives in the same order. Buckets with other
// sums (tp, tied) are left to finish().
void MainGradients::startNext() {
    while (m_next < m_layout.numEarlyBuckets && m_pending[m_next] == 0) reduce(m_next++);
}

void MainGradients::reduce(std::size_t bucket) {
    const bool experts = m_layout.bucketOfExperts[bucket] && m_bug != Bug::ExpertGradOverDp;
    ProcessGroup& replicas = experts ? *m_mesh.edp : *m_mesh.dp;
    if (replicas.size() == 1 || m_bug == Bug::GradHookSkipped) return;
    const FlatRange range = m_layout.buckets[bucket];
    at::Tensor whole = m_flat.narrow(0, range.begin, range.length());
    if (m_converts) {
        if (bucket >= kConvertedInFlight) settle(bucket - kConvertedInFlight);
        whole = whole.to(m_reduceType);
        m_converted[bucket] = whole;
    }
    if (!m_layout.isCut(bucket)) {
        m_work[bucket] = replicas.allReduce(whole, ReduceOp::Sum);
        return;
    }
    const FlatRange mine = owned(bucket);
    at::Tensor block =
        m_converts ? at::empty({mine.length()}, whole.options()) : m_flat.narrow(0, mine.begin, mine.length());
    m_scattered[bucket] = block;
    m_work[bucket] = shardGroup(bucket).reduceScatter(block, whole);
}

void MainGradients::settle(std::size_t bucket) {
    if (!m_work[bucket]) return;
    m_work[bucket]->wait();
    m_work[bucket].reset();
    if (m_converts) {
        const FlatRange range = owned(bucket);
        m_flat.narrow(0, range.begin, range.length())
            .copy_(m_layout.isCut(bucket) ? m_scattered[bucket] : m_converted[bucket]);
    }
    m_converted[bucket] = at::Tensor();
    m_scattered[bucket] = at::Tensor();
}

void MainGradients::finish() {
    if (m_finished) return;
    m_finished = true;
    if (m_units) {
        m_units->settle();
        sumOverReplicas();
        if (m_bug != Bug::SequenceNormGradNotSummed)
            sumSegments(&FlatItem::sumOverTp,
                        [&](at::Tensor& parts) { m_mesh.tp->allReduce(parts, ReduceOp::Sum)->wait(); });
        if (m_bug != Bug::KeyGradNotSummed)
            sumSegments(&FlatItem::sumOverCopies, [&](at::Tensor& parts) { sumOverCopies(parts); });
        if (m_bug != Bug::TiedGradNotSummed)
            sumSegments(&FlatItem::tied,
                        [&](at::Tensor& parts) { m_mesh.tied->allReduce(parts, ReduceOp::Sum)->wait(); });
        return;
    }
    if (m_layout.tpSum.length() > 0 && m_bug != Bug::SequenceNormGradNotSummed) {
        at::Tensor part = m_flat.narrow(0, m_layout.tpSum.begin, m_layout.tpSum.length());
        m_mesh.tp->allReduce(part, ReduceOp::Sum)->wait();
    }
    if (m_layout.copySum.length() > 0 && m_bug != Bug::KeyGradNotSummed) {
        at::Tensor part = m_flat.narrow(0, m_layout.copySum.begin, m_layout.copySum.length());
        sumOverCopies(part);
    }
    if (m_layout.tiedSum.length() > 0 && m_bug != Bug::TiedGradNotSummed) {
        at::Tensor part = m_flat.narrow(0, m_layout.tiedSum.begin, m_layout.tiedSum.length());
        m_mesh.tied->allReduce(part, ReduceOp::Sum)->wait();
    }
    while (m_next < m_layout.buckets.size()) reduce(m_next++);
    for (std::size_t bucket = 0; bucket < m_work.size(); ++bucket) settle(bucket);
    sumOverReplicas();
}

// HSDP: the owned blocks of all replicas of this shard are summed once a step, never below fp32 regardless of
// reduce_dtype (they are few).
void MainGradients::sumOverReplicas() {
    if (!m_mesh.dpReplica || !m_sharded || m_bug == Bug::ReplicaGradNotReduced) return;
    std::vector<CommWork> work;
    std::vector<at::Tensor> parts;
    const auto& experts = m_layout.bucketOfExperts;
    if (m_units && std::find(experts.begin(), experts.end(), true) == experts.end())
        parts.push_back(m_flat);
    else
        for (std::size_t bucket = 0; bucket < m_layout.buckets.size(); ++bucket)
            if (!experts[bucket] && (m_units || m_layout.isCut(bucket))) parts.push_back(part(owned(bucket)));
    const bool narrow = m_flat.scalar_type() == at::kBFloat16;
    std::vector<at::Tensor> sums;
    for (const at::Tensor& tensor : parts) {
        sums.push_back(narrow ? tensor.to(at::kFloat) : tensor);
        work.push_back(m_mesh.dpReplica->allReduce(sums.back(), ReduceOp::Sum));
    }
    for (const CommWork& handle : work) handle->wait();
    if (narrow)
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].copy_(sums[i]);
}

// Units have the same layout on all ranks of tp and on both tied stages, so their owned blocks contain the same
// elements.
void MainGradients::sumSegments(bool FlatItem::*flag, const std::function<void(at::Tensor&)>& sum) {
    std::vector<at::Tensor> parts;
    for (const FlatRange& range : owned())
        for (const FlatSegment& segment : m_layout.segments(range))
            if (m_items[segment.item].*flag) parts.push_back(part(segment.range));
    if (parts.empty()) return;
    at::Tensor joined = at::cat(parts);
    sum(joined);
    std::int64_t at = 0;
    for (at::Tensor& to : parts) {
        to.copy_(joined.narrow(0, at, to.numel()));
        at += to.numel();
    }
}

// Every slice has its own place in the sum over all ranks of tp, in pieces; the other places are zero here. So no
// process group is needed for each slice.
void MainGradients::sumOverCopies(at::Tensor& part) {
    constexpr std::int64_t kPieceElements = std::int64_t{1} << 22;
    std::int64_t copies = 1;
    for (const Parameter* p : m_parameters) copies = std::max(copies, p->tpCopies);
    const std::int64_t numSlices = m_mesh.tp->size() / copies;
    for (std::int64_t begin = 0; begin < part.numel(); begin += kPieceElements) {
        at::Tensor piece = part.narrow(0, begin, std::min(kPieceElements, part.numel() - begin));
        at::Tensor places = at::zeros({numSlices, piece.numel()}, piece.options());
        at::Tensor mine = places.select(0, m_mesh.tp->rank() / copies);
        mine.copy_(piece);
        m_mesh.tp->allReduce(places, ReduceOp::Sum)->wait();
        piece.copy_(mine);
    }
}

at::Tensor MainGradients::part(const FlatRange& range) const {
    if (!m_units) return m_flat.narrow(0, range.begin, range.length());
    std::size_t bucket = 0;
    while (m_layout.buckets[bucket].end <= range.begin) ++bucket;
    return m_flat.narrow(0, m_layout.ownedBegin(bucket) + range.begin - owned(bucket).begin, range.length());
}

std::vector<FlatRange> MainGradients::owned() const {
    std::vector<FlatRange> ranges;
    for (std::size_t bucket = 0; bucket < m_layout.buckets.size(); ++bucket) ranges.push_back(owned(bucket));
    return ranges;
}

}  // namespace slipway::trainer
