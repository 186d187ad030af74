// The tab "Ranks" of a run: rank by step as a heat map, below it the ranks that others wait for, and the spans of a
// step: the activity of each rank of a replica over time. It is read from the ranks' streams while shown.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/pages/tab_view.h"
#include "core/run/rank_map.h"
#include "core/spec/run_config.h"
#include "core/store/run_store.h"

#include <QElapsedTimer>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;

namespace slipway::gui {

class IssueList;
class Pane;
class RankMapView;
class SpanTimeline;

class RanksView : public TabView {
    Q_OBJECT

public:
    explicit RanksView(QWidget* parent);

    /// The run at `position`; reread when that changes, for a run in progress every few seconds.
    void setRun(const RunRecord& record, const ParallelLayout& layout, std::int64_t ranksPerNode,
                const StreamPosition& position, bool active);

signals:
    void rankClicked(int rank);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    void showMap();
    /// Reads the spans of the chosen rank's replica in the chosen step.
    void readTimeline();

    RunId m_id, m_shown;
    RunDir m_folder;
    ParallelLayout m_layout;
    std::int64_t m_perNode = 8;
    StreamPosition m_position, m_read;
    bool m_active = false;
    std::shared_ptr<const RankMap> m_map;
    LatestJob m_job;
    QElapsedTimer m_age;
    QComboBox* m_quantity;
    Pane* m_pane;
    RankMapView* m_picture;
    Pane* m_slowPane;
    IssueList* m_slow;
    Pane* m_timelinePane;
    SpanTimeline* m_timeline;
    LatestJob m_timelineJob;
    std::int64_t m_chosenRank = 0;
    std::optional<std::int64_t> m_chosenStep;
    QString m_timelineText;
};

}  // namespace slipway::gui
