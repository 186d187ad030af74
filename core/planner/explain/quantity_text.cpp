// The figures and inputs of formulas by name, for the catalogue. Field names are not here: they have labels.
#include "core/base/units.h"
#include "core/planner/explain/explain.h"
#include "core/spec/run_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

namespace slipway {
namespace {

constexpr auto kQuantities = std::to_array<SourceText>({
    "allocator_factor"_text,
    "attention_efficiency"_text,
    "backward_bytes"_text,
    "backward_compute_seconds"_text,
    "backward_seconds"_text,
    "bubble_fraction"_text,
    "bubble_simulated"_text,
    "bubble_theoretical"_text,
    "bucket_bytes"_text,
    "causal_attention_flops"_text,
    "checkpoint_bytes"_text,
    "checkpoint_bytes_per_parameter"_text,
    "collective_seconds"_text,
    "comm_bytes"_text,
    "comm_seconds"_text,
    "context_bytes"_text,
    "dense_layers"_text,
    "device.memory_bytes"_text,
    "device_hours"_text,
    "devices"_text,
    "dp_bytes_per_second"_text,
    "dp_latency_seconds"_text,
    "embedding_gradient_workspace_bytes"_text,
    "embedding_seconds"_text,
    "embedding_tp_seconds"_text,
    "expert_shard_ranks"_text,
    "expert_writers"_text,
    "exposed_share"_text,
    "final_norm_parameters"_text,
    "first_chunk_bytes"_text,
    "flight_bytes"_text,
    "flops_per_token"_text,
    "flops_per_token_a"_text,
    "flops_per_token_b"_text,
    "flops_per_token_d"_text,
    "forward_bytes"_text,
    "forward_compute_seconds"_text,
    "fragmentation"_text,
    "free_schedule_seconds"_text,
    "full_attention_flops"_text,
    "gathered_layer_parameters"_text,
    "gathered_parameters"_text,
    "gemm_efficiency"_text,
    "gradient_bytes_per_parameter"_text,
    "gradient_bytes_reduced"_text,
    "gradient_bytes_sent"_text,
    "gradient_pass_bytes_per_parameter"_text,
    "gradient_seconds"_text,
    "hardware_flops_per_token"_text,
    "hardware_flops_per_token_a"_text,
    "hardware_flops_per_token_b"_text,
    "hardware_flops_per_token_d"_text,
    "head_gradient_workspace_bytes"_text,
    "head_matrix_parameters"_text,
    "head_parameters"_text,
    "head_seconds"_text,
    "head_tp_seconds"_text,
    "hfu"_text,
    "hfu_a"_text,
    "hfu_b"_text,
    "hfu_d"_text,
    "hidden_state_bytes"_text,
    "hiding_passes"_text,
    "host_bytes_per_parameter"_text,
    "host_link_bytes_per_second"_text,
    "host_memory.activation_bytes"_text,
    "host_memory.node_bytes"_text,
    "host_memory.node_capacity_bytes"_text,
    "host_memory.node_tensor_bytes"_text,
    "host_memory.optimizer_bytes"_text,
    "host_memory.staging_bytes"_text,
    "host_memory.total_bytes"_text,
    "host_memory_bytes_per_second"_text,
    "host_wait_seconds"_text,
    "idle_expert_parameters"_text,
    "idle_units"_text,
    "largest_layer_activation_bytes"_text,
    "launch_seconds"_text,
    "layer_activation_bytes"_text,
    "layer_attention_parameters"_text,
    "layer_bytes_sent"_text,
    "layer_cp_seconds"_text,
    "layer_ep_seconds"_text,
    "layer_ffn_parameters"_text,
    "layer_matmul_parameters"_text,
    "layer_norm_parameters"_text,
    "layer_router_parameters"_text,
    "layer_seconds"_text,
    "layer_tp_hidden_seconds"_text,
    "layer_tp_seconds"_text,
    "layer_waiting_bytes"_text,
    "layer_workspace_bytes"_text,
    "listed_node_bytes"_text,
    "loss_workspace_bytes"_text,
    "matrix_parameters"_text,
    "memory.activation_bytes"_text,
    "memory.buffer_bytes"_text,
    "memory.gradient_bytes"_text,
    "memory.graph_bytes"_text,
    "memory.logits_bytes"_text,
    "memory.optimizer_bytes"_text,
    "memory.reserve_bytes"_text,
    "memory.total_bytes"_text,
    "memory.weight_bytes"_text,
    "memory_capacity_bytes"_text,
    "memory_efficiency"_text,
    "memory_peak_bytes"_text,
    "message_copy_bytes"_text,
    "mfu"_text,
    "mfu_a"_text,
    "mfu_b"_text,
    "mfu_d"_text,
    "micro_batch_input_bytes"_text,
    "micro_batch_seconds"_text,
    "micro_batches"_text,
    "micro_batches_waiting"_text,
    "moe_layer_activation_bytes"_text,
    "moe_layer_attention_parameters"_text,
    "moe_layer_ffn_parameters"_text,
    "moe_layer_matmul_parameters"_text,
    "moe_layer_norm_parameters"_text,
    "moe_layer_router_parameters"_text,
    "moe_layer_seconds"_text,
    "moe_layer_tp_seconds"_text,
    "moe_layer_waiting_bytes"_text,
    "moe_layers"_text,
    "moment_bytes"_text,
    "money"_text,
    "moved_bytes_per_parameter"_text,
    "node_ranks"_text,
    "num_micro_batches"_text,
    "optimizer_bytes_per_parameter"_text,
    "orthogonal_flops"_text,
    "parameters"_text,
    "parameters.active"_text,
    "parameters.attention"_text,
    "parameters.embedding"_text,
    "parameters.ffn"_text,
    "parameters.head"_text,
    "parameters.matmul"_text,
    "parameters.norm"_text,
    "parameters.router"_text,
    "parameters.total"_text,
    "pass_bytes_sent"_text,
    "pass_collective_seconds"_text,
    "pass_seconds"_text,
    "peak_flops"_text,
    "pipeline_message_bytes"_text,
    "position_parameters"_text,
    "price_per_hour"_text,
    "rank_chunks"_text,
    "rank_elementwise_bytes_per_second"_text,
    "rank_ends"_text,
    "rank_expert_parameters"_text,
    "rank_layers"_text,
    "rank_matrices"_text,
    "rank_memory_bytes_per_second"_text,
    "rank_moe_layers"_text,
    "rank_parameters"_text,
    "rank_pass_seconds"_text,
    "rank_peak_flops"_text,
    "rank_table_parameters"_text,
    "ranks_pass_seconds"_text,
    "recomputed_flops_per_token"_text,
    "recomputed_layers"_text,
    "repeated_micro_batch_seconds"_text,
    "repeated_micro_batches"_text,
    "replicated_flops_per_token"_text,
    "ring_backward_seconds"_text,
    "ring_forward_seconds"_text,
    "ring_home_seconds"_text,
    "root_bytes"_text,
    "rotary_table_bytes"_text,
    "saved_logits_bytes"_text,
    "saved_micro_batches"_text,
    "schedule_seconds"_text,
    "seconds_per_step"_text,
    "shard_ranks"_text,
    "simulated_pass_seconds"_text,
    "slot_seconds"_text,
    "slots"_text,
    "spared_moment_bytes"_text,
    "stack_reserve_bytes"_text,
    "state_bytes"_text,
    "step.bubble_seconds"_text,
    "step.compute_seconds"_text,
    "step.cp_exposed_seconds"_text,
    "step.dp_exposed_seconds"_text,
    "step.ep_exposed_seconds"_text,
    "step.fixed_seconds"_text,
    "step.graph_saved_seconds"_text,
    "step.optimizer_seconds"_text,
    "step.pp_exposed_seconds"_text,
    "step.tp_exposed_seconds"_text,
    "step_bytes_per_parameter"_text,
    "step_bytes_sent"_text,
    "step_collective_seconds"_text,
    "step_seconds"_text,
    "tokens_per_second"_text,
    "tokens_per_second_per_device"_text,
    "tp_bytes_per_second"_text,
    "tp_latency_seconds"_text,
    "training_seconds"_text,
    "transfer_seconds"_text,
    "unhidden_traffic_seconds"_text,
    "update_bytes_per_parameter"_text,
    "update_traffic_share"_text,
    "update_workspace_bytes"_text,
    "usable_memory_bytes_per_second"_text,
    "usable_share"_text,
    "wait_seconds"_text,
    "weight_bytes_per_parameter"_text,
    "weight_pass_bytes"_text,
    "weight_seconds"_text,
    "whole_bytes_per_parameter"_text,
    "whole_steps"_text,
    "world_size"_text,
    "writers"_text,
});
static_assert(std::ranges::is_sorted(kQuantities, {}, &SourceText::english));

const std::map<std::string, Message, std::less<>>& fieldLabels() {
    static const auto all = [] {
        std::map<std::string, Message, std::less<>> labels;
        for (const FieldInfos& infos : {runConfigFields(), clusterFields()})
            for (const FieldInfo& info : infos) labels.emplace(info.path, info.label);
        return labels;
    }();
    return all;
}

bool isOfName(char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           c == '_' || c == '.';
}

}  // namespace

std::string quantityText(std::string_view name, Language language) {
    if (language == Language::English) return std::string(name);
    constexpr std::string_view kOfStage = ".stage_";  // of quantity() in terms/term.h
    if (const std::size_t stage = name.find(kOfStage); stage != std::string_view::npos)
        return textOf("%1, stage %2"_text(quantityText(name.substr(0, stage), language),
                                          std::string(name.substr(stage + kOfStage.size()))),
                      language);
    const auto found = std::ranges::lower_bound(kQuantities, name, {}, &SourceText::english);
    if (found != kQuantities.end() && *found == name) return textOf(*found, language);
    const auto label = fieldLabels().find(name);
    return label != fieldLabels().end() ? textOf(label->second, language) : std::string(name);
}

std::string formulaText(const Explanation& e, Language language) {
    if (language == Language::English) return e.formula;
    if (!e.words.empty()) return textOf(e.words, language);
    std::string out;
    for (std::size_t i = 0; i < e.formula.size();) {
        std::size_t end = i;
        if (std::islower(static_cast<unsigned char>(e.formula[i])) != 0)
            while (end < e.formula.size() && isOfName(e.formula[end])) ++end;
        if (end == i) {
            out += e.formula[i] == '*' ? "×" : std::string(1, e.formula[i]);
            ++i;
        } else {
            out += quantityText(std::string_view(e.formula).substr(i, end - i), language);
            i = end;
        }
    }
    return out;
}

std::string textOf(const ExplainedNumber& number, Language language) {
    const double v = number.value;
    if (std::isnan(v)) return textOf("unknown"_text, language);
    if (number.unit == "s") return formatSeconds(v, language);
    if (number.unit == "B") return formatBytes(v);
    if (number.unit == "B/s") return formatBandwidth(v);
    if (number.unit == "FLOP/s") return formatFlops(v);
    const std::string text = v == std::floor(v) && std::fabs(v) < 1e6 ? formatCount(v)
                             : std::fabs(v) < 1e6                     ? formatSignificant(v, 4)
                                                                      : formatShort(v, language);
    if (number.unit.empty()) return text;
    return text + " " + (number.unit == "tokens/s" ? textOf("tokens/s"_text, language) : number.unit);
}

}  // namespace slipway
