// The two streams of a rank: metrics.jsonl (global rank 0 only, the run's facts) and ranks/rank_N.jsonl (its own health
// and spans).
// Lines of a rank's stream:
// {"kind":"health","step":10,"time_unix_ms":0,"tensor_bytes":1,"tensor_peak_bytes":2,"rss_bytes":3,"step_seconds":1,"wait_seconds":0}
//     and of a rank on a GPU: "memory_reserved_peak_bytes", "allocator_retries" of this step (device_memory.h), and
//     (device_sampler.h) "device_clock_hertz", "device_power_watts", "device_temperature_celsius",
//     "device_memory_used_bytes", "device_memory_total_bytes", "device_throttled": ["hw_thermal"]; what the device does
//     not know is absent
//   {"kind":"spans","step":10,"rank":0,"spans":[["forward",0,0,0.0011,0.0042],...],"collectives":[["all_reduce","dp",0.0040,0.0051],...]}
//     a span: pass or wait ("data_wait" and "optimizer" are the whole step's), micro-batch, chunk, start and end in
//     seconds since the step began;
//     a collective: operation, group, when it began and when it was complete (NCCL's by the device's clock). The
//     pipeline's messages are waits, and not among them.
#pragma once

#include "core/base/file.h"
#include "core/spec/metric_line.h"
#include "core/spec/run_dir.h"
#include "trainer/telemetry/device_sampler.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace slipway::trainer {

class MetricWriter {
public:
    /// Opens metrics.jsonl; truncates an unfinished last line of an earlier attempt.
    static Result<MetricWriter> open(const RunDir& dir);

    /// Number of headers in the file when opened: the earlier attempts.
    [[nodiscard]] std::int64_t numAttempts() const { return m_numAttempts; }
    /// Appends one line with one write ("disk_full", "file_unwritable").
    Result<void> write(const MetricRecord& record);
    /// Adds the time stamp.
    Result<void> event(std::int64_t step, std::string name, std::string detail);
    Result<void> end(std::string status, std::int64_t step, int exitCode);

private:
    MetricWriter(AppendFile file, std::int64_t numAttempts) : m_file(std::move(file)), m_numAttempts(numAttempts) {}
    AppendFile m_file;
    std::int64_t m_numAttempts;
};

struct HealthLine {
    std::int64_t step = 0;
    std::int64_t tensorBytes = 0, tensorPeakBytes = 0, rssBytes = 0;
    double stepSeconds = 0;
    std::optional<DeviceSample> device = std::nullopt;  ///< of a rank on a GPU, like the next two
    std::optional<std::int64_t> reservedPeakBytes = std::nullopt, allocatorRetries = std::nullopt;
    double waitSeconds = 0;  ///< for collectives and pipeline neighbours
};

/// A timed pass or wait in the stream.
struct SpanLine {
    std::string_view name;
    std::int64_t microBatch = 0, chunk = 0;
    double startSeconds = 0, endSeconds = 0;
};

struct CollectiveLine {
    std::string_view operation, group;
    double startSeconds = 0, endSeconds = 0;
};

class RankStream {
public:
    static Result<RankStream> open(const RunDir& dir, std::int64_t rank);
    Result<void> health(const HealthLine& line);
    Result<void> spans(std::int64_t step, const std::vector<SpanLine>& spans,
                       const std::vector<CollectiveLine>& collectives);

private:
    RankStream(AppendFile file, std::int64_t rank) : m_file(std::move(file)), m_rank(rank) {}
    AppendFile m_file;
    std::int64_t m_rank;
};

}  // namespace slipway::trainer
