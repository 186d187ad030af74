#include "app/gui/explanation_text.h"

#include "app/gui/format.h"
#include "app/gui/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <cmath>

namespace slipway::gui {
namespace {

// For lupdate: the names and sentences of core/planner/explain as they stand there.
// clang-format off
[[maybe_unused]] constexpr const char* kQuantities[] = {
    QT_TRANSLATE_NOOP("Quantity", "step_seconds"), QT_TRANSLATE_NOOP("Quantity", "tokens_per_second"), QT_TRANSLATE_NOOP("Quantity", "tokens_per_second_per_device"),
    QT_TRANSLATE_NOOP("Quantity", "mfu"), QT_TRANSLATE_NOOP("Quantity", "mfu_a"), QT_TRANSLATE_NOOP("Quantity", "mfu_b"), QT_TRANSLATE_NOOP("Quantity", "mfu_d"),
    QT_TRANSLATE_NOOP("Quantity", "hfu"), QT_TRANSLATE_NOOP("Quantity", "hfu_a"), QT_TRANSLATE_NOOP("Quantity", "hfu_b"), QT_TRANSLATE_NOOP("Quantity", "hfu_d"),
    QT_TRANSLATE_NOOP("Quantity", "flops_per_token"), QT_TRANSLATE_NOOP("Quantity", "flops_per_token_a"), QT_TRANSLATE_NOOP("Quantity", "flops_per_token_b"),
    QT_TRANSLATE_NOOP("Quantity", "flops_per_token_d"), QT_TRANSLATE_NOOP("Quantity", "hardware_flops_per_token"),
    QT_TRANSLATE_NOOP("Quantity", "hardware_flops_per_token_a"), QT_TRANSLATE_NOOP("Quantity", "hardware_flops_per_token_b"),
    QT_TRANSLATE_NOOP("Quantity", "hardware_flops_per_token_d"), QT_TRANSLATE_NOOP("Quantity", "memory_peak_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "memory_capacity_bytes"), QT_TRANSLATE_NOOP("Quantity", "bubble_theoretical"), QT_TRANSLATE_NOOP("Quantity", "bubble_simulated"),
    QT_TRANSLATE_NOOP("Quantity", "bubble_fraction"), QT_TRANSLATE_NOOP("Quantity", "comm_bytes"), QT_TRANSLATE_NOOP("Quantity", "comm_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "training_seconds"), QT_TRANSLATE_NOOP("Quantity", "device_hours"), QT_TRANSLATE_NOOP("Quantity", "money"),
    QT_TRANSLATE_NOOP("Quantity", "memory.weight_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.gradient_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.optimizer_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "memory.activation_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.logits_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.buffer_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "memory.reserve_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.graph_bytes"), QT_TRANSLATE_NOOP("Quantity", "memory.total_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "host_memory.total_bytes"), QT_TRANSLATE_NOOP("Quantity", "host_memory.staging_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "host_memory.optimizer_bytes"), QT_TRANSLATE_NOOP("Quantity", "host_memory.activation_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "host_memory.node_bytes"), QT_TRANSLATE_NOOP("Quantity", "host_memory.node_tensor_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "host_memory.node_capacity_bytes"), QT_TRANSLATE_NOOP("Quantity", "step.compute_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "step.graph_saved_seconds"), QT_TRANSLATE_NOOP("Quantity", "step.tp_exposed_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "step.cp_exposed_seconds"), QT_TRANSLATE_NOOP("Quantity", "step.ep_exposed_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "step.pp_exposed_seconds"), QT_TRANSLATE_NOOP("Quantity", "step.bubble_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "step.dp_exposed_seconds"), QT_TRANSLATE_NOOP("Quantity", "step.optimizer_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "step.fixed_seconds"), QT_TRANSLATE_NOOP("Quantity", "parameters"), QT_TRANSLATE_NOOP("Quantity", "parameters.total"),
    QT_TRANSLATE_NOOP("Quantity", "parameters.embedding"), QT_TRANSLATE_NOOP("Quantity", "parameters.attention"), QT_TRANSLATE_NOOP("Quantity", "parameters.ffn"),
    QT_TRANSLATE_NOOP("Quantity", "parameters.norm"), QT_TRANSLATE_NOOP("Quantity", "parameters.head"), QT_TRANSLATE_NOOP("Quantity", "parameters.router"),
    QT_TRANSLATE_NOOP("Quantity", "parameters.active"), QT_TRANSLATE_NOOP("Quantity", "parameters.matmul"), QT_TRANSLATE_NOOP("Quantity", "checkpoint_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "num_micro_batches"), QT_TRANSLATE_NOOP("Quantity", "micro_batches"), QT_TRANSLATE_NOOP("Quantity", "micro_batches_kept"),
    QT_TRANSLATE_NOOP("Quantity", "repeated_micro_batches"), QT_TRANSLATE_NOOP("Quantity", "rank_layers"), QT_TRANSLATE_NOOP("Quantity", "rank_moe_layers"),
    QT_TRANSLATE_NOOP("Quantity", "layers_on_device"), QT_TRANSLATE_NOOP("Quantity", "recomputed_layers"), QT_TRANSLATE_NOOP("Quantity", "dense_layers"),
    QT_TRANSLATE_NOOP("Quantity", "moe_layers"), QT_TRANSLATE_NOOP("Quantity", "world_size"), QT_TRANSLATE_NOOP("Quantity", "devices"),
    QT_TRANSLATE_NOOP("Quantity", "whole_steps"), QT_TRANSLATE_NOOP("Quantity", "slots"), QT_TRANSLATE_NOOP("Quantity", "idle_units"),
    QT_TRANSLATE_NOOP("Quantity", "shard_ranks"), QT_TRANSLATE_NOOP("Quantity", "expert_shard_ranks"), QT_TRANSLATE_NOOP("Quantity", "writers"),
    QT_TRANSLATE_NOOP("Quantity", "expert_writers"), QT_TRANSLATE_NOOP("Quantity", "node_ranks"), QT_TRANSLATE_NOOP("Quantity", "ranks_per_node"),
    QT_TRANSLATE_NOOP("Quantity", "rank_parameters"), QT_TRANSLATE_NOOP("Quantity", "rank_expert_parameters"), QT_TRANSLATE_NOOP("Quantity", "rank_matrices"),
    QT_TRANSLATE_NOOP("Quantity", "rank_shard_parameters"), QT_TRANSLATE_NOOP("Quantity", "layer_parameters"), QT_TRANSLATE_NOOP("Quantity", "head_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "head_matrix_parameters"), QT_TRANSLATE_NOOP("Quantity", "matrix_parameters"), QT_TRANSLATE_NOOP("Quantity", "position_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "final_norm_parameters"), QT_TRANSLATE_NOOP("Quantity", "idle_expert_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "layer_attention_parameters"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_attention_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "layer_ffn_parameters"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_ffn_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "layer_norm_parameters"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_norm_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "layer_router_parameters"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_router_parameters"),
    QT_TRANSLATE_NOOP("Quantity", "layer_matmul_parameters"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_matmul_parameters"), QT_TRANSLATE_NOOP("Quantity", "peak_flops"),
    QT_TRANSLATE_NOOP("Quantity", "rank_peak_flops"), QT_TRANSLATE_NOOP("Quantity", "causal_attention_flops"), QT_TRANSLATE_NOOP("Quantity", "full_attention_flops"),
    QT_TRANSLATE_NOOP("Quantity", "recomputed_flops_per_token"), QT_TRANSLATE_NOOP("Quantity", "gemm_efficiency"), QT_TRANSLATE_NOOP("Quantity", "attention_efficiency"),
    QT_TRANSLATE_NOOP("Quantity", "memory_efficiency"), QT_TRANSLATE_NOOP("Quantity", "stack_efficiency"), QT_TRANSLATE_NOOP("Quantity", "usable_share"),
    QT_TRANSLATE_NOOP("Quantity", "fragmentation"), QT_TRANSLATE_NOOP("Quantity", "micro_batch_seconds"), QT_TRANSLATE_NOOP("Quantity", "repeated_micro_batch_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "launch_seconds"), QT_TRANSLATE_NOOP("Quantity", "layer_seconds"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "embedding_seconds"), QT_TRANSLATE_NOOP("Quantity", "head_seconds"), QT_TRANSLATE_NOOP("Quantity", "host_wait_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "layer_tp_seconds"), QT_TRANSLATE_NOOP("Quantity", "ends_tp_seconds"), QT_TRANSLATE_NOOP("Quantity", "layer_tp_hidden_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "tp_latency_seconds"), QT_TRANSLATE_NOOP("Quantity", "layer_cp_seconds"), QT_TRANSLATE_NOOP("Quantity", "layer_ep_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "hidden_seconds"), QT_TRANSLATE_NOOP("Quantity", "dp_latency_seconds"), QT_TRANSLATE_NOOP("Quantity", "gradient_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "weight_seconds"), QT_TRANSLATE_NOOP("Quantity", "stall_seconds"), QT_TRANSLATE_NOOP("Quantity", "transfer_wait_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "transfer_seconds"), QT_TRANSLATE_NOOP("Quantity", "slot_seconds"), QT_TRANSLATE_NOOP("Quantity", "schedule_seconds"),
    QT_TRANSLATE_NOOP("Quantity", "rank_pass_seconds"), QT_TRANSLATE_NOOP("Quantity", "update_seconds"), QT_TRANSLATE_NOOP("Quantity", "seconds_per_step"),
    QT_TRANSLATE_NOOP("Quantity", "tp_bytes_per_second"), QT_TRANSLATE_NOOP("Quantity", "dp_bytes_per_second"),
    QT_TRANSLATE_NOOP("Quantity", "host_link_bytes_per_second"), QT_TRANSLATE_NOOP("Quantity", "rank_memory_bytes_per_second"),
    QT_TRANSLATE_NOOP("Quantity", "rank_elementwise_bytes_per_second"), QT_TRANSLATE_NOOP("Quantity", "usable_memory_bytes_per_second"),
    QT_TRANSLATE_NOOP("Quantity", "layer_bytes_sent"), QT_TRANSLATE_NOOP("Quantity", "gradient_bytes_sent"), QT_TRANSLATE_NOOP("Quantity", "pipeline_message_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "weight_bytes_per_parameter"), QT_TRANSLATE_NOOP("Quantity", "gradient_bytes_per_parameter"),
    QT_TRANSLATE_NOOP("Quantity", "optimizer_bytes_per_parameter"), QT_TRANSLATE_NOOP("Quantity", "gradient_pass_bytes_per_parameter"),
    QT_TRANSLATE_NOOP("Quantity", "update_bytes_per_shard_parameter"), QT_TRANSLATE_NOOP("Quantity", "checkpoint_bytes_per_parameter"),
    QT_TRANSLATE_NOOP("Quantity", "host_bytes_per_parameter"), QT_TRANSLATE_NOOP("Quantity", "moment_bytes"), QT_TRANSLATE_NOOP("Quantity", "spared_moment_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "layer_activation_bytes"), QT_TRANSLATE_NOOP("Quantity", "moe_layer_activation_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "logits_kept_bytes"), QT_TRANSLATE_NOOP("Quantity", "loss_workspace_bytes"), QT_TRANSLATE_NOOP("Quantity", "workspace_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "micro_batch_input_bytes"), QT_TRANSLATE_NOOP("Quantity", "pass_bytes"), QT_TRANSLATE_NOOP("Quantity", "rotary_table_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "stack_reserve_bytes"), QT_TRANSLATE_NOOP("Quantity", "context_bytes"), QT_TRANSLATE_NOOP("Quantity", "device.memory_bytes"),
    QT_TRANSLATE_NOOP("Quantity", "listed_node_bytes"), QT_TRANSLATE_NOOP("Quantity", "price_per_hour"),
};

[[maybe_unused]] constexpr const char* kSentences[] = {
    QT_TRANSLATE_NOOP("Explanation", "0: train.cuda_graphs is off"),
    QT_TRANSLATE_NOOP("Explanation", "0: the bundled trainer captures no graph of this layout"),
    QT_TRANSLATE_NOOP("Explanation", "0: on a CPU nothing leaves the device for the host"),
    QT_TRANSLATE_NOOP("Explanation", "0: parallel.offload leaves the optimizer's states on the device"),
    QT_TRANSLATE_NOOP("Explanation", "0: parallel.offload leaves activations on the device"),
    QT_TRANSLATE_NOOP("Explanation", "0: parallel.offload keeps the optimizer's state in the memory of the host"),
    QT_TRANSLATE_NOOP("Explanation", "0: checkpoint.every_steps writes no checkpoints"),
    QT_TRANSLATE_NOOP("Explanation", "0: the tensors of the ranks stand in the memory of their devices"),
    QT_TRANSLATE_NOOP("Explanation", "0: nothing is reserved beside the tensors of this device"),
    QT_TRANSLATE_NOOP("Explanation", "0: the output head is the embedding's matrix"),
    QT_TRANSLATE_NOOP("Explanation", "0: parallel.cp is 1"),
    QT_TRANSLATE_NOOP("Explanation", "0: the model has no experts"),
    QT_TRANSLATE_NOOP("Explanation", "0: parallel.ep is 1, so every rank has all experts"),
    QT_TRANSLATE_NOOP("Explanation", "0: one stage sends nothing"),
    QT_TRANSLATE_NOOP("Explanation", "0: one stage has nothing to wait for"),
    QT_TRANSLATE_NOOP("Explanation", "1 - sum over ranks of their passes / (parallel.pp * length of the schedule)"),
    QT_TRANSLATE_NOOP("Explanation", "sum over all collectives of a step of what one of n ranks sends: all-reduce 2 (n - 1) / n S, gather and scatter (n - 1) / n S, message S"),
    QT_TRANSLATE_NOOP("Explanation", "sum over all collectives of a step, hidden or not, of hops * latency + sent bytes / bandwidth; mean over the pipeline ranks"),
    QT_TRANSLATE_NOOP("Explanation", "what the backward pass of the last micro-batch does not hide of gradient_seconds, at least the last bucket, and weight_seconds after the optimizer"),
    QT_TRANSLATE_NOOP("Explanation", "definition"),
    QT_TRANSLATE_NOOP("Explanation", "textbook"),
    QT_TRANSLATE_NOOP("Explanation", "calibrated"),
    QT_TRANSLATE_NOOP("Explanation", "measured"),
    QT_TRANSLATE_NOOP("Explanation", "%1 efficiencies"),
    QT_TRANSLATE_NOOP("Explanation", "parts of the busiest pipeline rank, %1 efficiencies"),
    QT_TRANSLATE_NOOP("Explanation", "the cluster's own figure"),
    QT_TRANSLATE_NOOP("Explanation", "the bundled trainer"),
    QT_TRANSLATE_NOOP("Explanation", "the bundled trainer (trainer/pipeline/micro_batch_graph.h)"),
    QT_TRANSLATE_NOOP("Explanation", "largest over the pipeline ranks, here rank %1"),
    QT_TRANSLATE_NOOP("Explanation", "without failures and waiting"),
    QT_TRANSLATE_NOOP("Explanation", "the ranks of a node share its CPU, which counts once"),
    QT_TRANSLATE_NOOP("Explanation", "price of the plan's hardware"),
    QT_TRANSLATE_NOOP("Explanation", "the hardware has no price"),
    QT_TRANSLATE_NOOP("Explanation", "a layer: FLOPs over the reachable peak, elementwise bytes over the reachable bandwidth (roofline, Williams 2009, CACM 52(4))"),
    QT_TRANSLATE_NOOP("Explanation", "what the passes do not hide of the copies of activations to the host and back: vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.2"),
    QT_TRANSLATE_NOOP("Explanation", "idle units of a schedule, in works of one micro-batch: (p - 1) / v for 1F1B and its relatives, Narayanan 2021, arXiv 2104.04473, sec. 2.2"),
    QT_TRANSLATE_NOOP("Explanation", "zero bubble: Qi 2023, arXiv 2401.10241"),
    QT_TRANSLATE_NOOP("Explanation", "the schedule played pass by pass with this plan's unequal stages and transfers; the drawing shows it"),
    QT_TRANSLATE_NOOP("Explanation", "ring algorithms: Patarasuk 2009, J. Parallel Distrib. Comput. 69(2); the trainer counts the same way"),
    QT_TRANSLATE_NOOP("Explanation", "alpha-beta model of ring algorithms: Thakur 2005, Int. J. High Perform. Comput. Appl. 19(1)"),
    QT_TRANSLATE_NOOP("Explanation", "messages between stages run beside the passes and have no seconds here"),
    QT_TRANSLATE_NOOP("Explanation", "length of the schedule, played pass by pass with free transfers, less the passes of the busiest rank"),
    QT_TRANSLATE_NOOP("Explanation", "length of the schedule, played pass by pass, with transfers less its length without them"),
    QT_TRANSLATE_NOOP("Explanation", "announcements of messages in each slot of the schedule, and where the network of the calibrated software stack stalls (docs/validation.md)"),
    QT_TRANSLATE_NOOP("Explanation", "bucketed overlap: Li 2020 (PyTorch DDP), arXiv 2006.15704, sec. 3.2.3"),
    QT_TRANSLATE_NOOP("Explanation", "ZeRO traffic: arXiv 1910.02054, sec. 7"),
    QT_TRANSLATE_NOOP("Explanation", "per collective hops * latency + sent bytes / bandwidth"),
    QT_TRANSLATE_NOOP("Explanation", "operations of a layer: Shoeybi 2019, arXiv 1909.08053, sec. 3; with sequence parallelism Korthikanti 2022, arXiv 2205.05198, sec. 4.2.2"),
    QT_TRANSLATE_NOOP("Explanation", "hidden beside (tp - 1) / tp of the products, already subtracted: Wang 2022, doi 10.1145/3567955.3567959, sec. 3"),
    QT_TRANSLATE_NOOP("Explanation", "keys and values pass every rank; the exchange runs beside the attention, which hides up to half of the pass: ring attention, Liu 2023, arXiv 2310.01889"),
    QT_TRANSLATE_NOOP("Explanation", "four all-to-alls a layer and direction: DeepSpeed-Ulysses, Jacobs 2023, arXiv 2309.14509"),
    QT_TRANSLATE_NOOP("Explanation", "keys and values are gathered, their gradients scattered: Llama 3, arXiv 2407.21783, sec. 3.3.2"),
    QT_TRANSLATE_NOOP("Explanation", "tokens go to their experts and back, forward and backward: all-to-all, Lepikhin 2020 (GShard), arXiv 2006.16668, sec. 3.2"),
    QT_TRANSLATE_NOOP("Explanation", "the update reads and writes gradients, moments and weights of the rank's shard at the memory's usable bandwidth"),
    QT_TRANSLATE_NOOP("Explanation", "norm, clipping and clearing pass over all of its gradients"),
    QT_TRANSLATE_NOOP("Explanation", "Muon's products are in update_seconds (Jordan et al. 2024)"),
    QT_TRANSLATE_NOOP("Explanation", "offloaded, update_seconds are the copies to the host and back and the update there: ZeRO-Offload, Ren 2021, arXiv 2101.06840"),
    QT_TRANSLATE_NOOP("Explanation", "data, logging and synchronisation once a step"),
    QT_TRANSLATE_NOOP("Explanation", "micro-batches between the first and the last are one launch each, so a kernel shorter than its launch takes its own time (Gray, Getting Started with CUDA Graphs, NVIDIA 2019: 0.5 us from kernel to kernel)"),
    QT_TRANSLATE_NOOP("Explanation", "the links of the calibrated stack %1 go before the cluster's curves"),
    QT_TRANSLATE_NOOP("Explanation", "%1 by the link, no curve is of such a group"),
    QT_TRANSLATE_NOOP("Explanation", "%1 by the curve of %2"),
    QT_TRANSLATE_NOOP("Explanation", "%1 by the curve of %2, the nearest size, at its latency per hop"),
    QT_TRANSLATE_NOOP("Explanation", "%1 between the curves of %2 and of %3"),
    QT_TRANSLATE_NOOP("Explanation", "%1, with its part of a node's cards"),
    QT_TRANSLATE_NOOP("Explanation", "%1 ranks in one node"),
    QT_TRANSLATE_NOOP("Explanation", "%1 ranks, %2 a node"),
    QT_TRANSLATE_NOOP("Explanation", "%1 ranks in one node (%2)"),
    QT_TRANSLATE_NOOP("Explanation", "%1 ranks, %2 a node (%3)"),
    QT_TRANSLATE_NOOP("Explanation", "model FLOPs utilisation: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B"),
    QT_TRANSLATE_NOOP("Explanation", "hardware FLOPs utilisation, with what is recomputed: Chowdhery 2022 (PaLM), arXiv 2204.02311, appendix B"),
    QT_TRANSLATE_NOOP("Explanation", "FLOPs by rule %1"),
    QT_TRANSLATE_NOOP("Explanation", "dense peak of all devices: %1"),
    QT_TRANSLATE_NOOP("Explanation", "rule %1: %2"),
    QT_TRANSLATE_NOOP("Explanation", "6 N + full attention (PaLM, llm-foundry, nanotron)"),
    QT_TRANSLATE_NOOP("Explanation", "6 (N - input embedding) + full attention (torchtitan, NeMo 24)"),
    QT_TRANSLATE_NOOP("Explanation", "6 (N - input embedding) + causal attention (Megatron today, llm.c)"),
    QT_TRANSLATE_NOOP("Explanation", "with full recomputation counted (Megatron 2021, BLOOM)"),
    QT_TRANSLATE_NOOP("Explanation", "Narayanan 2021, arXiv 2104.04473, eq. 3"),
    QT_TRANSLATE_NOOP("Explanation", "Narayanan 2021, arXiv 2104.04473, eq. 3, attention counted causally"),
    QT_TRANSLATE_NOOP("Explanation", "Chowdhery 2022, arXiv 2204.02311, appendix B"),
    QT_TRANSLATE_NOOP("Explanation", "rule D counts full recomputation already; of other recomputation it says nothing"),
    QT_TRANSLATE_NOOP("Explanation", "full recomputation is the whole forward pass once more, so HFU is 4/3 of MFU, as llm-foundry prints it; selective: the attention core forward"),
    QT_TRANSLATE_NOOP("Explanation", "full recomputation runs the layers forward once more, without the output head; selective: the attention core forward (Korthikanti 2022, arXiv 2205.05198, app. A, prints the attention core's whole cost once more)"),
    QT_TRANSLATE_NOOP("Explanation", "the tensors a rank holds at its fullest moment"),
    QT_TRANSLATE_NOOP("Explanation", "bytes per parameter as the bundled trainer stores them (policy %1)"),
    QT_TRANSLATE_NOOP("Explanation", "bytes per parameter as the calibrated software stack stores them (policy %1)"),
    QT_TRANSLATE_NOOP("Explanation", "ZeRO: Rajbhandari 2020, arXiv 1910.02054, fig. 1"),
    QT_TRANSLATE_NOOP("Explanation", "Muon keeps one moment of a hidden matrix (Jordan et al. 2024)"),
    QT_TRANSLATE_NOOP("Explanation", "parallel.offload: one layer computes while its neighbour's activations are copied to the host or back, for all micro-batches in flight; vDNN, Rhu 2016, arXiv 1602.08124, sec. 3.1"),
    QT_TRANSLATE_NOOP("Explanation", "layer (the mean, where only some recompute): tensor by tensor as the bundled trainer saves them (compare Korthikanti 2022, arXiv 2205.05198, table 2)"),
    QT_TRANSLATE_NOOP("Explanation", "layer (the mean, where only some recompute): bytes per token that runs of the calibrated software stack showed"),
    QT_TRANSLATE_NOOP("Explanation", "micro-batches kept: counted in the schedule's list of passes"),
    QT_TRANSLATE_NOOP("Explanation", "final norm, logits and their softmax on the last stage, as the trainer or the calibrated stack holds them"),
    QT_TRANSLATE_NOOP("Explanation", "0 where a layer's backward needs more at another moment"),
    QT_TRANSLATE_NOOP("Explanation", "workspace: the largest temporaries beside activations and logits at the fullest moment, be it a layer's backward pass (with gathered weights and gradients of ZeRO-2 and 3), the loss, or the optimizer; float8 copies of weights"),
    QT_TRANSLATE_NOOP("Explanation", "calibrated: what runs of the software stack held beside their tensors"),
    QT_TRANSLATE_NOOP("Explanation", "textbook: context, libraries and communicators of a GPU, and what its allocator cannot give back"),
    QT_TRANSLATE_NOOP("Explanation", "calibrated: up to which forecast runs of the software stack ran"),
    QT_TRANSLATE_NOOP("Explanation", "the ranks of a node share its memory"),
    QT_TRANSLATE_NOOP("Explanation", "a captured graph keeps the memory of its passes for itself: activations, logits and workspace of one micro-batch stand twice, there and for the first and last micro-batch (CUDA graphs of libtorch: a private pool); counted in memory.buffer_bytes"),
    QT_TRANSLATE_NOOP("Explanation", "what one rank keeps in its node's memory beside the device's: the copy that a checkpoint is written from, and what parallel.offload moves there (ZeRO-Offload: Ren 2021, arXiv 2101.06840; vDNN: Rhu 2016, arXiv 1602.08124)"),
    QT_TRANSLATE_NOOP("Explanation", "the bundled trainer copies the part of the states that a rank writes to host memory and writes it from there"),
    QT_TRANSLATE_NOOP("Explanation", "each element is written once, by one of the ranks that have it (compare CheckFreq: Mohan 2021, USENIX FAST)"),
    QT_TRANSLATE_NOOP("Explanation", "parallel.offload: the bundled trainer updates on the host, where master weights and moments stand, or the weights themselves where they have no wider copy (ZeRO-Offload: Ren 2021, arXiv 2101.06840, sec. 3)"),
    QT_TRANSLATE_NOOP("Explanation", "sharded from ZeRO stage 1 on (Rajbhandari 2020, arXiv 1910.02054, fig. 1)"),
    QT_TRANSLATE_NOOP("Explanation", "parallel.offload: what blocks keep for their backward passes is copied to the host while the next block computes, and stands there for all micro-batches in flight (vDNN: Rhu 2016, arXiv 1602.08124, sec. 3.1)"),
    QT_TRANSLATE_NOOP("Explanation", "node_ranks: the run's ranks, dealt to cluster.num_nodes nodes, the fullest of them"),
    QT_TRANSLATE_NOOP("Explanation", "node_ranks: one a device, at most cluster.devices_per_node and the run's ranks"),
    QT_TRANSLATE_NOOP("Explanation", "what all ranks of one node keep in its memory beside their devices', each as much as the rank that needs most"),
    QT_TRANSLATE_NOOP("Explanation", "on a CPU the tensors stand in the node's memory, too, each rank's as large as the fullest one's"),
    QT_TRANSLATE_NOOP("Explanation", "%1 as listed in %2: %3"),
    QT_TRANSLATE_NOOP("Explanation", "unknown: the library lists no system with this device"),
    QT_TRANSLATE_NOOP("Explanation", "counted tensor by tensor; the presets' counts are checked against the published ones"),
    QT_TRANSLATE_NOOP("Explanation", "one row per token; learned positions have one row each, rotary ones have none"),
    QT_TRANSLATE_NOOP("Explanation", "compressed queries and key-values: DeepSeek-V2, arXiv 2405.04434, sec. 2.1"),
    QT_TRANSLATE_NOOP("Explanation", "query and output h q each, keys and values h kv each, with their biases; grouped: Ainslie 2023, arXiv 2305.13245"),
    QT_TRANSLATE_NOOP("Explanation", "two matrices h f, or three where the activation is gated (Shazeer 2020, arXiv 2002.05202), with their biases; of a mixture all experts"),
    QT_TRANSLATE_NOOP("Explanation", "two norms a layer and one at the end: h each, 2 h where they have a bias"),
    QT_TRANSLATE_NOOP("Explanation", "h per expert, and one bias each where the router balances without a loss (DeepSeek-V3, arXiv 2412.19437, sec. 2.1.2)"),
    QT_TRANSLATE_NOOP("Explanation", "what one token passes: of a layer's experts the router takes model.moe.top_k"),
    QT_TRANSLATE_NOOP("Explanation", "the N of FLOPs rules B and C: weights of the matrix products one token passes, the output head once; without embedding lookup, norms and biases"),
    QT_TRANSLATE_NOOP("Explanation", "what the bundled trainer writes: each element of the state once, weights in the format they are updated in, and the optimizer's moments"),
    QT_TRANSLATE_NOOP("Explanation", "%1; %2"),
};

// The same of core/planner/advice, and of the mistakes of scripts that a plan can have.
[[maybe_unused]] constexpr const char* kAdvice[] = {
    QT_TRANSLATE_NOOP("Advice", "Stage %1 needs %2 per rank and has %3; shard more (tp, pp, zero_stage), recompute, or use a smaller micro-batch."),
    QT_TRANSLATE_NOOP("Advice", "The worst rank needs %1 of %2; fragmentation may break it."),
    QT_TRANSLATE_NOOP("Advice", "A node's memory holds %1 of its %2 ranks and has %3 (%4)"),
    QT_TRANSLATE_NOOP("Advice", "each rank: %1"),
    QT_TRANSLATE_NOOP("Advice", "%1; tensors of all: %2"),
    QT_TRANSLATE_NOOP("Advice", "checkpoint copy %1"),
    QT_TRANSLATE_NOOP("Advice", "optimizer %1"),
    QT_TRANSLATE_NOOP("Advice", "activations %1"),
    QT_TRANSLATE_NOOP("Advice", "%1, %2"),
    QT_TRANSLATE_NOOP("Advice", "%1: %2"),
    QT_TRANSLATE_NOOP("Advice", "%1; %2 too much: %3."),
    QT_TRANSLATE_NOOP("Advice", "offload less, share the states among more ranks (zero_stage, more nodes), or use nodes with more memory"),
    QT_TRANSLATE_NOOP("Advice", "share the states among more ranks (zero_stage, more nodes), or use nodes with more memory"),
    QT_TRANSLATE_NOOP("Advice", "%1; other systems with these devices have less: %2."),
    QT_TRANSLATE_NOOP("Advice", "%1; the system and the data's pages need room, too."),
    QT_TRANSLATE_NOOP("Advice", "Tensor parallelism over %1 ranks leaves the node of %2 devices; keep tp inside a node and use pp or dp across."),
    QT_TRANSLATE_NOOP("Advice", "The pipeline is idle %1 of its time with %2 micro-batches over %3 stages; use more micro-batches, fewer stages or interleaving."),
    QT_TRANSLATE_NOOP("Advice", "Idle time is %1 above the formula, because stages or transfers are uneven; give the first and last stage fewer layers."),
    QT_TRANSLATE_NOOP("Advice", "Only %1 of %2 are used; less recomputation is faster."),
    QT_TRANSLATE_NOOP("Advice", "Only %1 of %2 are used; a larger micro-batch or less sharding may be faster."),
    QT_TRANSLATE_NOOP("Advice", "Logits over a vocabulary of %1 take %2 on the last stage; use a smaller micro-batch or more tp."),
    QT_TRANSLATE_NOOP("Advice", "Activations are %1 of the worst rank; full recomputation would leave %2 for about a third more compute."),
    QT_TRANSLATE_NOOP("Advice", "Every replica holds all optimizer states; zero_stage 1 frees %1 per rank for the same traffic."),
    QT_TRANSLATE_NOOP("Advice", "Gradient reduction is exposed for %1 of a step of %2; use more micro-batches per step, a faster link, or fewer replicas."),
    QT_TRANSLATE_NOOP("Advice", "Tensor-parallel communication takes %1 of the step; a smaller tp may be faster."),
    QT_TRANSLATE_NOOP("Advice", "Tensor-parallel communication takes %1 of the step; async_tp runs it beside the products, or a smaller tp may be faster."),
    QT_TRANSLATE_NOOP("Advice", "CUDA graphs save %1 of a step of %2, because kernels are longer than their launches, and take %3; switch them off."),
    QT_TRANSLATE_NOOP("Advice", "Launches of short kernels take %1 of a step of %2; train.cuda_graphs repeats %3 of %4 micro-batches without them, for %5 of memory."),
    QT_TRANSLATE_NOOP("Advice", "A vocabulary of %1, a multiple of 128 x tp, keeps the head's products fast."),
    QT_TRANSLATE_NOOP("Advice", "%1 threads share %2 cores, so ranks wait for each other; speeds compare layouts, not machines."),
    QT_TRANSLATE_NOOP("Advice", "%1 of %2 devices stay idle."),
    QT_TRANSLATE_NOOP("Advice", "A %1 peak of %2 is a figure with sparsity; dense products of %3 reach %4 at most."),
    QT_TRANSLATE_NOOP("Advice", "The calibrated stack %1 brings the links it was fitted with, which go before the cluster's measured curves; take the stack out to plan with them."),
    QT_TRANSLATE_NOOP("Advice", "%1 of %2 ranks over %3 nodes"),
    QT_TRANSLATE_NOOP("Advice", "%1 of %2 ranks in a node"),
    QT_TRANSLATE_NOOP("Advice", "The cluster's links stand in where no curve was measured: %1."),
    QT_TRANSLATE_NOOP("Advice", "The layout needs %1 devices; the cluster has %2. Lower a degree or add nodes."),
    QT_TRANSLATE_NOOP("Advice", "The peak of %1 in %2 is unknown or it has none, so time and MFU cannot be estimated."),
    QT_TRANSLATE_NOOP("Advice", "The config computes on %1; the plan is made for %2."),
    QT_TRANSLATE_NOOP("Advice", "The run has %1 steps and never saves: the interval is %2."),
    QT_TRANSLATE_NOOP("Advice", "%1 micro-batches never fill %2 stages: the pipeline idles %3 of its time."),
};
// clang-format on

QString translated(const char* context, const std::string& english) {
    return shown(QCoreApplication::translate(context, english.c_str()));
}

bool isEnglish() {
    return QLocale().language() != QLocale::Korean;
}

}  // namespace

QString quantityText(std::string_view name) {
    const QString text = translated("Quantity", std::string(name));
    return isEnglish() || text != qs(name) ? text : fieldLabel(name);
}

QString numberText(const ExplainedNumber& number) {
    if (std::isnan(number.value)) return unknownText();
    if (isEnglish()) return qs(textOf(number));
    constexpr double kLarge = 1e6;  // from here on textOf() shortens
    if (number.unit == "tokens/s" || number.unit == "FLOP")
        return numberText({{}, number.value, {}}) + QStringLiteral(" ") + unitText(number.unit);
    return number.unit.empty() && std::fabs(number.value) >= kLarge ? shortText(number.value) : qs(textOf(number));
}

QString formulaText(const std::string& formula) {
    const QString told = translated("Explanation", formula), english = qs(formula);
    if (isEnglish() || told != english) return told;
    static const QRegularExpression word(QStringLiteral("[a-z][a-z0-9_.]*"));
    QString text;
    qsizetype end = 0;
    for (auto match = word.globalMatch(english); match.hasNext();) {
        const QRegularExpressionMatch name = match.next();
        text += english.mid(end, name.capturedStart() - end) + quantityText(name.captured().toStdString());
        end = name.capturedEnd();
    }
    text += english.mid(end);
    return text.replace(QStringLiteral(" * "), QStringLiteral(" × "));
}

QString sentenceText(const Sentence& sentence, const char* context) {
    if (sentence.isName) return qs(sentence.text);
    Sentence said = sentence;
    said.text = translated(context, sentence.text).toStdString();
    for (Sentence& part : said.parts) part = Sentence(sentenceText(part, context).toStdString());
    return qs(textOf(said));
}

QString adviceText(const Issue& issue, const Advices& advices) {
    for (const Advice& advice : advices)
        if (!isEnglish() && advice.code == issue.code && !advice.sentence.isName) {
            const QString sentence = sentenceText(advice.sentence, "Advice");
            return hasFieldLabel(issue.field) ? QStringLiteral("%1: %2").arg(fieldLabel(issue.field), sentence)
                                              : sentence;
        }
    return issueText(issue);
}

QString sourceText(const std::vector<Sentence>& source) {
    QString text;
    for (const Sentence& one : source)
        text = text.isEmpty() ? sentenceText(one) : translated("Explanation", "%1; %2").arg(text, sentenceText(one));
    return text;
}

}  // namespace slipway::gui
