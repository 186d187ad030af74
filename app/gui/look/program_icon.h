// The icon of the program's windows, painted as packaging/desktop/slipway.svg has it: Qt reads SVG only with a plug-in.
#pragma once

#include <QIcon>

namespace slipway::gui {

QIcon programIcon();

}  // namespace slipway::gui
