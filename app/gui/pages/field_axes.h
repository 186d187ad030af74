// Runs as lines of parallel coordinates and as points of a Pareto front, from the data of the charts over fields. No widgets here.
//   plot->setAxes(runAxes(data, fields, {"mfu"}), names);
#pragma once

#include "app/gui/pages/fields_data.h"
#include "app/gui/widgets/parallel_plot.h"
#include "app/gui/widgets/pareto_plot.h"
#include "core/store/run_view.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway::gui {

/// The heading of a field's axis: short, since an axis is as wide as its labels.
QString axisName(const std::string& field);
/// Fields with an axis by default.
const std::vector<std::string>& defaultAxisFields();

/// Share of the variance of `y` explained by an axis of words: epsilon squared, eta squared less the share that as many
/// groups explain by chance (T. Kelley, "An Unbiased Correlation Ratio Measure", PNAS 21 (1935), p. 554). Lines where
/// either is unknown are omitted; 0 where too few remain.
double explainedShare(const ParallelAxis& axis, const std::vector<double>& y);

/// One axis for each field, weighted by its explained share of the last measure, then one for each measure.
/// @param fields with their cells in the rows of the data @param measures keys of measured figures
std::vector<ParallelAxis> runAxes(const FieldsData& data,
                                  const std::vector<std::pair<std::string, std::size_t>>& fields,
                                  const std::vector<std::string>& measures);
/// The filter equivalent to the ranges of the axes; empty where there is none: a range includes failed runs.
std::optional<std::string> rangesAsFilter(const std::vector<ParallelPlot::Limit>& limits, const FieldsData& data,
                                          const std::vector<std::pair<std::string, std::size_t>>& fields,
                                          const std::vector<std::string>& measures);

/// The ranges as a saved view keeps them, and back; an axis that the view does not name has none, and a range without an axis is dropped.
std::vector<ViewRange> rangesOf(const std::vector<ParallelPlot::Limit>& limits, const FieldsData& data,
                                const std::vector<std::pair<std::string, std::size_t>>& fields,
                                const std::vector<std::string>& measures);
std::vector<ParallelPlot::Limit> limitsOf(const std::vector<ViewRange>& ranges, const FieldsData& data,
                                          const std::vector<std::pair<std::string, std::size_t>>& fields,
                                          const std::vector<std::string>& measures);

/// Two figures of each run; a run without one of them, also a failed one, is a NaN point.
std::vector<ParetoPoint> paretoOf(const FieldsData& data, const std::string& x, const std::string& y);

}  // namespace slipway::gui
