// What every page and controller may reach: where runs live, who writes, what the window remembers.
#pragma once

#include "app/gui/engine/engine.h"
#include "app/gui/engine/settings.h"

#include <QUndoStack>

namespace slipway::gui {

struct Context {
    Engine& engine;
    Settings& settings;
};

}  // namespace slipway::gui
