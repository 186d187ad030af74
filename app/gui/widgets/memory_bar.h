// One bar per pipeline stage (or moment, or plan): the parts of a rank's memory, against the device's capacity.
#pragma once

#include "app/gui/widgets/painted_widget.h"
#include "core/planner/plan.h"

#include <optional>
#include <vector>

namespace slipway::gui {

/// One bar: its owner, a second line in small type, its parts, and a run's measured peak if any.
struct MemoryRow {
    QString title;
    QString below;
    MemoryBreakdown bytes;
    std::optional<double> measuredPeakBytes = {};  ///< drawn as a black tick
};

class MemoryBar : public PaintedWidget {
    Q_OBJECT

public:
    explicit MemoryBar(QWidget* parent = nullptr);

    /// @param capacityBytes NaN when unknown: no capacity line.
    void setMemory(std::vector<StageMemory> stages, std::size_t worstStage, double capacityBytes);
    /// Other bars than stages: moments of a step, plans side by side. `worst` is bold.
    void setRows(const QString& heading, std::vector<MemoryRow> rows, std::size_t worst, double capacityBytes);
    /// "GiB" or "MiB", the unit of the axis.
    [[nodiscard]] QString unit() const;

    QString summary() const override;
    QString valueAtCursor() const override;
    DataTable dataTable() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A part, or with Enter the total of the worst row, was chosen: "memory.weight_bytes", "memory_peak_bytes".
    void asked(std::size_t row, const std::string& figure);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintStill(QPainter& painter) override;
    void paintMoving(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Hit {
        QRectF rect;
        std::size_t row;
        int part;
    };
    [[nodiscard]] double unitBytes() const;
    [[nodiscard]] QStringList tipLines(const Hit& hit) const;
    /// @return number of its lines
    int paintLegend(QPainter& painter) const;

    std::vector<MemoryRow> m_rows;
    QString m_heading;
    std::size_t m_worst = 0;
    double m_capacity;
    std::vector<Hit> m_hits;
    int m_hover = -1;
    QPointF m_at;
};

}  // namespace slipway::gui
