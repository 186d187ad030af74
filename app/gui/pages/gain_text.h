// The gain of a piece of advice, in the window's words.
//   row.text += gainText(plan, gain);   // "tp 4 → 2: a step of 3.74 s instead of 4.15 s (-9.9 %), memory ..."
#pragma once

#include "core/planner/variants/gain.h"

#include <QString>

namespace slipway::gui {

/// With the figures before and after, in the units of the window.
QString gainText(const Plan& plan, const AdviceGain& gain);

}  // namespace slipway::gui
