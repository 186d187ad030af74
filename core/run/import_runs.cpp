#include "core/run/import_runs.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/metrics/summarise.h"
#include "core/planner/plan.h"
#include "core/planner/time/compute.h"
#include "core/planner/validate/measured_run.h"
#include "core/run/run_files.h"
#include "core/spec/metric_line.h"
#include "core/store/ingest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace slipway {
namespace {

std::string nameOf(const std::string& model, const RunConfig& c) {
    const ParallelLayout& p = c.parallel;
    std::string name = model;
    for (const auto& [axis, degree] : {std::pair{"dp", p.dp}, {"tp", p.tp}, {"pp", p.pp}, {"cp", p.cp}, {"ep", p.ep}})
        if (degree > 1 || axis[0] == 'd') name += std::string("-") + axis + std::to_string(degree);
    return name + "-z" + std::to_string(p.zeroStage) + "-mb" + std::to_string(c.train.microBatchSize);
}

Result<ImportedFile> readMeasured(std::string_view bytes, const std::string& file) {
    auto table = readMeasuredRuns(bytes, file);
    if (!table) return fail(table.error());
    ImportedFile out;
    out.log.format = kMeasuredRunsFormat;
    out.log.lines = static_cast<std::int64_t>(table->numRows) + 1;
    for (const auto& [reason, count] : table->refused) out.log.malformed[reason] = static_cast<std::int64_t>(count);
    for (MeasuredRun& measured : table->runs) {
        ImportedRun run;
        run.format = kMeasuredRunsFormat;
        run.file = file;
        run.log.config = std::move(measured.config);
        run.log.config.train.numSteps = 1;
        run.log.configKnown = true;
        run.log.name = nameOf(measured.model, run.log.config);
        run.log.worldSize = run.log.config.parallel.worldSize();
        MetricStep step{1, run.log.config.tokensPerStep(), 0, {}};
        if (measured.stepSeconds) step.values.emplace_back("step_seconds", *measured.stepSeconds);
        if (measured.memoryBytes) step.values.emplace_back("memory_peak_bytes", *measured.memoryBytes);
        if (!step.values.empty()) run.log.steps.push_back(std::move(step));
        run.log.numSteps = static_cast<std::int64_t>(run.log.steps.size());
        run.cluster = std::move(measured.cluster);
        if (!measured.fits.value_or(true))
            run.failure = "The source says that this layout ran out of memory or crashed.";
        out.log.used += 1;
        out.runs.push_back(std::move(run));
    }
    if (out.runs.empty()) {
        std::string why;
        for (const auto& [reason, count] : table->refused)
            why += (why.empty() ? ": " : ", ") + std::to_string(count) + " x " + reason;
        return fail("bad_log", "No row of this table can be used" + why + ".", file);
    }
    return out;
}

ImportedFile importedFrom(interop::Log log, const std::string& file, bool isConfigGiven) {
    ImportedFile out;
    for (interop::LogRun& run : log.runs) {
        run.configKnown = run.configKnown || isConfigGiven;
        out.runs.push_back({std::move(run), log.format, file, {}, {}, false});
    }
    log.runs.clear();
    out.log = std::move(log);
    return out;
}

const Error kCancelled{"cancelled", "The import was stopped; nothing of this run was kept.", {}};

/// Feeds a file in pieces. @param progress may stop it ("cancelled")
Result<void> feedFile(const std::filesystem::path& file, const ImportProgress& progress,
                      const std::function<Result<void>(std::string_view)>& feed) {
    constexpr std::size_t kPiece = 1U << 20;
    std::error_code ignored;
    const auto size = static_cast<double>(std::filesystem::file_size(file, ignored));
    for (std::uint64_t offset = 0;;) {
        if (progress && !progress(size > 0 ? std::min(1.0, static_cast<double>(offset) / size) : 0))
            return fail(kCancelled);
        const auto piece = readFileFrom(file, offset, kPiece);
        if (!piece) return fail(piece.error());
        if (piece->empty()) return {};
        if (auto fed = feed(*piece); !fed) return fed;
        offset += piece->size();
    }
}

/// The metric stream of an imported run, handed on in pieces. Where the steps of a log go back, an attempt begins: the
/// log's run was restarted from a checkpoint.
class StreamText {
public:
    using Write = std::function<Result<void>(std::string_view)>;

    StreamText(const ImportedRun& run, const RunId& id, std::int64_t begin, Write write)
        : m_run(run), m_id(id), m_begin(begin), m_write(std::move(write)) {
        beginAttempt(0);
        m_text += toLine(MetricEvent{0, kImportedTag, run.format + ": " + run.file, begin});
    }
    void step(const MetricStep& step) {
        if (m_last && step.step <= *m_last) beginAttempt(step.step - 1);
        m_last = step.step;
        m_text += toLine(step);
    }
    Result<void> flush() {
        auto written = m_write(m_text);
        m_text.clear();
        return written;
    }
    Result<void> end(std::int64_t time) {
        const bool isComplete = m_run.failure.empty();
        m_text += toLine(MetricEnd{isComplete ? "completed" : "failed", lastStep(), isComplete ? 0 : 1, time});
        return flush();
    }
    [[nodiscard]] std::int64_t lastStep() const { return m_last.value_or(0); }
    [[nodiscard]] std::int64_t attempts() const { return m_attempts; }

private:
    void beginAttempt(std::int64_t resumeStep) {
        const std::int64_t world = m_run.log.worldSize.value_or(m_run.log.config.parallel.worldSize());
        m_text += toLine(MetricHeader{1, m_id.value, ++m_attempts, resumeStep, world, m_begin});
    }

    const ImportedRun& m_run;
    const RunId& m_id;
    std::int64_t m_begin;
    Write m_write;
    std::string m_text;
    std::optional<std::int64_t> m_last;
    std::int64_t m_attempts = 0;
};

/// Reads the log once more, its steps into `text`.
Result<void> streamSteps(const ImportedRun& run, StreamText& text, const ImportProgress& progress) {
    const std::optional<RunConfig> config = run.log.configKnown ? std::optional(run.log.config) : std::nullopt;
    interop::ConsoleLog log(run.format, run.log.name, config, run.log.worldSize,
                            [&](const MetricStep& step) { text.step(step); });
    auto read = feedFile(run.file, progress, [&](std::string_view piece) {
        log.feed(piece);
        return text.flush();
    });
    if (!read) return read;
    const auto finished = log.finish();
    return finished ? text.flush() : Result<void>(fail(finished.error()));
}

struct WrittenStream {
    std::int64_t lastStep = 0;
    std::int64_t attempts = 1;
};

/// Writes metrics.jsonl, the first file of the folder: without a config a folder is not taken for a run.
Result<WrittenStream> writeStream(const ImportedRun& run, const RunId& id, const RunDir& dir, std::int64_t begin,
                                  std::int64_t end, const ImportProgress& progress) {
    std::string whole;
    AppendFile file;
    StreamText text(run, id, begin, [&](std::string_view piece) -> Result<void> {
        if (run.isStreamed) return file.append(piece);
        whole += piece;
        return {};
    });
    if (run.isStreamed) {
        auto opened = AppendFile::open(dir.metrics());
        if (!opened) return fail(opened.error());
        file = std::move(*opened);
        if (auto streamed = streamSteps(run, text, progress); !streamed) return fail(streamed.error());
    }
    for (const MetricStep& step : run.log.steps) text.step(step);
    if (auto ended = text.end(end); !ended) return fail(ended.error());
    if (auto written = run.isStreamed ? file.sync() : writeFileAtomically(dir.metrics(), whole); !written)
        return fail(written.error());
    return WrittenStream{text.lastStep(), text.attempts()};
}

Result<RunFigures> figuresOf(RunStore& store, const RunId& id, const ImportedRun& run, const RunConfig& config) {
    DeriveBasis basis;
    basis.numDevices = run.log.worldSize.value_or(config.parallel.worldSize());
    if (run.cluster) {
        basis.flopsPerToken = modelFlopsPerToken(config.model, config.train.seqLen);
        basis.peakFlops = runPeakFlops(config, *run.cluster);
        basis.mfuRule = std::string(wordOf(kDefaultFlopsRule));
    }
    // One series at a time: a log may have millions of steps.
    MetricSeries series;
    std::optional<Error> unreadable;
    const auto read = [&](std::string_view name) -> const MetricSeries* {
        series = {};
        auto one = store.series(id, std::string(name));
        if (!one)
            unreadable = one.error();
        else
            series = std::move(*one);
        return &series;
    };
    const std::size_t numSteps = read("tokens")->size();
    RunFigures measured = summarise(read, numSteps, basis);
    if (unreadable) return fail(*unreadable);
    if (!run.log.configKnown) {
        // Without the run's shape the tokens of a step are not known, and nothing that follows from them.
        measured.tokensPerSecond.reset();
        measured.tokensPerSecondPerDevice.reset();
        measured.totalTokens.reset();
    }
    return measured;
}

/// Brings the folder's stream into the index and gives the run its figures.
Result<void> indexRun(RunStore& store, const NewRun& made, const ImportedRun& run, const WrittenStream& written,
                      std::int64_t begin, std::int64_t end, const ImportProgress& progress) {
    MetricReader reader;
    for (bool more = true; more;) {
        if (progress && !progress(1)) return fail(kCancelled);
        const auto ingested = ingestStream(store, reader, made.id);
        if (!ingested) return fail(ingested.error());
        more = ingested->more;
    }
    auto measured = figuresOf(store, made.id, run, made.config);
    if (!measured) return fail(measured.error());
    RunChange change;
    change.status = run.failure.empty() ? RunStatus::Completed : RunStatus::Failed;
    change.attempts = written.attempts;
    change.startedUnixMilliseconds = begin;
    change.endedUnixMilliseconds = end;
    change.reason =
        (run.failure.empty() ? "" : run.failure + " ") + "Imported from " + run.file + " (" + run.format + ").";
    change.measured = std::move(*measured);
    return store.updateRun(made.id, change);
}

}  // namespace

std::string importFormats() {
    return interop::logFormats() + ", " + kMeasuredRunsFormat;
}

Result<ImportedFile> readImport(std::string_view bytes, const std::string& file, const std::string& format,
                                const std::optional<RunConfig>& config) {
    if (format == kMeasuredRunsFormat) return readMeasured(bytes, file);
    const std::string guessed = format.empty() ? interop::guessLogFormat(bytes) : format;
    if (guessed.empty()) {
        auto measured = readMeasured(bytes, file);
        if (measured || (measured.error().code != "unknown_columns" && measured.error().code != "csv_syntax"))
            return measured;
        return fail("bad_log", "This looks like no log that is known here; formats: " + importFormats() + ".", file);
    }
    auto log = interop::readLog(bytes, std::filesystem::path(file).filename().string(), guessed, config);
    if (!log) {
        if (log.error().code == "usage")
            return fail("usage", "There is no log format \"" + guessed + "\"; choose one of " + importFormats() + ".");
        return fail(log.error());
    }
    return importedFrom(std::move(*log), file, config.has_value());
}

Result<ImportedFile> readImportFile(const std::filesystem::path& file, const std::string& format,
                                    const std::optional<RunConfig>& config, const ImportProgress& progress) {
    constexpr std::size_t kHead = 16U << 20;  // in which a log shows its format
    std::error_code ignored;
    std::string chosen = format;
    if (std::filesystem::is_regular_file(file, ignored)) {  // a pipe cannot be read twice
        if (chosen.empty())
            if (const auto head = readFileFrom(file, 0, kHead)) chosen = interop::guessLogFormat(*head);
        if (interop::ConsoleLog::reads(chosen)) {
            interop::ConsoleLog log(chosen, file.filename().string(), config, {}, [](const MetricStep&) {});
            auto fed = feedFile(file, progress, [&](std::string_view piece) -> Result<void> {
                log.feed(piece);
                return {};
            });
            if (!fed) return fail(fed.error());
            auto read = log.finish();
            if (!read) return fail(read.error());
            ImportedFile out = importedFrom(std::move(*read), file.string(), config.has_value());
            for (ImportedRun& run : out.runs) run.isStreamed = true;
            return out;
        }
    }
    const auto bytes = readFile(file);
    if (!bytes) return fail(bytes.error());
    return readImport(*bytes, file.string(), format, config);
}

Result<RunId> importRun(RunStore& store, const Home& home, const ImportedRun& run, std::int64_t now,
                        std::uint32_t entropy, const ImportProgress& progress) {
    const std::vector<MetricStep>& steps = run.log.steps;
    const auto timeOf = [](const MetricStep& step, std::int64_t otherwise) {
        return step.timeUnixMilliseconds == 0 ? otherwise : step.timeUnixMilliseconds;
    };
    const std::int64_t begin = steps.empty() ? now : timeOf(steps.front(), now);
    const std::int64_t end = steps.empty() ? begin : timeOf(steps.back(), begin);
    NewRun made;
    made.id = RunId(makeId(now, entropy));
    made.config = run.log.config;
    made.config.name = made.name = run.log.name;
    made.tags = {kImportedTag, run.format};
    const auto dir = home.run(made.id);
    if (!dir) return fail(dir.error());
    if (auto folders = makeFolders(dir->path); !folders) return fail(folders.error());
    const auto give = [&]() -> Result<void> {
        const auto written = writeStream(run, made.id, *dir, begin, end, progress);
        if (!written) return fail(written.error());
        if (run.log.numSteps > 0) made.config.train.numSteps = std::max<std::int64_t>(1, written->lastStep);
        if (run.cluster) {
            made.cluster = run.cluster;
            made.forecastJson = dumpJson(forecastJson(makePlan(made.config, *run.cluster)), false);
            if (auto files = writeRunFiles(*dir, made.config, *run.cluster, made.forecastJson); !files) return files;
        } else if (auto config = writeJsonFile(dir->config(), toJson(made.config)); !config) {
            return config;
        }
        if (auto created = store.createRun(made, now); !created) return fail(created.error());
        return indexRun(store, made, run, *written, begin, end, progress);
    };
    auto given = give();
    if (given) return made.id;
    if (given.error().code == kCancelled.code) {
        std::error_code ignored;
        std::filesystem::remove_all(dir->path, ignored);
    }
    return fail(given.error());
}

}  // namespace slipway
