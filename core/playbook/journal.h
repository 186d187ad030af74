// A reader's history, in the home: playbook/guesses.jsonl and playbook/records.jsonl, one JSON document per line,
// append-only. Two programs may append at the same time: each line is written under a lock, in one call.
//   addGuess(home, {"L6", 0.75, now});   guessesOf(home)->front().value
#pragma once

#include "core/base/json.h"
#include "core/playbook/playbook.h"
#include "core/spec/run_dir.h"

#include <map>

namespace slipway {

struct Guess {
    std::string subject;  ///< id of a chapter or an experiment
    double value = 0;     ///< in the unit of the question
    std::int64_t unixMilliseconds = 0;
    std::string note;
};

/// Appends it; an older guess for the same subject stays and takes precedence (firstGuess). "journal_busy" where
/// another program holds the file's lock; errors of AppendFile.
Result<void> addGuess(const Home& home, const Guess& guess);
/// In chronological order. Lines that are not a guess (truncated by a crash, edited) are skipped. Empty without a file.
Result<std::vector<Guess>> guessesOf(const Home& home);
/// The first guess for a subject, made before any answer was shown. Null when there is none.
const Guess* firstGuess(const std::vector<Guess>& guesses, const std::string& subject);

/// A note on an experiment (subject "L6"), or a point of the pre-flight list that was ticked by hand ("preflight/storage", any text). The
/// newest for a subject is valid; an empty text deletes it. Errors as in addGuess().
struct Remark {
    std::string subject, text;
    std::int64_t unixMilliseconds = 0;
};
Result<void> addRemark(const Home& home, const Remark& remark);
/// Subject -> text of the valid ones.
Result<std::map<std::string, std::string>> remarksOf(const Home& home);

/// Appends a record of an experiment (experiment_record.h); errors as in addGuess().
Result<void> addRecord(const Home& home, const Json& record);
/// All records, unchanged.
Result<std::vector<Json>> recordsOf(const Home& home);

/// Accuracy of a guess: guess / answer - 1, and whether that is within the question's tolerance.
struct GuessScore {
    double relativeError = 0;
    bool isRight = false;
};
/// Empty where the answer is 0 or unknown.
std::optional<GuessScore> scoreOf(const GuessQuestion& question, double guess, double answer);
/// The answer to a chapter's question, in its unit; empty where no figure is the answer.
std::optional<double> answerOf(const GuessQuestion& question);
/// The same question answered by another figure: that of an exercise's edition.
std::optional<double> answerOf(const GuessQuestion& question, const FigureCall& figure);
/// The selected output of a figure model; null where it cannot be computed.
Json resultOf(const FigureCall& figure);

}  // namespace slipway
