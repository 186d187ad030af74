// One line of the metric stream (docs/run_folder.md). Written by the trainer, read by core/metrics (with simdjson).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slipway {

/// First line of each attempt.
struct MetricHeader {
    std::int64_t schema = 1;
    std::string runId;
    std::int64_t attempt = 1;
    std::int64_t resumeStep = 0;  ///< steps above this of earlier attempts are superseded
    std::int64_t worldSize = 1;
    std::int64_t timeUnixMilliseconds = 0;
    bool operator==(const MetricHeader&) const = default;
};

/// Facts of one optimizer step, reduced over ranks.
struct MetricStep {
    std::int64_t step = 0;    ///< 1 is the first completed step
    std::int64_t tokens = 0;  ///< tokens seen by the run so far
    std::int64_t timeUnixMilliseconds = 0;
    std::vector<std::pair<std::string, double>>
        values;  ///< metric name (metric_names.h) and value; NaN and infinities allowed
};

struct MetricEvent {
    std::int64_t step = 0;
    std::string name;
    std::string detail;
    std::int64_t timeUnixMilliseconds = 0;
    bool operator==(const MetricEvent&) const = default;
};

/// Last line of an attempt that exited by itself.
struct MetricEnd {
    std::string status;  ///< completed, failed, cancelled
    std::int64_t step = 0;
    int exitCode = 0;
    std::int64_t timeUnixMilliseconds = 0;
    bool operator==(const MetricEnd&) const = default;
};

using MetricRecord = std::variant<MetricHeader, MetricStep, MetricEvent, MetricEnd>;

/// The record as one line of JSON with its newline. Doubles keep full precision; non-finite ones become strings.
std::string toLine(const MetricRecord& record);

}  // namespace slipway
