#include "app/gui/pages/sweeps_controller.h"

#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/file.h"
#include "core/run/run_files.h"
#include "core/sweep/sweep_control.h"

#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kLiveMilliseconds = 1000;

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    return list;
}

/// Nodes of these runs, each once; none: this computer. A run whose files are unreadable has none.
std::vector<std::string> nodesOfRuns(const Home& home, const std::vector<RunId>& runs) {
    std::set<std::string> names;
    for (const RunId& run : runs) {
        const auto folder = home.run(run);
        const auto files = folder ? readRunFiles(*folder) : Result<RunFiles>(slipway::fail(folder.error()));
        if (!files) continue;
        for (const LaunchNode& node : files->nodes) names.insert(node.name);
    }
    return {names.begin(), names.end()};
}

bool isUnderway(SweepStage stage) {
    return stage == SweepStage::Running || stage == SweepStage::Pausing || stage == SweepStage::Stopping;
}

}  // namespace

SweepsController::SweepsController(Context& context, QObject* parent)
    : QObject(parent), m_context(context), m_processes(context.engine.home(), context.engine.programs()) {
    m_live.setInterval(kLiveMilliseconds);
    connect(&m_live, &QTimer::timeout, this, &SweepsController::reload);
    connect(&context.engine, &Engine::storeReady, this, &SweepsController::reload);
    connect(&context.engine, &Engine::runsChanged, this, &SweepsController::reload);
    connect(&m_processes, &SweepProcesses::started, this, [this] {
        emit said(tr("The sweep is starting."));
        m_live.start();
    });
    connect(&m_processes, &SweepProcesses::failed, this, [this](const QString& reason) {
        m_before.reset();
        emit said(tr("The sweep did not start: %1").arg(reason));
        reload();
    });
    if (context.engine.isReady()) reload();
}

void SweepsController::open(const SweepId& id) {
    m_current = id;
    m_data = {};
    m_data.id = id;
    m_cells = {};
    m_dataJob.cancel();
    emit opened();
    if (!id.empty()) loadData();
}

void SweepsController::reload() {
    loadList();
    if (!m_current.empty()) loadData();
}

void SweepsController::relabel() {
    m_data.plan.reset();
    reload();
}

void SweepsController::loadList() {
    m_listJob.start([home = m_context.engine.home(),
                     cache = m_cache](const std::stop_token& token) { return loadSweeps(home, *cache, token); },
                    [this](Result<std::vector<SweepRow>> rows) { takeList(std::move(rows)); });
}

void SweepsController::takeList(Result<std::vector<SweepRow>> rows) {
    m_listError = rows ? std::nullopt : std::optional(rows.error());
    if (rows) m_rows = std::move(*rows);
    // A pause, or the end of the program that runs a sweep, only shows in its files.
    const bool live =
        std::any_of(m_rows.begin(), m_rows.end(), [](const SweepRow& row) { return isUnderway(row.stage); });
    if (live != m_live.isActive()) live ? m_live.start() : m_live.stop();
    emit listChanged();
    if (!m_before) return;
    const auto isNew = [this](const SweepRow& row) { return !m_before->contains(row.id); };
    const auto added = std::find_if(m_rows.begin(), m_rows.end(), isNew);
    if (added == m_rows.end()) return;
    m_before.reset();
    if (m_current.empty()) open(added->id);
}

void SweepsController::loadData() {
    m_dataJob.start([home = m_context.engine.home(), id = m_current,
                     plan = m_data.plan](std::stop_token) { return loadSweep(home, id, plan); },
                    [this](SweepData data) { take(std::move(data)); });
}

void SweepsController::take(SweepData data) {
    if (data.id != m_current) return;
    const bool first = m_data.plan == nullptr && m_cells.grid.cells.empty();
    m_data = std::move(data);
    if (m_data.plan) {
        if (first) {
            m_question = defaultQuestion(*m_data.plan);
            // The first available figure of a trial, in the order of interest.
            for (const char* measure : kSweepMeasures) {
                m_question.measure = measure;
                if (bestTrial(m_data, measure) >= 0) break;
            }
            if (bestTrial(m_data, m_question.measure) < 0) m_question.measure = kSweepMeasures[0];
        }
        m_question = validQuestion(*m_data.plan, m_question);
        m_cells = sweepCells(m_data, m_question);
    }
    emit dataChanged();
}

void SweepsController::setQuestion(const SweepQuestion& question) {
    if (!m_data.plan) return;
    m_question = validQuestion(*m_data.plan, question);
    m_cells = sweepCells(m_data, m_question);
    emit dataChanged();
}

void SweepsController::start(const QString& file, int jobs, const std::vector<std::string>& nodes) {
    m_before.emplace();
    for (const SweepRow& row : m_rows) m_before->insert(row.id);
    std::vector<std::string> arguments{file.toStdString(), "--jobs", std::to_string(std::max(1, jobs))};
    if (!nodes.empty()) arguments.insert(arguments.end(), {"--nodes", listed(nodes)});
    m_processes.start(arguments);
}

void SweepsController::startText(const std::string& text, const QString& name, int jobs,
                                 const std::vector<std::string>& nodes) {
    const std::filesystem::path file =
        m_context.engine.home().path / "sweep-files" / (fileName(name.toStdString()).toStdString() + ".json");
    runOnce(
        this,
        [file, text](std::stop_token) -> Result<void> {
            if (auto made = makeFolders(file.parent_path()); !made) return made;
            return writeFileAtomically(file, text);
        },
        [this, file, jobs, nodes](const Result<void>& written) {
            if (!written) return emit said(errorText(written.error()));
            start(exactText(file.string()), jobs, nodes);
        });
}

bool SweepsController::canPause() const {
    return m_data.plan && m_data.stage == SweepStage::Running;
}

bool SweepsController::canResume() const {
    return m_data.plan && (m_data.stage == SweepStage::Paused || m_data.stage == SweepStage::Interrupted ||
                           m_data.stage == SweepStage::Pausing);
}

bool SweepsController::canRetry() const {
    return m_data.plan && std::any_of(m_data.trials.begin(), m_data.trials.end(), [](const SweepTrial& trial) {
               return trial.status == TrialStatus::Failed || trial.status == TrialStatus::Lost;
           });
}

void SweepsController::ask(std::function<Result<void>(const Home&)> request, const QString& done) {
    runOnce(
        this, [home = m_context.engine.home(), request = std::move(request)](std::stop_token) { return request(home); },
        [this, done](const Result<void>& outcome) {
            emit said(outcome ? done : errorText(outcome.error()));
            reload();
        });
}

void SweepsController::pause(bool atOnce) {
    if (m_current.empty()) return;
    ask([id = m_current, atOnce](
            const Home& home) { return requestSweep(home, id, atOnce ? SweepRequest::Stop : SweepRequest::Pause); },
        atOnce ? tr("Running trials stop after their current step.")
               : tr("Running trials finish; no trial is started."));
}

void SweepsController::continueSweep(std::vector<std::string> arguments) {
    std::vector<RunId> runs;
    for (const SweepTrial& trial : m_data.trials)
        if (!trial.run.empty()) runs.push_back(trial.run);
    runOnce(
        this,
        [home = m_context.engine.home(), id = m_current, runs](std::stop_token) {
            // The command knows where the sweep ran, with nodes that have no trial yet; sweeps of earlier versions have no record of it.
            return sweepPlace(home, id) ? std::vector<std::string>() : nodesOfRuns(home, runs);
        },
        [this, arguments = std::move(arguments)](const std::vector<std::string>& nodes) mutable {
            if (!nodes.empty()) arguments.insert(arguments.end(), {"--nodes", listed(nodes)});
            m_processes.start(arguments);
        });
}

void SweepsController::resume() {
    if (!canResume()) return;
    if (m_data.stage == SweepStage::Pausing) {
        ask([id = m_current](const Home& home) { return withdrawRequests(home, id); }, tr("The sweep continues."));
        return;
    }
    continueSweep({m_current.value});
}

void SweepsController::retryFailed() {
    if (!canRetry()) return;
    if (isUnderway(m_data.stage)) {
        ask(
            [id = m_current](const Home& home) {
                return requestRetry(home, id, {"failed", "lost"});
            },
            tr("Failed trials will run again."));
        return;
    }
    continueSweep({m_current.value, "--retry", "failed,lost"});
}

}  // namespace slipway::gui
