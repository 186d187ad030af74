// Names of the metrics in the stream and of the figures derived from them: one list for trainer, store, window, docs.
#pragma once

#include <array>
#include <string_view>

namespace slipway {

struct MetricName {
    std::string_view name;
    std::string_view unit;
    std::string_view title;
    int better = 0;  ///< +1 more is better, -1 less is better, 0 neither
};

/// What a trainer reports per step (facts); the rest is derived in core/metrics.
inline constexpr auto kStepMetrics = std::to_array<MetricName>({
    {"loss", "nats/token", "Loss", -1},
    {"grad_norm", "", "Gradient norm before clipping", 0},
    {"lr", "", "Learning rate", 0},
    {"step_seconds", "s", "Step time", -1},
    {"tokens_valid", "tokens", "Tokens that carry loss in this step", 0},
    {"memory_peak_bytes", "bytes", "Peak tensor memory, worst rank", -1},
    {"memory_rss_bytes", "bytes", "Resident memory, worst rank", -1},
    {"comm_bytes", "bytes", "Bytes sent in collectives, mean over ranks", 0},
    {"comm_seconds", "s", "Time in collectives, mean over ranks", -1},
    {"comm_exposed_seconds", "s", "Time ranks waited for collectives, mean over ranks", -1},
    {"tp_exposed_seconds", "s", "Of these, for tensor-parallel ranks", -1},
    {"cp_exposed_seconds", "s", "Of these, for context-parallel ranks", -1},
    {"dp_exposed_seconds", "s", "Of these, for data-parallel ranks", -1},
    {"ep_exposed_seconds", "s", "Of these, for expert-parallel ranks", -1},
    {"world_exposed_seconds", "s", "Time ranks waited for all others, mean over ranks", -1},
    {"update_exposed_seconds", "s", "Time ranks waited during the optimizer, mean over ranks", -1},
    {"edge_exposed_seconds", "s", "Time ranks waited before the first pass and after the last, mean over ranks", -1},
    {"finish_wait_seconds", "s", "Time ranks waited at the end of the step, mean over ranks", -1},
    {"imbalance_seconds", "s", "Time ranks were ready before the slowest of their stage, mean over ranks", -1},
    {"pipeline_wait_seconds", "s", "Time waited for pipeline neighbours, mean over ranks", -1},
    {"forward_seconds", "s", "Forward passes, mean over ranks", -1},
    {"backward_seconds", "s", "Backward passes, mean over ranks", -1},
    {"optimizer_seconds", "s", "Clipping and optimizer, mean over ranks", -1},
    {"data_seconds", "s", "Waiting for data, mean over ranks", -1},
    {"bubble_observed", "fraction", "Idle share of the pipeline ranks between first and last pass", -1},
    {"checkpoint_seconds", "s", "Stall of a checkpoint", -1},
    {"checkpoint_write_seconds", "s", "Writing of a checkpoint, slowest rank", -1},
    {"eval_loss", "nats/token", "Loss on held-out data", -1},
    {"eval_seconds", "s", "Stall of an evaluation", -1},
    {"batch_size", "sequences", "Batch of this step, under a batch ramp", 0},
    {"clipped_units", "rows", "Rows and vectors that adaptive clipping scaled, worst rank", 0},
    {"loss_scale", "", "Loss scale of fp16 training", 0},
    {"noise_scale", "sequences", "Gradient noise scale: about the critical batch", 0},
    {"device_clock_hertz", "Hz", "Clock of the GPUs, slowest rank", 1},
    {"device_power_watts", "W", "Power of the GPUs, mean over ranks", 0},
    {"device_temperature_celsius", "°C", "Temperature of the GPUs, hottest rank", -1},
    {"device_memory_used_bytes", "bytes", "Memory in use on the GPUs, fullest rank", -1},
    {"device_throttled_fraction", "fraction", "Share of ranks whose GPU is held back", -1},
    {"memory_reserved_peak_bytes", "bytes", "Peak memory that the allocator took from a GPU, worst rank", -1},
    {"allocator_retries", "", "Times the allocator found a GPU full and emptied its cache, worst rank", -1},
});

/// What core derives from facts and the config.
inline constexpr auto kDerivedMetrics = std::to_array<MetricName>({
    {"tokens_per_second", "tokens/s", "Throughput of the whole run", 1},
    {"tokens_per_second_per_device", "tokens/s/device", "Throughput per device", 1},
    {"mfu", "fraction", "Model FLOPs utilisation", 1},
});

}  // namespace slipway
