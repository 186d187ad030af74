// Compare: which run is better, and why. Summary: runs on the left, curves and field plot above, differences below.
// Further tabs: charts over any field, a board of metrics, and the causes of a slower step.
#pragma once

#include "app/gui/pages/compare_controller.h"
#include "app/gui/pages/page.h"

#include <QPointer>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace slipway::gui {

class DifferencesModel;
class BoardView;
class FieldChooser;
class FieldPlot;
class FieldsView;
class MetricChart;
class StepDifferenceView;

/// In the order of the tab row.
enum class CompareTab { Summary, Charts, Board, WhySlower };

class ComparePage : public Page {
    Q_OBJECT

public:
    ComparePage(Context& context, CompareController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void refresh() override { m_controller.reload(); }
    void exportData() override;
    void showTab(CompareTab tab);
    [[nodiscard]] FieldsView* charts() { return m_fields; }

signals:
    /// Opens the Runs page with this filter.
    void wantsRuns(const QString& filter);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeRunList();
    QWidget* makeCurves();
    QWidget* makePlot();
    QWidget* makeDifferences();
    /// The tab row over the summary and the other views.
    QWidget* makeTabs();
    void fillTexts();
    [[nodiscard]] QString tableText() const;
    [[nodiscard]] CompareTab tab() const;
    void showData();
    void showRuns();
    void showCurves();
    void showPlot();
    void showState();
    void showSeen();

    CompareController& m_controller;
    QPointer<CompareController> m_seenBy{&m_controller};  ///< null after its end
    QTabBar* m_tabs;
    FieldsView* m_fields;
    BoardView* m_board;
    StepDifferenceView* m_why;
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
    QPushButton* m_report;
    QPushButton* m_log;
    QPushButton* m_smooth;
    Pane* m_plotPane;
    FieldPlot* m_plot;
    FieldChooser* m_plotX;
    QComboBox* m_plotY;
    QPushButton* m_bars;
    Pane* m_tablePane;
    QTableView* m_table;
    DifferencesModel* m_model;
    QCheckBox* m_onlyDifferences;
    QCheckBox* m_groupSeeds;
    QLabel *m_footnote, *m_plotNote;
    QPushButton* m_copy;
    bool m_filling = false;  ///< the list is being filled: its signals are not from people
};

}  // namespace slipway::gui
