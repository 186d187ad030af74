#!/usr/bin/env python3
"""Golden tensors of tiny models, by a reference of its own in plain PyTorch and autograd (transformers is not needed).

    golden.py make [FOLDER]      writes FOLDER/<model>/{config.json, model.safetensors, golden.safetensors}
    golden.py evaluate FOLDER    reads such a folder (or any export) and token ids, JSON [[...], ...], from standard input;
                                 prints {"loss", "logits"} in fp64; targets are the ids shifted by one
    golden.py check FOLDER       compares with transformers, where that can be imported

The equations are those of the model types' papers: RMSNorm (Zhang and Sennrich 2019), rotary positions in halves (Su et al. 2021),
SwiGLU (Shazeer 2020), grouped queries (Ainslie et al. 2023), sparse experts with weights over the chosen (Jiang et al. 2024, Mixtral),
GPT-2 (Radford et al. 2019) with GELU in its tanh form, latent attention and shared experts (DeepSeek-AI 2024, arXiv 2405.04434, eq. 9 to
22), whose rotary positions turn pairs of neighbours; groups of experts (there, section 2.1.2) and the router of DeepSeek-V3 (2412.19437, eq. 12
to 16), with matrices as it publishes them, 8 bits and a factor for each block; Qwen2-MoE's shared expert behind a sigmoid (zero here: the
trainer has no such gate); GLM-4.5's router, which is DeepSeek-V3's, over grouped queries with norms (2508.06471).
"""
import json
import math
import pathlib
import struct
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"F64": (torch.float64, "d"), "F32": (torch.float32, "f"), "I64": (torch.int64, "q"), "BF16": (torch.bfloat16, "H"),
         "F8_E4M3": (torch.float8_e4m3fn, "B")}

COMMON = {"hidden_size": 8, "intermediate_size": 12, "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 2,
          "vocab_size": 13, "max_position_embeddings": 16, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
          "tie_word_embeddings": False, "torch_dtype": "float32"}
MODELS = {
    "llama": COMMON | {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "attention_bias": False, "mlp_bias": False},
    "qwen2": COMMON | {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "tie_word_embeddings": True,
                       "use_sliding_window": False},
    "qwen3": COMMON | {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 6, "attention_bias": False,
                       "use_sliding_window": False},
    "mistral": COMMON | {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 3},
    "mixtral": COMMON | {"architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_local_experts": 3,
                         "num_experts_per_tok": 2, "router_aux_loss_coef": 0.0, "sliding_window": None, "num_hidden_layers": 1},
    "gpt2": {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_inner": 12, "n_head": 2,
             "n_positions": 9, "vocab_size": 13, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
             "tie_word_embeddings": True, "torch_dtype": "float32"},
}
LATENT = COMMON | {"architectures": ["DeepseekV2ForCausalLM"], "model_type": "deepseek_v2", "num_key_value_heads": 2, "rms_norm_eps": 1e-6,
                   "kv_lora_rank": 6, "qk_nope_head_dim": 6, "qk_rope_head_dim": 6, "v_head_dim": 3, "attention_bias": False}
MODELS |= {
    "deepseek_v2": LATENT | {"q_lora_rank": 7, "first_k_dense_replace": 1, "moe_layer_freq": 1, "n_routed_experts": 3, "n_shared_experts": 2,
                             "num_experts_per_tok": 2, "moe_intermediate_size": 5, "norm_topk_prob": False, "routed_scaling_factor": 1.0,
                             "topk_method": "greedy", "scoring_func": "softmax", "aux_loss_alpha": 0.0},
    "deepseek_v2_dense": LATENT | {"q_lora_rank": None, "first_k_dense_replace": 2, "n_routed_experts": None},
    "qwen2_moe": COMMON | {"architectures": ["Qwen2MoeForCausalLM"], "model_type": "qwen2_moe", "num_hidden_layers": 1, "num_experts": 3,
                           "num_experts_per_tok": 2, "moe_intermediate_size": 5, "shared_expert_intermediate_size": 10,
                           "norm_topk_prob": False, "router_aux_loss_coef": 0.0, "decoder_sparse_step": 1, "mlp_only_layers": [],
                           "use_sliding_window": False},
}
V3 = MODELS["deepseek_v2"] | {"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "n_routed_experts": 8, "num_experts_per_tok": 3,
                              "norm_topk_prob": True, "routed_scaling_factor": 2.5, "topk_method": "noaux_tc", "scoring_func": "sigmoid",
                              "n_group": 4, "topk_group": 2}
MODELS |= {
    "deepseek_v2_groups": MODELS["deepseek_v2"] | {"n_routed_experts": 6, "routed_scaling_factor": 16.0, "topk_method": "group_limited_greedy",
                                                   "n_group": 3, "topk_group": 2},
    "deepseek_v3": V3,
    "deepseek_v3_fp8": V3 | {"num_nextn_predict_layers": 1,
                             "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [4, 3]}},
}
MODELS |= {
    "glm4_moe": COMMON | {"architectures": ["Glm4MoeForCausalLM"], "model_type": "glm4_moe", "head_dim": 6, "attention_bias": True, "use_qk_norm": True,
                          "partial_rotary_factor": 1.0, "first_k_dense_replace": 1, "n_routed_experts": 8, "n_shared_experts": 1,
                          "num_experts_per_tok": 3, "moe_intermediate_size": 5, "norm_topk_prob": True, "routed_scaling_factor": 2.5,
                          "n_group": 4, "topk_group": 2, "num_nextn_predict_layers": 0},
}


# Scaled positions, and heads of which a part turns.
MODELS |= {
    "llama_scaled": MODELS["llama"] | {"head_dim": 8, "rope_scaling": {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                                       "original_max_position_embeddings": 128}},
    "qwen3_yarn": MODELS["qwen3"] | {"rope_theta": 100.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}},
    "deepseek_v3_yarn": V3 | {"rope_scaling": {"type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1,
                                               "mscale": 1.0, "mscale_all_dim": 0.8}},
    "glm4_moe_half": MODELS["glm4_moe"] | {"head_dim": 8, "partial_rotary_factor": 0.5},
}


def save(path, tensors):
    """The safetensors format: length of the header, JSON header, raw data."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        word = next(w for w, (dtype, _) in WORDS.items() if dtype == tensor.dtype)
        values = tensor.detach().contiguous()
        values = (values.view(torch.uint8) if word == "F8_E4M3" else values).reshape(-1).tolist()
        part = struct.pack("<%d%s" % (len(values), WORDS[word][1]), *values)
        header[name] = {"dtype": word, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def load(folder):
    index = folder / "model.safetensors.index.json"
    files = sorted(set(json.loads(index.read_text())["weight_map"].values())) if index.exists() else ["model.safetensors"]
    tensors = {}
    for file in files:
        raw = (folder / file).read_bytes()
        (length,) = struct.unpack("<Q", raw[:8])
        header = json.loads(raw[8:8 + length])
        header.pop("__metadata__", None)
        for name, entry in header.items():
            dtype, code = WORDS[entry["dtype"]]
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            values = struct.unpack("<%d%s" % ((end - begin) // struct.calcsize(code), code), raw[begin:end])
            if entry["dtype"] == "BF16":
                tensor = torch.tensor([v << 16 for v in values], dtype=torch.int64).to(torch.int32).view(torch.float32)
            elif entry["dtype"] == "F8_E4M3":
                tensor = torch.tensor(values, dtype=torch.uint8).view(torch.float8_e4m3fn)
            else:
                tensor = torch.tensor(values, dtype=dtype)
            tensors[name] = tensor.reshape(entry["shape"])
    return tensors


FACTORS = "_scale_inv"


def each_of(factors, matrix, block):
    """A factor for every value of the matrix."""
    each = factors.repeat_interleave(block[0], 0).repeat_interleave(block[1], 1)
    return each[:matrix.shape[0], :matrix.shape[1]]


def to_blocks(matrix, block):
    """8-bit numbers and the factor of each block, whose largest value becomes 448."""
    rows, columns = (-(-size // b) for size, b in zip(matrix.shape, block))
    factors = torch.tensor([[matrix[r * block[0]:(r + 1) * block[0], k * block[1]:(k + 1) * block[1]].abs().max() / 448
                             for k in range(columns)] for r in range(rows)])
    return (matrix / each_of(factors, matrix, block)).to(torch.float8_e4m3fn), factors


def from_blocks(tensors, config):
    """The tensors as numbers that can be multiplied."""
    block = config.get("quantization_config", {}).get("weight_block_size", [128, 128])
    return {n: t.to(torch.float32) * each_of(tensors[n + FACTORS], t, block) if n + FACTORS in tensors else t
            for n, t in tensors.items() if not n.endswith(FACTORS)}


SHARED = {"deepseek_v2": "shared_experts", "deepseek_v3": "shared_experts", "glm4_moe": "shared_experts", "qwen2_moe": "shared_expert"}


def num_experts(c):
    return c.get("num_experts") or c.get("n_routed_experts") or 0


def is_sparse(c, layer):
    return num_experts(c) > 0 and layer >= c.get("first_k_dense_replace", 0)


def shared_width(c):
    return c.get("shared_expert_intermediate_size") or c["n_shared_experts"] * c["moe_intermediate_size"]


def feed_forward_shapes(p, h, f):
    return {p + "gate_proj.weight": [f, h], p + "up_proj.weight": [f, h], p + "down_proj.weight": [h, f]}


def latent_shapes(c, p):
    h, heads, nope, rope, value = (c[n] for n in ("hidden_size", "num_attention_heads", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    rank = c["q_lora_rank"]
    out = {p + "kv_a_proj_with_mqa.weight": [c["kv_lora_rank"] + rope, h], p + "kv_a_layernorm.weight": [c["kv_lora_rank"]],
           p + "kv_b_proj.weight": [heads * (nope + value), c["kv_lora_rank"]], p + "o_proj.weight": [h, heads * value]}
    if not rank:
        return out | {p + "q_proj.weight": [heads * (nope + rope), h]}
    return out | {p + "q_a_proj.weight": [rank, h], p + "q_a_layernorm.weight": [rank], p + "q_b_proj.weight": [heads * (nope + rope), rank]}


def shapes(config):
    """Names and shapes as transformers saves them."""
    c = config
    if c["model_type"] == "gpt2":
        h, f = c["n_embd"], c["n_inner"]
        out = {"transformer.wte.weight": [c["vocab_size"], h], "transformer.wpe.weight": [c["n_positions"], h]}
        for i in range(c["n_layer"]):
            p = f"transformer.h.{i}."
            out |= {p + "ln_1.weight": [h], p + "ln_1.bias": [h], p + "attn.c_attn.weight": [h, 3 * h], p + "attn.c_attn.bias": [3 * h],
                    p + "attn.c_proj.weight": [h, h], p + "attn.c_proj.bias": [h], p + "ln_2.weight": [h], p + "ln_2.bias": [h],
                    p + "mlp.c_fc.weight": [h, f], p + "mlp.c_fc.bias": [f], p + "mlp.c_proj.weight": [f, h], p + "mlp.c_proj.bias": [h]}
        return out | {"transformer.ln_f.weight": [h], "transformer.ln_f.bias": [h]}
    h, f, v = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    d = c.get("head_dim") or h // c["num_attention_heads"]
    q, k = d * c["num_attention_heads"], d * c["num_key_value_heads"]
    out = {"model.embed_tokens.weight": [v, h]}
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        out |= {p + "input_layernorm.weight": [h], p + "post_attention_layernorm.weight": [h]}
        if "kv_lora_rank" in c:
            out |= latent_shapes(c, p + "self_attn.")
        else:
            out |= {p + "self_attn.q_proj.weight": [q, h], p + "self_attn.k_proj.weight": [k, h], p + "self_attn.v_proj.weight": [k, h],
                    p + "self_attn.o_proj.weight": [h, q]}
        if c["model_type"] in ("qwen2", "qwen2_moe") or c.get("attention_bias"):
            out |= {p + f"self_attn.{n}_proj.bias": [s] for n, s in (("q", q), ("k", k), ("v", k))}
        if c["model_type"] == "qwen3" or c.get("use_qk_norm"):
            out |= {p + "self_attn.q_norm.weight": [d], p + "self_attn.k_norm.weight": [d]}
        if c["model_type"] == "mixtral":
            m = p + "block_sparse_moe."
            out[m + "gate.weight"] = [c["num_local_experts"], h]
            for e in range(c["num_local_experts"]):
                out |= {m + f"experts.{e}.w1.weight": [f, h], m + f"experts.{e}.w2.weight": [h, f], m + f"experts.{e}.w3.weight": [f, h]}
        elif is_sparse(c, i):
            width, shared = c["moe_intermediate_size"], shared_width(c)
            out[p + "mlp.gate.weight"] = [num_experts(c), h]
            if c.get("topk_method") == "noaux_tc" or c["model_type"] == "glm4_moe":
                out[p + "mlp.gate.e_score_correction_bias"] = [num_experts(c)]
            for e in range(num_experts(c)):
                out |= feed_forward_shapes(p + f"mlp.experts.{e}.", h, width)
            out |= feed_forward_shapes(p + f"mlp.{SHARED[c['model_type']]}.", h, shared)
            if c["model_type"] == "qwen2_moe":
                out[p + "mlp.shared_expert_gate.weight"] = [1, h]
        else:
            out |= feed_forward_shapes(p + "mlp.", h, f)
    for i in range(c.get("num_nextn_predict_layers") or 0):
        p = f"model.layers.{c['num_hidden_layers'] + i}."
        out |= {p + "enorm.weight": [h], p + "eh_proj.weight": [h, 2 * h]}
    out["model.norm.weight"] = [h]
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = [v, h]
    return out


def rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def layer_norm(x, weight, bias, eps):
    x = x - x.mean(-1, keepdim=True)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight + bias


def magnitude(factor, scale):
    return 0.1 * scale * math.log(factor) + 1


def turns(c, size):
    """Radians a position of the size / 2 pairs, and what cosine and sine are multiplied by. Llama 3.1: by wavelength; YaRN
    (Peng et al. 2023, arXiv 2309.00071, sections 3.2 and 3.4, with the magnitudes of DeepSeek-V2)."""
    s, theta = c.get("rope_scaling"), c["rope_theta"]
    pair = torch.arange(size // 2, dtype=torch.float64)
    plain = theta ** (-2 * pair / size)
    if s is None:
        return plain, 1.0
    length, slow = s["original_max_position_embeddings"], plain / s["factor"]
    if s.get("rope_type") == "llama3":
        in_length = length * plain / (2 * math.pi)
        kept = ((in_length - s["low_freq_factor"]) / (s["high_freq_factor"] - s["low_freq_factor"])).clamp(0, 1)
        return kept * plain + (1 - kept) * slow, 1.0
    first, last = (size * math.log(length / (2 * math.pi * s.get(key, usual))) / (2 * math.log(theta))
                   for key, usual in (("beta_fast", 32), ("beta_slow", 1)))
    first, last = max(math.floor(first), 0), min(math.ceil(last), size - 1)
    slowed = ((pair - first) / (last - first)).clamp(0, 1)
    both = "mscale" in s and "mscale_all_dim" in s
    return plain * (1 - slowed) + slow * slowed, \
        magnitude(s["factor"], s["mscale"]) / magnitude(s["factor"], s["mscale_all_dim"]) if both else magnitude(s["factor"], 1)


def angles(c, size, length):
    """Cosines and sines [S, size / 2]"""
    per_position, times = turns(c, size)
    angle = torch.arange(length, dtype=torch.float64)[:, None] * per_position
    return angle.cos() * times, angle.sin() * times


def rotate(c, x):
    """x [B, h, S, D]: of the first values that turn, value i turns with the one half of them behind it."""
    size = int(x.shape[-1] * c.get("partial_rotary_factor", 1))
    cos, sin = angles(c, size, x.shape[-2])
    a, b = x[..., :size // 2], x[..., size // 2:size]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., size:]], -1)


def attend(q, k, v, window=None):
    """q [B, h, S, D], k and v [B, k, S, D]"""
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    i = torch.arange(q.shape[-2])
    hidden = i[None, :] > i[:, None]
    if window is not None:
        hidden = hidden | (i[None, :] <= i[:, None] - window)
    out = torch.softmax(scores.masked_fill(hidden, -math.inf), -1) @ v
    return out.transpose(1, 2).reshape(out.shape[0], out.shape[2], -1)


def rotate_pairs(c, x):
    """x [B, h, S, D]: value 2i turns with value 2i + 1."""
    cos, sin = angles(c, x.shape[-1], x.shape[-2])
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)


def latent(c, w, p, y):
    """Latent attention: queries and keys of two parts, the second with positions and one key for all heads."""
    eps, count = 1e-6, c["num_attention_heads"]
    nope, rope, rank = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["kv_lora_rank"]
    q = y @ w[p + "q_proj.weight"].T if not c["q_lora_rank"] else \
        rms_norm(y @ w[p + "q_a_proj.weight"].T, w[p + "q_a_layernorm.weight"], eps) @ w[p + "q_b_proj.weight"].T
    q = heads(q, count)
    down = y @ w[p + "kv_a_proj_with_mqa.weight"].T
    kv = heads(rms_norm(down[..., :rank], w[p + "kv_a_layernorm.weight"], eps) @ w[p + "kv_b_proj.weight"].T, count)
    shared = rotate_pairs(c, down[..., rank:][:, None]).expand(-1, count, -1, -1)
    s = c.get("rope_scaling")
    q = q * magnitude(s["factor"], s["mscale_all_dim"]) ** 2 if s else q
    q = torch.cat([q[..., :nope], rotate_pairs(c, q[..., nope:])], -1)
    return attend(q, torch.cat([kv[..., :nope], shared], -1), kv[..., nope:]) @ w[p + "o_proj.weight"].T


def heads(x, count):
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


def gpt2(c, w, ids):
    eps = c["layer_norm_epsilon"]
    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:ids.shape[1]]
    for i in range(c["n_layer"]):
        p = f"transformer.h.{i}."
        y = layer_norm(x, w[p + "ln_1.weight"], w[p + "ln_1.bias"], eps)
        q, k, v = (heads(t, c["n_head"]) for t in (y @ w[p + "attn.c_attn.weight"] + w[p + "attn.c_attn.bias"]).chunk(3, -1))
        x = x + attend(q, k, v) @ w[p + "attn.c_proj.weight"] + w[p + "attn.c_proj.bias"]
        y = layer_norm(x, w[p + "ln_2.weight"], w[p + "ln_2.bias"], eps) @ w[p + "mlp.c_fc.weight"] + w[p + "mlp.c_fc.bias"]
        y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y ** 3)))
        x = x + y @ w[p + "mlp.c_proj.weight"] + w[p + "mlp.c_proj.bias"]
    return layer_norm(x, w["transformer.ln_f.weight"], w["transformer.ln_f.bias"], eps) @ w["transformer.wte.weight"].T


def gated(w, names, y):
    gate, up, down = (w[n] for n in names)
    return (torch.nn.functional.silu(y @ gate.T) * (y @ up.T)) @ down.T


def route(c, w, p, y):
    """The weights of each token's experts, and which they are."""
    logits, is_sigmoid = y @ w[p + "gate.weight"].T, c.get("scoring_func", "sigmoid" if c["model_type"] == "glm4_moe" else None) == "sigmoid"
    score = torch.sigmoid(logits) if is_sigmoid else torch.softmax(logits, -1)
    choice = score.detach() + w[p + "gate.e_score_correction_bias"].detach() if p + "gate.e_score_correction_bias" in w else score.detach()
    if is_sigmoid or c.get("topk_method") == "group_limited_greedy":
        grouped = choice.unflatten(-1, (c["n_group"], -1))
        of_group = grouped.topk(2 if is_sigmoid else 1, -1).values.sum(-1)
        is_in = torch.zeros_like(of_group, dtype=torch.bool).scatter(-1, of_group.topk(c["topk_group"], -1).indices, True)
        choice = grouped.masked_fill(~is_in[..., None], -math.inf).flatten(-2)
    chosen = choice.topk(c["num_experts_per_tok"], -1).indices
    weight = score.gather(-1, chosen)
    if c.get("norm_topk_prob", True):
        weight = weight / weight.sum(-1, keepdim=True)
    return weight * c.get("routed_scaling_factor", 1.0), chosen


def experts(c, w, p, y):
    weight, chosen = route(c, w, p, y)
    out = torch.zeros_like(y)
    names = ("w1", "w3", "w2") if c["model_type"] == "mixtral" else ("gate_proj", "up_proj", "down_proj")
    for e in range(c.get("num_local_experts") or num_experts(c)):
        share = (weight * (chosen == e)).sum(-1, keepdim=True)
        out = out + share * gated(w, [p + f"experts.{e}.{n}.weight" for n in names], y)
    if c["model_type"] == "mixtral":
        return out
    shared = gated(w, [p + f"{SHARED[c['model_type']]}.{n}.weight" for n in names], y)
    if c["model_type"] == "qwen2_moe":
        shared = torch.sigmoid(y @ w[p + "shared_expert_gate.weight"].T) * shared
    return out + shared


def grouped(c, w, p, y):
    eps = c["rms_norm_eps"]
    q, k, v = (y @ w[p + f"{n}_proj.weight"].T + w.get(p + f"{n}_proj.bias", 0) for n in "qkv")
    q, k, v = heads(q, c["num_attention_heads"]), heads(k, c["num_key_value_heads"]), heads(v, c["num_key_value_heads"])
    if p + "q_norm.weight" in w:
        q, k = rms_norm(q, w[p + "q_norm.weight"], eps), rms_norm(k, w[p + "k_norm.weight"], eps)
    return attend(rotate(c, q), rotate(c, k), v, c.get("sliding_window")) @ w[p + "o_proj.weight"].T


def llama(c, w, ids):
    eps = c["rms_norm_eps"]
    x = w["model.embed_tokens.weight"][ids]
    for i in range(c["num_hidden_layers"]):
        p = f"model.layers.{i}."
        y = rms_norm(x, w[p + "input_layernorm.weight"], eps)
        x = x + (latent(c, w, p + "self_attn.", y) if "kv_lora_rank" in c else grouped(c, w, p + "self_attn.", y))
        y = rms_norm(x, w[p + "post_attention_layernorm.weight"], eps)
        if c["model_type"] == "mixtral":
            x = x + experts(c, w, p + "block_sparse_moe.", y)
        elif is_sparse(c, i):
            x = x + experts(c, w, p + "mlp.", y)
        else:
            x = x + gated(w, [p + f"mlp.{n}_proj.weight" for n in ("gate", "up", "down")], y)
    x = rms_norm(x, w["model.norm.weight"], eps)
    return x @ w["model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"].T


def run(config, weights, ids):
    logits = (gpt2 if config["model_type"] == "gpt2" else llama)(config, weights, ids)
    loss = torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))
    return logits, loss


def read(folder):
    config = json.loads((folder / "config.json").read_text())
    return config, {name: t.to(torch.float64) for name, t in from_blocks(load(folder), config).items()}


def as_published(config, weights):
    """The matrices of a block in 8 bits, except the router's."""
    if "quantization_config" not in config:
        return weights
    out = {}
    for name, tensor in weights.items():
        if ".layers." not in name or tensor.dim() < 2 or name.endswith(".gate.weight"):
            out[name] = tensor
        else:
            out[name], out[name + FACTORS] = to_blocks(tensor, config["quantization_config"]["weight_block_size"])
    return out


def make(root):
    for number, (name, config) in enumerate(MODELS.items()):
        generator = torch.Generator().manual_seed(100 + number)
        weights = {}
        for tensor, shape in shapes(config).items():
            values = 0.4 * torch.randn(shape, generator=generator, dtype=torch.float64)
            is_norm = "norm" in tensor or ".ln_" in tensor
            weights[tensor] = (values + (1 if is_norm and tensor.endswith("weight") else 0)).to(torch.float32)
            if "shared_expert_gate" in tensor:
                weights[tensor].zero_()
        ids = torch.randint(config["vocab_size"], (2, 7), generator=generator)
        weights = as_published(config, weights)
        wide = {tensor: value.to(torch.float64).requires_grad_() for tensor, value in from_blocks(weights, config).items()}
        logits, loss = run(config, wide, ids)
        loss.backward()
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
        save(folder / "model.safetensors", weights)
        save(folder / "golden.safetensors",
             {"input_ids": ids, "logits": logits, "loss": loss.reshape(1)} | {"grad." + n: t.grad for n, t in wide.items() if t.grad is not None})


def evaluate(folder):
    config, weights = read(folder)
    logits, loss = run(config, weights, torch.tensor(json.load(sys.stdin)))
    print(json.dumps({"loss": loss.item(), "logits": logits.tolist()}))


def check(folder):
    from transformers import AutoModelForCausalLM
    config, weights = read(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", experts_implementation="eager").to(torch.float32)
    ids = torch.arange(6)[None] % config["vocab_size"]
    difference = (model(ids).logits.double() - run(config, weights, ids)[0]).abs().max().item()
    print(f"{folder.name}: largest difference of logits {difference:.3g}")
    return difference < 1e-4  # in fp32: transformers computes norms and rotary angles so, whatever the model's format


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "make":
        make(pathlib.Path(rest[0]) if rest else HERE)
    elif command == "evaluate" and rest:
        evaluate(pathlib.Path(rest[0]))
    elif command == "check" and rest:
        sys.exit(0 if check(pathlib.Path(rest[0])) else 1)
    else:
        print(__doc__)
        sys.exit(2)
