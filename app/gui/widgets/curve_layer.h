// Very many curves as one picture, for MetricChart with more series than Qt Charts handles quickly.
#pragma once

#include "app/gui/widgets/chart_state.h"

#include <QImage>

namespace slipway::gui {

/// The curves of the state in a transparent picture of its plot; each pixel column shows the range of a curve there, so
/// no spike is lost. Faint curves and bands are drawn fainter. @param ratio device pixels per logical pixel
QImage drawCurves(const ChartState& state, qreal ratio);

}  // namespace slipway::gui
