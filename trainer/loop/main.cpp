// slipway-trainer: trains one rank (the default), verifies a layout, or measures this machine.
#include "core/base/version.h"
#include "trainer/bench/bench_command.h"
#include "trainer/checkpoint/export_command.h"
#include "trainer/loop/options.h"
#include "trainer/loop/train.h"
#include "trainer/verify/verify_command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    using namespace slipway;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto isHelp = [](const std::string& word) { return word == "--help" || word == "-h"; };
    if (arguments.empty() || std::any_of(arguments.begin(), arguments.end(), isHelp)) {
        std::fputs(trainer::trainerHelp().c_str(), stdout);
        return arguments.empty() ? 2 : 0;
    }
    if (arguments[0] == "--version") {
        std::printf("slipway-trainer %s\n", versionText().c_str());
        return 0;
    }
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "bench") return trainer::runBenchCommand(rest, std::cout, std::cerr);
    if (arguments[0] == "export") return trainer::runExportCommand(rest, std::cout, std::cerr);
    if (arguments[0] == "verify") return trainer::runVerifyCommand(rest, std::cout, std::cerr);
    const Result<trainer::TrainOptions> options = trainer::parseTrainOptions(arguments);
    if (!options) {
        std::fprintf(stderr, "slipway-trainer: %s\n", options.error().message.c_str());
        return 2;
    }
    const char* launchedBy = std::getenv("SLIPWAY_VERSION");
    if (launchedBy != nullptr && *launchedBy != '\0' && launchedBy != versionText())
        std::fprintf(stderr, "slipway-trainer: this is version %s, the run was launched by slipway %s.\n",
                     versionText().c_str(), launchedBy);
    return trainer::train(*options);
}
