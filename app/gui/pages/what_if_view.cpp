#include "app/gui/pages/what_if_view.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/engine/list_store.h"
#include "app/gui/engine/store_access.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/explain_dialog.h"
#include "app/gui/widgets/memory_bar.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/planner/stack/forecast_basis.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr std::int64_t kListedRuns = 30;

QString figureOf(const FigureDifference& d, double value) {
    if (std::isnan(value)) return unknownText();
    switch (d.unit) {
        case FigureUnit::Seconds: return secondsText(value);
        case FigureUnit::Bytes: return bytesText(value);
        case FigureUnit::Share: return percentText(value);
        case FigureUnit::PerSecond: return countText(value);
        case FigureUnit::Count: return shortText(value);
        case FigureUnit::Hours: return countText(value);
        case FigureUnit::Money: return shortText(value);
    }
    return {};
}

QString differenceOf(const FigureDifference& d) {
    const double by = d.after - d.before;
    if (std::isnan(by)) return unknownText();
    if (by == 0) return QStringLiteral("0");
    if (d.unit == FigureUnit::Share) return pointsText(by);
    return (by > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + figureOf(d, std::fabs(by));
}

QColor inkOf(const FigureDifference& d) {
    const double change = d.change();
    if (d.better == 0 || std::isnan(change) || std::fabs(change) < 0.005) return theme().text;
    return (change > 0) == (d.better > 0) ? theme().ok : theme().bad;
}

// "n/a" if the field does not apply.
QString valueOf(const std::string& path, const std::string& json) {
    return json.empty() ? notApplicableText() : valueWords(path, json);
}

// Rows with content: a figure that either has.
bool speaks(const FigureDifference& d) {
    const bool unknown = std::isnan(d.before) && std::isnan(d.after);
    return !unknown && !(d.before == 0 && d.after == 0);
}

}  // namespace

WhatIfView::WhatIfView(Context& context, PlanController& plan, QWidget* parent)
    : TabView(parent), m_context(context), m_plan(plan), m_live(this, [this] {
          listRuns();
          return true;
      }) {
    QHBoxLayout* row = addLine();
    QWidget* line = row->parentWidget();
    auto* label = new QLabel(tr("Baseline"), line);
    m_baseline = new QComboBox(line);
    m_baseline->setObjectName(QStringLiteral("baseline"));
    m_baseline->setAccessibleName(tr("Baseline"));
    m_baseline->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_baseline->setMinimumContentsLength(12);
    label->setBuddy(m_baseline);
    m_keep = new QPushButton(tr("Set the current plan as baseline"), line);
    m_keep->setObjectName(QStringLiteral("keepBaseline"));
    m_swap = new QPushButton(tr("Swap"), line);
    m_swap->setObjectName(QStringLiteral("swapBaseline"));
    m_swap->setToolTip(tr("Swaps plan and baseline; Ctrl+Z undoes it."));
    m_drop = new QPushButton(tr("Clear"), line);
    m_drop->setObjectName(QStringLiteral("dropBaseline"));
    m_summary = new ElidedLabel(line);
    m_summary->setObjectName(QStringLiteral("whatIfSummary"));
    row->addWidget(label);
    row->addWidget(m_baseline);
    row->addWidget(m_keep);
    row->addWidget(m_swap);
    row->addWidget(m_drop);
    row->addWidget(m_summary, 1);
    addStack(makeTables());

    connect(m_keep, &QPushButton::clicked, &m_plan, &PlanController::keepBaseline);
    connect(m_swap, &QPushButton::clicked, &m_plan, &PlanController::swapBaseline);
    connect(m_drop, &QPushButton::clicked, &m_plan, &PlanController::clearBaseline);
    connect(m_baseline, &QComboBox::activated, this, &WhatIfView::chooseRun);
    connect(&m_plan, &PlanController::baselineChanged, this, [this] {
        listRuns();
        showDifferences();
    });
    connect(&m_plan, &PlanController::planChanged, this, &WhatIfView::showDifferences);
    connect(&m_plan, &PlanController::issuesChanged, this, &WhatIfView::showDifferences);
    connect(&m_context.engine, &Engine::runsChanged, this, [this] {
        m_isOld = true;
        if (isVisible()) m_live.ask();
    });
    listRuns();
    showDifferences();
}

QWidget* WhatIfView::makeTables() {
    using F = FigureDifference;
    m_figures = new RowsModel<F>({}, this);
    m_fields = new RowsModel<FieldDifference>(
        {
            {tr("Field"),
             [](const FieldDifference& d) { return fieldLabel(d.path); },
             Qt::AlignLeft,
             {},
             {},
             [](const FieldDifference& d) { return qs(d.path); }},
            {tr("Baseline"), [](const FieldDifference& d) { return valueOf(d.path, d.left); }, Qt::AlignRight},
            {tr("Plan"),
             [](const FieldDifference& d) { return valueOf(d.path, d.right); },
             Qt::AlignRight,
             {},
             [](const FieldDifference&) { return true; }},
        },
        this);
    const auto table = [this](QAbstractItemModel* model, const char* name) {
        auto* view = new QTableView(stack());
        view->setObjectName(QString::fromLatin1(name));
        view->setModel(model);
        view->setSelectionMode(QAbstractItemView::ExtendedSelection);
        prepareTable(view);
        keepColumnsFitted(view);
        return view;
    };
    m_figureTable = table(m_figures, "figureDifferences");
    m_fieldTable = table(m_fields, "fieldDifferences");
    const auto figureAt = [this](const QModelIndex& index) {
        return m_figures->rows()[static_cast<std::size_t>(index.row())].name;
    };
    const auto planOf = [this](const QModelIndex& index) {
        return index.column() == 1 && m_plan.baseline() ? m_plan.baseline()->plan : m_plan.plan();
    };
    connect(m_figureTable, &QTableView::activated, this, [this, figureAt, planOf](const QModelIndex& index) {
        if (index.row() < m_figures->rowCount()) ExplainDialog::open(m_figureTable, planOf(index), figureAt(index));
    });
    offerFormulas(m_figureTable, figureAt, planOf);
    m_figurePane = new Pane(tr("Figures"), m_figureTable, stack());
    m_figurePane->setFlush(true);
    m_fieldPane = new Pane(tr("Changes"), m_fieldTable, stack());
    m_fieldPane->setFlush(true);
    m_memory = new MemoryBar(stack());
    m_memory->setObjectName(QStringLiteral("whatIfMemory"));
    connect(m_memory, &MemoryBar::asked, this, [this](std::size_t row, const std::string& figure) {
        ExplainDialog::open(m_memory, row == 0 && m_plan.baseline() ? m_plan.baseline()->plan : m_plan.plan(), figure);
    });
    m_memoryPane = new Pane(tr("Memory of the worst rank"), m_memory, stack());
    auto* right = new QSplitter(Qt::Vertical, stack());
    right->addWidget(m_memoryPane);
    right->addWidget(m_fieldPane);
    right->setSizes({180, 420});
    right->setChildrenCollapsible(false);
    auto* both = new QSplitter(Qt::Horizontal, stack());
    both->addWidget(m_figurePane);
    both->addWidget(right);
    both->setStretchFactor(0, 60);
    both->setStretchFactor(1, 40);
    both->setSizes({600, 400});
    both->setChildrenCollapsible(false);
    return both;
}

void WhatIfView::showEvent(QShowEvent* event) {
    TabView::showEvent(event);
    if (m_isOld) m_live.ask();
}

void WhatIfView::listRuns() {
    m_isOld = false;
    runOnce(
        this,
        [home = m_context.engine.home()](std::stop_token) {
            const double before = threadCpuMilliseconds();
            RunQuery query;
            query.limit = kListedRuns;
            std::vector<std::pair<RunId, std::string>> runs;
            if (const auto rows = readLists(home, [&](RunStore& store) { return store.list(query); }))
                for (const RunRow& row : *rows) runs.emplace_back(row.record.id, row.record.name);
            return std::pair(std::move(runs), threadCpuMilliseconds() - before);
        },
        [this](const std::pair<std::vector<std::pair<RunId, std::string>>, double>& answer) {
            const auto& [runs, cpuMilliseconds] = answer;
            m_live.answered(cpuMilliseconds);
            m_baseline->clear();
            m_baseline->addItem(m_plan.baseline() ? m_plan.baseline()->name : tr("None"), QString());
            for (const auto& [id, name] : runs)
                m_baseline->addItem(QStringLiteral("%1  (%2)").arg(qs(name), qs(id.value)), qs(id.value));
        });
}

void WhatIfView::chooseRun() {
    const QString id = m_baseline->currentData().toString();
    if (id.isEmpty()) return;
    runOnce(
        this,
        [home = m_context.engine.home(), id = RunId(id.toStdString())](std::stop_token) {
            return readStore(home, [&id](RunStore& store) { return store.run(id); });
        },
        [this](const Result<RunRecord>& record) {
            if (!record) {
                emit m_plan.said(errorText(record.error()));
                return;
            }
            if (auto document = documentOf(*record))
                m_plan.setBaseline(qs(record->name), *document, record->measured.memoryPeakBytes);
            else
                emit m_plan.said(tr("The config of %1 cannot be read.").arg(qs(record->name)));
        });
}

void WhatIfView::showDifferences() {
    const auto& baseline = m_plan.baseline();
    const auto plan = m_plan.plan();
    m_keep->setEnabled(plan && !m_plan.isStale());
    m_swap->setEnabled(baseline && plan && !m_plan.isStale());
    m_drop->setEnabled(baseline.has_value());
    if (!baseline || !plan) {
        m_summary->setFullText({});
        state()->show(
            tr("Nothing to compare with yet."),
            tr("Set the current plan as baseline, then change it: every figure is shown beside its baseline. Or choose a run above as baseline."),
            {{tr("Set the current plan as baseline"), [this] { m_plan.keepBaseline(); }, true}});
        stack()->setCurrentIndex(0);
        return;
    }
    const Plan& before = *baseline->plan;
    const Plan& after = *plan;
    std::vector<FigureDifference> figures = figureDifferences(before, after);
    std::erase_if(figures, [](const FigureDifference& d) { return !speaks(d); });
    const std::vector<FieldDifference> fields = fieldDifferences(before, after);
    using F = FigureDifference;
    m_figures->setColumns({
        {tr("Figure"),
         [](const F& d) { return columnTitle(d.name); },
         Qt::AlignLeft,
         {},
         {},
         [](const F& d) { return qs(d.name); }},
        {tr("Baseline"),
         [](const F& d) { return figureOf(d, d.before); },
         Qt::AlignRight,
         {},
         {},
         [](const F& d) { return labelHelp(d.labelBefore); }},
        {tr("Plan"),
         [](const F& d) { return figureOf(d, d.after); },
         Qt::AlignRight,
         {},
         [](const F&) { return true; },
         [](const F& d) { return labelHelp(d.labelAfter); }},
        {tr("Difference"), differenceOf, Qt::AlignRight, inkOf},
        {tr("Change"),
         [](const F& d) { return d.unit == FigureUnit::Share ? QString() : deltaText(d.change()); },  // points say it
         Qt::AlignRight, inkOf},
    });
    m_figures->setRows(std::move(figures));
    const int changed = static_cast<int>(fields.size());
    m_fields->setRows(fields);
    fitColumns(m_figureTable);
    fitColumns(m_fieldTable);
    const QString ofBefore = labelText(before.step.label, softwareOf(before.cluster)),
                  ofAfter = labelText(after.step.label, softwareOf(after.cluster));
    m_figurePane->setSideText(ofBefore == ofAfter ? tr("both %1").arg(ofAfter)
                                                  : tr("baseline %1, plan %2").arg(ofBefore, ofAfter));
    m_fieldPane->setSideText(changed == 0 ? tr("no field differs") : tr("%n field(s) differ", nullptr, changed));
    m_memory->setRows(tr("Plan"),
                      {{tr("Baseline"), bytesText(before.memoryCapacityBytes), before.memory[before.worstStage].bytes,
                        baseline->measuredPeakBytes},
                       {tr("Plan"), bytesText(after.memoryCapacityBytes), after.memory[after.worstStage].bytes}},
                      1, after.memoryCapacityBytes);
    const QString ranks = tr("%1, pipeline rank %2 against %3")
                              .arg(m_memory->unit())
                              .arg(before.memory[before.worstStage].stage)
                              .arg(after.memory[after.worstStage].stage);
    m_memoryPane->setSideText(baseline->measuredPeakBytes
                                  ? tr("%1; tick: measured %2").arg(ranks, bytesText(baseline->measuredPeakBytes))
                                  : ranks);
    const double time = after.step.tokensPerSecond / before.step.tokensPerSecond - 1;
    m_summary->setFullText(
        changed == 0          ? tr("The plan is the baseline.")
        : std::isfinite(time) ? tr("Throughput %1, memory %2.")
                                    .arg(deltaText(time), deltaText(after.memoryPeakBytes / before.memoryPeakBytes - 1))
                              : QString());
    stack()->setCurrentIndex(1);
}

QString WhatIfView::tableText() const {
    const auto text = [](const QAbstractItemModel& model) {
        QString out;
        for (int row = -1; row < model.rowCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < model.columnCount(); ++column)
                cells << tabCell(row < 0 ? model.headerData(column, Qt::Horizontal).toString()
                                         : model.index(row, column).data().toString());
            out += cells.join('\t') + '\n';
        }
        return out;
    };
    return text(*m_figures) + '\n' + text(*m_fields);
}

}  // namespace slipway::gui
