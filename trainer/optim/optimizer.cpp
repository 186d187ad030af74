#include "trainer/optim/optimizer.h"

#include "trainer/optim/grad_norm.h"
#include "trainer/optim/muon.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
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
    m_offload = offloadsOptimizer(config.parallel.offload);
    const auto stateTensor = [&](std::int64_t length, at::ScalarType format) {
        return m_offload ? lastingHostTensor({length}, format, options.device())
                         : at::empty({length}, options.dtype(format));
    };
    const at::ScalarType momentType = m_spec.momentDtype == MomentDtype::Bf16 ? at::kBFloat16 : stateType;
    m_runs = findRuns();
    m_firstMoment = stateTensor(owned, momentType).zero_();
    if (m_spec.kind != OptimizerKind::Lion) {
        std::int64_t second = 0;
        for (const Run& run : m_runs) second += run.elsewhere ? 0 : run.range.length();
        m_secondMoment = stateTensor(second, momentType).zero_();
    }
    m_rounds = config.train.stochasticRounding && type == at::kBFloat16;
    m_seed = config.train.seed;
    // Weights with stochastic rounding have no master; with offload the host rounds its own copy.
    if (m_offload || (needsMaster(type) && !m_rounds)) {
        m_master = stateTensor(owned, m_rounds ? type : stateType);
        std::int64_t at = 0;
        for (const FlatRange& range : m_gradients.owned()) {
            m_master.narrow(0, at, range.length()).copy_(weightsOf(range));
            at += range.length();
        }
    }
    const bool byKernels = m_spec.kind == OptimizerKind::AdamW && !m_offload && m_spec.adaptiveClip == 0 &&
                           m_bug == Bug::None && DeviceUpdate::serves(m_weights);
    buildGroups(m_runs);
    for (const Parameter* p : parameters) m_balances = m_balances || p->balanceRate > 0;
    if (byKernels) buildDeviceUpdate();
    if (!m_offload) return;
    m_down.emplace(options.device());
    m_up.emplace(options.device());
    std::int64_t longest = 0;
    for (const Piece& piece : piecesOf(m_groups)) longest = std::max(longest, piece.length);
    for (Passage& passage : m_passages) {
        passage.gradients = lastingHostTensor({longest}, stateType, options.device());
        if (m_master.scalar_type() != type) passage.weights = lastingHostTensor({longest}, type, options.device());
    }
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

std::vector<Optimizer::Run> Optimizer::findRuns() const {
    std::vector<Run> runs;
    std::int64_t compact = 0, second = 0;
    for (const FlatRange& range : m_gradients.owned()) {
        bool begins = true;
        for (const FlatSegment& segment : m_gradients.layout().segments(range)) {
            const Parameter& parameter = *m_gradients.parameters()[segment.item];
            const bool elsewhere =
                parameter.balanceRate > 0 || (m_spec.kind == OptimizerKind::Muon && isOrthogonal(parameter));
            if (begins || runs.back().decay != parameter.decay || runs.back().elsewhere != elsewhere) {
                if (!runs.empty() && !runs.back().elsewhere) second += runs.back().range.length();
                runs.push_back({segment.range,
                                compact + segment.range.begin - range.begin,
                                second,
                                {},
                                parameter.decay,
                                elsewhere});
            }
            begins = false;
            runs.back().range.end = segment.range.end;
            runs.back().segments.push_back(segment);
        }
        compact += range.length();
    }
    return runs;
}

void Optimizer::buildGroups(const std::vector<Run>& runs) {
    m_groups.assign(2, {});
    m_groups[0].decay = m_spec.weightDecay;
    const auto weights = [&](std::int64_t place, const FlatRange& range) {
        return m_master.defined() ? m_master.narrow(0, place, range.length()) : weightsOf(range);
    };
    for (const Run& run : runs) {
        if (m_spec.adaptiveClip > 0)
            for (const FlatSegment& segment : run.segments)
                if (m_gradients.parameters()[segment.item]->balanceRate == 0)
                    m_segments.push_back({segment.item, segment.offset, weights(run.placeOf(segment), segment.range),
                                          m_gradients.part(segment.range)});
        if (run.elsewhere) continue;
        const std::int64_t length = run.range.length();
        Group& group = m_groups[run.decay ? 0 : 1];
        group.runs.push_back(&run);
        group.weights.push_back(weights(run.place, run.range));
        group.gradients.push_back(m_gradients.part(run.range));
        group.firstMoments.push_back(m_firstMoment.narrow(0, run.place, length));
        if (m_secondMoment.defined()) group.secondMoments.push_back(m_secondMoment.narrow(0, run.second, length));
        if (m_offload) group.published.push_back(weightsOf(run.range));
    }
}

void Optimizer::buildDeviceUpdate() {
    std::vector<UpdatedPart> parts;
    for (const Run& run : m_runs) {
        if (run.elsewhere) continue;
        for (const FlatSegment& segment : run.segments) {
            const std::int64_t place = run.placeOf(segment), length = segment.range.length();
            UpdatedPart part;
            part.weights = weightsOf(segment.range);
            if (m_master.defined()) part.master = m_master.narrow(0, place, length);
            part.gradient = m_gradients.part(segment.range);
            part.first = m_firstMoment.narrow(0, place, length);
            part.second = m_secondMoment.narrow(0, run.second + place - run.place, length);
            part.decay = run.decay ? m_spec.weightDecay : 0;
            part.shard = m_gradients.parameters()[segment.item]->shard;
            part.offset = segment.offset;
            parts.push_back(std::move(part));
        }
    }
    m_device = std::make_unique<DeviceUpdate>(parts, countedGradients(m_gradients, m_mesh), m_weights.device());
}

std::vector<Optimizer::Piece> Optimizer::piecesOf(const std::vector<Group>& groups) {
    std::vector<Piece> pieces;
    for (const Group& group : groups)
        for (std::size_t run = 0; run < group.weights.size(); ++run)
            for (std::int64_t begin = 0; begin < group.weights[run].numel(); begin += kPieceElements)
                pieces.push_back({&group, run, begin, std::min(kPieceElements, group.weights[run].numel() - begin)});
    return pieces;
}

void Optimizer::updateBalance() {
    for (const Run& run : m_runs)
        for (const FlatSegment& segment : run.segments) {
            const Parameter& p = *m_gradients.parameters()[segment.item];
            if (p.balanceRate == 0) continue;
            at::Tensor weights = m_master.defined() ? m_master.narrow(0, run.placeOf(segment), segment.range.length())
                                                    : weightsOf(segment.range);
            const at::Tensor wide = m_rounds ? weights.to(at::kFloat) : weights;
            wide.add_((p.balanceTarget - m_gradients.part(segment.range)).sign_().to(wide.device()), p.balanceRate);
            if (m_rounds) rounding()->round(weights, wide, p.shard, segment.offset);
        }
}

at::ScalarType Optimizer::updateType() const {
    return m_rounds ? at::kFloat : m_master.defined() ? m_master.scalar_type() : m_weights.scalar_type();
}

std::optional<RoundingKey> Optimizer::rounding() const {
    if (!m_rounds) return std::nullopt;
    return RoundingKey(m_seed, m_numUpdates, m_bug);
}

void Optimizer::roundBack(const Run& run, std::int64_t at, const at::Tensor& wide, const at::Tensor& weights) const {
    const RoundingKey key = *rounding();
    for (const FlatSegment& segment : run.segments) {
        const std::int64_t place = segment.range.begin - run.range.begin;
        const std::int64_t begin = std::max(place, at);
        const std::int64_t length = std::min(place + segment.range.length(), at + wide.numel()) - begin;
        if (length <= 0) continue;
        key.round(weights.narrow(0, begin - at, length), wide.narrow(0, begin - at, length),
                  m_gradients.parameters()[segment.item]->shard, segment.offset + begin - place);
    }
}

void Optimizer::unscale(double lossScale) {
    if (lossScale == 1) return;
    for (const FlatRange& range : m_gradients.owned()) m_gradients.part(range).mul_(1 / lossScale);
}

void Optimizer::clip(UpdateReport& report) {
    double norm = report.gradNorm;
    if (m_spec.adaptiveClip > 0) {
        report.clippedUnits = clipAdaptively(m_gradients.parameters(), m_segments, m_mesh, m_gradients.sharded(),
                                             m_spec.adaptiveClip, m_bug);
        if (m_spec.clipNorm > 0) norm = globalGradNorm(m_gradients, m_mesh, m_bug);
    }
    report.clipCoefficient = clipCoefficient(norm, m_spec.clipNorm);
    const bool narrow = m_gradients.flat().scalar_type() != updateType();
    m_gradientFactor = narrow ? report.clipCoefficient : 1;
    if (narrow || report.clipCoefficient == 1) return;
    // Not with the kernel's grad_scale: that is a float, too coarse for fp64 runs.
    for (const FlatRange& range : m_gradients.owned()) m_gradients.part(range).mul_(report.clipCoefficient);
}

at::Tensor Optimizer::stepCount(at::Device device) const {
    return at::full({}, static_cast<double>(m_numUpdates), at::TensorOptions().dtype(at::kFloat).device(device));
}

void Optimizer::updateAdamW(double lr) {
    const at::Tensor step = stepCount(m_weights.device());
    const at::ScalarType stored = m_master.defined() ? m_master.scalar_type() : m_weights.scalar_type();
    const bool pieces =
        m_rounds || m_firstMoment.scalar_type() != stored || m_gradients.flat().scalar_type() != updateType();
    for (Group& group : m_groups) {
        if (group.weights.empty() || pieces) continue;
        const std::vector<at::Tensor> steps(group.weights.size(), step);
        at::_fused_adamw_(group.weights, group.gradients, group.firstMoments, group.secondMoments, {}, steps, lr,
                          m_spec.beta1, m_spec.beta2, group.decay, m_spec.eps, false, false);
    }
    if (!pieces) return;
    for (const Piece& piece : piecesOf(m_groups)) adamPiece(piece, gradientsOf(piece), lr, step);
}

at::Tensor Optimizer::gradientsOf(const Piece& piece) const {
    const at::Tensor part = piece.group->gradients[piece.run].narrow(0, piece.begin, piece.length);
    return part.scalar_type() == updateType() ? part : part.to(updateType()).mul_(m_gradientFactor);
}

void Optimizer::adamPiece(const Piece& piece, const at::Tensor& gradients, double lr, const at::Tensor& step) const {
    const Group& group = *piece.group;
    const auto part = [&](const at::Tensor& run) { return run.narrow(0, piece.begin, piece.length); };
    const at::Tensor weights = part(group.weights[piece.run]);
    at::Tensor first = part(group.firstMoments[piece.run]), second = part(group.secondMoments[piece.run]);
    // Narrow moments are widened piece by piece, so that the saved memory is not used up again.
    const at::Tensor wide = m_rounds ? weights.to(at::kFloat) : weights;
    const at::Tensor wideFirst = first.to(wide.scalar_type()), wideSecond = second.to(wide.scalar_type());
    at::_fused_adamw_({wide}, {gradients}, {wideFirst}, {wideSecond}, {}, {step}, lr, m_spec.beta1, m_spec.beta2,
                      group.decay, m_spec.eps, false, false);
    if (m_rounds) roundBack(*group.runs[piece.run], piece.begin, wide, weights);
    if (wideFirst.is_same(first)) return;
    first.copy_(wideFirst);
    second.copy_(wideSecond);
}

void Optimizer::updateLion(double lr) {
    for (const Piece& piece : piecesOf(m_groups)) lionPiece(piece, gradientsOf(piece), lr);
}

// u = sign(beta1 m + (1 - beta1) g);  w -= lr (u + decay w);  m = beta2 m + (1 - beta2) g
void Optimizer::lionPiece(const Piece& piece, const at::Tensor& gradients, double lr) const {
    const Group& group = *piece.group;
    const at::Tensor weight = group.weights[piece.run].narrow(0, piece.begin, piece.length);
    const at::Tensor wideWeight = m_rounds ? weight.to(at::kFloat) : weight;
    at::Tensor moment = group.firstMoments[piece.run].narrow(0, piece.begin, piece.length);
    at::Tensor wide = moment.to(wideWeight.scalar_type());
    const at::Tensor direction = (wide * m_spec.beta1).add_(gradients, 1 - m_spec.beta1).sign_();
    wideWeight.mul_(1 - lr * group.decay).sub_(direction, lr);
    if (m_rounds) roundBack(*group.runs[piece.run], piece.begin, wideWeight, weight);
    moment.copy_(wide.mul_(m_spec.beta2).add_(gradients, 1 - m_spec.beta2));
}

void Optimizer::updateOrthogonal(double lr) {
    std::vector<MuonRange> owned;
    std::int64_t compact = 0;
    for (const FlatRange& range : m_gradients.owned()) {
        const std::int64_t length = range.length();
        owned.push_back({range, m_master.defined() ? m_master.narrow(0, compact, length) : weightsOf(range),
                         m_gradients.part(range), m_firstMoment.narrow(0, compact, length)});
        compact += length;
    }
    const std::optional<RoundingKey> key = rounding();
    updateMuon(m_gradients, m_mesh, owned,
               {lr, m_spec.muonMomentum, m_spec.weightDecay, m_gradientFactor, updateType()}, key ? &*key : nullptr,
               m_bug);
}

void Optimizer::measureOnDevice(double lossScale, double clipNorm, const at::Tensor& loss) {
    at::Tensor squares = m_device->squares();
    if (m_mesh.world->size() > 1) {
        const at::Tensor mine = squares;
        squares = at::empty({m_mesh.world->size()}, mine.options());
        m_mesh.world->allGather(squares, mine)->wait();
    }
    m_device->decide(squares, lossScale, clipNorm, loss);
}

UpdateReport Optimizer::updateOnDevice(double lr, const std::function<bool(double)>& allow, double lossScale,
                                       const at::Tensor& loss) {
    m_gradients.finish();
    measureOnDevice(lossScale, m_spec.clipNorm, loss);
    UpdateReport report;
    const auto read = [&] {
        const std::vector<double> factors = m_device->readFactors();
        report.gradNorm = factors[0];
        report.skipped = factors[2] == 0;
        if (!report.skipped) report.clipCoefficient = factors[1] * lossScale;
    };
    const bool first = allow || !decidesOnDevice();
    if (first) {
        read();
        const bool allowed = !allow || allow(report.gradNorm);
        report.skipped = report.skipped || !allowed;
        if (report.skipped) return report;
    }
    ++m_numUpdates;
    updateBalance();
    const auto n = static_cast<double>(m_numUpdates);
    const AdamScalars scalars{.lr = lr,
                              .beta1 = m_spec.beta1,
                              .beta2 = m_spec.beta2,
                              .eps = m_spec.eps,
                              .stepSize = lr / (1 - std::pow(m_spec.beta1, n)),
                              .rootCorrection = std::sqrt(1 - std::pow(m_spec.beta2, n)),
                              .rounds = m_rounds,
                              .key = RoundingKey(m_seed, m_numUpdates).value()};
    m_device->adamW(scalars);
    if (m_master.defined())
        for (const Run& run : m_runs)
            if (run.elsewhere) weightsOf(run.range).copy_(m_master.narrow(0, run.place, run.range.length()));
    gatherWeights();
    if (first) return report;
    read();
    if (report.skipped) --m_numUpdates;
    return report;
}

double Optimizer::gradNorm() {
    m_gradients.finish();
    if (m_device) {
        measureOnDevice(1, 0, {});
        return m_device->readFactors()[0];
    }
    return globalGradNorm(m_gradients, m_mesh, m_bug);
}

UpdateReport Optimizer::update(double lr, const std::function<bool(double)>& allow, double lossScale,
                               const at::Tensor& loss) {
    if (m_device) return updateOnDevice(lr, allow, lossScale, loss);
    UpdateReport report;
    report.gradNorm = gradNorm() / lossScale;
    const bool allowed = !allow || allow(report.gradNorm);
    if (!allowed || !std::isfinite(report.gradNorm)) {
        report.skipped = true;
        return report;
    }
    ++m_numUpdates;
    updateBalance();  // before clipping: these are counts
    unscale(lossScale);
    clip(report);
    if (m_offload)
        updateOnHost(lr);
    else if (m_spec.kind == OptimizerKind::Lion)
        updateLion(lr);
    else
        updateAdamW(lr);
    if (m_spec.kind == OptimizerKind::Muon) updateOrthogonal(lr);
    publishWeights(/*all=*/false);
    return report;
}

void Optimizer::publishWeights(bool all) {
    if (m_offload) {
        publishHostWeights(all);
    } else if (m_master.defined()) {
        std::int64_t compact = 0;
        for (const FlatRange& range : m_gradients.owned()) {
            weightsOf(range).copy_(m_master.narrow(0, compact, range.length()));
            compact += range.length();
        }
    }
    gatherWeights();
}

void Optimizer::gatherWeights() {
    if (!m_gradients.sharded() || m_weightsSharded) return;
    const BucketLayout& layout = m_gradients.layout();
    std::vector<CommWork> work;
    std::vector<at::Tensor> buckets;
    for (std::size_t bucket = 0; bucket < layout.buckets.size(); ++bucket) {
        if (!layout.isCut(bucket)) continue;
        const FlatRange range = layout.buckets[bucket];
        const FlatRange mine = m_gradients.owned(bucket);
        buckets.push_back(m_weights.narrow(0, range.begin, range.length()));
        // A copy of the own block: not every backend allows the input to be inside the output.
        work.push_back(m_gradients.shardGroup(bucket).allGather(
            buckets.back(), m_weights.narrow(0, mine.begin, mine.length()).clone()));
    }
    for (const CommWork& handle : work) handle->wait();
}

std::vector<StateTensor> Optimizer::state() const {
    std::vector<StateTensor> tensors;
    const BucketLayout& layout = m_gradients.layout();
    const auto add = [&](const FlatSegment& segment, const char* suffix, const at::Tensor& part) {
        StateTensor entry;
        entry.shard = m_gradients.parameters()[segment.item]->shard;
        entry.name = entry.shard.name + suffix;
        entry.shard.dtype = part.scalar_type() == at::kDouble     ? "F64"
                            : part.scalar_type() == at::kBFloat16 ? "BF16"
                                                                  : "F32";
        entry.tensor = part;
        if (layout.isCut(layout.bucketOf[segment.item])) {
            entry.shard.flatOffset = segment.offset;
            entry.shard.flatLength = segment.range.length();
        } else {
            entry.tensor = part.view(entry.shard.localShape());
        }
        tensors.push_back(std::move(entry));
    };
    for (const Run& run : m_runs) {
        for (const FlatSegment& segment : run.segments) {
            const std::int64_t place = run.placeOf(segment), length = segment.range.length();
            add(segment, "", m_master.defined() ? m_master.narrow(0, place, length) : weightsOf(segment.range));
            add(segment, ".exp_avg", m_firstMoment.narrow(0, place, length));
            if (m_secondMoment.defined() && !run.elsewhere)
                add(segment, ".exp_avg_sq", m_secondMoment.narrow(0, run.second + place - run.place, length));
        }
    }
    return tensors;
}

void Optimizer::stateRestored(std::int64_t numUpdates) {
    m_numUpdates = numUpdates;
    publishWeights(/*all=*/true);
}

}  // namespace slipway::trainer
