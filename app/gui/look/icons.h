// Small line icons, painted: no image files, sharp at every size and in every theme.
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace slipway::gui {

enum class Icon {
    Plan,
    Runs,
    Run,
    Compare,
    Sweeps,
    Nodes,
    Playbook,
    Tools,
    Settings,  // pages
    Planned,
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
    Lost,
    Skipped,  // status (look.md 3)
    Good,
    Warning,
    Error,
    Info,
    ArrowDown,
    ArrowRight
};

/// Paints the icon into a square rect with the given ink.
void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& ink);

}  // namespace slipway::gui
