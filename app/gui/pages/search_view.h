// The Search tab of the Plan page: limits above, then speed against memory beside the axes of the layouts, the ranked
// table, and the answer to "why not this one". Empty, running, cancelled and failed have their own texts.
#pragma once

#include "app/gui/models/found_model.h"
#include "app/gui/pages/search_controller.h"
#include "app/gui/pages/tab_view.h"

class QCheckBox;
class QComboBox;
class QMenu;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableView;

namespace slipway::gui {

class AlternativesPane;
class ElidedLabel;
class Pane;
class ParallelPlot;
class ParetoPlot;
class SearchForm;
class WhyPane;

class SearchView : public TabView {
    Q_OBJECT

public:
    SearchView(PlanController& plan, QWidget* parent);

    void start();
    void find();
    void exportTable();
    [[nodiscard]] QSplitter* charts() const { return m_charts; }

signals:
    void said(const QString& text);
    /// The layouts to measure, as the file of a sweep.
    void sweepWanted(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeResults();
    void showState();
    void showImpossible();
    void showProgress();
    void showRows();
    void showCurrent();
    void showChart();
    void fitTable();
    void foldAxes(bool fold);
    void askAlternatives();
    void select(int row, const QObject* from);
    void applyRow(int row);
    void benchmark();
    [[nodiscard]] int selectedRow() const;

    PlanController& m_plan;
    SearchController& m_search;
    SearchForm* m_form;
    Pane* m_formPane;
    ElidedLabel* m_status;
    QProgressBar* m_bar;
    QPushButton* m_apply;
    QPushButton* m_benchmark;
    QPushButton* m_askWhy;
    QPushButton* m_fold;
    QSplitter* m_charts = nullptr;
    Pane* m_paretoPane = nullptr;
    Pane* m_parallelPane = nullptr;
    Pane* m_tablePane = nullptr;
    ParetoPlot* m_pareto = nullptr;
    ParallelPlot* m_parallel = nullptr;
    QComboBox* m_against = nullptr;
    QPushButton* m_clear = nullptr;
    QMenu* m_axesMenu = nullptr;
    RowsModel<FoundRow>* m_rows = nullptr;
    FoundSort* m_sorted = nullptr;
    QTableView* m_table = nullptr;
    QSplitter* m_lists = nullptr;
    QCheckBox* m_variants = nullptr;
    AlternativesPane* m_alternatives = nullptr;
    int m_askedRow = -1;
    bool m_foldChosen = false;
    WhyPane* m_why = nullptr;
    bool m_selecting = false;
};

}  // namespace slipway::gui
