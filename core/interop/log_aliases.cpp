// The alias table: names of other trainers' figures, our names, and the factor between the units.
#include "core/interop/log_reader.h"

namespace slipway::interop {
namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

}  // namespace

const std::vector<Alias>& aliases() {
    static const std::vector<Alias> all = {
        // Megatron-LM, console: bars between "key: value"; TensorBoard: hyphens, seconds instead of milliseconds.
        {"megatron", "iteration", "", 1},
        {"megatron", "consumed samples", "", 1},
        {"megatron", "elapsed time per iteration (ms)", "step_seconds", 1e-3},
        {"megatron", "throughput per GPU (TFLOP/s/GPU)", "model_flops_per_second_per_device", 1e12},
        {"megatron", "learning rate", "lr", 1},
        {"megatron", "global batch size", "", 1},
        {"megatron", "lm loss", "loss", 1},
        {"megatron", "grad norm", "grad_norm", 1},
        {"megatron", "number of skipped iterations", "skipped_steps", 1},
        {"megatron", "number of nan iterations", "nan_steps", 1},
        // GPT-NeoX
        {"neox", "iteration", "", 1},
        {"neox", "elapsed time per iteration (ms)", "step_seconds", 1e-3},
        {"neox", "approx flops per GPU", "model_flops_per_second_per_device", 1e12},
        {"neox", "samples/sec", "sequences_per_second", 1},
        {"neox", "learning rate", "lr", 1},
        {"neox", "lm_loss", "loss", 1},
        {"neox", "grad_norm", "grad_norm", 1},
        {"neox", "number of skipped iterations", "skipped_steps", 1},
        {"neox", "number of nan iterations", "nan_steps", 1},
        // DeepSpeed: its "GB" are 2^30 bytes (deepspeed/utils/timer.py divides by 1024^3).
        {"deepspeed", "step", "", 1},
        {"deepspeed", "steps", "", 1},
        {"deepspeed", "global_step", "", 1},
        {"deepspeed", "micro_step", "", 1},
        {"deepspeed", "loss", "loss", 1},
        {"deepspeed", "lr", "lr", 1},
        {"deepspeed", "iter time (s)", "step_seconds", 1},
        {"deepspeed", "samples/sec", "sequences_per_second", 1},
        {"deepspeed", "CurrSamplesPerSec", "sequences_per_second", 1},
        {"deepspeed", "RunningAvgSamplesPerSec", "sequences_per_second_mean", 1},
        {"deepspeed", "MaxMemAllocated", "memory_peak_bytes", kGibi},
        {"deepspeed", "MemAllocated", "memory_allocated_bytes", kGibi},
        {"deepspeed", "skipped", "skipped_steps", 1},
        // torchtitan: tps is per device; memory in GiB of reserved memory; mfu in percent.
        {"torchtitan", "step", "", 1},
        {"torchtitan", "loss", "loss", 1},
        {"torchtitan", "grad_norm", "grad_norm", 1},
        {"torchtitan", "memory", "memory_reserved_bytes", kGibi},
        {"torchtitan", "tps", "tokens_per_second_per_device", 1},
        {"torchtitan", "tflops", "model_flops_per_second_per_device", 1e12},
        {"torchtitan", "mfu", "reported_mfu", 1e-2},
        // nanotron, console: numbers with K, M, G, T of 1000.
        {"nanotron", "iteration", "", 1},
        {"nanotron", "consumed_tokens", "tokens", 1},
        {"nanotron", "elapsed_time_per_iteration_ms", "step_seconds", 1e-3},
        {"nanotron", "time_per_iteration_ms", "step_seconds", 1e-3},
        {"nanotron", "tokens_per_sec", "tokens_per_second", 1},
        {"nanotron", "tokens_per_sec_per_gpu", "tokens_per_second_per_device", 1},
        {"nanotron", "global_batch_size", "", 1},
        {"nanotron", "lm_loss", "loss", 1},
        {"nanotron", "lr", "lr", 1},
        {"nanotron", "grad_norm", "grad_norm", 1},
        {"nanotron", "model_tflops_per_gpu", "model_flops_per_second_per_device", 1e12},
        {"nanotron", "hardware_tflops_per_gpu", "hardware_flops_per_second_per_device", 1e12},
        {"nanotron", "cuda_memory_allocated", "memory_allocated_bytes", 1},
        {"nanotron", "cuda_max_memory_reserved", "memory_reserved_bytes", 1},
        // nanotron's benchmark CSV: the header has GB, the code divides by 2^30.
        {"nanotron-csv", "tok/s/gpu", "tokens_per_second_per_device", 1},
        {"nanotron-csv", "mTFLOPs", "model_flops_per_second_per_device", 1e12},
        {"nanotron-csv", "hTFLOPs", "hardware_flops_per_second_per_device", 1e12},
        {"nanotron-csv", "Mem Alloc (GB)", "memory_peak_bytes", kGibi},
        {"nanotron-csv", "Mem Res (GB)", "memory_reserved_bytes", kGibi},
        // llm-foundry (Composer): memory in 1e9 bytes, throughput per device where the name has it.
        {"llm-foundry", "loss/train/total", "loss", 1},
        {"llm-foundry", "time/token", "tokens", 1},
        {"llm-foundry", "time/batch", "", 1},
        {"llm-foundry", "throughput/tokens_per_sec", "tokens_per_second", 1},
        {"llm-foundry", "throughput/device/tokens_per_sec", "tokens_per_second_per_device", 1},
        {"llm-foundry", "throughput/device/mfu", "reported_mfu", 1},
        {"llm-foundry", "throughput/device/flops_per_sec", "model_flops_per_second_per_device", 1},
        {"llm-foundry", "throughput/batches_per_sec", "steps_per_second", 1},
        {"llm-foundry", "memory/peak_reserved_mem", "memory_reserved_bytes", 1e9},
        {"llm-foundry", "memory/peak_allocated_mem", "memory_peak_bytes", 1e9},
        {"llm-foundry", "memory/peak_active_mem", "memory_active_bytes", 1e9},
        {"llm-foundry", "l2_norm/grad/global", "grad_norm", 1},
        {"llm-foundry", "lr-DecoupledAdamW/group0", "lr", 1},
        {"llm-foundry", "lr-DecoupledLionW/group0", "lr", 1},
        {"llm-foundry-csv", "MFU", "reported_mfu", 1e-2},
        {"llm-foundry-csv", "HFU", "reported_hfu", 1e-2},
        {"llm-foundry-csv", "Model TFLOP", "model_flops_per_second_per_device", 1e12},
        {"llm-foundry-csv", "Throughput (T/s)", "tokens_per_second", 1},
        {"llm-foundry-csv", "Throughput (T/s/GPU)", "tokens_per_second_per_device", 1},
        {"llm-foundry-csv", "Throughput (S/s)", "sequences_per_second", 1},
        // TensorBoard tags of the above; torchtitan's names carry their units in brackets.
        {"tensorboard", "lm loss", "loss", 1},
        {"tensorboard", "iteration-time", "step_seconds", 1},
        {"tensorboard", "grad-norm", "grad_norm", 1},
        {"tensorboard", "learning-rate", "lr", 1},
        {"tensorboard", "throughput", "model_flops_per_second_per_device", 1e12},
        {"tensorboard", "mem-max-allocated-bytes", "memory_peak_bytes", 1},
        {"tensorboard", "mem-reserved-bytes", "memory_reserved_bytes", 1},
        {"tensorboard", "mem-allocated-bytes", "memory_allocated_bytes", 1},
        {"tensorboard", "loss_metrics/global_avg_loss", "loss", 1},
        {"tensorboard", "loss_metrics/global_max_loss", "loss_max", 1},
        {"tensorboard", "throughput(tps)", "tokens_per_second_per_device", 1},
        {"tensorboard", "tflops", "model_flops_per_second_per_device", 1e12},
        {"tensorboard", "mfu(%)", "reported_mfu", 1e-2},
        {"tensorboard", "time_metrics/end_to_end(s)", "step_seconds", 1},
        {"tensorboard", "time_metrics/data_loading(s)", "data_seconds", 1},
        {"tensorboard", "memory/max_active(GiB)", "memory_peak_bytes", kGibi},
        {"tensorboard", "memory/max_reserved(GiB)", "memory_reserved_bytes", kGibi},
        {"tensorboard", "train/lm_loss", "loss", 1},
        {"tensorboard", "train/learning_rate", "lr", 1},
        {"tensorboard", "runtime/iteration_time", "step_seconds", 1},
        {"tensorboard", "runtime/samples_per_sec", "sequences_per_second", 1},
        {"tensorboard", "runtime/flops_per_sec_per_gpu", "model_flops_per_second_per_device", 1},
        {"tensorboard", "Train/Samples/train_loss", "loss", 1},
        {"tensorboard", "Train/Samples/lr", "lr", 1},
        {"tensorboard", "train/CE loss", "loss", 1},
        {"tensorboard", "optim/total grad norm", "grad_norm", 1},
        {"tensorboard", "throughput/device/TPS", "tokens_per_second_per_device", 1},
        {"tensorboard", "throughput/device/MFU", "reported_mfu", 1e-2},
        {"tensorboard", "learning/loss", "loss", 1},
        {"tensorboard", "learning/grad_norm", "grad_norm", 1},
        {"tensorboard", "learning/current_learning_rate", "lr", 1},
        {"tensorboard", "perf/step_time_seconds", "step_seconds", 1},
        {"tensorboard", "perf/per_device_tflops_per_sec", "model_flops_per_second_per_device", 1e12},
        {"tensorboard", "perf/per_device_tokens_per_sec", "tokens_per_second_per_device", 1},
        {"tensorboard", "lm_loss", "loss", 1},
        {"tensorboard", "tokens_per_sec", "tokens_per_second", 1},
        // Lines printed by scripts, and tables of figures by step.
        {"prints", "Loss", "loss", 1},
        {"prints", "LR", "lr", 1},
        {"prints", "Learning rate", "lr", 1},
        {"prints", "Tokens", "tokens", 1},
        {"prints", "tokens", "tokens", 1},
        {"prints", "PPL", "perplexity", 1},
        {"prints", "ppl", "perplexity", 1},
        {"prints", "Perplexity", "perplexity", 1},
        {"prints", "perplexity", "perplexity", 1},
        {"prints", "spike current", "spike_loss", 1},
        {"prints", "spike mean", "spike_mean_loss", 1},
        {"huggingface", "eval_loss", "eval_loss", 1},
        {"huggingface", "eval_runtime", "eval_seconds", 1},
        {"huggingface", "num_input_tokens_seen", "tokens", 1},
        {"csv", "tokens", "tokens", 1},
        {"csv", "perplexity", "perplexity", 1},
        {"csv", "train/perplexity", "perplexity", 1},
        {"csv", "train/lr", "lr", 1},
        {"csv", "train/learning_rate", "lr", 1},
        {"csv", "train/grad_norm", "grad_norm", 1},
        {"csv", "eval/loss", "eval_loss", 1},
        {"csv", "eval_loss", "eval_loss", 1},
        {"csv", "val/loss", "eval_loss", 1},
        {"csv", "val_loss", "eval_loss", 1},
        {"csv", "step_seconds", "step_seconds", 1},
        {"csv", "tokens_per_second", "tokens_per_second", 1},
        // Names with one meaning everywhere.
        {"", "loss", "loss", 1},
        {"", "train/loss", "loss", 1},
        {"", "train_loss", "loss", 1},
        {"", "lr", "lr", 1},
        {"", "learning_rate", "lr", 1},
        {"", "grad_norm", "grad_norm", 1},
        {"", "loss scale", "loss_scale", 1},
        {"", "loss_scale", "loss_scale", 1},
        {"", "loss-scale", "loss_scale", 1},
    };
    return all;
}

const Alias* findAlias(std::string_view format, std::string_view raw) {
    const Alias* general = nullptr;
    for (const Alias& alias : aliases()) {
        if (alias.raw != raw) continue;
        if (alias.format == format) return &alias;
        if (alias.format.empty()) general = &alias;
    }
    return general;
}

}  // namespace slipway::interop
