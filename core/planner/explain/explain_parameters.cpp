// Counts of parameters, and the bytes of a checkpoint that follow from them.
#include "core/base/real.h"
#include "core/planner/cost/checkpoint.h"
#include "core/planner/count/parameters.h"
#include "core/planner/explain/explain_parts.h"
#include "core/planner/memory/policy.h"

namespace slipway {

namespace {

/// Layers of either kind.
struct Layers {
    double dense = 0, moe = 0;
    LayerParameters ofDense, ofMoe;
};

Layers layersOf(const ModelSpec& m) {
    const std::int64_t dense = m.moe ? std::min(m.moe->numDenseLayers, m.numLayers) : m.numLayers;
    Layers layers{real(dense), real(m.numLayers - dense), {}, {}};
    if (dense > 0) layers.ofDense = countLayer(m, 0);
    if (dense < m.numLayers) layers.ofMoe = countLayer(m, dense);
    return layers;
}

/// A part's count per layer, and outside the layers.
Explanation perLayer(const Plan& plan, double value, const std::string& part, double LayerParameters::*member,
                     const char* restName = nullptr, double rest = 0) {
    const Layers layers = layersOf(plan.config.model);
    Explanation e;
    e.figure = {"", value, ""};
    const auto add = [&](const std::string& count, double times, const std::string& name, double each) {
        if (times <= 0) return;
        e.inputs.push_back({count, times, ""});
        e.inputs.push_back({name, each, ""});
        e.formula += (e.formula.empty() ? "" : " + ") + count + " * " + name;
    };
    add("dense_layers", layers.dense, "layer_" + part + "_parameters", layers.ofDense.*member);
    add("moe_layers", layers.moe, "moe_layer_" + part + "_parameters", layers.ofMoe.*member);
    if (restName != nullptr) {
        e.inputs.push_back({restName, rest, ""});
        e.formula += std::string(" + ") + restName;
    }
    return e;
}

}  // namespace

Explanation explainParameters(const Plan& plan) {
    const ParameterCount& p = plan.parameters;
    Explanation e;
    e.figure = {"", p.total, ""};
    e.inputs = {{"parameters.embedding", p.embedding, ""},
                {"parameters.attention", p.attention, ""},
                {"parameters.ffn", p.ffn, ""},
                {"parameters.norm", p.norm, ""},
                {"parameters.head", p.head, ""},
                {"parameters.router", p.router, ""}};
    e.formula = sumOf(e.inputs);
    e.source = {"counted tensor by tensor; the presets' counts are checked against the published ones"_text};
    return e;
}

Explanation explainEmbeddingParameters(const Plan& plan) {
    const ModelSpec& m = plan.config.model;
    Explanation e;
    e.figure = {"", plan.parameters.embedding, ""};
    e.inputs = {{"model.vocab_size", real(m.vocabSize), ""},
                {"model.hidden_size", real(m.hiddenSize), ""},
                {"position_parameters", countEnds(m).positions, ""}};
    e.formula = "model.vocab_size * model.hidden_size + position_parameters";
    e.source = {"one row per token; learned positions have one row each, rotary ones have none"_text};
    return e;
}

Explanation explainHeadParameters(const Plan& plan) {
    const ModelSpec& m = plan.config.model;
    Explanation e;
    e.figure = {"", plan.parameters.head, ""};
    if (m.tieEmbeddings) {
        e.state("0: the output head is the embedding's matrix"_text);
    } else {
        e.inputs = {{"model.vocab_size", real(m.vocabSize), ""}, {"model.hidden_size", real(m.hiddenSize), ""}};
        e.formula = "model.vocab_size * model.hidden_size";
    }
    e.source = {Message::name("model.tie_embeddings; Press 2017, arXiv 1608.05859")};
    return e;
}

Explanation explainAttentionParameters(const Plan& plan) {
    Explanation e = perLayer(plan, plan.parameters.attention, "attention", &LayerParameters::attention);
    e.source = {
        plan.config.model.mla
            ? "compressed queries and key-values: DeepSeek-V2, arXiv 2405.04434, sec. 2.1"_text
            : "query and output h q each, keys and values h kv each, with their biases; grouped: Ainslie 2023, arXiv 2305.13245"_text};
    return e;
}

Explanation explainFfnParameters(const Plan& plan) {
    Explanation e = perLayer(plan, plan.parameters.ffn, "ffn", &LayerParameters::ffn);
    e.source = {
        "two matrices h f, or three where the activation is gated (Shazeer 2020, arXiv 2002.05202), with their biases; of a "
        "mixture all experts"_text};
    return e;
}

Explanation explainNormParameters(const Plan& plan) {
    Explanation e = perLayer(plan, plan.parameters.norm, "norm", &LayerParameters::norm, "final_norm_parameters",
                             countEnds(plan.config.model).finalNorm);
    e.source = {"two norms a layer and one at the end: h each, 2 h where they have a bias"_text};
    return e;
}

Explanation explainRouterParameters(const Plan& plan) {
    Explanation e = perLayer(plan, plan.parameters.router, "router", &LayerParameters::router);
    e.source = {
        "h per expert, and one bias each where the router balances without a loss (DeepSeek-V3, arXiv 2412.19437, sec. 2.1.2)"_text};
    return e;
}

Explanation explainActiveParameters(const Plan& plan) {
    const double idle = layersOf(plan.config.model).ofMoe.idleExperts;
    Explanation e;
    e.figure = {"", plan.parameters.active, ""};
    e.inputs = {{"parameters", plan.parameters.total, ""},
                {"moe_layers", layersOf(plan.config.model).moe, ""},
                {"idle_expert_parameters", idle, ""}};
    e.formula = "parameters - moe_layers * idle_expert_parameters";
    e.source = {"what one token passes: of a layer's experts the router takes model.moe.top_k"_text};
    return e;
}

Explanation explainMatmulParameters(const Plan& plan) {
    const Layers layers = layersOf(plan.config.model);
    Explanation e;
    e.figure = {"", plan.parameters.matmul, ""};
    e.inputs = {{"dense_layers", layers.dense, ""},
                {"layer_matmul_parameters", layers.ofDense.matmul(), ""},
                {"moe_layers", layers.moe, ""},
                {"moe_layer_matmul_parameters", layers.ofMoe.matmul(), ""},
                {"head_matrix_parameters", countEnds(plan.config.model).table, ""}};
    e.formula =
        "dense_layers * layer_matmul_parameters + moe_layers * moe_layer_matmul_parameters + head_matrix_parameters";
    e.source = {
        "the N of FLOPs rules B and C: weights of the matrix products one token passes, the output head once; without "
        "embedding lookup, norms and biases"_text};
    return e;
}

Explanation explainCheckpointBytes(const Plan& plan) {
    const RunConfig& c = plan.config;
    Explanation e;
    e.figure = {"", checkpointStateBytes(c), "B"};
    e.inputs = {{"parameters", plan.parameters.total, ""},
                {"checkpoint_bytes_per_parameter", checkpointBytesPerParameter(c), "B"}};
    e.formula = "parameters * checkpoint_bytes_per_parameter";
    e.source = {
        "files of the bundled trainer: each element of the state once, weights in the format they are updated in, and the "
        "optimizer's moments"_text};
    if (c.optimizer.kind == OptimizerKind::Muon) {
        e.inputs.push_back({"matrix_parameters", hiddenMatrixParameters(c.model), ""});
        e.inputs.push_back({"moment_bytes", momentBytes(c.train, c.optimizer), "B"});
        e.formula += " - matrix_parameters * moment_bytes";
        e.source.emplace_back("Muon keeps one moment of a hidden matrix (Jordan et al. 2024)"_text);
    }
    return e;
}

}  // namespace slipway
