// Output of `slipway playbook` for people, in their language.
#pragma once

#include "app/cli/command.h"
#include "app/cli/playbook_documents.h"

namespace slipway {

/// Chapters with the reader's guesses, and experiments with their verdicts. @param chapters, experiments of `list --json`
void printPlaybookList(CliContext& context, const Json& chapters, const Json& experiments);
/// A chapter or an experiment; the other is null. Without `isOpen` only the question.
void printSubject(CliContext& context, const Playbook& playbook, const Chapter* chapter, const Experiment* experiment,
                  const Guess* guess, bool isOpen);
/// The exercises of a chapter, those with a guess (or all, with `isAnswered`) with their worked solution.
/// @param edition id of the source's edition; empty or unknown to an exercise: its first
void printExercises(CliContext& context, const Chapter& chapter, const std::vector<Guess>& guesses, bool isAnswered,
                    const std::string& edition);
/// The worked numbers of a source next to the recomputed ones. @return number of mismatches
int printChecks(CliContext& context, const Playbook& playbook, const std::vector<Check>& checks);
/// @param document calibrationDocument()
void printCalibration(CliContext& context, const Json& document);
/// @param document claimsDocument()
void printClaims(CliContext& context, const Json& document);
/// @param document verdictDocument()
void printVerdict(CliContext& context, const Playbook& playbook, const Experiment& experiment, const Json& document);

}  // namespace slipway
