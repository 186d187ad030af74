// Curves over one axis with marked points: each curve has its colour, dash and letter, each mark its text. A line
// follows the pointer or the arrow keys and lists every curve's value there.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/plot_frame.h"

#include <vector>

namespace slipway::gui {

struct PlottedCurve {
    QString name;
    QString letter;               ///< at its right end
    std::vector<QPointF> points;  ///< finite, x ascending
};
struct PlottedMark {
    QPointF at;
    QString text;
    int curve = 0;          ///< index of the curve with its colour
    bool isHollow = false;  ///< in addition to its curve's main mark
};

/// The box, moved by its own height until it covers none of the others, not below `bottom`.
QRectF clearOf(const QRectF& box, const std::vector<QRectF>& taken, double bottom);

class CurvePlot : public PaintedWidget {
    Q_OBJECT

public:
    explicit CurvePlot(QWidget* parent = nullptr);
    /// The y axis spans the first curve and all marks; other curves are clipped to it.
    /// @param whenEmpty text in the middle without curves
    void setCurves(std::vector<PlottedCurve> curves, std::vector<PlottedMark> marks, PlotAxis x, PlotAxis y,
                   const QString& whenEmpty = {});
    /// For tests.
    [[nodiscard]] const std::vector<PlottedCurve>& curves() const { return m_curves; }

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QStringList linesAt(std::size_t point) const;
    void moveTo(int point);

    std::vector<PlottedCurve> m_curves;
    std::vector<PlottedMark> m_marks;
    PlotFrame m_frame;
    QString m_whenEmpty;
    int m_cursor = -1;  ///< index of a point of the first curve
};

}  // namespace slipway::gui
