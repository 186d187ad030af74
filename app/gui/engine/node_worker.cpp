#include "app/gui/engine/node_worker.h"

#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/remote/last_check.h"
#include "core/run/audit_log.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace slipway::gui {
namespace {

constexpr int kPollMilliseconds = 20;

}  // namespace

NodeWorker::NodeWorker(Programs programs, Home home) : m_programs(std::move(programs)), m_home(std::move(home)) {
    qRegisterMetaType<slipway::gui::NodeReport>();
    qRegisterMetaType<slipway::AskQuestion>();
    connect(&m_timer, &QTimer::timeout, this, &NodeWorker::poll);
}

void NodeWorker::fail(int id, bool isSetUp, const Error& error) {
    NodeReport report;
    report.job = id;
    report.isSetUp = isSetUp;
    report.done = true;
    report.error = error;
    report.unixMilliseconds = unixMillisecondsNow();
    emit reported(report);
}

void NodeWorker::begin(int id, const NodeRecord& node, const NodeJobOptions& options, bool isSetUp) {
    Job job;
    job.node = node.name;
    SshOptions ssh;
    ssh.agent = m_programs.agent;
    ssh.questions = SshQuestions::HostKey;
    ssh.fingerprint = options.fingerprint;
    if (options.mayAsk) {
        auto door = AskDoor::open();
        if (!door) return fail(id, isSetUp, door.error());
        job.door.emplace(std::move(*door));
        ssh.askSocket = job.door->socket();
    }
    if (isSetUp) {
        auto files = trainerFiles(m_programs.trainer);
        if (!files) return fail(id, isSetUp, files.error());
        job.setUp = std::make_unique<NodeSetup>(
            node, ssh, NodeSetup::Request{versionText(), std::move(*files), std::string(), false});
    } else {
        job.check = std::make_unique<NodeCheck>(node, ssh, versionText());
    }
    m_jobs.emplace(id, std::move(job));
    m_timer.start(kPollMilliseconds);
}

void NodeWorker::cancel(int id) {
    m_jobs.erase(id);
}

void NodeWorker::answer(int id, std::string text, bool remembered) {
    if (const auto found = m_jobs.find(id); found != m_jobs.end() && found->second.door) {
        Job& job = found->second;
        job.door->answer(text);
        if (remembered && job.question) job.keychain.hold(job.question->text, text);
        found->second.question.reset();
    }
    text.assign(text.size(), '\0');
}

void NodeWorker::refuse(int id) {
    if (const auto found = m_jobs.find(id); found != m_jobs.end() && found->second.door) {
        found->second.door->refuse();
        found->second.question.reset();
    }
}

void NodeWorker::listen(int id, Job& job) {
    if (!job.door) return;
    const auto& question = job.door->poll();
    if (question == job.question) return;
    job.question = question;
    if (question)
        emit asked(id, *question);
    else
        emit withdrawn(id);
}

NodeReport NodeWorker::reportOf(int id, const Job& job) {
    NodeReport report;
    report.job = id;
    report.unixMilliseconds = unixMillisecondsNow();
    if (job.check) {
        report.steps = job.check->steps();
        report.facts = job.check->facts();
        report.hostKey = job.check->hostKey();
        report.done = job.check->done();
        report.passed = job.check->passed();
    } else {
        report.isSetUp = true;
        report.progress = job.setUp->progress();
        report.share = job.setUp->share();
        report.done = job.setUp->done();
        report.error = job.setUp->error();
        report.passed = report.done && !report.error;
        report.wasReady = job.setUp->wasReady();
    }
    report.done = report.done && !job.keychain.isBusy();
    report.isInKeychain = job.keychain.hasStored();
    if (!report.error && report.done) report.error = job.keychain.error();
    return report;
}

void NodeWorker::recordKeychain(const Job& job) {
    auto node = findNode(m_home, job.node);
    if (!job.keychain.hasStored() || !node || node->host != job.link().node().host || node->isInKeychain) return;
    node->isInKeychain = true;
    (void)writeNode(m_home, *node, true);
}

void NodeWorker::poll() {
    for (auto at = m_jobs.begin(); at != m_jobs.end();) {
        const int id = at->first;
        Job& job = at->second;
        if (job.check) job.check->poll(monotonicSecondsNow(), unixMillisecondsNow());
        if (job.setUp) job.setUp->poll(monotonicSecondsNow());
        listen(id, job);
        job.keychain.poll(job.link().node().host, job.link().state() == NodeLink::State::Up);
        const NodeReport report = reportOf(id, job);
        std::string now = textOf(report.progress) + (report.done ? "done" : "");
        for (const NodeStep& step : report.steps) now += wordOf(step.state);
        if (std::exchange(job.told, now) != now) emit reported(report);
        // A host under test that is not yet a node has no file of its own.
        if (job.check && report.done && findNode(m_home, job.node))
            (void)writeLastCheck(m_home, job.node, toJson(*job.check, job.node), report.unixMilliseconds);
        if (job.setUp && report.done)
            (void)appendAudit(m_home, auditOfSetup(job.setUp->link().node(), report.error ? report.error->code : ""),
                              unixMillisecondsNow());
        if (report.done) recordKeychain(job);
        at = report.done ? m_jobs.erase(at) : std::next(at);
    }
    if (m_jobs.empty()) m_timer.stop();
}

}  // namespace slipway::gui
