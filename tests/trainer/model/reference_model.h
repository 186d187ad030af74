// The same models written in the shortest way over plain ATen, to be differentiated by autograd. Weights are found by
// name.
#pragma once

#include "core/spec/run_config.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>

#include <cmath>
#include <map>
#include <string>

namespace slipway::test {

class ReferenceModel {
public:
    ReferenceModel(const ModelSpec& spec, std::map<std::string, at::Tensor> weights)
        : m_spec(spec), m_weights(std::move(weights)), m_gpt2(spec.family == Family::Gpt2) {}

    /// tokens, targets [B, S] -> sum of the loss over targets that are not -1.
    at::Tensor lossSum(const at::Tensor& tokens, const at::Tensor& targets) const {
        const std::string table = m_gpt2 ? "transformer.wte.weight" : "model.embed_tokens.weight";
        at::Tensor x = at::embedding(at(table), tokens);  // [B, S, H]
        if (m_spec.positionKind() == PositionKind::Learned)
            x = x + at(m_gpt2 ? "transformer.wpe.weight" : "model.embed_positions.weight").narrow(0, 0, tokens.size(1));
        for (std::int64_t layer = 0; layer < m_spec.numLayers; ++layer) x = block(x, layer);
        x = norm(x, m_gpt2 ? "transformer.ln_f" : "model.norm");
        const at::Tensor logits = at::linear(x, at(m_spec.tieEmbeddings ? table : "lm_head.weight"));
        const at::Tensor picked =
            at::log_softmax(logits, -1).gather(-1, targets.clamp_min(0).unsqueeze(-1)).squeeze(-1);
        return picked.masked_fill(targets.eq(-1), 0).sum().neg();
    }

private:
    const at::Tensor& at(const std::string& name) const { return m_weights.at(name); }

    at::Tensor linear(const at::Tensor& x, const std::string& name) const {
        const auto bias = m_weights.find(name + ".bias");
        return bias == m_weights.end() ? at::linear(x, at(name + ".weight"))
                                       : at::linear(x, at(name + ".weight"), bias->second);
    }
    at::Tensor rms(const at::Tensor& x, const std::string& name) const {
        return x / (x * x).mean(-1, true).add(m_spec.normEps).sqrt() * at(name + ".weight");
    }
    at::Tensor norm(const at::Tensor& x, const std::string& name) const {
        return m_spec.normKind() == NormKind::RmsNorm
                   ? rms(x, name)
                   : at::layer_norm(x, {x.size(-1)}, at(name + ".weight"), at(name + ".bias"), m_spec.normEps);
    }
    // x [B, h, S, D]
    at::Tensor rope(const at::Tensor& x) const {
        const std::int64_t d = x.size(-1);
        const auto options = x.options();
        const at::Tensor frequency =
            at::pow(m_spec.ropeTheta, at::arange(0, d, 2, options) / static_cast<double>(d)).reciprocal();
        const at::Tensor half = at::outer(at::arange(x.size(2), options), frequency);
        const at::Tensor angle = at::cat({half, half}, -1);
        const at::Tensor turned = at::cat({x.narrow(-1, d / 2, d / 2).neg(), x.narrow(-1, 0, d / 2)}, -1);
        return x * angle.cos() + turned * angle.sin();
    }
    at::Tensor block(const at::Tensor& x, std::int64_t layer) const {
        const std::string l = (m_gpt2 ? "transformer.h." : "model.layers.") + std::to_string(layer) + ".";
        const at::Tensor middle = x + attention(norm(x, l + (m_gpt2 ? "ln_1" : "input_layernorm")), l);
        const at::Tensor n = norm(middle, l + (m_gpt2 ? "ln_2" : "post_attention_layernorm"));
        const std::string up = l + (m_gpt2 ? "mlp.c_fc" : "mlp.up_proj");
        const std::string down = l + (m_gpt2 ? "mlp.c_proj" : "mlp.down_proj");
        if (m_spec.activationKind() == Activation::Gelu) return middle + linear(at::gelu(linear(n, up), "tanh"), down);
        return middle +
               linear(at::silu(linear(n, l + (m_gpt2 ? "mlp.c_gate" : "mlp.gate_proj"))) * linear(n, up), down);
    }
    at::Tensor softmaxed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const {
        const std::int64_t length = q.size(2);
        const at::Tensor future = at::ones({length, length}, q.options().dtype(at::kBool)).triu(1);
        const at::Tensor p = at::matmul(q, k.transpose(-1, -2))
                                 .div(std::sqrt(static_cast<double>(q.size(-1))))
                                 .masked_fill(future, -INFINITY)
                                 .softmax(-1);
        return at::matmul(p, v).transpose(1, 2).reshape({q.size(0), length, -1});
    }
    // DeepSeek-V2, section 2.1, as written there: every head's key gets the one rotated part.
    at::Tensor latentAttention(const at::Tensor& x, const std::string& a) const {
        const MlaSpec& m = *m_spec.mla;
        const std::int64_t nope = m.qkNopeHeadDim, turned = m.qkRopeHeadDim, heads = m_spec.numHeads;
        const auto split = [&](const at::Tensor& y) {
            return y.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
        };
        const at::Tensor q =
            split(m.qLoraRank > 0 ? linear(rms(linear(x, a + "q_a_proj"), a + "q_a_layernorm"), a + "q_b_proj")
                                  : linear(x, a + "q_proj"));
        const at::Tensor down = linear(x, a + "kv_a_proj_with_mqa");
        const at::Tensor kv =
            split(linear(rms(down.narrow(-1, 0, m.kvLoraRank), a + "kv_a_layernorm"), a + "kv_b_proj"));
        const at::Tensor shared = rope(down.narrow(-1, m.kvLoraRank, turned).unsqueeze(1));
        const at::Tensor queries = at::cat({q.narrow(-1, 0, nope), rope(q.narrow(-1, nope, turned))}, -1);
        const at::Tensor keys =
            at::cat({kv.narrow(-1, 0, nope), shared.expand({x.size(0), heads, x.size(1), turned})}, -1);
        return linear(softmaxed(queries, keys, kv.narrow(-1, nope, m.vHeadDim)), a + "o_proj");
    }
    at::Tensor attention(const at::Tensor& x, const std::string& l) const {
        if (m_spec.mla) return latentAttention(x, l + "self_attn.");
        const std::string a = l + (m_gpt2 ? "attn." : "self_attn.");
        const std::int64_t d = m_spec.headSize();
        const auto heads = [&](const at::Tensor& y) { return y.view({x.size(0), x.size(1), -1, d}).transpose(1, 2); };
        at::Tensor q = heads(linear(x, a + (m_gpt2 ? "c_attn.q" : "q_proj")));
        at::Tensor k = heads(linear(x, a + (m_gpt2 ? "c_attn.k" : "k_proj")));
        at::Tensor v = heads(linear(x, a + (m_gpt2 ? "c_attn.v" : "v_proj")));
        if (m_spec.qkNorm) {
            q = rms(q, a + "q_norm");
            k = rms(k, a + "k_norm");
        }
        if (m_spec.positionKind() == PositionKind::Rope) {
            q = rope(q);
            k = rope(k);
        }
        const std::int64_t group = m_spec.numHeads / m_spec.kvHeads();
        k = k.repeat_interleave(group, 1);
        v = v.repeat_interleave(group, 1);
        return linear(softmaxed(q, k, v), a + (m_gpt2 ? "c_proj" : "o_proj"));
    }

    ModelSpec m_spec;
    std::map<std::string, at::Tensor> m_weights;
    bool m_gpt2;
};

}  // namespace slipway::test
