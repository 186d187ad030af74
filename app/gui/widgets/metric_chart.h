// Curves over steps, tokens, time or FLOPs. The only class that uses Qt Charts: it draws lines and bands there, more
// than kMaxChartSeries curves in a separate layer (curve_layer.h), with axes, marks, letters and the read-out painted
// on top (chart_state.h).
//   chart->setCurves({{.name = "loss", .points = ...}});   chart->setLogY(true);
#pragma once

#include "app/gui/widgets/chart_state.h"
#include "app/gui/widgets/painted_widget.h"

#include <QPointF>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::gui {

class MetricChart : public QWidget {
    Q_OBJECT

public:
    static constexpr std::size_t kMaxChartSeries = 100;

    explicit MetricChart(QWidget* parent = nullptr);
    ~MetricChart() override;

    void setCurves(std::vector<Curve> curves);
    void setReference(std::optional<Reference> reference);
    /// x up to which points count as warm-up (sunken background); empty: none.
    void setWarmUp(std::optional<double> x);
    /// Ticks under the axis: checkpoints, attempts.
    void setMarks(QVector<double> xs);
    /// Numbers above the axis: events of runs.
    void setEvents(QVector<ChartEvent> events);
    /// Excludes the outermost points from the y axis; they are marked at the edge.
    void setClip(bool on);
    void setLogY(bool on);
    void setZeroBased(bool on);  ///< the y axis begins at 0
    /// Text instead of axes while no curve has a point.
    void setEmptyText(const QString& text);
    void setXName(const QString& name);
    /// @param bytes ticks are round in KiB, MiB, GiB
    void setYFormat(std::function<QString(double)> format, bool bytes = false);
    void setXFormat(std::function<QString(double)> format);

    /// Shared by the charts of a page: pointer line and zoom. Empty removes or resets.
    void setPointer(std::optional<double> x);
    void setZoom(std::optional<QPair<double, double>> range);

    [[nodiscard]] const std::vector<Curve>& curves() const;
    [[nodiscard]] bool logY() const;
    [[nodiscard]] std::optional<double> pointer() const;
    /// For tests: points that a log axis cannot show.
    [[nodiscard]] int numLeftOut() const;
    /// For tests: shown range of x and y, in data units.
    [[nodiscard]] QRectF shownRange() const;
    /// For tests: points beyond a clipped axis.
    [[nodiscard]] int numClipped() const;
    [[nodiscard]] DataTable dataTable() const;
    [[nodiscard]] QString summary() const;

signals:
    void pointerMoved(std::optional<double> x);
    void zoomed(std::optional<QPair<double, double>> range);
    void logChanged(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace slipway::gui
