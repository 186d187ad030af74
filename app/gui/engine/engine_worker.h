// Internals of Engine, on its thread. Only engine.cpp calls it.
#pragma once

#include "app/gui/engine/engine.h"

#include <QElapsedTimer>
#include <QTimer>
#include <map>
#include <memory>
#include <vector>

namespace slipway::gui {

class EngineWorker : public QObject {
    Q_OBJECT

public:
    EngineWorker(Home home, Programs programs);

    void open();
    void rebuild();
    void launch(const RunRequest& request);
    void stop(const RunId& id);
    void kill(const RunId& id);
    void resume(const RunId& id);
    Result<void> change(const std::function<Result<void>(RunStore&)>& edit);

signals:
    void opened();
    void openFailed(const slipway::Error& error);
    void counted(qint64 numRuns);
    void activeChanged(const std::vector<slipway::gui::ActiveRun>& active);
    void runAdvanced(const slipway::RunId& id, qint64 step);
    void launched(const slipway::RunId& id);
    void requestFailed(const slipway::Error& error);

private:
    void poll();
    void lookAround();
    void attachActive();
    bool endedWithoutFolder(const RunId& id, bool atOnce);
    RunSession* sessionOf(const RunId& id);
    void countRuns();
    void tellActive();
    void report(const Result<void>& outcome);

    Home m_home;
    Programs m_programs;
    std::shared_ptr<NodeLinks> m_links;   ///< one connection per node for all runs there
    std::shared_ptr<SlurmQueue> m_queue;  ///< one squeue for all jobs
    std::optional<RunStore> m_store;
    std::map<RunId, RunSession> m_sessions;
    std::map<RunId, QString> m_names;
    QTimer m_timer{this};
    QElapsedTimer m_sinceAttach, m_sinceList, m_sinceTold;
    std::int64_t m_listVersion = -1;        ///< of the index at the last change notification of the lists
    bool m_levelsMissing = true;            ///< curves of an older index may lack their levels
    std::map<RunId, qint64> m_advanced;     ///< newest steps that were not reported yet
    std::string m_lastStates, m_lastSteps;  ///< last report, for reporting only changes
};

}  // namespace slipway::gui
