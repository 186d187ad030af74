#include "app/gui/pages/compare_controller.h"

#include <algorithm>
#include <utility>

namespace slipway::gui {

CompareController::CompareController(Context& context, QObject* parent)
    : QObject(parent), m_context(context), m_live(this, [this] {
          reload();
          return true;
      }) {
    connect(&context.engine, &Engine::runsChanged, this, [this] { follow({}); });
    connect(&context.engine, &Engine::runAdvanced, this, &CompareController::follow);
}

/// Shows news of a run, or of the list of runs, when there is time for them.
void CompareController::follow(const RunId& run) {
    if (m_request.runs.empty() || (!run.empty() && !m_followed.contains(run))) return;
    m_isOld = m_isOld || !m_isSeen;
    if (m_isSeen) m_live.ask();
}

void CompareController::setSeen(bool isSeen) {
    m_isSeen = isSeen;
    if (m_isSeen && std::exchange(m_isOld, false)) reload();
}

void CompareController::setRuns(const std::vector<RunId>& runs) {
    std::set<RunId> chosen(runs.begin(), runs.end());
    if (chosen != m_followed) m_data = {};  // other runs are not shown in their place
    m_request.runs = runs;
    m_followed = std::move(chosen);
    m_hidden.clear();
    reload();
    emit runsChosen();
}

// The request has the runs in the order of the groups, so that a reload preserves the arrangement.
void CompareController::reorder(const std::vector<CompareGroup>& groups) {
    m_request.runs.clear();
    for (const CompareGroup& group : groups)
        for (const RunRecord& member : group.members) m_request.runs.push_back(member.id);
    m_followed = {m_request.runs.begin(), m_request.runs.end()};
    emit runsChosen();
    reload();
}

void CompareController::setBaseline(int group) {
    moveGroup(group, 0);
}

void CompareController::moveGroup(int from, int to) {
    auto groups = m_data.groups;
    const int count = static_cast<int>(groups.size());
    if (from < 0 || to < 0 || from >= count || to >= count || from == to) return;
    CompareGroup moved = std::move(groups[static_cast<std::size_t>(from)]);
    groups.erase(groups.begin() + from);
    groups.insert(groups.begin() + to, std::move(moved));
    reorder(groups);
}

void CompareController::removeGroup(int group) {
    auto groups = m_data.groups;
    if (group < 0 || group >= static_cast<int>(groups.size())) return;
    groups.erase(groups.begin() + group);
    reorder(groups);
}

bool CompareController::isVisible(int group) const {
    if (group < 0 || group >= static_cast<int>(m_data.groups.size())) return false;
    const std::string& id = m_data.groups[static_cast<std::size_t>(group)].members.front().id.value;
    return std::find(m_hidden.begin(), m_hidden.end(), id) == m_hidden.end();
}

void CompareController::setVisible(int group, bool visible) {
    if (group < 0 || group >= static_cast<int>(m_data.groups.size()) || isVisible(group) == visible) return;
    const std::string& id = m_data.groups[static_cast<std::size_t>(group)].members.front().id.value;
    if (visible)
        std::erase(m_hidden, id);
    else
        m_hidden.push_back(id);
    emit visibilityChanged();
}

void CompareController::setMetric(const std::string& metric) {
    m_request.metric = metric;
    reload();
}

void CompareController::setX(CurveX x) {
    m_request.x = x;
    reload();
}

void CompareController::setSmoothing(double weight) {
    m_request.smoothing = weight;
    reload();
}

void CompareController::setPlot(const std::string& x, const std::string& y) {
    m_request.plotX = x;
    m_request.plotY = y;
    reload();
}

void CompareController::setGroupSeeds(bool on) {
    m_request.groupSeeds = on;
    reload();
}

void CompareController::reload() {
    m_job.start(
        [home = m_context.engine.home(), request = m_request](const std::stop_token& token) {
            const double before = threadCpuMilliseconds();
            CompareData data = loadCompare(home, request, token);
            return std::pair(std::move(data), threadCpuMilliseconds() - before);
        },
        [this](std::pair<CompareData, double> answer) {
            m_live.answered(answer.second);
            m_data = std::move(answer.first);
            emit changed();
        });
}

}  // namespace slipway::gui
