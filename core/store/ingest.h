// From a run's metrics.jsonl into the store: by a RunSession at every poll, and by reindex once.
#pragma once

#include "core/metrics/metric_reader.h"
#include "core/store/run_store.h"

#include <string_view>

namespace slipway {

struct IngestResult {
    std::uint64_t offset = 0;         ///< stored now
    std::int64_t records = 0;         ///< stored by this call
    std::int64_t malformedLines = 0;  ///< found by this call
    std::vector<MetricEvent> events;  ///< new events, for followers of the run
    std::vector<MetricEnd> ends;      ///< new end lines
    std::int64_t lastStep = 0;        ///< newest step in force now
    bool more = false;                ///< maxBytes were reached: call again
};

/// Reads and stores the local stream beyond the stored offset, at most `maxBytes`. A missing file counts as empty.
/// "stream_replaced" when the file is shorter than the stored offset.
Result<IngestResult> ingestStream(RunStore& store, MetricReader& reader, const RunId& id,
                                  std::size_t maxBytes = 8U << 20);

/// The same for bytes that came from elsewhere (a remote node): they begin at `offset` of the stream. Nothing is stored
/// when the stored offset differs.
Result<IngestResult> ingestBytes(RunStore& store, MetricReader& reader, const RunId& id, std::string_view bytes,
                                 std::uint64_t offset);

/// The alerts of a run, one line each, which are also its events (core/run/alert_watch.h).
constexpr const char* kAlertsFile = "alerts.jsonl";
/// Only the events in a piece of that file.
MetricBatch readAlertEvents(MetricReader& reader, std::string_view bytes, std::uint64_t offset,
                            bool insideLine = false);
/// Stores the new lines of that file.
Result<void> ingestAlerts(RunStore& store, MetricReader& reader, const RunId& id);

}  // namespace slipway
