// The curves and the plot of the page Compare, from the controller's newest data.
#include "app/gui/pages/compare_page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/field_plot.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/pane.h"
#include "core/base/units.h"

#include <QComboBox>
#include <QLabel>
#include <algorithm>

namespace slipway::gui {

void ComparePage::showCurves() {
    const CompareData& compared = m_controller.data();
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < compared.groups.size(); ++i)
        if (m_controller.isVisible(static_cast<int>(i))) curves.push_back(compared.groups[i].curve);
    const std::string metric = m_controller.request().metric;
    m_chart->setYFormat(
        [metric](double value) {
            return metric == "grad_norm" || metric == "lr" ? qs(formatSignificant(value, 3))
                                                           : figureText(metric, value);
        },
        metric.ends_with("_bytes"));
    m_chart->setXName(curveXName(m_controller.request().x));
    const CurveX x = m_controller.request().x;
    m_chart->setXFormat([x](double value) {
        return qs(x == CurveX::Time    ? formatSeconds(value)
                  : x == CurveX::Flops ? formatSignificant(value, 3)
                                       : formatShort(value));
    });
    m_chart->setEmptyText(
        curves.empty()
            ? tr("No run selected.")
            : tr("These runs did not record this figure. Runs of result tables have no steps; the table below compares their figures."));
    m_chart->setCurves(std::move(curves));
    m_curvesPane->setTitle(m_metric->currentText());
    m_curvesPane->setSideText(
        m_chart->curves().empty() ||
                std::any_of(m_chart->curves().begin(), m_chart->curves().end(),
                            [](const Curve& c) { return !c.points.isEmpty() || !c.nonFinite.isEmpty(); })
            ? QString()
            : tr("not recorded by these runs"));
}

void ComparePage::showPlot() {
    const CompareData& compared = m_controller.data();
    std::vector<FieldPoint> points;
    for (const PlotPoint& p : compared.points)
        points.push_back({p.x, p.xNumber, p.y, p.group >= 0 ? p.forecast : std::nullopt, p.name,
                          p.group >= 0 ? compared.groups[static_cast<std::size_t>(p.group)].letter : QString(), p.group,
                          exactText(p.run.value), p.reason});
    const std::string y = m_controller.request().plotY;
    m_plot->setYFormat([y](double value) { return figureText(y, value); }, y.ends_with("_bytes"));
    const QString yName = m_plotY->currentText();
    const QString xName = m_plotX->chosenName();
    m_plot->setNames(xName, yName);
    // The choosers in the head have both names: there is no room for them twice.
    m_plotPane->setTitle(tr("Plot"));
    m_plot->setAccessibleName(tr("%1 by %2").arg(yName, xName));
    QString side = y == "mfu" && !compared.plotRule.isEmpty()
                       ? tr("%1, tick: forecast").arg(mfuRuleText(compared.plotRule.toStdString()))
                       : tr("tick: forecast");
    if (compared.numOthers > kMaxOtherRuns)
        side += QStringLiteral("; ") +
                tr("hollow: the newest %1 of %2 other runs")
                    .arg(countText(kMaxOtherRuns), countText(static_cast<double>(compared.numOthers)));
    if (compared.numWithoutValue > 0)
        side = tr("%n run(s) without a value", nullptr, static_cast<int>(compared.numWithoutValue)) +
               QStringLiteral("; ") + side;
    m_plotNote->setText(wordJoined(side));
    m_plot->setPoints(std::move(points));
}

}  // namespace slipway::gui
