// The lines and bands of a metric chart as series of Qt Charts. A newer version of the curves changes the series in place.
#pragma once

#include "app/gui/widgets/chart_state.h"

#include <QList>

class QAreaSeries;
class QChart;
class QLineSeries;
class QValueAxis;

namespace slipway::gui {

class ChartLines {
public:
    /// With axes from 0 to 1 that are not visible: at each change of a range Qt Charts lays out its axes again.
    explicit ChartLines(QChart* chart);

    /// The curves of the state in its range; none if they are drawn as a layer (curve_layer.h).
    void show(const ChartState& state, bool isLayered);

private:
    struct Band {
        QList<QPointF> low, high;
        QColor fill;
    };
    struct Line {
        QList<QPointF> points;
        QPen pen;
    };
    void make(std::size_t numBands, std::size_t numLines);

    QChart* m_chart;  // owns the axes and the series
    QValueAxis* m_x;
    QValueAxis* m_y;
    std::vector<QAreaSeries*> m_bands;
    std::vector<QLineSeries*> m_lines;
};

}  // namespace slipway::gui
