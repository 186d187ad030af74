#include "app/gui/pages/board_data.h"

#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/run_rows.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/metric_names.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <sstream>
#include <thread>
#include <type_traits>

namespace slipway::gui {
namespace {

constexpr std::size_t kBuckets = 1000;
constexpr std::size_t kFewRuns = 100;  // with more, raw lines, bands and superseded steps would hide each other

/// Buckets of one line of many: those of an outline, which the index has in one row, however long the curve is.
constexpr std::size_t kBucketsAmongMany = 50;
constexpr std::size_t kPartBuckets =
    200;  // of one line of many in a part of the axis, which is twice as wide as what is visible
constexpr std::size_t kMostParts = 4;
constexpr double kBeside = 0.5;  // of a part's width, on both sides of it

/// Calls read(store, part, begin, end) for parts of `count` runs. Many are read on several connections at once: a disk answers several
/// questions in the time of one, and the pages of a thousand runs are rarely all in memory.
template <class Read>
void readInParts(RunStore& store, std::size_t count, const Read& read) {
    constexpr std::size_t kLeastRuns = 100;
    const std::size_t numParts = std::clamp<std::size_t>(count / kLeastRuns, 1, kMostParts);
    const auto here = [&](RunStore& open, std::size_t part) {
        read(open, part, count * part / numParts, count * (part + 1) / numParts);
    };
    std::array<bool, kMostParts> isRead{};
    {
        std::vector<std::jthread> others;
        for (std::size_t part = 1; part < numParts; ++part)
            others.emplace_back([&, part] {
                auto own = RunStore::open(store.home(), OpenMode::ReadOnly);
                isRead[part] = own.has_value();
                if (own) here(*own, part);
            });
        here(store, 0);
    }
    for (std::size_t part = 1; part < numParts; ++part)
        if (!isRead[part]) here(store, part);
}

constexpr const char* kAxes[] = {"step", "tokens", "time", "flops"};

/// Events that indicate trouble.
bool isBad(const std::string& name) {
    for (const char* word : {"not_finite", "nan", "spike", "skipped", "rewound", "damaged", "failed", "lost", "stall"})
        if (name.find(word) != std::string::npos) return true;
    return false;
}

Result<std::filesystem::path> fileOf(const Home& home, const std::string& name) {
    if (name.empty()) return fail("bad_name", "The name of a board cannot be empty; give it one."_text, "name");
    return home.path / "boards" / (fileName(name).toStdString() + ".json");
}

Curve curveOf(const MetricSeries& axis, const std::vector<SeriesBucket>& buckets, bool band) {
    Curve curve;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const double x = axis.values[i];
        if (std::isnan(x)) continue;
        const bool finite = std::isfinite(buckets[i].mean);
        curve.points.append({x, finite ? buckets[i].mean : std::nan("")});
        if (!band || !finite) continue;
        curve.low.append({x, buckets[i].min});
        curve.high.append({x, buckets[i].max});
    }
    return curve;
}

/// A line through the lowest, the highest and the last point of each bucket: no spike is lost without a band. A bucket without a finite
/// value is a gap.
MetricSeries pathOf(const ThinSeries& thin) {
    MetricSeries out;
    const auto add = [&](std::int64_t step, double value) {
        if (!out.steps.empty() && step <= out.steps.back()) return;
        out.steps.push_back(step);
        out.values.push_back(std::isfinite(value) ? value : std::nan(""));
    };
    for (const SeriesBucket& bucket : thin.buckets) {
        const bool lowFirst = bucket.minStep <= bucket.maxStep;
        add(lowFirst ? bucket.minStep : bucket.maxStep, lowFirst ? bucket.min : bucket.max);
        add(lowFirst ? bucket.maxStep : bucket.minStep, lowFirst ? bucket.max : bucket.min);
        add(bucket.lastStep, std::isfinite(bucket.last) ? bucket.last : bucket.mean);
    }
    return out;
}

/// The smoothed line of a part: what is before the part is read coarsely, as it has its share in the average.
ThinSeries smoothPart(RunStore& store, const CurveSource& run, const std::string& metric, const ThinSeries& part,
                      const StepRange& range, double weight, std::size_t most) {
    if (part.buckets.empty() || range.from <= 0) return smooth(part, weight);
    const std::int64_t begin = part.buckets.front().firstStep;
    ThinSeries all = metricOf(store, run, metric, most, {StepRange().from, begin - 1});
    std::erase_if(all.buckets, [&](const SeriesBucket& bucket) { return bucket.lastStep >= begin; });
    const auto numBefore = static_cast<std::ptrdiff_t>(all.buckets.size());
    all.buckets.insert(all.buckets.end(), part.buckets.begin(), part.buckets.end());
    all.raw = part.raw;
    all = smooth(all, weight);
    all.buckets.erase(all.buckets.begin(), all.buckets.begin() + numBefore);
    return all;
}

/// The lines of a run in one chart. @param part of the axis; absent: all of it
void addCurves(RunStore& store, const BoardRun& run, int index, const Board& board, bool few,
               const std::optional<std::pair<double, double>>& part, BoardChart& chart) {
    const std::size_t most = few ? kBuckets : part ? kPartBuckets : kBucketsAmongMany;
    const StepRange range = part ? stepsOf(store, run.source, board.x, *part) : StepRange();
    const ThinSeries raw = metricOf(store, run.source, chart.metric, most, range);
    if (raw.buckets.empty() && raw.nonFinite.empty()) return;
    std::vector<std::int64_t> steps;
    for (const SeriesBucket& bucket : raw.buckets) steps.push_back(bucket.lastStep);
    const MetricSeries axis{{}, {}, steps, abscissa(store, run.source, steps, board.x)};
    const auto add = [&](Curve curve, bool faint) {
        curve.name = faint ? QString() : run.letter + QStringLiteral("  ") + run.name;
        curve.letter = faint ? QString() : run.letter;
        curve.colour = index;
        curve.faint = faint;
        chart.curves.push_back(std::move(curve));
        chart.runs.push_back(index);
    };
    const bool smoothed = board.smoothing > 0;
    if (few && smoothed) add(curveOf(axis, raw.buckets, false), true);
    if (few)
        for (const MetricSeries& lost : supersededOf(store, run.source, chart.metric)) {
            const ThinSeries old = thin(lost, kBuckets);
            std::vector<std::int64_t> oldSteps;
            for (const SeriesBucket& bucket : old.buckets) oldSteps.push_back(bucket.lastStep);
            add(curveOf({{}, {}, oldSteps, abscissa(store, run.source, oldSteps, board.x)}, old.buckets, false), true);
        }
    Curve line;
    if (few || smoothed || raw.raw) {
        const ThinSeries shown = part && smoothed
                                     ? smoothPart(store, run.source, chart.metric, raw, range, board.smoothing, most)
                                     : smooth(raw, board.smoothing);
        line = curveOf(axis, shown.buckets, few && board.band && !raw.raw);
    } else {
        const MetricSeries path = pathOf(raw);
        const std::vector<double> xs = abscissa(store, run.source, path.steps, board.x);
        for (std::size_t i = 0; i < xs.size(); ++i)
            if (!std::isnan(xs[i])) line.points.append({xs[i], path.values[i]});
    }
    steps.clear();
    for (const NonFinitePoint& point : raw.nonFinite) steps.push_back(point.step);
    for (const double x : abscissa(store, run.source, steps, board.x))
        if (!std::isnan(x)) line.nonFinite.append(x);
    add(std::move(line), false);
}

/// A chart for each metric of the board.
std::vector<BoardChart> chartsOf(RunStore& store, const std::vector<BoardRun>& runs, const Board& board, bool few,
                                 const std::optional<std::pair<double, double>>& part, const std::stop_token& token) {
    std::vector<BoardChart> empty(board.metrics.size());
    for (std::size_t i = 0; i < empty.size(); ++i) empty[i].metric = board.metrics[i];
    std::vector<std::vector<BoardChart>> parts(kMostParts, empty);
    readInParts(store, runs.size(), [&](RunStore& open, std::size_t own, std::size_t begin, std::size_t end) {
        for (BoardChart& chart : parts[own])
            for (std::size_t i = begin; i < end && !token.stop_requested(); ++i)
                addCurves(open, runs[i], static_cast<int>(i), board, few, part, chart);
    });
    std::vector<BoardChart> out = std::move(empty);
    for (std::vector<BoardChart>& charts : parts)
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::ranges::move(charts[i].curves, std::back_inserter(out[i].curves));
            std::ranges::move(charts[i].runs, std::back_inserter(out[i].runs));
        }
    return out;
}

void addEvents(RunStore& store, const BoardRun& run, int index, CurveX x, BoardData& data) {
    const auto events = store.events(run.source.record.id);
    const auto attempts = store.attempts(run.source.record.id);
    std::vector<std::pair<std::int64_t, BoardEvent>> found;
    std::vector<std::int64_t> checkpoints;
    for (const EventRecord& event : events.value_or(std::vector<EventRecord>{})) {
        if (event.name == "checkpoint") {
            checkpoints.push_back(event.step);
            continue;
        }
        found.push_back({event.step, {0, event.step, index, eventText(event.name, event.detail), isBad(event.name)}});
    }
    if (attempts)
        for (const AttemptRecord& attempt : *attempts)
            if (attempt.attempt > 1)
                found.push_back(
                    {attempt.resumeStep,
                     {0, attempt.resumeStep, index,
                      QCoreApplication::translate("BoardData", "attempt %1 resumed").arg(attempt.attempt), false}});
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const double at : abscissa(store, run.source, checkpoints, x))
        if (!std::isnan(at)) data.marks.append(at);
    std::vector<std::int64_t> steps;
    for (const auto& [step, event] : found) steps.push_back(step);
    const auto xs = abscissa(store, run.source, steps, x);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isnan(xs[i])) continue;
        found[i].second.x = xs[i];
        data.events.push_back(std::move(found[i].second));
    }
}

bool isKnown(std::string_view derived, const DeriveBasis& basis) {
    if (derived == "mfu") return basis.peakFlops.has_value();
    return derived != "tokens_per_second_per_device" || basis.numDevices > 0;
}

/// Notes which metrics the run has.
void addRecorded(RunStore& store, const BoardRun& run, std::map<std::string, QStringList>& recorded) {
    const auto names = store.metricNames(run.source.record.id);
    if (!names) return;
    bool tokens = false, seconds = false;
    for (const std::string& name : *names) {
        if (name != "time_unix_ms") recorded[name] << run.letter;
        tokens = tokens || name == "tokens";
        seconds = seconds || name == "step_seconds";
    }
    if (!tokens || !seconds) return;
    for (const MetricName& metric : kDerivedMetrics)
        if (isKnown(metric.name, basisOf(run.source))) recorded[std::string(metric.name)] << run.letter;
}

void addRun(RunRecord record, StoredConfig config, std::int64_t numDevices, BoardData& data) {
    BoardRun run;
    run.letter = groupLetter(static_cast<int>(data.runs.size()));
    run.name = record.name.empty() ? qs(record.id.value) : qs(record.name);
    run.source = {std::move(record), std::move(config), numDevices};
    data.runs.push_back(std::move(run));
}

const std::vector<std::string> kLayoutFields = {
    "world_size", "dp", "tp", "pp", "cp", "ep", "zero_stage", "micro_batch_size", "sequence_parallel", "schedule"};

/// The part of a config that a board shows, from a row with kLayoutFields.
StoredConfig layoutOf(const std::vector<CellValue>& cells) {
    StoredConfig out;
    ParallelLayout& p = out.config.parallel;
    out.given.emplace();
    const auto number = [&](std::size_t cell, const char* path, auto& field) {
        const auto* value = std::get_if<std::int64_t>(&cells[cell]);
        if (value == nullptr) return;
        field = static_cast<std::decay_t<decltype(field)>>(*value);
        out.given->insert(path);
    };
    number(1, "parallel.dp", p.dp);
    number(2, "parallel.tp", p.tp);
    number(3, "parallel.pp", p.pp);
    number(4, "parallel.cp", p.cp);
    number(5, "parallel.ep", p.ep);
    number(6, "parallel.zero_stage", p.zeroStage);
    number(7, "train.micro_batch_size", out.config.train.microBatchSize);
    number(8, "parallel.sequence_parallel", p.sequenceParallel);
    p.sequenceParallel = p.sequenceParallel && p.tp > 1;  // as in documents, which omit it without tensor parallelism
    if (const auto* word = std::get_if<std::string>(&cells[9]))
        for (const auto& one : enumNames(p.schedule))
            if (one.word == *word) {
                p.schedule = one.value;
                out.given->insert("parallel.schedule");
            }
    return out;
}

/// The runs from the rows of the index: the documents of a thousand runs take longer than their curves.
void addListed(RunStore& store, const BoardRequest& request, const std::stop_token& token, BoardData& data) {
    const auto all = request.keys.empty() ? keysOf(store, request.runs, token) : request.keys;
    std::vector<std::int64_t> keys;
    for (std::size_t i = 0; i < request.runs.size() && i < all.size(); ++i)
        if (all[i] != 0)
            keys.push_back(all[i]);
        else
            data.unreadable << qs(request.runs[i].value);
    std::array<Result<std::vector<RunRow>>, kMostParts> parts;
    readInParts(store, keys.size(), [&](RunStore& open, std::size_t part, std::size_t begin, std::size_t end) {
        parts[part] = open.rows(std::span(keys).subspan(begin, end - begin), kLayoutFields);
    });
    for (const auto& rows : parts) {
        if (!rows) {
            data.unreadable = {errorText(rows.error())};
            return;
        }
        for (const RunRow& row : *rows) {
            if (token.stop_requested()) return;
            if (row.record.id.empty()) continue;  // deleted in the meantime
            const auto* devices = std::get_if<std::int64_t>(row.cells.data());
            addRun(row.record, layoutOf(row.cells), devices != nullptr ? *devices : 0, data);
        }
    }
}

}  // namespace

std::vector<std::string> savedBoards(const Home& home) {
    std::vector<std::string> out;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(home.path / "boards", code))
        if (entry.path().extension() == ".json") out.push_back(entry.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

Result<Board> readBoard(const Home& home, const std::string& name) {
    const auto path = fileOf(home, name);
    if (!path) return fail(path.error());
    const auto text = readFile(*path);
    if (!text) return fail(text.error());
    const auto json = parseJson(*text, path->string());
    if (!json) return fail(json.error());
    const auto wrong = [&] {
        return fail("bad_board", "The file is not a board; save the board again or remove the file."_text,
                    path->string());
    };
    if (!json->is_object() || json->value("version", Json()) != 1 || !json->contains("metrics")) return wrong();
    Board board;
    board.name = name;
    try {
        board.metrics = json->at("metrics").get<std::vector<std::string>>();
        board.runs = json->value("runs", std::vector<std::string>{});
        board.smoothing = std::clamp(json->value("smoothing", 0.0), 0.0, 0.999);
        board.logY = json->value("log_y", false);
        board.clip = json->value("clip", false);
        board.band = json->value("band", true);
        board.events = json->value("events", true);
        const std::string axis = json->value("x", "step");
        const auto at = std::find(std::begin(kAxes), std::end(kAxes), axis);
        if (at == std::end(kAxes)) return wrong();
        board.x = static_cast<CurveX>(at - std::begin(kAxes));
    } catch (const Json::exception&) {
        return wrong();
    }
    return board;
}

Result<void> saveBoard(const Home& home, const Board& board) {
    const auto path = fileOf(home, board.name);
    if (!path) return fail(path.error());
    std::error_code code;
    std::filesystem::create_directories(path->parent_path(), code);
    const Json json{{"version", 1},
                    {"metrics", board.metrics},
                    {"runs", board.runs},
                    {"x", kAxes[static_cast<int>(board.x)]},
                    {"smoothing", board.smoothing},
                    {"log_y", board.logY},
                    {"clip", board.clip},
                    {"band", board.band},
                    {"events", board.events}};
    return writeFileAtomically(*path, dumpJson(json, true) + "\n");
}

Result<void> removeBoard(const Home& home, const std::string& name) {
    const auto path = fileOf(home, name);
    if (!path) return fail(path.error());
    std::error_code code;
    if (std::filesystem::remove(*path, code)) return {};
    return fail("board_missing", "Unknown board."_text, path->string());
}

bool isOfFew(const BoardRequest& request) {
    return request.runs.size() <= kFewRuns;
}

std::map<std::string, QStringList> recordedBy(RunStore& store, const std::vector<BoardRun>& runs,
                                              const std::stop_token& token) {
    std::map<std::string, QStringList> out;
    for (const BoardRun& run : runs) {
        if (token.stop_requested()) break;
        addRecorded(store, run, out);
    }
    return out;
}

std::vector<std::int64_t> keysOf(RunStore& store, const std::vector<RunId>& runs, const std::stop_token& token) {
    RunQuery everywhere;
    everywhere.scope = RunScope::All;
    std::vector<std::int64_t> keys(runs.size());
    const auto all = store.listing(everywhere, token);
    for (std::size_t i = 0; all && i < runs.size(); ++i)
        if (const int place = all->ids.find(runs[i]); place >= 0) keys[i] = all->keys[static_cast<std::size_t>(place)];
    return keys;
}

BoardData loadBoard(RunStore& store, const BoardRequest& request, const std::stop_token& token) {
    BoardData data;
    const bool few = isOfFew(request);
    if (!few) addListed(store, request, token, data);
    for (const RunId& id : few ? request.runs : std::vector<RunId>()) {
        if (token.stop_requested()) return data;
        auto record = store.run(id);
        auto config = record ? configOf(*record) : std::nullopt;
        if (!config) {
            data.unreadable << (record ? qs(id.value)
                                       : qs(id.value) + QStringLiteral(": ") + errorText(record.error()));
            continue;
        }
        const std::int64_t numDevices = numDevicesOf(store, id, *config);
        addRun(std::move(*record), std::move(*config), numDevices, data);
        addRecorded(store, data.runs.back(), data.recorded);
    }
    data.charts = chartsOf(store, data.runs, request.board, few, {}, token);
    if (few)
        for (std::size_t i = 0; i < data.runs.size(); ++i)
            addEvents(store, data.runs[i], static_cast<int>(i), request.board.x, data);
    std::stable_sort(data.events.begin(), data.events.end(),
                     [](const BoardEvent& a, const BoardEvent& b) { return a.x < b.x; });
    return data;
}

std::vector<BoardChart> loadBoardPart(RunStore& store, const BoardData& whole, const Board& board,
                                      std::pair<double, double> part, const std::stop_token& token) {
    const double beside = (part.second - part.first) * kBeside;
    part = {part.first - beside, part.second + beside};
    const bool few = whole.runs.size() <= kFewRuns;
    return chartsOf(store, whole.runs, board, few, part, token);
}

std::string boardCsv(RunStore& store, const BoardRequest& request, const std::stop_token& token) {
    std::ostringstream out;
    out.precision(17);
    out << "run_id,metric,step,value\n";
    for (const RunId& id : request.runs) {
        if (token.stop_requested()) break;
        auto record = store.run(id);
        auto config = record ? configOf(*record) : std::nullopt;
        if (!config) continue;
        const std::int64_t devices = numDevicesOf(store, id, *config);
        const CurveSource run{std::move(*record), std::move(*config), devices};
        for (const std::string& metric : request.board.metrics) {
            const MetricSeries series = pointsOf(store, run, metric);
            for (std::size_t i = 0; i < series.size(); ++i)
                out << id.value << ',' << metric << ',' << series.steps[i] << ',' << series.values[i] << '\n';
        }
    }
    return out.str();
}

}  // namespace slipway::gui
