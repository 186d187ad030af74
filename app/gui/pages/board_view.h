// The tab "Board" of Compare: several metrics of the compared runs at the same position of one axis. Runs and metrics on the left, charts
// with a common pointer and zoom, events below, and each run's values at the pointer. Boards have names.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/live_refresh.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/board_data.h"

#include <QSet>
#include <QTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
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
class RunController;
class StatePanel;

class BoardView : public QWidget {
    Q_OBJECT

public:
    explicit BoardView(Context& context, QWidget* parent);

    void setRuns(const std::vector<RunId>& runs);
    /// Always the run of this controller.
    void showRunOf(RunController& controller);
    /// @param isNews not asked for: its charts are drawn one after the other
    void reload(bool isNews = false);
    [[nodiscard]] const Board& board() const { return m_board; }
    [[nodiscard]] const BoardData& data() const { return *m_data; }
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
    void showData(bool inTurn = false);
    void loadRecorded();
    void showRecorded(std::map<std::string, QStringList> recorded);
    void showRuns();
    void showCharts(bool inTurn = false);
    void showChart(std::size_t i);
    void showEvents();
    void showReadOut();
    MetricChart* makeChart();
    void movePointer(std::optional<double> x);
    void zoom(std::optional<QPair<double, double>> range);
    /// Loads finer curves of the visible part.
    void loadPart();
    void dropPart();
    void follow(const RunId& run);
    /// The curves shown: of the visible part, where they are known finer.
    [[nodiscard]] const std::vector<BoardChart>& shownCharts() const { return m_part ? *m_part : m_data->charts; }

    Context& m_context;
    std::shared_ptr<SharedStore> m_store = std::make_shared<SharedStore>();
    std::vector<RunId> m_runs;
    Board m_board, m_saved;
    std::shared_ptr<const BoardData> m_data = std::make_shared<BoardData>();
    std::optional<std::vector<BoardChart>> m_part;  ///< of the visible part
    CurveX m_axis = CurveX::Step;                   ///< of the data
    QSet<int> m_hidden;                             ///< runs by position
    std::optional<double> m_pointer;
    std::optional<QPair<double, double>> m_zoom;
    LatestJob m_job, m_partJob, m_recordedJob;
    QTimer m_soon, m_partSoon;
    LiveRefresh m_live;
    QStringList m_listed;  ///< what the list of runs shows
    std::map<std::string, QStringList> m_recorded;
    std::vector<RunId> m_recordedOf;  ///< of many runs
    std::set<RunId> m_followed;
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
