// An experiment as a sweep, and its record: measurements, forecasts and the verdict.
//   SweepFile file = *sweepOf(experiment, true);   ExperimentCost cost = costOf(file, cluster);
//   Json record = recordOf(experiment, measurementsOf(*result), circumstances);
#pragma once

#include "core/playbook/verdict.h"
#include "core/sweep/sweep_result.h"

#include <map>

namespace slipway {

/// The sweep file of an experiment: its points once per repeat, repeats outermost, so that a slow minute of the machine
/// affects all points equally. Repeats differ only in train.seed; `repeats` replaces their number. "no_sweep" where
/// there is nothing to train, "bad_sweep" for errors in it.
Result<SweepFile> sweepOf(const Experiment& experiment, bool isShort, std::optional<std::int64_t> repeats = {});

/// Files of an experiment for another machine: its sweep file, or, with `asScript` or without a sweep, its job for
/// other programs. Errors as in sweepOf().
Result<std::string> exportOf(const Experiment& experiment, bool isShort, bool asScript);

/// Whether an experiment has something to run on this machine: laptop ones everywhere, the others where there are GPUs enough, one, a
/// node of eight, or a cluster of 64.
bool runsOn(const Experiment& experiment, const ClusterSpec& machine);

/// The point of a trial of sweepOf(): "repeat 2, DP 2" -> "DP 2"; empty for other names.
std::string pointOf(const std::string& trial);

/// Forecast cost of an experiment, before any start.
struct ExperimentCost {
    std::size_t points = 0;  ///< without repeats
    std::size_t runs = 0;
    std::optional<double> seconds;  ///< forecast of all runs with their starts; unknown where any forecast is
    double diskBytes = 0;           ///< checkpoints that remain, and streams of metrics
    struct Skipped {
        std::string run, reason;
    };
    std::vector<Skipped> skipped;  ///< each point once
    std::string device;            ///< of the library, where other hardware than this computer is planned for
};
/// One form of an experiment on `here`; what needs other hardware is planned on H100s of the library, as many as its largest point needs.
/// "no_sweep" where there is nothing to run but a job for other programs.
Result<ExperimentCost> costOf(const Experiment& experiment, bool isShort, const ClusterSpec& here,
                              std::optional<std::int64_t> repeats = {});

/// metric -> point -> one value per repeat. `forecast` has the planner's forecast at the start, in the same form.
struct Measurements {
    using ByPoint = std::map<std::string, std::vector<double>>;
    std::map<std::string, ByPoint> measured, forecast;

    [[nodiscard]] Samples of(const Claim& claim) const;
    /// The claim's figure as forecast; empty where a side has no forecast.
    [[nodiscard]] std::optional<double> forecastOf(const Claim& claim) const;
};
/// Completed trials of a sweep made by sweepOf(): every known figure of a run.
Measurements measurementsOf(const SweepResult& result);
/// `slipway-trainer bench --comm --json`, once per repeat: metric "seconds", points "all_reduce 1024".
void addCommBench(const Json& report, Measurements& measurements);
/// Experiment L15 on synthetic pairs: metrics "caught_share" and "formula_share", points "9 x 13, similarity 0.8"; one repeat per seed.
void addNearDuplicates(std::uint64_t seed, bool isShort, Measurements& measurements);

/// Place and time of a measurement.
struct Circumstances {
    std::int64_t unixMilliseconds = 0;
    std::string host, version, sweepId;
    std::string processor;  ///< model of the CPU; empty in older records
    std::int64_t cpus = 1;
    double load = 0;  ///< running processes at its start
    bool isShort = false;
};

struct ClaimResult {
    const Claim* claim = nullptr;
    Judgement judgement;
    std::optional<double> forecast;
    /// forecast / measured - 1; empty for differences, where one of them may be 0, and without either.
    [[nodiscard]] std::optional<double> forecastError() const {
        if (!forecast || judgement.repeats == 0 || claim->kind != ClaimKind::Ratio || judgement.measured == 0)
            return {};
        return *forecast / judgement.measured - 1;
    }
    bool wasBusy = false;  ///< a time measured alongside other work: inconclusive for any result
};
/// Evaluates each claim. Times measured while other programs used the CPUs are inconclusive; losses and bytes are not affected.
std::vector<ClaimResult> evaluateClaims(const Experiment& experiment, const Measurements& measurements, bool isBusy);
/// At least as many running processes as CPUs before the start.
bool wasBusy(double load, std::int64_t cpus);

/// The record: circumstances, all measurements, forecasts. A plain document that can be stored, committed and evaluated again.
Json recordOf(const Experiment& experiment, const Measurements& measurements, const Circumstances& circumstances);
/// Whether a document is a record; the check for imports from another machine. "bad_record" with the missing part.
Result<void> checkRecord(const Json& record);
/// The measurements of a record; empty for a document that is not a record.
Measurements measurementsOf(const Json& record);

}  // namespace slipway
