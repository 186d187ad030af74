// What `slipway playbook` prints, as JSON documents. Texts are in both languages; the command picks one for people.
#pragma once

#include "core/base/json.h"
#include "core/playbook/check.h"
#include "core/playbook/experiment_run.h"
#include "core/playbook/journal.h"

namespace slipway {

Json toJson(const LocalText& text);
/// Everything of a chapter; `isOpen` false leaves out what answers its question (checks, finding), for readers without a guess.
Json chapterDocument(const Playbook& playbook, const Chapter& chapter, const Guess* guess, bool isOpen);
Json experimentDocument(const Experiment& experiment, const Guess* guess, bool isOpen);
Json checkDocument(const Check& check, const CheckResult& result);
/// The verdict of a record: claims with measured, spread, forecast; the guess with its score. @param record null: not run
Json verdictDocument(const Experiment& experiment, const Json& record, const Guess* guess);
Json costDocument(const ExperimentCost& cost);
/// A chapter as Markdown, with its checks, the reader's guess and the verdicts of its experiments.
std::string chapterMarkdown(const Playbook& playbook, const Chapter& chapter, const std::vector<Guess>& guesses,
                            const std::vector<Json>& records, Language language);

/// The last record of an experiment; null when there is none.
const Json* lastRecord(const std::vector<Json>& records, const std::string& experiment);

}  // namespace slipway
