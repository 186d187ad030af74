// From a run's metrics.jsonl into the store: what a RunSession does at every poll, and reindex once for all.
#pragma once

#include "core/metrics/metric_reader.h"
#include "core/store/run_store.h"

#include <string_view>

namespace slipway {

struct IngestResult {
    std::uint64_t offset = 0;         ///< stored now
    std::int64_t records = 0;         ///< stored by this call
    std::int64_t malformedLines = 0;  ///< met by this call
    std::vector<MetricEvent> events;  ///< new events, for whoever follows the run
    std::vector<MetricEnd> ends;      ///< new end lines
    std::int64_t lastStep = 0;        ///< newest step in force now
    bool more = false;                ///< maxBytes were reached: call again
};

/// Reads what the local stream holds beyond the stored offset, at most `maxBytes`, and stores it. A missing file is an
/// empty one. "stream_replaced" when the file is shorter than what was read of it.
Result<IngestResult> ingestStream(RunStore& store, MetricReader& reader, const RunId& id,
                                  std::size_t maxBytes = 8U << 20);

/// The same for bytes that came from elsewhere (a remote node): they begin at `offset` of the stream. Nothing is stored
/// when the stored offset is another one.
Result<IngestResult> ingestBytes(RunStore& store, MetricReader& reader, const RunId& id, std::string_view bytes,
                                 std::uint64_t offset);

/// The alerts of a run, a line each, which are events of it (core/run/alert_watch.h).
constexpr const char* kAlertsFile = "alerts.jsonl";
/// Events only, whatever else a piece of that file has.
MetricBatch readAlertEvents(MetricReader& reader, std::string_view bytes, std::uint64_t offset,
                            bool insideLine = false);
/// Stores the lines of that file that are new.
Result<void> ingestAlerts(RunStore& store, MetricReader& reader, const RunId& id);

}  // namespace slipway
