// import: console logs and result files of other trainers become runs.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/interop/formats.h"
#include "core/interop/log_reader.h"
#include "core/metrics/summarise.h"
#include "core/spec/metric_line.h"
#include "core/store/ingest.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace {

/// Marks runs that no launcher of ours started: `slipway runs tag:imported`.
constexpr const char* kImported = "imported";

std::string streamOf(const interop::LogRun& run, const interop::Log& log, const std::string& file, const RunId& id,
                     std::int64_t now) {
    const std::int64_t begin =
        run.steps.empty() || run.steps.front().timeUnixMilliseconds == 0 ? now : run.steps.front().timeUnixMilliseconds;
    const std::int64_t world = run.worldSize.value_or(run.config.parallel.worldSize());
    std::string text = toLine(MetricHeader{1, id.value, 1, 0, world, begin});
    text += toLine(MetricEvent{0, kImported, log.format + ": " + file, begin});
    for (const MetricStep& step : run.steps) text += toLine(step);
    const std::int64_t last = run.steps.empty() ? 0 : run.steps.back().step;
    const std::int64_t end =
        run.steps.empty() || run.steps.back().timeUnixMilliseconds == 0 ? begin : run.steps.back().timeUnixMilliseconds;
    return text + toLine(MetricEnd{"completed", last, 0, end});
}

/// Writes the run folder, then brings it into the index. @param entropy makes the id unique
Result<RunId> makeRun(RunStore& store, const Home& home, const interop::LogRun& run, const interop::Log& log,
                      const std::string& file, std::int64_t now, std::uint32_t entropy) {
    NewRun made;
    made.id = RunId(makeId(now, entropy));
    made.config = run.config;
    made.config.name = run.name;
    if (!run.steps.empty()) made.config.train.numSteps = std::max<std::int64_t>(1, run.steps.back().step);
    made.name = run.name;
    made.tags = {kImported, log.format};
    const auto dir = home.run(made.id);
    if (!dir) return fail(dir.error());
    if (auto folders = makeFolders(dir->path); !folders) return fail(folders.error());
    if (auto written = writeJsonFile(dir->config(), toJson(made.config)); !written) return fail(written.error());
    if (auto written = writeFileAtomically(dir->metrics(), streamOf(run, log, file, made.id, now)); !written)
        return fail(written.error());
    if (auto created = store.createRun(made, now); !created) return fail(created.error());
    MetricReader reader;
    for (bool more = true; more;) {
        const auto ingested = ingestStream(store, reader, made.id);
        if (!ingested) return fail(ingested.error());
        more = ingested->more;
    }
    const auto series = store.allSeries(made.id);
    if (!series) return fail(series.error());
    RunChange change;
    change.status = RunStatus::Completed;
    change.attempts = 1;
    change.startedUnixMilliseconds =
        run.steps.empty() || run.steps.front().timeUnixMilliseconds == 0 ? now : run.steps.front().timeUnixMilliseconds;
    change.endedUnixMilliseconds =
        run.steps.empty() || run.steps.back().timeUnixMilliseconds == 0 ? now : run.steps.back().timeUnixMilliseconds;
    change.reason = "Imported from " + file + " (" + log.format + ").";
    DeriveBasis basis;
    basis.numDevices = run.worldSize.value_or(run.config.parallel.worldSize());
    change.measured = summarise(*series, basis);
    if (!run.configKnown) {
        // Without the run's shape the tokens of a step are not known, and nothing that follows from them.
        change.measured->tokensPerSecond.reset();
        change.measured->tokensPerSecondPerDevice.reset();
        change.measured->totalTokens.reset();
    }
    if (auto updated = store.updateRun(made.id, change); !updated) return fail(updated.error());
    return made.id;
}

class ImportCommand : public Command {
public:
    std::string name() const override { return "import"; }
    std::string summary() const override {
        return "Make runs of other trainers' logs, result tables and TensorBoard files";
    }
    std::string examples() const override {
        return "  slipway import megatron.log\n  slipway import titan.log --config titan.toml --from torchtitan\n"
               "  slipway import events.out.tfevents.* --name baseline\n  slipway runs tag:imported\n"
               "  Formats: megatron, neox, deepspeed, torchtitan, nanotron, nanotron-csv, llm-foundry, llm-foundry-csv, tensorboard.";
    }
    void declare(Arguments& arguments) override {
        arguments.option("logs", m_logs, "Log files").required().shownAs("LOG");
        arguments.option("--format", m_format, "Format of the logs; default: what they look like").shownAs("FORMAT");
        arguments.option("--config", m_config, "Config of the run, for its shape and tokens per step").shownAs("FILE");
        arguments.option("--from", m_from, "Format of --config; default: what it looks like").shownAs("FORMAT");
        arguments.option("--name", m_name, "Name of the run; default: the file's").shownAs("NAME");
    }
    Result<int> run(CliContext& context) override {
        const auto config = givenConfig(context);
        if (!config) return fail(config.error());
        std::vector<std::pair<std::string, interop::Log>> read;
        for (const std::string& path : m_logs) {
            const auto bytes = readFile(path);
            if (!bytes) return fail(bytes.error());
            auto log = interop::readLog(*bytes, std::filesystem::path(path).filename().string(), m_format, *config);
            if (!log) return fail(log.error());
            read.emplace_back(path, std::move(*log));
        }
        auto index = openStore(context);
        if (!index) return fail(index.error());
        Json files = Json::array();
        for (auto& [path, log] : read) {
            Json runs = Json::array();
            for (interop::LogRun& run : log.runs) {
                if (!m_name.empty()) run.name = log.runs.size() == 1 ? m_name : m_name + " " + run.name;
                run.configKnown = run.configKnown || config->has_value();
                const auto id = makeRun(*index, context.home, run, log, path, context.now(), randomEntropy());
                if (!id) return fail(id.error());
                runs.push_back({{"run_id", id->value},
                                {"name", run.name},
                                {"steps", run.steps.size()},
                                {"config_known", run.configKnown},
                                {"remarks", interop::toJson(run.remarks)}});
                if (!context.json)
                    context.out << id->value << "  " << printable(run.name) << ", " << run.steps.size() << " steps\n";
            }
            files.push_back(fileJson(path, log, std::move(runs)));
            if (!context.json) tell(context, path, log);
        }
        if (context.json) context.out << dumpJson(files, true);
        return kExitDone;
    }

private:
    Result<std::optional<RunConfig>> givenConfig(CliContext& context) const {
        if (m_config.empty()) return std::optional<RunConfig>{};
        const auto text = readFile(m_config);
        if (!text) return fail(text.error());
        const std::string from = m_from.empty() ? interop::guessFormat(*text) : m_from;
        if (from.empty()) return fail("usage", "This file looks like no known format; name it with --from.", m_config);
        auto imported = interop::importConfig(from, *text, m_config);
        if (!imported) return fail(imported.error());
        for (const interop::Remark& remark : imported->remarks)
            if (remark.kind == interop::RemarkKind::Approximated)
                context.err << "note: " << printable(remark.key) << ": " << printable(remark.message) << '\n';
        return std::optional<RunConfig>(std::move(imported->config));
    }

    static Json fileJson(const std::string& path, const interop::Log& log, Json runs) {
        Json malformed = Json::object(), names = Json::array();
        for (const auto& [reason, count] : log.malformed) malformed[reason] = count;
        for (const interop::NameUse& use : log.names)
            names.push_back({{"raw", use.raw},
                             {"metric", use.metric.empty() ? Json(nullptr) : Json(use.metric)},
                             {"factor", use.factor},
                             {"known", use.known},
                             {"points", use.points}});
        return {{"file", path},
                {"format", log.format},
                {"origin", kImported},
                {"lines", log.lines},
                {"used", log.used},
                {"malformed", std::move(malformed)},
                {"names", std::move(names)},
                {"runs", std::move(runs)}};
    }

    static void tell(CliContext& context, const std::string& path, const interop::Log& log) {
        context.err << printable(path) << ": " << log.format << ", " << log.used << " of " << log.lines
                    << " lines or records used\n";
        for (const auto& [reason, count] : log.malformed)
            context.err << "  malformed: " << count << " x " << reason << '\n';
        for (const interop::NameUse& use : log.names)
            if (!use.known)
                context.err << "  no alias for " << printable(use.raw) << "; kept as " << use.metric << '\n';
    }

    std::vector<std::string> m_logs;
    std::string m_format, m_config, m_from, m_name;
};

}  // namespace

std::unique_ptr<Command> makeImportCommand() {
    return std::make_unique<ImportCommand>();
}

}  // namespace slipway
