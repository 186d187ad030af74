#include "trainer/optim/unit_shards.h"

#include "trainer/optim/main_gradients.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace slipway::trainer {
namespace {

// The tensor keeps its shape and its views; only its bytes are freed and allocated (as in torch's FSDP).
void dropMemory(const at::Tensor& tensor) {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(at::DataPtr(nullptr, tensor.device()));
    storage->set_nbytes(0);
}

void giveMemory(const at::Tensor& tensor) {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    const auto bytes = static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
    storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
    storage->set_nbytes(bytes);
}

at::Tensor viewOf(const at::Tensor& whole, const FlatRange& unit, const FlatRange& item, const at::Tensor& like) {
    return whole.narrow(0, item.begin - unit.begin, item.length()).view(like.sizes());
}

}  // namespace

UnitShards::UnitShards(const RunConfig& config, const ProcessMesh& mesh, const std::vector<Parameter*>& parameters,
                       const BucketLayout& layout, at::Tensor gradients, Bug bug)
    : m_parameters(parameters),
      m_layout(layout),
      m_bug(bug),
      m_overlap(config.parallel.overlapGradReduce),
      m_reshard(config.parallel.reshardAfterForward),
      m_reduceType(gradReduceType(config)),
      m_converts(m_reduceType != gradients.scalar_type()),
      m_units(layout.buckets.size()) {
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        const FlatRange range = layout.buckets[i];
        m_units[i].group = layout.bucketOfExperts[i] ? mesh.edp.get() : &mesh.shardGroup();
        m_units[i].gradientShard = gradients.narrow(0, layout.ownedBegin(i), range.length() / layout.bucketShards[i]);
        m_units[i].gradients = at::empty({range.length()}, gradients.options());
        for (const std::size_t item : layout.bucketItems[i]) {
            Parameter& p = *m_parameters[item];
            p.mainGrad = viewOf(m_units[i].gradients, range, layout.items[item], p.weight);
            p.unit->keeper = this;
            p.unit->index = i;
        }
        dropMemory(m_units[i].gradients);
    }
}

UnitShards::~UnitShards() {
    for (Parameter* p : m_parameters) p->unit->keeper = nullptr;
}

void UnitShards::shardWeights(const at::Tensor& shards) {
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        Unit& unit = m_units[i];
        const FlatRange range = m_layout.buckets[i];
        unit.weightShard = shards.narrow(0, m_layout.ownedBegin(i), range.length() / m_layout.bucketShards[i]);
        unit.weights = at::zeros({range.length()}, shards.options());
        for (const std::size_t item : m_layout.bucketItems[i]) {
            Parameter& p = *m_parameters[item];
            const at::Tensor view = viewOf(unit.weights, range, m_layout.items[item], p.weight);
            view.copy_(p.weight);
            p.weight.set_data(view);
        }
        const std::int64_t length = unit.weightShard.numel();
        unit.weightShard.copy_(unit.weights.narrow(0, unit.group->rank() * length, length));
        dropMemory(unit.weights);
    }
}

void UnitShards::fetch(std::size_t index) {
    Unit& unit = m_units[index];
    if (!unit.weightShard.defined() || unit.isWhole) return;
    unit.isWhole = true;
    if (m_bug == Bug::StaleGatheredWeights && unit.everGathered) return;
    unit.everGathered = true;
    giveMemory(unit.weights);
    unit.gathering = unit.group->allGather(unit.weights, unit.weightShard);
}

void UnitShards::need(std::size_t index) {
    if (++m_needsSinceClose == 2) settle();  // the next micro-batch's second unit: the last reduction had enough time
    fetch(index);
    Unit& unit = m_units[index];
    if (!unit.gathering) return;
    unit.gathering->wait();
    unit.gathering.reset();
}

void UnitShards::release(std::size_t index, bool lastUse) {
    Unit& unit = m_units[index];
    if (!unit.isWhole || !(lastUse || m_reshard)) return;
    unit.isWhole = false;
    if (m_bug != Bug::StaleGatheredWeights) dropMemory(unit.weights);
}

void UnitShards::openGradients(std::size_t index) {
    Unit& unit = m_units[index];
    settle(unit);
    giveMemory(unit.gradients);
    unit.gradients.zero_();
}

void UnitShards::closeGradients(std::size_t index) {
    Unit& unit = m_units[index];
    if (m_bug == Bug::GradHookSkipped) {
        unit.gradientShard.add_(
            unit.gradients.narrow(0, unit.group->rank() * unit.gradientShard.numel(), unit.gradientShard.numel()));
        return dropMemory(unit.gradients);
    }
    m_needsSinceClose = 0;
    settle();  // one reduction under way suffices to hide it, and limits the memory
    at::Tensor whole = unit.gradients;
    if (m_converts) {
        whole = whole.to(m_reduceType);
        unit.converted = whole;
        dropMemory(unit.gradients);
    }
    unit.scattered = at::empty({unit.gradientShard.numel()}, whole.options());
    unit.reducing = unit.group->reduceScatter(unit.scattered, whole);
    if (!m_overlap) settle(unit);
}

void UnitShards::settle(Unit& unit) {
    if (!unit.reducing) return;
    unit.reducing->wait();
    unit.reducing.reset();
    if (m_bug == Bug::ShardGradOverwritten)
        unit.gradientShard.copy_(unit.scattered);
    else
        unit.gradientShard.add_(unit.scattered);
    unit.scattered.reset();
    unit.converted.reset();
    if (!m_converts) dropMemory(unit.gradients);
}

void UnitShards::settle() {
    for (Unit& unit : m_units) settle(unit);
}

}  // namespace slipway::trainer
