#include "app/gui/widgets/pane.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QProgressBar>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kHeadHeight = 24;       // of a pane's controls (look.md 3)
constexpr qsizetype kLeastShown = 6;  // of an elided text that is still informative

}  // namespace

void setInk(QWidget* widget, const QColor& colour) {
    QPalette palette = widget->palette();
    // Pages have the Base background role, under which labels take their ink from Text.
    palette.setColor(QPalette::WindowText, colour);
    palette.setColor(QPalette::Text, colour);
    widget->setPalette(palette);
}

QPushButton* linkButton(const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty("link", true);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QLabel* quietLabel(const QString& text, QWidget* parent, double relativeSize) {
    auto* label = new QLabel(text, parent);
    label->setFont(fontOf(relativeSize));
    setInk(label, theme().text2);
    return label;
}

QPixmap iconPixmap(Icon icon, const QColor& ink, int size) {
    const int side = px(size);
    QPixmap pixmap(side * 2, side * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintIcon(painter, icon, QRectF(0, 0, side, side), ink);
    return pixmap;
}

QFrame* edgeLine(Qt::Orientation orientation, QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Window);
    QPalette palette = line->palette();
    palette.setColor(QPalette::Window, theme().line);
    line->setPalette(palette);
    if (orientation == Qt::Horizontal)
        line->setFixedHeight(1);
    else
        line->setFixedWidth(1);
    return line;
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setFullText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize ElidedLabel::sizeHint() const {
    const QFontMetrics metrics(font());
    const QMargins margins = contentsMargins();
    return {metrics.horizontalAdvance(m_text) + 2 + margins.left() + margins.right(), metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {m_text.isEmpty() ? 0 : px(24), QFontMetrics(font()).height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    QString shown = QFontMetrics(font()).elidedText(m_text, Qt::ElideRight, contentsRect().width());
    if (shown != m_text && shown.size() <= kLeastShown) shown.clear();  // the tool tip has it
    setToolTip(shown == m_text ? QString() : m_text);
    painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, shown);
}

Pane::Pane(const QString& title, QWidget* body, QWidget* parent) : QWidget(parent), m_body(body) {
    m_title = new QLabel(title, this);
    m_title->setFont(fontOf(1.0, true));
    m_side = new ElidedLabel(this);
    m_side->setFont(fontOf(kSideSize));
    setInk(m_side, theme().text2);
    m_head = new QHBoxLayout;
    m_head->setSpacing(px(8));
    m_head->setContentsMargins(px(16), 0, px(16), 0);
    m_head->addWidget(m_title);
    m_head->addWidget(m_side, 1);
    m_head->addSpacerItem(
        new QSpacerItem(0, px(kHeadHeight), QSizePolicy::Fixed,
                        QSizePolicy::Minimum));  // titles of neighbours align, with or without controls
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(0, px(8), 0, px(10));
    m_layout->setSpacing(px(6));
    m_layout->addLayout(m_head);
    auto* frame = new QHBoxLayout;
    frame->setObjectName(QStringLiteral("bodyFrame"));
    frame->setContentsMargins(px(16), 0, px(16), 0);
    frame->addWidget(body);
    m_layout->addLayout(frame, 1);
    if (body->accessibleName().isEmpty()) body->setAccessibleName(title);
}

void Pane::setFlush(bool flush) {
    if (auto* frame = findChild<QHBoxLayout*>(QStringLiteral("bodyFrame")))
        frame->setContentsMargins(flush ? 0 : px(16), 0, flush ? 0 : px(16), 0);
}

void Pane::setTitle(const QString& title) {
    m_title->setText(title);
    m_body->setAccessibleName(title);
}

void Pane::setSideText(const QString& text) {
    m_side->setFullText(text);
}

void Pane::addControl(QWidget* control) {
    if (qobject_cast<QPushButton*>(control)) control->setFixedHeight(px(kHeadHeight));
    m_head->addWidget(control);
}

HeaderBar::HeaderBar(QWidget* parent) : QWidget(parent) {
    const Theme& t = theme();
    setFixedHeight(px(52));
    m_title = new ElidedLabel(this);
    m_title->setObjectName(QStringLiteral("pageTitle"));
    m_title->setFont(fontOf(kTitleSize, true));
    m_statusIcon = new QLabel(this);
    m_status = new QLabel(this);
    m_status->setFont(fontOf(1.0, true));
    m_side = new ElidedLabel(this);
    setInk(m_side, t.text2);
    m_progress = new QProgressBar(this);
    m_progress->setFixedSize(px(150), px(5));
    m_progress->setRange(0, 1000);
    m_progress->setAccessibleName(tr("Progress"));
    m_progressText = quietLabel({}, this);
    m_noticeIcon = new QLabel(this);
    m_noticeIcon->setPixmap(iconPixmap(Icon::Warning, t.warn));
    m_notice = new QLabel(this);
    m_notice->setObjectName(QStringLiteral("pageNotice"));
    setInk(m_notice, t.warn);
    m_layout = new QHBoxLayout(this);
    m_layout->setContentsMargins(px(16), 0, px(16), 0);
    m_layout->setSpacing(px(8));
    m_layout->addWidget(m_title);
    m_layout->addSpacing(px(4));
    m_layout->addWidget(m_statusIcon);
    m_layout->addWidget(m_status);
    m_layout->addWidget(m_side);
    m_layout->addWidget(m_progress);
    m_layout->addWidget(m_progressText);
    m_layout->addStretch(1);
    m_layout->addWidget(m_noticeIcon);
    m_layout->addWidget(m_notice);
    m_busySoon.setSingleShot(true);
    m_busySoon.setInterval(300);
    connect(&m_busySoon, &QTimer::timeout, this, [this] {
        m_busy = true;
        update();
    });
    setStatus({}, {}, {});
    setProgress({}, {});
    setNotice({});
}

void HeaderBar::setTitle(const QString& title) {
    m_title->setFullText(title);
    m_title->setMinimumWidth(std::min(m_title->sizeHint().width(), px(360)));  // text beside a name is shortened first
}

void HeaderBar::setSideText(const QString& text) {
    m_side->setFullText(text);
}

void HeaderBar::setStatus(std::optional<Icon> icon, const QString& text, const QColor& colour) {
    m_statusIcon->setVisible(icon.has_value());
    m_status->setVisible(icon.has_value());
    if (!icon) return;
    m_statusIcon->setPixmap(iconPixmap(*icon, colour, 12));
    m_status->setText(text);
    setInk(m_status, colour);
}

void HeaderBar::setProgress(std::optional<double> share, const QString& text) {
    m_progress->setVisible(share.has_value());
    m_progressText->setVisible(share.has_value());
    if (!share) return;
    m_progress->setValue(static_cast<int>(*share * 1000));
    m_progressText->setText(text);
}

void HeaderBar::setNotice(const QString& text) {
    m_notice->setText(text);
    m_notice->setVisible(!text.isEmpty());
    m_noticeIcon->setVisible(!text.isEmpty());
}

void HeaderBar::setBusy(bool busy) {
    if (busy && !m_busy && !m_busySoon.isActive()) m_busySoon.start();
    if (busy) return;
    m_busySoon.stop();
    m_busy = false;
    update();
}

QPushButton* HeaderBar::addButton(const QString& text, bool primary) {
    auto* button = new QPushButton(text, this);
    button->setProperty("primary", primary);
    m_layout->addWidget(button);
    return button;
}

void HeaderBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.fillRect(0, height() - 1, width(), 1, theme().line);
    if (m_busy) painter.fillRect(0, height() - px(3), width(), px(3), theme().accent);
}

StatePanel::StatePanel(QWidget* parent) : QWidget(parent) {
    m_headline = new QLabel(this);
    m_headline->setObjectName(QStringLiteral("stateHeadline"));
    m_headline->setFont(fontOf(kAnswerSize, true));
    m_headline->setWordWrap(true);
    m_sentence = quietLabel({}, this);
    m_sentence->setObjectName(QStringLiteral("stateSentence"));
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(px(8));
    auto* column = new QVBoxLayout;
    column->setSpacing(px(12));
    column->addStretch(2);
    column->addWidget(m_headline);
    column->addWidget(m_sentence);
    column->addLayout(m_buttons);
    column->addStretch(5);
    auto* row = new QHBoxLayout(this);
    row->addStretch(1);
    row->addLayout(column, 4);
    row->addStretch(3);
}

void StatePanel::show(const QString& headline, const QString& sentence, std::vector<Action> actions) {
    m_headline->setText(wordJoined(headline));
    m_sentence->setText(wordJoined(sentence));
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (Action& action : actions) {
        auto* button = new QPushButton(action.text, this);
        button->setProperty("primary", action.primary);
        connect(button, &QPushButton::clicked, this, std::move(action.run));
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
    QWidget::show();
}

}  // namespace slipway::gui
