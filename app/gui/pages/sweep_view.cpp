#include "app/gui/pages/sweep_view.h"

#include "app/gui/look/status_look.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/sweep_list.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "app/gui/widgets/trial_plot.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kStatusRole = Qt::UserRole;

std::pair<Icon, QColor> lookOf(TrialStatus status) {
    switch (status) {
        case TrialStatus::Skipped: return {Icon::Skipped, theme().idle};
        case TrialStatus::Infeasible: return {Icon::Failed, theme().bad};
        case TrialStatus::Planned: return {Icon::Queued, theme().idle};
        default: break;
    }
    const auto run = runStatusFrom(wordOf(status)).value_or(RunStatus::Planned);
    return {statusIcon(run), statusColour(run)};
}

class TrialDelegate : public RowDelegate {
public:
    TrialDelegate(std::function<TrialStatus(int)> status, QObject* parent)
        : RowDelegate(parent), m_status(std::move(status)) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        RowDelegate::paint(painter, option, index);
        if (index.column() != 0) return;
        const auto [icon, colour] = lookOf(m_status(index.row()));
        paintIcon(*painter, icon, QRectF(option.rect.left() + px(16), option.rect.center().y() - px(6), px(12), px(12)),
                  colour);
    }

protected:
    [[nodiscard]] int textIndent(const QModelIndex& index) const override { return index.column() == 0 ? px(28) : 0; }

private:
    std::function<TrialStatus(int)> m_status;
};

QComboBox* chooser(const char* name, const QString& what, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(what);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

void choosePath(QComboBox* box, const std::string& path) {
    const QSignalBlocker blocker(box);
    box->setCurrentIndex(std::max(0, box->findData(qs(path))));
}

}  // namespace

SweepView::SweepView(SweepsController& controller, QWidget* parent) : QWidget(parent), m_controller(controller) {
    m_strip = new ShareStrip(this);
    m_strip->setObjectName(QStringLiteral("outcomes"));
    auto* top = splitter(Qt::Horizontal, {makeMap(), makeSide()}, {68, 32});
    top->setSizes({px(850), px(400)});
    auto* all = splitter(Qt::Vertical, {top, makeFoot()}, {76, 24});
    all->setSizes({px(570), px(180)});
    m_splitters << top << all;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(all, 1);
}

QWidget* SweepView::makeMap() {
    m_map = new HeatMap(this);
    m_map->setObjectName(QStringLiteral("sweepMap"));
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(m_map);
    m_mapPane = new Pane({}, area, this);
    m_rows = chooser("mapRows", tr("Rows of the heat map"), m_mapPane);
    m_columns = chooser("mapColumns", tr("Columns of the heat map"), m_mapPane);
    m_facets = chooser("mapFacets", tr("One heat map for each value of"), m_mapPane);
    m_measure = chooser("mapMeasure", tr("Figure of the heat map"), m_mapPane);
    for (QComboBox* box : {m_rows, m_columns, m_facets, m_measure}) {
        m_mapPane->addControl(box);
        connect(box, &QComboBox::activated, this, &SweepView::ask);
    }
    connect(m_map, &HeatMap::chosen, this, [this](int cell) { choose(cell < 0 ? Scope::All : Scope::Cell, cell); });
    connect(m_map, &HeatMap::activated, this, [this](int cell) {
        const SweepCells& cells = m_controller.cells();
        const auto at = static_cast<std::size_t>(cell);
        if (at >= cells.trials.size() || cells.trials[at].empty()) return;
        openTrial(cells.best[at] >= 0 ? cells.best[at] : cells.trials[at].front());
    });
    m_map->setMenu([this](QMenu& menu) {
        const auto at = static_cast<std::size_t>(m_map->chosenCell());
        const SweepCells& cells = m_controller.cells();
        if (at < cells.trials.size() && !cells.trials[at].empty())
            fillMenu(menu, cells.best[at] >= 0 ? cells.best[at] : cells.trials[at].front());
    });
    return m_mapPane;
}

QWidget* SweepView::makeSide() {
    m_bars = new CountBars(this);
    m_bars->setObjectName(QStringLiteral("reasons"));
    auto* area = new QScrollArea(this);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(m_bars);
    m_reasonsPane = new Pane(tr("Did not run"), area, this);
    m_reasonsPane->setFlush(true);
    connect(m_bars, &CountBars::chosen, this,
            [this](int line) { choose(line < 0 ? Scope::All : Scope::Reason, line); });

    auto* body = new QWidget(this);
    m_model = new RowsModel<Line>({}, this);
    m_table = new QTableView(body);
    m_table->setObjectName(QStringLiteral("trials"));
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    prepareTable(m_table);
    m_table->setItemDelegate(new TrialDelegate(
        [this](int row) { return m_model->rows()[static_cast<std::size_t>(row)].outcome->status; }, m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    keepColumnsFitted(m_table, {3});
    connect(m_table, &QTableView::activated, this, [this] { openTrial(currentTrial()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SweepView::showTrial);
    connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint& at) {
        if (currentTrial() < 0) return;
        QMenu menu(this);
        fillMenu(menu, currentTrial());
        menu.exec(m_table->viewport()->mapToGlobal(at));
    });
    m_detail = quietLabel({}, body, kSideSize);
    m_detail->setObjectName(QStringLiteral("trialDetail"));
    m_detail->setWordWrap(true);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setContentsMargins(px(16), px(6), px(16), 0);
    m_detail->setMinimumHeight(3 * lineHeight(17, kSideSize));
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table, 1);
    column->addWidget(m_detail);
    m_trialsPane = new Pane(tr("Trials"), body, this);
    m_trialsPane->setFlush(true);
    auto* side = splitter(Qt::Vertical, {m_reasonsPane, m_trialsPane}, {34, 66});
    side->setSizes({px(190), px(380)});
    m_splitters << side;
    side->setMinimumWidth(px(300));
    return side;
}

QWidget* SweepView::makeFoot() {
    const auto plot = [this](const char* name) {
        auto* out = new TrialPlot(this);
        out->setObjectName(QString::fromLatin1(name));
        connect(out, &TrialPlot::chosen, this, &SweepView::chooseTrial);
        connect(out, &TrialPlot::activated, this, &SweepView::openTrial);
        out->setMenu([this](QMenu& menu) {
            if (currentTrial() >= 0) fillMenu(menu, currentTrial());
        });
        return out;
    };
    m_best = plot("bestSoFar");
    m_bestPane = new Pane(tr("Best so far"), m_best, this);
    m_scatter = plot("forecastMeasured");
    m_scatterPane = new Pane(tr("Forecast and measurement"), m_scatter, this);
    auto* body = new QWidget(this);
    m_rules = new QLabel(body);
    m_rules->setObjectName(QStringLiteral("stopRules"));
    m_rules->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_rules->setWordWrap(true);
    m_rules->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_rules);
    m_rulesPane = new Pane(tr("Stop rules"), body, this);
    auto* foot = splitter(Qt::Horizontal, {m_bestPane, m_scatterPane, m_rulesPane}, {34, 34, 32});
    foot->setSizes({px(425), px(425), px(400)});
    m_splitters << foot;
    return foot;
}

void SweepView::showData() {
    if (m_controller.data().id != m_sweep) {
        m_sweep = m_controller.data().id;
        m_scope = Scope::All;
        m_index = -1;
        m_chosenFor.clear();
    }
    if (!m_controller.data().plan) return;
    const SweepCounts& c = m_controller.data().counts;
    const Theme& t = theme();
    m_strip->setShares({{tr("ran"), c.completed, t.hue(Hue::Blue)},
                        {tr("failed"), c.failed, t.bad},
                        {tr("running"), c.running, t.hue(Hue::Sky)},
                        {tr("waiting"), c.waiting(), {}, true},
                        {tr("skipped"), c.skipped, {}}},
                       tr("%Ln trial(s)", nullptr, c.total));
    fillChoosers();
    showMap();
    showReasons();
    showTrials();
    showPlots();
    showRules();
}

void SweepView::fillChoosers() {
    const SweepQuestion& question = m_controller.question();
    std::string now =
        m_sweep.value + ' ' + question.measure + ' ' + question.rows + ' ' + question.columns + ' ' + question.facets;
    for (const SweepField& field : m_controller.data().plan->fields) now += ' ' + field.path;
    if (now == m_chosenFor) return;
    m_chosenFor = std::move(now);
    const auto fill = [this](QComboBox* box, const QString& pattern, const QString& none) {
        const QSignalBlocker blocker(box);
        box->clear();
        box->addItem(none, QString());
        for (const SweepField& field : m_controller.data().plan->fields) {
            box->addItem(pattern.arg(field.name), qs(field.path));
            box->setItemData(box->count() - 1, fieldLabel(field.path), Qt::ToolTipRole);
        }
    };
    fill(m_rows, tr("Rows: %1"), tr("Rows: none"));
    fill(m_columns, tr("Columns: %1"), tr("Columns: none"));
    fill(m_facets, tr("One map per %1"), tr("Best of the rest"));
    {
        const QSignalBlocker blocker(m_measure);
        m_measure->clear();
        for (const char* key : kSweepMeasures) m_measure->addItem(columnTitle(key), QString::fromLatin1(key));
    }
    choosePath(m_rows, question.rows);
    choosePath(m_columns, question.columns);
    choosePath(m_facets, question.facets);
    choosePath(m_measure, question.measure);
    const auto numFields = m_controller.data().plan->fields.size();
    m_facets->setVisible(numFields > 2);
    m_rows->setVisible(numFields > 0);
    m_columns->setVisible(numFields > 0);
}

void SweepView::ask() {
    SweepQuestion question;
    const auto path = [](const QComboBox* box) { return box->currentData().toString().toStdString(); };
    question.rows = path(m_rows);
    question.columns = path(m_columns);
    question.facets = path(m_facets);
    question.measure = path(m_measure);
    // Choosing the other axis's field swaps the two.
    const SweepQuestion& before = m_controller.question();
    if (question.rows == question.columns && !question.rows.empty())
        (question.rows != before.rows ? question.columns : question.rows) =
            question.rows != before.rows ? before.rows : before.columns;
    m_scope = Scope::All;
    m_index = -1;
    m_map->setChosen(-1);
    m_bars->setChosen(-1);
    m_controller.setQuestion(question);
}

void SweepView::showMap() {
    const SweepCells& cells = m_controller.cells();
    const SweepQuestion& question = m_controller.question();
    const QString title = columnTitle(question.measure);
    m_mapPane->setTitle(isLessBetter(question.measure) ? tr("Lowest: %1").arg(title) : tr("Best: %1").arg(title));
    QString rule;
    for (const SweepTrial& trial : m_controller.data().trials)
        if (rule.isEmpty() && !trial.measured.mfuRule.empty()) rule = mfuRuleText(trial.measured.mfuRule);
    m_mapPane->setSideText(question.measure == "mfu" ? rule : QString());
    m_map->setGrid(cells.grid);
    if (m_scope == Scope::Cell) m_map->setChosen(m_index);
}

void SweepView::showReasons() {
    const SweepCounts& c = m_controller.data().counts;
    m_reasons = sweepReasons(m_controller.data());
    m_bars->setShares(m_reasons.shares);
    if (m_scope == Scope::Reason) m_bars->setChosen(m_index);
    m_reasonsPane->setSideText(c.failed + c.skipped == 0
                                   ? tr("every trial so far ran")
                                   : tr("%1 of %2, by first reason").arg(c.failed + c.skipped).arg(c.total));
}

std::vector<int> SweepView::shownTrials() const {
    const auto at = static_cast<std::size_t>(m_index);
    if (m_scope == Scope::Cell && at < m_controller.cells().trials.size()) return m_controller.cells().trials[at];
    if (m_scope == Scope::Reason && at < m_reasons.trials.size()) return m_reasons.trials[at];
    std::vector<int> all(m_controller.data().trials.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return all;
}

std::vector<RowColumn<SweepView::Line>> SweepView::columns() const {
    const std::string measure = m_controller.question().measure;
    const auto member = measureOf(measure);
    // Whether a memory forecast kept the trial from running.
    const auto tooMuch = [](const Line& line) {
        const TrialStatus status = line.outcome->status;
        return status == TrialStatus::Skipped || status == TrialStatus::Infeasible ? theme().bad : QColor();
    };
    const QString title = columnTitle(measure);
    return {
        {tr("Trial"),
         [](const Line& l) { return l.name; },
         Qt::AlignLeft,
         {},
         {},
         [](const Line& l) { return l.name + '\n' + outcomeText(*l.outcome); }},
        {title,
         [measure](const Line& l) {
             const auto value = valueOf(*l.outcome, measure);
             return value                          ? figureText(measure, value)
                    : isSettled(l.outcome->status) ? notApplicableText()
                                                   : unknownText();
         },
         Qt::AlignRight},
        {tr("Forecast"), [measure, member](const Line& l) { return figureText(measure, l.outcome->forecast.*member); },
         Qt::AlignRight, measure == "memory_peak_bytes" ? RowColumn<Line>::Ink(tooMuch) : RowColumn<Line>::Ink()},
        {tr("Time"), [](const Line& l) { return secondsText(l.outcome->seconds); }, Qt::AlignRight}};
}

void SweepView::showTrials() {
    const SweepData& sweep = m_controller.data();
    const int before = currentTrial();
    // The model's rows reference these.
    m_shown = sweep.trials;
    std::vector<int> fixed;
    for (std::size_t i = 0; i < sweep.plan->fields.size(); ++i) {
        const std::string& path = sweep.plan->fields[i].path;
        const SweepQuestion& q = m_controller.question();
        if (m_scope != Scope::Cell || (path != q.rows && path != q.columns && path != q.facets))
            fixed.push_back(static_cast<int>(i));
    }
    std::vector<Line> lines;
    for (const int trial : shownTrials()) {
        const auto at = static_cast<std::size_t>(trial);
        const QString name = settingsText(*sweep.plan, at, fixed);
        lines.push_back(
            {trial, name.isEmpty() || m_scope != Scope::Cell ? trialName(*sweep.plan, at) : name, &m_shown[at]});
    }
    m_model->setColumns(columns());
    m_model->setRows(std::move(lines));
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->rows()[static_cast<std::size_t>(row)].trial == before) m_table->selectRow(row);
    if (currentTrial() != before && m_model->rowCount() > 0) m_table->selectRow(0);
    fitColumns(m_table, {3});
    if (m_scope == Scope::Cell && !m_map->grid().cells.empty())
        m_trialsPane->setTitle(m_map->grid().cells[static_cast<std::size_t>(m_index)].tip.value(0));
    else
        m_trialsPane->setTitle(m_scope == Scope::Reason ? tr("Trials with this reason") : tr("Trials"));
    m_trialsPane->setSideText(tr("%Ln trial(s)", nullptr, m_model->rowCount()));
    showTrial();
}

int SweepView::currentTrial() const {
    const int row = m_table->currentIndex().row();
    return row >= 0 && row < m_model->rowCount() ? m_model->rows()[static_cast<std::size_t>(row)].trial : -1;
}

void SweepView::showTrial() {
    const int trial = currentTrial();
    const auto at = static_cast<std::size_t>(trial);
    if (trial < 0 || at >= m_controller.data().trials.size()) return m_detail->clear();
    m_detail->setText(wordJoined(layoutText(m_controller.data().plan->trials[at].config) + '\n' +
                                 outcomeText(m_controller.data().trials[at])));
    m_best->setChosen(trial);
    m_scatter->setChosen(trial);
}

void SweepView::showPlots() {
    const SweepData& sweep = m_controller.data();
    const std::string measure = m_controller.question().measure;
    const auto member = measureOf(measure);
    const bool bytes = measure.ends_with("_bytes");
    const auto format = [measure](double value) { return figureText(measure, value); };
    const QString title = columnTitle(measure);
    std::vector<std::pair<std::int64_t, int>> order;  // trials in starting order
    for (std::size_t i = 0; i < sweep.trials.size(); ++i)
        if (const auto started = sweep.trials[i].startedUnixMilliseconds; started && isSettled(sweep.trials[i].status))
            order.emplace_back(*started, static_cast<int>(i));
    std::sort(order.begin(), order.end());
    std::vector<TrialPoint> points, pairs;
    std::vector<double> errors;
    for (std::size_t n = 0; n < order.size(); ++n) {
        const auto at = static_cast<std::size_t>(order[n].second);
        const SweepTrial& trial = sweep.trials[at];
        const QString name = trialName(*sweep.plan, at);
        const auto value = valueOf(trial, measure);
        points.push_back({static_cast<double>(n + 1), value.value_or(std::nan("")), name, order[n].second});
        const auto forecast = trial.forecast.*member;
        if (!value || !forecast || !std::isfinite(*forecast)) continue;
        pairs.push_back({*forecast, *value, name, order[n].second});
        if (*value != 0) errors.push_back(std::fabs(*forecast / *value - 1));
    }
    const int toRun = sweep.counts.total - sweep.counts.skipped;
    m_best->setPoints(std::move(points),
                      {.name = tr("trial"), .format = [](double value) { return countText(value); }, .isWhole = true},
                      {.name = title, .format = format, .isBytes = bytes},
                      isLessBetter(measure) ? TrialPlot::Guide::BestLowest : TrialPlot::Guide::BestHighest,
                      static_cast<double>(toRun));
    m_bestPane->setSideText(tr("%1 by trial").arg(title));
    const auto numPairs = errors.size();
    m_scatter->setPoints(std::move(pairs), {.name = tr("forecast"), .format = format, .isBytes = bytes},
                         {.name = tr("measured"), .format = format, .isBytes = bytes}, TrialPlot::Guide::Diagonal);
    if (numPairs > 0)
        std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(numPairs / 2), errors.end());
    m_scatterPane->setSideText(numPairs == 0 ? title
                                             : tr("%1; median error %2").arg(title, percentText(errors[numPairs / 2])));
    m_best->setChosen(currentTrial());
    m_scatter->setChosen(currentTrial());
}

void SweepView::showRules() {
    const SweepData& sweep = m_controller.data();
    const StopRules& rules = sweep.plan->file.stop;
    QStringList lines;
    lines << (rules.steps > 0 ? tr("Steps per trial: at most %1").arg(countText(static_cast<double>(rules.steps)))
                              : tr("Steps per trial: as the config has them"));
    if (rules.secondsPerTrial > 0) lines << tr("Time limit per trial: %1").arg(secondsText(rules.secondsPerTrial));
    lines << (rules.diverged ? tr("Loss not finite: the trial stops") : tr("Loss not finite: the trial continues"));
    if (rules.failures > 0) lines << tr("Failures: the sweep ends after %1").arg(rules.failures);
    lines << (rules.seconds > 0 ? tr("Budget: %1").arg(budgetText(sweep.usedSeconds, rules.seconds))
                                : tr("Budget: none, %1 used").arg(secondsText(sweep.usedSeconds)));
    if (sweep.secondsLeft) lines << tr("Time left: about %1").arg(secondsText(*sweep.secondsLeft));
    m_rules->setText(wordJoined(lines.join('\n')));
}

void SweepView::choose(Scope scope, int index) {
    m_scope = scope;
    m_index = scope == Scope::All ? -1 : index;
    if (scope != Scope::Cell) m_map->setChosen(-1);
    if (scope != Scope::Reason) m_bars->setChosen(-1);
    if (m_controller.data().plan) showTrials();
}

void SweepView::chooseTrial(int trial) {
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->rows()[static_cast<std::size_t>(row)].trial == trial) return m_table->selectRow(row);
    choose(Scope::All, -1);
    if (trial >= 0 && trial < m_model->rowCount()) m_table->selectRow(trial);
}

void SweepView::openTrial(int trial) {
    const auto& trials = m_controller.data().trials;
    if (trial < 0 || trial >= static_cast<int>(trials.size())) return;
    const SweepTrial& chosen = trials[static_cast<std::size_t>(trial)];
    if (chosen.run.empty())
        emit said(tr("This trial has no run. %1").arg(outcomeText(chosen)));
    else
        emit runWanted(chosen.run);
}

void SweepView::fillMenu(QMenu& menu, int trial) {
    const SweepTrial& chosen = m_controller.data().trials[static_cast<std::size_t>(trial)];
    const RunId run = chosen.run;
    const auto add = [&](const QString& text, bool can, std::function<void()> act) {
        menu.addAction(text, this, std::move(act))->setEnabled(can);
    };
    add(tr("Open the run"), !run.empty(), [this, run] { emit runWanted(run); });
    add(tr("Copy id"), !run.empty(), [run] { QApplication::clipboard()->setText(exactText(run.value)); });
    add(tr("Clone as a plan"), !run.empty(), [this, run] { emit planWanted(run); });
    const bool failed = chosen.status == TrialStatus::Failed || chosen.status == TrialStatus::Lost ||
                        chosen.status == TrialStatus::Cancelled || chosen.status == TrialStatus::Infeasible;
    add(tr("Run this trial again"), !run.empty() && failed, [this, run] { emit retryRunWanted(run); });
    add(tr("Run all failed trials again"), m_controller.canRetry(), [this] { m_controller.retryFailed(); });
}

}  // namespace slipway::gui
