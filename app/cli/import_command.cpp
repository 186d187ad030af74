// import: console logs and result files of other trainers become runs.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/interop/formats.h"
#include "core/run/import_runs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace slipway {
namespace {

class ImportCommand : public Command {
public:
    std::string name() const override { return "import"; }
    Message summary() const override {
        return "Make runs of other trainers' logs, result tables and TensorBoard files"_text;
    }
    Examples examples() const override {
        return {{"slipway import megatron.log"},
                {"slipway import titan.log --config titan.toml --from torchtitan"},
                {"slipway import events.out.tfevents.* --name baseline"},
                {"slipway runs tag:imported"},
                {"slipway import layouts.csv", "a table that slipway validate reads"_text},
                {"", "Formats: %1."_text(importFormats())}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("logs", m_logs, "Log files"_text).required().shownAs("LOG");
        arguments.option("--format", m_format, "Format of the logs; default: detected"_text).shownAs("FORMAT");
        arguments.option("--config", m_config, "Config of the run, for its shape and tokens per step"_text)
            .shownAs("FILE");
        arguments.option("--from", m_from, "Format of --config; default: detected"_text).shownAs("FORMAT");
        arguments
            .option("--map", m_columns,
                    "Columns of a CSV under other names: step=iter,loss=train_loss; =COLUMN leaves one out"_text)
            .shownAs("NAME=COLUMN")
            .oneEach()
            .separatedBy(',');
        arguments.option("--name", m_name, "Name of the run; default: the file's"_text).shownAs("NAME");
    }
    Result<int> run(CliContext& context) override {
        if (auto named = checkName(m_name, "--name"); !named) return fail(named.error());
        const auto config = givenConfig(context);
        if (!config) return fail(config.error());
        const KeepGoing keepGoing = [&context] { return context.interrupts() == 0; };
        std::vector<ImportedFile> read;
        for (const std::string& path : m_logs) {
            auto file = readImportFile(path, m_format, *config, keepGoing, m_columns);
            if (!file) return fail(file.error());
            read.push_back(std::move(*file));
        }
        auto index = openStore(context);
        if (!index) return fail(index.error());
        Json files = Json::array();
        for (auto& [log, imported] : read) {
            const std::string path = imported.front().file;
            Json runs = Json::array();
            for (std::size_t done = 0; done < imported.size(); done += kBatch) {
                const std::size_t end = std::min(done + kBatch, imported.size());
                if (auto stored = importBatch(context, *index, std::span(imported).subspan(done, end - done),
                                              imported.size() == 1, runs);
                    !stored)
                    return fail(stored.error());
            }
            files.push_back(fileJson(path, log, std::move(runs)));
            if (!context.json) tell(context, path, log);
        }
        if (context.json) context.out << dumpJson(files, true);
        return kExitDone;
    }

private:
    static constexpr std::size_t kBatch = 64;  // runs, a fraction of a second; each is stored before the next

    /// Runs read before a refused one are stored and listed. A streamed run is alone in its batch.
    Result<void> importBatch(CliContext& context, RunStore& index, std::span<ImportedRun> batch, bool isAlone,
                             Json& runs) const {
        std::optional<Error> refused;
        std::string told;
        const auto work = [&]() -> Result<void> {
            for (ImportedRun& one : batch) {
                interop::LogRun& run = one.log;
                if (!m_name.empty()) run.name = isAlone ? m_name : m_name + " " + run.name;
                const auto id = importRun(index, context.home, one, context.now(), randomEntropy(),
                                          [&context] { return context.interrupts() == 0; });
                if (!id) {
                    refused = id.error();
                    break;
                }
                runs.push_back({{"run_id", id->value},
                                {"name", run.name},
                                {"steps", run.numSteps()},
                                {"config_known", run.configKnown},
                                {"remarks", interop::toJson(run.remarks)}});
                told += id->value + "  " +
                        printable(context.text(plural(run.numSteps(), "%1, %2 step"_text, "%1, %2 steps"_text)(
                            run.name, run.numSteps()))) +
                        '\n';
                for (const interop::Remark& remark : run.remarks)
                    context.note("%1: %2"_text(remark.key, remark.message));
            }
            return {};
        };
        const auto stored = batch.front().isStreamed ? work() : index.together(work);
        if (!stored) return stored;
        if (!context.json) context.out << told << std::flush;
        return refused ? fail(*refused) : Result<void>{};
    }

    Result<std::optional<RunConfig>> givenConfig(CliContext& context) const {
        if (m_config.empty()) return std::optional<RunConfig>{};
        const auto text = readFile(m_config);
        if (!text) return fail(text.error());
        const std::string from = m_from.empty() ? interop::guessFormat(*text) : m_from;
        if (from.empty())
            return fail("usage", "The format of this file was not detected; name it with --from."_text, m_config);
        auto imported = interop::importConfig(from, *text, m_config);
        if (!imported) return fail(imported.error());
        for (const interop::Remark& remark : imported->remarks)
            if (remark.kind == interop::RemarkKind::Approximated)
                context.note("%1: %2"_text(remark.key, remark.message));
        return std::optional<RunConfig>(std::move(imported->config));
    }

    static Json fileJson(const std::string& path, const interop::Log& log, Json runs) {
        Json malformed = Json::object(), names = Json::array();
        for (const auto& [reason, met] : log.malformed) malformed[reason] = met.count;
        for (const interop::NameUse& use : log.names)
            names.push_back({{"raw", use.raw},
                             {"metric", use.metric.empty() ? Json(nullptr) : Json(use.metric)},
                             {"factor", use.factor},
                             {"known", use.known},
                             {"points", use.points}});
        return {{"file", path},
                {"format", log.format},
                {"origin", kImportedTag},
                {"lines", log.lines},
                {"used", log.used},
                {"malformed", std::move(malformed)},
                {"names", std::move(names)},
                {"runs", std::move(runs)}};
    }

    static void tell(CliContext& context, const std::string& path, const interop::Log& log) {
        context.err << "%1: %2, used %3 of %4 lines or records"_text(path, log.format, log.used, log.lines) << '\n';
        for (const auto& [_, met] : log.malformed)
            context.err << "  "
                        << "malformed: %1 x %2"_text(met.count, met.reason) << '\n';
        for (const interop::NameUse& use : log.names)
            if (!use.known)
                context.err << "  "
                            << "no alias for %1; kept as %2"_text(use.raw, use.metric) << '\n';
    }

    std::vector<std::string> m_logs;
    std::vector<std::string> m_columns;
    std::string m_format, m_config, m_from, m_name;
};

}  // namespace

std::unique_ptr<Command> makeImportCommand() {
    return std::make_unique<ImportCommand>();
}

}  // namespace slipway
