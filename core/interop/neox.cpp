// GPT-NeoX's YAML. Keys and defaults: EleutherAI/gpt-neox configs/neox_arguments.md.
#include "core/base/json_members.h"
#include "core/interop/readers.h"
#include "core/interop/rules.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace slipway::interop {
namespace {

const Rules kRules = {
    {"num_layers", "model.num_layers"},
    {"hidden_size", "model.hidden_size"},
    {"intermediate_size", "model.ffn_hidden_size"},
    {"num_attention_heads", "model.num_heads"},
    {"num_kv_heads", "model.num_kv_heads"},
    {"max_position_embeddings", "model.max_seq_len"},
    {"rotary_emb_base", "model.rope_theta"},
    {"use_qk_layernorm", "model.qk_norm"},
    {"sliding_window_width", "model.sliding_window"},
    {"seq_length", "train.seq_len"},
    {"train_iters", "train.num_steps"},
    {"seed", "train.seed"},
    {"train_micro_batch_size_per_gpu", "train.micro_batch_size"},
    {"checkpoint_activations", "train.recompute.policy", {{"true", "full"}, {"false", "none"}}},
    {"optimizer.type", "optimizer.kind", {{"Adam", "adamw"}, {"AdamW", "adamw"}}},
    {"optimizer.params.lr", "optimizer.lr"},
    {"optimizer.params.eps", "optimizer.eps"},
    {"weight_decay", "optimizer.weight_decay"},
    {"gradient_clipping", "optimizer.clip_norm"},
    {"lr_decay_style", "optimizer.schedule.kind", {{"constant", "constant"}, {"cosine", "cosine"}}},
    {"model_parallel_size", "parallel.tp"},
    {"context_parallel_size", "parallel.cp"},
    {"sequence_parallel", "parallel.sequence_parallel"},
    {"zero_optimization.stage", "parallel.zero_stage"},
    {"zero_optimization.overlap_comm", "parallel.overlap_grad_reduce"},
    {"zero_optimization.offload_optimizer.device",
     "parallel.offload",
     {{"cpu", "optimizer"}, {"none", "none"}, {"cpu", "all"}}},
    {"fp32_allreduce", "parallel.reduce_dtype", {{"true", "fp32"}, {"false", "bf16"}}},
    {"checkpoint_factor", "checkpoint.every_steps"},
    {"keep_last_n_checkpoints", "checkpoint.keep"},
};

const std::vector<std::string_view> kKnown = {"data_path",
                                              "train_data_paths",
                                              "valid_data_paths",
                                              "test_data_paths",
                                              "data_impl",
                                              "split",
                                              "vocab_file",
                                              "merge_file",
                                              "tokenizer_type",
                                              "save",
                                              "load",
                                              "log_*",
                                              "tensorboard_*",
                                              "use_wandb",
                                              "wandb_*",
                                              "eval_*",
                                              "steps_per_print",
                                              "wall_clock_breakdown",
                                              "hidden_dropout",
                                              "attention_dropout",
                                              "init_method",
                                              "output_layer_init_method",
                                              "attention_config",
                                              "scaled_*",
                                              "bias_gelu_fusion",
                                              "rotary_pct",
                                              "gpt_j_residual",
                                              "gpt_j_tied",
                                              "output_layer_parallelism",
                                              "make_vocab_size_divisible_by",
                                              "partition_activations",
                                              "checkpoint_num_layers",
                                              "synchronize_each_layer",
                                              "checkpoint_in_cpu",
                                              "zero_optimization.*",
                                              "fp16.*",
                                              "bf16.*",
                                              "launcher",
                                              "deepspeed_*",
                                              "hostfile",
                                              "num_gpus",
                                              "num_nodes",
                                              "master_port",
                                              "distributed_backend",
                                              "lr_decay_iters",
                                              "extra_save_iters",
                                              "num_workers",
                                              "dynamic_loss_scale",
                                              "optimizer.params.*",
                                              "data_types.*",
                                              "include",
                                              "rope_fusion",
                                              "layernorm_fusion",
                                              "rmsnorm_fusion",
                                              "checkpoint_scale",
                                              "checkpoint_validation_*",
                                              "global_num_gpus",
                                              "pipe_partition_method",
                                              "use_flash_attn",
                                              "is_pipe_parallel",
                                              "model_parallel_*"};

void readModel(KeyReader& r, Json& c) {
    const bool gated = r.text({"activation"}) == "swiglu" || r.text({"mlp_type"}) == "llama";
    const auto act = r.text({"activation"});
    if (act && *act != "swiglu" && *act != "gelu")
        r.approximated("activation", "This activation is read as GELU: same matrices and products."_text);
    put(c, "model.family", gated ? "llama" : "gpt2");
    const bool rms = r.text({"norm"}).value_or("layernorm") == "rmsnorm";
    put(c, "model.norm", rms ? "rmsnorm" : "layernorm");
    if (const auto eps = rms ? r.real({"rms_norm_epsilon"}) : r.real({"layernorm_epsilon"}))
        put(c, "model.norm_eps", *eps);
    const auto position = r.text({"pos_emb"}).value_or("learned");
    put(c, "model.position", position == "rotary" ? "rope" : "learned");
    if (position != "rotary" && position != "learned") {
        put(c, "model.position", "rope");
        r.approximated("pos_emb", "Positions without a table, planned as rotary."_text);
    }
    if (const auto part = r.real({"rotary_pct"}); part && position == "rotary") putRotaryPart(c, *part);
    if (!r.contains("intermediate_size")) put(c, "model.ffn_hidden_size", 4 * whole(c, "model.hidden_size", 1));
    put(c, "model.tie_embeddings", !r.flag({"no_weight_tying"}).value_or(false));
    const bool attention = r.flag({"use_bias_in_attn_linear"}).value_or(true),
               mlp = r.flag({"use_bias_in_mlp"}).value_or(true);
    const bool norms = r.flag({"use_bias_in_norms"}).value_or(true);
    put(c, "model.bias", mlp);
    if (attention != mlp) {
        put(c, "model.qkv_bias", attention);
        r.approximated("use_bias_in_attn_linear",
                       "The bias of the attention output projection follows use_bias_in_mlp."_text);
    }
    if (!rms && norms != mlp) r.approximated("use_bias_in_norms", "Biases of the norms follow the linear layers."_text);
    if (const auto type = r.integer({"moe_num_experts"}); type && *type > 1)
        r.approximated("moe_num_experts", "GPT-NeoX's experts are not read."_text);
}

void readTraining(KeyReader& r, Json& c) {
    const auto precision = r.text({"precision"});
    const bool bf16 = precision == "bfloat16" || r.flag({"bf16.enabled"}).value_or(false);
    const bool fp16 = precision ? *precision == "fp16" : !bf16 && r.flag({"fp16.enabled"}).value_or(false);
    put(c, "train.precision", bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
    put(c, "train.grad_dtype", "fp32");
    if (const auto accumulate = r.text({"data_types.grad_accum_dtype"}); accumulate && *accumulate == "bf16")
        put(c, "train.grad_dtype", "bf16");
    const std::int64_t pp = std::max<std::int64_t>(1, r.integer({"pipe_parallel_size"}).value_or(0));
    put(c, "parallel.pp", pp);
    if (pp > 1) put(c, "parallel.schedule", "1f1b");
    if (whole(c, "parallel.cp", 1) > 1) put(c, "parallel.cp_kind", "ring");
    const auto total = r.integer({"train_batch_size"});
    const auto accumulation =
        std::clamp<std::int64_t>(r.integer({"gradient_accumulation_steps", "gas"}).value_or(1), 1, 100000000);
    const std::int64_t each = std::max<std::int64_t>(1, whole(c, "train.micro_batch_size", 1)) * accumulation;
    if (total && *total % each == 0)
        put(c, "parallel.dp", *total / each);
    else if (total)
        r.problem("train_batch_size", "%1 must be a multiple of micro-batch x gradient_accumulation_steps."_text);
    put(c, "train.global_batch_size", total ? *total : each * whole(c, "parallel.dp", 1));
    if (const Json* betas = r.find("optimizer.params.betas"); betas != nullptr && betas->is_array() &&
                                                              betas->size() == 2 && (*betas)[0].is_number() &&
                                                              (*betas)[1].is_number()) {
        put(c, "optimizer.beta1", (*betas)[0]);
        put(c, "optimizer.beta2", (*betas)[1]);
    }
    // Elements of one bucket; gradients are reduced in reduce_dtype.
    const Json* reduce = peek(c, "parallel.reduce_dtype");
    if (const auto elements = r.integer({"zero_optimization.reduce_bucket_size"});
        elements && *elements > 0 && *elements < 1000000000000)
        put(c, "parallel.bucket_bytes", *elements * (reduce != nullptr && *reduce == "bf16" ? 2 : 4));
    const std::int64_t steps = whole(c, "train.num_steps", 1);
    const auto style = r.text({"lr_decay_style"}).value_or("linear");
    const double lr = peek(c, "optimizer.lr")->get<double>();
    Json s = {{"warmup_steps",
               static_cast<std::int64_t>(std::llround(std::clamp(r.real({"warmup"}).value_or(0.01), 0.0, 1.0) *
                                                      static_cast<double>(steps)))}};
    const double ratio = ratioOf(r.real({"min_lr"}).value_or(0), lr);
    if (style == "constant")
        s["kind"] = "constant";
    else if (style == "cosine")
        s.update(Json{{"kind", "cosine"}, {"min_lr_ratio", ratio}});
    else
        s.update(Json{{"kind", "wsd"},
                      {"decay_shape", "linear"},
                      {"decay_steps", steps - s["warmup_steps"].get<std::int64_t>()},
                      {"min_lr_ratio", ratio}});
    std::erase_if(r.remarks,
                  [](const Remark& remark) { return remark.key == "lr_decay_style" && remark.value == "\"linear\""; });
    c["optimizer"]["schedule"] = std::move(s);
}

}  // namespace

Result<Imported> readNeox(Text text, Text where, const RunConfig& base) {
    const auto parsed = parseYaml(text, where);
    if (!parsed) return fail(parsed.error());
    if (!parsed->is_object()) return fail("bad_config", "A GPT-NeoX config is a mapping."_text, where);
    Json document = Json::object();  // hyphens and underscores are the same in its keys
    std::map<std::string, Json> spelled;
    std::vector<std::string> order;
    for (const auto& item : parsed->items()) {
        std::string key = item.key();
        std::replace(key.begin(), key.end(), '-', '_');
        if (spelled.insert_or_assign(key, item.value()).second) order.push_back(std::move(key));
    }
    for (const std::string& key : order) appendMember(document, key, std::move(spelled[key]));
    KeyReader r(document);
    Json c = slipway::toJson(base);
    readRules(r, kRules, c);
    if (!r.problems().empty()) return finishReading(r, c, kKnown, where);
    readModel(r, c);
    readTraining(r, c);
    return finishReading(r, std::move(c), kKnown, where);
}

Result<std::string> writeNeox(const RunConfig& config, const ExportOptions&) {
    const Json c = slipway::toJson(config);
    const ModelSpec& m = config.model;
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    writeRules(c, kRules, out);
    const bool rms = m.normKind() == NormKind::RmsNorm;
    out["norm"] = rms ? "rmsnorm" : "layernorm";
    out[rms ? "rms_norm_epsilon" : "layernorm_epsilon"] = m.normEps;
    out["pos_emb"] = m.positionKind() == PositionKind::Rope ? "rotary" : "learned";
    if (m.positionKind() == PositionKind::Rope && m.rotaryDim) out["rotary_pct"] = rotaryPart(m);
    out["activation"] = m.activationKind() == Activation::SwiGlu ? "swiglu" : "gelu";
    out["no_weight_tying"] = !m.tieEmbeddings;
    out["use_bias_in_norms"] = m.hasBias();
    out["use_bias_in_attn_linear"] = m.hasQkvBias();
    out["use_bias_in_mlp"] = m.hasBias();
    out["pipe_parallel_size"] = p.pp;
    out["train_batch_size"] = t.globalBatchSize;
    const std::int64_t chunk = t.microBatchSize * p.dp;
    if (chunk > 0 && t.globalBatchSize % chunk == 0) out["gradient_accumulation_steps"] = t.globalBatchSize / chunk;
    out["precision"] = t.precision == Precision::Bf16 ? "bfloat16" : t.precision == Precision::Fp16 ? "fp16" : "fp32";
    if (t.gradDtype == Precision::Bf16) put(out, "data_types.grad_accum_dtype", "bf16");
    out["optimizer"]["params"]["betas"] = {config.optimizer.beta1, config.optimizer.beta2};
    const std::int64_t bytes = p.reduceDtype == ReduceDtype::Bf16 ? 2 : 4;
    if (p.dp > 1 && p.bucketBytes % bytes == 0) put(out, "zero_optimization.reduce_bucket_size", p.bucketBytes / bytes);
    if (config.checkpoint.everySteps == 0) out.erase("checkpoint_factor");
    const LrSchedule& s = config.optimizer.schedule;
    if (s.kind == LrScheduleKind::Wsd) out["lr_decay_style"] = "linear";
    out["lr_decay_iters"] = t.numSteps;
    out["warmup"] = static_cast<double>(s.warmupSteps) / static_cast<double>(std::max<std::int64_t>(1, t.numSteps));
    if (s.kind != LrScheduleKind::Constant) out["min_lr"] = endOf(config.optimizer.lr, s.minLrRatio);
    return dumpYaml(out);
}

}  // namespace slipway::interop
