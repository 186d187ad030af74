// Output of `slipway playbook`, as JSON documents. Texts are in both languages; the command picks one for people.
#pragma once

#include "core/base/json.h"
#include "core/playbook/check.h"
#include "core/playbook/experiment_run.h"
#include "core/playbook/journal.h"
#include "core/playbook/standing.h"

namespace slipway {

Json toJson(const LocalText& text);
/// Everything of a chapter; without a guess and without `isAnswered` the answers to its question (checks, finding) are omitted, and
/// likewise the solution of each exercise.
Json chapterDocument(const Playbook& playbook, const Chapter& chapter, const std::vector<Guess>& guesses,
                     bool isAnswered);
Json experimentDocument(const Experiment& experiment, const Guess* guess, bool isOpen);
Json checkDocument(const Check& check, const CheckResult& result);
/// The verdict of a record: claims with measured, spread, forecast; the guess with its score. @param record null: not run
Json verdictDocument(const Experiment& experiment, const Json& record, const Guess* guess);
Json calibrationDocument(const GuessCalibration& all);
Json claimsDocument(const std::vector<ClaimRow>& rows);
/// One row of the list: its requirement, the cost of both forms on this machine (null: nothing to run), its verdict.
Json listedDocument(const Experiment& experiment, const Json* record, const Guess* guess, const ClusterSpec& machine);
Json costDocument(const ExperimentCost& cost);

}  // namespace slipway
