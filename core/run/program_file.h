// program.json of a run folder: a program of the user's, run by the agent, and the reading options of its log.
//   auto program = makeProgram({"torchrun", "train.py"}, {});   if (program) RunSession::createProgram(...)
#pragma once

#include "core/interop/live_log.h"
#include "core/launch/launch_plan.h"
#include "core/spec/run_dir.h"

#include <optional>

namespace slipway {

struct ProgramRun {
    ProgramCommand command;
    interop::LogReading log;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("command"), s.command);
        v(field("log"), s.log);
    }
};

/// The argument vector as run here and now: the program found in PATH, this folder, and the environment variables for
/// later attempts (safeVariable). "usage" for an empty vector or an unknown log format, "bad_pattern",
/// "program_missing", "program_not_executable".
Result<ProgramRun> makeProgram(std::vector<std::string> arguments, interop::LogReading log);

/// Whether an environment variable may be stored in a run folder: paths, devices and settings of libraries, but never a
/// variable with the name of a secret.
bool safeVariable(std::string_view name);

/// The default name of the run: the program's script, else the program.
std::string programName(const std::vector<std::string>& arguments);

/// Empty for a run of slipway-trainer; errors of the file.
Result<std::optional<ProgramRun>> readProgram(const RunDir& folder);
/// The file, and environment.json for comparing runs, with their names.
std::vector<std::pair<std::string, std::string>> programDocuments(const ProgramRun& program);

}  // namespace slipway
