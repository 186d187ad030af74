// Compare: which run is better, and why. Runs at the left, curves and field plot above, differences below (look.md 14).
#pragma once

#include "app/gui/pages/compare_controller.h"

#include <QWidget>

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
class HeaderBar;
class MetricChart;
class Pane;
class StatePanel;

class ComparePage : public QWidget {
    Q_OBJECT

public:
    explicit ComparePage(CompareController& controller, QWidget* parent = nullptr);

signals:
    /// "Choose two or more runs." was answered with "Go to Runs".
    void runsWanted();
    /// A run was opened by a double click in the list.
    void runOpened(const QString& id);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeRunList();
    QWidget* makeCurves();
    QWidget* makePlot();
    QWidget* makeDifferences();
    void retranslate();
    void showData();
    void showRuns();
    void showCurves();
    void showPlot();
    void showState();

    CompareController& m_controller;
    HeaderBar* m_header;
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
