// State of a metric chart, and all of its drawing that does not need a chart library: ranges, ticks, grid, axis labels,
// marks of non-finite points, letters at the lines' ends, the read-out at the pointer.
#pragma once

#include <QColor>
#include <QPair>
#include <QPen>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <QVector>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace slipway::gui {

/// One line with its optional band. At most 2,000 points each (metrics::thin before).
struct Curve {
    QString name;
    QString letter;              ///< shown at the right end; empty: none
    int colour = 0;              ///< series index: colour and dash
    bool solid = false;          ///< no dash for any index
    bool baseline = false;       ///< dashed text2
    bool faint = false;          ///< thin and pale: the raw line under a smoothed one; not in the read-out
    QVector<QPointF> points;     ///< ascending x; a NaN y breaks the line
    QVector<QPointF> low, high;  ///< min/max band, same x; empty: none
    QVector<double> nonFinite;   ///< x of NaN and infinite values

    bool operator==(const Curve&) const = default;
};

/// An event at a position on the axis: its number is in a lane under the plot.
struct ChartEvent {
    double x = 0;
    QString label;
    bool isBad = false;
};

/// A constant to compare with: a forecast with its interval, or a limit (dotted).
struct Reference {
    double value = 0;
    double low = 0, high = 0;  ///< equal: no band
    bool limit = false;

    bool operator==(const Reference&) const = default;
};

/// The chart's data and view in one place. Pixels are of the widget; `plot` is where curves are drawn.
struct ChartState {
    std::vector<Curve> curves;
    std::optional<Reference> reference;
    std::optional<double> warmUp;
    QVector<double> marks;
    QVector<ChartEvent> events;
    bool clip = false;  ///< the y axis excludes the outermost twentieth of the points at each end
    bool logY = false;
    bool zeroBased = false;
    QString xName;
    std::function<QString(double)> yFormat = plainNumber;
    bool bytes = false;  ///< of the y axis: ticks are round in KiB, MiB, GiB
    std::function<QString(double)> xFormat = plainNumber;
    std::optional<double> pointer;
    std::optional<QPair<double, double>> zoom;
    std::optional<QPointF> dragFrom, dragTo;
    QRectF range;  ///< of the axes; y is log10 when logY
    int leftOut = 0;
    int clipped = 0;  ///< points beyond a clipped axis
    QRectF plot;
    QSizeF size;

    static QString plainNumber(double value);
    [[nodiscard]] double toAxis(double y) const { return logY ? std::log10(y) : y; }
    [[nodiscard]] double fromAxis(double y) const { return logY ? std::pow(10, y) : y; }
    [[nodiscard]] bool drawable(double y) const { return std::isfinite(y) && (!logY || y > 0); }
    [[nodiscard]] double pixelX(double x) const {
        return plot.left() + (x - range.left()) / range.width() * plot.width();
    }
    [[nodiscard]] double pixelY(double y) const {
        return plot.bottom() - (toAxis(y) - range.top()) / range.height() * plot.height();
    }
    [[nodiscard]] double valueX(double pixel) const {
        return range.left() + (pixel - plot.left()) / plot.width() * range.width();
    }
    [[nodiscard]] QColor colourOf(const Curve& curve) const;
    [[nodiscard]] QPen penOf(const Curve& curve) const;
    [[nodiscard]] QColor bandOf(const Curve& curve) const;

    /// Sets range and leftOut from the curves, the reference and the zoom.
    void computeRange();
    [[nodiscard]] QVector<double> yTicks() const;
    /// Warm-up, grid and forecast band: under the curves.
    void paintBelow(QPainter& painter) const;
    /// Bands and lines as vectors, clipped to the plot: for files. On the screen a chart library or curve_layer.h draws them.
    void paintCurves(QPainter& painter) const;
    /// Axes, marks, letters, read-out: over the curves.
    void paintAbove(QPainter& painter) const;

private:
    void clipRange(double& low, double& high);
    void paintEvents(QPainter& painter) const;
    void paintLetters(QPainter& painter) const;
    void paintReadOut(QPainter& painter) const;
    [[nodiscard]] QStringList readOut(double x) const;
};

}  // namespace slipway::gui
