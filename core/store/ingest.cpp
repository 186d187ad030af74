#include "core/store/ingest.h"

#include "core/base/file.h"
#include "core/base/own_file.h"

#include <algorithm>

namespace slipway {

Result<IngestResult> ingestBytes(RunStore& store, MetricReader& reader, const RunId& id, std::string_view bytes,
                                 std::uint64_t offset) {
    const auto position = store.position(id);
    if (!position) return fail(position.error());
    IngestResult out;
    out.offset = position->offset;
    out.lastStep = position->lastStep;
    if (position->offset != offset) return out;
    MetricBatch batch = reader.read(bytes, offset, position->insideLine);
    if (batch.toOffset == batch.fromOffset) return out;
    const auto appended = store.append(id, batch);
    if (!appended) return fail(appended.error());
    out.offset = appended->offset;
    out.lastStep = appended->lastStep;
    if (!appended->applied) return out;  // another process stored these bytes
    out.records = static_cast<std::int64_t>(batch.records.size());
    out.malformedLines = batch.malformedLines;
    for (MetricRecord& record : batch.records) {
        if (auto* event = std::get_if<MetricEvent>(&record)) out.events.push_back(std::move(*event));
        if (auto* end = std::get_if<MetricEnd>(&record)) out.ends.push_back(std::move(*end));
    }
    return out;
}

Result<IngestResult> ingestStream(RunStore& store, MetricReader& reader, const RunId& id, std::size_t maxBytes) {
    const auto folder = store.home().run(id);
    if (!folder) return fail(folder.error());
    const auto position = store.position(id);
    if (!position) return fail(position.error());
    const std::filesystem::path path = folder->metrics();
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    const std::uint64_t offset = position->offset;
    IngestResult nothing;
    nothing.offset = offset;
    nothing.lastStep = position->lastStep;
    if (code || size < offset) {
        if (offset == 0) return nothing;
        return fail(
            "stream_replaced",
            "The metric stream is shorter than before: it was replaced or damaged. Nothing was changed; `slipway reindex` reads it again."_text,
            path.string());
    }
    if (size == offset) return nothing;
    const auto bytes = readFileFrom(path, offset, std::max(maxBytes, MetricReader::kMaxLineBytes + 1));
    if (!bytes) return fail(bytes.error());
    auto out = ingestBytes(store, reader, id, *bytes, offset);
    if (out) out->more = bytes->size() >= std::max(maxBytes, MetricReader::kMaxLineBytes + 1) && out->offset > offset;
    return out;
}

MetricBatch readAlertEvents(MetricReader& reader, std::string_view bytes, std::uint64_t offset, bool insideLine) {
    MetricBatch batch = reader.read(bytes, offset, insideLine);
    std::erase_if(batch.records,
                  [](const MetricRecord& record) { return !std::holds_alternative<MetricEvent>(record); });
    return batch;
}

Result<void> ingestAlerts(RunStore& store, MetricReader& reader, const RunId& id) {
    constexpr std::size_t kPieceBytes = MetricReader::kMaxLineBytes + 1;
    const auto folder = store.home().run(id);
    if (!folder) return fail(folder.error());
    while (true) {
        const auto position = store.position(id, kAlertsFile);
        if (!position) return fail(position.error());
        const auto bytes = readOwnFile(folder->path / kAlertsFile, position->offset, kPieceBytes);
        if (!bytes && bytes.error().code == "file_missing") return {};
        if (!bytes) return fail(bytes.error());
        const MetricBatch batch = readAlertEvents(reader, *bytes, position->offset, position->insideLine);
        if (batch.toOffset == batch.fromOffset) return {};
        if (const auto stored = store.append(id, batch, kAlertsFile); !stored) return fail(stored.error());
    }
}

}  // namespace slipway
