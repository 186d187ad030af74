// Megatron-LM's command line. Options and defaults: NVIDIA/Megatron-LM megatron/training/arguments.py, as documented there.
#include "core/base/quoted.h"
#include "core/interop/readers.h"
#include "core/interop/rules.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace slipway::interop {
namespace {

const Rules kRules = {
    {"num-layers", "model.num_layers"},
    {"hidden-size", "model.hidden_size"},
    {"ffn-hidden-size", "model.ffn_hidden_size"},
    {"num-attention-heads", "model.num_heads"},
    {"kv-channels", "model.head_dim"},
    {"vocab-size", "model.vocab_size"},
    {"max-position-embeddings", "model.max_seq_len"},
    {"rotary-base", "model.rope_theta"},
    {"norm-epsilon", "model.norm_eps"},
    {"qk-layernorm", "model.qk_norm"},
    {"seq-length", "train.seq_len"},
    {"micro-batch-size", "train.micro_batch_size"},
    {"global-batch-size", "train.global_batch_size"},
    {"train-iters", "train.num_steps"},
    {"seed", "train.seed"},
    {"recompute-granularity", "train.recompute.policy", {{"full", "full"}, {"selective", "selective"}}},
    {"lr", "optimizer.lr"},
    {"adam-beta1", "optimizer.beta1"},
    {"adam-beta2", "optimizer.beta2"},
    {"adam-eps", "optimizer.eps"},
    {"weight-decay", "optimizer.weight_decay"},
    {"clip-grad", "optimizer.clip_norm"},
    {"lr-warmup-iters", "optimizer.schedule.warmup_steps"},
    {"lr-decay-style", "optimizer.schedule.kind", {{"constant", "constant"}, {"cosine", "cosine"}, {"WSD", "wsd"}}},
    {"lr-wsd-decay-iters", "optimizer.schedule.decay_steps"},
    {"lr-wsd-decay-style",
     "optimizer.schedule.decay_shape",
     {{"linear", "linear"}, {"cosine", "cosine"}, {"minus_sqrt", "one_minus_sqrt"}}},
    {"tensor-model-parallel-size", "parallel.tp"},
    {"pipeline-model-parallel-size", "parallel.pp"},
    {"context-parallel-size", "parallel.cp"},
    {"expert-model-parallel-size", "parallel.ep"},
    {"expert-tensor-parallel-size", "parallel.etp"},
    {"cp-comm-type", "parallel.cp_kind", {{"p2p", "ring"}, {"allgather", "all_gather"}, {"a2a", "ulysses"}}},
    {"sequence-parallel", "parallel.sequence_parallel"},
    {"tp-comm-overlap", "parallel.async_tp"},
    {"overlap-grad-reduce", "parallel.overlap_grad_reduce"},
    {"save-interval", "checkpoint.every_steps"},
    {"num-experts", "model.moe.num_experts"},
    {"moe-router-topk", "model.moe.top_k"},
    {"moe-ffn-hidden-size", "model.moe.expert_ffn_hidden_size"},
    {"moe-aux-loss-coeff", "model.moe.aux_loss_coefficient"},
    {"moe-z-loss-coeff", "model.moe.z_loss_coefficient"},
    {"moe-router-score-function", "model.moe.router_score", {{"softmax", "softmax"}, {"sigmoid", "sigmoid"}}},
    {"moe-router-topk-scaling-factor", "model.moe.routed_scale"},
    {"moe-router-num-groups", "model.moe.num_expert_groups"},
    {"moe-router-group-topk", "model.moe.top_k_groups"},
    {"q-lora-rank", "model.mla.q_lora_rank"},
    {"kv-lora-rank", "model.mla.kv_lora_rank"},
    {"qk-head-dim", "model.mla.qk_nope_head_dim"},
    {"qk-pos-emb-head-dim", "model.mla.qk_rope_head_dim"},
    {"v-head-dim", "model.mla.v_head_dim"},
};

/// Parts of the block with defaults set first (readModel).
const Rules kBlock = {
    {"normalization", "model.norm", {{"RMSNorm", "rmsnorm"}, {"LayerNorm", "layernorm"}}},
    {"position-embedding-type", "model.position", {{"rope", "rope"}, {"learned_absolute", "learned"}}},
};

/// Options without a field of ours: paths, logging, kernels, checkpoints' formats.
const std::vector<std::string_view> kKnown = {"data-path",
                                              "train-data-path",
                                              "valid-data-path",
                                              "test-data-path",
                                              "split",
                                              "tokenizer-*",
                                              "vocab-file",
                                              "merge-file",
                                              "save",
                                              "load",
                                              "log-*",
                                              "tensorboard-*",
                                              "wandb-*",
                                              "eval-*",
                                              "use-mcore-models",
                                              "use-legacy-models",
                                              "use-flash-attn",
                                              "attention-backend",
                                              "attention-dropout",
                                              "hidden-dropout",
                                              "init-method-std",
                                              "no-*",
                                              "transformer-impl",
                                              "ckpt-*",
                                              "dist-ckpt-*",
                                              "distributed-*",
                                              "num-workers",
                                              "data-cache-path",
                                              "exit-*",
                                              "manual-gc*",
                                              "moe-token-dispatcher-type",
                                              "moe-grouped-gemm",
                                              "moe-router-load-balancing-type",
                                              "moe-permute-fusion",
                                              "moe-router-*",
                                              "make-vocab-size-divisible-by",
                                              "overlap-param-gather",
                                              "tp-comm-overlap-*",
                                              "offload-modules",
                                              "rotary-percent",
                                              "rotary-*",
                                              "rope-*",
                                              "use-rotary-position-embeddings",
                                              "lr-decay-iters",
                                              "lr-warmup-*",
                                              "override-*",
                                              "use-checkpoint-*",
                                              "recompute-method",
                                              "recompute-num-layers",
                                              "recompute-modules",
                                              "initial-loss-scale",
                                              "loss-scale*",
                                              "min-loss-scale",
                                              "hysteresis",
                                              "fp8-*",
                                              "deepspeed*",
                                              "master-*",
                                              "rank",
                                              "world-size",
                                              "local-rank",
                                              "mock-data",
                                              "bias-*",
                                              "apply-*",
                                              "masked-*",
                                              "accumulate-allreduce-grads-in-fp32",
                                              "cross-entropy-*",
                                              "enable-*",
                                              "calculate-per-token-loss",
                                              "use-precision-aware-optimizer",
                                              "optimizer",
                                              "main-grads-dtype",
                                              "check-*",
                                              "profile*",
                                              "async-save",
                                              "mtp-*",
                                              "timing-*",
                                              "zero-stage"};

void readModel(KeyReader& r, Json& c) {
    const bool gated = r.flag({"swiglu"}).value_or(false);
    put(c, "model.activation", gated ? "swiglu" : "gelu");
    put(c, "model.family", gated ? "llama" : "gpt2");
    // Megatron's own defaults, which differ from ours.
    put(c, "model.norm", "layernorm");
    put(c, "model.position", "learned");
    if (!r.contains("ffn-hidden-size"))
        if (const Json* hidden = peek(c, "model.hidden_size"))
            put(c, "model.ffn_hidden_size", 4 * hidden->get<std::int64_t>());
    const bool bias = !r.flag({"disable-bias-linear"}).value_or(false);
    put(c, "model.bias", bias);
    const bool queryBias = r.flag({"add-qkv-bias"}).value_or(false);
    put(c, "model.qkv_bias", bias || queryBias);
    put(c, "model.tie_embeddings", !r.flag({"untie-embeddings-and-output-weights"}).value_or(false));
    if (const auto part = r.real({"rotary-percent"})) putRotaryPart(c, *part);
    if (r.flag({"use-rope-scaling"}).value_or(false))  // Llama 3.1's, with its other terms
        put(c, "model.rope_scaling.factor", r.real({"rope-scaling-factor"}).value_or(8.0));
    const auto groups = r.integer({"num-query-groups"});
    if (r.flag({"group-query-attention"}).value_or(false)) put(c, "model.num_kv_heads", groups.value_or(1));
    if (const Json* window = r.find("window-size")) {
        // "(4096,0)", or two words: how far back, how far forward.
        const std::string text = window->is_array() && !window->empty() ? (*window)[0].get<std::string>()
                                 : window->is_string()                  ? window->get<std::string>()
                                                                        : "";
        const std::size_t digit = text.find_first_of("123456789");
        if (digit != std::string::npos && text.size() < 30)
            put(c, "model.sliding_window", std::strtoll(text.c_str() + digit, nullptr, 10));
    }
}

constexpr double kBiasUpdateRate = 0.001;  // default of --moe-router-bias-update-rate

/// Whether Megatron sums as many of a group's scores as we do for its choice of groups: two with sigmoid, one with softmax.
bool countsGroupsAsWeDo(std::int64_t topK, std::int64_t topKGroups, bool isSigmoid) {
    return topKGroups > 0 && topK / topKGroups == (isSigmoid ? 2 : 1);
}

void readRouter(KeyReader& r, Json& ours) {
    const Json* score = peek(ours, "moe.router_score");
    const bool isSigmoid = score != nullptr && *score == "sigmoid";
    // The weights of the chosen are a softmax over them alone, or their sigmoids divided by the sum.
    put(ours, "moe.normalize_top_k", isSigmoid || !r.flag({"moe-router-pre-softmax"}).value_or(false));
    const double rate = r.real({"moe-router-bias-update-rate"}).value_or(kBiasUpdateRate);
    put(ours, "moe.bias_update_rate", r.flag({"moe-router-enable-expert-bias"}).value_or(false) ? rate : 0.0);
    Json& moe = ours["moe"];
    const Json *groups = peek(moe, "num_expert_groups"), *chosen = peek(moe, "top_k_groups"), *top = peek(moe, "top_k");
    if (groups == nullptr || *groups == 1 || chosen == nullptr || *chosen == *groups) {
        // Choosing all groups is no restriction.
        moe.erase("num_expert_groups");
        moe.erase("top_k_groups");
    } else if (!countsGroupsAsWeDo(top->get<std::int64_t>(), chosen->get<std::int64_t>(), isSigmoid)) {
        r.approximated(
            "moe-router-group-topk",
            "Megatron-LM adds up the moe-router-topk / moe-router-group-topk best scores of a group; Slipway takes the two best with sigmoid and the best with softmax."_text);
    }
}

void readExperts(KeyReader& r, Json& c) {
    const bool latent = r.flag({"multi-latent-attention"}).value_or(false);
    Json& ours = c["model"];
    if (!latent) ours.erase("mla");
    if (!r.contains("num-experts")) {
        ours.erase("moe");
        return;
    }
    const auto integer = [&](const char* key) {
        const Json* v = peek(ours, key);
        return v != nullptr && v->is_number_integer() ? v->get<std::int64_t>() : 0;
    };
    if (!r.contains("moe-ffn-hidden-size")) put(ours, "moe.expert_ffn_hidden_size", integer("ffn_hidden_size"));
    if (!r.contains("moe-router-topk")) put(ours, "moe.top_k", 2);
    readRouter(r, ours);
    const std::int64_t width = integer("moe.expert_ffn_hidden_size");
    if (const auto shared = r.integer({"moe-shared-expert-intermediate-size"})) {
        if (width > 0 && *shared % width == 0)
            put(ours, "moe.num_shared_experts", *shared / width);
        else
            r.approximated("moe-shared-expert-intermediate-size",
                           "The shared expert's width is not a multiple of a routed expert's; it is skipped."_text);
    }
    if (const auto pattern = r.text({"moe-layer-freq"}); pattern && *pattern != "1") {
        // "([0]*3+[1]*58)": dense layers first. Other patterns cannot be expressed.
        long long dense = 0, moe = 0;
        if (std::sscanf(pattern->c_str(), "([0]*%9lld+[1]*%9lld)", &dense, &moe) == 2 && dense >= 0 &&
            dense + moe == integer("num_layers"))
            put(ours, "moe.num_dense_layers", dense);
        else
            r.approximated("moe-layer-freq", "Not every layer has experts; all are planned with experts."_text);
    }
}

void readPrecision(KeyReader& r, Json& c) {
    const bool bf16 = r.flag({"bf16"}).value_or(false), fp16 = r.flag({"fp16"}).value_or(false);
    const bool fp8 = r.text({"fp8-format"}).has_value();
    put(c, "train.precision", fp8 ? "fp8" : bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
    const bool narrow = r.flag({"grad-reduce-in-bf16"}).value_or(false);
    put(c, "train.grad_dtype", narrow ? "bf16" : "fp32");
    if (narrow) put(c, "parallel.reduce_dtype", "bf16");
    if (r.flag({"recompute-activations"}).value_or(false)) put(c, "train.recompute.policy", "selective");
}

/// The vocabulary comes from the tokenizer's files when the program starts; the options rarely state it.
void readVocabulary(KeyReader& r, Json& c) {
    if (r.contains("vocab-size")) return;
    if (const auto padded = r.integer({"padded-vocab-size"})) return put(c, "model.vocab_size", *padded);
    const auto file = r.text({"vocab-file"});
    if (!file || (*file != "gpt2-vocab.json" && !file->ends_with("/gpt2-vocab.json"))) return;
    put(c, "model.vocab_size", 50257);
    r.approximated(
        "vocab-file",
        "--vocab-size is not given; by its name the file is GPT-2's vocabulary with 50,257 entries, which Megatron-LM pads to a multiple of make-vocab-size-divisible-by x tp."_text);
}

/// Megatron-LM: warm-up steps = lr-warmup-fraction x lr-decay-iters, which default to train-iters.
void readWarmup(KeyReader& r, Json& c, std::int64_t numSteps) {
    const auto share = r.real({"lr-warmup-fraction"});
    if (!share) return;
    if (!(*share >= 0 && *share <= 1)) return r.problem("lr-warmup-fraction", "%1 must be between 0 and 1."_text);
    const std::int64_t span = std::clamp<std::int64_t>(r.integer({"lr-decay-iters"}).value_or(numSteps), 0, 1000000000);
    put(c, "optimizer.schedule.warmup_steps", std::llround(*share * static_cast<double>(span)));
}

void readSchedule(KeyReader& r, Json& c, std::int64_t numSteps) {
    readWarmup(r, c, numSteps);
    const auto text = r.text({"lr-decay-style"});
    const double lr = peek(c, "optimizer.lr")->get<double>();
    const auto minimum = r.real({"min-lr"});
    // Megatron's default style is linear down to min-lr over the full run.
    if (!text || *text == "linear") {
        std::erase_if(r.remarks, [](const Remark& remark) { return remark.key == "lr-decay-style"; });
        put(c, "optimizer.schedule.kind", "wsd");
        put(c, "optimizer.schedule.decay_shape", "linear");
        const Json* warmup = peek(c, "optimizer.schedule.warmup_steps");
        put(c, "optimizer.schedule.decay_steps",
            std::max<std::int64_t>(0, numSteps - (warmup != nullptr ? warmup->get<std::int64_t>() : 0)));
    }
    put(c, "optimizer.schedule.min_lr_ratio", ratioOf(minimum.value_or(0), lr));
    if (text == "constant") c["optimizer"]["schedule"].erase("min_lr_ratio");
}

void readLayout(KeyReader& r, Json& c, std::optional<std::int64_t> worldSize) {
    Json& p = c["parallel"];
    const auto degree = [&](const char* key) {
        const Json* v = peek(p, key);
        return v != nullptr ? std::clamp<std::int64_t>(v->get<std::int64_t>(), 1, 1000000) : 1;
    };
    const std::int64_t pp = degree("pp"), model = degree("tp") * pp * degree("cp");
    if (worldSize && model > 0 && *worldSize % model == 0) put(p, "dp", *worldSize / model);
    const std::int64_t dp = degree("dp"), layers = peek(c, "model.num_layers")->get<std::int64_t>();
    std::int64_t chunks = r.integer({"num-virtual-stages-per-pipeline-rank"}).value_or(1);
    if (const auto each = r.integer({"num-layers-per-virtual-pipeline-stage"});
        each && *each > 0 && *each < 1000000 && layers % (pp * *each) == 0)
        chunks = layers / (pp * *each);
    if (pp > 1) {
        put(p, "virtual_stages", chunks);
        put(p, "schedule", chunks > 1 ? "interleaved_1f1b" : "1f1b");
    }
    std::int64_t zero = r.flag({"use-distributed-optimizer"}).value_or(false) ? 1 : 0;
    const bool fsdp = r.flag({"use-megatron-fsdp", "use-custom-fsdp", "use-torch-fsdp2"}).value_or(false);
    const auto strategy = r.text({"data-parallel-sharding-strategy"});
    if (fsdp) zero = strategy == "optim" ? 1 : strategy == "optim_grads" ? 2 : strategy == "no_shard" ? 0 : 3;
    put(p, "zero_stage", zero);
    if (const auto instances = r.integer({"num-distributed-optimizer-instances"});
        instances && *instances > 0 && dp % *instances == 0 && zero > 0)
        put(p, "dp_shard", dp / *instances);
    const bool states = r.flag({"optimizer-cpu-offload"}).value_or(false);
    const bool activations = r.flag({"fine-grained-activation-offloading"}).value_or(false);
    if (states || activations) put(p, "offload", states && activations ? "all" : states ? "optimizer" : "activations");
    if (activations && !r.contains("offload-modules"))
        r.approximated("fine-grained-activation-offloading",
                       "All saved activations of the blocks move to the host."_text);
    const bool reduces = dp * degree("cp") > 1;
    if (!r.contains("overlap-grad-reduce") && reduces) put(p, "overlap_grad_reduce", false);
    // The number of gradients in one bucket; they are reduced in reduce_dtype.
    if (const auto elements = r.integer({"ddp-bucket-size"});
        elements && reduces && *elements > 0 && *elements < 1000000000000) {
        const Json* dtype = peek(p, "reduce_dtype");
        put(p, "bucket_bytes", *elements * (dtype != nullptr && *dtype == "bf16" ? 2 : 4));
    }
}

void writeRouter(const MoeSpec& moe, Json& out) {
    const bool isSigmoid = moe.routerScore == RouterScore::Sigmoid;
    if (!isSigmoid) out.erase("moe-router-score-function");
    if (!isSigmoid && !moe.normalizeTopK) out["moe-router-pre-softmax"] = true;
    if (moe.routedScale == 1) out.erase("moe-router-topk-scaling-factor");
    if (moe.zLossCoefficient == 0) out.erase("moe-z-loss-coeff");
    if (moe.numExpertGroups == 1 || !countsGroupsAsWeDo(moe.topK, moe.topKGroups, isSigmoid)) {
        out.erase("moe-router-num-groups");
        out.erase("moe-router-group-topk");
    }
    // Megatron supports its bias only with sigmoids.
    if (!isSigmoid || moe.biasUpdateRate == 0) return;
    out["moe-router-enable-expert-bias"] = true;
    out["moe-router-bias-update-rate"] = moe.biasUpdateRate;
}

}  // namespace

Result<Imported> importMegatronOptions(const Json& options, Text where, const RunConfig& base,
                                       std::optional<std::int64_t> worldSize) {
    KeyReader r(options);
    Json c = slipway::toJson(base);
    // The data-parallel degree may be the base's; the applicability of its options is checked below.
    readRules(r, kRules, c);
    if (!r.problems().empty()) return finishReading(r, c, kKnown, where);
    if (options.empty()) return fail("bad_config", "The file has no options (--num-layers 32 ...)."_text, where);
    readModel(r, c);
    readVocabulary(r, c);
    readRules(r, kBlock, c);
    readExperts(r, c);
    readPrecision(r, c);
    readSchedule(r, c, c["train"]["num_steps"].get<std::int64_t>());
    readLayout(r, c, worldSize);
    if (const auto epsilon = r.real({"layernorm-epsilon"})) put(c, "model.norm_eps", *epsilon);
    if (c["optimizer"].contains("schedule") && r.contains("lr-decay-iters")) {
        const auto decay = r.integer({"lr-decay-iters"});
        if (decay && *decay != c["train"]["num_steps"].get<std::int64_t>())
            r.approximated("lr-decay-iters", "The learning rate decays over train-iters."_text);
    }
    auto imported = finishReading(r, std::move(c), kKnown, where);
    if (imported) imported->worldSize = worldSize;
    return imported;
}

Json megatronOptions(const RunConfig& config) {
    const Json c = slipway::toJson(config);
    const ModelSpec& m = config.model;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    writeRules(c, kRules, out);
    out["normalization"] = m.normKind() == NormKind::RmsNorm ? "RMSNorm" : "LayerNorm";
    out["position-embedding-type"] = m.positionKind() == PositionKind::Rope ? "rope" : "learned_absolute";
    const auto flag = [&](const char* key, bool on) {
        out.erase(key);
        if (on) out[key] = true;
    };
    flag("swiglu", m.activationKind() == Activation::SwiGlu);
    flag("disable-bias-linear", !m.hasBias());
    flag("add-qkv-bias", m.hasQkvBias() && !m.hasBias());
    flag("untie-embeddings-and-output-weights", !m.tieEmbeddings);
    flag("qk-layernorm", m.qkNorm);
    flag("group-query-attention", m.kvHeads() != m.numHeads);
    if (m.kvHeads() != m.numHeads) out["num-query-groups"] = m.kvHeads();
    if (m.slidingWindow) out["window-size"] = "(" + std::to_string(*m.slidingWindow) + ",0)";
    const bool turns = m.positionKind() == PositionKind::Rope && !m.mla;
    if (turns && m.rotaryDim) out["rotary-percent"] = rotaryPart(m);
    flag("use-rope-scaling", turns && m.ropeScaling && m.ropeScaling->kind == RopeScalingKind::Llama3);
    if (out.contains("use-rope-scaling")) out["rope-scaling-factor"] = m.ropeScaling->factor;
    flag("multi-latent-attention", m.mla.has_value());
    if (m.mla && m.mla->qLoraRank == 0) out.erase("q-lora-rank");
    if (m.moe) {
        if (m.moe->numSharedExperts > 0)
            out["moe-shared-expert-intermediate-size"] = m.moe->numSharedExperts * m.moe->expertFfnHiddenSize;
        if (m.moe->numDenseLayers > 0)
            out["moe-layer-freq"] = "([0]*" + std::to_string(m.moe->numDenseLayers) + "+[1]*" +
                                    std::to_string(m.numLayers - m.moe->numDenseLayers) + ")";
        writeRouter(*m.moe, out);
    }
    const TrainSpec& t = config.train;
    flag("bf16", t.precision == Precision::Bf16 || t.precision == Precision::Fp8);
    flag("fp16", t.precision == Precision::Fp16);
    if (t.precision == Precision::Fp8) out["fp8-format"] = "hybrid";
    flag("grad-reduce-in-bf16", t.gradDtype == Precision::Bf16);
    if (t.recompute.policy == RecomputePolicy::Full) {
        out["recompute-method"] = "uniform";
        out["recompute-num-layers"] = 1;
    }
    const LrSchedule& s = config.optimizer.schedule;
    out["lr-decay-iters"] = t.numSteps;
    if (s.kind != LrScheduleKind::Constant) out["min-lr"] = endOf(config.optimizer.lr, s.minLrRatio);
    flag("sequence-parallel", p.tp > 1 && p.sequenceParallel);
    flag("overlap-grad-reduce", p.dp > 1 && p.overlapGradReduce);
    if (p.pp > 1 && p.virtualStages > 1) out["num-virtual-stages-per-pipeline-rank"] = p.virtualStages;
    flag("use-distributed-optimizer", p.zeroStage > 0);
    if (p.zeroStage > 1) {
        out["use-megatron-fsdp"] = true;
        out["data-parallel-sharding-strategy"] = p.zeroStage == 2 ? "optim_grads" : "optim_grads_params";
    }
    if (p.dpShard && p.zeroStage > 0 && *p.dpShard > 0) out["num-distributed-optimizer-instances"] = p.dp / *p.dpShard;
    flag("tp-comm-overlap", p.tp > 1 && p.sequenceParallel && p.asyncTp);
    flag("optimizer-cpu-offload", offloadsOptimizer(p.offload));
    flag("fine-grained-activation-offloading", offloadsActivations(p.offload));
    if (offloadsActivations(p.offload)) {
        out["offload-modules"] = {"attn_norm", "qkv_linear", "core_attn", "attn_proj", "mlp_norm"};
        if (m.moe) out["offload-modules"].insert(out["offload-modules"].end(), {"expert_fc1", "moe_act"});
    }
    const std::int64_t bytes = p.reduceDtype == ReduceDtype::Bf16 ? 2 : 4;
    if (p.dp > 1 && p.bucketBytes % bytes == 0) out["ddp-bucket-size"] = p.bucketBytes / bytes;
    if (config.checkpoint.everySteps == 0) out.erase("save-interval");
    return out;
}

std::vector<std::string> optionWords(const Json& options) {
    std::vector<std::string> words;
    for (const auto& item : options.items()) {
        words.push_back("--" + item.key());
        if (item.value().is_boolean()) continue;
        if (item.value().is_array()) {
            for (const Json& word : item.value()) words.push_back(word.get<std::string>());
            continue;
        }
        words.push_back(item.value().is_string() ? item.value().get<std::string>() : dumpJson(item.value(), false));
    }
    return words;
}

Result<Imported> readMegatron(Text text, Text where, const RunConfig& base) {
    const ShellScript script = readShell(text);
    Words words;
    for (const Words& command : script.commands)
        for (const std::string& word : command) words.push_back(word);
    if (words.empty())
        for (const auto& [name, values] : script.variables) words.insert(words.end(), values.begin(), values.end());
    return importMegatronOptions(optionsFrom(words), where, base, {});
}

Result<std::string> writeMegatron(const RunConfig& config, const ExportOptions&) {
    std::string text;
    for (const std::string& word : optionWords(megatronOptions(config)))
        text += (word.starts_with("--") ? (text.empty() ? "" : "\n") : " ") + shellQuoted(word);
    return text + "\n";
}

}  // namespace slipway::interop
