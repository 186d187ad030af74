// The icon of the program's windows, painted to match packaging/desktop/slipway.svg: Qt reads SVG only with a plug-in.
#pragma once

#include <QIcon>

namespace slipway::gui {

QIcon programIcon();

}  // namespace slipway::gui
