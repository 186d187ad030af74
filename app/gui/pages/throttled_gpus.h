// Which GPUs run below their clock, in a sentence.
#pragma once

#include "app/gui/pages/run_data.h"

#include <QString>
#include <vector>

namespace slipway::gui {

/// The ranks whose GPU is throttled, with the reasons; empty when none is.
QString throttledText(const std::vector<RankState>& ranks);

}  // namespace slipway::gui
