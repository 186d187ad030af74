#include "app/gui/pages/search_view.h"

#include "app/gui/pages/alternatives_pane.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/search_pictures.h"
#include "app/gui/pages/search_words.h"
#include "app/gui/pages/why_pane.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/parallel_plot.h"
#include "app/gui/widgets/pareto_plot.h"
#include "app/gui/widgets/search_form.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QProgressBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

using State = SearchController::State;

enum class Against { Memory, Cost };

}  // namespace

SearchView::SearchView(PlanController& plan, QWidget* parent) : TabView(parent), m_plan(plan), m_search(plan.search()) {
    content()->setMinimumWidth(px(560));
    m_form = new SearchForm(content());
    m_formPane = new Pane(tr("Search space"), m_form, content());
    auto* free = linkButton(tr("Free all"), m_formPane);
    free->setObjectName(QStringLiteral("freeAll"));
    auto* fix = linkButton(tr("As in the plan"), m_formPane);
    fix->setObjectName(QStringLiteral("fixAll"));
    fix->setToolTip(tr("Fixes every axis to the plan's value; then free the axes to search."));
    m_fold = linkButton({}, m_formPane);
    m_fold->setObjectName(QStringLiteral("foldAxes"));
    m_formPane->addControl(m_fold);
    m_formPane->addControl(free);
    m_formPane->addControl(fix);
    connect(free, &QPushButton::clicked, this, [this] {
        SearchQuestion question = m_search.question();
        question.axes = {};
        m_search.setQuestion(question);
    });
    connect(fix, &QPushButton::clicked, this, [this] {
        SearchQuestion question = m_search.question();
        for (const auto& axis : enumNames(SearchAxis{}))
            question.axes[static_cast<std::size_t>(axis.value)] = axisText(m_plan.document(), axis.value);
        m_search.setQuestion(question);
    });
    column()->addWidget(m_formPane);
    addEdge();

    QHBoxLayout* row = addLine();
    QWidget* line = row->parentWidget();
    m_bar = new QProgressBar(line);
    m_bar->setFixedSize(px(120), px(5));
    m_bar->setRange(0, 1000);
    m_bar->setAccessibleName(tr("Progress"));
    m_status = new ElidedLabel(line);
    m_status->setObjectName(QStringLiteral("searchStatus"));
    m_apply = new QPushButton(tr("Apply to plan"), line);
    m_apply->setObjectName(QStringLiteral("applyFound"));
    m_askWhy = new QPushButton(tr("Why not faster?"), line);
    m_askWhy->setObjectName(QStringLiteral("whySelected"));
    m_benchmark = new QPushButton(tr("Benchmark these five…"), line);
    m_benchmark->setObjectName(QStringLiteral("benchmarkFound"));
    m_benchmark->setToolTip(
        tr("Opens a new sweep of the five best runnable layouts; it lists what cannot run here before it starts."));
    row->addWidget(m_bar);
    row->addWidget(m_status, 1);
    row->addWidget(m_askWhy);
    row->addWidget(m_benchmark);
    row->addWidget(m_apply);

    addStack(makeResults());
    addEdge();
    m_why = new WhyPane(m_search, content());
    connect(m_why, &WhyPane::answered, this, [this] {
        QMetaObject::invokeMethod(
            this, [this] { ensureWidgetVisible(m_why); }, Qt::QueuedConnection);
    });
    column()->addWidget(m_why);

    foldAxes(false);
    connect(m_fold, &QPushButton::clicked, this, [this] {
        m_foldChosen = true;
        foldAxes(!m_form->isFolded());
    });
    connect(m_form, &SearchForm::changed, this, [this] { m_search.setQuestion(m_form->question()); });
    connect(m_form, &SearchForm::searchWanted, this, &SearchView::start);
    connect(m_form, &SearchForm::cancelWanted, &m_search, &SearchController::cancel);
    connect(m_apply, &QPushButton::clicked, this, [this] { applyRow(selectedRow()); });
    connect(m_askWhy, &QPushButton::clicked, this, [this] {
        if (const int at = selectedRow(); at >= 0)
            m_search.askWhy(qs(whyTextOf(m_search.rows()[static_cast<std::size_t>(at)].layout)));
    });
    connect(m_benchmark, &QPushButton::clicked, this, &SearchView::benchmark);
    connect(&m_search, &SearchController::questionChanged, this, [this] {
        m_form->setQuestion(m_search.question());
        m_variants->setChecked(m_search.question().variants);
    });
    connect(&m_search, &SearchController::stateChanged, this, &SearchView::showState);
    connect(&m_search, &SearchController::progressChanged, this, &SearchView::showProgress);
    connect(&m_search, &SearchController::staleChanged, this, &SearchView::showCurrent);
    m_form->setQuestion(m_search.question());
    showState();
}

QWidget* SearchView::makeResults() {
    m_pareto = new ParetoPlot(stack());
    m_pareto->setObjectName(QStringLiteral("pareto"));
    m_paretoPane = new Pane(tr("Speed against memory"), m_pareto, stack());
    m_against = new QComboBox(m_paretoPane);
    m_against->setObjectName(QStringLiteral("against"));
    m_against->setAccessibleName(tr("Against"));
    m_against->addItem(tr("Memory"), static_cast<int>(Against::Memory));
    m_against->addItem(tr("Cost"), static_cast<int>(Against::Cost));
    m_paretoPane->addControl(m_against);
    m_parallel = new ParallelPlot(stack());
    m_parallel->setObjectName(QStringLiteral("parallel"));
    m_parallelPane = new Pane(tr("Layout axes"), m_parallel, stack());
    m_clear = linkButton(tr("Show all"), m_parallelPane);
    m_clear->setObjectName(QStringLiteral("clearBrushes"));
    auto* axes = new QPushButton(tr("Axes"), m_parallelPane);
    axes->setObjectName(QStringLiteral("chooseAxes"));
    m_axesMenu = new QMenu(axes);
    m_axesMenu->setToolTipsVisible(true);
    axes->setMenu(m_axesMenu);
    m_parallelPane->addControl(axes);
    m_parallelPane->setToolTip(tr("Drag along an axis to filter layouts."));
    connect(m_axesMenu, &QMenu::aboutToShow, this, [this] { m_parallel->fillAxesMenu(*m_axesMenu); });
    connect(m_parallel, &ParallelPlot::axesChanged, this,
            [this] { m_parallelPane->setSideText(m_parallel->axesText()); });
    m_parallelPane->addControl(m_clear);
    m_rows = new RowsModel<FoundRow>(foundColumns(tr("tokens/s/GPU"), true), this);
    m_sorted = new FoundSort(m_rows, this);
    m_table = new QTableView(stack());
    m_table->setObjectName(QStringLiteral("found"));
    m_table->setModel(m_sorted);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(static_cast<int>(FoundColumn::Rank), Qt::AscendingOrder);
    prepareTable(m_table);
    m_table->viewport()->installEventFilter(this);
    m_table->horizontalHeader()->setSectionsClickable(true);
    m_tablePane = new Pane(tr("Layouts"), m_table, stack());
    m_tablePane->setFlush(true);
    m_variants = new QCheckBox(tr("All variants"), m_tablePane);
    m_variants->setObjectName(QStringLiteral("allVariants"));
    m_variants->setToolTip(tr(
        "Off: one layout per choice of degrees, schedule, micro-batch and recomputation; nearly equal variants are listed as alternatives. On: every layout separately."));
    m_tablePane->addControl(m_variants);
    connect(m_variants, &QCheckBox::clicked, this, [this](bool all) {
        SearchQuestion question = m_search.question();
        question.variants = all;
        m_search.setQuestion(question);
        if (m_search.state() != State::Empty) start();
    });
    m_alternatives = new AlternativesPane(m_search, stack());
    connect(m_alternatives, &AlternativesPane::applied, this,
            [this](const QString& change) { emit said(tr("Applied to the plan: %1; Ctrl+Z undoes it.").arg(change)); });
    m_lists = new QSplitter(Qt::Vertical, stack());
    m_lists->addWidget(m_tablePane);
    m_lists->addWidget(m_alternatives);
    m_lists->setStretchFactor(0, 73);
    m_lists->setStretchFactor(1, 27);
    m_lists->setSizes({730, 270});
    m_lists->setChildrenCollapsible(false);

    m_charts = new QSplitter(Qt::Horizontal, stack());
    m_charts->addWidget(m_paretoPane);
    m_charts->addWidget(m_parallelPane);
    m_charts->setStretchFactor(0, 40);
    m_charts->setStretchFactor(1, 60);
    m_charts->setSizes({400, 600});
    m_charts->setChildrenCollapsible(false);
    auto* rows = new QSplitter(Qt::Vertical, stack());
    rows->addWidget(m_charts);
    rows->addWidget(m_lists);
    rows->setStretchFactor(0, 45);
    rows->setStretchFactor(1, 55);
    rows->setSizes({220, 330});
    rows->setChildrenCollapsible(false);
    m_table->setMinimumHeight(px(105));

    connect(m_against, &QComboBox::activated, this, [this] { showChart(); });
    connect(m_pareto, &ParetoPlot::chosen, this, [this](int index) { select(index, m_pareto); });
    connect(m_pareto, &ParetoPlot::activated, this, &SearchView::applyRow);
    connect(m_parallel, &ParallelPlot::chosen, this, [this](int index) { select(index, m_parallel); });
    connect(m_parallel, &ParallelPlot::brushed, this, [this] {
        const auto passing = m_parallel->passing();
        m_sorted->setPassing(passing);
        m_pareto->setPassing(passing);
        showProgress();
    });
    connect(m_clear, &QPushButton::clicked, m_parallel, &ParallelPlot::clearBrushes);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid() && m_table->selectionModel()->isRowSelected(now.row()))
            select(m_sorted->sourceRow(now), m_table);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const int at = selectedRow(); at >= 0) select(at, m_table);
        showProgress();
    });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { applyRow(m_sorted->sourceRow(index)); });
    offerFormulas(
        m_table,
        [this](const QModelIndex& index) {
            return figureOf(m_rows->rows()[static_cast<std::size_t>(m_sorted->sourceRow(index))],
                            static_cast<FoundColumn>(index.column()));
        },
        [this](const QModelIndex& index) {
            return m_search.planOf(m_search.rows()[static_cast<std::size_t>(m_sorted->sourceRow(index))].layout);
        });
    return rows;
}

void SearchView::start() {
    m_search.start();
}

void SearchView::find() {
    m_why->find();
}

void SearchView::showState() {
    m_form->setRunning(m_search.isRunning());
    m_form->setProblem(m_search.state() == State::Failed ? m_search.error() : Error{});
    if (m_search.state() == State::Failed) foldAxes(false);
    const bool searched = m_search.state() == State::Done || m_search.state() == State::Cancelled;
    if (searched) showRows();
    showImpossible();
    // Old rows stay during a new search.
    const bool rows = !m_search.rows().empty() && m_search.state() != State::Failed;
    if (!rows) showSearchState(*state(), m_search);
    stack()->setCurrentIndex(rows ? 1 : 0);
    showProgress();
    if (m_search.state() == State::Done)
        emit said(tr("%1 layouts evaluated in %2")
                      .arg(shortText(m_search.found().numLayouts), secondsText(m_search.seconds())));
}

// Impossible limits are marked until they are changed; the marks are on the axes.
void SearchView::showImpossible() {
    const bool searched = m_search.state() == State::Done || m_search.state() == State::Cancelled;
    if (m_search.state() == State::Failed) return;
    const bool shown = searched && !m_search.isStale() && !m_search.impossible().empty();
    m_form->setImpossible(shown ? m_search.impossible() : std::vector<ImpossibleLimit>{});
    if (shown) foldAxes(false);
}

void SearchView::showProgress() {
    const bool running = m_search.isRunning();
    m_bar->setVisible(running);
    const PlanDocument& document = m_plan.document();
    m_form->setDefaults(defaultDevices(document), document.cluster.device.memoryBytes);
    const int limited = m_form->numLimited();
    m_formPane->setSideText(limited == 0 ? tr("all axes are free")
                                         : tr("%n axis/axes limited, the others are free", nullptr, limited));
    const bool rows = !m_search.rows().empty() && !running && m_search.state() != State::Failed;
    const bool selected = selectedRow() >= 0;
    for (QPushButton* button : {m_apply, m_askWhy}) button->setEnabled(rows && selected);
    m_benchmark->setEnabled(rows);
    const auto passing = m_parallel->passing();
    m_clear->setVisible(!passing.empty());
    const int shown = m_sorted->rowCount();
    m_tablePane->setSideText(passing.empty()
                                 ? tr("%n layout(s), Enter applies the selected one", nullptr, shown)
                                 : tr("%1 of %2 layouts in the ranges").arg(shown).arg(m_search.rows().size()));
    if (running) m_bar->setValue(static_cast<int>(m_search.progress().evaluatedShare * 1000));
    m_status->setFullText(searchStatusText(m_search));
}

void SearchView::showRows() {
    const bool gpu = m_search.request().cluster.device.kind != DeviceKind::Cpu;
    const auto& rows = m_search.rows();
    const bool priced = !rows.empty() && rows.front().layout.cost.money.has_value();
    m_selecting = true;
    m_sorted->setPassing({});
    m_rows->setColumns(foundColumns(gpu ? tr("tokens/s/GPU") : tr("tokens/s/device"), priced));
    m_rows->setRows(rows);
    fitTable();
    QStringList names;
    for (const FoundRow& row : rows) names << row.text();
    m_parallel->setAxes(layoutAxes(rows), names);
    m_selecting = false;
    showChart();
    m_alternatives->setVisible(m_search.request().distinct);
    if (!m_foldChosen && viewport()->height() < px(1000)) foldAxes(true);
    m_askedRow = -1;
    if (m_sorted->rowCount() > 0) select(m_sorted->sourceRow(m_sorted->index(0, 0)), nullptr);
}

// The plan changed to another layout: the mark moves, selection and ranges stay.
void SearchView::showCurrent() {
    const int selected = selectedRow();
    m_selecting = true;
    m_rows->setRows(m_search.rows());
    m_selecting = false;
    showChart();
    select(selected, nullptr);
    showImpossible();
    showProgress();
}

void SearchView::showChart() {
    const bool cost = m_against->currentData().toInt() == static_cast<int>(Against::Cost);
    const auto& rows = m_search.rows();
    const bool priced = !rows.empty() && rows.front().layout.cost.money.has_value();
    std::vector<ParetoPoint> points;
    int current = -1;
    for (const FoundRow& row : rows) {
        const FoundLayout& l = row.layout;
        if (row.isCurrent) current = static_cast<int>(points.size());
        points.push_back({l.step.tokensPerSecond, cost ? l.cost.money.value_or(l.cost.deviceHours) : l.memoryPeakBytes,
                          row.isCurrent, row.text()});
    }
    // The plan gets a point, found or not, among layouts of as many devices as it has.
    const auto devices = m_plan.document().config.parallel.worldSize();
    const bool isOfTheseDevices = std::any_of(rows.begin(), rows.end(), [devices](const FoundRow& row) {
        return row.layout.parallel.worldSize() == devices;
    });
    if (const auto plan = m_plan.plan();
        current < 0 && plan && isOfTheseDevices && !m_plan.isStale() && !m_search.isStale())
        points.push_back({plan->step.tokensPerSecond,
                          cost ? plan->cost.money.value_or(plan->cost.deviceHours) : plan->memoryPeakBytes, true,
                          tr("This plan")});
    const int selected = m_pareto->selected();
    m_pareto->setPoints(std::move(points));
    m_pareto->setNames(tr("Speed, tokens/s"), !cost    ? tr("Memory of the worst rank")
                                              : priced ? tr("Cost of the training")
                                                       : tr("Device-hours of the training"));
    const std::string currency = priced ? rows.front().layout.cost.currency : std::string();
    m_pareto->setFormats([](double v) { return shortText(v); },
                         !cost    ? [](double v) { return bytesText(v); }
                         : priced ? ParetoPlot::Format([currency](double v) { return moneyText(v, currency); })
                                  : ParetoPlot::Format([](double v) { return countText(v); }),
                         !cost);
    m_pareto->setSelected(selected);
    m_pareto->setPassing(m_parallel->passing());
    m_parallel->setCurrent(current);
    m_paretoPane->setTitle(cost ? tr("Speed against cost") : tr("Speed against memory"));
    m_paretoPane->setSideText(tr("%n Pareto-optimal", nullptr, static_cast<int>(m_pareto->front().size())));
}

int SearchView::selectedRow() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : m_sorted->sourceRow(rows.front());
}

// One selection for the table and both pictures, from any of them.
void SearchView::select(int row, const QObject* from) {
    if (m_selecting || row < 0 || row >= static_cast<int>(m_search.rows().size())) return;
    m_selecting = true;
    if (from != m_pareto) m_pareto->setSelected(row);
    if (from != m_parallel) m_parallel->setSelected(row);
    if (from != m_table) {
        const QModelIndex at = m_sorted->mapFromSource(m_rows->index(row, 0));
        if (at.isValid()) {
            m_table->selectRow(at.row());
            m_table->scrollTo(at);
        }
    }
    m_selecting = false;
    showProgress();
    askAlternatives();
}

// Requests the short list of alternatives in the same family.
void SearchView::askAlternatives() {
    const int row = selectedRow();
    if (row == m_askedRow) return;
    m_askedRow = row;
    m_alternatives->ask(row);
}

// Axes fold if there is no room for results; the head shows the limits.
void SearchView::foldAxes(bool fold) {
    m_form->setFolded(fold);
    m_fold->setText(fold ? tr("Show axes") : tr("Hide axes"));
}

void SearchView::applyRow(int row) {
    if (row < 0 || row >= static_cast<int>(m_search.rows().size())) return;
    m_search.apply(static_cast<std::size_t>(row));
    emit said(
        tr("Applied %1 to the plan; Ctrl+Z undoes it.").arg(m_search.rows()[static_cast<std::size_t>(row)].text()));
}

void SearchView::benchmark() {
    m_search.benchmark([this](const Result<std::string>& sweep) {
        sweep ? emit sweepWanted(exactText(*sweep)) : emit said(errorText(sweep.error()));
    });
}

// The layout column gets the width left by the figures, which are never cut.
void SearchView::fitTable() {
    QHeaderView* head = m_table->horizontalHeader();
    m_table->resizeColumnsToContents();
    head->resizeSection(0, std::max(head->sectionSize(0), px(48)));  // with its arrow
    int used = 0;
    for (int i = 0; i < head->count(); ++i)
        if (i != static_cast<int>(FoundColumn::Layout)) used += head->sectionSize(i);
    // Most of a layout is readable without its tool tip; if the columns do not fit, the last ones need scrolling.
    const int layout = static_cast<int>(FoundColumn::Layout);
    head->resizeSection(layout,
                        std::max(std::min(head->sectionSize(layout), px(320)), m_table->viewport()->width() - used));
}

void SearchView::resizeEvent(QResizeEvent* event) {
    TabView::resizeEvent(event);
    m_charts->setOrientation(width() < px(760) ? Qt::Vertical : Qt::Horizontal);
    m_lists->setOrientation(width() < px(1200) ? Qt::Vertical : Qt::Horizontal);
}

bool SearchView::eventFilter(QObject* watched, QEvent* event) {
    if (m_table != nullptr && watched == m_table->viewport() && event->type() == QEvent::Resize) fitTable();
    return TabView::eventFilter(watched, event);
}

void SearchView::exportTable() {
    const QString file = askSaveFile(this, tr("Save layouts"), QStringLiteral("layouts.tsv"));
    if (file.isEmpty()) return;
    saveText(this, file, m_parallel->dataTable().tabSeparated(), [this, file](const QString& problem) {
        emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
    });
}

// Esc first ends a search, then removes the ranges.
void SearchView::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) return TabView::keyPressEvent(event);
    if (m_search.isRunning())
        m_search.cancel();
    else
        m_parallel->clearBrushes();
}

}  // namespace slipway::gui
