// Two figures of trials against each other (look.md 6): with a diagonal, forecast against measurement; with a step line,
// the best of all trials up to each one. What failed is a cross at the foot.
#pragma once

#include "app/gui/widgets/painted_widget.h"

#include <functional>
#include <vector>

namespace slipway::gui {

struct TrialPoint {
    double x = 0;
    double y = 0;   ///< NaN: failed
    QString name;   ///< first line of the tip
    int trial = 0;  ///< what chosen() and activated() name
};

class TrialPlot : public PaintedWidget {
    Q_OBJECT

public:
    enum class Guide { None, Diagonal, BestHighest, BestLowest };
    using Format = std::function<QString(double)>;
    /// One axis: its name, its figures in words, and whether its ticks are round in bytes or whole.
    struct Axis {
        QString name;
        Format format = [](double value) { return QString::number(value); };
        bool isBytes = false;
        bool isWhole = false;
    };

    explicit TrialPlot(QWidget* parent = nullptr);
    /// @param xEnd x axis at least up to here: trials still to come
    void setPoints(std::vector<TrialPoint> points, Axis x, Axis y, Guide guide, double xEnd = 0);
    /// The trial that is marked; -1: none.
    void setChosen(int trial);
    [[nodiscard]] const std::vector<TrialPoint>& points() const { return m_points; }
    /// The corners of the step line: each trial that was better than all before it.
    [[nodiscard]] const std::vector<std::size_t>& records() const { return m_records; }
    [[nodiscard]] QPointF placeOf(std::size_t point) const;

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// A point was clicked or reached by the arrows.
    void chosen(int trial);
    /// Enter or a double click.
    void activated(int trial);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut();
    [[nodiscard]] QVector<double> ticks(const Axis& axis, double high, int wanted) const;
    [[nodiscard]] bool failed(const TrialPoint& point) const;
    [[nodiscard]] int nearest(const QPointF& at) const;
    [[nodiscard]] int chosenPoint() const;
    [[nodiscard]] QStringList tipLines(const TrialPoint& point) const;
    void paintAxes(QPainter& painter) const;

    std::vector<TrialPoint> m_points;  ///< by x
    std::vector<std::size_t> m_records;
    Axis m_x, m_y;
    Guide m_guide = Guide::None;
    double m_xMin = 0, m_xMax = 1, m_yMin = 0, m_yMax = 1;
    QRectF m_area;
    int m_chosen = -1;  ///< a trial
    int m_hover = -1;   ///< index of a point
};

}  // namespace slipway::gui
