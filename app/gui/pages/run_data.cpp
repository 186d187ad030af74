#include "app/gui/pages/run_data.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/pages/curve_data.h"
#include "app/gui/text/format.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/metrics/derive.h"
#include "core/planner/plan.h"
#include "core/run/missing_figures.h"
#include "core/run/restart.h"
#include "core/run/run_files.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace slipway::gui {
namespace {

constexpr std::size_t kTailBytes = 64 * 1024;
constexpr std::int64_t kMaxRanks = 512;
constexpr std::size_t kMaxLinesPerRank = 300;
constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kAnyStep = std::numeric_limits<std::int64_t>::max();

// The last complete lines of a file; empty if there are none.
std::vector<std::string> tailLines(const std::filesystem::path& path) {
    std::error_code code;
    const auto size = std::filesystem::file_size(path, code);
    if (code) return {};
    const std::uint64_t offset = size > kTailBytes ? size - kTailBytes : 0;
    const auto text = readFileFrom(path, offset, kTailBytes);
    if (!text) return {};
    std::vector<std::string> lines;
    std::size_t begin = offset > 0 ? text->find('\n') + 1 : 0;  // the first line of a tail may be incomplete
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
    const Coordinates at = view.stored.config.parallel.coordinates(rank);
    const bool drawn = at.tp == 0 && at.dp == 0 && at.cp == 0;
    bool haveSpans = false;
    const auto lines = tailLines(dir.rankStream(rank));
    for (auto line = lines.rbegin(); line != lines.rend() && (!state.step || (drawn && !haveSpans)); ++line) {
        const auto json = parseJson(*line, "rank stream");
        if (!json || !json->is_object()) continue;  // a line still being written
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
}

/// Config, forecast and record of the run.
Result<void> readPlan(const std::shared_ptr<const RunView>& before, RunView& view) {
    const std::string& id = view.record.id.value;
    if (before && before->record.configJson == view.record.configJson &&
        before->record.clusterJson == view.record.clusterJson) {
        view.stored = before->stored;
        view.plan = before->plan;
        return {};
    }
    const auto json = parseJson(view.record.configJson, id);
    if (!json) return fail(json.error());
    auto stored = readStoredConfig(*json, id);
    if (!stored) return fail(stored.error());
    view.stored = std::move(*stored);
    if (view.stored.isPartial()) return {};  // the plan would consist of invented defaults
    if (const auto cluster = parseJson(view.record.clusterJson, id)) {
        Issues issues;
        const ClusterSpec spec = clusterFromJson(*cluster, issues);
        if (!hasErrors(issues)) view.plan = std::make_shared<const Plan>(makePlan(view.stored.acting, spec));
    }
    return {};
}

/// The curve, extended by the newer points of the store.
ThinSeries grown(RunStore& store, const RunId& id, const std::string& name, ThinSeries known) {
    known.name = name;
    const std::int64_t from = known.buckets.empty() ? kNoStep : known.buckets.back().lastStep + 1;
    if (const auto later = store.window(id, name, from, kAnyStep, kFineBuckets)) append(known, *later);
    return known.buckets.size() > 2 * kFineBuckets ? thin(known, kFineBuckets) : known;
}

/// Updates the view's curves from the store.
void readCurves(RunStore& store, RunView& view) {
    const RunId& id = view.record.id;
    view.loss = grown(store, id, "loss", view.loss);
    view.evalLoss = grown(store, id, "eval_loss", view.evalLoss);
    view.gradNorm = grown(store, id, "grad_norm", view.gradNorm);
    view.memory = grown(store, id, "memory_peak_bytes", view.memory);
    view.waiting =
        grown(store, id, view.stored.config.parallel.pp > 1 ? "bubble_observed" : "comm_exposed_seconds", view.waiting);
    view.tokens = grown(store, id, "tokens", view.tokens);
    view.stepSeconds = grown(store, id, "step_seconds", view.stepSeconds);
    view.numDevices = numDevicesOf(store, id, view.stored);
    view.tokensPerSecond = view.numDevices > 0 ? scaled(tokensPerSecond(view.tokens, view.stepSeconds),
                                                        1 / static_cast<double>(view.numDevices))
                                               : ThinSeries{};
    view.tokensPerSecond.name = "tokens_per_second_per_device";
    view.attempts = store.attempts(id).value_or(std::vector<AttemptRecord>{});
}

/// Size and time of each file that readRank reads.
decltype(RunRanks::files) lookAtRanks(const RunDir& dir, std::int64_t ranks) {
    decltype(RunRanks::files) out;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        for (const std::filesystem::path& path : {dir.rankStream(rank), dir.rankLog(rank)}) {
            std::error_code code;
            const auto size = std::filesystem::file_size(path, code);
            out.emplace_back(size, std::filesystem::last_write_time(path, code));
        }
    return out;
}

Result<std::shared_ptr<const RunView>> load(const Home& home, const RunId& id,
                                            const std::shared_ptr<const RunView>& before,
                                            const std::stop_token& token) {
    const auto opened = threadStore(home);
    if (!opened) return fail(opened.error());
    RunStore& store = **opened;
    const auto dir = home.run(id);
    if (!dir) return fail(dir.error());
    const auto position = store.position(id);
    if (!position) return fail(position.error());
    auto record = store.run(id);
    if (!record) return fail(record.error());
    auto view = std::make_shared<RunView>();
    view->record = std::move(*record);
    if (view->record.status == RunStatus::Failed) view->end = readEnd(*dir, view->record.attempts);
    if (auto read = readPlan(before, *view); !read) return fail(read.error());
    if (view->record.lastStep == 0) view->noFigures = missingFigures(*dir).value_or(Message());
    if (before && before->record.attempts == view->record.attempts)
        view->nodes = before->nodes;
    else if (const auto written = readRunFiles(*dir); written && written->plan && written->plan->launcher == "ssh")
        for (const NodePlan& node : written->plan->nodes) view->nodes.push_back(node.node);
    if (token.stop_requested()) return view;
    const std::int64_t ranks = std::min(view->stored.config.parallel.worldSize(), kMaxRanks);
    auto files = lookAtRanks(*dir, ranks);
    const bool sameStream = before && before->position == *position;
    const bool sameFiles = before && before->files == files;
    if (sameStream && sameFiles && before->record == view->record) return before;

    if (sameStream) {
        static_cast<RunCurves&>(*view) = *before;
    } else {
        // After a rewound stream or a rebuilt index, the points read so far no longer belong to the curve.
        const bool longer =
            before && before->position.rewinds == position->rewinds && before->position.offset <= position->offset;
        if (longer) static_cast<RunCurves&>(*view) = *before;
        readCurves(store, *view);
        view->position = *position;
    }
    // Decisions between two attempts are not in any stream.
    view->events = withRestarts(store.events(id).value_or(std::vector<EventRecord>{}), *dir);
    std::reverse(view->events.begin(), view->events.end());
    if (sameFiles) {
        static_cast<RunRanks&>(*view) = *before;
        return view;
    }
    std::vector<LogEntry> log;
    for (std::int64_t rank = 0; rank < ranks && !token.stop_requested(); ++rank) {
        readRank(*dir, rank, *view);
        auto tail = logTail(*dir, rank, kTailBytes, kMaxLinesPerRank);
        log.insert(log.end(), std::make_move_iterator(tail.begin()), std::make_move_iterator(tail.end()));
    }
    view->log = logLines(log);
    if (!token.stop_requested()) view->files = std::move(files);
    return view;
}

}  // namespace

Curve curveOf(const ThinSeries& series, int colour, const QString& name) {
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

Result<std::shared_ptr<const RunView>> loadRun(const Home& home, const RunId& id, const std::stop_token& token) {
    return load(home, id, nullptr, token);
}

Result<std::shared_ptr<const RunView>> reloadRun(const Home& home, const std::shared_ptr<const RunView>& before,
                                                 const std::stop_token& token) {
    return load(home, before->record.id, before, token);
}

Result<void> exportCurves(const Home& home, const RunView& view, const std::filesystem::path& file) {
    const auto opened = threadStore(home);
    if (!opened) return fail(opened.error());
    const auto series = [&](const std::string& name) { return (*opened)->series(view.record.id, name); };
    const std::filesystem::path half = file.string() + ".part";
    std::ofstream out(half);
    out.precision(17);
    out << "metric,step,value\n";
    for (const std::string& name : {view.loss.name, view.evalLoss.name, view.tokensPerSecond.name, view.gradNorm.name,
                                    view.waiting.name, view.memory.name}) {
        auto one = series(name);
        if (name == view.tokensPerSecond.name) {
            const auto tokens = series("tokens");
            const auto seconds = series("step_seconds");
            if (!tokens || !seconds) return fail((tokens ? seconds : tokens).error());
            one = perDevice(tokensPerSecond(*tokens, *seconds), view.numDevices);
        }
        if (!one) return fail(one.error());
        for (std::size_t i = 0; i < one->size(); ++i)
            out << one->name << ',' << one->steps[i] << ',' << one->values[i] << '\n';
    }
    out.close();
    std::error_code code;
    if (out) std::filesystem::rename(half, file, code);
    if (out && !code) return {};
    std::filesystem::remove(half, code);
    return fail("file_unwritable", "The curves could not be written; check the folder and the space left."_text,
                file.string());
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
