// slipway-trainer: trains one rank (the default), verifies a layout, or measures this machine.
#include "core/base/version.h"
#include "trainer/loop/options.h"
#include "trainer/loop/train.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    using namespace slipway;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
        std::fputs(trainer::trainerHelp().c_str(), stdout);
        return arguments.empty() ? 2 : 0;
    }
    if (arguments[0] == "--version") {
        std::printf("slipway-trainer %s\n", versionText().c_str());
        return 0;
    }
    const Result<trainer::TrainOptions> options = trainer::parseTrainOptions(arguments);
    if (!options) {
        std::fprintf(stderr, "slipway-trainer: %s\n", options.error().message.c_str());
        return 2;
    }
    return trainer::train(*options);
}
