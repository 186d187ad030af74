// slipway-trainer: trains one rank (the default), verifies a layout, or measures this machine.
#include "core/base/file_mode.h"
#include "core/base/untrusted_text.h"
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

namespace {

using namespace slipway;
using Command = int (*)(const std::vector<std::string>&, std::ostream&, std::ostream&);

// Turns exceptions of libtorch, above all out of memory, into a sentence and an exit code.
int run(Command command, const std::string& name, const std::vector<std::string>& arguments) {
    try {
        return command(arguments, std::cout, std::cerr);
    } catch (const std::exception& caught) {
        const RankError error = trainer::rankErrorOf(caught, 0);
        std::cerr << "slipway-trainer " << name << ": " << error.code << ": "
                  << UntrustedText(error.message).terminalLines() << "\n";
        return error.exitCode;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto isHelp = [](const std::string& word) { return word == "--help" || word == "-h"; };
    // verify and export have their own options and help.
    const bool explainsItself = !arguments.empty() && (arguments[0] == "verify" || arguments[0] == "export");
    if (arguments.empty() || (!explainsItself && std::any_of(arguments.begin(), arguments.end(), isHelp))) {
        std::fputs(trainer::trainerHelp().c_str(), stdout);
        return arguments.empty() ? 2 : 0;
    }
    if (arguments[0] == "--version") {
        std::printf("slipway-trainer %s\n", versionText().c_str());
        return 0;
    }
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments[0] == "bench") return run(trainer::runBenchCommand, arguments[0], rest);
    if (arguments[0] == "export") return run(trainer::runExportCommand, arguments[0], rest);
    if (arguments[0] == "verify") return run(trainer::runVerifyCommand, arguments[0], rest);
    const Result<trainer::TrainOptions> options = trainer::parseTrainOptions(arguments);
    if (!options) {
        std::fprintf(stderr, "slipway-trainer: %s\n", options.error().message.c_str());
        return 2;
    }
    const char* launchedBy = std::getenv("SLIPWAY_VERSION");
    if (launchedBy != nullptr && *launchedBy != '\0' && launchedBy != versionText())
        std::fprintf(stderr, "slipway-trainer: this is version %s, the run was launched by slipway %s.\n",
                     versionText().c_str(), launchedBy);
    takeUmaskOf(options->runDir);
    return trainer::train(*options);
}
