#include "app/gui/pages/runs_page.h"

#include "app/gui/engine/engine.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/columns_dialog.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/filter_dialog.h"
#include "app/gui/pages/groups_view.h"
#include "app/gui/pages/run_preview.h"
#include "app/gui/pages/start_panel.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/filter_chips.h"
#include "app/gui/widgets/filter_line.h"
#include "app/gui/widgets/runs_delegate.h"

#include <QApplication>
#include <QComboBox>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <memory>

namespace slipway::gui {

RunsPage::RunsPage(Context& context, RunsController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    header()->setTitle(tr("Runs"));
    auto* import = header()->addButton(tr("Import…"));
    import->setObjectName(QStringLiteral("import"));
    import->setToolTip(tr("Console logs, TensorBoard files and tables of results become runs."));
    connect(import, &QPushButton::clicked, this, &Page::wantsImport);
    auto* exports = header()->addButton(tr("Export"));
    exports->setObjectName(QStringLiteral("export"));
    auto* exportMenu = new QMenu(exports);
    exports->setMenu(exportMenu);
    fillExports(exportMenu);
    m_compare = header()->addButton(tr("Compare"));
    m_compare->setObjectName(QStringLiteral("compare"));
    connect(m_compare, &QPushButton::clicked, this, [this] { emit wantsCompare(selectedRuns()); });
    auto* plan = header()->addButton(tr("New plan"), true);
    connect(plan, &QPushButton::clicked, this, &RunsPage::primaryAction);

    m_content = new QWidget(this);
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeFilterRow());
    column->addWidget(edgeLine(Qt::Horizontal, m_content));
    auto* split = new QSplitter(Qt::Horizontal, m_content);
    split->addWidget(makeTable());
    m_preview = new RunPreview(context, split);
    split->addWidget(m_preview);
    split->setStretchFactor(0, 73);
    split->setStretchFactor(1, 27);
    split->setSizes({730, 270});
    rememberSizes(split, QStringLiteral("runs/split"));
    column->addWidget(split, 1);
    m_state = new StatePanel(this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_content);
    m_stack->addWidget(m_state);
    m_start = new StartPanel(context, m_stack);
    m_stack->addWidget(m_start);
    connect(m_start, &StartPanel::planWanted, this, &Page::wantsNewPlan);
    connect(m_start, &StartPanel::tinyWanted, this, &Page::wantsTiny);
    connect(m_start, &StartPanel::importWanted, this, &Page::wantsImport);
    connect(m_start, &StartPanel::reindexWanted, this, [this] { this->context().engine.rebuildIndex(); });
    setContent(m_stack);

    connect(&m_controller, &RunsController::asked, this, [this] { header()->setBusy(true); });
    connect(&m_controller, &RunsController::answered, this, &RunsPage::showAnswer);
    connect(&m_controller, &RunsController::filterChecked, this, &RunsPage::showFilter);
    connect(&m_controller, &RunsController::viewNamesChanged, this, &RunsPage::showViews);
    connect(&m_controller, &RunsController::failed, this, &Page::said);
    connect(&m_controller, &RunsController::viewOpened, this, [this] {
        const QSignalBlocker quiet(m_filter);
        m_filter->setText(m_controller.filter());
        const QSignalBlocker quietScope(m_scope);
        m_scope->setCurrentIndex(static_cast<int>(m_controller.scope()));
        showFilter();
    });
    openFolder = [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); };
    connect(m_preview, &RunPreview::openWanted, this, &Page::wantsRun);
    connect(m_preview, &RunPreview::compareWanted, m_compare, &QPushButton::click);
    connect(m_preview, &RunPreview::notesWanted, this, &RunsPage::editNotes);
    connect(m_preview, &RunPreview::tagsWanted, this, &RunsPage::editTags);
    showAnswer();
}

QWidget* RunsPage::makeFilterRow() {
    auto* row = new QWidget(this);
    auto* column = new QVBoxLayout(row);
    column->setContentsMargins(px(16), px(8), px(16), px(8));
    column->setSpacing(px(2));
    auto* line = new QHBoxLayout;
    line->setSpacing(px(8));
    m_scope = new QComboBox(row);
    m_scope->setAccessibleName(tr("Runs shown"));
    m_scope->addItem(tr("Active runs"), static_cast<int>(RunScope::Active));
    m_scope->addItem(tr("Archived runs"), static_cast<int>(RunScope::Archived));
    m_scope->addItem(tr("Trash"), static_cast<int>(RunScope::Trash));
    m_scope->addItem(tr("All runs"), static_cast<int>(RunScope::All));
    m_scope->setCurrentIndex(static_cast<int>(m_controller.scope()));
    connect(m_scope, &QComboBox::currentIndexChanged, this,
            [this] { m_controller.setScope(static_cast<RunScope>(m_scope->currentData().toInt())); });
    m_filter = new FilterLine(row);
    m_filter->setObjectName(QStringLiteral("filter"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setPlaceholderText(tr("Filter: tp:2 status:completed,failed mfu>40 name~zero"));
    m_filter->setText(m_controller.filter());
    QStringList fields;
    for (const RunField& field : runFields())
        if (field.isWide) fields << qs(field.name);
    m_filter->setWords(fields);
    m_filter->setValues(QStringLiteral("status"),
                        {"planned", "queued", "running", "completed", "failed", "cancelled", "lost"});
    m_filter->setValues(QStringLiteral("schedule"), {"afab", "1f1b", "interleaved_1f1b"});
    connect(m_filter, &QLineEdit::textChanged, &m_controller, &RunsController::setFilter);
    m_count = new QLabel(row);
    m_count->setTextFormat(Qt::RichText);  // figures only
    m_count->setObjectName(QStringLiteral("count"));
    m_views = new QPushButton(tr("Views"), row);
    m_views->setObjectName(QStringLiteral("views"));
    m_views->setMenu(new QMenu(m_views));
    connect(m_views->menu(), &QMenu::aboutToShow, this, [this] { fillViews(m_views->menu()); });
    m_group = new QPushButton(tr("Group by"), row);
    m_group->setObjectName(QStringLiteral("groupBy"));
    m_group->setMenu(new QMenu(m_group));
    connect(m_group->menu(), &QMenu::aboutToShow, this, [this] { fillGroups(m_group->menu()); });
    m_columns = new QPushButton(tr("Columns"), row);
    m_columns->setObjectName(QStringLiteral("columns"));
    connect(m_columns, &QPushButton::clicked, this, &RunsPage::openColumns);
    line->addWidget(m_views);
    line->addWidget(m_scope);
    line->addWidget(m_filter, 1);
    line->addWidget(m_count);
    line->addWidget(m_group);
    line->addWidget(m_columns);
    column->addLayout(line);
    m_chips = new FilterChips(row);
    m_chips->setFilter(m_controller.filter());
    connect(m_chips, &FilterChips::changed, m_filter, &QLineEdit::setText);
    connect(m_chips, &FilterChips::editWanted, this, &RunsPage::editTerm);
    connect(m_chips, &FilterChips::addWanted, this, [this] {
        auto* dialog = new FilterDialog(this->context(), nullptr, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &FilterDialog::chosen, this, &RunsPage::addFilter);
        dialog->open();
    });
    column->addWidget(m_chips);
    m_problem = new QLabel(row);
    m_problem->setObjectName(QStringLiteral("filterProblem"));
    m_problem->setFont(fontOf(kSideSize));
    QPalette ink = m_problem->palette();
    ink.setColor(QPalette::WindowText, theme().bad);
    ink.setColor(QPalette::Text, theme().bad);
    m_problem->setPalette(ink);
    m_problem->hide();
    column->addWidget(m_problem);
    return row;
}

QWidget* RunsPage::makeTable() {
    auto* holder = new QWidget(this);
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_table = new QTableView(holder);
    m_table->setObjectName(QStringLiteral("runs"));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setModel(m_controller.model());
    prepareTable(m_table);
    m_table->setItemDelegate(new RunsDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    QHeaderView* head = m_table->horizontalHeader();
    head->setSectionsMovable(true);
    head->setSectionsClickable(true);
    head->setDefaultSectionSize(px(84));
    head->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(head, &QHeaderView::sectionClicked, this, &RunsPage::headerClicked);
    connect(head, &QHeaderView::sectionMoved, this,
            [this] { QMetaObject::invokeMethod(this, &RunsPage::sectionMoved, Qt::QueuedConnection); });
    connect(head, &QHeaderView::customContextMenuRequested, this, &RunsPage::openColumns);
    connect(m_table, &QTableView::activated, this, &RunsPage::openCurrent);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &RunsPage::openMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::showSelection);
    connect(m_controller.model(), &QAbstractItemModel::modelReset, this, &RunsPage::restoreSelection);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    m_noMatch = new StatePanel(holder);
    m_tableStack = new QStackedWidget(holder);
    m_tableStack->addWidget(m_table);
    m_tableStack->addWidget(m_noMatch);
    m_groups = new GroupsView(holder);
    connect(m_groups, &GroupsView::chosen, this, [this](const QString& term) {
        m_controller.setGroupBy({});
        addFilter(term);
    });
    m_tableStack->addWidget(m_groups);
    m_baselineRow = new QWidget(holder);
    auto* pinned = new QHBoxLayout(m_baselineRow);
    pinned->setContentsMargins(px(16), px(4), px(16), px(4));
    m_baseline = new ElidedLabel(m_baselineRow);
    m_baseline->setObjectName(QStringLiteral("baseline"));
    auto* unpin = linkButton(tr("Remove baseline"), m_baselineRow);
    unpin->setObjectName(QStringLiteral("unpin"));
    connect(unpin, &QPushButton::clicked, this, [this] { m_controller.setBaseline({}); });
    pinned->addWidget(m_baseline, 1);
    pinned->addWidget(unpin);
    m_baselineRow->hide();
    column->addWidget(m_baselineRow);
    column->addWidget(m_tableStack, 1);
    column->addWidget(edgeLine(Qt::Horizontal, holder));
    auto* foot = new QWidget(holder);
    foot->setFixedHeight(lineHeight(30));
    auto* line = new QHBoxLayout(foot);
    line->setContentsMargins(px(16), 0, px(16), 0);
    m_summary = quietLabel({}, foot, kSideSize);
    line->addWidget(m_summary, 1);
    line->addWidget(quietLabel(tr("Delete moves to the trash; Ctrl+Z restores"), foot, kSideSize));
    column->addWidget(foot);
    return holder;
}

void RunsPage::showAnswer() {
    header()->setBusy(false);
    const auto& engineError = context().engine.storeError();
    const auto problem = m_controller.error() ? m_controller.error() : engineError;
    if (problem && problem->code != "store_missing") {
        m_state->show(tr("The run index cannot be read."), errorText(*problem),
                      {{tr("Rebuild from run folders"), [this] { context().engine.rebuildIndex(); }},
                       {tr("Try again"), [this] { m_controller.reload(); }}});
        m_stack->setCurrentWidget(m_state);
        return;
    }
    const bool filtered = !m_controller.filter().isEmpty() || m_controller.scope() != RunScope::Active;
    if (m_controller.hasAnswer() && m_controller.numAll() == 0 && !filtered) {
        m_stack->setCurrentWidget(m_start);
    } else {
        m_stack->setCurrentWidget(m_content);
    }
    const RunCounts& c = m_controller.counts();
    const auto count = [](std::int64_t number) { return countText(static_cast<double>(number)); };
    QString counts =
        tr("<b>%1</b> of %2 runs: %3 ran, %4 failed")
            .arg(count(c.total), count(m_controller.numAll()), count(c.completed), count(c.failed + c.lost));
    const std::int64_t skipped = m_controller.numSkipped();
    if (skipped > 0) counts = tr("%1, %2 skipped").arg(counts, count(skipped));
    m_count->setText(c.total == m_controller.numAll() && c.failed + c.lost + skipped == 0
                         ? tr("%Ln run(s)", nullptr, static_cast<int>(c.total))
                         : counts);
    m_count->setToolTip(skipped > 0
                            ? wordJoined(tr("Skipped: trials of the sweeps of these runs that never became a run."))
                            : QString());
    const bool none = m_controller.hasAnswer() && c.total == 0;
    if (none)
        m_noMatch->show(tr("No run matches this filter."), {}, {{tr("Clear filter"), [this] {
                                                                     m_filter->clear();
                                                                     m_scope->setCurrentIndex(0);
                                                                 }}});
    const bool grouped = !m_controller.groupBy().empty();
    if (auto groups = m_controller.takeGroups())
        m_groups->setGroups(m_controller.groupBy(), m_controller.groupFigures(), std::move(*groups));
    m_tableStack->setCurrentWidget(none      ? static_cast<QWidget*>(m_noMatch)
                                   : grouped ? static_cast<QWidget*>(m_groups)
                                             : m_table);
    const RunField* group = findRunField(m_controller.groupBy());
    m_group->setText(group ? tr("By %1").arg(columnTitle(group->name)) : tr("Group by"));
    showBaseline();
    fitNewColumns();
    showSelection();
    emit said(tr("Index is up to date"));
}

void RunsPage::fitNewColumns() {
    const RunsModel& model = *m_controller.model();
    std::vector<std::string> shape = model.columns();
    if (model.hasBaseline()) shape.emplace_back("baseline");
    if (model.rowCount() == 0 || m_fitted == shape) return;
    m_fitted = shape;
    m_table->resizeColumnsToContents();
    m_table->setColumnWidth(0, std::clamp(m_table->columnWidth(0) + px(26), px(180), px(320)));
    for (int i = 1; i < model.columnCount(); ++i) {
        const bool key = model.field(i) && model.field(i)->name == kKeyColumn;
        m_table->setColumnWidth(i, std::clamp(m_table->columnWidth(i) + (key ? px(66) : px(4)), px(36), px(220)));
    }
    if (!m_table->selectionModel()->hasSelection()) m_table->selectRow(0);
}

void RunsPage::setFilter(const QString& text) {
    m_filter->setText(text);
}

void RunsPage::showFilter() {
    const auto& problem = m_controller.filterProblem();
    m_problem->setVisible(problem.has_value());
    m_problem->setText(problem ? errorText(toError(*problem)) : QString());
    m_chips->setFilter(m_controller.filter());
    m_filter->setProblem(problem ? static_cast<qsizetype>(problem->begin) : 0,
                         problem ? static_cast<qsizetype>(problem->end) : 0);
}

std::vector<RunId> RunsPage::selectedRuns() const {
    std::vector<RunId> ids;
    const QItemSelection ranges = m_table->selectionModel()->selection();
    // Ranges, not indexes: "select all" of 10,000 rows stays cheap, loaded or not.
    for (const QItemSelectionRange& range : ranges)
        for (int row = range.top(); row <= range.bottom(); ++row) ids.push_back(m_controller.model()->idAt(row));
    return ids;
}

void RunsPage::showSelection() {
    if (m_restoring) return;
    m_selected = selectedRuns();
    m_currentId = m_controller.model()->idAt(m_table->currentIndex().row());
    const int count = static_cast<int>(m_selected.size());
    m_compare->setText(count >= 2 ? tr("Compare %1").arg(countText(count)) : tr("Compare"));
    m_compare->setEnabled(count >= 2);
    m_compare->setToolTip(count >= 2 ? QString() : tr("Choose two or more runs."));
    const RunCounts& c = m_controller.counts();
    QStringList parts{tr("%Ln selected", nullptr, count)};
    if (const FigureSummary& key = m_controller.keyFigures(); key.numKnown > 0)
        parts << tr("Best %1 tokens/s/device").arg(countText(key.greatest))
              << tr("Median %1").arg(countText(key.median));
    if (c.failed + c.lost > 0)
        parts << tr("%1 did not finish")
                     .arg(percentText(static_cast<double>(c.failed + c.lost) / static_cast<double>(c.total)));
    m_summary->setText(parts.join(QStringLiteral("      ")));
    m_preview->setRuns(m_selected);
}

void RunsPage::restoreSelection() {
    m_restoring = true;
    QItemSelection selection;
    const RunsModel& model = *m_controller.model();
    for (const RunId& id : m_selected)
        if (const int row = model.rowOf(id); row >= 0)
            selection.select(model.index(row, 0), model.index(row, model.columnCount() - 1));
    const int current = std::max(0, model.rowOf(m_currentId));
    if (model.rowCount() > 0)
        m_table->selectionModel()->setCurrentIndex(model.index(current, 0), QItemSelectionModel::NoUpdate);
    m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    m_restoring = false;
    showSelection();
}

void RunsPage::headerClicked(int section) {
    if (const RunField* field = m_controller.model()->field(section))
        m_controller.sortBy(field->name, QApplication::keyboardModifiers() & Qt::ShiftModifier);
}

void RunsPage::sectionMoved() {
    QHeaderView* head = m_table->horizontalHeader();
    std::vector<std::string> order;
    for (int place = 0; place < head->count(); ++place)
        order.push_back(m_controller.columns()[static_cast<std::size_t>(head->logicalIndex(place))]);
    if (order == m_controller.columns()) return;
    const QSignalBlocker quiet(head);
    for (int place = 0; place < head->count(); ++place) head->moveSection(head->visualIndex(place), place);
    m_controller.setColumns(order);
}

void RunsPage::openColumns() {
    auto* dialog = new ColumnsDialog(m_controller.columns(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ColumnsDialog::changed, this,
            [this](const std::vector<std::string>& columns) { m_controller.setColumns(columns); });
    dialog->open();
}

void RunsPage::openCurrent() {
    const RunId id = m_controller.model()->idAt(m_table->currentIndex().row());
    if (!id.empty()) emit wantsRun(id);
}

void RunsPage::deleteSelected() {
    const auto ids = selectedRuns();
    if (ids.empty() || m_controller.scope() == RunScope::Trash) return;
    m_controller.trash(ids);
    // Changes are made in their order: this one looks at what became of them. A locked run keeps all of them where they are.
    const auto moved = std::make_shared<bool>(false);
    context().engine.change(
        [id = ids.front(), moved](RunStore& store) -> Result<void> {
            const auto run = store.run(id);
            *moved = run && run->deletedUnixMilliseconds;
            return {};
        },
        [this, moved, count = static_cast<int>(ids.size()), alive = QPointer<RunsPage>(this)](const auto&) {
            if (alive && *moved) emit said(tr("%Ln run(s) moved to trash; Ctrl+Z restores.", nullptr, count));
        });
}

bool RunsPage::can(PageAction action) const {
    const bool table = m_stack->currentWidget() == m_content;
    return action == PageAction::Export ? table && m_controller.model()->rowCount() > 0
                                        : action != PageAction::Find || table;
}

void RunsPage::find() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void RunsPage::exportData() {
    exportTable(TableFormat::Csv, false);
}

void RunsPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    if (m_seenBy) m_seenBy->setSeen(true);
}

// Also when the window is minimised.
void RunsPage::hideEvent(QHideEvent* event) {
    Page::hideEvent(event);
    if (m_seenBy) m_seenBy->setSeen(false);
}

bool RunsPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && (event->type() == QEvent::Enter || event->type() == QEvent::Leave))
        m_controller.setFrozen(event->type() == QEvent::Enter);
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Delete) {
            deleteSelected();
            return true;
        }
        if (key->key() == Qt::Key_B && key->modifiers() == Qt::NoModifier) {
            m_controller.setBaseline(m_controller.model()->idAt(m_table->currentIndex().row()));
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            openCurrent();
            return true;
        }
    }
    return Page::eventFilter(watched, event);
}

}  // namespace slipway::gui
