#include "app/gui/widgets/filter_line.h"

#include "app/gui/look/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QStringListModel>

namespace slipway::gui {

FilterLine::FilterLine(QWidget* parent)
    : QLineEdit(parent), m_completer(new QCompleter(this)), m_offers(new QStringListModel(this)) {
    m_completer->setModel(m_offers);
    m_completer->setWidget(this);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    setClearButtonEnabled(true);
    setMinimumHeight(px(28));
    setTextMargins(px(4), 0, 0, 0);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &FilterLine::insertCompletion);
    connect(this, &QLineEdit::textEdited, this, &FilterLine::offer);
}

void FilterLine::setWords(const QStringList& fields) {
    m_fields = fields;
}

void FilterLine::setValues(const QString& field, const QStringList& values) {
    m_values[field] = values;
}

void FilterLine::setProblem(qsizetype begin, qsizetype end) {
    // UTF-8 bytes to characters.
    const QByteArray bytes = text().toUtf8();
    m_problemBegin = QString::fromUtf8(bytes.left(begin)).size();
    m_problemEnd = QString::fromUtf8(bytes.left(end)).size();
    setProperty("invalid", end > begin);
    update();
}

QString FilterLine::wordAtCursor(int* start) const {
    int begin = cursorPosition();
    while (begin > 0 && !QStringLiteral(" (),-").contains(text()[begin - 1])) --begin;
    *start = begin;
    return text().mid(begin, cursorPosition() - begin);
}

void FilterLine::offer() {
    int start = 0;
    const QString word = wordAtCursor(&start);
    const auto colon = word.indexOf(':');
    QStringList offers;
    QString prefix = word;
    if (colon >= 0) {
        const QString field = word.left(colon);
        for (const QString& value : m_values.value(field)) offers << field + ':' + value;
    } else {
        for (const QString& field : m_fields) offers << field + ':';
    }
    m_offers->setStringList(offers);
    m_completer->setCompletionPrefix(prefix);
    if (prefix.size() < 1 || m_completer->completionCount() == 0) {
        m_completer->popup()->hide();
        return;
    }
    QRect at = cursorRect();
    at.setWidth(px(220));
    m_completer->complete(at);
}

void FilterLine::insertCompletion(const QString& completion) {
    int start = 0;
    const QString word = wordAtCursor(&start);
    QString now = text();
    now.replace(start, word.size(), completion);
    setText(now);
    setCursorPosition(start + static_cast<int>(completion.size()));
    emit textEdited(now);
}

void FilterLine::keyPressEvent(QKeyEvent* event) {
    if (m_completer->popup()->isVisible() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                                              event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape)) {
        event->ignore();  // the popup takes them
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void FilterLine::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (m_problemEnd <= m_problemBegin) return;
    QPainter painter(this);
    const QFontMetrics metrics(font());
    const int left = px(6) + metrics.horizontalAdvance(text().left(m_problemBegin));
    const int right = px(6) + metrics.horizontalAdvance(text().left(m_problemEnd));
    painter.setPen(QPen(theme().bad, 1.5, Qt::DotLine));
    painter.drawLine(left, height() - px(5), right, height() - px(5));
}

}  // namespace slipway::gui
