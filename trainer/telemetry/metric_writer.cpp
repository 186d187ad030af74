#include "trainer/telemetry/metric_writer.h"

#include "core/base/clock.h"
#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace slipway::trainer {
namespace {

void addDevice(Json& json, const DeviceSample& device) {
    const auto add = [&](const char* key, double value) {
        if (std::isfinite(value)) json[key] = value;
    };
    add("device_clock_hertz", device.clockHertz);
    add("device_power_watts", device.powerWatts);
    add("device_temperature_celsius", device.temperatureCelsius);
    add("device_memory_used_bytes", device.memoryUsedBytes);
    add("device_memory_total_bytes", device.memoryTotalBytes);
    json["device_throttled"] = throttleWords(device.throttleReasons);
}

}  // namespace

Result<MetricWriter> MetricWriter::open(const RunDir& dir) {
    Result<AppendFile> file = AppendFile::open(dir.metrics());
    if (!file) return fail(file.error());
    std::int64_t attempts = 0;
    std::ifstream lines(dir.metrics());
    for (std::string line; std::getline(lines, line);)
        attempts += line.find("\"kind\":\"header\"") != std::string::npos ? 1 : 0;
    return MetricWriter(std::move(*file), attempts);
}

Result<void> MetricWriter::write(const MetricRecord& record) {
    return m_file.append(toLine(record));
}

Result<void> MetricWriter::event(std::int64_t step, std::string name, std::string detail) {
    return write(MetricEvent{step, std::move(name), std::move(detail), unixMillisecondsNow()});
}

Result<void> MetricWriter::end(std::string status, std::int64_t step, int exitCode) {
    Result<void> written = write(MetricEnd{std::move(status), step, exitCode, unixMillisecondsNow()});
    if (written) written = m_file.sync();
    return written;
}

Result<RankStream> RankStream::open(const RunDir& dir, std::int64_t rank) {
    const std::filesystem::path path = dir.rankStream(rank);
    if (Result<void> made = makeFolders(path.parent_path()); !made) return fail(made.error());
    Result<AppendFile> file = AppendFile::open(path);
    if (!file) return fail(file.error());
    return RankStream(std::move(*file), rank);
}

Result<void> RankStream::health(const HealthLine& line) {
    Json json{{"kind", "health"},
              {"step", line.step},
              {"time_unix_ms", unixMillisecondsNow()},
              {"tensor_bytes", line.tensorBytes},
              {"tensor_peak_bytes", line.tensorPeakBytes},
              {"rss_bytes", line.rssBytes},
              {"step_seconds", jsonNumber(line.stepSeconds)},
              {"wait_seconds", jsonNumber(line.waitSeconds)}};
    if (line.device) addDevice(json, *line.device);
    if (line.reservedPeakBytes) json["memory_reserved_peak_bytes"] = *line.reservedPeakBytes;
    if (line.allocatorRetries) json["allocator_retries"] = *line.allocatorRetries;
    return m_file.append(dumpJson(json, false) + "\n");
}

Result<void> RankStream::spans(std::int64_t step, const std::vector<SpanLine>& spans,
                               const std::vector<CollectiveLine>& collectives) {
    Json list = Json::array();
    for (const SpanLine& span : spans) {
        list.push_back(Json::array({std::string(span.name), span.microBatch, span.chunk, jsonNumber(span.startSeconds),
                                    jsonNumber(span.endSeconds)}));
    }
    Json sent = Json::array();
    for (const CollectiveLine& one : collectives) {
        sent.push_back(Json::array({std::string(one.operation), std::string(one.group), jsonNumber(one.startSeconds),
                                    jsonNumber(one.endSeconds)}));
    }
    const Json json{{"kind", "spans"},
                    {"step", step},
                    {"rank", m_rank},
                    {"spans", std::move(list)},
                    {"collectives", std::move(sent)}};
    return m_file.append(dumpJson(json, false) + "\n");
}

}  // namespace slipway::trainer
