#include "app/gui/pages/fields_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/runs_pictures.h"
#include "app/gui/pages/sweep_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/pane.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr const char* kCharts[] = {"mfu", "memory_peak_bytes", "bubble_fraction"};
constexpr std::size_t kMaxFacets = 6;
constexpr qsizetype kMostFilterIds = 800;  // a filter takes 900 values

QHBoxLayout* lineOf(QWidget* line) {
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(px(16), px(6), px(16), px(6));
    row->setSpacing(px(8));
    return row;
}

/// Room for the whole chosen name, up to a limit; the rest is in the tip.
void makeRoom(FieldChooser& chooser) {
    constexpr int kLeast = 8, kMost = 24;
    const QFontMetrics metrics(chooser.font());
    const int letters = metrics.horizontalAdvance(chooser.chosenName()) / metrics.horizontalAdvance(QLatin1Char('X'));
    chooser.setMinimumContentsLength(std::clamp(letters + 2, kLeast, kMost));
    chooser.setToolTip(chooser.chosenName());
}

QPushButton* toggle(const char* name, const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setCheckable(true);
    return button;
}

}  // namespace

FieldsView::FieldsView(Context& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_live(this, [this] {
          reload();
          return !m_isOld;
      }) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeFields());
    column->addWidget(makeScope());
    column->addWidget(edgeLine(Qt::Horizontal, this));
    m_state = new StatePanel(this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_state);
    m_stack->addWidget(makePictures());
    column->addWidget(m_stack, 1);
    column->addWidget(edgeLine(Qt::Horizontal, this));
    column->addWidget(makeFoot());
    // Not at each change: reading a hundred thousand runs takes longer than the time between the steps of a live one.
    connect(&m_context.engine, &Engine::runsChanged, &m_live, &LiveRefresh::ask);
    showData();
}

FieldChooser* FieldsView::chooser(const char* name, const QString& accessible, const char* key, bool mayBeNone) {
    auto* out = new FieldChooser(this);
    out->setObjectName(QString::fromLatin1(name));
    out->setAccessibleName(accessible);
    std::vector<ChoiceOfField> fields;
    if (mayBeNone) fields.push_back({QString(), tr("none"), QString()});
    for (const ChoiceOfField& field : choicesOfFields()) fields.push_back(field);
    out->setFields(fields);
    out->choose(QString::fromLatin1(key));
    connect(out, &FieldChooser::chosen, this, &FieldsView::reload);
    return out;
}

QWidget* FieldsView::makeFields() {
    auto* line = new QWidget(this);
    m_choosers = new QBoxLayout(QBoxLayout::LeftToRight, line);
    m_choosers->setContentsMargins(px(16), px(6), px(16), px(6));
    m_choosers->setSpacing(px(8));
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    m_x = chooser("fieldX", tr("Field of the charts"), "parallel.tp", false);
    m_colour = chooser("fieldColour", tr("Colour field"), "", true);
    m_facet = chooser("fieldFacet", tr("Field that divides the charts"), "", true);
    m_value = new QComboBox(line);
    m_value->setObjectName(QStringLiteral("fieldValue"));
    m_value->setAccessibleName(tr("Values of the charts"));
    m_value->addItems({tr("Measured"), tr("Forecast"), tr("Measured against forecast")});
    m_kind = new QComboBox(line);
    m_kind->setObjectName(QStringLiteral("fieldKind"));
    m_kind->setAccessibleName(tr("Kind of the charts"));
    m_kind->addItems({tr("Points"), tr("Boxes over repeats")});
    m_logX = toggle("fieldLogX", tr("Log x"), line);
    m_logY = toggle("fieldLogY", tr("Log y"), line);
    const auto add = [&](const QString& text, QWidget* control) {
        auto* label = quietLabel(text, line, kSideSize);
        label->setBuddy(control);
        row->addWidget(label);
        row->addWidget(control);
    };
    add(tr("Field"), m_x);
    add(tr("Colour"), m_colour);
    add(tr("Divide by"), m_facet);
    row->addStretch(1);
    auto* values = new QHBoxLayout;
    values->setSpacing(px(8));
    for (QWidget* control : std::initializer_list<QWidget*>{m_value, m_kind, m_logX, m_logY})
        values->addWidget(control);
    values->addStretch(1);
    m_choosers->addLayout(row);
    m_choosers->addLayout(values, 1);
    for (QComboBox* box : {m_value, m_kind}) connect(box, &QComboBox::activated, this, &FieldsView::showCharts);
    for (QPushButton* button : {m_logX, m_logY}) connect(button, &QPushButton::toggled, this, &FieldsView::showCharts);
    return line;
}

QWidget* FieldsView::makeScope() {
    auto* line = new QWidget(this);
    auto* row = lineOf(line);
    m_scope = new QComboBox(line);
    m_scope->setObjectName(QStringLiteral("fieldScope"));
    m_scope->setAccessibleName(tr("Runs of the charts"));
    m_scope->addItems({tr("Compared runs"), tr("All runs")});
    m_filter = new QLineEdit(line);
    m_filter->setObjectName(QStringLiteral("fieldFilter"));
    m_filter->setAccessibleName(tr("Filter of the charts"));
    m_filter->setPlaceholderText(tr("Filter, such as nodes:8 mfu>30"));
    m_filter->setMinimumWidth(px(240));
    m_rule = new QComboBox(line);
    m_rule->setObjectName(QStringLiteral("fieldRule"));
    m_rule->setAccessibleName(tr("Convention of every MFU"));
    m_rule->addItem(tr("MFU as recorded"));
    for (const auto& rule : enumNames(FlopsRule{})) m_rule->addItem(tr("MFU (%1)").arg(mfuRuleText(rule.word)));
    m_rule->setToolTip(
        wordJoined(tr("The MFU of every run, counted by one convention. Speeds and peaks stay as they are.")));
    m_problem = new QLabel(line);
    m_problem->setObjectName(QStringLiteral("fieldProblem"));
    m_problem->setTextFormat(Qt::PlainText);
    m_legend = quietLabel({}, line, kSideSize);
    m_legend->setObjectName(QStringLiteral("fieldLegend"));
    m_counts = quietLabel({}, line, kSideSize);
    m_counts->setObjectName(QStringLiteral("fieldCounts"));
    row->addWidget(m_scope);
    row->addWidget(m_filter, 1);
    row->addWidget(m_rule);
    row->addWidget(m_problem, 1);
    row->addWidget(m_legend, 2);
    row->addWidget(m_counts);
    for (QComboBox* box : {m_scope, m_rule}) connect(box, &QComboBox::activated, this, &FieldsView::reload);
    connect(m_filter, &QLineEdit::editingFinished, this, [this] {
        if (m_filter->text().toStdString() != m_request.filter) reload();
    });
    return line;
}

QWidget* FieldsView::makePictures() {
    auto* body = new QWidget(this);
    m_grid = new QGridLayout(body);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(0);
    for (int column = 0; column < static_cast<int>(std::size(kCharts)); ++column) m_grid->setColumnStretch(column, 1);
    m_area = new QScrollArea(this);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setFocusPolicy(Qt::NoFocus);
    body->setBackgroundRole(QPalette::Base);
    m_area->setWidget(body);

    m_map = new HeatMap(this);
    m_map->setObjectName(QStringLiteral("fieldMap"));
    auto* cells = new QWidget(this);
    auto* cellsColumn = new QVBoxLayout(cells);
    cellsColumn->setContentsMargins(0, 0, 0, 0);
    auto* cellsLine = new QHBoxLayout;  // beside the title their words would be cut
    cellsColumn->addLayout(cellsLine);
    cellsColumn->addWidget(m_map, 1);
    m_cellsPane = new Pane({}, cells, this);
    m_measure = new QComboBox(m_cellsPane);
    m_measure->setObjectName(QStringLiteral("fieldMeasure"));
    m_measure->setAccessibleName(tr("Figure of the map"));
    for (const char* measure : kSweepMeasures) m_measure->addItem(columnTitle(measure), QString::fromLatin1(measure));
    m_rows = chooser("fieldRows", tr("Rows of the map"), "parallel.tp", false);
    m_columns = chooser("fieldColumns", tr("Columns of the map"), "parallel.pp", false);
    for (QComboBox* box : std::initializer_list<QComboBox*>{m_measure, m_rows, m_columns}) {
        box->setMinimumContentsLength(10);
        cellsLine->addWidget(box);
    }
    cellsLine->addStretch(1);
    m_pictures = new RunsPictures(this);
    connect(m_measure, &QComboBox::activated, this, [this] {
        showCells();
        m_pictures->setMeasure(measure());
        showFoot();
    });
    connect(m_pictures, &RunsPictures::selected, this, &FieldsView::select);
    connect(m_pictures, &RunsPictures::runWanted, this, &FieldsView::runWanted);
    connect(m_pictures, &RunsPictures::fieldsChanged, this, &FieldsView::reload);
    connect(m_map, &HeatMap::chosen, this, [this](int cell) {
        QStringList ids;
        if (cell >= 0)
            for (const std::size_t row : m_cells.runs[static_cast<std::size_t>(cell)])
                ids << exactText(m_data.rows[row].record.id.value);
        select(ids);
    });
    auto* below = splitter(Qt::Horizontal, {m_cellsPane, m_pictures}, {46, 54});
    below->setSizes({px(520), px(620)});
    auto* all = splitter(Qt::Vertical, {m_area, below}, {50, 50});
    all->setSizes({px(300), px(340)});
    return all;
}

QWidget* FieldsView::makeFoot() {
    auto* line = new QWidget(this);
    auto* row = lineOf(line);
    m_said = quietLabel({}, line, kSideSize);
    m_said->setObjectName(QStringLiteral("fieldSelection"));
    m_said->setWordWrap(true);
    m_openRuns = new QPushButton(tr("Open in Runs"), line);
    m_openRuns->setObjectName(QStringLiteral("openInRuns"));
    m_compare = new QPushButton(tr("Compare the selection"), line);
    m_compare->setObjectName(QStringLiteral("compareSelection"));
    m_clear = new QPushButton(tr("Clear"), line);
    row->addWidget(m_said, 1);
    row->addWidget(m_openRuns);
    row->addWidget(m_compare);
    row->addWidget(m_clear);
    connect(m_openRuns, &QPushButton::clicked, this, [this] { emit runsWanted(selectionFilter()); });
    connect(m_clear, &QPushButton::clicked, this, [this] { select({}); });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        std::vector<RunId> ids;
        for (const RunRow& run : m_data.rows)
            if (m_selected.contains(exactText(run.record.id.value))) ids.push_back(run.record.id);
        emit compareWanted(ids);
    });
    return line;
}

FieldValue FieldsView::value() const {
    return static_cast<FieldValue>(m_value->currentIndex());
}

std::string FieldsView::measure() const {
    return m_measure->currentData().toString().toStdString();
}

std::optional<std::size_t> FieldsView::cellOf(const FieldChooser* chooser) const {
    const auto& fields = m_request.fields;
    const auto at = std::find(fields.begin(), fields.end(), chooser->chosenKey().toStdString());
    return at == fields.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - fields.begin()));
}

void FieldsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    int needed = px(32) + m_choosers->spacing();
    for (int i = 0; i < m_choosers->count(); ++i) needed += m_choosers->itemAt(i)->sizeHint().width();
    m_choosers->setDirection(needed <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void FieldsView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_isOld) reload();
}

void FieldsView::reload() {
    for (FieldChooser* chooser : {m_x, m_colour, m_facet, m_rows, m_columns}) makeRoom(*chooser);
    m_isOld = !isVisible();
    if (m_isOld) return;
    FieldsRequest request;
    if (m_scope->currentIndex() == 0) request.runs = m_runs;
    request.filter = m_filter->text().toStdString();
    if (m_rule->currentIndex() > 0) request.mfuRule = static_cast<FlopsRule>(m_rule->currentIndex() - 1);
    const auto need = [&](const std::string& key) {
        if (!key.empty() && std::find(request.fields.begin(), request.fields.end(), key) == request.fields.end())
            request.fields.push_back(key);
    };
    for (const FieldChooser* chooser : {m_x, m_colour, m_facet, m_rows, m_columns})
        need(chooser->chosenKey().toStdString());
    for (const std::string& field : m_pictures->fields()) need(field);
    if (!m_isRead)
        showData();
    else if (request.runs != m_request.runs || request.filter != m_request.filter)
        m_counts->setText(tr("Reading the runs…"));
    m_job.start(
        [home = m_context.engine.home(), store = m_store, cache = m_repeats, request](const std::stop_token& token) {
            const double before = threadCpuMilliseconds();
            // The cache is protected by the store's lock: one reader at a time.
            auto read = store->read(
                home, [&](RunStore& open) -> Result<FieldsData> { return loadFields(open, request, *cache, token); });
            FieldsData failed;
            if (!read) failed.problem = errorText(read.error());
            return std::tuple(request, read ? std::move(*read) : std::move(failed), threadCpuMilliseconds() - before);
        },
        [this](std::tuple<FieldsRequest, FieldsData, double> answer) {
            auto& [asked, found, cpuMilliseconds] = answer;
            m_live.answered(cpuMilliseconds);
            // After a failure, the last valid pictures stay, with the reason.
            m_problem->setText(wordJoined(found.problem));
            m_problem->setVisible(!found.problem.isEmpty());
            if (!found.problem.isEmpty() && m_isRead && !m_data.rows.empty()) return showCounts();
            m_request = std::move(asked);
            m_data = std::move(found);
            m_isRead = true;
            showData();
        });
}

void FieldsView::showData() {
    m_problem->setVisible(!m_problem->text().isEmpty());
    m_scope->setEnabled(!m_runs.empty());
    if (!m_isRead) {  // not yet known whether there are any runs
        m_state->show(tr("Reading the runs…"), {});
        m_stack->setCurrentIndex(0);
        showFoot();
        return;
    }
    if (m_data.rows.empty()) {
        if (m_problem->text().isEmpty() && m_request.filter.empty() && m_request.runs.empty())
            m_state->show(tr("No runs yet."), tr("Charts appear here as soon as runs are started or imported."));
        else
            m_state->show(m_problem->text().isEmpty() ? tr("No run matches.") : tr("The runs cannot be shown."),
                          tr("Change the filter, or compare other runs."));
        m_stack->setCurrentIndex(0);
        m_counts->setText({});
        showFoot();
        return;
    }
    m_stack->setCurrentIndex(1);
    showCounts();
    showCharts();
    showCells();
    showPictures();
    showFoot();
}

void FieldsView::showPictures() {
    std::vector<std::size_t> cells;
    for (const std::string& field : m_pictures->fields()) {
        const auto at = std::find(m_request.fields.begin(), m_request.fields.end(), field);
        if (at == m_request.fields.end()) return;  // an axis was added after these data: new data follow
        cells.push_back(static_cast<std::size_t>(at - m_request.fields.begin()));
    }
    m_pictures->setData(m_data, cells, measure(), m_selected);
}

void FieldsView::showCharts() {
    const auto x = cellOf(m_x);
    if (!x || m_data.rows.empty()) return;
    const auto facet = cellOf(m_facet), colour = cellOf(m_colour);
    auto facets = facet ? valuesOf(m_data, *facet) : std::vector<CellValue>{CellValue{}};
    const std::size_t numFacets = facets.size();
    if (facets.size() > kMaxFacets) facets.resize(kMaxFacets);
    const std::size_t wanted = facets.size() * std::size(kCharts);
    while (m_plots.size() > wanted) {
        delete m_panes.back();
        m_panes.pop_back();
        m_plots.pop_back();
    }
    while (m_plots.size() < wanted) {
        auto* plot = new FieldPlot(this);
        plot->setObjectName(QStringLiteral("fieldChart%1").arg(m_plots.size()));
        plot->setMedians(true);
        connect(plot, &FieldPlot::selected, this, &FieldsView::select);
        connect(plot, &FieldPlot::activated, this,
                [this](const QString& id) { emit runWanted(RunId(id.toStdString())); });
        auto* pane = new Pane({}, plot, this);
        const int at = static_cast<int>(m_plots.size());
        m_grid->addWidget(pane, at / static_cast<int>(std::size(kCharts)), at % static_cast<int>(std::size(kCharts)));
        pane->setMinimumHeight(px(210));
        m_panes.push_back(pane);
        m_plots.push_back(plot);
    }
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::string measure = kCharts[i % std::size(kCharts)];
        const CellValue& part = facets[i / std::size(kCharts)];
        PointsQuestion question{measure, value(), m_x->chosenKey().toStdString(), *x, colour, {}};
        if (facet) question.facet = std::pair(*facet, part);
        FieldPoints points = pointsOf(m_data, question);
        FieldPlot& plot = *m_plots[i];
        plot.setKind(m_kind->currentIndex() == 0 ? FieldPlot::Kind::Points : FieldPlot::Kind::Boxes);
        plot.setLog(m_logX->isChecked(), m_logY->isChecked());
        const QString title = columnTitle(measure);
        m_panes[i]->setTitle(title);
        plot.setNames(m_x->chosenName(), title);  // after the title, which would be its name for screen readers
        plot.setYFormat([measure, value = value()](double y) { return valueText(measure, value, y); },
                        measure.ends_with("_bytes") && value() != FieldValue::Difference);
        QStringList side;
        if (facet)
            side << m_facet->chosenName() + QStringLiteral(": ") + textOf(m_facet->chosenKey().toStdString(), part);
        side << tr("by %1").arg(m_x->chosenName());
        if (points.numWithout > 0) side << tr("%n without the figure", nullptr, points.numWithout);
        m_panes[i]->setSideText(side.join(QStringLiteral("; ")));
        plot.setPoints(std::move(points.points));
        plot.setSelected(m_selected);
    }
    QStringList legend;
    if (colour) {
        const auto values = valuesOf(m_data, *colour);
        for (std::size_t i = 0; i < values.size() && i < kNumHues; ++i)
            legend << textOf(m_colour->chosenKey().toStdString(), values[i]);
        if (values.size() > kNumHues) legend << tr("hollow: %n more value(s)", nullptr, int(values.size()) - kNumHues);
    }
    QString text = legend.isEmpty() ? QString() : m_colour->chosenName() + QStringLiteral(": ");
    if (numFacets > facets.size())
        text = tr("The first %1 of %2 values are shown.").arg(facets.size()).arg(numFacets) + ' ' + text;
    m_legend->setText(text + legend.join(QStringLiteral(", ")));
}

void FieldsView::showCells() {
    const auto rows = cellOf(m_rows), columns = cellOf(m_columns);
    if (!rows || !columns || m_data.rows.empty()) return;
    m_cells = cellsOf(m_data, measure(), m_rows->chosenKey().toStdString(), *rows, m_columns->chosenKey().toStdString(),
                      *columns);
    m_cellsPane->setTitle(tr("Best %1 by layout").arg(m_cells.grid.title));
    m_cellsPane->setSideText(tr("best of each cell; × failed"));
    m_map->setAccessibleName(tr("Best %1 by layout").arg(m_cells.grid.title));
    m_map->setGrid(m_cells.grid);
}

void FieldsView::select(const QStringList& ids) {
    m_selected = QSet<QString>(ids.begin(), ids.end());
    for (FieldPlot* plot : m_plots) plot->setSelected(m_selected);
    m_pictures->setSelected(m_selected);
    showFoot();
}

QString FieldsView::selectionFilter() const {
    // Ranges of the axes become field conditions, which also apply to later runs.
    if (const auto ranges = m_request.runs.empty() ? m_pictures->rangesFilter() : std::nullopt; ranges) {
        const QString scope = qs(m_request.filter).trimmed();
        return scope.isEmpty() ? qs(*ranges) : QStringLiteral("(%1) %2").arg(scope, qs(*ranges));
    }
    if (m_selected.isEmpty() || m_selected.size() > kMostFilterIds) return {};
    QStringList ids;
    for (const RunRow& row : m_data.rows)
        if (const QString id = exactText(row.record.id.value); m_selected.contains(id)) ids << id;
    return QStringLiteral("id:") + ids.join(',');
}

void FieldsView::showFoot() {
    QStringList parts;
    if (!m_selected.isEmpty()) {
        parts << tr("%1 of %2 selected").arg(m_selected.size()).arg(m_data.rows.size());
        for (const char* key : kCharts) {
            double low = INFINITY, high = -INFINITY;
            for (const RunRow& row : m_data.rows) {
                if (!m_selected.contains(exactText(row.record.id.value))) continue;
                const auto figure = figureOf(row.record, key, FieldValue::Measured);
                if (!figure || !std::isfinite(*figure)) continue;
                low = std::min(low, *figure);
                high = std::max(high, *figure);
            }
            if (high >= low)
                parts
                    << QStringLiteral("%1 %2 – %3").arg(columnTitle(key), figureText(key, low), figureText(key, high));
        }
    } else if (!m_data.rows.empty()) {
        const QString noise = noiseText(m_data, measure());
        parts << (noise.isEmpty() ? tr("No runs are repeated, so it is not known which differences are noise.")
                                  : noise);
        if (!m_data.repeatsAreKnown)
            parts << tr("Only %1 configurations were searched for repeats.")
                         .arg(countText(static_cast<double>(kMaxRepeatConfigs)));
    }
    m_said->setText(wordJoined(parts.join(QStringLiteral("   "))));
    m_compare->setEnabled(m_selected.size() >= 2);
    m_openRuns->setEnabled(!m_selected.isEmpty() && !selectionFilter().isEmpty());
    m_clear->setEnabled(!m_selected.isEmpty());
}

QString FieldsView::tableText() const {
    QString text;
    for (const FieldPlot* plot : m_plots) text += plot->dataTable().tabSeparated() + '\n';
    return text;
}

}  // namespace slipway::gui
