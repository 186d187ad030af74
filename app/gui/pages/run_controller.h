// State of the Run page: the open run, reloaded when the engine reports new points, and once a second while it runs.
#pragma once

#include "app/gui/engine/context.h"
#include "app/gui/engine/jobs.h"
#include "app/gui/pages/run_data.h"

#include <QElapsedTimer>
#include <QTimer>
#include <memory>
#include <optional>

class QWidget;

namespace slipway::gui {

class RunController : public QObject {
    Q_OBJECT

public:
    explicit RunController(Context& context, QObject* parent = nullptr);

    void open(const RunId& id);
    void openLatest();
    /// Confirms, because it cannot be undone, then writes the stop file: checkpoint and end after the current step.
    void askStop(QWidget* parent);
    /// Confirms, then ends the ranks immediately, without a checkpoint.
    void askKill(QWidget* parent);
    void resume();
    void reload();
    /// While nobody sees the run, it is loaded again for changes of the list alone, not for each of its steps.
    void setSeen(bool isSeen);

    [[nodiscard]] const RunId& id() const { return m_id; }
    /// The newest view; null before the first answer.
    [[nodiscard]] std::shared_ptr<const RunView> view() const { return m_view; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// True if the newest view is of an active run.
    [[nodiscard]] bool isActive() const;
    /// Reason and start of a node's unreachability; empty: all are reachable.
    [[nodiscard]] const QString& link() const { return m_link; }
    [[nodiscard]] bool canResume() const;
    /// Seconds left at the pace of the last steps; empty when not running.
    [[nodiscard]] std::optional<double> secondsLeft() const;

signals:
    void changed();

private:
    void takeLink();
    /// The run has advanced, or may have.
    void follow();

    Context& m_context;
    RunId m_id;
    std::shared_ptr<const RunView> m_view;
    std::optional<Error> m_error;
    QString m_link;
    LatestJob m_job;
    LatestJob m_latest;
    QTimer m_timer;
    bool m_isSeen = true;
    bool m_isStale = false;  ///< it may have advanced unseen
};

}  // namespace slipway::gui
