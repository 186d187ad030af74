// Errors in a config for any trainer, and settings that the bundled trainer cannot execute.
#include "core/base/untrusted_text.h"
#include "core/spec/batch_sizes.h"
#include "core/spec/idle_options.h"
#include "core/spec/pipeline_schedule.h"
#include "core/spec/run_config.h"

#include <algorithm>
#include <numeric>

namespace slipway {
namespace {

class Checker {
public:
    explicit Checker(const RunConfig& config) : m_config(config) {}

    Issues run() {
        if (const auto named = checkName(m_config.name, "name"); !named)
            add("bad_name", "name", named.error().sentence());
        model();
        batch();
        layout();
        pipeline();
        experts();
        optimizer();
        checkpoint();
        for (Issue& issue : idleOptions(m_config)) m_issues.push_back(std::move(issue));
        return std::move(m_issues);
    }

private:
    void add(const char* code, const std::string& field, const Message& message) {
        m_issues.push_back(issueOf(Severity::Error, code, field, message));
    }

    // value must be a multiple of divisor
    void divides(std::int64_t divisor, const std::string& divisorName, std::int64_t value, const std::string& field) {
        if (divisor > 0 && value % divisor == 0) return;
        add("not_divisible", field,
            "%1 is %2, not a multiple of %3 = %4; change one of them."_text(field, value, divisorName, divisor));
    }

    void model() {
        const ModelSpec& m = m_config.model;
        if (!m.headDim) divides(m.numHeads, "model.num_heads", m.hiddenSize, "model.hidden_size");
        divides(m.kvHeads(), "model.num_kv_heads", m.numHeads, "model.num_heads");
        if (m.positionKind() == PositionKind::Rope && m.headSize() % 2 != 0)
            add("odd_head_dim", "model.head_dim",
                "Rotary positions rotate pairs of values, so the head width must be even; it is %1."_text(
                    m.headSize()));
        if (m.rotaryDim && (*m.rotaryDim > m.headSize() || *m.rotaryDim % 2 != 0))
            add("out_of_range", "model.rotary_dim",
                "model.rotary_dim is %1; it must be even and at most the head width, %2."_text(*m.rotaryDim,
                                                                                               m.headSize()));
        if (m.ropeScaling && m.ropeScaling->kind == RopeScalingKind::Llama3 &&
            m.ropeScaling->highFreqFactor <= m.ropeScaling->lowFreqFactor)
            add("out_of_range", "model.rope_scaling.high_freq_factor",
                "model.rope_scaling.high_freq_factor must be above low_freq_factor."_text);
        if (m.ropeScaling && m.ropeScaling->kind == RopeScalingKind::Yarn &&
            m.ropeScaling->betaFast < m.ropeScaling->betaSlow)
            add("out_of_range", "model.rope_scaling.beta_fast",
                "model.rope_scaling.beta_fast must not be below beta_slow."_text);
        if (m_config.train.seqLen > m.maxSeqLen)
            add("sequence_too_long", "train.seq_len",
                "train.seq_len is %1, longer than model.max_seq_len = %2; raise max_seq_len or shorten the sequence."_text(
                    m_config.train.seqLen, m.maxSeqLen));
        if (const auto& layers = m_config.train.recompute.layers; layers && *layers > m.numLayers)
            add("out_of_range", "train.recompute.layers",
                "train.recompute.layers is %1, more than model.num_layers = %2; lower or remove it."_text(*layers,
                                                                                                          m.numLayers));
        if (m_config.data.ignoreTokenId && *m_config.data.ignoreTokenId >= m.vocabSize)
            add("token_out_of_range", "data.ignore_token_id",
                "data.ignore_token_id must be below model.vocab_size = %1."_text(m.vocabSize));
        if (m_config.data.documentEndId && *m_config.data.documentEndId >= m.vocabSize)
            add("token_out_of_range", "data.document_end_id",
                "data.document_end_id must be below model.vocab_size = %1."_text(m.vocabSize));
    }

    void batch() {
        const auto& t = m_config.train;
        const std::int64_t chunk = t.microBatchSize * m_config.parallel.dp;
        if (t.globalBatchSize % chunk != 0)
            add("not_divisible", "train.global_batch_size",
                "train.global_batch_size is %1, not a multiple of micro_batch_size x dp = %2 x %3; change one of them."_text(
                    t.globalBatchSize, t.microBatchSize, m_config.parallel.dp));
        if (m_config.telemetry.noiseEverySteps > 0 && (t.globalBatchSize < 2 || t.batchRamp.initial == 1))
            add("out_of_range", "telemetry.noise_every_steps",
                "The gradient noise scale compares two batch sizes, so the batch must have at least two sequences."_text);
        ramp();
    }

    // Each size of a ramp must meet the conditions of the whole batch.
    void ramp() {
        const auto& t = m_config.train;
        const BatchRampSpec& r = t.batchRamp;
        if (r.initial == 0) return;
        const std::string chunkName = "micro_batch_size x dp";
        const std::int64_t chunk = t.microBatchSize * m_config.parallel.dp;
        divides(chunk, chunkName, r.initial, "train.batch_ramp.initial");
        if (r.increment) divides(chunk, chunkName, *r.increment, "train.batch_ramp.increment");
        if (r.tokens == 0)
            add("out_of_range", "train.batch_ramp.tokens",
                "train.batch_ramp.tokens must be above 0: the tokens over which the batch grows."_text);
        if (r.initial >= t.globalBatchSize)
            add("out_of_range", "train.batch_ramp.initial",
                "train.batch_ramp.initial must be below train.global_batch_size = %1."_text(t.globalBatchSize));
        else if ((t.globalBatchSize - r.initial) % r.incrementSize() != 0)
            add("not_divisible", "train.batch_ramp.increment",
                "The batch grows by %1 sequences, not a multiple of the increment %2."_text(
                    t.globalBatchSize - r.initial, r.incrementSize()));
    }

    void layout() {
        const ParallelLayout& p = m_config.parallel;
        const ModelSpec& m = m_config.model;
        std::vector<std::string> order = p.rankOrder;
        std::sort(order.begin(), order.end());
        if (order != std::vector<std::string>{"cp", "dp", "pp", "tp"})
            add("bad_rank_order", "parallel.rank_order",
                "parallel.rank_order must name each of tp, cp, dp, pp once."_text);
        if (p.tp > 1) {
            divides(p.tp, "parallel.tp", m.numHeads, "model.num_heads");
            // Fewer key-value heads than ranks are replicated, as in Megatron-LM.
            if (m.kvHeads() >= p.tp || p.tp % m.kvHeads() != 0)
                divides(p.tp, "parallel.tp", m.kvHeads(), "model.num_kv_heads");
            divides(p.tp, "parallel.tp", m.ffnHiddenSize, "model.ffn_hidden_size");
            if (p.sequenceParallel)
                divides(p.tp, "parallel.tp", m_config.train.seqLen / std::max<std::int64_t>(1, p.cp), "train.seq_len");
        }
        if (p.cp > 1) divides(2 * p.cp, "2 x parallel.cp", m_config.train.seqLen, "train.seq_len");
        if (p.cp > 1 && p.cpKind == CpKind::Ulysses) {
            // Its all-to-all gives each rank some heads of whole sequences.
            divides(p.tp * p.cp, "parallel.tp x parallel.cp (cp_kind ulysses)", m.numHeads, "model.num_heads");
            divides(p.tp * p.cp, "parallel.tp x parallel.cp (cp_kind ulysses)", m.kvHeads(), "model.num_kv_heads");
        }
        if (p.dpShard) divides(*p.dpShard, "parallel.dp_shard", p.dp, "parallel.dp");
    }

    void pipeline() {
        const ParallelLayout& p = m_config.parallel;
        if (p.pp == 1) return;
        const std::int64_t stages = p.pp * p.virtualStages;
        if (p.layersPerStage.empty()) {
            if (stages > m_config.model.numLayers)
                add("too_many_stages", "parallel.pp",
                    "%1 pipeline stages exceed %2 layers; lower parallel.pp or parallel.virtual_stages, or give parallel.layers_per_stage with 0 for stages that hold only the embedding or the head."_text(
                        stages, m_config.model.numLayers));
        } else {
            if (static_cast<std::int64_t>(p.layersPerStage.size()) != stages)
                add("bad_layers_per_stage", "parallel.layers_per_stage",
                    "parallel.layers_per_stage has %1 entries; pp x virtual_stages = %2 are needed."_text(
                        p.layersPerStage.size(), stages));
            const std::int64_t sum = std::accumulate(p.layersPerStage.begin(), p.layersPerStage.end(), std::int64_t{0});
            if (sum != m_config.model.numLayers)
                add("bad_layers_per_stage", "parallel.layers_per_stage",
                    "parallel.layers_per_stage sums to %1; the model has %2 layers."_text(sum,
                                                                                          m_config.model.numLayers));
            if (std::any_of(p.layersPerStage.begin(), p.layersPerStage.end(), [](std::int64_t n) { return n < 0; }))
                add("bad_layers_per_stage", "parallel.layers_per_stage",
                    "parallel.layers_per_stage must not contain a negative number."_text);
        }
        const std::int64_t chunk = m_config.train.microBatchSize * p.dp;
        if (chunk <= 0) return;
        for (const std::int64_t size : BatchSizes(m_config.train).sizes()) {
            if (size % chunk != 0) return;
            Issues issues = scheduleIssues(p.schedule, p.pp, size / chunk, p.virtualStages);
            for (Issue& issue : issues) m_issues.push_back(std::move(issue));
            if (!issues.empty()) return;
        }
    }

    void experts() {
        const ParallelLayout& p = m_config.parallel;
        if (!m_config.model.moe) {
            if (p.ep > 1 || p.etp > 1)
                add("no_effect", "parallel.ep",
                    "parallel.ep and parallel.etp need a model with experts (model.moe)."_text);
            return;
        }
        const MoeSpec& moe = *m_config.model.moe;
        if (moe.topK > moe.numExperts)
            add("out_of_range", "model.moe.top_k", "model.moe.top_k is above model.moe.num_experts."_text);
        divides(moe.numExpertGroups, "model.moe.num_expert_groups", moe.numExperts, "model.moe.num_experts");
        if (moe.topKGroups > moe.numExpertGroups)
            add("out_of_range", "model.moe.top_k_groups",
                "model.moe.top_k_groups is above model.moe.num_expert_groups."_text);
        else if (moe.topK > moe.topKGroups * (moe.numExperts / moe.numExpertGroups))
            add("out_of_range", "model.moe.top_k_groups",
                "model.moe.top_k_groups hold %1 experts; model.moe.top_k needs %2."_text(
                    moe.topKGroups * (moe.numExperts / moe.numExpertGroups), moe.topK));
        else if (moe.numExpertGroups > 1 && moe.topKGroups == moe.numExpertGroups)
            add("no_effect", "model.moe.num_expert_groups",
                "model.moe.num_expert_groups has no effect when model.moe.top_k_groups takes all of them; set both to 1."_text);
        if (moe.routerScore == RouterScore::Sigmoid && moe.zLossCoefficient > 0)
            add("no_effect", "model.moe.z_loss_coefficient",
                "model.moe.z_loss_coefficient has no effect with model.moe.router_score = sigmoid, whose scores have no common sum; set it to 0."_text);
        if (moe.numDenseLayers > m_config.model.numLayers)
            add("out_of_range", "model.moe.num_dense_layers",
                "model.moe.num_dense_layers is above model.num_layers."_text);
        divides(p.ep, "parallel.ep", moe.numExperts, "model.moe.num_experts");
        divides(p.etp, "parallel.etp", moe.expertFfnHiddenSize, "model.moe.expert_ffn_hidden_size");
        // Each tensor-parallel rank sends its own part of the tokens to the experts.
        divides(p.tp, "parallel.tp (with model.moe)", m_config.train.seqLen / std::max<std::int64_t>(1, p.cp),
                "train.seq_len");
        divides(p.tp, "parallel.tp", moe.numSharedExperts * moe.expertFfnHiddenSize,
                "model.moe.expert_ffn_hidden_size");
        if ((p.tp * p.cp * p.dp) % (p.etp * p.ep) != 0)
            add("not_divisible", "parallel.ep",
                "The expert grid does not fit: etp x ep = %1 must divide tp x cp x dp = %2, because world = tp x cp x pp x dp = etp x ep x pp x edp."_text(
                    p.etp * p.ep, p.tp * p.cp * p.dp));
    }

    void optimizer() {
        const LrSchedule& s = m_config.optimizer.schedule;
        if (s.kind == LrScheduleKind::Wsd && s.warmupSteps + s.decaySteps > m_config.train.numSteps)
            add("schedule_too_long", "optimizer.schedule.decay_steps",
                "Warm-up and decay take %1 steps; train.num_steps is %2."_text(s.warmupSteps + s.decaySteps,
                                                                               m_config.train.numSteps));
        else if (s.warmupSteps > m_config.train.numSteps)
            add("schedule_too_long", "optimizer.schedule.warmup_steps", "Warm-up is longer than train.num_steps."_text);
        // bf16 has 8 bits: a second moment that changes by less than 1/256 of its value would never change.
        if (m_config.optimizer.momentDtype == MomentDtype::Bf16 && m_config.optimizer.beta2 > 0.99)
            add("out_of_range", "optimizer.beta2",
                "optimizer.beta2 must be at most 0.99 with optimizer.moment_dtype bf16: smaller changes of a moment are rounded away."_text);
        if (m_config.train.precision == Precision::Fp64 && m_config.optimizer.momentDtype == MomentDtype::Bf16)
            add("bad_grad_dtype", "optimizer.moment_dtype",
                "optimizer.moment_dtype must be fp32 when train.precision is fp64."_text);
        if (m_config.train.precision == Precision::Bf16 || m_config.train.precision == Precision::Fp16 ||
            m_config.train.precision == Precision::Fp8)
            return;
        if (m_config.train.precision != Precision::Fp64 && m_config.train.gradDtype != Precision::Fp32)
            add("bad_grad_dtype", "train.grad_dtype",
                "train.grad_dtype must be fp32 when train.precision is fp32 or tf32."_text);
    }

    void checkpoint() {
        const std::string& from = m_config.checkpoint.startFrom;
        if (!from.empty() && from.front() != '/')
            add("relative_path", "checkpoint.start_from",
                "checkpoint.start_from is \"%1\"; it must be an absolute path, because ranks may run in other folders."_text(
                    from));
    }

    const RunConfig& m_config;
    Issues m_issues;
};

}  // namespace

Issues validate(const RunConfig& config) {
    return Checker(config).run();
}

Issues trainerSupports(const RunConfig& config) {
    Issues issues;
    const auto need = [&](bool ok, const std::string& field, const Message& value) {
        if (!ok)
            issues.push_back(
                issueOf(Severity::Error, "trainer_unsupported", field,
                        "The bundled trainer of this version does not support %1 = %2; it can only be planned."_text(
                            field, value)));
    };
    const ModelSpec& m = config.model;
    if (m.mla) {
        need(m.positionKind() == PositionKind::Rope, "model.position",
             "%1 with model.mla"_text(wordOf(m.positionKind())));
        need(!m.hasBias() && !m.hasQkvBias(), "model.bias", "true with model.mla"_text);
        need(!m.qkNorm, "model.qk_norm", "true with model.mla, which has norms of its own,"_text);
        need(m.kvHeads() == m.numHeads, "model.num_kv_heads", "%1 below num_heads with model.mla"_text(m.kvHeads()));
        need(m.mla->qkRopeHeadDim % 2 == 0, "model.mla.qk_rope_head_dim", "%1 (odd)"_text(m.mla->qkRopeHeadDim));
        need(m.mla->vHeadDim <= m.mla->qkNopeHeadDim + m.mla->qkRopeHeadDim, "model.mla.v_head_dim",
             "%1 above qk_nope_head_dim + qk_rope_head_dim"_text(m.mla->vHeadDim));
    }
    const ParallelLayout& p = config.parallel;
    need(!m.moe || !m.hasBias(), "model.bias", "true with experts"_text);
    need(p.tp == 1 || m.vocabSize >= p.tp, "model.vocab_size", "%1 below parallel.tp"_text(m.vocabSize));
    if (p.offload != Offload::None && config.train.device == DeviceKind::Cpu)
        issues.push_back(issueOf(
            Severity::Error, "trainer_unsupported", "parallel.offload",
            "parallel.offload = %1 has no effect with train.device = cpu, whose memory is already the host's; set train.device = gpu or parallel.offload = none."_text(
                wordOf(p.offload))));
    const TrainSpec& t = config.train;
    need(t.precision != Precision::Tf32 || t.device == DeviceKind::Gpu, "train.precision",
         "tf32 without a GPU, where it has no effect,"_text);
    if (t.cudaGraphs) {
        const auto alone = [&](bool ok, const Message& value) { need(ok, "train.cuda_graphs", value); };
        const auto between = "true with %1 = %2, whose collectives run between the passes"_text;
        alone(p.pp == 1, "true with %1 = %2"_text(std::string("parallel.pp"), p.pp));
        alone(p.tp == 1, between(std::string("parallel.tp"), p.tp));
        alone(p.cp == 1, between(std::string("parallel.cp"), p.cp));
        alone(p.zeroStage < 2, between(std::string("parallel.zero_stage"), p.zeroStage));
        alone(!m.moe, "true with model.moe, whose tokens are counted on the host"_text);
        alone(p.offload == Offload::None, "true with %1 = %2"_text(std::string("parallel.offload"), wordOf(p.offload)));
        alone(!config.data.documentEndId, "true with data.document_end_id"_text);
        alone(config.numMicroBatches() > 2,
              "true with fewer than three micro-batches per step, where it has no effect"_text);
    }
    need(
        !m.moe || m.moe->biasUpdateRate == 0 || t.gradDtype != Precision::Bf16, "train.grad_dtype",
        "bf16 with model.moe.bias_update_rate, which counts tokens beside the gradients and needs more than 8 bits,"_text);
    if (t.precision != Precision::Fp64 && t.gradDtype != Precision::Fp32 && t.gradDtype != Precision::Bf16)
        need(false, "train.grad_dtype", "%1 (main gradients are fp32 or bf16)"_text(wordOf(t.gradDtype)));
    need(t.device != DeviceKind::Tpu, "train.device", Message::name(wordOf(t.device)));
    return issues;
}

}  // namespace slipway
