// The window's door to runs: a separate thread and the only writer of the database. It follows every running run,
// starts and stops runs, and stores people's changes. All calls return immediately; answers are signals.
#pragma once

#include "app/gui/values/active_run.h"
#include "core/launch/programs.h"
#include "core/run/run_session.h"
#include "core/spec/run_dir.h"
#include "core/store/run_store.h"

#include <QObject>
#include <QThread>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace slipway::gui {

class EngineWorker;
class NodeJobs;

class Engine : public QObject {
    Q_OBJECT

public:
    Engine(Home home, Programs programs, QObject* parent = nullptr);
    ~Engine() override;

    [[nodiscard]] const Home& home() const { return m_home; }
    [[nodiscard]] const Programs& programs() const { return m_programs; }
    /// Checks and set-ups of nodes over SSH.
    [[nodiscard]] NodeJobs& nodes() { return *m_nodes; }
    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] const std::optional<Error>& storeError() const { return m_storeError; }
    [[nodiscard]] const std::vector<ActiveRun>& activeRuns() const { return m_active; }
    /// Runs that are not in the trash or archived.
    [[nodiscard]] std::int64_t numRuns() const { return m_numRuns; }

    void start();
    /// Creates the run and starts it at the place of the request.
    void launch(const RunRequest& request);
    void stop(const RunId& id);
    void kill(const RunId& id);
    void resume(const RunId& id);
    /// Any change of the store (tags, notes, archive, trash); `done` runs on this thread with the outcome.
    void change(std::function<Result<void>(RunStore&)> edit, std::function<void(const Result<void>&)> done = {});
    /// Rebuilds the index from the run folders; a damaged file is moved aside.
    void rebuildIndex();

signals:
    void storeReady();
    /// Rows of the run list changed: created, status, figures, tags.
    void runsChanged();
    /// New points or events of a run are in the store; at most ten times per second and run.
    void runAdvanced(const slipway::RunId& id, qint64 step);
    void activeChanged();
    void launched(const slipway::RunId& id);
    void requestFailed(const slipway::Error& error);
    /// News for the status bar.
    void said(const QString& text);

private:
    friend class EngineWorker;
    void post(std::function<void(EngineWorker&)> work);

    Home m_home;
    Programs m_programs;
    QThread m_thread;
    EngineWorker* m_worker;
    std::unique_ptr<NodeJobs> m_nodes;
    bool m_ready = false;
    std::optional<Error> m_storeError;
    std::vector<ActiveRun> m_active;
    std::int64_t m_numRuns = 0;
};

}  // namespace slipway::gui

Q_DECLARE_METATYPE(slipway::Error)
Q_DECLARE_METATYPE(slipway::RunId)
Q_DECLARE_METATYPE(std::vector<slipway::gui::ActiveRun>)
