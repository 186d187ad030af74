// Lines of the ranks' logs with time and rank: follows new lines while at the end, keeps its position while somebody reads.
#pragma once

#include "app/gui/values/log_line.h"

#include <QPlainTextEdit>

namespace slipway::gui {

class LogView : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit LogView(QWidget* parent = nullptr);
    /// @param mark text that is highlighted
    void setLines(std::vector<LogLine> lines, const QString& mark);
    /// Shows the first line of this time or later; nothing where lines have no times.
    void showTime(std::int64_t unixMilliseconds);
    /// For tests.
    [[nodiscard]] int numShown() const { return static_cast<int>(m_lines.size()); }

protected:
    void changeEvent(QEvent* event) override;

private:
    std::vector<LogLine> m_lines;
    QString m_mark;
};

}  // namespace slipway::gui
