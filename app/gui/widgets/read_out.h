// The box of figures beside the pointer of a picture; it never leaves the picture.
//   paintReadOut(painter, placeReadOut(rect(), pointer, {"step 120", "loss 3.21"}));
#pragma once

#include <QPointF>
#include <QRectF>
#include <QStringList>

class QPainter;

namespace slipway::gui {

struct ReadOut {
    QRectF box;
    QStringList lines;  ///< the first is demi-bold; elided to the box
};

/// Right of the point, else left of it, else as far as there is room; lines that have none are elided or left out.
ReadOut placeReadOut(const QRectF& bounds, const QPointF& at, QStringList lines);
void paintReadOut(QPainter& painter, const ReadOut& readOut);

}  // namespace slipway::gui
