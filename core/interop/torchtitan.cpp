// torchtitan's TOML. Keys and defaults: pytorch/torchtitan torchtitan/config/job_config.py, as documented there.
#include "core/interop/readers.h"
#include "core/interop/rules.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace slipway::interop {
namespace {

const Rules kRules = {
    {"optimizer.name", "optimizer.kind", {{"AdamW", "adamw"}, {"Adam", "adamw"}}},
    {"optimizer.lr", "optimizer.lr"},
    {"optimizer.beta1", "optimizer.beta1"},
    {"optimizer.beta2", "optimizer.beta2"},
    {"optimizer.eps", "optimizer.eps"},
    {"optimizer.weight_decay", "optimizer.weight_decay"},
    {"lr_scheduler.warmup_steps", "optimizer.schedule.warmup_steps"},
    {"training.seq_len", "train.seq_len"},
    {"training.steps", "train.num_steps"},
    {"training.max_norm", "optimizer.clip_norm"},
    {"debug.seed", "train.seed"},
    {"parallelism.tensor_parallel_degree", "parallel.tp"},
    {"parallelism.pipeline_parallel_degree", "parallel.pp"},
    {"parallelism.context_parallel_degree", "parallel.cp"},
    {"parallelism.expert_parallel_degree", "parallel.ep"},
    {"parallelism.expert_tensor_parallel_degree", "parallel.etp"},
    {"parallelism.context_parallel_rotate_method",
     "parallel.cp_kind",
     {{"allgather", "all_gather"}, {"alltoall", "ring"}}},
    {"parallelism.pipeline_parallel_schedule",
     "parallel.schedule",
     {{"1F1B", "1f1b"},
      {"GPipe", "afab"},
      {"Interleaved1F1B", "interleaved_1f1b"},
      {"ZBVZeroBubble", "zb_v"},
      {"DualPipeV", "dualpipe_v"}}},
    {"activation_checkpoint.mode",
     "train.recompute.policy",
     {{"none", "none"}, {"selective", "selective"}, {"full", "full"}}},
};

const std::vector<std::string_view> kKnown = {"job.*",
                                              "profiling.*",
                                              "metrics.*",
                                              "model.tokenizer_path",
                                              "model.hf_assets_path",
                                              "model.converters",
                                              "model.print_after_conversion",
                                              "model.*",
                                              "optimizer.implementation",
                                              "optimizer.early_step_in_backward",
                                              "training.dataset",
                                              "training.dataset_path",
                                              "training.compile",
                                              "training.gc_*",
                                              "training.deterministic",
                                              "training.mixed_precision_reduce",
                                              "training.dtype",
                                              "parallelism.enable_*",
                                              "parallelism.disable_loss_parallel",
                                              "parallelism.pipeline_parallel_split_points",
                                              "parallelism.module_fqns_per_model_part",
                                              "parallelism.pipeline_parallel_*",
                                              "parallelism.fsdp_*",
                                              "checkpoint.*",
                                              "activation_checkpoint.*",
                                              "compile.*",
                                              "quantize.*",
                                              "float8.*",
                                              "mx.*",
                                              "comm.*",
                                              "memory_estimation.*",
                                              "fault_tolerance.*",
                                              "experimental.*",
                                              "validation.*",
                                              "debug.*",
                                              "lr_scheduler.*"};

/// Shapes of the flavours in torchtitan's model registry, as far as they are checked here.
struct Flavor {
    const char *model, *name;
    std::int64_t layers, hidden, ffn, heads, kvHeads, vocab, maxSeqLen;
    double theta;
    std::int64_t headDim = 0;
    bool tied = false, qkNorm = false;
    double eps = 1e-5;
};
constexpr Flavor kFlavors[] = {
    {"llama3", "8B", 32, 4096, 14336, 32, 8, 128256, 131072, 500000},
    {"llama3", "70B", 80, 8192, 28672, 64, 8, 128256, 131072, 500000},
    {"llama3", "405B", 126, 16384, 53248, 128, 8, 128256, 131072, 500000},
    {"qwen3", "0.6B", 28, 1024, 3072, 16, 8, 151936, 4096, 1000000, 128, true, true, 1e-6},
    {"qwen3", "1.7B", 28, 2048, 6144, 16, 8, 151936, 4096, 1000000, 128, true, true, 1e-6},
    {"qwen3", "32B", 64, 5120, 25600, 64, 8, 151936, 4096, 1000000, 128, false, true, 1e-6},
};

ModelSpec modelOf(const Flavor& f) {
    ModelSpec m;
    m.numLayers = f.layers;
    m.hiddenSize = f.hidden;
    m.ffnHiddenSize = f.ffn;
    m.numHeads = f.heads;
    m.numKvHeads = f.kvHeads;
    m.vocabSize = f.vocab;
    m.maxSeqLen = f.maxSeqLen;
    m.ropeTheta = f.theta;
    m.normEps = f.eps;
    m.tieEmbeddings = f.tied;
    m.qkNorm = f.qkNorm;
    if (f.headDim > 0) m.headDim = f.headDim;
    return m;
}

/// Older versions kept the degrees of [parallelism] under [training] and [experimental]. Moves them; returns old key by new key.
std::map<std::string, std::string> moveDegrees(Json& document) {
    static constexpr std::pair<const char*, const char*> kMoved[] = {
        {"data_parallel_replicate_degree", "data_parallel_replicate_degree"},
        {"data_parallel_shard_degree", "data_parallel_shard_degree"},
        {"data_parallel_degree", "data_parallel_shard_degree"},
        {"tensor_parallel_degree", "tensor_parallel_degree"},
        {"pipeline_parallel_degree", "pipeline_parallel_degree"},
        {"pipeline_parallel_schedule", "pipeline_parallel_schedule"},
        {"context_parallel_degree", "context_parallel_degree"},
        {"context_parallel_rotate_method", "context_parallel_rotate_method"}};
    std::map<std::string, std::string> moved;
    for (const char* section : {"training", "experimental"})
        for (const auto& [old, name] : kMoved) {
            const auto from = document.find(section);
            if (from == document.end() || !from->is_object() || !from->contains(old)) continue;
            Json& to = document["parallelism"];
            if (!to.is_null() && (!to.is_object() || to.contains(name))) continue;
            Json value = (*document.find(section))[old];
            to[name] = std::move(value);
            document[section].erase(old);
            moved[std::string("parallelism.") + name] = std::string(section) + "." + old;
        }
    return moved;
}

std::int64_t degree(const Json& c, const char* path) {
    const Json* v = peek(c, path);
    return v != nullptr && v->is_number_integer() ? std::clamp<std::int64_t>(v->get<std::int64_t>(), 1, 100000000) : 1;
}

void readModel(KeyReader& r, Json& c) {
    const auto name = r.text({"model.name"}), flavor = r.text({"model.flavor"});
    if (!name && !flavor) return;
    for (const Flavor& f : kFlavors)
        if (name == f.model && flavor == f.name) {
            RunConfig shaped;
            shaped.model = modelOf(f);
            c["model"] = slipway::toJson(canonical(shaped).model);
            // The tables of rotary angles are made for the training sequence length.
            return;
        }
    r.approximated("model.flavor",
                   "The shape is in torchtitan's sources, not in the file; the model is unchanged."_text);
}

void readData(KeyReader& r, Json& c) {
    const auto replicate = r.integer({"parallelism.data_parallel_replicate_degree"}).value_or(1);
    const auto shard = r.integer({"parallelism.data_parallel_shard_degree"}).value_or(-1);
    std::int64_t sharded = shard;
    if (replicate < 1 || replicate > 1000000 || shard > 1000000 || shard == 0)
        return r.problem("parallelism.data_parallel_shard_degree",
                         "%1 must be a positive whole number, or -1 for the remaining ranks."_text);
    if (shard < 0) {
        sharded = std::max<std::int64_t>(1, degree(c, "parallel.dp") / replicate);
        r.approximated("parallelism.data_parallel_shard_degree",
                       "It takes the remaining ranks, whose number the file does not give; dp keeps its value."_text);
    }
    put(c, "parallel.dp", replicate * sharded);
    put(c, "parallel.zero_stage", sharded > 1 || shard < 0 ? 3 : 0);  // FSDP over any number of ranks
    if (sharded > 1 && replicate > 1) put(c, "parallel.dp_shard", sharded);
    const auto reshard = r.text({"parallelism.fsdp_reshard_after_forward"}).value_or("default");
    const bool pipeline = degree(c, "parallel.pp") > 1;
    if (sharded > 1)
        put(c, "parallel.reshard_after_forward", reshard == "always" || (reshard == "default" && !pipeline));
    if (replicate * sharded * degree(c, "parallel.cp") > 1) {
        const auto reduce = r.text({"training.mixed_precision_reduce"}).value_or("float32");
        put(c, "parallel.reduce_dtype", reduce == "bfloat16" ? "bf16" : "fp32");
    }
    const bool mixed = r.text({"training.mixed_precision_param"}).value_or("bfloat16") == "bfloat16";
    put(c, "train.precision", mixed ? "bf16" : "fp32");
    put(c, "train.grad_dtype", "fp32");
    if (const auto seed = r.integer({"training.seed"})) put(c, "train.seed", *seed);  // its section until version 0.2
    if (r.flag({"training.enable_cpu_offload"}) == true) {
        put(c, "parallel.offload", "optimizer");
        r.approximated("training.enable_cpu_offload",
                       "Weights and gradients move to the host there, too; here only the optimizer states do."_text);
    }
    if (degree(c, "parallel.tp") > 1) put(c, "parallel.sequence_parallel", true);
    if (r.flag({"parallelism.enable_async_tensor_parallel", "compile.enable_async_tensor_parallel",
                "experimental.enable_async_tensor_parallel"}) == true)
        put(c, "parallel.async_tp", true);

    const std::int64_t dp = replicate * sharded;
    const auto local = std::clamp<std::int64_t>(
        r.integer({"training.local_batch_size", "training.batch_size"}).value_or(8), 1, 100000000);
    const auto global = r.integer({"training.global_batch_size"}).value_or(-1);
    put(c, "train.global_batch_size", global > 0 ? global : local * dp);
    const auto micro = r.integer({"parallelism.pipeline_parallel_microbatch_size"});
    put(c, "train.micro_batch_size", pipeline ? micro.value_or(1) : local);
}

void readPipeline(KeyReader& r, Json& c) {
    const std::int64_t pp = degree(c, "parallel.pp"), layers = degree(c, "model.num_layers");
    if (pp < 2) return;
    const Json* schedule = peek(c, "parallel.schedule");
    const bool looped =
        schedule != nullptr && (*schedule == "interleaved_1f1b" || *schedule == "zb_v" || *schedule == "dualpipe_v");
    std::int64_t chunks = looped ? 2 : 1;
    const auto each = r.integer({"parallelism.pipeline_parallel_layers_per_stage"});
    if (each && *each > 0 && *each < 100000 && layers % (pp * *each) == 0) chunks = layers / (pp * *each);
    put(c, "parallel.virtual_stages", chunks);
}

void readSchedule(KeyReader& r, Json& c) {
    const auto ratio = r.real({"lr_scheduler.decay_ratio"});
    const auto type = r.text({"lr_scheduler.decay_type"}).value_or("linear");
    const double minimum = r.real({"lr_scheduler.min_lr_factor", "lr_scheduler.lr_min"}).value_or(0);
    const std::int64_t steps = degree(c, "train.num_steps");
    Json& s = c["optimizer"]["schedule"];
    const std::int64_t warmup = s.contains("warmup_steps") && r.contains("lr_scheduler.warmup_steps")
                                    ? s["warmup_steps"].get<std::int64_t>()
                                    : 200;
    s = {{"warmup_steps", warmup}};
    if (type == "cosine" && !ratio) {
        s.update(Json{{"kind", "cosine"}, {"min_lr_ratio", minimum}});
    } else if (minimum == 1) {
        s["kind"] = "constant";
    } else {
        const std::int64_t decay =
            ratio ? static_cast<std::int64_t>(std::clamp(*ratio, 0.0, 1.0) * static_cast<double>(steps) + 0.5)
                  : std::max<std::int64_t>(0, steps - warmup);
        s.update(Json{{"kind", "wsd"},
                      {"decay_shape", type == "sqrt" ? "one_minus_sqrt" : type},
                      {"decay_steps", decay},
                      {"min_lr_ratio", minimum}});
    }
}

void readCheckpoint(KeyReader& r, Json& c) {
    const bool enabled = r.flag({"checkpoint.enable", "checkpoint.enable_checkpoint"}).value_or(false);
    const auto interval = r.integer({"checkpoint.interval"}).value_or(500);
    put(c, "checkpoint.every_steps", enabled ? interval : 0);
    if (const auto keep = r.integer({"checkpoint.keep_latest_k"}); keep && *keep > 0) put(c, "checkpoint.keep", *keep);
}

}  // namespace

Result<Imported> readTorchtitan(Text text, Text where, const RunConfig& base) {
    auto document = parseToml(text, where);
    if (!document) return fail(document.error());
    const std::map<std::string, std::string> moved = moveDegrees(*document);
    KeyReader r(*document);
    Json c = slipway::toJson(base);
    readRules(r, kRules, c);
    if (!r.problems().empty()) return finishReading(r, c, kKnown, where);
    readModel(r, c);
    readData(r, c);
    readPipeline(r, c);
    readSchedule(r, c);
    readCheckpoint(r, c);
    auto imported = finishReading(r, std::move(c), kKnown, where);
    if (imported)
        for (Remark& remark : imported->remarks)
            if (const auto old = moved.find(remark.key); old != moved.end()) remark.key = old->second;
    return imported;
}

Result<std::string> writeTorchtitan(const RunConfig& config, const ExportOptions&) {
    const Json c = slipway::toJson(config);
    const TrainSpec& t = config.train;
    const ParallelLayout& p = config.parallel;
    Json out = Json::object();
    if (!config.name.empty()) put(out, "job.description", config.name);
    for (const Flavor& f : kFlavors) {
        RunConfig shaped;
        shaped.model = modelOf(f);
        shaped = canonical(shaped);
        RunConfig ours;
        ours.model = config.model;
        ours.model.maxSeqLen = shaped.model.maxSeqLen;
        if (!diffConfigs(shaped, ours).empty()) continue;
        put(out, "model.name", f.model);
        put(out, "model.flavor", f.name);
    }
    writeRules(c, kRules, out);
    const bool sharded = p.zeroStage > 0;
    const std::int64_t shard = sharded ? p.dpShard.value_or(p.dp) : 1;
    put(out, "parallelism.data_parallel_replicate_degree", shard > 0 && p.dp % shard == 0 ? p.dp / shard : 1);
    put(out, "parallelism.data_parallel_shard_degree", shard);
    if (p.zeroStage == 3)
        put(out, "parallelism.fsdp_reshard_after_forward", p.reshardAfterForward ? "always" : "never");
    const std::int64_t stages = p.pp * p.virtualStages;
    if (p.pp > 1 && stages > 0 && config.model.numLayers % stages == 0)
        put(out, "parallelism.pipeline_parallel_layers_per_stage", config.model.numLayers / stages);
    put(out, "training.mixed_precision_param", t.precision == Precision::Bf16 ? "bfloat16" : "float32");
    if (p.dp * p.cp > 1)
        put(out, "training.mixed_precision_reduce", p.reduceDtype == ReduceDtype::Bf16 ? "bfloat16" : "float32");
    put(out, "training.global_batch_size", t.globalBatchSize);
    const bool whole = p.pp > 1 && p.dp > 0 && t.globalBatchSize % p.dp == 0;
    put(out, "training.local_batch_size", whole ? t.globalBatchSize / p.dp : t.microBatchSize);
    if (p.pp > 1) put(out, "parallelism.pipeline_parallel_microbatch_size", t.microBatchSize);
    if (offloadsOptimizer(p.offload)) put(out, "training.enable_cpu_offload", true);
    if (p.tp > 1 && p.sequenceParallel && p.asyncTp) {
        put(out, "parallelism.enable_async_tensor_parallel", true);
        put(out, "compile.enable", true);  // implemented as a compiler pass
    }
    const LrSchedule& s = config.optimizer.schedule;
    put(out, "lr_scheduler.decay_type",
        s.kind == LrScheduleKind::Cosine || (s.kind == LrScheduleKind::Wsd && s.decayShape == DecayShape::Cosine)
            ? "cosine"
        : s.kind == LrScheduleKind::Wsd && s.decayShape == DecayShape::OneMinusSqrt ? "sqrt"
                                                                                    : "linear");
    if (s.kind == LrScheduleKind::Wsd)
        put(out, "lr_scheduler.decay_ratio", static_cast<double>(s.decaySteps) / static_cast<double>(t.numSteps));
    put(out, "lr_scheduler.min_lr_factor", s.kind == LrScheduleKind::Constant ? 1.0 : s.minLrRatio);
    put(out, "checkpoint.enable", config.checkpoint.everySteps > 0);
    if (config.checkpoint.everySteps > 0) put(out, "checkpoint.interval", config.checkpoint.everySteps);
    put(out, "checkpoint.keep_latest_k", config.checkpoint.keep);
    return dumpToml(out);
}

}  // namespace slipway::interop
