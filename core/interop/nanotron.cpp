// nanotron's YAML. Keys: huggingface/nanotron docs and src/nanotron/config, as documented there.
#include "core/interop/readers.h"
#include "core/interop/rules.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway::interop {
namespace {

const Rules kRules = {
    {"general.run", "name"},
    {"general.seed", "train.seed"},
    {"model.dtype",
     "train.precision",
     {{"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {"float64", "fp64"}}},
    {"model.model_config.num_hidden_layers", "model.num_layers"},
    {"model.model_config.hidden_size", "model.hidden_size"},
    {"model.model_config.intermediate_size", "model.ffn_hidden_size"},
    {"model.model_config.num_attention_heads", "model.num_heads"},
    {"model.model_config.num_key_value_heads", "model.num_kv_heads"},
    {"model.model_config.vocab_size", "model.vocab_size"},
    {"model.model_config.max_position_embeddings", "model.max_seq_len"},
    {"model.model_config.rms_norm_eps", "model.norm_eps"},
    {"model.model_config.rope_theta", "model.rope_theta"},
    {"model.model_config.tie_word_embeddings", "model.tie_embeddings"},
    {"model.model_config.sliding_window_size", "model.sliding_window"},
    {"optimizer.accumulate_grad_in_fp32", "train.grad_dtype", {{"true", "fp32"}, {"false", "bf16"}}},
    {"optimizer.clip_grad", "optimizer.clip_norm"},
    {"optimizer.weight_decay", "optimizer.weight_decay"},
    {"optimizer.zero_stage", "parallel.zero_stage"},
    {"optimizer.optimizer_factory.name", "optimizer.kind", {{"adamW", "adamw"}}},
    {"optimizer.optimizer_factory.adam_beta1", "optimizer.beta1"},
    {"optimizer.optimizer_factory.adam_beta2", "optimizer.beta2"},
    {"optimizer.optimizer_factory.adam_eps", "optimizer.eps"},
    {"optimizer.learning_rate_scheduler.learning_rate", "optimizer.lr"},
    {"parallelism.dp", "parallel.dp"},
    {"parallelism.tp", "parallel.tp"},
    {"parallelism.pp", "parallel.pp"},
    {"parallelism.context_parallel_size", "parallel.cp"},
    {"parallelism.expert_parallel_size", "parallel.ep"},
    {"parallelism.pp_engine", "parallel.schedule", {{"1f1b", "1f1b"}, {"afab", "afab"}}},
    {"parallelism.tp_mode", "parallel.sequence_parallel", {{"REDUCE_SCATTER", "true"}, {"ALL_REDUCE", "false"}}},
    {"parallelism.recompute_layer", "train.recompute.policy", {{"true", "full"}, {"false", "none"}}},
    {"tokens.micro_batch_size", "train.micro_batch_size"},
    {"tokens.sequence_length", "train.seq_len"},
    {"tokens.train_steps", "train.num_steps"},
    {"checkpoints.checkpoint_interval", "checkpoint.every_steps"},
};

const std::vector<std::string_view> kKnown = {"general.*",
                                              "checkpoints.*",
                                              "data_stages",
                                              "data_stages.*",
                                              "lighteval*",
                                              "logging.*",
                                              "profiler*",
                                              "tokenizer.*",
                                              "s3_upload*",
                                              "tokens.*",
                                              "metrics_logging*",
                                              "model.init_method.*",
                                              "model.make_vocab_size_divisible_by",
                                              "model.model_config.*",
                                              "optimizer.optimizer_factory.*",
                                              "optimizer.weight_decay_exclude_named_params",
                                              "optimizer.learning_rate_scheduler.lr_warmup_style",
                                              "parallelism.tp_linear_async_communication",
                                              "parallelism.tp_recompute_allgather",
                                              "parallelism.moe_layer_recompute"};

void readSchedule(KeyReader& r, Json& c) {
    const std::string at = "optimizer.learning_rate_scheduler.";
    const auto style = r.text({at + "lr_decay_style"}).value_or("cosine");
    const auto warmup = std::clamp<std::int64_t>(r.integer({at + "lr_warmup_steps"}).value_or(0), 0, 1000000000);
    const auto begin = r.integer({at + "lr_decay_starting_step"});
    const auto length = r.integer({at + "lr_decay_steps"});
    const double lr = peek(c, "optimizer.lr")->get<double>(), minimum = r.real({at + "min_decay_lr"}).value_or(0);
    const std::int64_t steps = whole(c, "train.num_steps", 1);
    Json s = {{"warmup_steps", warmup}};
    // The rate falls from `begin` (the end of the warm-up when it is not given) for `length` steps.
    const std::int64_t from = begin.value_or(warmup);
    if (length &&
        std::clamp<std::int64_t>(*length, -1000000000, 1000000000) + std::clamp<std::int64_t>(from, 0, 1000000000) !=
            steps)
        r.approximated(at + "lr_decay_steps", "The learning rate decays until the last step."_text);
    if (minimum == lr) {
        s["kind"] = "constant";
    } else if (style == "cosine" && from == warmup) {
        s.update(Json{{"kind", "cosine"}, {"min_lr_ratio", ratioOf(minimum, lr)}});
    } else {
        if (style != "cosine" && style != "linear" && style != "1-sqrt")
            r.approximated(at + "lr_decay_style", "Unknown shape; the learning rate decays linearly."_text);
        s.update(Json{{"kind", "wsd"},
                      {"decay_shape", style == "cosine"   ? "cosine"
                                      : style == "1-sqrt" ? "one_minus_sqrt"
                                                          : "linear"},
                      {"decay_steps", std::max<std::int64_t>(0, steps - std::clamp<std::int64_t>(from, 0, 1000000000))},
                      {"min_lr_ratio", ratioOf(minimum, lr)}});
    }
    c["optimizer"]["schedule"] = std::move(s);
}

/// Its experts have the width of the dense layers, as does the shared one, whose gate is not counted here.
void readExperts(KeyReader& r, Json& c) {
    const std::string at = "model.model_config.moe_config.";
    const Json* config = r.find("model.model_config.moe_config");
    if (config == nullptr || !config->is_object()) return;
    Json moe = {{"num_experts", r.integer({at + "num_experts"}).value_or(8)},
                {"top_k", r.integer({at + "top_k"}).value_or(2)},
                {"expert_ffn_hidden_size", *peek(c, "model.ffn_hidden_size")}};
    if (r.flag({at + "enable_shared_expert"}) == true) {
        moe["num_shared_experts"] = 1;
        r.approximated(at + "enable_shared_expert",
                       "The gate of the shared expert, one vector per layer, is skipped."_text);
    }
    // Layers by index; none and -1 are all.
    if (const Json* layers = r.find(at + "layers"); layers != nullptr && layers->is_array() && !layers->empty()) {
        const auto numLayers = whole(c, "model.num_layers", 1);
        const Json& first = layers->front();
        const std::int64_t dense = first.is_number_integer() ? first.get<std::int64_t>() : -1;
        if (dense > 0 && dense < numLayers) moe["num_dense_layers"] = dense;
        if (dense >= 0 && static_cast<std::int64_t>(layers->size()) != numLayers - dense)
            r.approximated(at + "layers", "Every layer from the first listed one on is planned with experts."_text);
    }
    put(c, "model.moe", std::move(moe));
}

void writeExperts(const ModelSpec& m, Json& out) {
    const std::string at = "model.model_config.moe_config.";
    if (!m.moe || m.moe->expertFfnHiddenSize != m.ffnHiddenSize || m.moe->numSharedExperts > 1) return;
    put(out, at + "num_experts", m.moe->numExperts);
    put(out, at + "top_k", m.moe->topK);
    Json layers = Json::array();
    for (std::int64_t layer = m.moe->numDenseLayers; layer < m.numLayers; ++layer) layers.push_back(layer);
    put(out, at + "layers", std::move(layers));
    put(out, at + "enable_shared_expert", m.moe->numSharedExperts == 1);
}

}  // namespace

Result<Imported> readNanotron(Text text, Text where, const RunConfig& base) {
    const auto document = parseYaml(text, where);
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "A nanotron config is a mapping."_text, where);
    KeyReader r(*document);
    Json c = slipway::toJson(base);
    readRules(r, kRules, c);
    if (!r.problems().empty()) return finishReading(r, c, kKnown, where);
    if (!r.contains("optimizer.accumulate_grad_in_fp32")) put(c, "train.grad_dtype", "fp32");
    const std::string shape = "model.model_config.";
    if (r.flag({shape + "is_qwen2_config"}) == true)
        put(c, "model.qkv_bias", r.flag({shape + "attention_bias"}).value_or(true));
    (void)r.flag({shape + "is_llama_config"});
    if (const auto act = r.text({shape + "hidden_act"}); act && *act != "silu")
        r.approximated(shape + "hidden_act", "The gate is read as SiLU: same matrices and products."_text);
    readExperts(r, c);
    if (r.contains("parallelism.context_parallel_size") && whole(c, "parallel.cp", 1) > 1)
        put(c, "parallel.cp_kind", "ring");
    const std::int64_t dp = whole(c, "parallel.dp", 1);
    const auto accumulation = r.integer({"tokens.batch_accumulation_per_replica"}).value_or(1);
    if (accumulation < 1 || accumulation > 100000000)
        r.problem("tokens.batch_accumulation_per_replica", "%1 must be positive."_text);
    else
        put(c, "train.global_batch_size", whole(c, "train.micro_batch_size", 1) * accumulation * dp);
    // Gradients are reduced in their accumulation format.
    if (dp * whole(c, "parallel.cp", 1) > 1)
        put(c, "parallel.reduce_dtype", c["train"]["grad_dtype"] == "bf16" ? "bf16" : "fp32");
    // A bucket's size is in MiB (PyTorch's bucket_cap_mb).
    if (const auto bucket = r.integer({"model.ddp_bucket_cap_mb"});
        bucket && dp * whole(c, "parallel.cp", 1) > 1 && *bucket > 0 && *bucket < 1000000)
        put(c, "parallel.bucket_bytes", *bucket * 1024 * 1024);
    readSchedule(r, c);
    return finishReading(r, std::move(c), kKnown, where);
}

Result<std::string> writeNanotron(const RunConfig& config, const ExportOptions&) {
    const Json c = slipway::toJson(config);
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    put(out, "general.project", "slipway");
    writeRules(c, kRules, out);
    if (config.name.empty()) put(out, "general.run", "run");
    // Only its Qwen2 blocks have experts and windows.
    const bool qwen = m.hasQkvBias() || m.moe || m.slidingWindow;
    put(out, qwen ? "model.model_config.is_qwen2_config" : "model.model_config.is_llama_config", true);
    if (qwen) put(out, "model.model_config.attention_bias", m.hasQkvBias());
    writeExperts(m, out);
    put(out, "model.model_config.hidden_act", "silu");
    put(out, "model.model_config.num_key_value_heads", m.kvHeads());
    put(out, "parallelism.tp_mode", p.sequenceParallel && p.tp > 1 ? "REDUCE_SCATTER" : "ALL_REDUCE");
    const std::int64_t chunk = t.microBatchSize * p.dp;
    if (chunk > 0 && t.globalBatchSize % chunk == 0)
        put(out, "tokens.batch_accumulation_per_replica", t.globalBatchSize / chunk);
    if (p.dp * p.cp > 1 && p.bucketBytes % (1024 * 1024) == 0)
        put(out, "model.ddp_bucket_cap_mb", p.bucketBytes / (1024 * 1024));
    // Its parser has no default for these.
    put(out, "model.init_method.std", 0.02);  // as in slipway-trainer
    put(out, "optimizer.optimizer_factory.torch_adam_is_fused", true);
    if (config.checkpoint.everySteps == 0)
        out.erase("checkpoints");
    else
        put(out, "checkpoints.checkpoints_path", "checkpoints");
    const LrSchedule& s = config.optimizer.schedule;
    const bool wsd = s.kind == LrScheduleKind::Wsd;
    Json& schedule = out["optimizer"]["learning_rate_scheduler"];
    schedule["lr_warmup_steps"] = s.warmupSteps;
    schedule["lr_warmup_style"] = "linear";
    schedule["lr_decay_style"] = wsd                                ? (s.decayShape == DecayShape::Cosine   ? "cosine"
                                                                       : s.decayShape == DecayShape::Linear ? "linear"
                                                                                                            : "1-sqrt")
                                 : s.kind == LrScheduleKind::Cosine ? "cosine"
                                                                    : "linear";
    const std::int64_t begin = wsd ? t.numSteps - s.decaySteps : s.warmupSteps;
    schedule["lr_decay_starting_step"] = begin;
    schedule["lr_decay_steps"] = t.numSteps - begin;
    schedule["min_decay_lr"] =
        s.kind == LrScheduleKind::Constant ? config.optimizer.lr : endOf(config.optimizer.lr, s.minLrRatio);
    return dumpYaml(out);
}

}  // namespace slipway::interop
