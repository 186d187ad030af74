#include "core/run/import_runs.h"

#include "core/base/error_of.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/metrics/summarise.h"
#include "core/planner/evidence/measured_run.h"
#include "core/planner/plan.h"
#include "core/planner/time/compute.h"
#include "core/run/run_files.h"
#include "core/spec/metric_line.h"
#include "core/spec/plausible.h"
#include "core/spec/stored_config.h"
#include "core/store/ingest.h"
#include "core/store/reindex.h"

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
    out.log.malformed = table->refused;
    for (MeasuredRun& measured : table->runs) {
        ImportedRun run;
        run.format = kMeasuredRunsFormat;
        run.file = file;
        run.log.config = std::move(measured.config);
        run.log.config.train.numSteps = 1;
        run.log.configKnown = true;
        run.log.given = {"model",
                         "parallel",
                         "train.seq_len",
                         "train.global_batch_size",
                         "train.micro_batch_size",
                         "train.precision",
                         "train.grad_dtype",
                         "train.recompute",
                         "optimizer.kind"};
        run.log.name = nameOf(measured.model, run.log.config);
        run.log.worldSize = run.log.config.parallel.worldSize();
        MetricStep step{1, run.log.config.tokensPerStep(), 0, {}};
        if (measured.stepSeconds) step.values.emplace_back("step_seconds", *measured.stepSeconds);
        if (const std::string peak = "memory_peak_bytes"; measured.memoryBytes) {
            const double capacity = measured.cluster.device.memoryBytes;
            if (const SourceText why = impossibleValue(peak, *measured.memoryBytes, capacity); why.empty())
                step.values.emplace_back(peak, *measured.memoryBytes);
            else
                countReason(out.log.malformed, why(peak));
        }
        if (!step.values.empty()) run.log.steps.push_back(std::move(step));
        run.cluster = std::move(measured.cluster);
        if (!measured.fits.value_or(true))
            run.failure = "Out of memory or a crash, according to the source."_text.english();
        out.log.used += 1;
        out.runs.push_back(std::move(run));
    }
    if (out.runs.empty()) {
        std::vector<Message> why;
        for (const auto& [_, met] : table->refused) why.push_back("%1 x %2"_text(met.count, met.reason));
        return fail("bad_log",
                    why.empty() ? Message("This table has no rows."_text)
                                : "This table has no usable row: %1."_text(listOf(why)),
                    file);
    }
    return out;
}

const Error kCancelled = errorOf("cancelled", "The import was stopped; nothing of this run was kept."_text);

/// Feeds a file in pieces.
Result<void> feedFile(const std::filesystem::path& file, const KeepGoing& keepGoing,
                      const std::function<Result<void>(std::string_view)>& feed) {
    for (std::uint64_t offset = 0;;) {
        if (keepGoing && !keepGoing()) return fail(kCancelled);
        const auto piece = readFileFrom(file, offset, 1U << 20);
        if (!piece) return fail(piece.error());
        if (piece->empty()) return {};
        if (auto fed = feed(*piece); !fed) return fed;
        offset += piece->size();
    }
}

bool isKnown(const ImportedRun& run, const std::string& field) {
    if (!run.log.given) return run.log.configKnown;
    return partialConfig(run.log.config, *run.log.given).knows(field);
}

/// 0: unknown in the source.
std::int64_t ranksOf(const ImportedRun& run) {
    return run.log.worldSize.value_or(isKnown(run, "parallel.dp") ? run.log.config.parallel.worldSize() : 0);
}

/// The metric stream of an imported run. A step back in the log starts a new attempt: the run was restarted from a
/// checkpoint.
class StreamText {
public:
    StreamText(const ImportedRun& run, const RunId& id, std::int64_t begin) : m_run(run), m_id(id), m_begin(begin) {
        beginAttempt(0);
        m_text += toLine(MetricEvent{0, kImportedTag, run.format + ": " + run.file, begin});
    }
    void step(const MetricStep& step) {
        if (m_last && step.step <= *m_last) beginAttempt(std::max<std::int64_t>(0, step.step - 1));
        m_last = step.step;
        m_text += toLine(step);
    }
    void end(std::int64_t time) {
        const bool isComplete = m_run.failure.empty();
        m_text += toLine(MetricEnd{isComplete ? "completed" : "failed", lastStep(), isComplete ? 0 : 1, time});
    }
    /// The text since the last call.
    std::string take() { return std::exchange(m_text, {}); }
    [[nodiscard]] std::int64_t lastStep() const { return m_last.value_or(0); }
    [[nodiscard]] std::int64_t attempts() const { return m_attempts; }

private:
    void beginAttempt(std::int64_t resumeStep) {
        m_text += toLine(MetricHeader{1, m_id.value, ++m_attempts, resumeStep, ranksOf(m_run), m_begin});
    }

    const ImportedRun& m_run;
    const RunId& m_id;
    std::int64_t m_begin;
    std::string m_text;
    std::optional<std::int64_t> m_last;
    std::int64_t m_attempts = 0;
};

/// Rereads a streamed run's log, writing its steps into the stream of the future run.
Result<void> stageSteps(RunStore& store, const ImportedRun& run, const RunId& id, StreamText& text, std::int64_t end,
                        const KeepGoing& keepGoing) {
    const std::optional<RunConfig> config = run.log.configKnown ? std::optional(run.log.config) : std::nullopt;
    return store.stageStream(id, [&](AppendFile& file) -> Result<void> {
        interop::LineLog log(run.format, run.log.name, config, run.log.worldSize,
                             [&](const MetricStep& step) { text.step(step); });
        auto read = feedFile(run.file, keepGoing, [&](std::string_view piece) {
            log.feed(piece);
            return file.append(text.take());
        });
        if (!read) return read;
        if (const auto finished = log.finish(); !finished) return fail(finished.error());
        text.end(end);
        return file.append(text.take());
    });
}

Result<RunFigures> figuresOf(RunStore& store, const RunId& id, const ImportedRun& run, const RunConfig& config) {
    DeriveBasis basis;
    basis.numDevices = ranksOf(run);
    if (run.cluster) {
        basis.flopsPerToken = modelFlopsPerToken(config.model, config.train.seqLen);
        basis.peakFlops = runPeakFlops(config, *run.cluster);
        basis.mfuRule = std::string(wordOf(kDefaultFlopsRule));
        basis.deviceMemoryBytes = run.cluster->device.memoryBytes;
    }
    const auto recorded = store.measure(id, basis);
    if (!recorded) return fail(recorded.error());
    RunFigures measured = recorded->value_or(summarise({}, basis));
    if (!run.log.configKnown) {
        // Without the run's shape the tokens per step, and derived figures, are unknown.
        measured.tokensPerSecond.reset();
        measured.tokensPerSecondPerDevice.reset();
        measured.totalTokens.reset();
    }
    return measured;
}

/// The row, its points and its figures.
Result<void> indexRun(RunStore& store, const NewRun& made, const ImportedRun& run, std::int64_t now) {
    if (auto created = store.createRun(made, now); !created) return created;
    if (run.isStreamed)
        if (auto read = adoptRun(store, made.id, now); !read) return read;
    MetricReader reader;
    for (bool more = !run.isStreamed; more;) {
        const auto ingested = ingestStream(store, reader, made.id);
        if (!ingested) return fail(ingested.error());
        more = ingested->more;
    }
    auto measured = figuresOf(store, made.id, run, made.config);
    if (!measured) return fail(measured.error());
    RunChange change;
    change.measured = std::move(*measured);
    return store.updateRun(made.id, change);
}

ImportedFile importedFrom(interop::Log log, const std::string& file, bool isConfigGiven) {
    ImportedFile out;
    for (interop::LogRun& run : log.runs) {
        run.configKnown = run.configKnown || isConfigGiven;
        out.runs.push_back({std::move(run), log.format, file, {}, {}});
    }
    log.runs.clear();
    out.log = std::move(log);
    return out;
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
        return fail("bad_log", "Unknown log format; supported: %1."_text(importFormats()), file);
    }
    auto log = interop::readLog(bytes, std::filesystem::path(file).filename().string(), guessed, config);
    if (!log) {
        if (log.error().code == "usage")
            return fail("usage", "Unknown log format \"%1\"; choose one of %2."_text(guessed, importFormats()));
        return fail(log.error());
    }
    return importedFrom(std::move(*log), file, config.has_value());
}

Result<ImportedFile> readImportFile(const std::filesystem::path& file, const std::string& format,
                                    const std::optional<RunConfig>& config, const KeepGoing& keepGoing,
                                    const std::vector<std::string>& columns) {
    std::error_code ignored;
    // A pipe cannot be read twice.
    if (std::filesystem::is_regular_file(file, ignored) && std::filesystem::file_size(file, ignored) > kStreamedBytes &&
        columns.empty()) {
        const auto head = readFileFrom(file, 0, kStreamedBytes);
        if (!head) return fail(head.error());
        const std::string chosen = format.empty() ? interop::guessLogFormat(*head) : format;
        if (interop::LineLog::reads(chosen)) {
            interop::LineLog log(chosen, file.filename().string(), config, {}, [](const MetricStep&) {});
            auto fed = feedFile(file, keepGoing, [&](std::string_view piece) -> Result<void> {
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
    if (!columns.empty()) {
        const auto renamed = interop::renamedColumns(*bytes, columns);
        if (!renamed) return fail(renamed.error());
        auto read = readImport(*renamed, file.string(), format.empty() ? "csv" : format, config);
        if (read)
            for (ImportedRun& run : read->runs) run.columns = columns;
        return read;
    }
    return readImport(*bytes, file.string(), format, config);
}

Result<RunId> importRun(RunStore& store, const Home&, const ImportedRun& run, std::int64_t now, std::uint32_t entropy,
                        const KeepGoing& keepGoing) {
    const std::vector<MetricStep>& steps = run.log.steps;
    const auto timeOf = [](const MetricStep& step, std::int64_t otherwise) {
        return step.timeUnixMilliseconds == 0 ? otherwise : step.timeUnixMilliseconds;
    };
    const std::int64_t begin = steps.empty() ? now : timeOf(steps.front(), now);
    const std::int64_t end = steps.empty() ? begin : timeOf(steps.back(), begin);
    NewRun made;
    made.id = RunId(makeId(now, entropy));
    StreamText text(run, made.id, begin);
    if (run.isStreamed) {
        if (auto staged = stageSteps(store, run, made.id, text, end, keepGoing); !staged) return fail(staged.error());
        made.isStreamStaged = true;
    } else {
        for (const MetricStep& step : steps) text.step(step);
        text.end(end);
        made.stream = text.take();
    }
    made.config = run.log.config;
    made.config.name = made.name = repairedName(run.log.name);
    if (!run.log.configKnown || run.log.given) made.given = run.log.given.value_or(std::vector<std::string>());
    std::int64_t& numSteps = made.config.train.numSteps;
    numSteps = std::max({std::int64_t{1}, isKnown(run, "train.num_steps") ? numSteps : 0, text.lastStep()});
    made.tags = {kImportedTag, run.format};
    if (run.cluster) {
        made.cluster = run.cluster;
        made.forecastJson = dumpJson(forecastJson(makePlan(made.config, *run.cluster)), false);
    }
    made.life.status = run.failure.empty() ? RunStatus::Completed : RunStatus::Failed;
    made.life.attempts = text.attempts();
    made.life.startedUnixMilliseconds = begin;
    made.life.endedUnixMilliseconds = end;
    std::string format = run.format;
    for (const std::string& column : run.columns) format += ", " + column;
    made.life.reason =
        (run.failure.empty() ? "" : run.failure + " ") + textOf("Imported from %1 (%2)."_text(run.file, format));
    if (auto indexed = indexRun(store, made, run, now); !indexed) return fail(indexed.error());
    return made.id;
}

}  // namespace slipway
