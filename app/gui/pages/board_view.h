// The tab "Board" of Compare: several metrics of the compared runs at the same position of one axis. Runs and metrics on the left, charts
// with a common pointer and zoom, events below, and each run's values at the pointer. Boards have names.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/board_data.h"

#include <QSet>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QListWidget;
class QPushButton;
class QSlider;
class QStackedWidget;
class QTableWidget;

namespace slipway::gui {

class MetricChart;
class MetricChooser;
class Pane;
class StatePanel;

class BoardView : public QWidget {
    Q_OBJECT

public:
    explicit BoardView(Context& context, QWidget* parent);

    void setRuns(const std::vector<RunId>& runs);
    void reload();
    [[nodiscard]] const Board& board() const { return m_board; }
    [[nodiscard]] const BoardData& data() const { return m_data; }
    [[nodiscard]] const std::vector<MetricChart*>& charts() const { return m_charts; }
    /// Writes all points of the board's metrics.
    void exportPoints();

signals:
    void said(const QString& text);
    void runWanted(const slipway::RunId& id);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeControls();
    QWidget* makeChoices();
    QWidget* makeCharts();
    void fillBoards();
    void open(const QString& name);
    void save();
    void remove();
    void changeBoard();
    void showBoard();
    void showData();
    void showRuns();
    void showCharts();
    void showEvents();
    void showReadOut();
    MetricChart* makeChart();
    void movePointer(std::optional<double> x);
    void zoom(std::optional<QPair<double, double>> range);

    Context& m_context;
    std::shared_ptr<SharedStore> m_store = std::make_shared<SharedStore>();
    std::vector<RunId> m_runs;
    Board m_board, m_saved;
    BoardData m_data;
    CurveX m_axis = CurveX::Step;  ///< of the data
    QSet<int> m_hidden;            ///< runs by position
    std::optional<double> m_pointer;
    std::optional<QPair<double, double>> m_zoom;
    LatestJob m_job;
    QTimer m_soon;
    bool m_isOld = true, m_filling = false;

    QComboBox *m_name, *m_x;
    QSlider* m_smoothing;
    QLabel* m_smoothingText;
    QPushButton *m_logY, *m_clip, *m_save, *m_remove;
    QCheckBox *m_band, *m_events;
    QListWidget* m_list;
    MetricChooser* m_metrics;
    Pane* m_metricsPane;
    QStackedWidget* m_stack;
    StatePanel* m_state;
    QGridLayout* m_grid;
    std::vector<Pane*> m_panes;
    std::vector<MetricChart*> m_charts;
    QLabel* m_eventText;
    Pane* m_tablePane;
    QTableWidget* m_table;
};

}  // namespace slipway::gui
