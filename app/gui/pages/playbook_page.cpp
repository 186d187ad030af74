#include "app/gui/pages/playbook_page.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/playbook_balance.h"
#include "app/gui/pages/playbook_benchmark.h"
#include "app/gui/pages/playbook_chapter.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/pages/playbook_shelf.h"
#include "app/gui/pages/report_dialog.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/report/playbook_report.h"

#include <nlohmann/json.hpp>

#include <QListWidget>
#include <QPainter>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>

namespace slipway::gui {
namespace {

enum Role { kPlace = Qt::UserRole + 1, kNumber, kMarked };

// Icon of the state, number, title, and at the right a warning if the open plan breaks a rule of the chapter.
class PlaceDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& t = theme();
        const QRect& rect = option.rect;
        const bool isCurrent = option.state & QStyle::State_Selected;
        if (isCurrent)
            painter->fillRect(rect, t.selection);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(rect, t.hover);
        const QRect icon(rect.left() + px(16), rect.center().y() - px(6), px(12), px(12));
        qvariant_cast<QIcon>(index.data(Qt::DecorationRole)).paint(painter, icon);
        painter->setFont(fontOf(1.0, isCurrent));
        painter->setPen(t.text2);
        painter->drawText(QRect(rect.left() + px(34), rect.top(), px(20), rect.height()),
                          Qt::AlignRight | Qt::AlignVCenter, index.data(kNumber).toString());
        painter->setPen(t.text);
        const QRect text = textRect(rect, index);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, index.data().toString());
        if (index.data(kMarked).toBool())
            paintIcon(*painter, Icon::Warning, QRectF(rect.right() - px(22), rect.center().y() - px(6), px(12), px(12)),
                      t.warn);
        if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
            painter->setPen(QPen(t.accent, 2));
            painter->drawRect(rect.adjusted(1, 1, -1, -1));
        }
    }
    /// A long title has two lines, bold or not, so that no row moves when it is chosen.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
        const int width = view ? view->viewport()->width() : px(236);
        const QRect text = textRect(QRect(0, 0, width, lineHeight(27)), index);
        const bool fits = QFontMetrics(fontOf(1.0, true)).horizontalAdvance(index.data().toString()) <= text.width();
        return {px(200), lineHeight(fits ? 27 : 44)};
    }

private:
    static QRect textRect(const QRect& row, const QModelIndex& index) {
        return row.adjusted(px(62), 0, -(index.data(kMarked).toBool() ? px(24) : px(8)), 0);
    }
};

}  // namespace

PlaybookPage::PlaybookPage(Context& context, PlaybookController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    m_report = header()->addButton(tr("Report…"));
    m_report->setObjectName(QStringLiteral("chapterReport"));
    connect(m_report, &QPushButton::clicked, this, &PlaybookPage::exportData);
    auto* plan = header()->addButton(tr("Open the plan"));
    plan->setObjectName(QStringLiteral("openPlan"));
    connect(plan, &QPushButton::clicked, this, [this] { emit wantsPage(PageId::Plan); });
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("playbookList"));
    m_list->setAccessibleName(tr("Chapters"));
    m_list->setItemDelegate(new PlaceDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->setResizeMode(QListView::Adjust);  // titles wrap
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_state = new StatePanel(this);
    m_shelf = new PlaybookShelf(controller, this);
    m_chapter = new PlaybookChapter(controller, this);
    m_guesses = new PlaybookGuesses(controller, this);
    m_claims = new PlaybookClaims(controller, this);
    m_benchmark = new PlaybookBenchmark(controller, this);
    m_stack = new QStackedWidget(this);
    for (QWidget* view : std::initializer_list<QWidget*>{m_state, m_shelf, m_chapter, m_guesses, m_claims, m_benchmark})
        m_stack->addWidget(view);
    auto* panes = splitter(Qt::Horizontal, {m_list, m_stack}, {0, 1});
    panes->setSizes({px(236), px(1040)});
    rememberSizes(panes, QStringLiteral("playbook/list"));
    rememberSizes(m_chapter->splitter(), QStringLiteral("playbook/chapter"));
    rememberSizes(m_benchmark->splitter(), QStringLiteral("playbook/benchmark"));
    setContent(panes);

    connect(m_list, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* now) {
        if (!m_filling && now) open(now->data(kPlace).toString().toStdString());
    });
    connect(m_shelf, &PlaybookShelf::chapterWanted, this, &PlaybookPage::open);
    connect(m_guesses, &PlaybookGuesses::chapterWanted, this, &PlaybookPage::open);
    connect(m_claims, &PlaybookClaims::chapterWanted, this, &PlaybookPage::open);
    connect(m_claims, &PlaybookClaims::sweepWanted, this, &Page::wantsSweep);
    connect(m_chapter, &PlaybookChapter::sweepWanted, this, &Page::wantsSweep);
    connect(&controller, &PlaybookController::loaded, this, &PlaybookPage::showLater);
    connect(&controller, &PlaybookController::journalChanged, this, &PlaybookPage::showLater);
    connect(&controller, &PlaybookController::planChanged, this, &PlaybookPage::showLater);
    connect(&controller, &PlaybookController::said, this, &Page::said);
    connect(&controller, &PlaybookController::runChanged, this, [this] {
        if (isVisible()) showList();
    });
    header()->setTitle(tr("Playbook"));
    m_state->show(tr("Reading the playbook…"), {}, {});
    if (controller.playbook() == nullptr)
        controller.reload();
    else
        showLater();
}

bool PlaybookPage::can(PageAction action) const {
    return action == PageAction::Refresh || (action == PageAction::Export && m_report->isEnabled());
}

void PlaybookPage::exportData() {
    if (!can(PageAction::Export)) return;
    const Chapter* chapter = m_controller.playbook()->chapter(m_place);
    // Copies: the work runs in parallel to the page, which may reload the playbook in the meantime.
    const auto report = [playbook = std::make_shared<const Playbook>(*m_controller.playbook()), id = m_place,
                         reader = m_controller.reader()](const ReportHead& head) {
        const Chapter* one = playbook->chapter(id);
        return one != nullptr ? chapterReport(*playbook, *one, reader, head) : playbookReport(*playbook, reader, head);
    };
    ReportMaker maker;
    maker.summary = [report](const ReportHead& head) -> Result<std::string> { return report(head).question; };
    maker.write = [report](const ReportHead& head, ReportFormat format) { return writeReport(report(head), format); };
    maker.name = fileName(chapter != nullptr ? chapter->id : "playbook");
    maker.title = chapter != nullptr ? says(chapter->title) : tr("Playbook");
    if (chapter != nullptr) maker.question = says(chapter->question);
    openReport(context(), std::move(maker), this);
}

void PlaybookPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    if (m_stale) showAll();
}

void PlaybookPage::showLater() {
    m_stale = true;
    if (isVisible()) showAll();
}

void PlaybookPage::open(const std::string& place) {
    m_place = place;
    showAll();
}

void PlaybookPage::showAll() {
    m_stale = false;
    showList();
    showHeader();
    if (m_controller.error()) {
        m_state->show(tr("The playbook cannot be read."), errorText(*m_controller.error()),
                      {{tr("Try again"), [this] { m_controller.reload(); }}});
        return m_stack->setCurrentWidget(m_state);
    }
    if (m_controller.playbook() == nullptr) return m_stack->setCurrentWidget(m_state);
    if (const Chapter* chapter = m_controller.playbook()->chapter(m_place)) {
        m_chapter->showChapter(*chapter);
        return m_stack->setCurrentWidget(m_chapter);
    }
    if (m_place == "guesses") {
        m_guesses->showAll();
        return m_stack->setCurrentWidget(m_guesses);
    }
    if (m_place == "claims") {
        m_claims->showAll();
        return m_stack->setCurrentWidget(m_claims);
    }
    if (m_place == "benchmark" && m_controller.benchmark()) {
        m_benchmark->showAll();
        return m_stack->setCurrentWidget(m_benchmark);
    }
    m_shelf->showAll();
    m_stack->setCurrentWidget(m_shelf);
}

void PlaybookPage::showList() {
    m_filling = true;
    const int at = m_list->verticalScrollBar()->value();
    m_list->clear();
    const auto add = [this](const QString& title, const std::string& place, Icon icon, const QColor& ink) {
        auto* item = new QListWidgetItem(QIcon(iconPixmap(icon, ink, 12)), title, m_list);
        item->setData(kPlace, qs(place));
        if (place == m_place) m_list->setCurrentItem(item);
        return item;
    };
    add(tr("All chapters"), "overview", Icon::Runs, theme().text2);
    if (const Playbook* playbook = m_controller.playbook())
        for (const Chapter& chapter : playbook->chapters) {
            const Experiment* running = playbook->experiment(m_controller.running());
            const bool isRunning = running != nullptr && running->chapter == chapter.id;
            const bool isGuessed = m_controller.guessFor(chapter.id) != nullptr;
            auto* item = add(says(chapter.title), chapter.id,
                             isRunning   ? Icon::Running
                             : isGuessed ? Icon::Completed
                                         : Icon::Planned,
                             isRunning   ? theme().accent
                             : isGuessed ? theme().ok
                                         : theme().idle);
            item->setData(kNumber, QString::number(chapter.number));
            const bool isMarked = !trapsHit(chapter, m_controller.broken()).empty();
            item->setData(kMarked, isMarked);
            QStringList states{tr("Chapter %1").arg(chapter.number), says(chapter.title),
                               isGuessed ? tr("guessed") : tr("no guess yet")};
            if (isMarked) states.append(tr("the open plan breaks a rule of this chapter"));
            item->setData(Qt::AccessibleTextRole, states.join(QStringLiteral(", ")));
            item->setToolTip(isMarked ? states.last() : QString());
        }
    add(tr("Your guesses"), "guesses", Icon::Compare, theme().text2);
    add(tr("Map of claims"), "claims", Icon::Sweeps, theme().text2);
    add(tr("Published benchmark"), "benchmark", Icon::Tools, theme().text2);
    m_list->verticalScrollBar()->setValue(at);
    m_filling = false;
}

void PlaybookPage::showHeader() {
    const Playbook* playbook = m_controller.playbook();
    const Chapter* open = playbook == nullptr ? nullptr : playbook->chapter(m_place);
    // From the shelf, the whole playbook as far as it is guessed: a report gives away the answers.
    const bool isShelf = playbook != nullptr && open == nullptr && m_place != "benchmark";
    m_report->setVisible(open != nullptr || isShelf);
    m_report->setEnabled(open != nullptr ? m_controller.guessFor(open->id) != nullptr
                                         : isShelf && !m_controller.guesses().empty());
    m_report->setToolTip(isShelf ? tr("All chapters with a guess as one report.") : QString());
    QString notice;
    if (!m_controller.problems().empty()) notice = messageText(m_controller.problems().front());
    header()->setNotice(notice);
    if (playbook == nullptr) return;
    if (const Chapter* chapter = playbook->chapter(m_place)) {
        header()->setTitle(says(chapter->title));
        header()->setSideText(
            tr("Chapter %1: %2 checks, %n experiment(s)", nullptr, static_cast<int>(chapter->experiments.size()))
                .arg(chapter->number)
                .arg(chapter->checks.size()));
        return;
    }
    int guessed = 0;
    for (const Chapter& chapter : playbook->chapters) guessed += m_controller.guessFor(chapter.id) != nullptr;
    header()->setTitle(m_place == "guesses"     ? tr("Your guesses")
                       : m_place == "claims"    ? tr("Map of claims")
                       : m_place == "benchmark" ? tr("Published benchmark")
                                                : tr("Playbook"));
    header()->setSideText(tr("%1 of %2 chapters guessed").arg(guessed).arg(playbook->chapters.size()));
}

}  // namespace slipway::gui
