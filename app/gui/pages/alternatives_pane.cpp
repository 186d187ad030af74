#include "app/gui/pages/alternatives_pane.h"

#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/tables.h"

#include <QHeaderView>

namespace slipway::gui {

AlternativesPane::AlternativesPane(SearchController& search, QWidget* parent)
    : AlternativesPane(search, new QTableView, parent) {}

AlternativesPane::AlternativesPane(SearchController& search, QTableView* table, QWidget* parent)
    : Pane(tr("Step time within 1 %"), table, parent), m_search(search), m_table(table) {
    using R = AlternativeRow;
    m_rows = new RowsModel<R>(
        {{tr("Instead"),
          [](const R& r) { return r.change; },
          Qt::AlignLeft,
          {},
          {},
          [](const R& r) { return layoutWords(r.layout.parallel, r.layout.microBatchSize, r.layout.recompute); }},
         {tr("Step time"),
          [](const R& r) { return deltaText(r.slower); },
          Qt::AlignRight,
          {},
          {},
          [](const R& r) { return secondsText(r.layout.step.stepSeconds); }},
         {tr("Memory"), [](const R& r) { return bytesText(r.layout.memoryPeakBytes); }, Qt::AlignRight}},
        this);
    m_table->setObjectName(QStringLiteral("alternatives"));
    m_table->setModel(m_rows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    prepareTable(m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->setMinimumHeight(px(26 + 2 * 25));
    setFlush(true);
    setToolTip(tr(
        "Layouts with nearly the same forecast as the selected one: shard groups, offload, layers of the end stages, ranks swapped between data and context parallelism, chunks per rank. Enter applies one."));
    connect(&m_search, &SearchController::alternativesChanged, this, &AlternativesPane::showRows);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const R row = m_rows->rows()[static_cast<std::size_t>(index.row())];
        m_search.apply(row.layout);
        emit applied(row.change);
    });
    offerFormulas(
        m_table,
        [](const QModelIndex& index) -> std::string {
            return index.column() == 1 ? "step_seconds" : index.column() == 2 ? "memory_peak_bytes" : "";
        },
        [this](const QModelIndex& index) {
            return m_search.planOf(m_rows->rows()[static_cast<std::size_t>(index.row())].layout);
        });
    showRows();
}

void AlternativesPane::ask(int row) {
    m_row = row;
    m_search.askAlternatives(row < 0 ? m_search.rows().size() : static_cast<std::size_t>(row));
}

void AlternativesPane::showRows() {
    std::vector<AlternativeRow> rows;
    const auto& found = m_search.alternatives();
    if (found && m_row >= 0 && m_row < static_cast<int>(m_search.rows().size())) {
        const FoundLayout& chosen = m_search.rows()[static_cast<std::size_t>(m_row)].layout;
        const RunConfig from = chosen.applied(m_search.request().config);
        for (const FoundLayout& layout : *found)
            rows.push_back({layout, layoutChangeWords(from, layout.applied(m_search.request().config)),
                            layout.step.stepSeconds / chosen.step.stepSeconds - 1});
    }
    const int count = static_cast<int>(rows.size());
    m_rows->setRows(std::move(rows));
    setSideText(m_row < 0    ? tr("of the selected layout")
                : !found     ? QString()
                : count == 0 ? tr("none")
                             : tr("%n nearly equal layout(s), Enter applies one", nullptr, count));
}

}  // namespace slipway::gui
