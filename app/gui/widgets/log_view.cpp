#include "app/gui/widgets/log_view.h"

#include "app/gui/look/theme.h"

#include <QFontDatabase>
#include <QScrollBar>
#include <QSyntaxHighlighter>

namespace slipway::gui {
namespace {

// Colours whole lines by their level and finds the searched text.
class Colours : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& text) override {
        const LogLevel level = levelOf(text);
        if (level != LogLevel::Info)
            setFormat(0, static_cast<int>(text.size()), level == LogLevel::Error ? theme().bad : theme().warn);
    }
};

}  // namespace

LogView::LogView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(fontOf(kAxisSize).pixelSize());
    setFont(fixed);
    new Colours(document());
}

void LogView::setLines(std::vector<LogLine> lines) {
    m_lines = std::move(lines);
    showLines();
}

void LogView::setRank(std::optional<std::int64_t> rank) {
    m_rank = rank;
    showLines();
}

void LogView::setLevel(LogLevel least) {
    m_least = least;
    showLines();
}

void LogView::setSearch(const QString& text) {
    m_search = text;
    showLines();
}

void LogView::showLines() {
    QStringList shown;
    for (const LogLine& line : m_lines) {
        if (m_rank && line.rank != *m_rank) continue;
        if (line.level < m_least) continue;
        if (!m_search.isEmpty() && !line.text.contains(m_search, Qt::CaseInsensitive)) continue;
        shown << tr("rank %1").arg(line.rank).leftJustified(9) + line.text;
    }
    m_shown = static_cast<int>(shown.size());
    const QString text = shown.join('\n');
    if (text == toPlainText()) return;
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 1;
    const int kept = verticalScrollBar()->value();
    setPlainText(text);
    verticalScrollBar()->setValue(atEnd ? verticalScrollBar()->maximum() : kept);
}

}  // namespace slipway::gui
