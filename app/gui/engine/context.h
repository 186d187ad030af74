// Shared objects of all pages and controllers: the home, the engine, the window's settings.
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
