// The log of a run: its last lines, live; with a search or a level, what the whole logs of all ranks have of it. The search reads
// in pieces on the pool, can be stopped, and continues as the logs grow.
#pragma once

#include "app/gui/engine/jobs.h"
#include "app/gui/pages/run_data.h"
#include "app/gui/widgets/pane.h"

#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>

class QComboBox;
class QLineEdit;

namespace slipway::gui {

class LogView;

class LogPane : public Pane {
    Q_OBJECT

public:
    explicit LogPane(QWidget* parent);

    void setRun(const RunDir& folder, std::shared_ptr<const RunView> view, bool isActive);
    /// Shows one rank; empty: all.
    void setRank(std::optional<int> rank);
    [[nodiscard]] std::optional<int> rank() const;
    void focusSearch();
    /// The last lines, at this time where they have times.
    void showTime(std::int64_t unixMilliseconds);

signals:
    void rankChosen(std::optional<int> rank);

private:
    struct Stop {
        std::atomic<bool> wanted{false};
        std::atomic<int> permille{0};
    };

    LogPane(LogView* view, QWidget* parent);
    [[nodiscard]] LogQuestion question() const;
    [[nodiscard]] bool isSearching() const { return question() != LogQuestion(); }
    /// The question has changed.
    void ask();
    /// Searches what the logs have gained since.
    void search();
    void showLines();
    void showSide();

    LogView* m_lines;
    QLineEdit* m_text;
    QComboBox* m_rank;
    QComboBox* m_level;
    QPushButton* m_cancel;
    RunDir m_folder;
    RunId m_shown;
    std::shared_ptr<const RunView> m_view;
    bool m_isActive = false;
    std::shared_ptr<const LogSearch> m_found;  // null before the first answer to the question
    bool m_wasStopped = false;
    std::shared_ptr<Stop> m_stop;
    LatestJob m_job;
    QTimer m_progress;
};

}  // namespace slipway::gui
