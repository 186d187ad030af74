// Activity of ranks within one step (look.md 15, Ranks): a row for each rank, passes above and collectives below, waits hatched, and the
// share of each in the visible part. Wheel zooms from the step to a span, dragging moves, arrows move and + - 0 zoom.
//   timeline->setRows({{.stage = 1, .spans = spans}});
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "app/gui/widgets/time_window.h"
#include "core/run/rank_spans.h"

#include <vector>

namespace slipway::gui {

struct TimelineRow {
    std::int64_t stage = 0;
    bool isChosen = false;  ///< its name is bold
    RankSpans spans{};
};

class SpanTimeline : public PaintedWidget {
    Q_OBJECT

public:
    explicit SpanTimeline(QWidget* parent = nullptr);

    /// The visible part stays when the step's length is unchanged.
    void setRows(std::vector<TimelineRow> rows);
    [[nodiscard]] QString windowText() const { return m_window.text(m_total); }
    /// Fraction of the visible part in which the rank computes.
    [[nodiscard]] double busyShare(std::size_t row) const;
    [[nodiscard]] double collectiveShare(std::size_t row) const;

    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString valueAtCursor() const override;
    [[nodiscard]] DataTable dataTable() const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

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
        std::size_t row = 0;
        QString text;
    };
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] double pitch() const;
    [[nodiscard]] double xOf(double seconds) const;
    void paintRow(QPainter& painter, std::size_t row);
    void paintRuler(QPainter& painter) const;
    void zoom(double factor, double atSeconds);
    void moveBy(double seconds);
    [[nodiscard]] double sharedBy(double seconds) const;

    std::vector<TimelineRow> m_rows;
    double m_total = 0;
    TimeWindow m_window;
    std::vector<Hit> m_hits;
    int m_hover = -1;
    QPointF m_at, m_pressed;
    double m_pressedFrom = 0;
};

}  // namespace slipway::gui
