// Found layouts as the axes of parallel coordinates and as the sentences of "why not this one". No widgets here.
#pragma once

#include "app/gui/pages/search_controller.h"
#include "app/gui/widgets/parallel_plot.h"

#include <QStringList>
#include <vector>

namespace slipway::gui {

/// One axis for each choice of a layout, weighted by its explained share of the step time, then step time, memory and
/// MFU (device-hours where devices differ).
std::vector<ParallelAxis> layoutAxes(const std::vector<FoundRow>& rows);

/// The answer, verdict first: core's own sentences in English, composed from the same figures in other languages.
QStringList whySentences(const WhyAnswer& answer);

/// Outcomes of the layouts, most frequent first: "1,204,224 need more memory than a rank has".
QStringList countSentences(const LayoutSearch& found);

}  // namespace slipway::gui
