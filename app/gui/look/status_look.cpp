#include "app/gui/look/status_look.h"

#include "app/gui/look/theme.h"

namespace slipway::gui {

Icon statusIcon(RunStatus status) {
    switch (status) {
        case RunStatus::Planned: return Icon::Planned;
        case RunStatus::Queued: return Icon::Queued;
        case RunStatus::Running: return Icon::Running;
        case RunStatus::Completed: return Icon::Completed;
        case RunStatus::Failed: return Icon::Failed;
        case RunStatus::Cancelled: return Icon::Cancelled;
        case RunStatus::Lost: return Icon::Lost;
    }
    return Icon::Lost;
}

QColor statusColour(RunStatus status) {
    const Theme& t = theme();
    switch (status) {
        case RunStatus::Running: return t.accent;
        case RunStatus::Completed: return t.ok;
        case RunStatus::Failed: return t.bad;
        case RunStatus::Lost: return t.warn;
        default: return t.idle;
    }
}

}  // namespace slipway::gui
