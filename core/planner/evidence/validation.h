// Accuracy of the planner's forecasts of measured runs: overall and by group, against the noise of the measurements.
//   const ValidationReport report = validateForecasts(table->runs, nullptr);
#pragma once

#include "core/base/field_table.h"
#include "core/base/json.h"
#include "core/base/reason_counts.h"
#include "core/planner/evidence/calibrate.h"
#include "core/planner/stack/two_point.h"

#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace slipway {

/// A measured run with its forecast.
struct ForecastRow {
    const MeasuredRun* run = nullptr;
    double stepSeconds = 0;
    double stepLow = 0, stepHigh = 0;  ///< its 80 % interval
    TwoPoint ways;                     ///< both possible step times
    double memoryBytes = 0;
    bool fits = false;
};

/// Errors are |forecast / measured - 1|; NaN where nothing was measured.
struct Scores {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::size_t rows = 0, stepRows = 0, memoryRows = 0, fitRows = 0;
    double memoryMedian = kNone, memoryP90 = kNone, fitAccuracy = kNone, fitAccuracyPp1 = kNone;
    double stepMedian = kNone, stepP90 = kNone, spearman = kNone, top1Regret = kNone, top5Regret = kNone;
    double stepHeld = kNone;  ///< share of the measured step times inside their intervals
};

/// Differences between repeated measurements of one layout: the floor under every forecast's error.
struct NoiseFloor {
    std::size_t repeatedLayouts = 0;                              ///< measured twice or more
    double stepMedian = Scores::kNone, stepMost = Scores::kNone;  ///< |one / mean of its layout - 1|
    double memoryMedian = Scores::kNone, memoryMost = Scores::kNone;
    std::size_t contradicted = 0;  ///< layouts that both ran and failed
    /// Scores of an ideal forecast that knows every row, with errors drawn for each row from repeated runs of one
    /// layout; a layout with both outcomes is correct in the more frequent one. Mean of kDraws tables.
    Scores scores;
    static constexpr std::size_t kDraws = 32;
};

/// Our forecasts beside another planner's on the rows with a published forecast; mean and largest error.
struct HeadToHead {
    struct Errors {
        double mean = Scores::kNone, worst = Scores::kNone;
    };
    std::size_t rows = 0;
    Errors ourStep, theirStep, ourMemory, theirMemory;
};

enum class RivalKind { Dense, Mixture };
constexpr auto enumNames(RivalKind) {
    return std::array{EnumName<RivalKind>{RivalKind::Dense, "dense", "dense models"_text},
                      EnumName<RivalKind>{RivalKind::Mixture, "mixture", "mixtures of experts"_text}};
}

struct ValidationReport {
    std::size_t numRows = 0;
    ReasonCounts refused;
    Scores all;
    std::vector<std::pair<std::string, Scores>> groups;  ///< "model ...", "nodes ...", "source ...", "clean tier", ...
    NoiseFloor noise;
    /// By planner, and of each for both kinds of models: a win on one does not imply a win on the other.
    std::map<std::string, std::map<RivalKind, HeadToHead>> rivals;
    std::vector<ForecastRow> rows;  ///< of table.runs, which must outlive the report
};

/// @param calibration null: textbook figures
ValidationReport validateForecasts(const MeasuredTable& table, const Calibration* calibration);

/// Forecasts each row by a calibration on the other folds (rows of one layout stay together), so that no row evaluates
/// a figure fitted to it.
ValidationReport crossValidate(const MeasuredTable& table, std::int64_t folds);

/// Held-out unit of a validation.
enum class LeaveOut { Models, Nodes, Clusters, Cells, Sources };
constexpr auto enumNames(LeaveOut) {
    using Name = EnumName<LeaveOut>;
    return std::array{Name{LeaveOut::Models, "models", "each model in turn"_text},
                      Name{LeaveOut::Nodes, "nodes", "only clusters of more than 16 nodes"_text},
                      Name{LeaveOut::Clusters, "clusters", "each device and number of nodes in turn"_text},
                      Name{LeaveOut::Cells, "cells", "each model on each cluster in turn"_text},
                      Name{LeaveOut::Sources, "sources", "each published source in turn"_text}};
}
/// Largest cluster in the fit of LeaveOut::Nodes.
constexpr std::int64_t kFittedNodes = 16;

/// Forecasts each part by a calibration on all other rows: how far a calibration generalizes.
ValidationReport leaveOut(const MeasuredTable& table, LeaveOut what);

/// {"rows", "memory": {...}, "step_time": {...}, "groups": [{"name", ...}], "noise_floor": {...}, "refused": {...}};
/// errors as fractions, unknown figures null.
Json validationJson(const ValidationReport& report);

/// Stacks with their figures, units, uncertainties and explanations.
Json calibrationJson(const Calibration& calibration);

}  // namespace slipway
