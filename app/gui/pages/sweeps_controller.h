// State of the Sweeps page and its requests: the list, the open sweep, the question of its heat map, and people's
// requests. It loads off the main thread and follows running sweeps.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/engine/sweep_process.h"
#include "app/gui/pages/sweep_cells.h"

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>
#include <set>

namespace slipway::gui {

class SweepsController : public QObject {
    Q_OBJECT

public:
    explicit SweepsController(Context& context, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<SweepRow>& rows() const { return m_rows; }
    [[nodiscard]] const std::optional<Error>& listError() const { return m_listError; }

    /// Shows one sweep; an empty id returns to the list.
    void open(const SweepId& id);
    [[nodiscard]] const SweepId& current() const { return m_current; }
    /// Of the open sweep; without a plan until it is loaded.
    [[nodiscard]] const SweepData& data() const { return m_data; }
    [[nodiscard]] const SweepCells& cells() const { return m_cells; }
    [[nodiscard]] const SweepQuestion& question() const { return m_question; }
    void setQuestion(const SweepQuestion& question);
    /// Rereads list and sweep.
    void reload();
    /// Updates the plan's texts after a change of language.
    void relabel();

    /// Starts the sweep of a file, with this many concurrent trials, or as many on each of these nodes; it opens as soon as it exists.
    void start(const QString& file, int jobs = 1, const std::vector<std::string>& nodes = {});
    /// The same for a file written in the window; it is saved in sweep-files/ of the home.
    void startText(const std::string& text, const QString& name, int jobs, const std::vector<std::string>& nodes);
    /// Sets the source of a new sweep's base: the config of the open plan.
    void setBase(std::function<RunConfig()> base) { m_base = std::move(base); }
    [[nodiscard]] RunConfig base() const { return m_base ? m_base() : RunConfig{}; }
    /// Continues the open sweep, on the nodes of its trials.
    void resume();
    /// Lets running trials finish and starts none; with `atOnce` they stop after their current step.
    void pause(bool atOnce);
    /// Reruns failed trials.
    void retryFailed();
    [[nodiscard]] bool canPause() const;
    [[nodiscard]] bool canResume() const;
    [[nodiscard]] bool canRetry() const;

signals:
    void listChanged();
    void dataChanged();
    /// A different sweep, or none, is open.
    void opened();
    void said(const QString& text);

private:
    void loadList();
    void takeList(Result<std::vector<SweepRow>> rows);
    void loadData();
    void take(SweepData data);
    void continueSweep(std::vector<std::string> arguments);
    void ask(std::function<Result<void>(const Home&)> request, const QString& done);

    Context& m_context;
    SweepProcesses m_processes;
    std::vector<SweepRow> m_rows;
    std::shared_ptr<SweepRowCache> m_cache = std::make_shared<SweepRowCache>();
    std::optional<Error> m_listError;
    SweepId m_current;
    SweepData m_data;
    SweepQuestion m_question;
    SweepCells m_cells;
    std::function<RunConfig()> m_base;
    std::optional<std::set<SweepId>> m_before;  ///< existing sweeps when one was started; the next new one opens
    LatestJob m_listJob, m_dataJob;
    QTimer m_live;
};

}  // namespace slipway::gui
