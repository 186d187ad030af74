#include "app/cli/job_file.h"

#include "app/cli/print.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/version.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace slipway {
namespace {

constexpr std::int64_t kAnyPort = 29500;  // the scheduler's script chooses its own

std::filesystem::path plainPath(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
}

}  // namespace

void JobFileArguments::declare(Arguments& arguments) {
    Argument write =
        arguments
            .option(
                "--write", kind,
                "Print a file for another scheduler instead of starting: torchrun, slurm, skypilot, jobset or dstack"_text)
            .oneOf({kJobFileWords.begin(), kJobFileWords.end()})
            .shownAs("KIND");
    const auto more = [&](const char* name, std::string& value, SourceText help, const char* word) {
        arguments.option(name, value, help).shownAs(word).needs(write);
    };
    more("--output,-o", output, "With --write: the file; default: print it"_text, "FILE");
    more("--trainer", trainer, "With --write: slipway-trainer on the nodes; default: this computer's path"_text,
         "PATH");
    arguments.option("--devices-per-node", devicesPerNode, "With --write or --slurm: maximum ranks per node"_text)
        .positive();
    const auto both = [&](const char* name, std::string& value, SourceText help, const char* word) {
        arguments.option(name, value, help).shownAs(word);
    };
    both("--queue", options.queue, "With --write or --slurm: partition of Slurm, local queue of Kueue"_text, "NAME");
    both("--account", options.account, "With --write or --slurm: account of Slurm"_text, "NAME");
    both("--time-limit", options.timeLimit,
         "With --write or --slurm: time limit of Slurm (8:00:00); the run continues in the next job"_text, "TIME");
    more("--image", options.image, "With --write: container of the nodes"_text, "IMAGE");
    more("--accelerator", options.accelerator, "With --write: name of the GPU at SkyPilot or dstack (H100)"_text,
         "NAME");
    more("--volume-claim", options.volumeClaim,
         "With --write: volume claim of Kubernetes that holds the home folder"_text, "NAME");
}

Result<int> writeJobFile(CliContext& context, const std::vector<RunConfig>& configs,
                         const JobFileArguments& arguments) {
    const auto kind = jobFileKindFrom(arguments.kind.value_or(""));
    if (!kind) return fail("usage", "\"%1\" is not a kind of file."_text(arguments.kind.value_or("")), "--write");
    const std::string trainer = arguments.trainer.empty() ? context.programs.trainer.string() : arguments.trainer;
    if (trainer.empty()) return fail("usage", "Name slipway-trainer on the nodes with --trainer."_text, "--trainer");
    std::vector<JobRun> runs;
    for (const RunConfig& config : configs) {
        if (const Issues issues = validate(config); hasErrors(issues)) return fail("bad_config", issues, config.name);
        LaunchRequest request;
        request.run = RunId(makeId(context.now(), randomEntropy()));
        request.home = plainPath(context.home.path);
        request.folder = RunDir{request.home / "runs" / request.run.value};
        request.trainer = trainer;
        request.launcher = std::string(kJobFileWords[static_cast<std::size_t>(*kind)]);
        request.resume = true;  // "latest" is the first step if there is no checkpoint yet
        request.masterPort = kAnyPort;
        request.version = versionText();
        const std::int64_t world = config.parallel.worldSize();
        const std::int64_t perNode = std::min(world, std::max<std::int64_t>(1, arguments.devicesPerNode));
        request.nodes.clear();
        for (std::int64_t left = world; left > 0; left -= perNode)
            request.nodes.push_back({"node" + std::to_string(request.nodes.size()), perNode});
        auto plan = makeLaunchPlan(config, request);
        if (!plan) return fail(plan.error());
        runs.push_back({config, std::move(*plan), request.folder});
    }
    const auto text = jobFile(*kind, runs, arguments.options);
    if (!text) return fail(text.error());
    if (!arguments.output.empty())
        if (auto written = writeFileAtomically(arguments.output, *text); !written) return fail(written.error());
    if (context.json) {
        Json ids = Json::array();
        for (const JobRun& run : runs) ids.push_back(run.plan.runId);
        context.out << dumpJson(Json{{"kind", *arguments.kind},
                                     {"run_ids", std::move(ids)},
                                     {"file", arguments.output.empty() ? Json(nullptr) : Json(arguments.output)},
                                     {"text", *text}},
                                true);
    } else if (arguments.output.empty()) {
        context.out << *text;
    } else {
        context.err << "Wrote %1; run folder %2."_text(arguments.output, runs.front().folder.path.string()) << '\n';
    }
    return kExitDone;
}

}  // namespace slipway
