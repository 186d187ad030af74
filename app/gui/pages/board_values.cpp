#include "app/gui/pages/board_values.h"

#include "app/gui/pages/compare_data.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/metric_chooser.h"
#include "core/base/units.h"

#include <QCoreApplication>
#include <QTableWidget>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kMaxRows = 100;

/// The point nearest to x, as in the tip of a chart; empty before the first one, beyond the end and where the line is broken.
std::optional<double> valueAt(const Curve& curve, std::optional<double> x) {
    const double end = curve.points.back().x();
    if (x && *x > end) return {};
    const auto after = std::upper_bound(curve.points.begin(), curve.points.end(), x.value_or(end),
                                        [](double at, const QPointF& p) { return at < p.x(); });
    if (after == curve.points.begin()) return {};
    auto found = after - 1;
    if (x && after != curve.points.end() && after->x() - *x < *x - found->x()) found = after;
    const double y = found->y();
    return std::isfinite(y) ? std::optional(y) : std::nullopt;
}

void setCell(QTableWidget& table, int row, int column, const QString& text) {
    auto* item = table.item(row, column);
    if (!item) {
        item = new QTableWidgetItem;
        item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        table.setItem(row, column, item);  // the table owns it
    }
    item->setText(text);
}

}  // namespace

QString metricText(const std::string& metric, double value) {
    return metric == "grad_norm" || metric == "lr" ? qs(formatSignificant(value, 3)) : figureText(metric, value);
}

int fillReadOut(QTableWidget& table, const BoardData& data, const std::vector<BoardChart>& charts,
                std::optional<double> x) {
    const int rows = std::min(kMaxRows, static_cast<int>(data.runs.size()));
    QStringList headers{QCoreApplication::translate("BoardData", "Run")};
    for (const BoardChart& chart : charts) headers << metricTitle(qs(chart.metric));
    table.setColumnCount(static_cast<int>(headers.size()));
    table.setRowCount(rows);
    table.setHorizontalHeaderLabels(headers);
    for (int row = 0; row < rows; ++row) {
        const BoardRun& run = data.runs[static_cast<std::size_t>(row)];
        setCell(table, row, 0, run.letter + QStringLiteral("  ") + run.name);
    }
    for (std::size_t c = 0; c < charts.size(); ++c) {
        const BoardChart& chart = charts[c];
        std::vector<std::optional<double>> values(data.runs.size());
        for (std::size_t i = 0; i < chart.curves.size(); ++i)
            if (!chart.curves[i].faint && !chart.curves[i].points.isEmpty())
                values[static_cast<std::size_t>(chart.runs[i])] = valueAt(chart.curves[i], x);
        for (int row = 0; row < rows; ++row) {
            const auto& value = values[static_cast<std::size_t>(row)];
            QString text = value ? metricText(chart.metric, *value) : notApplicableText();
            if (row > 0 && value && values[0])
                text += QStringLiteral("   ") + differenceText(chart.metric, value, values[0]);
            setCell(table, row, static_cast<int>(c) + 1, text);
        }
    }
    table.resizeColumnsToContents();
    if (rows > 0 && !table.currentIndex().isValid()) table.setCurrentCell(0, 0);
    return rows;
}

}  // namespace slipway::gui
