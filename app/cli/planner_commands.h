// The makers of commands that use the planner and do not touch runs.
#pragma once

#include "app/cli/command.h"

namespace slipway {

std::unique_ptr<Command> makeCostCommand();
std::unique_ptr<Command> makeCurvesCommand();
std::unique_ptr<Command> makeDevicesCommand();
std::unique_ptr<Command> makeLawsCommand();
std::unique_ptr<Command> makeLintCommand();
std::unique_ptr<Command> makeModelsCommand();
std::unique_ptr<Command> makeTpuCommand();

}  // namespace slipway
