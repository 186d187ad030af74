// Compare: which run is better, and why. Runs at the left, curves and field plot above, differences below.
#pragma once

#include "app/gui/pages/compare_controller.h"
#include "app/gui/pages/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace slipway::gui {

class DifferencesModel;
class FieldPlot;
class MetricChart;

class ComparePage : public Page {
    Q_OBJECT

public:
    ComparePage(Context& context, CompareController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void refresh() override { m_controller.reload(); }
    void exportData() override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeRunList();
    QWidget* makeCurves();
    QWidget* makePlot();
    QWidget* makeDifferences();
    void fillTexts();
    [[nodiscard]] QString tableText() const;
    void showData();
    void showRuns();
    void showCurves();
    void showPlot();
    void showState();

    CompareController& m_controller;
    QStackedWidget* m_stack;
    StatePanel* m_state;
    QWidget* m_content;
    QListWidget* m_runs;
    QLabel* m_hint;
    Pane* m_runsPane;
    Pane* m_curvesPane;
    MetricChart* m_chart;
    QComboBox* m_metric;
    QComboBox* m_x;
    QPushButton* m_log;
    QPushButton* m_smooth;
    Pane* m_plotPane;
    FieldPlot* m_plot;
    QComboBox* m_plotX;
    QComboBox* m_plotY;
    QPushButton* m_bars;
    Pane* m_tablePane;
    QTableView* m_table;
    DifferencesModel* m_model;
    QCheckBox* m_onlyDifferences;
    QCheckBox* m_groupSeeds;
    QLabel* m_footnote;
    QPushButton* m_copy;
    bool m_filling = false;  ///< the list is being filled: its signals are not people's
};

}  // namespace slipway::gui
