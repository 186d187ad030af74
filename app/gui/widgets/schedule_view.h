// A pipeline step over time: one row per stage, forecast above and, when there is one, measurement below.
// Wheel zooms from one step to one slot, dragging moves, arrows move and + - 0 zoom.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/time_window.h"
#include "core/planner/plan.h"

#include <vector>

namespace slipway::gui {

class ScheduleView : public PaintedWidget {
    Q_OBJECT

public:
    explicit ScheduleView(QWidget* parent = nullptr);

    struct Tail {
        double reduceSeconds = 0;     ///< exposed gradient reduction after the last pass
        double optimizerSeconds = 0;  ///< clipping, optimizer and fixed overhead
    };
    /// @param ranksPerStage for the tip's "ranks 16–23"; 0 when unknown
    void setForecast(std::vector<TimeSpan> spans, Tail tail, std::int64_t ranksPerStage);
    /// Measured spans of the same stages; empty removes the lower half rows.
    void setMeasured(std::vector<TimeSpan> spans);

    /// "0.0 – 4.4 s of 17.4 s" when zoomed, else empty.
    [[nodiscard]] QString windowText() const { return m_window.text(totalSeconds()); }

    QString summary() const override;
    QString valueAtCursor() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void windowChanged();

protected:
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Hit {
        QRectF rect;
        const TimeSpan* span;
        bool measured;
    };
    [[nodiscard]] double totalSeconds() const;
    [[nodiscard]] int numStages() const;
    [[nodiscard]] QRectF plotRect() const;
    [[nodiscard]] double xOf(double seconds) const;
    void zoom(double factor, double atSeconds);
    void moveBy(double seconds);
    void paintSpans(QPainter& painter, const std::vector<TimeSpan>& spans, double top, double pitch, double rowHeight,
                    bool measured);
    [[nodiscard]] QStringList tipLines(const Hit& hit) const;

    std::vector<TimeSpan> m_forecast;
    std::vector<TimeSpan> m_measured;
    Tail m_tail;
    std::int64_t m_ranksPerStage = 0;
    TimeWindow m_window;
    std::vector<Hit> m_hits;
    int m_hover = -1;
    QPointF m_at;
    QPointF m_pressed;
    double m_pressedFrom = 0;
};

}  // namespace slipway::gui
