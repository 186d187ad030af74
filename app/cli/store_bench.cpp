#include "app/cli/store_bench.h"

#include "app/cli/run_tools.h"
#include "core/base/clock.h"
#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/planner/plan.h"
#include "core/spec/metric_names.h"
#include "core/store/ingest.h"
#include "core/store/point_table.h"
#include "core/store/reindex.h"
#include "core/store/run_filter.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <span>

namespace slipway {
namespace {

constexpr std::int64_t kBatch = 500;         // runs stored together
constexpr std::size_t kPageRows = 200;       // fetched together
constexpr std::int64_t kCurves = 1000;       // drawn at once
constexpr std::size_t kChartPoints = 1000;   // of a curve on the screen
constexpr std::size_t kAmongMany = 50;       // of a curve among a thousand, as on a board
constexpr std::size_t kLevelChunks = 5000;   // written together
constexpr std::int64_t kLiveRuns = 50;       // that write a line a second
constexpr std::int64_t kIngestLines = 2000;  // of one stream, each with every metric
const std::vector<std::string> kFigures = {"tokens_per_second_per_device", "mfu", "memory_peak_bytes",
                                           "bubble_fraction", "final_loss"};  // of groups
constexpr std::int64_t kNaiveRuns = 1000, kNaivePoints = 1000;
constexpr std::int64_t kCreated = 1'760'000'000'000;  // the first run, ms since 1970; one a minute from there

const Error kCancelled = errorOf("cancelled", "The measurement was interrupted."_text);

double cpuSeconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// On a busy computer the two differ by the time of other programs.
struct Spent {
    double seconds = 0;
    double cpu = 0;
};

Spent spentOn(const std::function<void()>& work) {
    const double begin = monotonicSecondsNow(), cpu = cpuSeconds();
    work();
    return {monotonicSecondsNow() - begin, cpuSeconds() - cpu};
}

double residentBytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Drops the file from the system's cache. No connection may have it open (Database::open).
void forgetFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
}

/// 95th percentiles of the times.
Spent p95(const std::vector<Spent>& all) {
    const auto of = [&](double Spent::*member) {
        std::vector<double> values;
        for (const Spent& spent : all) values.push_back(spent.*member);
        std::sort(values.begin(), values.end());
        return values.empty() ? 0 : values[(values.size() * 95 + 99) / 100 - 1];
    };
    return {of(&Spent::seconds), of(&Spent::cpu)};
}

/// A number in [0, 1) that follows from i alone.
double spread(std::int64_t i) {
    auto x = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<double>((x ^ (x >> 29)) >> 11) * 0x1p-53;
}

RunId idOf(std::int64_t i) {
    std::string digits = std::to_string(i);
    return RunId("r" + std::string(7 - std::min<std::size_t>(digits.size(), 7), '0') + digits);
}

std::vector<std::string> tableColumns() {
    return {"name",
            "world_size",
            "dp",
            "tp",
            "pp",
            "zero_stage",
            "micro_batch_size",
            "num_micro_batches",
            "tokens_per_second_per_device",
            "mfu",
            "memory_peak_bytes",
            "bubble_fraction",
            "final_loss",
            "created",
            "status"};
}

class StoreBench {
public:
    StoreBench(CliContext& context, const StoreBenchRequest& request)
        : m_context(context), m_request(request), m_home{request.folder / "home"} {}

    Result<std::vector<StoreFigure>> measure() {
        for (const auto step : {&StoreBench::makeRuns, &StoreBench::lists, &StoreBench::curves, &StoreBench::adoption,
                                &StoreBench::live, &StoreBench::ingest, &StoreBench::naive}) {
            if (m_context.interrupts() > 0) return fail(kCancelled);
            if (auto done = (this->*step)(); !done) return fail(done.error());
        }
        endProgressLine(m_context);
        return m_out;
    }

private:
    Result<RunStore> open() { return RunStore::open(m_home, OpenMode::ReadWrite); }

    void add(StoreFigure figure) { m_out.push_back(std::move(figure)); }
    void add(const char* key, const Message& title, Spent spent, double wanted) {
        add({key, title, spent.seconds, "s", wanted, spent.cpu});
    }

    /// A run with its own layout and outcome; the forecast is a real one, so that documents have their length.
    Result<NewRun> runOf(std::int64_t i) {
        NewRun run;
        run.id = idOf(i);
        const std::int64_t tp = std::int64_t{1} << (i % 4), dp = std::int64_t{1} << (i / 4 % 4);
        run.config.name = "llama dp" + std::to_string(dp) + " tp" + std::to_string(tp) + " #" + std::to_string(i);
        run.config.parallel.dp = dp;
        run.config.parallel.tp = tp;
        run.config.train.globalBatchSize = 64;
        run.config.train.seed = i;
        if (m_clusters.empty())
            for (std::int64_t devices = 1; devices <= 64; devices *= 2) {
                const auto cluster = libraryCluster(kUsualDevice, devices);
                if (!cluster) return fail(cluster.error());
                m_clusters.push_back(*cluster);
            }
        run.cluster = m_clusters[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(dp * tp)))];
        std::string& forecast = m_forecasts[static_cast<std::size_t>(i % 16)];
        if (forecast.empty()) forecast = dumpJson(forecastJson(makePlan(run.config, *run.cluster)), false);
        run.forecastJson = forecast;
        if (i % 10 == 0) run.tags = {"sweep" + std::to_string(i / 1000)};
        run.life.status = i % 7 == 0 ? RunStatus::Failed : RunStatus::Completed;
        run.life.startedUnixMilliseconds = kCreated + i * 60000;
        run.life.endedUnixMilliseconds = kCreated + i * 60000 + 50000;
        RunFigures& measured = run.life.measured.emplace();
        measured.mfu = 0.2 + 0.4 * spread(i);
        measured.tokensPerSecondPerDevice = 4000 + 9000 * spread(i + 1);
        measured.memoryPeakBytes = 8e10 * spread(i + 2);
        measured.finalLoss = 2 + spread(i + 3);
        measured.bubbleFraction = 0.2 * spread(i + 4);
        return run;
    }

    MetricBatch pointsOf(std::int64_t i) {
        MetricBatch batch;
        batch.toOffset = 1;
        for (std::int64_t step = 1; step <= m_request.numPoints; ++step)
            batch.records.emplace_back(
                MetricStep{step,
                           step * 1000,
                           kCreated + step * 100,
                           {{"loss", 2 + 8 / std::sqrt(static_cast<double>(step)) + 0.1 * spread(i + step)}}});
        return batch;
    }

    Result<void> makeRuns() {
        auto store = open();
        if (!store) return fail(store.error());
        const auto there = store->count({});
        if (!there) return fail(there.error());
        for (std::int64_t first = there->total; first < m_request.numRuns; first += kBatch) {
            if (m_context.interrupts() > 0) return fail(kCancelled);
            progressLine(m_context, "making runs: %1 of %2"_text(first, m_request.numRuns));
            const auto made = store->together([&]() -> Result<void> {
                for (std::int64_t i = first; i < std::min(first + kBatch, m_request.numRuns); ++i) {
                    const auto run = runOf(i);
                    if (!run) return fail(run.error());
                    if (auto created = store->createRun(*run, kCreated + i * 60000); !created) return created;
                    if (auto stored = store->append(run->id, pointsOf(i)); !stored) return fail(stored.error());
                }
                return {};
            });
            if (!made) return made;
        }
        if (auto adopted = adoptFolders(*store, m_context.now()); !adopted) return fail(adopted.error());
        // Data of an older version may lack levels.
        for (Result<bool> more = true; *more;) {
            if (m_context.interrupts() > 0) return fail(kCancelled);
            more = store->fillLevels(kLevelChunks);
            if (!more) return fail(more.error());
        }
        return {};
    }

    /// The queries of the window for one state of its table.
    static Result<void> answer(RunStore& store, RunQuery query) {
        query.figure = "tokens_per_second_per_device";
        const auto found = store.listing(query);
        if (!found) return fail(found.error());
        if (!query.groupBy.empty())
            if (const auto groups = store.groups(query, kFigures); !groups) return fail(groups.error());
        const auto first = std::span(found->keys).first(std::min(found->keys.size(), kPageRows));
        return store.rows(first, tableColumns()).map([](const std::vector<RunRow>&) {});
    }

    Result<Spent> timeOf(RunStore& store, const RunQuery& query) {
        Result<void> answered;
        const Spent spent = spentOn([&] { answered = answer(store, query); });
        if (!answered) return fail(answered.error());
        return spent;
    }

    Result<void> lists() {
        progressLine(m_context, "lists"_text);
        forgetFile(m_home.index());
        std::optional<RunStore> store;
        Spent rows;
        Result<void> answered;
        for (const bool cold : {true, false}) {
            store.reset();
            rows = spentOn([&] {
                if (auto opened = open())
                    store = std::move(*opened);
                else
                    answered = fail(opened.error());
                if (answered) answered = answer(*store, {});
            });
            if (!answered) return answered;
            add(cold ? "first_rows_cold_seconds" : "first_rows_seconds",
                cold ? "First rows, nothing in the cache"_text : "First rows"_text, rows, 0.5);
        }
        // The window does this once the first rows are on the screen.
        std::vector<std::string> fields = tableColumns();
        fields.insert(fields.end(), {"id", "notes", "tag", "sweep"});
        Result<void> prepared;
        add("prepare_seconds", "Reading the other columns, once"_text,
            spentOn([&] { prepared = store->prepare(fields, {}); }), 0);
        if (!prepared) return prepared;
        std::vector<Spent> keys;
        for (const std::string word : {"dp4 tp2", "mfu>40", "tag:sweep1", "status:failed name~#1", "not tp:2"})
            for (std::size_t length = 1; length <= word.size(); ++length) {
                RunQuery query;
                query.filter = word.substr(0, length);
                if (!parseRunFilter(query.filter)) continue;  // then the window sends no query
                const auto seconds = timeOf(*store, query);
                if (!seconds) return fail(seconds.error());
                keys.push_back(*seconds);
            }
        add("keystroke_seconds", "Keystroke in the filter to rows and counts, 95 %"_text, p95(keys), 0.05);
        std::vector<Spent> sorts;
        for (const std::string field : {"mfu", "name", "final_loss", "status", "created", "world_size"}) {
            RunQuery query;
            query.sort = {{field, sorts.size() % 2 == 0}, {"mfu", true}};
            const auto seconds = timeOf(*store, query);
            if (!seconds) return fail(seconds.error());
            sorts.push_back(*seconds);
        }
        add("sort_seconds", "Sort, 95 %"_text, p95(sorts), 0.05);
        std::vector<Spent> groups;
        for (const std::string field : {"status", "tp", "world_size", "dp", "tag", "sweep"}) {
            RunQuery query;
            query.groupBy = field;
            const auto seconds = timeOf(*store, query);
            if (!seconds) return fail(seconds.error());
            groups.push_back(*seconds);
        }
        add("group_seconds", "Group, 95 %"_text, p95(groups), 0.05);
        RunQuery first;
        first.filter = "lr>1e-3 seed>5";
        const auto spent = timeOf(*store, first);
        if (!spent) return fail(spent.error());
        add("first_use_seconds", "First filter by fields that the table does not show"_text, *spent, 0);
        add({"list_memory_bytes", "Memory of the program with the list open"_text, residentBytes(), "bytes", 250e6});
        return {};
    }

    Result<void> curves() {
        progressLine(m_context, "curves"_text);
        const std::int64_t count = std::min(kCurves, m_request.numRuns);
        std::optional<RunStore> store;
        for (const bool cold : {true, false}) {
            if (cold) forgetFile(m_home.index());
            if (!store) {
                auto opened = open();
                if (!opened) return fail(opened.error());
                store = std::move(*opened);
            }
            Result<void> read;
            const Spent spent = spentOn([&] {
                for (std::int64_t i = 0; i < count && read; ++i)
                    if (auto curve = store->window(idOf(i * (m_request.numRuns / count)), "loss", 0,
                                                   m_request.numPoints, kAmongMany);
                        !curve)
                        read = fail(curve.error());
            });
            if (!read) return read;
            add(cold ? "curves_cold_seconds" : "curves_seconds",
                cold ? "%1 curves, nothing in the cache"_text(count) : "%1 curves"_text(count), spent,
                cold ? 0.4 : 0.1);
        }
        return {};
    }

    /// A program that starts with existing folders, one that checks again, and one that finds a new run.
    Result<void> adoption() {
        progressLine(m_context, "folders"_text);
        auto store = open();
        if (!store) return fail(store.error());
        Result<AdoptReport> report;
        const auto look = [&](const char* key, const Message& title, double wanted) -> Result<void> {
            add(key, title, spentOn([&] { report = adoptFolders(*store, m_context.now()); }), wanted);
            return report.map([](const AdoptReport&) {});
        };
        if (auto looked = look("look_first_seconds", "First look at the folders"_text, 0); !looked) return looked;
        if (auto looked = look("look_seconds", "Look at folders where nothing is new"_text, 0.001); !looked)
            return looked;
        auto other = open();
        if (!other) return fail(other.error());
        auto run = runOf(m_request.numRuns + 1);
        if (!run) return fail(run.error());
        run->id = RunId("new-" + std::to_string(m_context.now()));
        if (auto made = other->createRun(*run, m_context.now()); !made) return made;
        if (auto looked = look("look_new_seconds", "Look at folders where one is new"_text, 0.05); !looked)
            return looked;
        std::error_code code;
        std::filesystem::remove_all(run->id.value.empty() ? m_request.folder : m_home.runs() / run->id.value, code);
        return {};
    }

    static std::string lineOf(std::int64_t step) {
        MetricStep line{step, step * 1000, kCreated + step * 1000, {}};
        for (const MetricName& metric : kStepMetrics)
            line.values.emplace_back(metric.name, spread(step + static_cast<std::int64_t>(line.values.size())));
        return toLine(line);
    }

    /// Streams that grow by a line a second with the list and four charts open: the share of one core.
    Result<void> live() {
        progressLine(m_context, "live runs"_text);
        auto store = open();
        if (!store) return fail(store.error());
        const std::string prefix = "live-" + std::to_string(m_context.now()) + "-";
        std::vector<RunId> ids;
        for (std::int64_t i = 0; i < std::min(kLiveRuns, m_request.numRuns); ++i) {
            auto run = runOf(i);
            if (!run) return fail(run.error());
            run->id = RunId(prefix + std::to_string(i));
            run->life = {};
            run->life.status = RunStatus::Running;
            run->stream = lineOf(1);
            if (auto made = store->createRun(*run, m_context.now()); !made) return made;
            ids.push_back(run->id);
        }
        const auto listed = store->listing({});
        if (!listed) return fail(listed.error());
        const auto shown = std::span(listed->keys).first(std::min(listed->keys.size(), kPageRows));
        MetricReader reader;
        constexpr int kSeconds = 10;
        double used = 0;
        for (int second = 0; second < kSeconds; ++second) {
            for (const RunId& id : ids) {
                std::ofstream file(m_home.run(id)->metrics(), std::ios::app | std::ios::binary);
                file << lineOf(2 + second);
            }
            const double begin = cpuSeconds();
            for (const RunId& id : ids)
                if (auto read = ingestStream(*store, reader, id); !read) return fail(read.error());
            if (auto rows = store->rows(shown, tableColumns()); !rows) return fail(rows.error());
            for (const char* metric : {"loss", "grad_norm", "lr", "step_seconds"})
                if (auto curve = store->window(ids.front(), metric, 0, kSeconds, kChartPoints); !curve)
                    return fail(curve.error());
            used += cpuSeconds() - begin;
        }
        add({"live_core_share",
             "%1 live runs, a line of %2 metrics a second each: share of a core"_text(ids.size(), kStepMetrics.size()),
             used / kSeconds, "fraction", 0.05});
        std::error_code code;
        for (const RunId& id : ids) std::filesystem::remove_all(m_home.runs() / id.value, code);
        return {};
    }

    /// Streams as a trainer writes them, into a separate index, whose size is that of their points.
    Result<void> ingest() {
        progressLine(m_context, "ingest"_text);
        const Home home{m_request.folder / "ingest"};
        std::error_code code;
        std::filesystem::remove_all(home.path, code);
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        if (!store) return fail(store.error());
        std::string stream;
        for (std::int64_t step = 1; step <= kIngestLines; ++step) stream += lineOf(step);
        constexpr int kStreams = 10;
        for (int i = 0; i < kStreams; ++i) {
            NewRun run;
            run.id = idOf(i);
            run.stream = stream;
            if (auto made = store->createRun(run, kCreated); !made) return made;
        }
        MetricReader reader;
        Result<IngestResult> read;
        const Spent spent = spentOn([&] {
            for (int i = 0; i < kStreams && read; ++i) {
                do read = ingestStream(*store, reader, idOf(i));
                while (read && read->more);
            }
        });
        if (!read) return fail(read.error());
        const double points =
            kStreams * kIngestLines * static_cast<double>(kStepMetrics.size() + 2);  // plus tokens and time
        add({"ingest_points_per_second", "Points stored a second"_text, points / spent.seconds, "points/s", 2e6,
             spent.cpu});
        const auto sizes = store->pointSizes();
        if (!sizes) return fail(sizes.error());
        add({"bytes_per_point", "Bytes a point"_text, static_cast<double>(sizes->points) / points, "bytes", 20});
        add({"level_bytes_per_point", "Bytes a point of coarser levels"_text,
             static_cast<double>(sizes->levels) / points, "bytes", 8});
        return {};
    }

    /// One row per point, a million of them; times are scaled to the number of points of the store's figure.
    Result<void> naive() {
        progressLine(m_context, "one row per point"_text);
        const std::filesystem::path path = m_request.folder / "one_row_per_point.sqlite";
        std::error_code code;
        for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix, code);
        auto table = PointTable::create(path);
        if (!table) return fail(table.error());
        Result<void> filled;
        const double seconds = spentOn([&] { filled = table->fill(kNaiveRuns, kNaivePoints); }).seconds;
        if (!filled) return filled;
        Result<std::int64_t> read = 0;
        const double curves = spentOn([&] {
                                  for (std::int64_t run = 1; run <= kNaiveRuns && read; ++run)
                                      read = table->curve(run, kNaivePoints, static_cast<std::int64_t>(kChartPoints));
                              }).seconds;
        const auto bytes = table->bytes();
        if (!read || !bytes) return fail(read ? bytes.error() : read.error());
        const double points = kNaiveRuns * kNaivePoints;
        const double asked = static_cast<double>(std::min(kCurves, m_request.numRuns) * m_request.numPoints);
        for (StoreFigure& figure : m_out) {
            if (figure.key == "ingest_points_per_second") figure.naive = points / seconds;
            if (figure.key == "bytes_per_point") figure.naive = static_cast<double>(*bytes) / points;
            if (figure.key == "curves_seconds") figure.naive = curves * asked / points;
        }
        return {};
    }

    CliContext& m_context;
    const StoreBenchRequest& m_request;
    Home m_home;
    std::vector<ClusterSpec> m_clusters;
    std::string m_forecasts[16];
    std::vector<StoreFigure> m_out;
};

}  // namespace

Result<std::vector<StoreFigure>> benchStore(CliContext& context, const StoreBenchRequest& request) {
    return StoreBench(context, request).measure();
}

}  // namespace slipway
