// DeepSpeed's JSON config. Keys and defaults: deepspeed.ai/docs/config-json.
#include "core/interop/readers.h"
#include "core/interop/rules.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace slipway::interop {
namespace {

const Rules kRules = {
    {"train_micro_batch_size_per_gpu", "train.micro_batch_size"},
    {"gradient_clipping", "optimizer.clip_norm"},
    {"optimizer.params.lr", "optimizer.lr"},
    {"optimizer.params.eps", "optimizer.eps"},
    {"optimizer.params.weight_decay", "optimizer.weight_decay"},
    {"optimizer.type", "optimizer.kind", {{"AdamW", "adamw"}, {"Adam", "adamw"}, {"FusedAdam", "adamw"}}},
    {"zero_optimization.stage", "parallel.zero_stage"},
    {"zero_optimization.overlap_comm", "parallel.overlap_grad_reduce"},
    {"zero_optimization.offload_optimizer.device",
     "parallel.offload",
     {{"cpu", "optimizer"}, {"none", "none"}, {"cpu", "all"}}},
    {"zero_optimization.mics_shard_size", "parallel.dp_shard"},
    {"data_types.grad_accum_dtype", "train.grad_dtype", {{"fp32", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}}},
    {"communication_data_type", "parallel.reduce_dtype", {{"fp32", "fp32"}, {"bf16", "bf16"}, {"bfp16", "bf16"}}},
    {"tensor_parallel.autotp_size", "parallel.tp"},
    {"sequence_parallel_size", "parallel.cp"},
};

const std::vector<std::string_view> kKnown = {"steps_per_print",
                                              "wall_clock_breakdown",
                                              "prescale_gradients",
                                              "gradient_predivide_factor",
                                              "dump_state",
                                              "fp16.*",
                                              "bf16.*",
                                              "zero_optimization.allgather_bucket_size",
                                              "zero_optimization.allgather_partitions",
                                              "zero_optimization.reduce_scatter",
                                              "zero_optimization.contiguous_gradients",
                                              "zero_optimization.offload_optimizer.*",
                                              "zero_optimization.offload_param.*",
                                              "zero_optimization.stage3_*",
                                              "zero_optimization.sub_group_size",
                                              "zero_optimization.round_robin_gradients",
                                              "zero_optimization.zero_hpz_partition_size",
                                              "zero_optimization.zero_quantized_*",
                                              "zero_optimization.mics_*",
                                              "zero_optimization.load_from_fp32_weights",
                                              "zero_optimization.elastic_checkpoint",
                                              "zero_optimization.ignore_unused_parameters",
                                              "zero_allow_untested_optimizer",
                                              "activation_checkpointing.*",
                                              "aio.*",
                                              "flops_profiler.*",
                                              "tensorboard.*",
                                              "wandb.*",
                                              "csv_monitor.*",
                                              "comms_logger.*",
                                              "sparse_attention.*",
                                              "elasticity.*",
                                              "autotuning.*",
                                              "checkpoint.*",
                                              "data_efficiency.*",
                                              "curriculum_learning.*",
                                              "compression_training.*",
                                              "pipeline.*",
                                              "amp.*",
                                              "torch_autocast.*",
                                              "optimizer.params.torch_adam",
                                              "optimizer.params.adam_w_mode",
                                              "disable_allgather",
                                              "sparse_gradients",
                                              "memory_breakdown",
                                              "scheduler.params.*",
                                              "compile.*",
                                              "zero_force_ds_cpu_optimizer",
                                              "seed"};

void readBatch(KeyReader& r, Json& c) {
    const auto total = r.integer({"train_batch_size"});
    const auto micro = r.integer({"train_micro_batch_size_per_gpu"});
    const auto accumulation = r.integer({"gradient_accumulation_steps"});
    const auto sane = [](std::int64_t v) { return v > 0 && v <= 100000000; };
    const std::int64_t each = micro.value_or(1), steps = accumulation.value_or(1);
    if (!sane(each) || !sane(steps) || !sane(each * steps) || (total && !sane(*total)))
        return r.problem("train_batch_size", "%1 and its factors must be positive."_text);
    if (total) {
        put(c, "train.global_batch_size", *total);
        // train_batch_size = micro batch x accumulation x data-parallel ranks.
        if (accumulation || !micro) {
            if (*total % (each * steps) == 0)
                put(c, "parallel.dp", *total / (each * steps));
            else
                r.problem("train_batch_size",
                          "%1 must be a multiple of micro-batch x gradient_accumulation_steps."_text);
        }
    } else {
        put(c, "train.global_batch_size", each * steps * whole(c, "parallel.dp", 1));
    }
}

/// DeepSpeed's own defaults: a first scale of 2^16, doubled after 1,000 steps without overflow.
void readLossScale(KeyReader& r, Json& c) {
    const auto power = r.integer({"fp16.initial_scale_power"}).value_or(16);
    if (power < 0 || power > 24) return r.problem("fp16.initial_scale_power", "%1 must be from 0 to 24."_text);
    put(c, "train.loss_scale", std::ldexp(1.0, static_cast<int>(power)));
    put(c, "train.loss_scale_interval", r.integer({"fp16.loss_scale_window"}).value_or(1000));
    if (const auto fixed = r.real({"fp16.loss_scale"}); fixed && *fixed > 0) {
        put(c, "train.loss_scale", *fixed);
        r.approximated("fp16.loss_scale", "The fixed scale becomes the initial one; overflows halve it."_text);
    }
    if (const auto overflows = r.integer({"fp16.hysteresis"}); overflows && *overflows != 1)
        r.approximated("fp16.hysteresis",
                       "Overflows tolerated before the scale is halved; here the first one halves it."_text);
    if (r.contains("fp16.min_loss_scale"))
        r.noCounterpart("fp16.min_loss_scale", "Smallest loss scale; Slipway has no field for it."_text);
}

void readPrecision(KeyReader& r, Json& c) {
    const bool bf16 = r.flag({"bf16.enabled", "bfloat16.enabled"}).value_or(false),
               fp16 = r.flag({"fp16.enabled"}).value_or(false);
    put(c, "train.precision", bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
    if (fp16 && !bf16) readLossScale(r, c);
    // Gradients are sent in their computed format unless communication_data_type overrides it.
    if (!r.contains("communication_data_type") && whole(c, "parallel.dp", 1) * whole(c, "parallel.cp", 1) > 1)
        put(c, "parallel.reduce_dtype", bf16 ? "bf16" : "fp32");
    if (!r.contains("data_types.grad_accum_dtype")) put(c, "train.grad_dtype", "fp32");
    const Json* reduce = peek(c, "parallel.reduce_dtype");
    if (const auto elements = r.integer({"zero_optimization.reduce_bucket_size"});
        elements && *elements > 0 && *elements < 1000000000000)
        put(c, "parallel.bucket_bytes", *elements * (reduce != nullptr && *reduce == "bf16" ? 2 : 4));
    const auto device = r.text({"zero_optimization.offload_param.device"});
    if (device && *device != "none")
        r.noCounterpart("zero_optimization.offload_param.device",
                        "Offloaded weights are not part of the forecast."_text);
}

void readSchedule(KeyReader& r, Json& c) {
    if (const Json* betas = r.find("optimizer.params.betas"); betas != nullptr) {
        if (betas->is_array() && betas->size() == 2 && (*betas)[0].is_number() && (*betas)[1].is_number()) {
            put(c, "optimizer.beta1", (*betas)[0]);
            put(c, "optimizer.beta2", (*betas)[1]);
        } else {
            r.problem("optimizer.params.betas", "%1 must be two numbers."_text);
        }
    }
    const auto type = r.text({"scheduler.type"});
    Json schedule = Json::object();
    const std::int64_t warmup = r.integer({"scheduler.params.warmup_num_steps"}).value_or(0);
    const auto total = r.integer({"scheduler.params.total_num_steps"});
    if (const auto peak = r.real({"scheduler.params.warmup_max_lr"})) put(c, "optimizer.lr", *peak);
    schedule["warmup_steps"] = warmup;
    if (total) put(c, "train.num_steps", *total);
    const std::int64_t steps = c["train"]["num_steps"].get<std::int64_t>();
    if (!type || *type == "WarmupLR") {
        schedule["kind"] = "constant";
    } else if (*type == "WarmupDecayLR") {
        schedule.update(Json{{"kind", "wsd"},
                             {"decay_shape", "linear"},
                             {"decay_steps", std::max<std::int64_t>(0, steps - warmup)},
                             {"min_lr_ratio", 0.0}});
    } else if (*type == "WarmupCosineLR") {
        schedule["kind"] = "cosine";
        schedule["min_lr_ratio"] = r.real({"scheduler.params.cos_min_ratio"}).value_or(0.0001);
    } else {
        r.approximated("scheduler.type", "Slipway has no such schedule; the learning rate stays constant."_text);
        schedule["kind"] = "constant";
    }
    if (!type) schedule.erase("warmup_steps");
    c["optimizer"]["schedule"] = std::move(schedule);
}

}  // namespace

Result<Imported> readDeepSpeed(Text text, Text where, const RunConfig& base) {
    const auto document = parseJson(text, where);
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "A DeepSpeed config is an object { ... }."_text, where);
    // "auto" in Hugging Face's integration means "fill this in at start".
    Json known = *document;
    KeyReader first(*document);
    Remarks automatic;
    const auto prune = [&](const auto& self, Json& node, const std::string& prefix) -> void {
        for (auto it = node.begin(); it != node.end();) {
            const std::string key = prefix.empty() ? it.key() : prefix + "." + it.key();
            if (it->is_object()) self(self, *it, key);
            if (*it == "auto") {
                automatic.push_back({RemarkKind::NoCounterpart, key, "\"auto\"",
                                     "The trainer fills this in at start; the default is used."_text});
                it = node.erase(it);
            } else {
                ++it;
            }
        }
    };
    prune(prune, known, "");
    KeyReader r(known);
    Json c = slipway::toJson(base);
    readRules(r, kRules, c);
    if (c["parallel"].contains("cp") && c["parallel"]["cp"] != 1) put(c, "parallel.cp_kind", "ulysses");
    readBatch(r, c);
    readPrecision(r, c);
    readSchedule(r, c);
    auto imported = finishReading(r, std::move(c), kKnown, where);
    if (imported) imported->remarks.insert(imported->remarks.end(), automatic.begin(), automatic.end());
    return imported;
}

Json deepSpeedDocument(const RunConfig& config) {
    const Json c = slipway::toJson(config);
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    out["train_batch_size"] = t.globalBatchSize;
    writeRules(c, kRules, out);
    const std::int64_t chunk = t.microBatchSize * p.dp;
    if (chunk > 0 && t.globalBatchSize % chunk == 0) out["gradient_accumulation_steps"] = t.globalBatchSize / chunk;
    out["bf16"] = {{"enabled", t.precision == Precision::Bf16}};
    out["fp16"] = {{"enabled", t.precision == Precision::Fp16}};
    if (t.precision == Precision::Fp16) {
        // Only powers of two can be expressed.
        if (const double power = std::log2(t.lossScale); power == std::floor(power))
            out["fp16"]["initial_scale_power"] = static_cast<std::int64_t>(power);
        out["fp16"]["loss_scale_window"] = t.lossScaleInterval;
        out["fp16"]["hysteresis"] = 1;
    }
    out["optimizer"]["params"]["betas"] = {config.optimizer.beta1, config.optimizer.beta2};
    const std::int64_t bytes = p.reduceDtype == ReduceDtype::Bf16 ? 2 : 4;
    if (p.dp * p.cp > 1 && p.bucketBytes % bytes == 0)
        put(out, "zero_optimization.reduce_bucket_size", p.bucketBytes / bytes);
    if (p.zeroStage != 3) out["zero_optimization"].erase("mics_shard_size");
    if (p.tp == 1) out.erase("tensor_parallel");
    if (p.cp == 1) out.erase("sequence_parallel_size");
    const LrSchedule& s = config.optimizer.schedule;
    Json params = {{"warmup_num_steps", s.warmupSteps}, {"warmup_type", "linear"}};
    const bool linear = s.kind == LrScheduleKind::Wsd && s.decayShape == DecayShape::Linear && s.minLrRatio == 0 &&
                        s.decaySteps == t.numSteps - s.warmupSteps;
    if (s.kind == LrScheduleKind::Cosine) {
        params = {
            {"total_num_steps", t.numSteps}, {"warmup_num_steps", s.warmupSteps}, {"cos_min_ratio", s.minLrRatio}};
        out["scheduler"]["type"] = "WarmupCosineLR";
    } else {
        out["scheduler"]["type"] = linear ? "WarmupDecayLR" : "WarmupLR";
        if (linear) params["total_num_steps"] = t.numSteps;
        params["warmup_min_lr"] = 0;
        params["warmup_max_lr"] = config.optimizer.lr;
    }
    out["scheduler"]["params"] = std::move(params);
    return out;
}

Result<std::string> writeDeepSpeed(const RunConfig& config, const ExportOptions&) {
    return dumpJson(deepSpeedDocument(config), true);
}

}  // namespace slipway::interop
