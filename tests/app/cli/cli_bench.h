// A command line without a process: streams are strings, the clock stands still, nobody presses Ctrl-C unless told.
#pragma once

#include "app/cli/command.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "tests/support/run_home.h"

#include <sstream>

namespace slipway::test {

struct CliBench {
    RunHome at;
    std::function<int()> interrupts = [] { return 0; };

    struct Outcome {
        int code = 0;
        std::string out, err;
    };

    Outcome run(std::vector<std::string> arguments) {
        std::ostringstream out, err;
        CliContext context{out,
                           err,
                           false,
                           false,
                           false,
                           {},
                           at.programs,
                           unixMillisecondsNow,
                           [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); },
                           interrupts};
        arguments.insert(arguments.begin(), {"--home", at.home.path.string()});
        const int code = runCli(arguments, context);
        return {code, out.str(), err.str()};
    }

    std::string file(const std::string& name, const std::string& text) const {
        const auto path = at.temp.path() / name;
        (void)writeFileAtomically(path, text);
        return path.string();
    }
};

}  // namespace slipway::test
