#include "trainer/verify/verify_command.h"

#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "trainer/comm/gloo_group.h"
#include "trainer/comm/rendezvous.h"
#include "trainer/kernels/first_gpu.h"

#include <ATen/Parallel.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace slipway::trainer {
namespace {

constexpr const char* kUsage =
    "usage: slipway-trainer verify CONFIG [--json] [--steps N] [--as-run] [--gpu]\n"
    "Trains CONFIG's layout and one process side by side in fp64 on random tokens and compares gradients,\n"
    "loss, gradient norms and weights after N (1 or more, default 5) clipped steps of its optimizer. The last line\n"
    "names the layout and the options of CONFIG that were not covered.\n"
    "--as-run: the layout computes in CONFIG's own number formats. The bounds come from what these do to one process:\n"
    "4 times its distance from fp64, and 2 units in the last place. Weights whose first gradient is below its bound are\n"
    "left out: AdamW and Lion step by its sign, which rounding decides.\n"
    "--gpu: the layout's ranks are threads on the first GPU and run its kernels; the one process stays on the CPU.\n";

std::string numberText(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%10.3e", value);
    return text;
}

struct Arguments {
    std::string config;
    bool json = false, gpu = false, asRun = false;
    std::int64_t numSteps = 5;
};

Result<Arguments> parse(const std::vector<std::string>& words) {
    Arguments arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--json") {
            arguments.json = true;
        } else if (words[i] == "--gpu") {
            arguments.gpu = true;
        } else if (words[i] == "--as-run") {
            arguments.asRun = true;
        } else if (words[i] == "--steps" && i + 1 < words.size()) {
            const std::string& text = words[++i];
            if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos ||
                std::stoll(text) < 1)
                return fail("usage", "--steps needs a number of steps, not \"" + text + "\".");
            arguments.numSteps = std::stoll(text);
        } else if (words[i].starts_with("-") || !arguments.config.empty()) {
            return fail("usage", "\"" + words[i] + "\" is not known here.");
        } else {
            arguments.config = words[i];
        }
    }
    if (arguments.config.empty()) return fail("usage", "The config file is missing.");
    return arguments;
}

Result<RunConfig> load(const std::string& path) {
    const auto json = readJsonFile(path);
    if (!json) return fail(json.error());
    auto config = parseRunConfig(*json, path);
    if (!config) return config;
    if (const auto checked = checkVerifiable(*config); !checked) return fail(checked.error());
    return config;
}

// This process is one rank of many; every rank compares, rank 0 prints.
VerifyReport verifyAcrossProcesses(const RunConfig& config, const RankEnvironment& environment,
                                   const VerifyOptions& options) {
    const Reference reference = makeReference(config, options);
    Rendezvous rendezvous(environment, std::chrono::seconds(60));
    const RunConfig verified = verifiedConfig(config, /*asOneProcess=*/false, options.formats);
    const ProcessMesh mesh = makeMesh(verified.parallel, environment.rank, glooMaker(rendezvous, nullptr));
    const RankRun run =
        runRank(verified, mesh, {options.numSteps, reference.clipNorm, options.bug, kVerifiedLossScale});
    VerifyReport report = compareWithReference(config, reference, gatherRuns(run, *mesh.world));
    mesh.world->barrier();
    return report;
}

}  // namespace

std::string toText(const VerifyReport& report) {
    std::size_t width = 9;
    for (const ParameterDifference& p : report.parameters) width = std::max(width, p.name.size());
    std::string text = "parameter" + std::string(width - 9, ' ') + "   gradient  difference  after steps\n";
    for (const ParameterDifference& p : report.parameters)
        text += p.name + std::string(width - p.name.size(), ' ') + " " + numberText(p.gradientNorm) + "  " +
                numberText(p.gradientDifference) + "   " + numberText(p.weightDifference) + "\n";
    text += "loss           " + numberText(report.loss) + "  one process " + numberText(report.referenceLoss) +
            "  relative difference " + numberText(report.lossDifference) + "\n";
    text += "gradient norm  " + numberText(report.gradNorm) + "  one process " + numberText(report.referenceGradNorm) +
            "  relative difference " + numberText(report.normDifference) +
            (report.normsIdentical ? ", the same on every rank\n" : ", NOT the same on every rank\n");
    for (const std::string& failure : report.failures) text += failure + "\n";
    text += std::string(report.passed() ? "PASSED" : "FAILED") + ": " + report.layoutText + ", in " +
            (report.formats == VerifiedFormats::Fp64 ? "fp64" : "the run's formats") +
            ": largest difference of gradients " + numberText(report.largestGradientDifference) + ", of weights " +
            numberText(report.largestWeightDifference) + "; not covered: ";
    for (std::size_t i = 0; i < report.notCovered.size(); ++i) text += (i > 0 ? ", " : "") + report.notCovered[i];
    text += report.notCovered.empty() ? "none\n" : "\n";
    return text;
}

Json toJson(const VerifyReport& report) {
    Json parameters = Json::array();
    for (const ParameterDifference& p : report.parameters)
        parameters.push_back({{"name", p.name},
                              {"shape", p.shape},
                              {"gradient_norm", jsonNumber(p.gradientNorm)},
                              {"gradient_difference", jsonNumber(p.gradientDifference)},
                              {"weight_difference", jsonNumber(p.weightDifference)},
                              {"gradient_bound", jsonNumber(p.gradientBound)},
                              {"weight_bound", jsonNumber(p.weightBound)}});
    return Json{{"passed", report.passed()},
                {"layout", report.layoutText},
                {"formats", report.formats == VerifiedFormats::Fp64 ? "fp64" : "as_run"},
                {"not_covered", report.notCovered},
                {"failures", report.failures},
                {"world_size", report.layout.worldSize()},
                {"loss", jsonNumber(report.loss)},
                {"reference_loss", jsonNumber(report.referenceLoss)},
                {"loss_difference", jsonNumber(report.lossDifference)},
                {"grad_norm", jsonNumber(report.gradNorm)},
                {"reference_grad_norm", jsonNumber(report.referenceGradNorm)},
                {"grad_norm_difference", jsonNumber(report.normDifference)},
                {"grad_norms_identical", report.normsIdentical},
                {"largest_gradient_difference", jsonNumber(report.largestGradientDifference)},
                {"largest_weight_difference", jsonNumber(report.largestWeightDifference)},
                {"parameters", std::move(parameters)}};
}

int runVerifyCommand(const std::vector<std::string>& words, std::ostream& out, std::ostream& err) {
    if (std::ranges::any_of(words, [](const std::string& word) { return word == "--help" || word == "-h"; })) {
        out << kUsage;
        return 0;
    }
    const auto arguments = parse(words);
    if (!arguments) {
        err << "slipway-trainer verify: " << UntrustedText(arguments.error().text()).terminalLines() << "\n" << kUsage;
        return 2;
    }
    const auto config = load(arguments->config);
    if (!config) {
        err << "slipway-trainer verify: " << UntrustedText(config.error().text()).terminalLines() << "\n";
        return 10;
    }
    const auto environment = RankEnvironment::read();
    if (!environment) {
        err << UntrustedText(environment.error().text()).terminalLines() << "\n";
        return 2;
    }
    const bool manyProcesses = environment->worldSize > 1;
    if (manyProcesses && environment->worldSize != config->parallel.worldSize()) {
        err << "WORLD_SIZE is " << environment->worldSize << ", but the layout has " << config->parallel.worldSize()
            << " ranks.\n";
        return 10;
    }
    at::set_num_threads(1);
    VerifyOptions options;
    options.numSteps = arguments->numSteps;
    if (arguments->asRun) options.formats = VerifiedFormats::AsRun;
    if (arguments->gpu) {
        const auto device = firstGpu();
        if (!device || manyProcesses) {
            err << (device ? std::string("--gpu verifies ranks that are threads of one process.")
                           : device.error().text())
                << "\n";
            return 10;
        }
        options.device = *device;
    }
    try {
        const VerifyReport report = manyProcesses ? verifyAcrossProcesses(*config, *environment, options)
                                                  : verifyInProcess(*config, makeReference(*config, options), options);
        if (environment->rank == 0) out << (arguments->json ? dumpJson(toJson(report), true) : toText(report));
        return report.passed() ? 0 : 1;
    } catch (const CommError& error) {
        err << "rank " << environment->rank << ", group " << error.group() << ", " << error.operation() << ": "
            << UntrustedText(error.what()).terminalLines() << "\n";
        return 12;
    }
}

}  // namespace slipway::trainer
