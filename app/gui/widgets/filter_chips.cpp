#include "app/gui/widgets/filter_chips.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"
#include "core/store/run_filter.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace slipway::gui {
namespace {

constexpr int kLongest = 48;  // characters of a chip

}  // namespace

FilterChips::FilterChips(QWidget* parent) : QWidget(parent) {
    m_add = linkButton(tr("Add filter…"), this);
    m_add->setObjectName(QStringLiteral("addFilter"));
    m_add->setToolTip(tr("Choose a field and its values."));
    connect(m_add, &QPushButton::clicked, this, &FilterChips::addWanted);
    m_more = quietLabel({}, this, kSideSize);
    m_more->hide();
}

void FilterChips::setFilter(const QString& text) {
    const QByteArray bytes = text.toUtf8();
    const auto filter = parseRunFilter(bytes.toStdString());
    if (!filter) return;
    m_filter = text;
    for (const Chip& chip : m_chips) {
        chip.frame->hide();
        chip.frame->deleteLater();  // it may be handling a click
    }
    m_chips.clear();
    for (const FilterNode& node : filter->root.children) {
        const qsizetype begin = QString::fromUtf8(bytes.left(static_cast<qsizetype>(node.begin))).size();
        const qsizetype end = QString::fromUtf8(bytes.left(static_cast<qsizetype>(node.end))).size();
        const QString term = text.mid(begin, end - begin);
        auto* frame = new QFrame(this);
        frame->setObjectName(QStringLiteral("chip"));
        auto* line = new QHBoxLayout(frame);
        line->setContentsMargins(px(6), 0, px(2), 0);
        line->setSpacing(px(2));
        const QString shownTerm = shown(term);
        auto* edit =
            linkButton(shownTerm.size() > kLongest ? shownTerm.left(kLongest) + QStringLiteral("…") : shownTerm, frame);
        edit->setObjectName(QStringLiteral("editTerm"));
        edit->setAccessibleName(tr("Change the filter %1").arg(shownTerm));
        edit->setToolTip(shownTerm);
        auto* remove = linkButton(QStringLiteral("×"), frame);
        remove->setObjectName(QStringLiteral("removeTerm"));
        remove->setAccessibleName(tr("Remove the filter %1").arg(shownTerm));
        line->addWidget(edit);
        line->addWidget(remove);
        connect(edit, &QPushButton::clicked, this, [this, begin, end] { emit editWanted(begin, end - begin); });
        connect(remove, &QPushButton::clicked, this, [this, begin, end] {
            emit changed((m_filter.left(begin).trimmed() + QLatin1Char(' ') + m_filter.mid(end).trimmed()).trimmed());
        });
        m_chips.push_back({frame, term});
    }
    place();
}

QStringList FilterChips::terms() const {
    QStringList out;
    for (const Chip& chip : m_chips) out << chip.term;
    return out;
}

QSize FilterChips::sizeHint() const {
    return {px(240), lineHeight(22)};
}

QSize FilterChips::minimumSizeHint() const {
    return {px(120), lineHeight(22)};
}

void FilterChips::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void FilterChips::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().selection);
    for (const Chip& chip : m_chips)
        if (chip.frame->isVisible()) painter.drawRoundedRect(chip.frame->geometry(), px(3), px(3));
}

/// As many chips as fit, and the number of the others.
void FilterChips::place() {
    const QSize add = m_add->sizeHint();
    const int room = width() - add.width() - px(90);
    int left = 0, hidden = 0;
    for (const Chip& chip : m_chips) {
        const int needed = chip.frame->sizeHint().width();
        const bool fits = hidden == 0 && (left == 0 || left + needed <= room);
        chip.frame->setVisible(fits);
        if (!fits) {
            ++hidden;
            continue;
        }
        chip.frame->setGeometry(left, 0, std::min(needed, std::max(room, px(60))), height());
        left += chip.frame->width() + px(6);
    }
    m_more->setVisible(hidden > 0);
    m_more->setText(tr("and %n more", nullptr, hidden));
    if (hidden > 0) {
        m_more->setGeometry(left, 0, m_more->sizeHint().width(), height());
        left += m_more->width() + px(6);
    }
    m_add->setGeometry(left, 0, add.width(), height());
    update();
}

}  // namespace slipway::gui
