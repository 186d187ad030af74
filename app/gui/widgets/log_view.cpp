#include "app/gui/widgets/log_view.h"

#include "app/gui/look/theme.h"

#include <QDateTime>
#include <QEvent>
#include <QFontDatabase>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>

namespace slipway::gui {
namespace {

/// Colours whole lines by their level and marks the searched text.
class Colours : public QSyntaxHighlighter {
public:
    Colours(const std::vector<LogLine>& lines, const QString& mark, QTextDocument* document)
        : QSyntaxHighlighter(document), m_lines(lines), m_mark(mark) {}

protected:
    void highlightBlock(const QString& text) override {
        const auto number = static_cast<std::size_t>(currentBlock().blockNumber());
        QTextCharFormat format;
        if (number < m_lines.size() && m_lines[number].level != LogLevel::Info) {
            format.setForeground(m_lines[number].level == LogLevel::Error ? theme().bad : theme().warn);
            setFormat(0, static_cast<int>(text.size()), format);
        }
        if (m_mark.isEmpty()) return;
        format.setBackground(theme().selection);
        for (qsizetype at = text.indexOf(m_mark, 0, Qt::CaseInsensitive); at >= 0;
             at = text.indexOf(m_mark, at + m_mark.size(), Qt::CaseInsensitive))
            setFormat(static_cast<int>(at), static_cast<int>(m_mark.size()), format);
    }

private:
    const std::vector<LogLine>& m_lines;
    const QString& m_mark;
};

/// Days are shown where the lines are of more than one, or not of today.
QString timeFormat(const std::vector<LogLine>& lines) {
    std::optional<QDate> day;
    for (const LogLine& line : lines) {
        if (!line.unixMilliseconds) continue;
        const QDate own = QDateTime::fromMSecsSinceEpoch(*line.unixMilliseconds).date();
        if (own != day.value_or(QDate::currentDate())) return QStringLiteral("yyyy-MM-dd HH:mm:ss");
        day = own;
    }
    return day ? QStringLiteral("HH:mm:ss") : QString();
}

}  // namespace

LogView::LogView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(fontOf(kAxisSize).pixelSize());
    setFont(fixed);
    new Colours(m_lines, m_mark, document());
}

void LogView::setLines(std::vector<LogLine> lines, const QString& mark) {
    const bool sameMark = mark == m_mark;
    m_lines = std::move(lines);
    m_mark = mark;
    const QString format = timeFormat(m_lines);
    QStringList shown;
    for (const LogLine& line : m_lines) {
        const QString time = format.isEmpty() ? QString()
                             : line.unixMilliseconds
                                 ? QDateTime::fromMSecsSinceEpoch(*line.unixMilliseconds).toString(format)
                                 : QString();
        shown << (format.isEmpty() ? QString() : time.leftJustified(format.size()) + QStringLiteral("  ")) +
                     tr("rank %1").arg(line.rank).leftJustified(9) + line.text;
    }
    const QString text = shown.join('\n');
    if (text == toPlainText() && sameMark) return;
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 1;
    const int kept = verticalScrollBar()->value();
    setPlainText(text);
    verticalScrollBar()->setValue(atEnd ? verticalScrollBar()->maximum() : kept);
}

void LogView::showTime(std::int64_t unixMilliseconds) {
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (!m_lines[i].unixMilliseconds || *m_lines[i].unixMilliseconds < unixMilliseconds) continue;
        setTextCursor(QTextCursor(document()->findBlockByNumber(static_cast<int>(i))));
        centerCursor();
        return;
    }
}

void LogView::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    for (auto* colours : document()->findChildren<QSyntaxHighlighter*>()) colours->rehighlight();
}

}  // namespace slipway::gui
