#include "app/gui/pages/run_data.h"

#include "app/gui/format.h"
#include "app/gui/store_access.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/metrics/derive.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace slipway::gui {
namespace {

constexpr std::size_t kTailBytes = 64 * 1024;
constexpr std::int64_t kMaxRanks = 512;
constexpr std::size_t kMaxLinesPerRank = 300;

// The last whole lines of a file; empty when there is none.
std::vector<std::string> tailLines(const std::filesystem::path& path) {
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    if (code) return {};
    const std::uint64_t offset = size > kTailBytes ? size - kTailBytes : 0;
    const auto text = readFileFrom(path, offset, kTailBytes);
    if (!text) return {};
    std::vector<std::string> lines;
    std::size_t begin = offset > 0 ? text->find('\n') + 1 : 0;  // the first line of a tail may be a part
    for (std::size_t end = text->find('\n', begin); end != std::string::npos;
         begin = end + 1, end = text->find('\n', begin))
        lines.push_back(text->substr(begin, end - begin));
    if (begin < text->size()) lines.push_back(text->substr(begin));
    return lines;
}

std::optional<double> number(const Json& json, const char* key) {
    const auto it = json.find(key);
    return it != json.end() && it->is_number() ? std::optional<double>(it->get<double>()) : std::nullopt;
}

std::optional<ActionKind> spanKind(const std::string& word) {
    for (const auto& name : enumNames(ActionKind{}))
        if (name.word == word) return name.value;
    return {};
}

// [name, micro-batch, chunk, start, end]
std::optional<TimeSpan> spanOf(const Json& json, std::int64_t stage) {
    if (!json.is_array() || json.size() != 5 || !json[0].is_string()) return {};
    for (std::size_t i = 1; i < 5; ++i)
        if (!json[i].is_number()) return {};
    const auto kind = spanKind(json[0].get<std::string>());
    if (!kind) return {};
    return TimeSpan{stage,
                    *kind,
                    json[1].get<std::int64_t>(),
                    json[2].get<std::int64_t>(),
                    json[3].get<double>(),
                    json[4].get<double>()};
}

void readRank(const RunDir& dir, std::int64_t rank, RunView& view) {
    RankState state;
    state.rank = rank;
    const Coordinates at = view.config.parallel.coordinates(rank);
    const bool drawn = at.tp == 0 && at.dp == 0 && at.cp == 0;
    bool haveSpans = false;
    const auto lines = tailLines(dir.rankStream(rank));
    for (auto line = lines.rbegin(); line != lines.rend() && (!state.step || (drawn && !haveSpans)); ++line) {
        const auto json = parseJson(*line, "rank stream");
        if (!json || !json->is_object()) continue;  // a line being written
        const std::string kind = json->value("kind", "");
        if (kind == "health" && !state.step) {
            if (const auto step = number(*json, "step")) state.step = static_cast<std::int64_t>(*step);
            state.tensorBytes = number(*json, "tensor_bytes");
            state.tensorPeakBytes = number(*json, "tensor_peak_bytes");
            state.rssBytes = number(*json, "rss_bytes");
            state.stepSeconds = number(*json, "step_seconds");
            state.deviceClockHertz = number(*json, "device_clock_hertz");
            state.devicePowerWatts = number(*json, "device_power_watts");
            state.deviceTemperatureCelsius = number(*json, "device_temperature_celsius");
            state.deviceMemoryUsedBytes = number(*json, "device_memory_used_bytes");
            if (const auto reasons = json->find("device_throttled"); reasons != json->end() && reasons->is_array())
                for (const Json& reason : *reasons)
                    if (reason.is_string()) state.deviceThrottled.push_back(reason.get<std::string>());
        } else if (kind == "spans" && drawn && !haveSpans && json->contains("spans")) {
            haveSpans = true;
            view.spansStep = static_cast<std::int64_t>(number(*json, "step").value_or(0));
            for (const Json& item : (*json)["spans"])
                if (const auto span = spanOf(item, at.pp)) view.measuredSpans.push_back(*span);
        }
    }
    view.ranks.push_back(state);
    auto log = tailLines(dir.rankLog(rank));
    const std::size_t skip = log.size() > kMaxLinesPerRank ? log.size() - kMaxLinesPerRank : 0;
    for (std::size_t i = skip; i < log.size(); ++i) {
        const QString text = qs(log[i]);
        view.log.push_back({rank, text, levelOf(text)});
    }
}

}  // namespace

LogLevel levelOf(const QString& line) {
    if (line.contains(QLatin1String("error"), Qt::CaseInsensitive) ||
        line.contains(QLatin1String("fatal"), Qt::CaseInsensitive))
        return LogLevel::Error;
    return line.contains(QLatin1String("warn"), Qt::CaseInsensitive) ? LogLevel::Warning : LogLevel::Info;
}

Curve curveOf(const MetricSeries& series, int colour, const QString& name) {
    const ThinSeries fine = thin(series, 800);
    Curve curve;
    curve.name = name;
    curve.colour = colour;
    curve.solid = true;
    for (const SeriesBucket& bucket : fine.buckets) {
        const auto x = static_cast<double>(bucket.lastStep);
        if (bucket.count == bucket.nonFinite) {
            curve.points.append({x, std::nan("")});
            continue;
        }
        curve.points.append({x, bucket.mean});
        if (!fine.raw) {
            curve.low.append({x, bucket.min});
            curve.high.append({x, bucket.max});
        }
    }
    for (const NonFinitePoint& point : fine.nonFinite) curve.nonFinite.append(static_cast<double>(point.step));
    return curve;
}

Result<RunView> loadRun(const Home& home, const RunId& id, const std::stop_token& token) {
    const auto opened = threadStore(home);
    if (!opened) return fail(opened.error());
    RunStore& store = **opened;
    auto record = store.run(id);
    if (!record) return fail(record.error());
    RunView view;
    view.record = std::move(*record);
    const auto json = parseJson(view.record.configJson, id.value);
    if (!json) return fail(json.error());
    auto stored = readStoredConfig(*json, id.value);
    if (!stored) return fail(stored.error());
    view.config = std::move(stored->config);
    if (const auto cluster = parseJson(view.record.clusterJson, id.value)) {
        Issues issues;
        const ClusterSpec spec = clusterFromJson(*cluster, issues);
        if (!hasErrors(issues)) view.plan = makePlan(stored->acting, spec);
    }
    if (token.stop_requested()) return view;

    const auto series = [&](const char* name) { return store.series(id, name).value_or(MetricSeries{}); };
    view.loss = series("loss");
    view.evalLoss = series("eval_loss");
    view.gradNorm = series("grad_norm");
    view.memory = series("memory_peak_bytes");
    view.tokensPerSecond =
        perDevice(tokensPerSecond(series("tokens"), series("step_seconds")), view.config.parallel.worldSize());
    view.waiting = view.config.parallel.pp > 1 ? series("bubble_observed") : series("comm_exposed_seconds");
    view.events = store.events(id).value_or(std::vector<EventRecord>{});
    std::reverse(view.events.begin(), view.events.end());
    view.attempts = store.attempts(id).value_or(std::vector<AttemptRecord>{});

    const auto dir = home.run(id);
    if (!dir) return fail(dir.error());
    const std::int64_t ranks = std::min(view.config.parallel.worldSize(), kMaxRanks);
    for (std::int64_t rank = 0; rank < ranks && !token.stop_requested(); ++rank) readRank(*dir, rank, view);
    return view;
}

Result<RunId> latestRun(const Home& home) {
    return readStore(home, [](RunStore& store) -> Result<RunId> {
        RunQuery query;
        query.limit = 1;
        const auto rows = store.list(query);
        if (!rows) return fail(rows.error());
        return rows->empty() ? RunId() : rows->front().record.id;
    });
}

}  // namespace slipway::gui
