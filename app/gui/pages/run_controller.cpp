#include "app/gui/pages/run_controller.h"

#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "core/run/import_runs.h"

#include <algorithm>
#include <utility>

namespace slipway::gui {

RunController::RunController(Context& context, QObject* parent) : QObject(parent), m_context(context) {
    m_timer.setInterval(1000);
    connect(&m_timer, &QTimer::timeout, this, &RunController::follow);
    connect(&context.engine, &Engine::runAdvanced, this, [this](const RunId& id) {
        if (id == m_id && !m_timer.isActive())
            follow();  // the timer follows a run in progress, however short its steps
    });
    connect(&context.engine, &Engine::activeChanged, this, [this] {
        const QString before = m_link;
        takeLink();
        if (m_link != before) emit changed();
    });
    connect(&context.engine, &Engine::runsChanged, this, [this] {
        if (!m_id.empty()) reload();
    });
}

void RunController::follow() {
    if (m_isSeen) return reload();
    m_isStale = true;
    m_timer.stop();
}

void RunController::setSeen(bool isSeen) {
    m_isSeen = isSeen;
    if (m_isSeen && std::exchange(m_isStale, false)) reload();
}

void RunController::takeLink() {
    m_link.clear();
    for (const ActiveRun& run : m_context.engine.activeRuns())
        if (run.id == m_id) m_link = run.link;
}

void RunController::open(const RunId& id) {
    if (id != m_id) {
        m_id = id;
        takeLink();
        m_view.reset();
        m_error.reset();
        emit changed();
    }
    reload();
}

void RunController::openLatest() {
    m_latest.start([home = m_context.engine.home()](const std::stop_token&) { return latestRun(home); },
                   [this](const Result<RunId>& id) {
                       if (id && !id->empty()) open(*id);
                   });
}

void RunController::reload() {
    if (m_id.empty() || m_job.isRunning()) return;  // a running load will show nearly the same
    m_job.start(
        [home = m_context.engine.home(), id = m_id, before = m_view](const std::stop_token& token) {
            return before ? reloadRun(home, before, token) : loadRun(home, id, token);
        },
        [this](Result<std::shared_ptr<const RunView>> answer) {
            if (answer && (*answer)->record.id != m_id) return reload();
            const bool same = answer && *answer == m_view && !m_error;
            m_error = answer ? std::optional<Error>() : answer.error();
            if (answer) m_view = std::move(*answer);
            if (isActive())
                m_timer.start();
            else
                m_timer.stop();
            if (!same) emit changed();
        });
}

bool RunController::isActive() const {
    return m_view && !isFinal(m_view->record.status) && m_view->record.status != RunStatus::Planned;
}

bool RunController::canResume() const {
    if (!m_view) return false;
    const std::vector<std::string>& tags = m_view->record.tags;
    if (std::find(tags.begin(), tags.end(), kImportedTag) != tags.end()) return false;  // a run of another program
    const RunStatus status = m_view->record.status;
    return status == RunStatus::Failed || status == RunStatus::Cancelled || status == RunStatus::Lost;
}

std::optional<double> RunController::secondsLeft() const {
    if (!isActive() || !m_view->record.measured.stepSeconds || m_view->record.numSteps == 0) return {};
    return static_cast<double>(std::max<std::int64_t>(0, m_view->record.numSteps - m_view->record.lastStep)) *
           *m_view->record.measured.stepSeconds;
}

void RunController::askStop(QWidget* parent) {
    if (!isActive()) return;
    if (askConfirm(parent, tr("Stop the run?"),
                   tr("%1 ends after its current step and writes a checkpoint. It can be resumed.")
                       .arg(qs(m_view->record.name)),
                   tr("Stop after this step")))
        m_context.engine.stop(m_id);
}

void RunController::askKill(QWidget* parent) {
    if (!isActive()) return;
    if (askConfirm(parent, tr("Terminate the run?"),
                   tr("%1 ends at once. Steps since its last checkpoint are lost.").arg(qs(m_view->record.name)),
                   tr("Terminate")))
        m_context.engine.kill(m_id);
}

void RunController::resume() {
    if (canResume()) m_context.engine.resume(m_id);
}

}  // namespace slipway::gui
