// The makers of all commands, one source file each.
#pragma once

#include "app/cli/command.h"

namespace slipway {

std::unique_ptr<Command> makeBatchCommand();
std::unique_ptr<Command> makeSweepCommand();
std::unique_ptr<Command> makeInitCommand();
std::unique_ptr<Command> makeVerifyCommand();
std::unique_ptr<Command> makePlanCommand();
std::unique_ptr<Command> makeSearchCommand();
std::unique_ptr<Command> makeValidateCommand();
std::unique_ptr<Command> makeLaunchCommand();
std::unique_ptr<Command> makeCloneCommand();
std::unique_ptr<Command> makeRunsCommand();
std::unique_ptr<Command> makeShowCommand();
std::unique_ptr<Command> makeLogsCommand();
std::unique_ptr<Command> makeCompareCommand();
std::unique_ptr<Command> makeReportCommand();
std::unique_ptr<Command> makeWhyCommand();
std::unique_ptr<Command> makeStopCommand();
std::unique_ptr<Command> makeResumeCommand();
std::unique_ptr<Command> makeTagCommand();
std::unique_ptr<Command> makeArchiveCommand();
std::unique_ptr<Command> makeRemoveCommand();
std::unique_ptr<Command> makeRestoreCommand();
std::unique_ptr<Command> makeReindexCommand();
std::unique_ptr<Command> makeCorpusCommand();
std::unique_ptr<Command> makeConvertCommand();
std::unique_ptr<Command> makeImportCommand();
std::unique_ptr<Command> makeWatchCommand();
std::unique_ptr<Command> makeAlertsCommand();
std::unique_ptr<Command> makeMachineCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeTrainerCommand();
std::unique_ptr<Command> makeNodesCommand();
std::unique_ptr<Command> makeFieldsCommand();
std::unique_ptr<Command> makeCompletionCommand();

}  // namespace slipway
