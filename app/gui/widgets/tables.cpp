#include "app/gui/widgets/tables.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/row_density.h"
#include "core/base/units.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>

namespace slipway::gui {

void prepareTable(QTableView* view) {
    view->setFrameShape(QFrame::NoFrame);
    view->setShowGrid(false);
    view->setAlternatingRowColors(false);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setItemDelegate(new RowDelegate(view));
    view->setMouseTracking(true);
    view->setWordWrap(false);
    view->setTextElideMode(Qt::ElideMiddle);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->verticalHeader()->hide();
    view->verticalHeader()->setMinimumSectionSize(px(20));
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    followRowDensity(view);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setFixedHeight(lineHeight(26));
    view->horizontalHeader()->setMinimumSectionSize(px(28));
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setTabKeyNavigation(false);
    auto* copy = new QShortcut(QKeySequence::Copy, view, nullptr, nullptr, Qt::WidgetShortcut);
    QObject::connect(copy, &QShortcut::activated, view,
                     [view] { QApplication::clipboard()->setText(selectionAsText(*view)); });
    if (view->model() == nullptr) return;
    const auto keepCurrent = [view] {
        if (!view->currentIndex().isValid() && view->model()->rowCount() > 0)
            view->selectionModel()->setCurrentIndex(view->model()->index(0, 0), QItemSelectionModel::NoUpdate);
    };
    QObject::connect(view->model(), &QAbstractItemModel::modelReset, view, keepCurrent);
    keepCurrent();
}

namespace {

QString say(const char* text) {
    return QCoreApplication::translate("Tables", text);
}

/// "+3" at the end of the headings: columns for which there is no room, named in its tip. After a click the table shows all and
/// scrolls, until a wider window has room for them.
class HiddenColumns : public QPushButton {
public:
    HiddenColumns(QTableView* view, QList<int> dispensable)
        : QPushButton(view->horizontalHeader()), m_view(view), m_dispensable(std::move(dispensable)) {
        setObjectName(QStringLiteral("hiddenColumns"));
        setProperty("link", true);
        setCursor(Qt::PointingHandCursor);
        setAutoFillBackground(true);
        view->horizontalHeader()->installEventFilter(this);
        QObject::connect(this, &QPushButton::clicked, this, [this] {
            m_showsAll = true;
            m_view->setFocus();
            fitColumns(m_view, m_dispensable);
        });
    }
    static HiddenColumns* of(QTableView* view) {
        return static_cast<HiddenColumns*>(
            view->horizontalHeader()->findChild<QPushButton*>(QStringLiteral("hiddenColumns")));
    }
    [[nodiscard]] bool showsAll() const { return m_showsAll; }
    static int room() { return px(28); }

    void showTitles(const QStringList& titles) {
        setVisible(!titles.isEmpty());
        setText(QStringLiteral("+%1").arg(titles.size()));
        setToolTip(say(QT_TRANSLATE_NOOP("Tables", "No room for: %1. A click shows all columns."))
                       .arg(titles.join(QStringLiteral(", "))));
        setAccessibleName(toolTip());
        place();
    }
    void allFit() {
        m_showsAll = false;
        hide();
    }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Resize) place();
        return false;
    }

private:
    void place() {
        const QWidget* head = parentWidget();
        setGeometry(head->width() - room(), 0, room(), head->height() - 1);
        raise();
    }

    QTableView* m_view;
    QList<int> m_dispensable;
    bool m_showsAll = false;
};

/// Fits the columns again after a change of the view's width.
class ColumnFitter : public QObject {
public:
    ColumnFitter(QTableView* view, QList<int> dispensable)
        : QObject(view), m_view(view), m_dispensable(std::move(dispensable)) {
        view->viewport()->installEventFilter(this);
    }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Resize) fitColumns(m_view, m_dispensable);
        return false;
    }

private:
    QTableView* m_view;
    QList<int> m_dispensable;
};

}  // namespace

void keepColumnsFitted(QTableView* view, const QList<int>& dispensable) {
    new ColumnFitter(view, dispensable);  // the view owns it
    fitColumns(view, dispensable);
}

void fitColumns(QTableView* view, const QList<int>& dispensable) {
    QHeaderView* head = view->horizontalHeader();
    head->setSectionResizeMode(QHeaderView::Interactive);
    for (const int column : dispensable) head->showSection(column);
    view->resizeColumnsToContents();
    int used = 0;
    for (int i = 0; i < head->count(); ++i) used += head->sectionSize(i);
    int width = view->viewport()->width();
    if (!dispensable.isEmpty()) {
        HiddenColumns* hidden = HiddenColumns::of(view);
        const bool allFit = used <= width;
        if (!allFit && hidden == nullptr) hidden = new HiddenColumns(view, dispensable);
        if (!allFit) {
            if (!hidden->showsAll()) width -= HiddenColumns::room();
            QStringList titles;
            for (const int column : dispensable) {
                if (used <= width || hidden->showsAll()) break;
                used -= head->sectionSize(column);
                head->hideSection(column);
                titles << view->model()->headerData(column, Qt::Horizontal).toString();
            }
            hidden->showTitles(titles);
        } else if (hidden != nullptr) {
            hidden->allFit();
        }
    }
    const int shown = head->count() - head->hiddenSectionCount();
    if (used == 0 || shown == 0) return;
    // A number is shown in full or not at all: words are shortened first, then the table scrolls.
    const auto isWords = [view](int column) {
        return !(view->model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>() &
                 Qt::AlignRight);
    };
    for (int i = 0; i < head->count(); ++i) {
        if (head->isSectionHidden(i)) continue;
        const int natural = head->sectionSize(i);
        if (used <= width) {
            head->resizeSection(i, natural + (width - used) / shown);
        } else if (isWords(i)) {
            const int least = std::min(natural, px(96));
            head->resizeSection(i, std::max(least, natural - (used - width)));
            used -= natural - head->sectionSize(i);
        }
    }
}

QString selectionAsText(const QTableView& view) {
    const QAbstractItemModel& model = *view.model();
    QStringList lines;
    QStringList cells;
    const auto plain = [](const QVariant& value) { return tabCell(value.toString()); };
    const int columns = model.columnCount();
    const auto shown = [&](int column) { return !view.isColumnHidden(column); };
    for (int c = 0; c < columns; ++c)
        if (shown(c)) cells << plain(model.headerData(c, Qt::Horizontal));
    lines << cells.join('\t');
    for (const QModelIndex& row : view.selectionModel()->selectedRows()) {
        cells.clear();
        for (int c = 0; c < columns; ++c)
            if (shown(c)) cells << plain(model.index(row.row(), c).data());
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(px(8) + textIndent(index), 0);
}

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& t = theme();
    QStyleOptionViewItem o = option;
    initStyleOption(&o, index);
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const bool selected = option.state & QStyle::State_Selected;
    bool hovered = false;
    if (view) {
        const QModelIndex under = view->indexAt(view->viewport()->mapFromGlobal(QCursor::pos()));
        hovered = view->viewport()->underMouse() && under.isValid() && under.row() == index.row();
    }
    painter->fillRect(option.rect, selected ? t.selection : hovered ? t.hover : t.panel);
    painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.grid);
    painter->save();
    painter->setFont(o.font);
    const QVariant ink = index.data(Qt::ForegroundRole);
    painter->setPen(option.state & QStyle::State_Enabled
                        ? (ink.canConvert<QColor>() && ink.isValid() ? ink.value<QColor>() : t.text)
                        : t.text3);
    const QRect text = option.rect.adjusted(px(6) + textIndent(index), 0, -px(6), -1);
    painter->drawText(text, static_cast<int>(o.displayAlignment),
                      QFontMetrics(o.font).elidedText(o.text, option.textElideMode, text.width()));
    painter->restore();
    if ((option.state & QStyle::State_HasFocus) && view && view->hasFocus() &&
        view->window()->property("keyboardFocus").toBool()) {
        painter->setPen(QPen(t.accent, 1));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
    }
}

}  // namespace slipway::gui
