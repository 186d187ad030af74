#include "app/gui/widgets/issue_list.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

/// The focus ring above the scrolled contents; the mouse passes through.
class Ring : public QWidget {
public:
    explicit Ring(QWidget* parent) : QWidget(parent) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(theme().accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

}  // namespace

IssueList::IssueList(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumSize(px(160), px(80));
    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(0, 0, px(4), 0);
    m_layout->setSpacing(0);
    setWidget(content);
    viewport()->setBackgroundRole(QPalette::Base);
    m_ring = new Ring(this);
}

void IssueList::focusInEvent(QFocusEvent* event) {
    QScrollArea::focusInEvent(event);
    m_ring->setVisible(window()->property("keyboardFocus").toBool());
    m_ring->raise();
}

void IssueList::focusOutEvent(QFocusEvent* event) {
    QScrollArea::focusOutEvent(event);
    m_ring->hide();
}

void IssueList::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    m_ring->setGeometry(rect());
}

void IssueList::setRows(const std::vector<IssueRow>& rows, const QString& whenEmpty) {
    QStringList texts;
    for (const IssueRow& row : rows) texts << row.lead + row.text + row.link;
    if (texts == m_texts && !texts.isEmpty()) return;
    m_texts = texts;
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    if (rows.empty() && !whenEmpty.isEmpty()) {
        auto* label = quietLabel(wordJoined(whenEmpty), widget(), kSideSize);
        label->setWordWrap(true);
        m_layout->addWidget(label);
    }
    for (const IssueRow& row : rows) {
        auto* line = new QWidget(widget());
        auto* layout = new QHBoxLayout(line);
        layout->setContentsMargins(0, px(5), 0, px(5));
        layout->setSpacing(px(8));
        auto* icon = new QLabel(line);
        icon->setPixmap(iconPixmap(row.icon, row.colour, 12));
        layout->addWidget(icon, 0, Qt::AlignTop);
        if (!row.lead.isEmpty()) {
            auto* lead = quietLabel(row.lead, line);
            lead->setMinimumWidth(px(40));
            lead->setAlignment(Qt::AlignRight);
            layout->addWidget(lead, 0, Qt::AlignTop);
        }
        auto* text = new QLabel(wordJoined(row.text), line);
        text->setWordWrap(true);
        text->setToolTip(row.tip);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(text, 1);
        if (!row.link.isEmpty()) {
            auto* link = linkButton(row.link, line);
            link->setAccessibleDescription(row.text);
            link->setFixedHeight(lineHeight(18));
            connect(link, &QPushButton::clicked, this, row.follow);
            layout->addWidget(link, 0, Qt::AlignTop);
        }
        m_layout->addWidget(line);
        m_layout->addWidget(edgeLine(Qt::Horizontal, widget()));
    }
    m_layout->addStretch(1);
}

}  // namespace slipway::gui
