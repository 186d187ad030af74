// Imports runs of other programs into the store: some at a time on the engine's thread, counted, and stoppable between two.
#pragma once

#include "app/gui/engine/engine.h"
#include "core/run/import_runs.h"

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace slipway::gui {

class ImportJob : public QObject {
    Q_OBJECT

public:
    explicit ImportJob(Engine& engine, QObject* parent = nullptr);

    /// Adds runs to the queue; the first call starts the import.
    void start(const std::vector<ImportedRun>& runs);
    /// Stops before the next run; imported runs stay.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    void progressed(int done, int total);
    /// One sentence: the numbers of imported and failed runs, with reasons.
    void finished(const QString& summary);

private:
    struct Work {
        std::vector<ImportedRun> runs;
        std::size_t next = 0;
        int imported = 0;
        std::map<std::string, int> refused;  ///< reason and count
    };
    void step();
    void importStreamed();
    void end();

    Engine& m_engine;
    std::shared_ptr<Work> m_work;  ///< used on the engine's thread while a step runs there
    std::vector<ImportedRun> m_added;
    bool m_running = false;
    bool m_cancelled = false;
    std::shared_ptr<std::atomic<bool>> m_stop;  ///< ends a streamed run in progress when set
};

}  // namespace slipway::gui
