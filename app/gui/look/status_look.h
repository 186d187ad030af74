// The icon and the colour of a run's status, the same on every page.
#pragma once

#include "app/gui/look/icons.h"
#include "core/spec/run_dir.h"

#include <QColor>

namespace slipway::gui {

Icon statusIcon(RunStatus status);
QColor statusColour(RunStatus status);

}  // namespace slipway::gui
