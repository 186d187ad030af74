#include "app/cli/playbook_export.h"

#include "app/cli/job_file.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/planner/plan.h"
#include "core/process/host_identity.h"
#include "core/report/playbook_report.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <map>

namespace slipway {

Result<int> writeOrPrint(CliContext& context, const std::string& output, const std::string& text) {
    if (output.empty()) {
        context.out << text;
        return kExitDone;
    }
    if (auto written = writeFileAtomically(output, text); !written) return fail(written.error());
    return kExitDone;
}

Result<int> exportReport(CliContext& context, const Playbook& playbook, const Chapter* chapter,
                         const ReportRequest& request) {
    const auto format = request.output.empty() ? std::optional(ReportFormat::Markdown) : reportFormatOf(request.output);
    if (!format) return fail("usage", "A chapter is written as .html, .pdf, .md, .csv or .tex."_text, "--output");
    auto guesses = guessesOf(context.home);
    if (!guesses) return fail(guesses.error());
    auto records = recordsOf(context.home);
    if (!records) return fail(records.error());
    const auto config = request.config.empty() ? Result<RunConfig>(RunConfig()) : loadConfig(request.config, {});
    if (!config) return fail(config.error());
    const auto cluster = clusterOf(context, {}, *config, config->parallel.worldSize());
    if (!cluster) return fail(cluster.error());
    const ReaderState reader{std::move(*guesses), std::move(*records), thisHost().host, makePlan(*config, *cluster)};
    const ReportHead head{.title = request.title,
                          .author = request.author,
                          .date = reportDate(context.now()),
                          .question = {},
                          .language = context.language};
    const auto text = writeReport(
        chapter != nullptr ? chapterReport(playbook, *chapter, reader, head) : playbookReport(playbook, reader, head),
        *format);
    return text ? writeOrPrint(context, request.output, *text) : fail(text.error());
}

Result<int> exportJobs(CliContext& context, const Experiment& experiment, bool isShort, const std::string& kind,
                       const std::string& folder, const std::string& queue) {
    if (folder.empty()) return fail("usage", "Name the folder for the jobs with --output."_text, "--output");
    const auto file = sweepOf(experiment, isShort);
    if (!file) return fail(file.error());
    const bool isSlurm = kind == "slurm";
    std::map<std::string, std::vector<RunConfig>> jobs;  // file name -> its runs
    for (const Trial& trial : expandSweep(*file)) {
        if (!trial.skipReason.empty()) continue;
        std::string name = isSlurm ? std::to_string(trial.config.parallel.worldSize()) + "-ranks" : trial.name;
        for (char& c : name)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
        RunConfig config = trial.config;
        config.name = experiment.id + ' ' + trial.name;
        jobs[experiment.id + "-" + name + (isSlurm ? ".sbatch" : ".sh")].push_back(std::move(config));
    }
    if (auto made = makeFolders(folder); !made) return fail(made.error());
    for (const auto& [name, configs] : jobs) {
        JobFileArguments arguments;
        arguments.kind = kind;
        arguments.output = (std::filesystem::path(folder) / name).string();
        arguments.options.queue = queue;
        if (context.programs.trainer.empty()) arguments.trainer = "slipway-trainer";  // as the nodes find it
        if (const auto written = writeJobFile(context, configs, arguments); !written) return fail(written.error());
    }
    return kExitDone;
}

Result<int> writeRecord(CliContext& context, const std::string& experiment, const std::string& output) {
    const auto records = recordsOf(context.home);
    if (!records) return fail(records.error());
    const Json* own = ownRecord(*records, experiment, thisHost().host);
    if (own == nullptr)
        return fail("no_record", "%1 was not run on this computer; slipway playbook run %1 does."_text(experiment),
                    "ID");
    return writeOrPrint(context, output, dumpJson(*own, true));
}

Result<int> takeRecord(CliContext& context, const Playbook& playbook, const std::string& file) {
    const auto record = readJsonFile(file);
    if (!record) return fail(record.error());
    if (auto right = checkRecord(*record); !right) return fail(right.error());
    const std::string id = (*record)["experiment"].get<std::string>();
    if (playbook.experiment(id) == nullptr)
        return fail("usage", "The record is of experiment %1, which this playbook lacks."_text(id), file);
    if (auto added = addRecord(context.home, *record); !added) return fail(added.error());
    context.out << context.text("Record of %1 taken, measured on %2."_text(id, hardwareOf(circumstancesOf(*record))))
                << '\n';
    return kExitDone;
}

}  // namespace slipway
