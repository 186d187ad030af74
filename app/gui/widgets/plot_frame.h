// The frame of a plot of points: two axes with their ticks and texts, the grid, and the positions of values. The
// contents are drawn by the widget.
//   m_frame.y = {tr("MFU"), format, 0, 0.4};   m_frame.layOut(size(), 0, 0);   painter.drawPoint(m_frame.at(2, 0.38));
#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QVector>
#include <functional>

class QPainter;

namespace slipway::gui {

/// Meaning of the points or lines of a picture, in its texts.
enum class PlotSubject { Layouts, Runs };

/// One axis: name, number format, range and tick rounding.
struct PlotAxis {
    QString name;
    std::function<QString(double)> format = [](double value) { return QString::number(value); };
    double low = 0, high = 1;
    bool isBytes = false;  ///< ticks are round in KiB, MiB, GiB
    bool isWhole = false;  ///< ticks are whole numbers
    bool isLog = false;    ///< low is above 0

    [[nodiscard]] QVector<double> ticks(int wanted) const;
    /// Position of a value, in [0, 1] within the range and beyond it outside.
    [[nodiscard]] double share(double value) const;
};

struct PlotFrame {
    PlotAxis x, y;
    QRectF area;  ///< area of the points

    /// Reserves space on the left for the labels of y, below for the labels of x, plus `above` and `below`.
    void layOut(const QSizeF& size, double above, double below);
    [[nodiscard]] double xOf(double value) const { return area.left() + x.share(value) * area.width(); }
    [[nodiscard]] double yOf(double value) const { return area.bottom() - y.share(value) * area.height(); }
    [[nodiscard]] QPointF at(double xValue, double yValue) const { return {xOf(xValue), yOf(yValue)}; }
    /// Grid lines with the labels of y, and the line at the foot.
    void paintRows(QPainter& painter) const;
    /// Labels of x below the foot; they never overlap and end before `right`.
    void paintColumns(QPainter& painter, double right) const;
};

/// The pieces of a line inside an area, clipped to its edges. Vector files do not support clipping: painting does it itself.
QVector<QPolygonF> insideOf(const QRectF& area, const QPolygonF& line);

/// The mark of a failure.
void paintCross(QPainter& painter, const QPointF& at, double radius);

}  // namespace slipway::gui
