// Data of the Sweeps page, loaded off the main thread: the list of sweeps, and one sweep with the outcome of each trial.
// No widgets here.
//   SweepData data = loadSweep(home, id, nullptr);   data = loadSweep(home, id, data.plan);   // the plan is made once
#pragma once

#include "core/metrics/summarise.h"
#include "core/store/run_store.h"
#include "core/sweep/trial.h"

#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::gui {

/// A config field with different values among the trials: an axis of the heat map.
struct SweepField {
    std::string path;
    QString name;        ///< short: "tp", "ZeRO", "mb"
    QStringList values;  ///< in order, formatted
};

/// The constant part of a sweep: its file, its trials and their plans.
struct SweepPlan {
    std::string document;  ///< as stored
    SweepFile file;
    std::vector<Trial> trials;
    std::vector<RunFigures> forecasts;
    std::vector<SweepField> fields;
    std::vector<std::vector<int>> valueOf;  ///< [trial][field], index into SweepField::values
    bool isNamed = false;                   ///< the file itself names some of its trials
    std::vector<std::string> repeatOf;      ///< equal for trials that differ only in their seed
};

struct SweepTrial {
    TrialStatus status = TrialStatus::Planned;
    std::string reason;
    RunId run;  ///< empty: none was started
    RunFigures forecast;
    RunFigures measured;
    std::optional<double> seconds;  ///< wall clock, from start to end
    std::optional<std::int64_t> startedUnixMilliseconds;
    std::int64_t lastStep = 0, numSteps = 0;
};

struct SweepCounts {
    int total = 0, completed = 0, failed = 0, skipped = 0, running = 0;  ///< failed: out of memory included
    [[nodiscard]] int waiting() const { return total - completed - failed - skipped - running; }
    [[nodiscard]] int settled() const { return completed + failed + skipped; }
    void add(TrialStatus status);
};

/// State of a sweep; Interrupted: begun, but not run by a program now.
enum class SweepStage { Running, Pausing, Stopping, Paused, Interrupted, Completed, Failed };

struct SweepData {
    SweepId id;
    QString name;
    std::shared_ptr<const SweepPlan> plan;
    std::vector<SweepTrial> trials;  ///< as many as plan->trials
    SweepCounts counts;
    SweepStage stage = SweepStage::Paused;
    std::int64_t createdUnixMilliseconds = 0;
    double usedSeconds = 0;             ///< of all trials together
    std::optional<double> secondsLeft;  ///< from the speed so far; empty until known, and when nothing remains
    QString host;                       ///< of the newest run; empty: this computer
    std::optional<Error> error;         ///< reason why the sweep cannot be shown
};

/// One line of the list.
struct SweepRow {
    SweepId id;
    QString name;
    SweepStage stage = SweepStage::Paused;
    SweepCounts counts;
    RunFigures best;                      ///< best of any trial for each figure
    QString bestTrial;                    ///< with the best MFU, or the best speed without one
    std::optional<double> forecastError;  ///< median of |forecast / measured step time - 1|
    std::int64_t createdUnixMilliseconds = 0;
    double usedSeconds = 0, budgetSeconds = 0;  ///< 0: no budget
    QString host;
};

/// Rows of ended sweeps, cached by the list from one reading to the next.
using SweepRowCache = std::map<std::string, SweepRow>;

/// @param known the plan of an earlier call; reused while the document is the same
SweepData loadSweep(const Home& home, const SweepId& id, std::shared_ptr<const SweepPlan> known);
/// Newest first.
Result<std::vector<SweepRow>> loadSweeps(const Home& home, SweepRowCache& cache, const std::stop_token& token);

/// The axes of trials and the planner's result for each. "bad_sweep".
Result<std::shared_ptr<const SweepPlan>> makeSweepPlan(const std::string& document, const std::string& where);

/// Figures for colouring a sweep, best known first.
inline constexpr const char* kSweepMeasures[] = {
    "mfu", "tokens_per_second_per_device", "step_seconds", "memory_peak_bytes", "bubble_fraction", "final_loss"};
std::optional<double> RunFigures::*measureOf(std::string_view key);
/// Whether smaller is better: times, memory, bubble, loss.
bool isLessBetter(std::string_view key);
/// The value of a trial for comparisons: measured by a completed run, and finite.
std::optional<double> valueOf(const SweepTrial& trial, std::string_view measure);
/// The best trial; -1 when there is none.
int bestTrial(const SweepData& data, std::string_view measure);
/// "tp 2, pp 4": the values of some fields.
QString settingsText(const SweepPlan& plan, std::size_t trial, const std::vector<int>& fields);
/// A trial's name in the file, or else the values of all fields.
QString trialName(const SweepPlan& plan, std::size_t trial);
/// The state and, for a trial that did not run, the reason.
QString outcomeText(const SweepTrial& trial);
QString stageText(SweepStage stage);

}  // namespace slipway::gui
