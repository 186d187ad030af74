// The end of the ranks' logs: follows new lines while at the end, keeps its position while somebody reads.
#pragma once

#include "app/gui/values/log_line.h"

#include <QPlainTextEdit>

namespace slipway::gui {

class LogView : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
    void setLines(std::vector<LogLine> lines);
    void setRank(std::optional<std::int64_t> rank);  ///< empty: all ranks
    void setLevel(LogLevel least);
    void setSearch(const QString& text);
    /// For tests: number of lines that match the rank, the level and the search.
    [[nodiscard]] int numShown() const { return m_shown; }

private:
    void showLines();

    std::vector<LogLine> m_lines;
    std::optional<std::int64_t> m_rank;
    LogLevel m_least = LogLevel::Info;
    QString m_search;
    int m_shown = 0;
};

}  // namespace slipway::gui
