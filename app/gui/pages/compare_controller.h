// State of the Compare page and its requests. It loads off the main thread; the page shows the data of changed().
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/live_refresh.h"
#include "app/gui/pages/compare_data.h"

#include <QObject>
#include <set>
#include <string>
#include <vector>

namespace slipway::gui {

class CompareController : public QObject {
    Q_OBJECT

public:
    explicit CompareController(Context& context, QObject* parent = nullptr);

    /// Replaces the runs; the first is the baseline.
    void setRuns(const std::vector<RunId>& runs);
    void setBaseline(int group);
    /// Moves a group in the list; the group at 0 is the baseline.
    void moveGroup(int from, int to);
    void removeGroup(int group);
    void setVisible(int group, bool visible);
    void setMetric(const std::string& metric);
    void setX(CurveX x);
    void setSmoothing(double weight);
    void setPlot(const std::string& x, const std::string& y);
    void setGroupSeeds(bool on);
    void reload();
    /// While nobody sees the comparison, it is not loaded again for news of its runs.
    void setSeen(bool isSeen);

    [[nodiscard]] const CompareRequest& request() const { return m_request; }
    [[nodiscard]] const CompareData& data() const { return m_data; }
    /// Runs were chosen whose data have not arrived.
    [[nodiscard]] bool isReading() const {
        return m_data.groups.empty() && !m_request.runs.empty() && m_job.isRunning();
    }
    [[nodiscard]] bool isVisible(int group) const;

signals:
    /// The compared runs changed; data() is empty or has the same runs until changed().
    void runsChosen();
    void changed();
    void visibilityChanged();

private:
    void reorder(const std::vector<CompareGroup>& groups);
    void follow(const RunId& run);

    Context& m_context;
    CompareRequest m_request;
    CompareData m_data;
    std::vector<std::string> m_hidden;  ///< ids of first members
    LatestJob m_job;
    LiveRefresh m_live;
    std::set<RunId> m_followed;
    bool m_isSeen = true, m_isOld = false;
};

}  // namespace slipway::gui
