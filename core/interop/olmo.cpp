// OLMo's YAML and OLMo-core's config (JSON as saved by it, or YAML). Keys: allenai/OLMo olmo/config.py and
// allenai/OLMo-core's documentation of TransformerConfig, TransformerTrainModuleConfig and TrainerConfig.
#include "core/interop/readers.h"
#include "core/interop/rules.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slipway::interop {
namespace {

void readBetas(KeyReader& r, std::string_view key, Json& c) {
    const Json* betas = r.find(key);
    if (betas == nullptr) return;
    if (betas->is_array() && betas->size() == 2 && (*betas)[0].is_number() && (*betas)[1].is_number()) {
        put(c, "optimizer.beta1", (*betas)[0]);
        put(c, "optimizer.beta2", (*betas)[1]);
    } else {
        r.problem(std::string(key), "%1 must be two numbers."_text);
    }
}

// ---- OLMo ----------------------------------------------------------------------------------------------------------------

const Rules kOlmo = {
    {"run_name", "name"},
    {"seed", "train.seed"},
    {"model.d_model", "model.hidden_size"},
    {"model.n_heads", "model.num_heads"},
    {"model.n_kv_heads", "model.num_kv_heads"},
    {"model.n_layers", "model.num_layers"},
    {"model.max_sequence_length", "train.seq_len"},
    {"model.vocab_size", "model.vocab_size"},
    {"model.weight_tying", "model.tie_embeddings"},
    {"model.rope", "model.position", {{"true", "rope"}, {"false", "learned"}}},
    {"model.rope_theta", "model.rope_theta"},
    {"model.include_bias", "model.bias"},
    {"model.layer_norm_type",
     "model.norm",
     {{"rms", "rmsnorm"}, {"default", "layernorm"}, {"low_precision", "layernorm"}}},
    {"model.layer_norm_eps", "model.norm_eps"},
    {"model.activation_type", "model.activation", {{"swiglu", "swiglu"}, {"gelu", "gelu"}}},
    {"optimizer.name", "optimizer.kind", {{"adamw", "adamw"}}},
    {"optimizer.learning_rate", "optimizer.lr"},
    {"optimizer.weight_decay", "optimizer.weight_decay"},
    {"optimizer.eps", "optimizer.eps"},
    {"scheduler.name", "optimizer.schedule.kind", {{"cosine_with_warmup", "cosine"}, {"constant", "constant"}}},
    {"scheduler.t_warmup", "optimizer.schedule.warmup_steps"},
    {"global_train_batch_size", "train.global_batch_size"},
    {"device_train_microbatch_size", "train.micro_batch_size"},
    {"precision", "train.precision", {{"amp_bf16", "bf16"}, {"amp_fp16", "fp16"}, {"fp32", "fp32"}, {"bf16", "bf16"}}},
    {"max_grad_norm", "optimizer.clip_norm"},
    {"save_interval", "checkpoint.every_steps"},
    {"save_num_checkpoints_to_keep", "checkpoint.keep"},
    {"activation_checkpointing",
     "train.recompute.policy",
     {{"whole_layer", "full"}, {"fine_grained", "selective"}, {"null", "none"}}},
    {"fsdp.sharding_strategy",
     "parallel.zero_stage",
     {{"FULL_SHARD", "3"}, {"SHARD_GRAD_OP", "2"}, {"NO_SHARD", "0"}, {"HYBRID_SHARD", "3"}}},
};

const std::vector<std::string_view> kOlmoKnown = {"data.*",
                                                  "evaluators",
                                                  "eval_*",
                                                  "wandb*",
                                                  "tokenizer.*",
                                                  "save_*",
                                                  "load_*",
                                                  "remote_save_folder",
                                                  "fsdp.*",
                                                  "compile*",
                                                  "speed_monitor.*",
                                                  "console_log_interval",
                                                  "gen1_gc_interval",
                                                  "model.*",
                                                  "optimizer.*",
                                                  "scheduler.*",
                                                  "dry_run",
                                                  "epoch",
                                                  "restore_dataloader",
                                                  "fast_forward_batches",
                                                  "stop_at",
                                                  "stop_after",
                                                  "no_pre_train_checkpoint",
                                                  "ddp.*",
                                                  "distributed_strategy",
                                                  "softmax_auxiliary_loss*",
                                                  "auxiliary_loss_multiplier",
                                                  "time_limit",
                                                  "python_profiling",
                                                  "torch_profiling",
                                                  "sharded_checkpointer",
                                                  "canceled_check_interval",
                                                  "module_outputs_save_steps",
                                                  "device_eval_batch_size",
                                                  "early_stopping_factor",
                                                  "max_grad_norm_ratio",
                                                  "fused_loss",
                                                  "new_style_checkpoints",
                                                  "reset_*",
                                                  "hf_datasets_cache_dir"};

// ---- OLMo-core -----------------------------------------------------------------------------------------------------------

const Rules kOlmoCore = {
    {"run_name", "name"},
    {"init_seed", "train.seed"},
    {"model.d_model", "model.hidden_size"},
    {"model.vocab_size", "model.vocab_size"},
    {"model.n_layers", "model.num_layers"},
    {"model.block.attention.n_heads", "model.num_heads"},
    {"model.block.attention.n_kv_heads", "model.num_kv_heads"},
    {"model.block.attention.head_dim", "model.head_dim"},
    {"model.block.attention.rope.theta", "model.rope_theta"},
    {"model.block.feed_forward.hidden_size", "model.ffn_hidden_size"},
    {"model.block.feed_forward.bias", "model.bias"},
    {"model.block.attention.bias", "model.qkv_bias"},
    {"model.block.layer_norm.name",
     "model.norm",
     {{"rms", "rmsnorm"}, {"fused_rms", "rmsnorm"}, {"cute_rms", "rmsnorm"}, {"default", "layernorm"}}},
    {"model.block.layer_norm.eps", "model.norm_eps"},
    {"model.tie_word_embeddings", "model.tie_embeddings"},
    {"train_module.max_sequence_length", "train.seq_len"},
    {"train_module.max_grad_norm", "optimizer.clip_norm"},
    {"train_module.optim.lr", "optimizer.lr"},
    {"train_module.optim.eps", "optimizer.eps"},
    {"train_module.optim.weight_decay", "optimizer.weight_decay"},
    {"train_module.tp_config.degree", "parallel.tp"},
    {"train_module.cp_config.degree", "parallel.cp"},
    {"train_module.pp_config.degree", "parallel.pp"},
    {"train_module.ep_config.degree", "parallel.ep"},
    {"train_module.pp_config.schedule",
     "parallel.schedule",
     {{"1F1B", "1f1b"}, {"GPipe", "afab"}, {"Interleaved1F1B", "interleaved_1f1b"}, {"ZBVZeroBubble", "zb_v"}}},
    {"train_module.ac_config.mode",
     "train.recompute.policy",
     {{"full", "full"}, {"selected_ops", "selective"}, {"selected_modules", "selective"}}},
    {"train_module.dp_config.reduce_dtype", "parallel.reduce_dtype", {{"float32", "fp32"}, {"bfloat16", "bf16"}}},
    {"trainer.callbacks.checkpointer.save_interval", "checkpoint.every_steps"},
};

const std::vector<std::string_view> kOlmoCoreKnown = {"dataset.*",   "data_loader.*", "trainer.*",      "launch.*",
                                                      "tokenizer.*", "model.*",       "train_module.*", "_CLASS_",
                                                      "name",        "backend",       "eval_*",         "beaker.*"};

void readCoreBatch(KeyReader& r, Json& c) {
    const std::string at = "train_module.dp_config.";
    const auto kind = r.text({at + "name"});
    const auto replicas = std::clamp<std::int64_t>(r.integer({at + "num_replicas"}).value_or(1), 1, 1000000);
    const auto shards = std::clamp<std::int64_t>(r.integer({at + "shard_degree"}).value_or(1), 1, 1000000);
    if (kind) {
        const bool sharded = *kind != "ddp";
        put(c, "parallel.dp", replicas * (sharded ? shards : 1));
        put(c, "parallel.zero_stage", sharded ? 3 : 0);
        if (sharded && replicas > 1) put(c, "parallel.dp_shard", shards);
        if (sharded && !r.contains(at + "shard_degree"))
            r.approximated(at + "name",
                           "The remaining ranks share the shards; the file does not give their number."_text);
        const auto dtype = r.text({at + "param_dtype"});
        put(c, "train.precision", dtype == "bfloat16" ? "bf16" : dtype == "float16" ? "fp16" : "fp32");
    }
    if (const auto fp8 = r.flag({"train_module.float8_config.enabled"}); fp8 == true) put(c, "train.precision", "fp8");
    put(c, "train.grad_dtype", "fp32");
    // There batches are counted in tokens, here in sequences.
    const std::int64_t seqLen = std::max<std::int64_t>(1, whole(c, "train.seq_len", 1));
    const auto sequences = [&](std::string_view key, const char* path) {
        const auto tokens = r.integer({key});
        if (!tokens) return;
        if (*tokens > 0 && *tokens % seqLen == 0)
            put(c, path, *tokens / seqLen);
        else
            r.problem(std::string(key), "%1 must be a multiple of the sequence length."_text);
    };
    sequences("data_loader.global_batch_size", "train.global_batch_size");
    sequences("train_module.rank_microbatch_size", "train.micro_batch_size");
    const auto unit = r.text({"trainer.max_duration.unit"});
    const auto value = r.integer({"trainer.max_duration.value"});
    const std::int64_t perStep = whole(c, "train.global_batch_size", 1) * seqLen;
    if (value && unit == "steps")
        put(c, "train.num_steps", *value);
    else if (value && unit == "tokens" && perStep > 0)
        put(c, "train.num_steps", (*value + perStep - 1) / perStep);
    else if (value)
        r.approximated("trainer.max_duration.unit",
                       "Epochs need the size of the data; num_steps keeps its value."_text);
}

void readCoreSchedule(KeyReader& r, Json& c) {
    const std::string at = "train_module.scheduler.";
    const auto type = r.text({at + "_CLASS_"});
    const double final = r.real({at + "alpha_f"}).value_or(0.1);
    const std::int64_t steps = whole(c, "train.num_steps", 1);
    // In steps, or as a fraction of the run.
    const auto length = [&](const std::string& name, double otherwise) {
        const auto given = r.integer({at + name, at + name + "_steps"});
        const double share = std::clamp(r.real({at + name + "_fraction"}).value_or(otherwise), 0.0, 1.0);
        return given.value_or(std::llround(share * static_cast<double>(steps)));
    };
    Json s = {{"warmup_steps", length("warmup", 0)}};
    if (!type || type->ends_with("ConstantWithWarmup") || type->ends_with("ConstantScheduler")) {
        s["kind"] = "constant";
    } else if (type->ends_with("CosWithWarmup")) {
        s.update(Json{{"kind", "cosine"}, {"min_lr_ratio", final}});
    } else if (type->ends_with("WSD")) {
        s.update(Json{{"kind", "wsd"},
                      {"decay_shape", "linear"},
                      {"decay_steps", length("decay", 0.1)},
                      {"min_lr_ratio",
                       ratioOf(r.real({at + "decay_min_lr"}).value_or(0), peek(c, "optimizer.lr")->get<double>())}});
    } else if (type->ends_with("LinearWithWarmup")) {
        s.update(Json{
            {"kind", "wsd"},
            {"decay_shape", "linear"},
            {"decay_steps", std::max<std::int64_t>(
                                0, steps - std::clamp<std::int64_t>(s["warmup_steps"].get<std::int64_t>(), 0, steps))},
            {"min_lr_ratio", final}});
    } else {
        s["kind"] = "constant";
        r.approximated(at + "_CLASS_", "Slipway has no such schedule; the learning rate stays constant."_text);
    }
    c["optimizer"]["schedule"] = std::move(s);
}

/// Width of the feed-forward layers. OLMo's mlp_ratio is an integer, and mlp_hidden_size counts both halves of a gated layer's first
/// matrix; a fractional ratio (8/3) is the width of one half over d_model, rounded up to a multiple of 256, as in OLMo-core.
void readWidth(KeyReader& r, Json& c, bool gated) {
    const std::int64_t hidden = whole(c, "model.hidden_size", 1);
    const double ratio = std::clamp(r.real({"model.mlp_ratio"}).value_or(4), 1e-3, 100.0);
    if (const auto given = r.integer({"model.mlp_hidden_size"})) {
        const std::int64_t both = std::clamp<std::int64_t>(*given, 0, 100000000);
        put(c, "model.ffn_hidden_size", gated ? both / 2 : both);
    } else if (ratio == std::floor(ratio)) {
        const std::int64_t both = static_cast<std::int64_t>(ratio) * hidden;
        put(c, "model.ffn_hidden_size", gated ? both / 2 : both);
    } else {
        constexpr double kMultiple = 256;
        const double width = ratio * static_cast<double>(hidden);
        const double rounded = std::ceil(width / kMultiple) * kMultiple;
        put(c, "model.ffn_hidden_size", static_cast<std::int64_t>(rounded));
        char exact[40];
        std::snprintf(exact, sizeof exact, "%.2f", width);
        r.approximated("model.mlp_ratio",
                       "mlp_ratio x d_model = %1 is rounded up to %2, a multiple of 256 as in OLMo-core."_text(
                           std::string(exact), static_cast<std::int64_t>(rounded)));
    }
}

/// "300000" and "300000ba" are steps; empty for tokens ("2e12T") and epochs ("1ep").
std::optional<std::int64_t> durationSteps(const Json& duration) {
    if (duration.is_number_integer()) return duration.get<std::int64_t>();
    if (!duration.is_string()) return {};
    std::string digits = duration.get<std::string>();
    if (digits.ends_with("ba")) digits.resize(digits.size() - 2);
    if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos) return {};
    return std::stoll(digits);
}

}  // namespace

Result<Imported> readOlmo(Text text, Text where, const RunConfig& base) {
    const auto document = parseYaml(text, where);
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "An OLMo config is a mapping."_text, where);
    KeyReader r(*document);
    Json c = slipway::toJson(base);
    readRules(r, kOlmo, c);
    if (const Json* duration = r.find("max_duration"); duration != nullptr) {
        if (const auto steps = durationSteps(*duration))
            put(c, "train.num_steps", *steps);
        else
            r.noCounterpart("max_duration", "Length in tokens or epochs; num_steps keeps its value."_text);
    }
    if (!r.problems().empty()) return finishReading(r, c, kOlmoKnown, where);
    readBetas(r, "optimizer.betas", c);
    const bool gated = r.text({"model.activation_type"}).value_or("swiglu") == "swiglu";
    put(c, "model.family", gated ? "llama" : "gpt2");
    if (!r.contains("model.layer_norm_type")) put(c, "model.norm", "layernorm");
    if (!r.contains("model.rope")) put(c, "model.position", "learned");
    put(c, "model.bias", r.flag({"model.include_bias"}).value_or(false));
    put(c, "model.max_seq_len", whole(c, "train.seq_len", 1024));
    readWidth(r, c, gated);
    if (r.flag({"model.attention_layer_norm"}) == true) {
        put(c, "model.qk_norm", true);
        r.approximated("model.attention_layer_norm",
                       "Queries and keys are normalised over all heads at once; the count is per head."_text);
    }
    if (r.flag({"model.multi_query_attention"}) == true) put(c, "model.num_kv_heads", 1);
    put(c, "train.grad_dtype", "fp32");
    if (whole(c, "parallel.zero_stage", 0) > 0 && whole(c, "parallel.dp", 1) == 1)
        r.approximated("fsdp.sharding_strategy", "The file does not give the number of ranks; parallel.dp is 1."_text);
    const double alpha = r.real({"scheduler.alpha_f"}).value_or(0.1);
    const auto name = r.text({"scheduler.name"}).value_or("cosine_with_warmup");
    if (const auto last = r.integer({"scheduler.t_max"}); last && *last != whole(c, "train.num_steps", 1))
        r.approximated("scheduler.t_max", "The learning rate decays until the last step."_text);
    if (name == "linear_with_warmup") {
        const std::int64_t steps = whole(c, "train.num_steps", 1),
                           warmup = std::min(steps, whole(c, "optimizer.schedule.warmup_steps", 0));
        c["optimizer"]["schedule"] = {{"kind", "wsd"},
                                      {"warmup_steps", warmup},
                                      {"decay_shape", "linear"},
                                      {"decay_steps", steps - warmup},
                                      {"min_lr_ratio", alpha}};
        std::erase_if(r.remarks, [](const Remark& remark) { return remark.key == "scheduler.name"; });
    } else if (name != "constant") {
        put(c, "optimizer.schedule.min_lr_ratio", alpha);
    } else {
        c["optimizer"]["schedule"].erase("min_lr_ratio");
    }
    return finishReading(r, std::move(c), kOlmoKnown, where);
}

Result<std::string> writeOlmo(const RunConfig& config, const ExportOptions&) {
    const Json c = slipway::toJson(config);
    const ModelSpec& m = config.model;
    Json out = Json::object();
    writeRules(c, kOlmo, out);
    put(out, "max_duration", config.train.numSteps);
    const bool gated = m.activationKind() == Activation::SwiGlu;
    put(out, "model.activation_type", gated ? "swiglu" : "gelu");
    put(out, "model.mlp_hidden_size", gated ? 2 * m.ffnHiddenSize : m.ffnHiddenSize);
    put(out, "model.layer_norm_type", m.normKind() == NormKind::RmsNorm ? "rms" : "default");
    put(out, "model.layer_norm_with_affine", true);
    put(out, "model.rope", m.positionKind() == PositionKind::Rope);
    put(out, "model.include_bias", m.hasBias());
    if (m.qkNorm) put(out, "model.attention_layer_norm", true);
    put(out, "optimizer.betas", Json{config.optimizer.beta1, config.optimizer.beta2});
    const LrSchedule& s = config.optimizer.schedule;
    if (s.kind != LrScheduleKind::Constant) put(out, "scheduler.alpha_f", s.minLrRatio);
    if (s.kind == LrScheduleKind::Wsd) put(out, "scheduler.name", "linear_with_warmup");
    put(out, "scheduler.t_max", config.train.numSteps);
    if (config.checkpoint.everySteps == 0) out.erase("save_interval");
    return dumpYaml(out);
}

Result<Imported> readOlmoCore(Text text, Text where, const RunConfig& base) {
    const auto document = parseYaml(text, where);  // JSON is also YAML
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "An OLMo-core config is a mapping."_text, where);
    KeyReader r(*document);
    Json c = slipway::toJson(base);
    readRules(r, kOlmoCore, c);
    if (!r.problems().empty()) return finishReading(r, c, kOlmoCoreKnown, where);
    readBetas(r, "train_module.optim.betas", c);
    if (r.find("model.block.attention.qk_norm") != nullptr) {
        put(c, "model.qk_norm", true);
        if (r.flag({"model.block.attention.use_head_qk_norm"}) != true)
            r.approximated("model.block.attention.qk_norm",
                           "Queries and keys are normalised over all heads at once; the count is per head."_text);
    }
    put(c, "model.family", "llama");
    if (r.contains("model.block.feed_forward_moe"))
        r.approximated("model.block.feed_forward_moe", "OLMo-core's experts are not read."_text);
    if (r.contains("train_module.max_sequence_length")) put(c, "model.max_seq_len", whole(c, "train.seq_len", 1024));
    readCoreBatch(r, c);
    readCoreSchedule(r, c);
    if (whole(c, "parallel.cp", 1) > 1)
        put(c, "parallel.cp_kind", r.find("train_module.cp_config.uly") != nullptr ? "ulysses" : "ring");
    const Json* schedule = peek(c, "parallel.schedule");
    if (whole(c, "parallel.pp", 1) > 1 && schedule != nullptr && *schedule != "1f1b" && *schedule != "afab")
        put(c, "parallel.virtual_stages", 2);  // OLMo-core's own number for schedules with several stages per rank
    return finishReading(r, std::move(c), kOlmoCoreKnown, where);
}

Result<std::string> writeOlmoCore(const RunConfig& config, const ExportOptions&) {
    const Json c = slipway::toJson(config);
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    writeRules(c, kOlmoCore, out);
    put(out, "model.block.layer_norm.name", m.normKind() == NormKind::RmsNorm ? "rms" : "default");
    put(out, "model.block.layer_norm.bias", m.hasBias());
    put(out, "model.block.feed_forward.bias", m.hasBias());
    put(out, "model.block.attention.bias", m.hasQkvBias());
    // Its parser has no default for the head, and the head has a norm only if stated.
    put(out, "model.lm_head.layer_norm", out["model"]["block"]["layer_norm"]);
    put(out, "model.lm_head.bias", false);
    if (m.qkNorm) {
        put(out, "model.block.attention.qk_norm", Json{{"name", "rms"}, {"eps", m.normEps}, {"bias", false}});
        put(out, "model.block.attention.use_head_qk_norm", true);
    }
    put(out, "train_module.optim._CLASS_", "olmo_core.optim.adamw.AdamWConfig");
    put(out, "train_module.optim.betas", Json{config.optimizer.beta1, config.optimizer.beta2});
    put(out, "train_module.rank_microbatch_size", t.microBatchSize * t.seqLen);
    put(out, "data_loader.global_batch_size", t.globalBatchSize * t.seqLen);
    put(out, "trainer.max_duration", Json{{"value", t.numSteps}, {"unit", "steps"}});
    const bool sharded = p.zeroStage > 0;
    const std::int64_t shard = p.dpShard.value_or(p.dp), replicas = sharded && shard > 0 ? p.dp / shard : p.dp;
    Json dp = {{"name", !sharded ? "ddp" : replicas > 1 ? "hsdp" : "fsdp"}, {"num_replicas", replicas}};
    if (sharded) dp["shard_degree"] = shard;
    dp["param_dtype"] = t.precision == Precision::Bf16 || t.precision == Precision::Fp8 ? "bfloat16"
                        : t.precision == Precision::Fp16                                ? "float16"
                                                                                        : "float32";
    if (p.dp * p.cp > 1) dp["reduce_dtype"] = p.reduceDtype == ReduceDtype::Bf16 ? "bfloat16" : "float32";
    put(out, "train_module.dp_config", std::move(dp));
    if (t.precision == Precision::Fp8) put(out, "train_module.float8_config.enabled", true);
    for (const auto& [key, degree] : {std::pair{"tp_config", p.tp}, std::pair{"cp_config", p.cp},
                                      std::pair{"pp_config", p.pp}, std::pair{"ep_config", p.ep}})
        if (degree == 1) out["train_module"].erase(key);
    if (p.cp > 1)
        put(out, p.cpKind == CpKind::Ulysses ? "train_module.cp_config.uly" : "train_module.cp_config.ring",
            p.cpKind == CpKind::Ulysses ? Json::object() : Json{{"load_balancer", "zig_zag"}});
    if (config.checkpoint.everySteps == 0) out["trainer"].erase("callbacks");
    const LrSchedule& s = config.optimizer.schedule;
    const bool linear = s.kind == LrScheduleKind::Wsd && s.decaySteps == t.numSteps - s.warmupSteps;
    const char* name = s.kind == LrScheduleKind::Cosine     ? "CosWithWarmup"
                       : s.kind == LrScheduleKind::Constant ? "ConstantWithWarmup"
                       : linear                             ? "LinearWithWarmup"
                                                            : "WSD";
    Json scheduler = {{"_CLASS_", std::string("olmo_core.optim.scheduler.") + name}, {"warmup", s.warmupSteps}};
    if (s.kind == LrScheduleKind::Wsd && !linear) {
        scheduler["decay"] = s.decaySteps;
        scheduler["decay_fraction"] = nullptr;  // has a default, and only one of the two may be given
        scheduler["decay_min_lr"] = endOf(config.optimizer.lr, s.minLrRatio);
    }
    if (s.kind == LrScheduleKind::Cosine || linear) scheduler["alpha_f"] = s.minLrRatio;
    put(out, "train_module.scheduler", std::move(scheduler));
    return dumpJson(out, true);
}

}  // namespace slipway::interop
