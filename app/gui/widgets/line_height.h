// Heights that hold a line of text in any font: CJK fonts have lines a quarter taller than Latin ones.
#pragma once

#include "app/gui/theme.h"

#include <QFontMetrics>
#include <algorithm>

namespace slipway::gui {

/// At least px(units), for text at a size relative to the system font.
inline int lineHeight(double units, double relativeSize = 1.0) {
    return std::max(px(units), QFontMetrics(fontOf(relativeSize)).height());
}

}  // namespace slipway::gui
