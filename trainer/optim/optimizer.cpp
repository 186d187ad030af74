#include "trainer/optim/optimizer.h"

#include "trainer/optim/grad_norm.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace slipway::trainer {
namespace {

bool needsMaster(at::ScalarType type) {
    return type == at::kBFloat16 || type == at::kHalf;
}

}  // namespace

Optimizer::Optimizer(const RunConfig& config, const ProcessMesh& mesh, const std::vector<Parameter*>& parameters,
                     Bug bug)
    : m_spec(config.optimizer), m_mesh(mesh), m_bug(bug), m_gradients(config, mesh, parameters, bug) {
    const BucketLayout& layout = m_gradients.layout();
    const at::TensorOptions options = at::TensorOptions().device(m_gradients.flat().device());
    const at::ScalarType type = parameters.empty() ? weightType(config) : parameters.front()->weight.scalar_type();
    std::int64_t owned = 0;
    for (const FlatRange& range : m_gradients.owned()) owned += range.length();
    m_weightsSharded = m_gradients.units() != nullptr && config.parallel.zeroStage == 3;
    m_weights = at::zeros({m_weightsSharded ? owned : layout.elements}, options.dtype(type));
    if (m_weightsSharded) m_gradients.units()->shardWeights(m_weights);
    for (std::size_t i = 0; i < parameters.size() && !m_weightsSharded; ++i) {
        at::Tensor view =
            m_weights.narrow(0, layout.items[i].begin, layout.items[i].length()).view(parameters[i]->weight.sizes());
        view.copy_(parameters[i]->weight);
        parameters[i]->weight.set_data(view);
    }
    const at::ScalarType stateType = needsMaster(type) ? at::kFloat : type;
    m_firstMoment = at::zeros({owned}, options.dtype(stateType));
    m_secondMoment = at::zeros({owned}, options.dtype(stateType));
    if (needsMaster(type)) {
        m_master = at::empty({owned}, options.dtype(at::kFloat));
        std::int64_t at = 0;
        for (const FlatRange& range : m_gradients.owned()) {
            m_master.narrow(0, at, range.length()).copy_(weightsOf(range));
            at += range.length();
        }
    }
    if (m_gradients.flat().scalar_type() != stateType) m_widened = at::empty({owned}, options.dtype(stateType));
    buildGroups();
}

at::Tensor Optimizer::weightsOf(const FlatRange& range) const {
    if (!m_weightsSharded) return m_weights.narrow(0, range.begin, range.length());
    std::int64_t compact = 0;
    for (const FlatRange& whole : m_gradients.owned()) {
        if (range.begin < whole.end) return m_weights.narrow(0, compact + range.begin - whole.begin, range.length());
        compact += whole.length();
    }
    return {};
}

void Optimizer::buildGroups() {
    m_groups.assign(2, {});
    m_groups[0].decay = m_spec.weightDecay;
    std::int64_t compact = 0;  // position of the range in the owned buffers
    for (const FlatRange& range : m_gradients.owned()) {
        const std::vector<FlatSegment> segments = m_gradients.layout().segments(range);
        for (std::size_t i = 0; i < segments.size();) {
            const bool decay = m_gradients.parameters()[segments[i].item]->decay;
            FlatRange run = segments[i].range;
            for (++i; i < segments.size() && m_gradients.parameters()[segments[i].item]->decay == decay; ++i)
                run.end = segments[i].range.end;
            const std::int64_t place = compact + run.begin - range.begin;
            Group& group = m_groups[decay ? 0 : 1];
            group.weights.push_back(m_master.defined() ? m_master.narrow(0, place, run.length()) : weightsOf(run));
            group.gradients.push_back(m_widened.defined() ? m_widened.narrow(0, place, run.length())
                                                          : m_gradients.part(run));
            group.firstMoments.push_back(m_firstMoment.narrow(0, place, run.length()));
            group.secondMoments.push_back(m_secondMoment.narrow(0, place, run.length()));
        }
        compact += range.length();
    }
}

UpdateReport Optimizer::update(double lr) {
    m_gradients.finish();
    UpdateReport report;
    report.gradNorm = globalGradNorm(m_gradients, m_mesh, m_bug);
    if (!std::isfinite(report.gradNorm)) {
        report.skipped = true;
        return report;
    }
    report.clipCoefficient = clipCoefficient(report.gradNorm, m_spec.clipNorm);
    std::int64_t compact = 0;
    for (const FlatRange& range : m_gradients.owned()) {
        at::Tensor part = m_gradients.part(range);
        if (m_widened.defined()) {
            at::Tensor wide = m_widened.narrow(0, compact, range.length());
            wide.copy_(part);
            part = wide;
        }
        // Not by the kernel's grad_scale: that is a float, too coarse for fp64 runs.
        if (report.clipCoefficient != 1.0) part.mul_(report.clipCoefficient);
        compact += range.length();
    }
    ++m_numUpdates;
    const at::Tensor step = at::full({}, static_cast<double>(m_numUpdates),
                                     at::TensorOptions().dtype(at::kFloat).device(m_weights.device()));
    for (Group& group : m_groups) {
        if (group.weights.empty()) continue;
        const std::vector<at::Tensor> steps(group.weights.size(), step);
        at::_fused_adamw_(group.weights, group.gradients, group.firstMoments, group.secondMoments, {}, steps, lr,
                          m_spec.beta1, m_spec.beta2, group.decay, m_spec.eps, false, false);
    }
    publishWeights();
    return report;
}

void Optimizer::publishWeights() {
    if (m_master.defined()) {
        std::int64_t compact = 0;
        for (const FlatRange& range : m_gradients.owned()) {
            weightsOf(range).copy_(m_master.narrow(0, compact, range.length()));
            compact += range.length();
        }
    }
    if (!m_gradients.sharded() || m_weightsSharded) return;
    const BucketLayout& layout = m_gradients.layout();
    std::vector<CommWork> work;
    std::vector<at::Tensor> buckets;
    for (std::size_t bucket = 0; bucket < layout.buckets.size(); ++bucket) {
        const FlatRange range = layout.buckets[bucket];
        const FlatRange mine = layout.shardOf(bucket, m_mesh.shardGroup().rank());
        buckets.push_back(m_weights.narrow(0, range.begin, range.length()));
        // A copy of the own block: not every backend allows the input to lie inside the output.
        work.push_back(
            m_mesh.shardGroup().allGather(buckets.back(), m_weights.narrow(0, mine.begin, mine.length()).clone()));
    }
    for (const CommWork& handle : work) handle->wait();
}

std::vector<StateTensor> Optimizer::state() const {
    std::vector<StateTensor> tensors;
    const auto add = [&](const FlatSegment& segment, const char* suffix, const at::Tensor& part) {
        StateTensor entry;
        entry.shard = m_gradients.parameters()[segment.item]->shard;
        entry.name = entry.shard.name + suffix;
        entry.shard.dtype = part.scalar_type() == at::kDouble ? "F64" : "F32";
        entry.tensor = part;
        if (m_gradients.sharded()) {
            entry.shard.flatOffset = segment.offset;
            entry.shard.flatLength = segment.range.length();
        } else {
            entry.tensor = part.view(entry.shard.localShape());
        }
        tensors.push_back(std::move(entry));
    };
    std::int64_t compact = 0;
    for (const FlatRange& range : m_gradients.owned()) {
        for (const FlatSegment& segment : m_gradients.layout().segments(range)) {
            const std::int64_t place = compact + segment.range.begin - range.begin;
            const std::int64_t length = segment.range.length();
            add(segment, "", m_master.defined() ? m_master.narrow(0, place, length) : weightsOf(segment.range));
            add(segment, ".exp_avg", m_firstMoment.narrow(0, place, length));
            add(segment, ".exp_avg_sq", m_secondMoment.narrow(0, place, length));
        }
        compact += range.length();
    }
    return tensors;
}

void Optimizer::stateRestored(std::int64_t numUpdates) {
    m_numUpdates = numUpdates;
    publishWeights();
}

}  // namespace slipway::trainer
