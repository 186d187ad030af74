#include "app/gui/widgets/navigation.h"

#include "app/gui/look/status_look.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr int kIdRole = Qt::UserRole;
constexpr int kIconRole = Qt::UserRole + 1;
constexpr int kCountRole = Qt::UserRole + 2;
constexpr int kInkRole = Qt::UserRole + 3;
constexpr int kShareRole = Qt::UserRole + 4;
constexpr int kMaxActive = 5;

class PageDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {px(48), px(31)}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& t = theme();
        const bool current = option.state & QStyle::State_Selected;
        const bool over = option.state & QStyle::State_MouseOver;
        const QRectF box = QRectF(option.rect).adjusted(px(8), 1, -px(8), -1);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (current || over) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(current ? t.selection : t.hover);
            painter->drawRoundedRect(box, px(3), px(3));
        }
        if ((option.state & QStyle::State_HasFocus) && option.widget->window()->property("keyboardFocus").toBool()) {
            painter->setPen(QPen(t.accent, 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(box, px(3), px(3));
        }
        const bool folded = option.rect.width() < px(80);
        const QRectF icon(folded ? option.rect.center().x() - px(8) : box.left() + px(8), box.center().y() - px(8),
                          px(16), px(16));
        paintIcon(*painter, static_cast<Icon>(index.data(kIconRole).toInt()), icon, current ? t.accent : t.text2);
        if (!folded) {
            painter->setFont(fontOf(1.0, current));
            painter->setPen(t.text);
            painter->drawText(box.adjusted(px(33), 0, -px(8), 0), Qt::AlignLeft | Qt::AlignVCenter,
                              index.data().toString());
            painter->setFont(fontOf(kSideSize));
            painter->setPen(t.text2);
            painter->drawText(box.adjusted(0, 0, -px(8), 0), Qt::AlignRight | Qt::AlignVCenter,
                              index.data(kCountRole).toString());
        }
        painter->restore();
    }
};

class ActiveDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {px(48), px(44)}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& t = theme();
        const QRectF box = QRectF(option.rect).adjusted(px(8), 0, -px(8), 0);
        if (option.state & QStyle::State_MouseOver) painter->fillRect(box, t.hover);
        const QVariant icon = index.data(kIconRole);
        if (icon.isValid())
            paintIcon(*painter, static_cast<Icon>(icon.toInt()),
                      QRectF(box.left() + px(6), box.top() + px(5), px(11), px(11)),
                      index.data(kInkRole).value<QColor>());
        const QStringList lines = index.data().toString().split('\n');
        const QRectF text = box.adjusted(px(24), px(2), -px(2), 0);
        painter->setFont(fontOf(1.0));
        painter->setPen(t.text);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignTop,
                          QFontMetricsF(painter->font()).elidedText(lines.value(0), Qt::ElideMiddle, text.width()));
        painter->setFont(fontOf(kSideSize));
        painter->setPen(t.text2);
        painter->drawText(text.adjusted(0, px(17), 0, 0), Qt::AlignLeft | Qt::AlignTop, lines.value(1));
        const QVariant share = index.data(kShareRole);
        if (!share.isValid()) return;
        const QRectF bar(text.left(), box.bottom() - px(6), text.width(), px(3));
        painter->fillRect(bar, t.line);
        painter->fillRect(QRectF(bar.left(), bar.top(), bar.width() * share.toDouble(), bar.height()), t.accent);
    }
};

}  // namespace

Navigation::Navigation(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, px(8), 1, px(8));
    layout->setSpacing(px(2));
    m_pages = makeList(tr("Pages"));
    m_pages->setObjectName(QStringLiteral("navigation"));
    m_pages->setItemDelegate(new PageDelegate(m_pages));
    m_heading = quietLabel(tr("In progress"), this, kSideSize);
    m_heading->setContentsMargins(px(16), px(12), 0, px(2));
    m_heading->setFont(fontOf(kSideSize, true));
    m_active = makeList(tr("In progress"));
    m_active->setObjectName(QStringLiteral("inProgress"));
    m_active->setItemDelegate(new ActiveDelegate(m_active));
    m_bottom = makeList(tr("Settings"));
    m_bottom->setObjectName(QStringLiteral("navigationBottom"));
    m_bottom->setItemDelegate(new PageDelegate(m_bottom));
    layout->addWidget(m_pages);
    layout->addWidget(m_heading);
    layout->addWidget(m_active);
    layout->addStretch(1);
    layout->addWidget(m_bottom);
    for (QListWidget* list : {m_pages, m_bottom}) {
        const auto choose = [this](QListWidgetItem* item) { emit chosen(item->data(kIdRole).toInt()); };
        connect(list, &QListWidget::itemClicked, this, choose);
        connect(list, &QListWidget::itemActivated, this, choose);
    }
    const auto open = [this](QListWidgetItem* item) {
        const auto row = static_cast<std::size_t>(m_active->row(item));
        if (row < m_activeIds.size()) emit runChosen(m_activeIds[row]);
    };
    connect(m_active, &QListWidget::itemClicked, this, open);
    connect(m_active, &QListWidget::itemActivated, this, open);
    setActive({});
    setFolded(false);
}

QListWidget* Navigation::makeList(const QString& name) {
    auto* list = new QListWidget(this);
    list->setAccessibleName(name);
    list->setFrameShape(QFrame::NoFrame);
    list->setMouseTracking(true);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    QPalette palette = list->palette();
    palette.setColor(QPalette::Base, theme().window);
    list->setPalette(palette);
    return list;
}

void Navigation::addPage(int id, Icon icon, const QString& label, bool atBottom) {
    auto* item = new QListWidgetItem(label, atBottom ? m_bottom : m_pages);  // owned by its list
    item->setData(kIdRole, id);
    item->setData(kIconRole, static_cast<int>(icon));
    item->setToolTip(label);
    fitHeights();
}

void Navigation::fitHeights() {
    for (QListWidget* list : {m_pages, m_bottom}) list->setFixedHeight(std::max(1, list->count()) * px(31) + 2);
    m_active->setFixedHeight(m_active->count() * px(44) + 2);
}

void Navigation::setCount(int id, const QString& count) {
    for (int row = 0; row < m_pages->count(); ++row)
        if (m_pages->item(row)->data(kIdRole).toInt() == id) m_pages->item(row)->setData(kCountRole, count);
}

void Navigation::setCurrent(int id) {
    for (QListWidget* list : {m_pages, m_bottom}) {
        list->clearSelection();
        for (int row = 0; row < list->count(); ++row)
            if (list->item(row)->data(kIdRole).toInt() == id) list->setCurrentRow(row);
    }
}

void Navigation::setActive(const std::vector<ActiveRun>& runs) {
    // Rows are kept while the runs are the same, so that keyboard focus does not jump twice a second.
    std::vector<RunId> ids;
    for (const ActiveRun& run : runs)
        if (static_cast<int>(ids.size()) < kMaxActive) ids.push_back(run.id);
    const bool rest = static_cast<int>(runs.size()) > kMaxActive;
    if (ids != m_activeIds || m_active->count() != static_cast<int>(ids.size()) + (rest ? 1 : 0)) {
        m_active->clear();
        for (std::size_t i = 0; i < ids.size() + (rest ? 1 : 0); ++i) m_active->addItem(QString());
        m_activeIds = ids;
    }
    for (std::size_t i = 0; i < m_activeIds.size(); ++i) {
        QListWidgetItem* item = m_active->item(static_cast<int>(i));
        const ActiveRun& run = runs[i];
        const QString last = countText(static_cast<double>(run.lastStep));
        const bool isQueued = run.status == RunStatus::Queued;
        const QString line = !run.link.isEmpty() && isQueued    ? tr("no contact, queued")
                             : !run.link.isEmpty()              ? tr("no contact, continues there")
                             : run.status != RunStatus::Running ? statusText(run.status)
                             : run.numSteps > 0
                                 ? tr("%1 of %2 steps").arg(last, countText(static_cast<double>(run.numSteps)))
                                 : tr("step %1").arg(last);
        item->setText(run.name + '\n' + line);
        item->setToolTip(run.link);
        item->setData(kIconRole, static_cast<int>(run.link.isEmpty() ? statusIcon(run.status) : Icon::Lost));
        item->setData(kInkRole, run.link.isEmpty() ? statusColour(run.status) : theme().warn);
        item->setData(kShareRole, run.numSteps > 0 ? double(run.lastStep) / double(run.numSteps) : 0.0);
    }
    if (rest)
        m_active->item(m_active->count() - 1)
            ->setText('\n' + tr("and %n more", nullptr, static_cast<int>(runs.size()) - kMaxActive));
    m_heading->setVisible(!runs.empty() && !m_folded);
    m_active->setVisible(!runs.empty() && !m_folded);
    fitHeights();
}

void Navigation::setFolded(bool folded) {
    m_folded = folded;
    setFixedWidth(px(folded ? 48 : 172));
    m_heading->setVisible(!m_activeIds.empty() && !folded);
    m_active->setVisible(!m_activeIds.empty() && !folded);
    m_pages->doItemsLayout();
    m_bottom->doItemsLayout();
}

void Navigation::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(width() - 1, 0, 1, height(), theme().line);
}

}  // namespace slipway::gui
