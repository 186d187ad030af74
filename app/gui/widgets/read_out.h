// The box of figures next to the pointer of a picture; it never leaves the picture.
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

/// Right of the point, else left of it, else where it fits; lines that do not fit are elided or omitted.
ReadOut placeReadOut(const QRectF& bounds, const QPointF& at, QStringList lines);
void paintReadOut(QPainter& painter, const ReadOut& readOut);

}  // namespace slipway::gui
