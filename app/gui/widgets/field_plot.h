// A figure of runs against a config field or another figure (look.md 6, 15). Compared runs have their colour and letter, other runs are
// hollow; forecasts are ticks; failed runs are crosses in a separate lane, with the reason in the tip.
//   plot->setPoints(points);   plot->setKind(FieldPlot::Kind::Boxes);   plot->setLog(false, true);
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/plot_frame.h"

#include <QPointF>
#include <QSet>
#include <optional>
#include <vector>

namespace slipway::gui {

struct FieldPoint {
    QString x;                      ///< category as shown
    std::optional<double> xNumber;  ///< orders the categories; the position on a numeric axis
    double y = 0;                   ///< NaN: failed or unknown
    std::optional<double> forecast;
    QString name;
    QString letter;        ///< empty: another run
    int colour = -1;       ///< series index; -1: hollow
    QString id = {};       ///< argument of activated()
    QString reason = {};   ///< reason for a missing y
    QString repeats = {};  ///< equal for runs that differ only in their seed; empty: unknown
};

class FieldPlot : public PaintedWidget {
    Q_OBJECT

public:
    /// Boxes: minimum, quartiles, median and maximum of repeats; runs without repeats stay points.
    enum class Kind { Points, Bars, Boxes };

    explicit FieldPlot(QWidget* parent = nullptr);
    void setPoints(std::vector<FieldPoint> points);
    void setKind(Kind kind);
    void setNames(const QString& xName, const QString& yName);
    /// @param bytes ticks are round in KiB, MiB, GiB
    void setYFormat(std::function<QString(double)> format, bool bytes = false);
    /// Logarithmic axes. A numeric x needs values above 0, else it stays linear; y omits and counts other values.
    void setLog(bool x, bool y);
    /// A bar at the median of each category.
    void setMedians(bool on);
    /// Marks runs: they are filled, the others faint. Empty: none.
    void setSelected(const QSet<QString>& ids);

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    /// For tests: categories along x, in order; empty with a numeric axis (more than twelve different numbers).
    [[nodiscard]] QStringList categories() const { return m_categories; }
    [[nodiscard]] int numFailed() const;
    /// Points that the logarithmic axis cannot show.
    [[nodiscard]] int numLeftOut() const;
    /// For tests: boxes drawn last.
    [[nodiscard]] int numBoxes() const { return static_cast<int>(m_boxes.size()); }
    /// Ticks of the y axis in its last layout.
    [[nodiscard]] QVector<double> yTicks() const { return m_frame.y.ticks(4); }
    [[nodiscard]] const std::vector<FieldPoint>& points() const { return m_points; }
    /// Area of points and crosses in the last layout.
    [[nodiscard]] QRectF area() const { return m_frame.area; }
    [[nodiscard]] QRectF lane() const { return m_lane; }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// A point was double-clicked, or Enter was pressed at it.
    void activated(const QString& id);
    /// A rectangle was dragged (or Space pressed) over these runs; a click outside all points selects none.
    void selected(const QStringList& ids);

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Place {
        QPointF at;
        std::size_t point;
    };
    struct Box {
        double x = 0;
        std::vector<double> values;  ///< ascending
        int colour = -1;
    };
    void layOut();
    void findRanges();
    void place(const std::vector<int>& categoryOf);
    void makeBoxes();
    [[nodiscard]] bool drawable(double y) const;
    void paintColumns(QPainter& painter) const;
    void paintLane(QPainter& painter) const;
    void paintMedians(QPainter& painter) const;
    void paintBoxes(QPainter& painter) const;
    void paintPoint(QPainter& painter, const Place& place) const;
    void paintLetters(QPainter& painter) const;
    [[nodiscard]] QStringList tipLines(const FieldPoint& point) const;

    std::vector<FieldPoint> m_points;
    PlotFrame m_frame;
    QRectF m_lane;
    QStringList m_categories;
    std::vector<Place> m_places;  ///< of the drawn points
    std::vector<Box> m_boxes;
    QSet<QString> m_boxed;  ///< repeats drawn as boxes
    Kind m_kind = Kind::Points;
    bool m_logX = false, m_medians = false;
    QSet<QString> m_selected;
    std::optional<std::size_t> m_hover;  ///< index into m_places
    std::optional<QPointF> m_dragFrom, m_dragTo;
};

}  // namespace slipway::gui
