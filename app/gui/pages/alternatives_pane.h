// Next to the layouts of a search: those as fast as the selected one, which the short list omits. Enter applies one.
//   auto* pane = new AlternativesPane(search, parent);   pane->ask(row);
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/search_controller.h"
#include "app/gui/widgets/pane.h"

class QTableView;

namespace slipway::gui {

/// A layout of the selected one's family.
struct AlternativeRow {
    FoundLayout layout;
    QString change;     ///< differences from the selected one
    double slower = 0;  ///< fraction of the selected one's step, in [0, kSameForecast]
};

class AlternativesPane : public Pane {
    Q_OBJECT

public:
    AlternativesPane(SearchController& search, QWidget* parent);
    /// Shows the alternatives of a row of the search; -1: none.
    void ask(int row);

signals:
    void applied(const QString& change);

private:
    AlternativesPane(SearchController& search, QTableView* table, QWidget* parent);
    void showRows();

    SearchController& m_search;
    RowsModel<AlternativeRow>* m_rows;
    QTableView* m_table;
    int m_row = -1;
};

}  // namespace slipway::gui
