// Runs as lines of parallel coordinates and as points of a Pareto front, from the data of the charts over fields. No widgets here.
//   plot->setAxes(runAxes(data, fields, {"mfu"}), names);
#pragma once

#include "app/gui/pages/fields_data.h"
#include "app/gui/widgets/parallel_plot.h"
#include "app/gui/widgets/pareto_plot.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway::gui {

/// The head of a field's axis: short, as an axis is as wide as its labels.
QString axisName(const std::string& field);
/// Fields that runs have an axis for unless others are asked for.
const std::vector<std::string>& defaultAxisFields();

/// Share of the variance of `y` that an axis of words explains: epsilon squared, eta squared less what as many groups
/// explain by chance (T. Kelley, "An Unbiased Correlation Ratio Measure", PNAS 21 (1935), p. 554). Lines where either is
/// unknown are left out; 0 where too few are left.
double explainedShare(const ParallelAxis& axis, const std::vector<double>& y);

/// One axis for each field, weighted by what it explains of the last measure, then one for each measure.
/// @param fields with their cells in the rows of the data @param measures keys of figures, as measured
std::vector<ParallelAxis> runAxes(const FieldsData& data,
                                  const std::vector<std::pair<std::string, std::size_t>>& fields,
                                  const std::vector<std::string>& measures);
/// The filter that keeps what the ranges of the axes keep; empty where no filter can: a range takes failed runs in.
std::optional<std::string> rangesAsFilter(const std::vector<ParallelPlot::Limit>& limits, const FieldsData& data,
                                          const std::vector<std::pair<std::string, std::size_t>>& fields,
                                          const std::vector<std::string>& measures);

/// Two figures of each run that ran; a run without one of them is a point of NaN, failed runs too.
std::vector<ParetoPoint> paretoOf(const FieldsData& data, const std::string& x, const std::string& y);

}  // namespace slipway::gui
