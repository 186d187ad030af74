#include "core/spec/metric_line.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

namespace slipway {
namespace {

Json asJson(const MetricHeader& h) {
    return Json{{"schema", h.schema},
                {"kind", "header"},
                {"run_id", h.runId},
                {"attempt", h.attempt},
                {"resume_step", h.resumeStep},
                {"world_size", h.worldSize},
                {"time_unix_ms", h.timeUnixMilliseconds}};
}

Json asJson(const MetricStep& s) {
    Json values = Json::object();
    for (const auto& [name, value] : s.values) values[name] = jsonNumber(value);
    return Json{{"kind", "step"},
                {"step", s.step},
                {"tokens", s.tokens},
                {"time_unix_ms", s.timeUnixMilliseconds},
                {"values", values}};
}

Json asJson(const MetricEvent& e) {
    return Json{{"kind", "event"},
                {"step", e.step},
                {"name", e.name},
                {"detail", e.detail},
                {"time_unix_ms", e.timeUnixMilliseconds}};
}

Json asJson(const MetricEnd& e) {
    return Json{{"kind", "end"},
                {"status", e.status},
                {"step", e.step},
                {"exit_code", e.exitCode},
                {"time_unix_ms", e.timeUnixMilliseconds}};
}

}  // namespace

std::string toLine(const MetricRecord& record) {
    return dumpJson(std::visit([](const auto& r) { return asJson(r); }, record), false) + "\n";
}

}  // namespace slipway
