// The published benchmark of layouts, ranked again by one rule: the best layout of each model on each number of nodes, all layouts of the
// selected one, including failed ones, and the original's mistakes. The page is fetched on request, or read from a file.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/playbook_controller.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTableView;

namespace slipway::gui {

class Pane;
class StatePanel;

class PlaybookBenchmark : public QWidget {
    Q_OBJECT

public:
    PlaybookBenchmark(PlaybookController& controller, QWidget* parent);
    void showAll();
    /// The best layouts above those of the selected row.
    [[nodiscard]] QSplitter* splitter() const { return m_splitter; }

private:
    struct LayoutRow {
        PublishedRun run;
        std::optional<double> mfu;
    };
    void showBest();
    void showLayouts();
    void fillMistakes();
    void fetch();
    void takeFile();

    PlaybookController& m_controller;
    RowsModel<BenchmarkFacts::Best>* m_best;
    RowsModel<LayoutRow>* m_layouts;
    QTableView *m_bestTable, *m_layoutTable;
    QLabel* m_summary;
    QComboBox* m_model;
    QPushButton *m_fetch, *m_file;
    Pane* m_layoutPane;
    StatePanel* m_noLayouts;
    QSplitter* m_splitter;
    QScrollArea* m_mistakes;
};

}  // namespace slipway::gui
