#include "app/gui/engine/node_jobs.h"

#include "app/gui/engine/node_worker.h"

#include <utility>

namespace slipway::gui {

NodeJobs::NodeJobs(Programs programs, Home home, QObject* parent)
    : QObject(parent), m_worker(new NodeWorker(std::move(programs), std::move(home))) {
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(m_worker, &NodeWorker::reported, this, &NodeJobs::reported);
    connect(m_worker, &NodeWorker::asked, this, &NodeJobs::asked);
    connect(m_worker, &NodeWorker::withdrawn, this, &NodeJobs::withdrawn);
    m_thread.setObjectName(QStringLiteral("nodes"));
}

NodeJobs::~NodeJobs() {
    if (!m_thread.isRunning()) delete m_worker;  // otherwise the end of the thread deletes it
    m_thread.quit();
    m_thread.wait();  // the worker never blocks for long
}

void NodeJobs::post(std::function<void(NodeWorker&)> work) {
    if (!m_thread.isRunning()) m_thread.start();
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, work = std::move(work)] { work(*worker); }, Qt::QueuedConnection);
}

int NodeJobs::check(const NodeRecord& node, const NodeJobOptions& options) {
    post([id = ++m_last, node, options](NodeWorker& worker) { worker.begin(id, node, options, false); });
    return m_last;
}

int NodeJobs::setUp(const NodeRecord& node, const NodeJobOptions& options) {
    post([id = ++m_last, node, options](NodeWorker& worker) { worker.begin(id, node, options, true); });
    return m_last;
}

void NodeJobs::cancel(int job) {
    post([job](NodeWorker& worker) { worker.cancel(job); });
}

void NodeJobs::answer(int job, const std::string& text, bool remembered) {
    post([job, text, remembered](NodeWorker& worker) { worker.answer(job, text, remembered); });
}

void NodeJobs::refuse(int job) {
    post([job](NodeWorker& worker) { worker.refuse(job); });
}

}  // namespace slipway::gui
