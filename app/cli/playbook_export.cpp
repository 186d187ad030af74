#include "app/cli/playbook_export.h"

#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/planner/plan.h"
#include "core/process/host_identity.h"
#include "core/report/playbook_report.h"

#include <nlohmann/json.hpp>

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
