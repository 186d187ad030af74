// Run: health, and forecast versus measurement. Curves and log on the left; ranks, forecast beside measurement and
// events on the right.
#pragma once

#include "app/gui/pages/page.h"
#include "app/gui/pages/run_controller.h"
#include "app/gui/pages/run_rows.h"

class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace slipway::gui {

class BubbleRow;
class LogPane;
class MfuView;
class RankGrid;
class RanksView;
class ScheduleView;

class RunPage : public Page {
    Q_OBJECT

public:
    RunPage(Context& context, RunController& controller, QWidget* parent);

    [[nodiscard]] bool can(PageAction action) const override;
    void refresh() override { m_controller.reload(); }
    void find() override;
    void exportData() override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeLeft();
    QWidget* makeRight();
    /// The tab row over `overview` and the other tabs.
    QWidget* makeTabs(QWidget* overview);
    MetricChart* makeChart(const char* name, const QString& xName);
    void showRun();
    void showHeader(const RunView& view);
    void showCharts(const RunView& view);
    void offerQuantities(const std::vector<RankState>& ranks);
    void showRanks();
    void showPromises(const RunView& view);
    void showSchedule(const RunView& view);
    void showTabs(const RunView& view);
    void showState();
    void jumpTo(const EventRecord& event);

    RunController& m_controller;
    QPushButton* m_plan;
    QPushButton* m_resume;
    QPushButton* m_stop;
    QStackedWidget* m_stack;
    QTabBar* m_tabs;
    RanksView* m_ranksView;
    MfuView* m_mfuView;
    StatePanel* m_state;
    MetricChart* m_loss;
    MetricChart* m_speed;
    MetricChart* m_norm;
    MetricChart* m_waiting;
    std::vector<MetricChart*> m_charts;
    Pane* m_lossPane;
    Pane* m_speedPane;
    Pane* m_normPane;
    Pane* m_waitingPane;
    LogPane* m_log;
    ScheduleView* m_schedule;
    BubbleRow* m_bubble;
    Pane* m_schedulePane;
    RankGrid* m_ranks;
    QLabel* m_rankNote;
    QComboBox* m_quantity;
    Pane* m_ranksPane;
    Pane* m_promisesPane;
    RowsModel<PromiseRow>* m_promises;
    RowsModel<EventRecord>* m_events;
    QTableView* m_eventTable;
    Pane* m_eventsPane;
    RunId m_shown;
    bool m_smooth = false;
};

}  // namespace slipway::gui
