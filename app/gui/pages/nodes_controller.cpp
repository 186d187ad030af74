#include "app/gui/pages/nodes_controller.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/remote/keychain.h"
#include "core/remote/last_check.h"
#include "core/run/slow_nodes.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

namespace slipway::gui {
namespace {

/// Does and undoes one change.
class Change : public QUndoCommand {
public:
    Change(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), m_redo(std::move(redo)), m_undo(std::move(undo)) {}
    void redo() override { m_redo(); }
    void undo() override { m_undo(); }

private:
    std::function<void()> m_redo, m_undo;
};

void takeFound(NodeRow& row, const NodeReport& report) {
    row.report = report;
    if (report.facts.cpus > 0) row.facts = report.facts;
    const bool isReached = !report.steps.empty() && report.steps.front().state == NodeStep::State::Ok;
    if (isReached) row.heardUnixMilliseconds = report.unixMilliseconds;
}

}  // namespace

NodesController::NodesController(Context& context, QObject* parent) : QObject(parent), m_context(context) {
    NodeJobs& jobs = context.engine.nodes();
    connect(&jobs, &NodeJobs::reported, this, &NodesController::takeReport);
    connect(&jobs, &NodeJobs::asked, this, [this](int job, const AskQuestion& question) {
        for (const NodeRow& row : m_rows)
            if (row.job == job) emit asked(job, qs(row.record.name), question);
    });
    connect(&context.engine, &Engine::activeChanged, this, &NodesController::takeRuns);
}

NodeRow* NodesController::find(const std::string& name) {
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&](const NodeRow& row) { return !row.isLocal && row.record.name == name; });
    return found == m_rows.end() ? nullptr : &*found;
}

const NodeRow* NodesController::row(const std::string& name) const {
    return const_cast<NodesController*>(this)->find(name);
}

void NodesController::reload() {
    m_job.start(
        [home = m_context.engine.home(), programs = m_context.engine.programs()](std::stop_token) {
            Loaded loaded;
            loaded.nodes = nodesOf(home, loaded.issues);
            loaded.local = localFacts(home, programs);
            return loaded;
        },
        [this](Loaded loaded) { take(std::move(loaded)); });
}

void NodesController::take(Loaded loaded) {
    std::vector<NodeRow> rows(1);
    rows.front().isLocal = true;
    rows.front().facts = std::move(loaded.local.facts);
    rows.front().availableMemoryBytes = loaded.local.availableMemoryBytes;
    rows.front().measured = std::move(loaded.local.measured);
    for (NodeRecord& node : loaded.nodes) {
        NodeRow row;
        if (const NodeRow* before = find(node.name)) row = *before;
        row.record = std::move(node);
        if (const auto found = m_found.extract(row.record.name)) takeFound(row, found.mapped());
        rows.push_back(std::move(row));
    }
    m_rows = std::move(rows);
    m_issues = std::move(loaded.issues);
    const bool isFirst = !std::exchange(m_wasRead, true);
    takeRuns();
    if (isFirst) checkAll();
}

void NodesController::takeRuns() {
    for (NodeRow& row : m_rows) {
        row.runs.clear();
        for (const ActiveRun& run : m_context.engine.activeRuns()) {
            const bool isHere = row.isLocal
                                    ? run.nodes.empty()
                                    : std::find(run.nodes.begin(), run.nodes.end(), row.record.name) != run.nodes.end();
            const bool isTried = run.status == RunStatus::Running || !run.link.isEmpty();
            if (!isHere || !isTried) continue;
            row.runs.push_back(run);
            if (run.link.isEmpty()) row.heardUnixMilliseconds = unixMillisecondsNow();
        }
    }
    emit changed();
}

void NodesController::begin(NodeRow& row, const NodeJobOptions& options, bool isSetUp) {
    NodeJobs& jobs = m_context.engine.nodes();
    if (row.job != 0) return;
    row.isSetUp = isSetUp;
    row.setUp = {};
    row.job = isSetUp ? jobs.setUp(row.record, options) : jobs.check(row.record, options);
    emit changed();
}

void NodesController::check(const std::string& name, bool mayAsk) {
    if (NodeRow* row = find(name)) begin(*row, {mayAsk, {}}, false);
}

void NodesController::accept(const std::string& name, const std::string& fingerprint) {
    if (NodeRow* row = find(name)) begin(*row, {true, fingerprint}, false);
}

void NodesController::setUp(const std::string& name) {
    if (NodeRow* row = find(name)) begin(*row, {true, {}}, true);
}

void NodesController::checkAll() {
    for (NodeRow& row : m_rows)
        if (!row.isLocal) begin(row, {}, false);
}

void NodesController::cancel(const std::string& name) {
    NodeRow* row = find(name);
    if (row == nullptr || row->job == 0) return;
    m_context.engine.nodes().cancel(std::exchange(row->job, 0));
    if (!row->report.done) row->report = {};  // an incomplete check is meaningless
    emit said(row->isSetUp
                  ? tr("Set-up of %1 cancelled. The copied files stay there, and Set up continues with the rest.")
                        .arg(qs(name))
                  : tr("Check of %1 cancelled.").arg(qs(name)));
    emit changed();
}

void NodesController::takeReport(const NodeReport& report) {
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [&](const NodeRow& row) { return row.job != 0 && row.job == report.job; });
    if (found == m_rows.end()) return;
    const std::string name = found->record.name;
    if (report.isSetUp)
        found->setUp = report;
    else if (report.done || !report.steps.empty())
        takeFound(*found, report);
    if (report.done) {
        found->job = 0;
        found->record.isInKeychain = found->record.isInKeychain || report.isInKeychain;
        if (report.isSetUp && !report.error) {
            emit said(report.wasReady ? tr("Nothing to do on %1: its trainer is of this version.").arg(qs(name))
                                      : tr("%1 is set up.").arg(qs(name)));
            begin(*found, {}, false);
        }
    }
    emit changed();
}

void NodesController::store(const std::function<Result<void>(const Home&)>& edit) {
    runOnce(
        this, [home = m_context.engine.home(), edit](std::stop_token) { return edit(home); },
        [this](const Result<void>& outcome) {
            if (!outcome) emit said(errorText(outcome.error()));
            reload();
        });
}

void NodesController::add(const NodeRecord& node, const NodeReport& report) {
    m_found[node.name] = report;
    runOnce(
        this, [home = m_context.engine.home(), node](std::stop_token) { return writeNode(home, node, false); },
        [this, node](const Result<void>& outcome) {
            if (!outcome) {
                m_found.erase(node.name);
                return emit said(errorText(outcome.error()));
            }
            emit said(tr("Added %1.").arg(qs(node.name)));
            emit added(qs(node.name));
            reload();
        });
}

void NodesController::remove(const std::string& name) {
    const NodeRow* row = find(name);
    if (row == nullptr) return;
    cancel(name);
    m_undo.push(new Change(
        tr("Remove %1").arg(qs(name)),
        [this, name] {
            store([name](const Home& home) {
                const auto before = findNode(home, name);
                const auto removed = removeNode(home, name);
                if (!removed) return removed;
                if (before && before->isInKeychain) removeFromKeychain(before->host);
                removeLastCheck(home, name);
                forgetSlowNode(home, name);
                return removed;
            });
            emit said(tr("Removed %1; files on it are kept. Undo restores the node.").arg(qs(name)));
        },
        [this, node = row->record]() mutable {
            node.isInKeychain = false;  // its answers are gone
            store([node](const Home& home) { return writeNode(home, node, false); });
        }));
}

}  // namespace slipway::gui
