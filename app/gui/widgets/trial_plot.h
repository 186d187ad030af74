// Two figures of trials against each other (look.md 6): with a diagonal, forecast against measurement; with a step
// line, the best of all trials up to each one. Failed trials are crosses at the foot.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/plot_frame.h"

#include <vector>

namespace slipway::gui {

struct TrialPoint {
    double x = 0;
    double y = 0;   ///< NaN: failed
    QString name;   ///< first line of the tip
    int trial = 0;  ///< argument of chosen() and activated()
};

class TrialPlot : public PaintedWidget {
    Q_OBJECT

public:
    enum class Guide { None, Diagonal, BestHighest, BestLowest };
    explicit TrialPlot(QWidget* parent = nullptr);
    /// @param x, y ranges are determined here @param xEnd least end of the x axis: remaining trials
    void setPoints(std::vector<TrialPoint> points, PlotAxis x, PlotAxis y, Guide guide, double xEnd = 0);
    /// Marks a trial; -1: none.
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
    [[nodiscard]] bool failed(const TrialPoint& point) const;
    [[nodiscard]] int nearest(const QPointF& at) const;
    [[nodiscard]] int chosenPoint() const;
    [[nodiscard]] QStringList tipLines(const TrialPoint& point) const;
    void paintAxes(QPainter& painter) const;

    std::vector<TrialPoint> m_points;  ///< by x
    std::vector<std::size_t> m_records;
    PlotFrame m_frame;
    Guide m_guide = Guide::None;
    int m_chosen = -1;  ///< a trial
    int m_hover = -1;   ///< index of a point
};

}  // namespace slipway::gui
