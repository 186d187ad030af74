// Folders of tests/data/huggingface as runs: their model, and loss, logits and gradients that start from their weights.
#pragma once

#include "core/base/json_fields.h"
#include "tests/trainer/checkpoint/layout_training.h"
#include "trainer/checkpoint/huggingface_weights.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <nlohmann/json.hpp>

#include <map>

namespace slipway::test {

using namespace slipway::trainer;

inline const std::filesystem::path kData = std::filesystem::path(SLIPWAY_SOURCE_DIR) / "tests/data/huggingface";

/// The model of a folder's config.json, as a run that trains on sequences of seven tokens. By hand: what reads such
/// files in the product (core/interop) is no part of the trainer.
inline RunConfig configOf(const std::filesystem::path& folder, Precision precision = Precision::Fp64) {
    const auto read = readJsonFile(folder / "config.json");
    if (!read) throw std::runtime_error(read.error().text());
    const Json& json = *read;
    const std::string type = json.at("model_type").get<std::string>();
    const auto number = [&](const char* key, const char* other) {
        return json.at(json.contains(key) ? key : other).get<std::int64_t>();
    };
    RunConfig config;
    ModelSpec& m = config.model;
    m.family = type == "gpt2" ? Family::Gpt2 : Family::Llama;
    m.numLayers = number("num_hidden_layers", "n_layer");
    m.hiddenSize = number("hidden_size", "n_embd");
    m.ffnHiddenSize = number("intermediate_size", "n_inner");
    m.numHeads = number("num_attention_heads", "n_head");
    m.vocabSize = json.at("vocab_size").get<std::int64_t>();
    m.maxSeqLen = number("max_position_embeddings", "n_positions");
    m.normEps = json.at(type == "gpt2" ? "layer_norm_epsilon" : "rms_norm_eps").get<double>();
    m.tieEmbeddings = json.at("tie_word_embeddings").get<bool>();
    if (type != "gpt2") {
        m.numKvHeads = json.at("num_key_value_heads").get<std::int64_t>();
        m.ropeTheta = json.at("rope_theta").get<double>();
    }
    if (json.contains("rope_scaling")) {
        const Json& terms = json.at("rope_scaling");
        RopeScaling& scaling = m.ropeScaling.emplace();
        scaling.kind = terms.value("rope_type", "yarn") == "llama3" ? RopeScalingKind::Llama3 : RopeScalingKind::Yarn;
        scaling.factor = terms.at("factor").get<double>();
        scaling.originalMaxSeqLen = terms.at("original_max_position_embeddings").get<std::int64_t>();
        scaling.mscale = terms.value("mscale", 0.0);
        scaling.mscaleAllDim = terms.value("mscale_all_dim", 0.0);
    }
    if (json.contains("head_dim")) m.headDim = json.at("head_dim").get<std::int64_t>();
    if (type == "qwen2" || type == "qwen2_moe") m.qkvBias = true;
    m.qkNorm = type == "qwen3" || json.value("use_qk_norm", false);
    const bool isGlm = type == "glm4_moe";
    if (isGlm && json.at("partial_rotary_factor") == 0.5) m.rotaryDim = m.headSize() / 2;
    if (isGlm && json.at("attention_bias").get<bool>()) m.qkvBias = true;
    if (type == "mistral") m.slidingWindow = json.at("sliding_window").get<std::int64_t>();
    if (type == "mixtral") {
        m.moe = MoeSpec{};
        m.moe->numExperts = json.at("num_local_experts").get<std::int64_t>();
        m.moe->topK = json.at("num_experts_per_tok").get<std::int64_t>();
        m.moe->expertFfnHiddenSize = m.ffnHiddenSize;
        m.moe->auxLossCoefficient = 0;
    }
    const char* experts = type == "qwen2_moe" ? "num_experts" : "n_routed_experts";
    if (json.contains(experts) && !json.at(experts).is_null()) {
        m.moe = MoeSpec{};
        m.moe->numExperts = json.at(experts).get<std::int64_t>();
        m.moe->topK = json.at("num_experts_per_tok").get<std::int64_t>();
        m.moe->expertFfnHiddenSize = json.at("moe_intermediate_size").get<std::int64_t>();
        m.moe->normalizeTopK = json.at("norm_topk_prob").get<bool>();
        m.moe->auxLossCoefficient = 0;
        m.moe->routedScale = json.value("routed_scaling_factor", 1.0);
        m.moe->numExpertGroups = json.value("n_group", 1);
        m.moe->topKGroups = json.value("topk_group", 1);
        if (json.value("scoring_func", isGlm ? "sigmoid" : "") == "sigmoid") m.moe->routerScore = RouterScore::Sigmoid;
        if (json.value("topk_method", isGlm ? "noaux_tc" : "") == "noaux_tc") m.moe->biasUpdateRate = 0.001;
        if (type == "qwen2_moe") {
            m.moe->numSharedExperts =
                json.at("shared_expert_intermediate_size").get<std::int64_t>() / m.moe->expertFfnHiddenSize;
        } else {
            m.moe->numSharedExperts = json.at("n_shared_experts").get<std::int64_t>();
            m.moe->numDenseLayers = json.at("first_k_dense_replace").get<std::int64_t>();
        }
    }
    if (type == "deepseek_v2" || type == "deepseek_v3") {
        m.numKvHeads.reset();
        m.mla = MlaSpec{};
        const Json& rank = json.at("q_lora_rank");
        m.mla->qLoraRank = rank.is_null() ? 0 : rank.get<std::int64_t>();
        m.mla->kvLoraRank = json.at("kv_lora_rank").get<std::int64_t>();
        m.mla->qkNopeHeadDim = json.at("qk_nope_head_dim").get<std::int64_t>();
        m.mla->qkRopeHeadDim = json.at("qk_rope_head_dim").get<std::int64_t>();
        m.mla->vHeadDim = json.at("v_head_dim").get<std::int64_t>();
    }
    config.train.seqLen = 7;
    config.train.globalBatchSize = 2;
    config.train.microBatchSize = 1;
    config.train.precision = precision;
    config.checkpoint.startFrom = folder.string();
    return config;
}

inline at::Tensor goldenTensor(const SafetensorsFile& file, const std::string& name) {
    auto tensor = file.tensor(name);
    if (!tensor) throw std::runtime_error(tensor.error().text());
    return *tensor;
}

/// ids [B, S] -> one micro-batch per sequence; the last target of each carries no loss.
inline MicroBatch sequence(const at::Tensor& ids, std::int64_t row) {
    const at::Tensor tokens = ids.narrow(0, row, 1);
    return {tokens, at::cat({tokens.narrow(1, 1, ids.size(1) - 1), at::full({1, 1}, -1, at::kLong)}, 1)};
}

struct Computed {
    double loss = 0;
    at::Tensor logits;                            ///< [B, S, V]; of a world of one
    std::map<std::string, at::Tensor> gradients;  ///< by our names, of a world of one
    std::vector<std::string> leftOut;
};

/// Loads the weights in the config's layout and computes loss and gradients of the given sequences.
inline Computed compute(const RunConfig& config, const at::Tensor& ids, const std::filesystem::path& saveTo = {}) {
    Computed computed;
    std::mutex mutex;
    runInProcess(config.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(config.parallel, rank, world.maker(rank));
        Model model(config, mesh, at::kCPU);
        Optimizer optimizer(config, mesh, model.parameters());
        const RunDir dir{saveTo};
        const CheckpointContext context{dir, config, mesh, at::kCPU};
        std::vector<StateTensor> state = optimizer.state();
        const auto loaded = loadStart(context, "", state);
        if (!loaded) throw std::runtime_error(loaded.error().text());
        if (loaded->mark) throw std::runtime_error("weights alone say where the run stands");
        optimizer.stateRestored(0);
        PipelineExecutor executor(model, mesh,
                                  *makeSchedule(config.parallel.schedule, config.parallel.pp, config.numMicroBatches(),
                                                config.parallel.virtualStages));
        std::vector<MicroBatch> mine;
        for (std::int64_t m = 0; m < config.numMicroBatches(); ++m)
            mine.push_back(sequence(ids, m * config.parallel.dp + mesh.at.dp));
        optimizer.gradients().zero();
        const double loss = executor.step(mine).loss;
        optimizer.gradients().finish();
        if (!saveTo.empty())
            if (const auto saved = saveCheckpoint(context, {1, 0, 2, 14, {}}, optimizer.state()); !saved)
                throw std::runtime_error(saved.error().text());
        const std::lock_guard lock(mutex);
        if (rank == 0) computed.loss = loss;
        if (rank == 0) computed.leftOut = loaded->leftOut;
        if (config.parallel.worldSize() > 1) return;
        for (const Parameter* p : model.parameters()) computed.gradients[p->shard.name] = p->mainGrad.clone();
        std::vector<at::Tensor> logits;
        for (std::int64_t row = 0; row < ids.size(0); ++row) {
            StageModel::Saved saved;
            (void)model.chunks().front()->forward(sequence(ids, row), {}, saved);
            logits.push_back(saved.loss.logits.transpose(0, 1));
        }
        computed.logits = at::cat(logits);
    });
    return computed;
}

}  // namespace slipway::test
