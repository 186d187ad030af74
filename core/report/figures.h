// The figures of comparison reports, from trials to data.
#pragma once

#include "core/base/message.h"
#include "core/report/build_report.h"

namespace slipway {

using Member = std::optional<double> RunFigures::*;

/// A number inside a forecast document, such as step.step_seconds_low; empty when it is absent or null.
std::optional<double> forecastPart(const TrialResult& trial, const std::string& section, const std::string& key);

/// The common basis of all forecasts of the trials; empty when they have none or differ.
std::string commonLabel(const std::vector<TrialResult>& trials);
/// Bases of the trials' forecasts, each once: "calibrated; textbook".
std::string labelsOf(const std::vector<TrialResult>& trials);
/// A forecast's 80 % interval; for throughput and MFU it follows from that of the step time. Empty where none is known.
std::optional<std::pair<double, double>> forecastInterval(const TrialResult& trial, Member member);
/// "forecast, textbook": a word for a forecast with its basis, where all trials share it.
std::string withLabel(const Message& word, const std::vector<TrialResult>& trials, Language language);

/// Maximum rows and curves in a figure.
constexpr std::size_t kMostRows = 24, kMostCurves = 8;
/// The trials, or the fastest if too many, in their order.
std::vector<TrialResult> drawnTrials(const std::vector<TrialResult>& trials, std::size_t most);

/// One measured bar and one forecast mark per trial.
BarFigure barFigure(const std::vector<TrialResult>& trials, const Message& title, const Message& unit, Member member,
                    NumberFormat format, Language language);
/// The most readable binary unit for bytes up to `maximum`: 1, KiB, MiB or GiB.
double byteUnit(double maximum);
/// Whether there is anything to draw.
bool hasAny(const BarFigure& figure);
/// The forecast's parts of the worst rank with the measured peak; empty when no forecast has parts.
std::optional<StackFigure> memoryFigure(const std::vector<TrialResult>& trials, Language language);
/// Observed, simulated and theoretical bubble of the trials that have a pipeline; empty when none has.
std::optional<BarFigure> bubbleFigure(const std::vector<TrialResult>& trials, Language language);
/// The loss over steps, and each trial's difference to the first.
std::vector<LineFigure> lossFigures(const std::vector<TrialResult>& trials, const ReportData& data, Language language);

/// The fields that a sweep varies as rows and columns, with the best point of each cell; points that did not run are
/// numbered as in reasonsTable(). Empty where no field varies, or one varies too finely for cells.
std::optional<HeatFigure> heatFigure(const std::vector<TrialResult>& trials, Language language);

/// Why points did not run as planned: one row for reasons that differ only in figures.
std::optional<Table> reasonsTable(const std::vector<TrialResult>& trials, Language language);

}  // namespace slipway
