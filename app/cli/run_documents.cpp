#include "app/cli/run_documents.h"

#include "core/base/json_fields.h"
#include "core/metrics/summarise.h"

#include <nlohmann/json.hpp>

namespace slipway {

Json runJson(const RunRecord& run, std::optional<std::int64_t> seqLen) {
    const auto time = [](const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); };
    return Json{{"run_id", run.id.value},
                {"name", run.name},
                {"status", wordOf(run.status)},
                {"host", run.host.empty() ? Json(nullptr) : Json(run.host)},
                {"last_sign_unix_ms", time(run.lastSignUnixMilliseconds)},
                {"reason", run.reason.empty() ? Json(nullptr) : Json(run.reason)},
                {"tags", run.tags},
                {"archived", run.archived},
                {"sweep_id", run.sweep.empty() ? Json(nullptr) : Json(run.sweep.value)},
                {"trial", run.trial ? Json(*run.trial) : Json(nullptr)},
                {"attempts", run.attempts},
                {"last_step", run.lastStep},
                {"num_steps", run.numSteps > 0 ? Json(run.numSteps) : Json(nullptr)},
                {"created_unix_ms", run.createdUnixMilliseconds},
                {"started_unix_ms", time(run.startedUnixMilliseconds)},
                {"ended_unix_ms", time(run.endedUnixMilliseconds)},
                {"forecast", measuredJson(run.forecast)},
                {"measured", shownJson(run.measured, seqLen)}};
}

Json cellJson(const CellValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            using Value = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<Value, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<Value, double>)
                return jsonNumber(v);
            else
                return v;
        },
        value);
}

Json groupJson(const RunGroup& group, const std::vector<std::string>& figures) {
    Json out{{"value", cellJson(group.value)},
             {"runs", group.count},
             {"ran", group.ran},
             {"failed", group.failed},
             {"figures", Json::object()}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const FigureSummary& figure = group.figures[i];
        const auto number = [&](double value) { return figure.numKnown > 0 ? jsonNumber(value) : Json(nullptr); };
        out["figures"][figures[i]] = {{"known", figure.numKnown},
                                      {"mean", number(figure.mean)},
                                      {"min", number(figure.least)},
                                      {"max", number(figure.greatest)},
                                      {"median", number(figure.median)}};
    }
    return out;
}

}  // namespace slipway
