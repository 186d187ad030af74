#include "core/store/ingest.h"

#include "core/base/file.h"

#include <algorithm>

namespace slipway {

Result<IngestResult> ingestBytes(RunStore& store, MetricReader& reader, const RunId& id, std::string_view bytes,
                                 std::uint64_t offset) {
    MetricBatch batch = reader.read(bytes, offset);
    IngestResult out;
    out.offset = batch.fromOffset;
    if (batch.toOffset == batch.fromOffset) return out;
    const auto appended = store.append(id, batch);
    if (!appended) return fail(appended.error());
    out.offset = appended->offset;
    if (!appended->applied) return out;  // somebody else stored these bytes
    out.records = static_cast<std::int64_t>(batch.records.size());
    out.malformedLines = batch.malformedLines;
    for (MetricRecord& record : batch.records) {
        if (const auto* step = std::get_if<MetricStep>(&record)) out.lastStep = std::max(out.lastStep, step->step);
        if (auto* event = std::get_if<MetricEvent>(&record)) out.events.push_back(std::move(*event));
        if (auto* end = std::get_if<MetricEnd>(&record)) out.ends.push_back(std::move(*end));
    }
    return out;
}

Result<IngestResult> ingestStream(RunStore& store, MetricReader& reader, const RunId& id, std::size_t maxBytes) {
    const auto folder = store.home().run(id);
    if (!folder) return fail(folder.error());
    const auto offset = store.offset(id);
    if (!offset) return fail(offset.error());
    const std::filesystem::path path = folder->metrics();
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    if (code || size < *offset) {
        if (*offset == 0) return IngestResult{};
        return fail(
            "stream_replaced",
            "The metric stream is shorter than what was read of it before: it was replaced or damaged. Nothing was changed; `slipway reindex` reads it anew.",
            path.string());
    }
    if (size == *offset) {
        IngestResult nothing;
        nothing.offset = *offset;
        return nothing;
    }
    const auto bytes = readFileFrom(path, *offset, std::max(maxBytes, MetricReader::kMaxLineBytes + 1));
    if (!bytes) return fail(bytes.error());
    auto out = ingestBytes(store, reader, id, *bytes, *offset);
    if (out) out->more = bytes->size() >= std::max(maxBytes, MetricReader::kMaxLineBytes + 1) && out->offset > *offset;
    return out;
}

}  // namespace slipway
