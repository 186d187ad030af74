// Two figures of many layouts or runs against each other (look.md 6): filled points are Pareto-optimal, joined by a
// step line; the plan is a diamond. Click, or arrows and Enter, choose one.
//   plot->setPoints(points);   plot->setNames(tr("Speed"), tr("Memory"));   plot->setSelected(3);
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/plot_frame.h"

#include <functional>
#include <optional>
#include <vector>

namespace slipway::gui {

struct ParetoPoint {
    double x = 0;
    double y = 0;
    bool isCurrent = false;
    QString name;  ///< first line of the tip
};

class ParetoPlot : public PaintedWidget {
    Q_OBJECT

public:
    using Format = std::function<QString(double)>;

    explicit ParetoPlot(QWidget* parent = nullptr);
    /// Points with an unknown figure are counted in the caption, not drawn.
    void setPoints(std::vector<ParetoPoint> points);
    void setNames(const QString& xName, const QString& yName);
    /// @param bytes ticks of y are round in KiB, MiB, GiB
    void setFormats(Format x, Format y, bool bytes = false);
    /// By default more of x and less of y is better.
    void setBetter(bool moreX, bool moreY);
    void setSubject(PlotSubject subject) { m_subject = subject; }
    /// Index into the points; -1: none.
    void setSelected(int index);
    /// Filtered-out points are drawn faint; one flag per point, empty: all pass.
    void setPassing(std::vector<bool> passing);
    [[nodiscard]] int selected() const { return m_selected; }
    /// Indices of the front in the two figures shown, from the worst x to the best.
    [[nodiscard]] const std::vector<std::size_t>& front() const { return m_front; }
    /// Position of a point; for tests and screen readers.
    [[nodiscard]] QPointF placeOf(std::size_t index) const;

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// A point was clicked or reached by the arrows.
    void chosen(int index);
    /// Enter or a double click on a point.
    void activated(int index);

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
    void findFront();
    [[nodiscard]] bool isDrawn(std::size_t index) const;
    [[nodiscard]] bool passes(std::size_t index) const { return index >= m_passing.size() || m_passing[index]; }
    [[nodiscard]] int nearest(const QPointF& at) const;
    [[nodiscard]] bool isOnFront(std::size_t index) const { return index < m_isOnFront.size() && m_isOnFront[index]; }
    [[nodiscard]] QStringList tipLines(std::size_t index) const;

    std::vector<ParetoPoint> m_points;
    std::vector<bool> m_passing;
    std::vector<std::size_t> m_front;
    std::vector<bool> m_isOnFront;  ///< as many as points
    bool m_moreX = true, m_moreY = false;
    PlotSubject m_subject = PlotSubject::Layouts;
    PlotFrame m_frame;
    int m_selected = -1, m_hover = -1;
};

}  // namespace slipway::gui
