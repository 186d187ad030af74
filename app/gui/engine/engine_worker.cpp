#include "app/gui/engine/engine_worker.h"

#include "app/gui/text/format.h"
#include "core/base/clock.h"
#include "core/launch/slurm_queue.h"
#include "core/remote/node_link.h"
#include "core/run/run_actions.h"
#include "core/store/reindex.h"

#include <QThread>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kPollMillisecondsPerRun = 60, kMostPollMilliseconds = 3000;  // a poll asks each agent whether it is alive
constexpr int kPollMillisecondsPerAgent = 15;  // a rank that died on one of 32 nodes is seen within two seconds
constexpr std::size_t kFewSessions = 4;
constexpr int kBusyMilliseconds = 20;      // while a node is polled: a start or a first check takes dozens of answers
constexpr int kAttachMilliseconds = 1000;  // interval for finding runs started by other programs
constexpr int kListMilliseconds = 500;     // minimum interval between list updates for others' changes
constexpr int kTellMilliseconds = 1000;    // minimum interval between reports of steps, which are shown once a second
constexpr std::size_t kLevelChunks = 200;  // a transaction of milliseconds

}  // namespace

EngineWorker::EngineWorker(Home home, Programs programs)
    : m_home(std::move(home)),
      m_programs(std::move(programs)),
      m_links(std::make_shared<NodeLinks>(m_programs.agent)),
      m_queue(std::make_shared<SlurmQueue>(std::make_unique<LocalSlurmDoor>(), std::filesystem::path())) {
    qRegisterMetaType<slipway::Error>();
    qRegisterMetaType<slipway::RunId>();
    qRegisterMetaType<std::vector<ActiveRun>>();
    connect(&m_timer, &QTimer::timeout, this, &EngineWorker::poll);
}

void EngineWorker::open() {
    m_sessions.clear();
    m_store.reset();
    auto store = RunStore::open(m_home, OpenMode::ReadWrite);
    if (!store) {
        emit openFailed(store.error());
        return;
    }
    m_store.emplace(std::move(*store));
    m_levelsMissing = true;
    emit opened();
    countRuns();
    lookAround();
    m_timer.start(kPollMilliseconds);
}

void EngineWorker::rebuild() {
    m_timer.stop();
    m_sessions.clear();
    m_store.reset();
    const auto report = rebuildIndex(m_home, unixMillisecondsNow());
    if (!report) {
        emit openFailed(report.error());
        return;
    }
    open();
}

void EngineWorker::countRuns() {
    if (!m_store) return;
    m_listVersion = m_store->listVersion().value_or(m_listVersion);
    m_sinceList.restart();
    const auto counts = m_store->count({});
    emit counted(counts ? counts->total : 0);
}

/// Finds additions to the home by other programs and computers, and runs that they started.
void EngineWorker::lookAround() {
    m_sinceAttach.restart();
    // A rebuild by another program, a full disk: the next check retries.
    (void)adoptFolders(*m_store, unixMillisecondsNow(),
                       [](std::int64_t, std::int64_t) { return !QThread::currentThread()->isInterruptionRequested(); });
    attachActive();
}

void EngineWorker::attachActive() {
    RunQuery query;
    query.filter = "status:running,queued";
    const auto rows = m_store->list(query);
    if (!rows) return;
    for (const RunRow& row : *rows) {
        if (m_sessions.count(row.record.id)) continue;
        auto session =
            RunSession::attach(*m_store, m_home, row.record.id, unixMillisecondsNow(), m_programs, m_links, m_queue);
        if (!session) continue;  // its folder is gone: reindex reports it
        m_names[row.record.id] = qs(row.record.name);
        m_sessions.emplace(row.record.id, std::move(*session));
    }
    tellActive();
}

RunSession* EngineWorker::sessionOf(const RunId& id) {
    const auto found = m_sessions.find(id);
    if (found != m_sessions.end()) return &found->second;
    if (!m_store) return nullptr;
    auto session = RunSession::attach(*m_store, m_home, id, unixMillisecondsNow(), m_programs, m_links, m_queue);
    if (!session) {
        emit requestFailed(session.error());
        return nullptr;
    }
    m_names[id] = qs(session->config().name);
    return &m_sessions.emplace(id, std::move(*session)).first->second;
}

void EngineWorker::launch(const RunRequest& request) {
    if (!m_store) return;
    auto session = RunSession::create(*m_store, m_home, request, unixMillisecondsNow(), m_programs, m_links, m_queue);
    if (!session) {
        emit requestFailed(session.error());
        return;
    }
    const RunId id = session->id();
    m_names[id] = qs(request.config.name);
    auto& kept = m_sessions.emplace(id, std::move(*session)).first->second;
    const auto outcome = kept.launch(unixMillisecondsNow());
    if (!outcome)
        emit requestFailed(outcome.error());
    else
        emit launched(id);
    countRuns();
    tellActive();
}

void EngineWorker::report(const Result<void>& outcome) {
    if (!outcome) emit requestFailed(outcome.error());
    countRuns();
    tellActive();
}

void EngineWorker::stop(const RunId& id) {
    if (endedWithoutFolder(id, false)) return;
    if (RunSession* session = sessionOf(id)) report(session->stop(unixMillisecondsNow()));
}

void EngineWorker::kill(const RunId& id) {
    if (endedWithoutFolder(id, true)) return;
    if (RunSession* session = sessionOf(id)) report(session->kill(unixMillisecondsNow()));
}

/// A run with a deleted folder is stopped through its processes; it has no file for requests.
bool EngineWorker::endedWithoutFolder(const RunId& id, bool atOnce) {
    std::error_code code;
    const auto folder = m_home.run(id);
    if (!folder || std::filesystem::exists(folder->path, code)) return false;
    return endRunWithoutFolder(id, atOnce) > 0;
}

void EngineWorker::resume(const RunId& id) {
    if (RunSession* session = sessionOf(id)) report(session->resume(unixMillisecondsNow()));
}

Result<void> EngineWorker::change(const std::function<Result<void>(RunStore&)>& edit) {
    if (!m_store) return fail("store_failed", "The run index is not open."_text);
    auto outcome = edit(*m_store);
    if (!outcome) emit requestFailed(outcome.error());
    countRuns();
    return outcome;
}

void EngineWorker::poll() {
    bool listChanged = false, isBusy = false;
    int numAgents = 0;
    const auto pollSessions = [&]() -> Result<void> {
        for (auto it = m_sessions.begin(); it != m_sessions.end();) {
            RunSession& session = it->second;
            qint64 step = -1;
            for (const RunEvent& event : session.poll(unixMillisecondsNow())) {
                step = std::max<qint64>(step, event.step);
                if (event.kind == RunEvent::Kind::Status) listChanged = true;
            }
            if (step >= 0) m_advanced[it->first] = step;
            if (session.done()) {
                listChanged = true;
                it = m_sessions.erase(it);
            } else {
                isBusy = isBusy || session.isBusy();
                numAgents += static_cast<int>(session.nodes().size());
                ++it;
            }
        }
        return {};
    };
    // A commit costs as much as the points of a run.
    if (m_sessions.size() < kFewSessions)
        (void)pollSessions();
    else
        (void)m_store->together(pollSessions);  // after a full disk, the same bytes are read again
    const int pollMilliseconds = std::clamp(
        std::max(static_cast<int>(m_sessions.size()) * kPollMillisecondsPerRun, numAgents * kPollMillisecondsPerAgent),
        kPollMilliseconds, kMostPollMilliseconds);
    if (const int pause = isBusy ? kBusyMilliseconds : pollMilliseconds; m_timer.interval() != pause)
        m_timer.setInterval(pause);
    m_links->poll(static_cast<double>(unixMillisecondsNow()) / 1000);
    if (m_sinceAttach.elapsed() > kAttachMilliseconds) lookAround();
    // Other programs change the same index: their changes show within a second, regardless of their number.
    const bool mayList = m_sinceList.elapsed() > kListMilliseconds;
    if (!listChanged && mayList) listChanged = m_store->listVersion().value_or(m_listVersion) != m_listVersion;
    if (m_levelsMissing) m_levelsMissing = m_store->fillLevels(kLevelChunks).value_or(true);
    if (listChanged) countRuns();
    tellActive();
}

// A change of state at once, steps from time to time: whoever shows them draws again.
void EngineWorker::tellActive() {
    std::vector<ActiveRun> active;
    std::string states, steps;
    for (const auto& [id, session] : m_sessions) {
        // For a run on nodes that runs or is being started, the reason is an unreachable node.
        const bool isStarting = session.status() == RunStatus::Queued && !session.isWaiting();
        const bool isLinked = session.isRemote() && (session.status() == RunStatus::Running || isStarting);
        const std::string link = isLinked ? session.reason() : std::string();
        active.push_back({id, m_names[id], session.status(), session.lastStep(), session.numSteps().value_or(0),
                          session.nodes(), qs(link)});
        states += id.value + wordOf(session.status()) + link + ";";
        steps += std::to_string(session.lastStep()) + ";";
    }
    const bool isChanged = states != m_lastStates;
    if (!isChanged && m_sinceTold.isValid() && m_sinceTold.elapsed() < kTellMilliseconds) return;
    if (!m_advanced.empty()) m_sinceTold.restart();
    for (const auto& [id, step] : std::exchange(m_advanced, {})) emit runAdvanced(id, step);
    if (!isChanged && steps == m_lastSteps) return;
    m_sinceTold.restart();
    m_lastStates = states;
    m_lastSteps = steps;
    emit activeChanged(active);
}

}  // namespace slipway::gui
