#include "app/gui/pages/compare_page.h"

#include "app/gui/look/theme.h"
#include "app/gui/models/differences_model.h"
#include "app/gui/pages/board_view.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/fields_view.h"
#include "app/gui/pages/report_dialog.h"
#include "app/gui/pages/step_difference_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/field_plot.h"
#include "app/gui/widgets/metric_chart.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/run_list_delegate.h"
#include "app/gui/widgets/tables.h"
#include "core/spec/metric_names.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QListWidget>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr qsizetype kMaxFittedGroups = 10;
constexpr int kLeastColumn = 172;  // a figure with its difference, and that it is noise

QPushButton* toggle(const char* name, QWidget* parent) {
    auto* button = new QPushButton(parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setCheckable(true);
    return button;
}

QComboBox* combo(const char* name, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    return box;
}

}  // namespace

ComparePage::ComparePage(Context& context, CompareController& controller, QWidget* parent)
    : Page(context, parent), m_controller(controller) {
    m_copy = header()->addButton(tr("Copy table"));
    m_copy->setObjectName(QStringLiteral("copyTable"));
    m_report = header()->addButton(tr("Report…"));
    m_report->setObjectName(QStringLiteral("compareReport"));
    auto* save = header()->addButton(tr("Export…"));
    m_state = new StatePanel(this);

    auto* top = splitter(Qt::Horizontal, {makeCurves(), makePlot()}, {56, 44});
    auto* right = splitter(Qt::Vertical, {top, makeDifferences()}, {48, 52});
    auto* all = splitter(Qt::Horizontal, {makeRunList(), right}, {0, 1});
    all->setSizes({px(250), px(1000)});
    rememberSizes(top, QStringLiteral("compare/top"));
    rememberSizes(right, QStringLiteral("compare/rows"));
    rememberSizes(all, QStringLiteral("compare/columns"));
    m_content = all;
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_state);
    m_stack->addWidget(m_content);
    setContent(makeTabs());

    fillTexts();
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(tableText());
        emit said(tr("Table copied."));
    });
    connect(save, &QPushButton::clicked, this, &ComparePage::exportData);
    connect(m_report, &QPushButton::clicked, this, [this] {
        openReport(this->context(), reportOf(this->context().engine.home(), {{}, m_controller.request().runs}), this);
    });
    connect(&m_controller, &CompareController::changed, this, &ComparePage::showData);
    connect(&m_controller, &CompareController::visibilityChanged, this, &ComparePage::showCurves);
    showData();
}

QWidget* ComparePage::makeTabs() {
    auto* column = new QWidget(this);
    m_tabs = new QTabBar(column);
    m_tabs->setObjectName(QStringLiteral("compareTabs"));
    m_tabs->setAccessibleName(tr("Views of the comparison"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    auto* views = new QStackedWidget(column);
    m_fields = new FieldsView(context(), views);
    m_board = new BoardView(context(), views);
    m_why = new StepDifferenceView(context().engine.home(), views);
    for (const auto& [title, view] : std::initializer_list<std::pair<QString, QWidget*>>{
             {tr("Summary"), m_stack}, {tr("Charts"), m_fields}, {tr("Board"), m_board}, {tr("Why slower"), m_why}}) {
        m_tabs->addTab(title);
        views->addWidget(view);
    }
    connect(m_tabs, &QTabBar::currentChanged, views, &QStackedWidget::setCurrentIndex);
    connect(m_tabs, &QTabBar::currentChanged, this, &ComparePage::showSeen);
    connect(m_fields, &FieldsView::runWanted, this, &ComparePage::wantsRun);
    connect(m_fields, &FieldsView::runsWanted, this, &ComparePage::wantsRuns);
    connect(m_fields, &FieldsView::compareWanted, this, [this](const std::vector<RunId>& ids) {
        showTab(CompareTab::Summary);
        emit wantsCompare(ids);
    });
    connect(m_board, &BoardView::runWanted, this, &ComparePage::wantsRun);
    connect(m_board, &BoardView::said, this, &ComparePage::said);
    const auto pass = [this] {
        m_fields->setRuns(m_controller.request().runs);
        m_board->setRuns(m_controller.request().runs);
        if (m_controller.isReading()) showData();
    };
    connect(&m_controller, &CompareController::runsChosen, this, pass);
    pass();
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(edgeLine(Qt::Horizontal, column));
    layout->addWidget(views, 1);
    return column;
}

// The board and the charts follow their runs by themselves.
void ComparePage::showSeen() {
    const bool isOwn = tab() == CompareTab::Summary || tab() == CompareTab::WhySlower;
    if (m_seenBy) m_seenBy->setSeen(isVisible() && isOwn);
}

void ComparePage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    showSeen();
}

void ComparePage::hideEvent(QHideEvent* event) {
    Page::hideEvent(event);
    showSeen();
}

void ComparePage::showTab(CompareTab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

CompareTab ComparePage::tab() const {
    return static_cast<CompareTab>(m_tabs->currentIndex());
}

QString ComparePage::tableText() const {
    if (tab() == CompareTab::Charts) return m_fields->tableText();
    QString text;
    for (int row = -1; row < m_model->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_model->columnCount(); ++column)
            cells << tabCell((row < 0 ? m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole)
                                      : m_model->data(m_model->index(row, column), Qt::DisplayRole))
                                 .toString());
        text += cells.join('\t') + '\n';
    }
    return text;
}

bool ComparePage::can(PageAction action) const {
    return (action == PageAction::Refresh || action == PageAction::Export) && !m_controller.data().groups.empty();
}

void ComparePage::exportData() {
    if (tab() == CompareTab::Board) return m_board->exportPoints();
    if (m_controller.data().groups.empty()) return;
    const QString file = askSaveFile(this, tr("Save the table"), QStringLiteral("compare.tsv"));
    if (!file.isEmpty())
        saveText(this, file, tableText(), [this, file](const QString& problem) {
            emit said(problem.isEmpty() ? tr("Saved %1").arg(shown(file)) : problem);
        });
}

QWidget* ComparePage::makeRunList() {
    auto* body = new QWidget(this);
    m_runs = new QListWidget(body);
    m_runs->setObjectName(QStringLiteral("comparedRuns"));
    m_runs->setItemDelegate(new RunListDelegate(m_runs));
    m_runs->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_runs->setDragDropMode(QAbstractItemView::InternalMove);
    m_runs->setFrameShape(QFrame::NoFrame);
    m_runs->installEventFilter(this);
    m_hint = quietLabel({}, body, kSideSize);
    m_hint->setWordWrap(true);
    m_hint->setContentsMargins(px(16), px(8), px(16), px(8));
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_runs, 1);
    layout->addWidget(m_hint);
    connect(m_runs, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
        if (!m_filling) m_controller.setVisible(m_runs->row(item), item->checkState() == Qt::Checked);
    });
    connect(m_runs->model(), &QAbstractItemModel::rowsMoved, this,
            [this](const QModelIndex&, int from, int, const QModelIndex&, int to) {
                // Queued: the list must not be refilled while it is moving a row.
                QMetaObject::invokeMethod(
                    this, [this, from, to] { m_controller.moveGroup(from, to > from ? to - 1 : to); },
                    Qt::QueuedConnection);
            });
    connect(m_runs, &QListWidget::itemDoubleClicked, this, [this](QListWidgetItem* item) {
        emit wantsRun(RunId(item->data(RunListDelegate::kId).toString().toStdString()));
    });
    m_runsPane = new Pane({}, body, this);
    m_runsPane->setFlush(true);
    m_runsPane->setMinimumWidth(px(200));
    return m_runsPane;
}

QWidget* ComparePage::makeCurves() {
    m_chart = new MetricChart(this);
    m_chart->setObjectName(QStringLiteral("compareChart"));
    m_curvesPane = new Pane({}, m_chart, this);
    m_metric = combo("metric", m_curvesPane);
    m_x = combo("curveX", m_curvesPane);
    m_log = toggle("logY", m_curvesPane);
    m_smooth = toggle("smooth", m_curvesPane);
    for (QWidget* control : std::initializer_list<QWidget*>{m_metric, m_x, m_smooth, m_log})
        m_curvesPane->addControl(control);
    connect(m_metric, &QComboBox::activated, this,
            [this] { m_controller.setMetric(m_metric->currentData().toString().toStdString()); });
    connect(m_x, &QComboBox::activated, this, [this](int index) { m_controller.setX(static_cast<CurveX>(index)); });
    connect(m_log, &QPushButton::toggled, m_chart, &MetricChart::setLogY);
    connect(m_chart, &MetricChart::logChanged, m_log, &QPushButton::setChecked);
    connect(m_smooth, &QPushButton::toggled, this, [this](bool on) { m_controller.setSmoothing(on ? 0.9 : 0); });
    return m_curvesPane;
}

QWidget* ComparePage::makePlot() {
    m_plot = new FieldPlot(this);
    m_plot->setObjectName(QStringLiteral("fieldPlot"));
    // Below the plot: the choosers leave no room for a sentence in the head.
    auto* body = new QWidget(this);
    m_plotNote = quietLabel({}, body, kSideSize);
    m_plotNote->setObjectName(QStringLiteral("plotNote"));
    m_plotNote->setWordWrap(true);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot, 1);
    layout->addWidget(m_plotNote);
    m_plotPane = new Pane({}, body, this);
    m_plotX = new FieldChooser(m_plotPane);
    m_plotX->setObjectName(QStringLiteral("plotX"));
    m_plotY = combo("plotY", m_plotPane);
    m_bars = toggle("bars", m_plotPane);
    for (QWidget* control : std::initializer_list<QWidget*>{m_plotX, m_plotY, m_bars}) m_plotPane->addControl(control);
    const auto choose = [this] {
        m_controller.setPlot(m_plotX->chosenKey().toStdString(), m_plotY->currentData().toString().toStdString());
    };
    connect(m_plotX, &FieldChooser::chosen, this, choose);
    connect(m_plotY, &QComboBox::activated, this, choose);
    connect(m_bars, &QPushButton::toggled, this,
            [this](bool on) { m_plot->setKind(on ? FieldPlot::Kind::Bars : FieldPlot::Kind::Points); });
    connect(m_plot, &FieldPlot::activated, this, [this](const QString& id) { emit wantsRun(RunId(id.toStdString())); });
    return m_plotPane;
}

QWidget* ComparePage::makeDifferences() {
    auto* body = new QWidget(this);
    m_model = new DifferencesModel(this);
    m_table = new QTableView(body);
    m_table->setObjectName(QStringLiteral("differences"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    m_footnote = quietLabel({}, body, kSideSize);
    m_footnote->setWordWrap(true);
    m_footnote->setContentsMargins(px(16), px(4), px(16), px(8));
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_footnote);
    m_tablePane = new Pane({}, body, this);
    m_tablePane->setFlush(true);
    m_groupSeeds = new QCheckBox(m_tablePane);
    m_groupSeeds->setObjectName(QStringLiteral("groupSeeds"));
    m_groupSeeds->setChecked(m_controller.request().groupSeeds);
    m_onlyDifferences = new QCheckBox(m_tablePane);
    m_onlyDifferences->setObjectName(QStringLiteral("onlyDifferences"));
    m_onlyDifferences->setChecked(true);
    m_tablePane->addControl(m_groupSeeds);
    m_tablePane->addControl(m_onlyDifferences);
    connect(m_groupSeeds, &QCheckBox::toggled, &m_controller, &CompareController::setGroupSeeds);
    connect(m_onlyDifferences, &QCheckBox::toggled, m_model, &DifferencesModel::setOnlyDifferences);
    return m_tablePane;
}

void ComparePage::fillTexts() {
    m_runsPane->setTitle(tr("Runs"));
    m_hint->setText(wordJoined(
        tr("Drag to change the order. Space shows or hides a run, B makes it the baseline, Del removes it.")));
    m_tablePane->setTitle(tr("Differences"));
    m_log->setText(tr("Log y"));
    m_smooth->setText(tr("Smooth"));
    m_bars->setText(tr("Bars"));
    m_onlyDifferences->setText(tr("Only differences"));
    m_groupSeeds->setText(tr("Group seeds"));
    m_metric->setAccessibleName(tr("Metric of the curves"));
    m_x->setAccessibleName(tr("Horizontal axis of the curves"));
    m_plotX->setAccessibleName(tr("Horizontal axis of the plot"));
    m_plotY->setAccessibleName(tr("Vertical axis of the plot"));
    m_runs->setAccessibleName(tr("Compared runs"));
    m_table->setAccessibleName(tr("Differences"));

    const CompareRequest& request = m_controller.request();
    const auto fill = [](QComboBox* box, const std::string& current) {
        const int index = box->findData(qs(current));
        box->setCurrentIndex(index < 0 ? 0 : index);
    };
    m_metric->clear();
    for (const MetricName& metric : kStepMetrics) m_metric->addItem(columnTitle(metric.name), qs(metric.name));
    for (const MetricName& metric : kDerivedMetrics) m_metric->addItem(columnTitle(metric.name), qs(metric.name));
    fill(m_metric, request.metric);
    m_x->clear();
    m_x->addItems({tr("by step"), tr("by tokens"), tr("by time"), tr("by FLOPs")});
    m_x->setCurrentIndex(static_cast<int>(request.x));
    m_plotX->setFields(choicesOfFields());
    m_plotX->choose(qs(request.plotX));
    m_plotY->clear();
    for (const FigureInfo& info : figureInfos()) m_plotY->addItem(columnTitle(info.key), qs(info.key));
    fill(m_plotY, request.plotY);
    for (QComboBox* box : std::initializer_list<QComboBox*>{m_metric, m_plotX, m_plotY}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(box == m_metric ? 12 : 6);
        box->view()->setMinimumWidth(px(240));
        box->setMaxVisibleItems(20);
    }
}

void ComparePage::showState() {
    const CompareData& compared = m_controller.data();
    const bool enough =
        compared.groups.size() >= 2 || (compared.groups.size() == 1 && compared.groups.front().members.size() >= 2);
    if (enough) {
        m_stack->setCurrentWidget(m_content);
    } else if (m_controller.isReading()) {
        m_state->show(tr("Reading %Ln run(s)…", nullptr, static_cast<int>(m_controller.request().runs.size())), {});
        m_stack->setCurrentWidget(m_state);
    } else if (!compared.unreadable.isEmpty()) {
        m_state->show(tr("%n run(s) could not be read.", nullptr, static_cast<int>(compared.unreadable.size())),
                      compared.unreadable.join('\n'), {{tr("Go to Runs"), [this] { emit wantsPage(PageId::Runs); }}});
        m_stack->setCurrentWidget(m_state);
    } else {
        m_state->show(tr("Choose two or more runs."),
                      wordJoined(tr("Select runs in the table and press Compare. The first one is the baseline.")),
                      {{tr("Go to Runs"), [this] { emit wantsPage(PageId::Runs); }}});
        m_stack->setCurrentWidget(m_state);
    }
}

void ComparePage::showData() {
    const CompareData& compared = m_controller.data();
    int count = 0;
    for (const CompareGroup& group : compared.groups) count += static_cast<int>(group.members.size());
    header()->setTitle(tr("Compare"));
    m_report->setEnabled(!compared.groups.empty());
    header()->setSideText(compared.groups.empty() ? QString() : tr("%Ln run(s), baseline A", nullptr, count));
    header()->setNotice(
        compared.unreadable.isEmpty() || compared.groups.empty()
            ? QString()
            : tr("%n run(s) could not be read.", nullptr, static_cast<int>(compared.unreadable.size())));
    m_copy->setEnabled(!compared.groups.empty());
    QStringList letters;
    for (const CompareGroup& group : compared.groups) letters << group.letter;
    m_model->setRows(compared.rows, letters);
    // With very many columns, each stays wide enough to read; the table scrolls.
    const bool fit = letters.size() <= kMaxFittedGroups;
    m_table->horizontalHeader()->setMinimumSectionSize(px(kLeastColumn));
    m_table->horizontalHeader()->setSectionResizeMode(fit ? QHeaderView::Stretch : QHeaderView::Interactive);
    if (!fit) m_table->horizontalHeader()->setDefaultSectionSize(px(kLeastColumn));
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    QString differ = tr("%1 of %2 fields differ").arg(compared.numDiffering).arg(compared.numFields);
    if (compared.numUnknown > 0)
        differ += QStringLiteral("; ") + tr("%n not recorded by every run", nullptr, compared.numUnknown);
    m_tablePane->setSideText(differ);
    m_footnote->setText(wordJoined(
        compared.anySpread
            ? tr("Differences are marked only beyond the spread of repeated runs. Percentages after a forecast are its error against the measurement.")
            : tr("Single runs have no known spread, so differences below 5 % are not marked. Percentages after a forecast are its error against the measurement.")));
    showRuns();
    showCurves();
    showPlot();
    std::vector<RunId> runs;
    QStringList names;
    for (const CompareGroup& group : compared.groups) {
        runs.push_back(group.members.front().id);
        names << group.letter + QStringLiteral(": ") + group.name;
    }
    m_why->setRuns(runs, names, m_controller.isReading());
    showState();
}

void ComparePage::showRuns() {
    const CompareData& compared = m_controller.data();
    const auto speed = &RunFigures::tokensPerSecondPerDevice;
    m_filling = true;
    const int current = m_runs->currentRow();
    m_runs->clear();
    m_runsPane->setSideText(tr("tokens/s per device"));
    const auto base = compared.groups.empty() ? std::nullopt : compared.groups.front().middle(speed, false);
    for (std::size_t i = 0; i < compared.groups.size(); ++i) {
        const CompareGroup& group = compared.groups[i];
        const auto value = group.middle(speed, false);
        QString detail = tr("baseline");
        if (i > 0)
            detail = value && base && *base > 0 ? tr("%1 against A").arg(deltaText(*value / *base - 1))
                                                : statusText(group.members.front().status);
        if (group.members.size() > 1)
            detail += QStringLiteral(", ") + tr("%n runs", nullptr, static_cast<int>(group.members.size()));
        auto* item = new QListWidgetItem(m_runs);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(m_controller.isVisible(static_cast<int>(i)) ? Qt::Checked : Qt::Unchecked);
        item->setData(RunListDelegate::kId, qs(group.members.front().id.value));
        item->setData(RunListDelegate::kLetter, group.letter);
        item->setData(RunListDelegate::kColour, static_cast<int>(i));
        item->setData(RunListDelegate::kFigure, figureText("tokens_per_second_per_device", value));
        item->setData(RunListDelegate::kLines, QStringList{group.name, layoutText(group.config), detail});
        item->setData(Qt::AccessibleTextRole,
                      group.letter + QStringLiteral(": ") + group.name + QStringLiteral(", ") + detail);
        item->setToolTip(group.name);
    }
    m_runs->setCurrentRow(std::clamp(current, 0, std::max(0, m_runs->count() - 1)));
    m_filling = false;
}

bool ComparePage::eventFilter(QObject* watched, QEvent* event) {
    // The list would use letters for its own search.
    if (watched == m_runs && event->type() == QEvent::KeyPress) {
        const int row = m_runs->currentRow();
        switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_B: m_controller.setBaseline(row); return true;
            case Qt::Key_Delete: m_controller.removeGroup(row); return true;
            default: break;
        }
    }
    return Page::eventFilter(watched, event);
}

void ComparePage::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_L: m_log->toggle(); break;
        case Qt::Key_S: m_smooth->toggle(); break;
        default: Page::keyPressEvent(event);
    }
}

}  // namespace slipway::gui
