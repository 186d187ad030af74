#include "app/gui/widgets/metric_chart_lines.h"

#include "app/gui/widgets/metric_chart.h"

#include <QAreaSeries>
#include <QChart>
#include <QLineSeries>
#include <QValueAxis>
#include <utility>

namespace slipway::gui {

ChartLines::ChartLines(QChart* chart) : m_chart(chart), m_x(new QValueAxis(chart)), m_y(new QValueAxis(chart)) {
    for (QValueAxis* axis : {m_x, m_y}) {
        axis->setLabelsVisible(false);
        axis->setGridLineVisible(false);
        axis->setLineVisible(false);
        axis->setTickCount(2);
        axis->setRange(0, 1);
        chart->addAxis(axis, axis == m_x ? Qt::AlignBottom : Qt::AlignLeft);
    }
}

void ChartLines::show(const ChartState& state, bool isLayered) {
    const QRectF& range = state.range;
    const auto place = [&](const QPointF& p) {
        return QPointF((p.x() - range.left()) / range.width(), (state.toAxis(p.y()) - range.top()) / range.height());
    };
    std::vector<Band> bands;
    std::vector<Line> lines;
    for (const Curve& curve : state.curves) {
        if (isLayered) break;
        Band band;
        for (qsizetype i = 0; i < curve.low.size() && i < curve.high.size(); ++i) {
            if (!state.drawable(curve.low[i].y()) || !state.drawable(curve.high[i].y())) continue;
            band.low.append(place(curve.low[i]));
            band.high.append(place(curve.high[i]));
        }
        band.fill = state.bandOf(curve);
        if (band.low.size() > 1) bands.push_back(std::move(band));
        // A broken line is several series: Qt Charts draws NaN points as garbage.
        QList<QPointF> part;
        const auto flush = [&] {
            if (part.isEmpty()) return;
            constexpr double kDot = 2e-3;  // of the width: a single point is visible
            if (part.size() == 1) part.append(part.front() + QPointF(kDot, 0));
            lines.push_back({std::exchange(part, {}), state.penOf(curve)});
        };
        for (const QPointF& p : curve.points) {
            if (state.drawable(p.y()))
                part.append(place(p));
            else
                flush();
        }
        flush();
    }

    if (bands.size() != m_bands.size() || lines.size() != m_lines.size()) make(bands.size(), lines.size());
    const auto replace = [](QLineSeries* series, const QList<QPointF>& points) {
        if (series->points() != points) series->replace(points);
    };
    for (std::size_t i = 0; i < bands.size(); ++i) {
        replace(m_bands[i]->lowerSeries(), bands[i].low);
        replace(m_bands[i]->upperSeries(), bands[i].high);
        m_bands[i]->setBrush(bands[i].fill);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        replace(m_lines[i], lines[i].points);
        m_lines[i]->setPen(lines[i].pen);
    }
}

/// Bands first: they are drawn below all lines.
void ChartLines::make(std::size_t numBands, std::size_t numLines) {
    m_chart->removeAllSeries();
    m_bands.clear();
    m_lines.clear();
    const auto attach = [this](QAbstractSeries* series) {
        m_chart->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_y);
    };
    while (m_bands.size() < numBands) {
        auto* band = new QAreaSeries;
        band->setLowerSeries(new QLineSeries(band));
        band->setUpperSeries(new QLineSeries(band));
        band->setPen(Qt::NoPen);
        attach(band);
        m_bands.push_back(band);
    }
    while (m_lines.size() < numLines) {
        auto* line = new QLineSeries;
        attach(line);
        m_lines.push_back(line);
    }
}

}  // namespace slipway::gui
