// One sweep: counts of trials by outcome, the heat map, reasons of trials that did not run, the trials of a cell, the
// best so far, forecast against measurement, the stop rules.
#pragma once

#include "app/gui/models/rows_model.h"
#include "app/gui/pages/sweeps_controller.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QMenu;
class QSplitter;
class QTableView;

namespace slipway::gui {

class CountBars;
class Pane;
class ShareStrip;
class TrialPlot;

class SweepView : public QWidget {
    Q_OBJECT

public:
    explicit SweepView(SweepsController& controller, QWidget* parent = nullptr);
    /// Shows the controller's current data.
    void showData();
    /// The splitters, for saving their sizes.
    [[nodiscard]] QList<QSplitter*> splitters() const { return m_splitters; }
    /// For export: the trials as shown.
    [[nodiscard]] DataTable dataTable() const;
    [[nodiscard]] HeatMap* map() const { return m_map; }

signals:
    void runWanted(const slipway::RunId& id);
    void planWanted(const slipway::RunId& id);
    void retryRunWanted(const slipway::RunId& id);
    void said(const QString& text);

private:
    /// A trial of the table.
    struct Line {
        int trial = 0;
        QString name;
        const SweepTrial* outcome = nullptr;
        bool operator==(const Line&) const = default;
    };
    /// Selection of trials in the table.
    enum class Scope { All, Cell, Reason };

    QWidget* makeMap();
    QWidget* makeSide();
    QWidget* makeFoot();
    void fillChoosers();
    void ask();
    void showMap();
    void showReasons();
    void showTrials();
    void showPlots();
    void showRules();
    void showTrial();
    void choose(Scope scope, int index);
    void chooseTrial(int trial);
    void openTrial(int trial);
    void fillMenu(QMenu& menu, int trial);
    [[nodiscard]] int currentTrial() const;
    [[nodiscard]] std::vector<int> shownTrials() const;
    [[nodiscard]] std::vector<RowColumn<Line>> columns() const;

    SweepsController& m_controller;
    QList<QSplitter*> m_splitters;
    ShareStrip* m_strip;
    Pane* m_mapPane;
    HeatMap* m_map;
    QComboBox* m_rows;
    QComboBox* m_columns;
    QComboBox* m_facets;
    QComboBox* m_measure;
    Pane* m_reasonsPane;
    CountBars* m_bars;
    SweepReasons m_reasons;
    Pane* m_trialsPane;
    QTableView* m_table;
    RowsModel<Line>* m_model;
    QLabel* m_detail;
    Pane* m_bestPane;
    TrialPlot* m_best;
    Pane* m_scatterPane;
    TrialPlot* m_scatter;
    Pane* m_rulesPane;
    QLabel* m_rules;
    Scope m_scope = Scope::All;
    int m_index = -1;                 ///< cell or reason
    std::vector<SweepTrial> m_shown;  ///< outcomes shown in the table
    std::string m_chosenFor;          ///< measure and fields shown by the choosers
    SweepId m_sweep;
};

}  // namespace slipway::gui
