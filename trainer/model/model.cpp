#include "trainer/model/model.h"

#include "core/spec/pipeline_schedule.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

namespace slipway::trainer {

at::ScalarType computeType(Precision precision) {
    switch (precision) {
        case Precision::Fp64: return at::kDouble;
        case Precision::Bf16:
        case Precision::Fp8: return at::kBFloat16;
        case Precision::Fp16: return at::kHalf;
        default: return at::kFloat;
    }
}

namespace {

std::unique_ptr<const PlainKernels> plainKernels(const TrainSpec& train) {
    const PlainKernels::Choice choice{train.attentionKernel == AttentionKernel::Products, !train.fusedKernels};
    return choice.attention || choice.rows ? std::make_unique<const PlainKernels>(choice) : nullptr;
}

}  // namespace

Model::Model(const RunConfig& config, const ProcessMesh& mesh, at::Device device, Bug bug)
    : m_plain(plainKernels(config.train)),
      m_dtype(computeType(config.train.precision)),
      m_device(device),
      m_bug(bug),
      m_hasExperts(config.model.moe.has_value()),
      m_cut(config.train.seqLen, *mesh.cp),
      m_documentEnd(config.data.documentEndId) {
    ShardContext context{mesh.tp.get(),
                         config.parallel.sequenceParallel,
                         m_dtype,
                         device,
                         static_cast<std::uint64_t>(config.train.seed),
                         bug,
                         mesh.cp.get(),
                         config.parallel.cpKind,
                         mesh.experts.get(),
                         config.parallel.etp,
                         mesh.etp.get()};
    context.asyncTp = config.parallel.asyncTp;
    if (config.train.precision == Precision::Fp8) {
        context.fp8 = Fp8Products{config.train.fp8Recipe, config.train.fp8Format, multipliesFp8(device)};
        // With ZeRO-3 no rank has complete weights, in any format.
        if (config.parallel.zeroStage < 3 && config.numMicroBatches() > 1)
            context.fp8->step = m_step = std::make_shared<std::uint64_t>(0);
    }
    const ParallelLayout& layout = config.parallel;
    const ScheduleKind kind = layout.pp > 1 ? layout.schedule : ScheduleKind::OneFOneB;
    const std::int64_t virtualStages = layout.pp > 1 ? layout.virtualStages : 1;
    const std::int64_t numStages = layout.pp * virtualStages;
    const bool tied = config.model.tieEmbeddings && numStages > 1;
    const std::vector<std::int64_t> stages = stagesOfRank(kind, layout.pp, virtualStages, mesh.at.pp);
    const auto holds = [&](std::int64_t stage) { return std::count(stages.begin(), stages.end(), stage) > 0; };
    const bool bothEnds = holds(0) && holds(numStages - 1);
    // In model order, not in the chunks' order: both directions of DualPipe then list the weights in the same order.
    std::vector<std::size_t> order(stages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return stages[a] < stages[b]; });
    m_chunks.resize(stages.size());
    for (const std::size_t chunk : order) {
        StagePlace place{stages[chunk], numStages};
        place.tiedAcrossRanks = tied && !bothEnds;
        if (tied && bothEnds && place.stage == numStages - 1) place.sharesTableOf = m_chunks[order.front()].get();
        m_chunks[chunk] = std::make_unique<StageModel>(context, config, place);
        const auto& parameters = m_chunks[chunk]->parameters();
        m_parameters.insert(m_parameters.end(), parameters.begin(), parameters.end());
    }
    if (kind == ScheduleKind::DualPipe)
        for (Parameter* parameter : m_parameters) parameter->tiedAcrossStages = true;
}

void Model::beginStep() {
    if (m_step) *m_step = ++m_numSteps;
}

void Model::endStep() {
    if (m_step) *m_step = 0;
}

void Model::expectSequences(std::int64_t numSequences) {
    for (Parameter* parameter : m_parameters)
        if (parameter->balanceRate > 0) parameter->expectSequences(numSequences);
}

std::vector<MicroBatch> Model::localParts(const std::vector<MicroBatch>& microBatches) const {
    std::vector<MicroBatch> parts;
    for (const MicroBatch& whole : microBatches) {
        parts.push_back({m_cut.part(whole.tokens, 1), m_cut.part(whole.targets, 1)});
        if (!m_documentEnd) continue;
        // A document ends with its separator: the positions after it belong to the next.
        const at::Tensor ends = whole.tokens.eq(*m_documentEnd).to(at::kLong);
        parts.back().documents = documentsOf(ends.cumsum(1) - ends);
    }
    return parts;
}

void allocateMainGrads(const std::vector<Parameter*>& parameters, at::ScalarType type) {
    for (Parameter* parameter : parameters)
        parameter->mainGrad = at::zeros(parameter->weight.sizes(), parameter->weight.options().dtype(type));
}

}  // namespace slipway::trainer
