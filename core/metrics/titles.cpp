#include "core/metrics/titles.h"

#include "core/spec/run_config.h"

#include <algorithm>
#include <array>
#include <map>

namespace slipway {
namespace {

struct Title {
    std::string_view key;
    SourceText text;
};

constexpr auto kTitles = std::to_array<Title>({
    // properties of a run
    {"id", "Run"_text},
    {"name", "Name"_text},
    {"status", "Status"_text},
    {"created", "Created"_text},
    {"started", "Started"_text},
    {"ended", "Ended"_text},
    {"duration_seconds", "Duration"_text},
    {"tag", "Tags"_text},
    {"notes", "Notes"_text},
    {"archived", "Archived"_text},
    {"locked", "Locked"_text},
    {"deleted", "In the trash"_text},
    {"sweep", "Sweep"_text},
    {"trial", "Trial"_text},
    {"attempts", "Attempts"_text},
    {"exit_code", "Exit code"_text},
    {"reason", "Reason"_text},
    {"last_step", "Last step"_text},
    {"config_hash", "Config hash"_text},
    {"model", "Model"_text},
    {"num_layers", "Layers"_text},
    {"hidden_size", "Hidden size"_text},
    {"ffn_hidden_size", "Feed-forward size"_text},
    {"num_heads", "Heads"_text},
    {"num_kv_heads", "Key-value heads"_text},
    {"vocab_size", "Vocabulary"_text},
    {"num_experts", "Experts"_text},
    {"seq_len", "Sequence length"_text},
    {"global_batch_size", "Global batch"_text},
    {"micro_batch_size", "Micro-batch"_text},
    {"num_micro_batches", "Accum."_text},
    {"num_steps", "Steps"_text},
    {"precision", "Precision"_text},
    {"recompute", "Recompute"_text},
    {"seed", "Seed"_text},
    {"threads_per_rank", "Threads per rank"_text},
    {"lr", "Learning rate"_text},
    {"world_size", "Ranks"_text},
    {"dp", "dp"_text},
    {"tp", "tp"_text},
    {"pp", "pp"_text},
    {"cp", "cp"_text},
    {"ep", "ep"_text},
    {"zero_stage", "ZeRO"_text},
    {"virtual_stages", "Virtual stages"_text},
    {"schedule", "Schedule"_text},
    {"sequence_parallel", "Sequence parallel"_text},
    {"data", "Data"_text},
    {"device", "Device"_text},
    {"num_nodes", "Nodes"_text},
    {"mfu_rule", "MFU rule"_text},
    // figures of a run
    {"step_seconds", "Step time"_text},
    {"tokens_per_second", "Throughput"_text},
    {"tokens_per_second_per_device", "Tokens/s/device"_text},
    {"mfu", "MFU"_text},
    {"memory_peak_bytes", "Memory"_text},
    {"memory_rss_bytes", "Resident memory, worst rank"_text},
    {"bubble_fraction", "Bubble"_text},
    {"bubble_theoretical", "Bubble in theory"_text},
    {"bubble_simulated", "Bubble, simulated"_text},
    {"comm_bytes", "Traffic per step"_text},
    {"comm_seconds", "Communication time"_text},
    {"comm_exposed_seconds", "Exposed communication"_text},
    {"final_loss", "Final loss"_text},
    {"min_loss", "Lowest loss"_text},
    {"final_eval_loss", "Latest held-out loss"_text},
    {"warmup_steps", "Warm-up steps"_text},
    {"total_tokens", "Tokens trained on"_text},
    {"parameters", "Parameters"_text},
    {"flops_per_token", "FLOPs per token"_text},
    {"peak_flops", "Peak of all devices"_text},
    // metrics of a step
    {"loss", "Loss"_text},
    {"grad_norm", "Gradient norm"_text},
    {"tokens_valid", "Tokens with loss"_text},
    {"tp_exposed_seconds", "Exposed tensor-parallel communication"_text},
    {"cp_exposed_seconds", "Exposed context-parallel communication"_text},
    {"dp_exposed_seconds", "Exposed data-parallel communication"_text},
    {"ep_exposed_seconds", "Exposed expert-parallel communication"_text},
    {"world_exposed_seconds", "Exposed communication of all ranks"_text},
    {"update_exposed_seconds", "Exposed communication of the optimizer"_text},
    {"edge_exposed_seconds", "Exposed communication before and after the passes"_text},
    {"finish_wait_seconds", "Wait at the end of the step"_text},
    {"imbalance_seconds", "Wait for the slowest rank of the stage"_text},
    {"pipeline_wait_seconds", "Wait for pipeline neighbours"_text},
    {"forward_seconds", "Forward passes"_text},
    {"backward_seconds", "Backward passes"_text},
    {"optimizer_seconds", "Clipping and optimizer"_text},
    {"data_seconds", "Wait for data"_text},
    {"bubble_observed", "Bubble, observed"_text},
    {"checkpoint_seconds", "Checkpoint stall"_text},
    {"checkpoint_write_seconds", "Checkpoint write, slowest rank"_text},
    {"eval_loss", "Held-out loss"_text},
    {"eval_seconds", "Evaluation stall"_text},
    {"batch_size", "Batch under the ramp"_text},
    {"clipped_units", "Rows scaled by adaptive clipping, worst rank"_text},
    {"loss_scale", "Loss scale (fp16)"_text},
    {"noise_scale", "Gradient noise scale"_text},
    {"device_clock_hertz", "GPU clock, slowest rank"_text},
    {"device_power_watts", "GPU power, mean"_text},
    {"device_temperature_celsius", "GPU temperature, hottest rank"_text},
    {"device_memory_used_bytes", "GPU memory in use, fullest rank"_text},
    {"device_throttled_fraction", "Throttled GPUs"_text},
    {"memory_reserved_peak_bytes", "GPU memory taken by the allocator"_text},
    {"allocator_retries", "Allocator retries"_text},
    // figures of a forecast
    {"hfu", "HFU"_text},
    {"mfu_a", "MFU (PaLM)"_text},
    {"mfu_b", "MFU (full attention)"_text},
    {"mfu_d", "MFU (with recomputation)"_text},
    {"hfu_a", "HFU (PaLM)"_text},
    {"hfu_b", "HFU (full attention)"_text},
    {"hfu_d", "HFU (with recomputation)"_text},
    {"flops_per_token_a", "FLOPs per token (PaLM)"_text},
    {"flops_per_token_b", "FLOPs per token (full attention)"_text},
    {"flops_per_token_d", "FLOPs per token (with recomputation)"_text},
    {"hardware_flops_per_token", "Hardware FLOPs per token"_text},
    {"hardware_flops_per_token_a", "Hardware FLOPs per token (PaLM)"_text},
    {"hardware_flops_per_token_b", "Hardware FLOPs per token (full attention)"_text},
    {"hardware_flops_per_token_d", "Hardware FLOPs per token (with recomputation)"_text},
    {"memory_capacity_bytes", "Memory per rank"_text},
    {"memory.total_bytes", "Memory"_text},
    {"checkpoint_bytes", "Checkpoint"_text},
    {"training_seconds", "Training time"_text},
    {"device_hours", "Device-hours"_text},
    {"money", "Cost"_text},
    {"parameters.total", "Parameters"_text},
    {"parameters.embedding", "Parameters: embedding"_text},
    {"parameters.attention", "Parameters: attention"_text},
    {"parameters.ffn", "Parameters: feed-forward"_text},
    {"parameters.norm", "Parameters: norms"_text},
    {"parameters.head", "Parameters: output head"_text},
    {"parameters.router", "Parameters: router"_text},
    {"parameters.active", "Active parameters"_text},
    {"parameters.matmul", "Matrix-product parameters"_text},
    {"step.compute_seconds", "Step: compute"_text},
    {"step.tp_exposed_seconds", "Step: tensor-parallel traffic"_text},
    {"step.cp_exposed_seconds", "Step: context-parallel traffic"_text},
    {"step.ep_exposed_seconds", "Step: expert-parallel traffic"_text},
    {"step.pp_exposed_seconds", "Step: pipeline traffic"_text},
    {"step.bubble_seconds", "Step: pipeline bubble"_text},
    {"step.dp_exposed_seconds", "Step: data-parallel traffic"_text},
    {"step.optimizer_seconds", "Step: optimizer"_text},
    {"step.fixed_seconds", "Step: fixed costs"_text},
    {"memory.weight_bytes", "Memory: weights"_text},
    {"memory.gradient_bytes", "Memory: gradients"_text},
    {"memory.optimizer_bytes", "Memory: optimizer states"_text},
    {"memory.activation_bytes", "Memory: activations"_text},
    {"memory.logits_bytes", "Memory: logits"_text},
    {"memory.buffer_bytes", "Memory: buffers"_text},
    {"memory.reserve_bytes", "Memory: reserve"_text},
    {"memory.graph_bytes", "Memory: CUDA graphs"_text},
    {"step.graph_saved_seconds", "Step: saved by CUDA graphs"_text},
    {"host_memory.total_bytes", "Host memory, worst rank"_text},
    {"host_memory.staging_bytes", "Host memory: checkpoint copy"_text},
    {"host_memory.optimizer_bytes", "Host memory: optimizer states"_text},
    {"host_memory.activation_bytes", "Host memory: activations"_text},
    {"host_memory.node_bytes", "Host memory of a node"_text},
    {"host_memory.node_tensor_bytes", "Host memory of a node: tensors"_text},
    {"host_memory.node_capacity_bytes", "Host memory capacity of a node"_text},
});

/// Labels of the fields of configs and clusters, by path.
const std::map<std::string, Message, std::less<>>& labels() {
    static const auto all = [] {
        std::map<std::string, Message, std::less<>> out;
        for (const FieldInfos& infos : {runConfigFields(), clusterFields()})
            for (const FieldInfo& info : infos)
                if (!info.label.empty()) out.emplace(info.path, info.label);
        return out;
    }();
    return all;
}

}  // namespace

Message titleOf(std::string_view name) {
    const auto title = std::find_if(kTitles.begin(), kTitles.end(), [&](const Title& t) { return t.key == name; });
    if (title != kTitles.end()) return title->text;
    for (const auto& [prefix, text] : {std::pair{std::string_view("measured."), "%1, measured"_text},
                                       std::pair{std::string_view("forecast."), "%1, forecast"_text}})
        if (name.starts_with(prefix)) return text(titleOf(name.substr(prefix.size())));
    const auto label = labels().find(name);
    return label != labels().end() ? label->second : Message::name(name);
}

}  // namespace slipway
