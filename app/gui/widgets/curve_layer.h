// Very many curves, or very long lines, as one picture: for a MetricChart that Qt Charts does not draw quickly.
#pragma once

#include "app/gui/widgets/chart_state.h"

#include <QImage>

namespace slipway::gui {

/// Whether Qt Charts would take more than a frame for the curves: it dashes and smooths every pixel of a line's way, so the noise of five
/// runs takes a second.
bool isDense(const ChartState& state);

/// The curves of the state in a transparent picture of its plot; each pixel column shows the range of a curve there, so
/// no spike is lost. Faint curves and bands are drawn fainter. @param ratio device pixels per logical pixel
QImage drawCurves(const ChartState& state, qreal ratio);

}  // namespace slipway::gui
