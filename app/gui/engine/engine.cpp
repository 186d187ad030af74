#include "app/gui/engine/engine.h"

#include "app/gui/engine/engine_worker.h"
#include "app/gui/engine/node_jobs.h"

#include <utility>

namespace slipway::gui {

Engine::Engine(Home home, Programs programs, QObject* parent)
    : QObject(parent),
      m_home(std::move(home)),
      m_programs(std::move(programs)),
      m_worker(new EngineWorker(m_home, m_programs)),
      m_nodes(std::make_unique<NodeJobs>(m_programs, m_home)) {
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &EngineWorker::opened, this, [this] {
        m_ready = true;
        m_storeError.reset();
        emit storeReady();
    });
    connect(m_worker, &EngineWorker::openFailed, this, [this](const Error& error) {
        m_ready = false;
        m_storeError = error;
    });
    connect(m_worker, &EngineWorker::counted, this, [this](qint64 numRuns) {
        m_numRuns = numRuns;
        emit runsChanged();
    });
    connect(m_worker, &EngineWorker::activeChanged, this, [this](const std::vector<ActiveRun>& active) {
        m_active = active;
        emit activeChanged();
    });
    connect(m_worker, &EngineWorker::runAdvanced, this, &Engine::runAdvanced);
    connect(m_worker, &EngineWorker::launched, this, &Engine::launched);
    connect(m_worker, &EngineWorker::requestFailed, this, &Engine::requestFailed);
    m_thread.setObjectName(QStringLiteral("ingest"));
}

Engine::~Engine() {
    if (!m_thread.isRunning()) delete m_worker;  // otherwise the end of the thread deletes it
    m_thread.requestInterruption();  // aborts reading many folders into a new index; the next program continues
    m_thread.quit();
    m_thread.wait();  // the worker never blocks for long; runs continue without the window
}

void Engine::start() {
    m_thread.start();
    post([](EngineWorker& worker) { worker.open(); });
}

void Engine::post(std::function<void(EngineWorker&)> work) {
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, work = std::move(work)] { work(*worker); }, Qt::QueuedConnection);
}

void Engine::launch(const RunRequest& request) {
    post([request](EngineWorker& worker) { worker.launch(request); });
}

void Engine::stop(const RunId& id) {
    post([id](EngineWorker& worker) { worker.stop(id); });
}

void Engine::kill(const RunId& id) {
    post([id](EngineWorker& worker) { worker.kill(id); });
}

void Engine::resume(const RunId& id) {
    post([id](EngineWorker& worker) { worker.resume(id); });
}

void Engine::change(std::function<Result<void>(RunStore&)> edit, std::function<void(const Result<void>&)> done) {
    post([this, edit = std::move(edit), done = std::move(done)](EngineWorker& worker) {
        const Result<void> outcome = worker.change(edit);
        if (done)
            QMetaObject::invokeMethod(
                this, [done, outcome] { done(outcome); }, Qt::QueuedConnection);
    });
}

void Engine::rebuildIndex() {
    post([](EngineWorker& worker) { worker.rebuild(); });
}

}  // namespace slipway::gui
