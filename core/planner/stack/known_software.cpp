#include "core/planner/stack/known_software.h"

#include <array>
#include <utility>

namespace slipway {

std::string softwareIdOf(std::string_view source) {
    // The first match counts.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kSources{{{"Llama 3 Herd", "llama-team"},
                                                                                      {"bigscience", "deepspeed"},
                                                                                      {"torchtitan", "torchtitan"},
                                                                                      {"PyTorch blog", "fsdp"},
                                                                                      {"llm-foundry", "llm-foundry"},
                                                                                      {"NeMo", "nemo"},
                                                                                      {"dgxc-benchmarking", "nemo"},
                                                                                      {"Nemotron", "nemo"},
                                                                                      {"Megatron-Bridge", "nemo"},
                                                                                      {"Narayanan", "megatron-core"},
                                                                                      {"Korthikanti", "megatron-core"},
                                                                                      {"Megatron-LM", "megatron-core"},
                                                                                      {"SimuMax", "megatron-core"},
                                                                                      {"Primus", "megatron-core"},
                                                                                      {"MegaScale", "megatron-core"},
                                                                                      {"MoE-ModelZoo", "megatron-core"},
                                                                                      {"AI-Hypercomputer", "maxtext"},
                                                                                      {"JAX-Toolbox", "maxtext"}}};
    for (const auto& [part, id] : kSources)
        if (source.find(part) != std::string_view::npos) return std::string(id);
    return std::string(source.substr(0, source.find_first_of(" (")));
}

Message softwareTitle(std::string_view id) {
    if (id == "typical") return "typical software"_text;
    if (id == "textbook") return "textbook"_text;
    if (id == kBundledTrainer) return "the bundled trainer"_text;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTitles{{{"megatron-core", "Megatron-Core"},
                                                                                    {"nemo", "NeMo"},
                                                                                    {"deepspeed", "DeepSpeed"},
                                                                                    {"llm-foundry", "LLM Foundry"},
                                                                                    {"maxtext", "MaxText"}}};
    for (const auto& [known, title] : kTitles)
        if (id == known) return Message::name(title);
    return Message::name(id);
}

SoftwareStack priorOf(std::string_view id) {
    SoftwareStack prior;
    if (id != kBundledTrainer) return prior;
    // The fit to `slipway-trainer bench --step` on another processor (an AMD server core; time/compute.cpp): shares of a peak that the same
    // library reached, and 59 operations of 11 us in a layer's passes.
    prior.gemmEfficiency.value = 0.87;
    prior.attentionEfficiency.value = 0.68;
    prior.memoryEfficiency.value = 0.7;
    prior.layerSeconds.value = kLayerOperations * 11e-6;
    // The link is measured between ranks at their best. In a step a message waits for a core that computes, up to a slice of the
    // scheduler (3 ms under Linux' EEVDF).
    prior.intraShare.value = 0.9;
    prior.rankSeconds.value = 3e-4;
    return prior;
}

SoftwareFacts factsOf(std::string_view id) {
    SoftwareFacts facts;
    if (id == "megatron-core" || id == "nemo") {
        // Logits exist once in 16 bit and once, overwritten by their exponentials and their gradient, in fp32
        // (NVIDIA/Megatron-LM, megatron/core/fusions/fused_cross_entropy.py).
        facts.logitBytes = 6;
    } else if (id == "deepspeed") {
        // BLOOM's chronicles (bigscience-workshop/bigscience, train/tr11-176B-ml/chronicles-prequel.md): bf16 with gradients summed in
        // fp32, "the additional memory usage is 4bytes x params and it's not sharded across gpus". A pipeline's engine stores inputs and
        // outputs of every micro-batch in flight (DeepSpeed, runtime/pipe/engine.py).
        facts.states = "fp32_accumulation";
        facts.layers = LayerStorage::UnfusedAttention;
        facts.messageCopies = 2;
    } else if (id == "torchtitan") {
        // FSDP2 shards fp32 parameters and gathers them in 16 bit, reduces gradients in fp32; the root's group (embedding, head) is not
        // freed. Under a pipeline gradients add up unsharded in fp32 until the last micro-batch. Compiled loss: logits and their
        // gradient in 16 bit (pytorch/torchtitan, pull request 1033).
        facts.states = "fsdp2_fp32";
        facts.layers = LayerStorage::EveryOtherProduct;
        facts.logitBytes = 4;
        facts.wholeGradientBytes = 4;
        facts.rootStays = true;
    } else if (id == "nanotron") {
        // huggingface/nanotron: 16-bit gradients go into fp32 main gradients; data-parallel ranks keep both. Sharded
        // cross-entropy in fp32 in addition to 16-bit logits. The pipeline's engine holds a message and its gradient.
        facts.gradientCopyBytes = 2;
        facts.messageCopies = 2;
        facts.keepsGathered = true;
    } else if (id == "fsdp" || id == "llm-foundry") {
        facts.states = "fsdp2_fp32";
        facts.logitBytes = 14;
    }
    return facts;
}

}  // namespace slipway
