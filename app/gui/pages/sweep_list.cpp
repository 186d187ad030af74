#include "app/gui/pages/sweep_list.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/tables.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QTableView>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

class StageDelegate : public RowDelegate {
public:
    using RowDelegate::RowDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        if (index.column() != 0) return;
        const auto* model = dynamic_cast<const RowsModel<SweepRow>*>(index.model());
        if (model == nullptr) return;
        const SweepStage stage = model->rows()[static_cast<std::size_t>(index.row())].stage;
        paintIcon(*painter, stageIcon(stage),
                  QRectF(option.rect.left() + px(16), option.rect.center().y() - px(6), px(12), px(12)),
                  stageColour(stage));
    }

protected:
    [[nodiscard]] int textIndent(const QModelIndex& index) const override { return index.column() == 0 ? px(28) : 0; }
};

}  // namespace

Icon stageIcon(SweepStage stage) {
    switch (stage) {
        case SweepStage::Running: return Icon::Running;
        case SweepStage::Pausing:
        case SweepStage::Stopping:
        case SweepStage::Paused: return Icon::Cancelled;
        case SweepStage::Interrupted: return Icon::Lost;
        case SweepStage::Completed: return Icon::Completed;
        case SweepStage::Failed: return Icon::Failed;
    }
    return Icon::Planned;
}

QColor stageColour(SweepStage stage) {
    const Theme& t = theme();
    switch (stage) {
        case SweepStage::Running: return t.accent;
        case SweepStage::Interrupted: return t.warn;
        case SweepStage::Completed: return t.ok;
        case SweepStage::Failed: return t.bad;
        default: return t.idle;
    }
}

QString budgetText(double usedSeconds, double budgetSeconds) {
    if (budgetSeconds <= 0) return usedSeconds > 0 ? secondsText(usedSeconds) : unknownText();
    return SweepList::tr("%1 of %2").arg(secondsText(usedSeconds), secondsText(budgetSeconds));
}

SweepList::SweepList(QWidget* parent) : QWidget(parent) {
    using R = SweepRow;
    const auto number = [](int value) { return countText(value); };
    m_model = new RowsModel<R>(
        {{tr("Sweep"),
          [](const R& r) { return r.name; },
          Qt::AlignLeft,
          {},
          {},
          [](const R& r) { return qs(r.id.value); }},
         {tr("State"), [](const R& r) { return stageText(r.stage); }, Qt::AlignLeft},
         {tr("Done"), [number](const R& r) { return number(r.counts.completed); }, Qt::AlignRight},
         {tr("Failed"), [number](const R& r) { return number(r.counts.failed); }, Qt::AlignRight,
          [](const R& r) { return r.counts.failed > 0 ? theme().bad : QColor(); }},
         {tr("Skipped"), [number](const R& r) { return number(r.counts.skipped); }, Qt::AlignRight},
         {tr("Trials"), [number](const R& r) { return number(r.counts.total); }, Qt::AlignRight},
         {tr("Best MFU"), [](const R& r) { return percentText(r.best.mfu); }, Qt::AlignRight},
         {tr("Best tokens/s/device"), [](const R& r) { return countText(r.best.tokensPerSecondPerDevice); },
          Qt::AlignRight},
         {tr("Best trial"),
          [](const R& r) { return r.bestTrial.isEmpty() ? unknownText() : r.bestTrial; },
          Qt::AlignLeft,
          {},
          {},
          [](const R& r) { return r.bestTrial; }},
         {tr("Forecast error"),
          [](const R& r) { return r.forecastError ? percentText(*r.forecastError) : unknownText(); },
          Qt::AlignRight,
          {},
          {},
          [](const R&) { return tr("Median difference between forecast and measured step time."); }},
         {tr("Started"), [](const R& r) { return dateText(r.createdUnixMilliseconds); }, Qt::AlignLeft},
         {tr("Time used"), [](const R& r) { return budgetText(r.usedSeconds, r.budgetSeconds); }, Qt::AlignRight},
         {tr("Host"), [](const R& r) { return r.host.isEmpty() ? tr("this computer") : r.host; }, Qt::AlignLeft}},
        this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("sweeps"));
    m_table->setAccessibleName(tr("Sweeps"));
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    prepareTable(m_table);
    m_table->setItemDelegate(new StageDelegate(m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &SweepList::openMenu);
    connect(m_table, &QTableView::activated, this, [this] { emit wanted(currentSweep()); });
    keepColumnsFitted(m_table, {12, 7, 9, 10});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
}

void SweepList::setRows(std::vector<SweepRow> rows) {
    const SweepId before = currentSweep();
    m_model->setRows(std::move(rows));
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->rows()[static_cast<std::size_t>(row)].id == before) m_table->selectRow(row);
    fitColumns(m_table, {12, 7, 9, 10});
}

SweepId SweepList::currentSweep() const {
    const int row = m_table->currentIndex().row();
    return row >= 0 && row < m_model->rowCount() ? m_model->rows()[static_cast<std::size_t>(row)].id : SweepId();
}

void SweepList::openMenu(const QPoint& at) {
    const SweepId id = currentSweep();
    if (id.empty()) return;
    QMenu menu(this);
    menu.addAction(tr("Open the sweep"), this, [this, id] { emit wanted(id); });
    menu.addAction(tr("Copy id"), this, [id] { QApplication::clipboard()->setText(exactText(id.value)); });
    menu.exec(m_table->viewport()->mapToGlobal(at));
}

}  // namespace slipway::gui
