#include "app/gui/engine_worker.h"

#include "app/gui/format.h"
#include "core/base/clock.h"
#include "core/store/reindex.h"

#include <utility>

namespace slipway::gui {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kAttachMilliseconds = 2000;  // runs started by other programs are found this often

}  // namespace

EngineWorker::EngineWorker(Home home, Programs programs) : m_home(std::move(home)), m_programs(std::move(programs)) {
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
    emit opened();
    countRuns();
    attachActive();
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
    const auto counts = m_store->count({});
    emit counted(counts ? counts->total : 0);
}

void EngineWorker::attachActive() {
    m_sinceAttach.restart();
    RunQuery query;
    query.filter = "status:running,queued";
    const auto rows = m_store->list(query);
    if (!rows) return;
    for (const RunRow& row : *rows) {
        if (m_sessions.count(row.record.id)) continue;
        auto session = RunSession::attach(*m_store, m_home, row.record.id, unixMillisecondsNow(), m_programs);
        if (!session) continue;  // its folder is gone: reindex tells
        m_names[row.record.id] = qs(row.record.name);
        m_sessions.emplace(row.record.id, std::move(*session));
    }
    tellActive();
}

RunSession* EngineWorker::sessionOf(const RunId& id) {
    const auto found = m_sessions.find(id);
    if (found != m_sessions.end()) return &found->second;
    if (!m_store) return nullptr;
    auto session = RunSession::attach(*m_store, m_home, id, unixMillisecondsNow(), m_programs);
    if (!session) {
        emit requestFailed(session.error());
        return nullptr;
    }
    m_names[id] = qs(session->config().name);
    return &m_sessions.emplace(id, std::move(*session)).first->second;
}

void EngineWorker::launch(const RunRequest& request) {
    if (!m_store) return;
    auto session = RunSession::create(*m_store, m_home, request, unixMillisecondsNow(), m_programs);
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
    if (RunSession* session = sessionOf(id)) report(session->stop(unixMillisecondsNow()));
}

void EngineWorker::kill(const RunId& id) {
    if (RunSession* session = sessionOf(id)) report(session->kill(unixMillisecondsNow()));
}

void EngineWorker::resume(const RunId& id) {
    if (RunSession* session = sessionOf(id)) report(session->resume(unixMillisecondsNow()));
}

Result<void> EngineWorker::change(const std::function<Result<void>(RunStore&)>& edit) {
    if (!m_store) return fail("store_failed", "The run index is not open.");
    auto outcome = edit(*m_store);
    if (!outcome) emit requestFailed(outcome.error());
    countRuns();
    return outcome;
}

void EngineWorker::poll() {
    bool listChanged = false;
    for (auto it = m_sessions.begin(); it != m_sessions.end();) {
        RunSession& session = it->second;
        qint64 step = -1;
        for (const RunEvent& event : session.poll(unixMillisecondsNow())) {
            step = std::max<qint64>(step, event.step);
            if (event.kind == RunEvent::Kind::Status) listChanged = true;
        }
        if (step >= 0) emit runAdvanced(it->first, step);
        if (session.done()) {
            listChanged = true;
            it = m_sessions.erase(it);
        } else {
            ++it;
        }
    }
    if (m_sinceAttach.elapsed() > kAttachMilliseconds) attachActive();
    if (listChanged) countRuns();
    tellActive();
}

void EngineWorker::tellActive() {
    std::vector<ActiveRun> active;
    std::string digest;
    for (const auto& [id, session] : m_sessions) {
        active.push_back({id, m_names[id], session.status(), session.lastStep(), session.config().train.numSteps});
        digest += id.value + wordOf(session.status()) + std::to_string(session.lastStep()) + ";";
    }
    if (digest == m_lastActive) return;
    m_lastActive = digest;
    emit activeChanged(active);
}

}  // namespace slipway::gui
