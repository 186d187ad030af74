#include "app/gui/pages/bubble_row.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/pane.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

namespace slipway::gui {

BubbleRow::BubbleRow(QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(px(16));
    grid->setVerticalSpacing(0);
    const char* names[] = {"bubbleTheory", "bubbleSimulated", "bubbleObserved"};
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        Cell& cell = m_cells[i];
        cell.figure = linkButton({}, this);
        cell.figure->setObjectName(QString::fromLatin1(names[i]));
        cell.figure->setToolTip(i < 2 ? tr("Formula, inputs and source") : tr("How it is measured"));
        cell.meaning = quietLabel({}, this, kSideSize);
        cell.meaning->setWordWrap(true);
        grid->addWidget(cell.figure, 0, static_cast<int>(i), Qt::AlignLeft);
        grid->addWidget(cell.meaning, 1, static_cast<int>(i), Qt::AlignTop);
        grid->setColumnStretch(static_cast<int>(i), 1);
        connect(cell.figure, &QPushButton::clicked, this, [this, i] { open(i); });
    }
    m_cells[0].meaning->setText(tr("equal stages, free messages"));
    m_cells[1].meaning->setText(tr("this schedule's passes and messages"));
}

void BubbleRow::setRun(std::shared_ptr<const RunView> view) {
    m_view = std::move(view);
    const RunFigures& forecast = m_view->record.forecast;
    // Runs recorded before there were both kept the simulated one alone.
    const auto simulated = forecast.bubbleSimulated ? forecast.bubbleSimulated : forecast.bubbleFraction;
    std::optional<double> observed = m_view->record.measured.bubbleFraction;
    const auto& steps = m_view->waiting.buckets;
    const bool isMedian = observed.has_value();
    if (!observed && !steps.empty()) observed = steps.back().last;
    m_cells[0].figure->setText(tr("In theory %1").arg(percentText(forecast.bubbleTheoretical)));
    m_cells[1].figure->setText(tr("Simulated %1").arg(percentText(simulated)));
    m_cells[2].figure->setText(tr("Observed %1").arg(percentText(observed)));
    m_cells[2].meaning->setText(!observed  ? tr("not recorded")
                                : isMedian ? tr("idle share of the ranks, median after warm-up")
                                           : tr("idle share of the ranks, latest step"));
}

QStringList BubbleRow::texts() const {
    QStringList out;
    for (const Cell& cell : m_cells) out << cell.figure->text();
    return out;
}

void BubbleRow::open(std::size_t cell) {
    if (cell < 2)
        return ExplainDialog::open(m_cells[cell].figure, m_view ? m_view->plan : nullptr,
                                   cell == 0 ? "bubble_theoretical" : "bubble_simulated");
    showHelp(
        m_cells[cell].figure,
        tr("1 − time in passes ÷ (stages × time from the first pass to the last), mean over the pipelines, in each "
           "step. Stragglers and exposed messages are part of it."));
}

}  // namespace slipway::gui
