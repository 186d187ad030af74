#include "core/run/import_runs.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
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
        return fail("bad_log", "This table has no usable row%1."_text(why), file);
    }
    return out;
}

std::string streamOf(const ImportedRun& run, const RunId& id, std::int64_t begin, std::int64_t end) {
    const std::int64_t world = run.log.worldSize.value_or(run.log.config.parallel.worldSize());
    std::string text = toLine(MetricHeader{1, id.value, 1, 0, world, begin});
    text += toLine(MetricEvent{0, kImportedTag, run.format + ": " + run.file, begin});
    for (const MetricStep& step : run.log.steps) text += toLine(step);
    const std::int64_t last = run.log.steps.empty() ? 0 : run.log.steps.back().step;
    return text +
           toLine(MetricEnd{run.failure.empty() ? "completed" : "failed", last, run.failure.empty() ? 0 : 1, end});
}

Result<RunFigures> figuresOf(RunStore& store, const RunId& id, const ImportedRun& run, const RunConfig& config) {
    const auto series = store.allSeries(id);
    if (!series) return fail(series.error());
    DeriveBasis basis;
    basis.numDevices = run.log.worldSize.value_or(config.parallel.worldSize());
    if (run.cluster) {
        basis.flopsPerToken = modelFlopsPerToken(config.model, config.train.seqLen);
        basis.peakFlops = runPeakFlops(config, *run.cluster);
        basis.mfuRule = std::string(wordOf(kDefaultFlopsRule));
    }
    RunFigures measured = summarise(*series, basis);
    if (!run.log.configKnown) {
        // Without the run's shape the tokens of a step are not known, and nothing that follows from them.
        measured.tokensPerSecond.reset();
        measured.tokensPerSecondPerDevice.reset();
        measured.totalTokens.reset();
    }
    return measured;
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
            return fail("usage", "There is no log format \"%1\"; choose one of %2."_text(guessed, importFormats()));
        return fail(log.error());
    }
    ImportedFile out;
    for (interop::LogRun& run : log->runs) {
        run.configKnown = run.configKnown || config.has_value();
        out.runs.push_back({std::move(run), log->format, file, {}, {}});
    }
    log->runs.clear();
    out.log = std::move(*log);
    return out;
}

Result<RunId> importRun(RunStore& store, const Home&, const ImportedRun& run, std::int64_t now, std::uint32_t entropy) {
    const std::vector<MetricStep>& steps = run.log.steps;
    const auto timeOf = [](const MetricStep& step, std::int64_t otherwise) {
        return step.timeUnixMilliseconds == 0 ? otherwise : step.timeUnixMilliseconds;
    };
    const std::int64_t begin = steps.empty() ? now : timeOf(steps.front(), now);
    const std::int64_t end = steps.empty() ? begin : timeOf(steps.back(), begin);
    NewRun made;
    made.id = RunId(makeId(now, entropy));
    made.config = run.log.config;
    made.config.name = made.name = repairedName(run.log.name);
    if (!steps.empty()) made.config.train.numSteps = std::max<std::int64_t>(1, steps.back().step);
    made.tags = {kImportedTag, run.format};
    if (run.cluster) {
        made.cluster = run.cluster;
        made.forecastJson = dumpJson(forecastJson(makePlan(made.config, *run.cluster)), false);
    }
    made.stream = streamOf(run, made.id, begin, end);
    made.life.status = run.failure.empty() ? RunStatus::Completed : RunStatus::Failed;
    made.life.attempts = 1;
    made.life.startedUnixMilliseconds = begin;
    made.life.endedUnixMilliseconds = end;
    made.life.reason =
        (run.failure.empty() ? "" : run.failure + " ") + "Imported from " + run.file + " (" + run.format + ").";
    if (auto created = store.createRun(made, now); !created) return fail(created.error());
    MetricReader reader;
    for (bool more = true; more;) {
        const auto ingested = ingestStream(store, reader, made.id);
        if (!ingested) return fail(ingested.error());
        more = ingested->more;
    }
    auto measured = figuresOf(store, made.id, run, made.config);
    if (!measured) return fail(measured.error());
    RunChange change;
    change.measured = std::move(*measured);
    if (auto updated = store.updateRun(made.id, change); !updated) return fail(updated.error());
    return made.id;
}

}  // namespace slipway
