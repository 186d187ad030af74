// A reader's progress: results of the experiments, accuracy of the guesses, and the claims confirmed on this machine.
// The command and the window show the same figures from here.
//   standingOf(experiment, record, guess).verdict      guessCalibrationOf(playbook, guesses, records).medianError
#pragma once

#include "core/playbook/check.h"
#include "core/playbook/experiment_run.h"
#include "core/playbook/journal.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

namespace slipway {

/// The last record of an experiment made on the computer `here` (HostIdentity::host); null when there is none.
const Json* ownRecord(const std::vector<Json>& records, const std::string& experiment, const std::string& here);
/// The last record of each other computer, in the order of their first records.
std::vector<const Json*> theirRecords(const std::vector<Json>& records, const std::string& experiment,
                                      const std::string& here);
/// Computer and hardware: "gpu-lab, AMD EPYC 7B13, 16 CPUs".
Message hardwareOf(const Circumstances& at);
/// Circumstances of a record; missing members have their defaults.
Circumstances circumstancesOf(const Json& record);

/// Result of one experiment. It refers to the experiment and to the guess.
struct ExperimentStanding {
    Verdict verdict = Verdict::NotRun;
    std::vector<ClaimResult> claims;
    std::vector<CheckResult> computes;  ///< as many as Experiment::computes, where there is no claim; else none
    std::optional<double> answer;       ///< to the guess's question, in its unit
    const Guess* guess = nullptr;
    std::optional<GuessScore> score;
    std::optional<Circumstances> at;  ///< empty: not run
};
/// @param record JSON null where the experiment was not run @param guess null where there is none
ExperimentStanding standingOf(const Experiment& experiment, const Json& record, const Guess* guess);

/// One first guess against its answer.
struct GuessRow {
    const Chapter* chapter = nullptr;
    const Experiment* experiment = nullptr;  ///< with `exercise` null: the chapter's own question
    const Exercise* exercise = nullptr;
    double value = 0;
    std::optional<double> answer;  ///< empty: its experiment was not run
    std::optional<GuessScore> score;

    /// Subject in the journal, and what it is called.
    [[nodiscard]] std::string subject() const;
    [[nodiscard]] const LocalText& title() const;
};
struct ChapterCalibration {
    const Chapter* chapter = nullptr;
    std::size_t guesses = 0;  ///< with an answer
    double medianError = 0;   ///< of |guess / answer - 1|
};
/// The planner's forecast at the start of a run, against what was measured.
struct ForecastRow {
    const Experiment* experiment = nullptr;
    const Claim* claim = nullptr;
    double forecast = 0, measured = 0, relativeError = 0;
};
struct GuessCalibration {
    std::vector<GuessRow> rows;  ///< by chapter
    std::size_t answered = 0, right = 0;
    std::optional<double> medianError;         ///< over all answered guesses
    std::vector<ChapterCalibration> chapters;  ///< with answered guesses, the least accurate first
    std::vector<ForecastRow> forecasts;        ///< of this computer's records, times of a busy computer excluded
    std::optional<double> medianForecastError;
};
GuessCalibration guessCalibrationOf(const Playbook& playbook, const std::vector<Guess>& guesses,
                                    const std::vector<Json>& records, const std::string& here);

/// This machine's evidence on a statement of the sources.
enum class ClaimState { Confirmed, Contradicted, Undecided, Untested };
std::string_view wordOf(ClaimState state);
SourceText textOf(ClaimState state);

struct ClaimRow {
    const Experiment* experiment = nullptr;
    const Claim* claim = nullptr;  ///< null: the experiment's overall finding, without a claim
    ClaimState state = ClaimState::Untested;
    std::optional<double> measured;
    std::optional<Circumstances> at;  ///< its sweep links to the runs
};
/// Records of other computers are not considered.
std::vector<ClaimRow> claimsOf(const Playbook& playbook, const std::vector<Json>& records, const std::string& here);

/// Codes of all rules that a plan breaks: the planner's findings and the rules of `slipway lint`.
std::vector<std::string> brokenRules(const RunConfig& config, const ClusterSpec& cluster);
/// The traps of a chapter that apply to the plan.
std::vector<const Trap*> trapsHit(const Chapter& chapter, const std::vector<std::string>& broken);

}  // namespace slipway
