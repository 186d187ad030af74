// Names of the metrics in the stream and of the figures derived from them: one list for trainer, store, window, docs; titleOf() has
// their titles (core/metrics/titles.h).
#pragma once

#include <array>
#include <string_view>

namespace slipway {

struct MetricName {
    std::string_view name;
    std::string_view unit;
    int better = 0;  ///< +1 more is better, -1 less is better, 0 neither
};

/// Facts reported by a trainer per step; the rest is derived in core/metrics.
inline constexpr auto kStepMetrics = std::to_array<MetricName>({
    {"loss", "nats/token", -1},
    {"grad_norm", "", 0},
    {"lr", "", 0},
    {"step_seconds", "s", -1},
    {"tokens_valid", "tokens", 0},
    {"memory_peak_bytes", "bytes", -1},
    {"memory_rss_bytes", "bytes", -1},
    {"comm_bytes", "bytes", 0},
    {"comm_seconds", "s", -1},
    {"comm_exposed_seconds", "s", -1},
    {"tp_exposed_seconds", "s", -1},
    {"cp_exposed_seconds", "s", -1},
    {"dp_exposed_seconds", "s", -1},
    {"ep_exposed_seconds", "s", -1},
    {"world_exposed_seconds", "s", -1},
    {"update_exposed_seconds", "s", -1},
    {"edge_exposed_seconds", "s", -1},
    {"finish_wait_seconds", "s", -1},
    {"imbalance_seconds", "s", -1},
    {"pipeline_wait_seconds", "s", -1},
    {"forward_seconds", "s", -1},
    {"backward_seconds", "s", -1},
    {"optimizer_seconds", "s", -1},
    {"data_seconds", "s", -1},
    {"bubble_observed", "fraction", -1},
    {"checkpoint_seconds", "s", -1},
    {"checkpoint_write_seconds", "s", -1},
    {"eval_loss", "nats/token", -1},
    {"eval_seconds", "s", -1},
    {"batch_size", "sequences", 0},
    {"clipped_units", "rows", 0},
    {"loss_scale", "", 0},
    {"noise_scale", "sequences", 0},
    {"device_clock_hertz", "Hz", 1},
    {"device_power_watts", "W", 0},
    {"device_temperature_celsius", "°C", -1},
    {"device_memory_used_bytes", "bytes", -1},
    {"device_throttled_fraction", "fraction", -1},
    {"memory_reserved_peak_bytes", "bytes", -1},
    {"allocator_retries", "", -1},
});

/// Metrics that core derives from facts and the config.
inline constexpr auto kDerivedMetrics = std::to_array<MetricName>({
    {"tokens_per_second", "tokens/s", 1},
    {"tokens_per_second_per_device", "tokens/s/device", 1},
    {"mfu", "fraction", 1},
});

}  // namespace slipway
