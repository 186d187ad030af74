#include "app/gui/pages/runs_pictures.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/sweep_data.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_chooser.h"
#include "app/gui/widgets/trial_plot.h"

#include <QComboBox>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace slipway::gui {
namespace {

enum Picture { kAxes, kFront, kForecasts };
constexpr std::array kPictures{"axes", "front", "forecasts"};  // in their order

constexpr const char* kAxisMeasures[] = {"memory_peak_bytes", "bubble_fraction", "tokens_per_second_per_device", "mfu"};

/// The figures of the axes that any run has; the requested one is last.
std::vector<std::string> measuresOf(const FieldsData& data, const std::string& last) {
    std::vector<std::string> out;
    for (const char* measure : kAxisMeasures)
        if (measure != last && std::any_of(data.rows.begin(), data.rows.end(), [&](const RunRow& row) {
                return figureOf(row.record, measure, FieldValue::Measured).has_value();
            }))
            out.emplace_back(measure);
    out.push_back(last);
    return out;
}

}  // namespace

RunsPictures::RunsPictures(QWidget* parent) : QWidget(parent) {
    m_parallel = new ParallelPlot(this);
    m_parallel->setObjectName(QStringLiteral("runAxes"));
    m_parallel->setSubject(PlotSubject::Runs);
    m_parallel->keepRanges(true);
    m_pareto = new ParetoPlot(this);
    m_pareto->setObjectName(QStringLiteral("runFront"));
    m_pareto->setSubject(PlotSubject::Runs);
    m_forecasts = new TrialPlot(this);
    m_forecasts->setObjectName(QStringLiteral("fieldForecasts"));
    m_pictures = new QStackedWidget(this);
    for (QWidget* picture : std::initializer_list<QWidget*>{m_parallel, m_pareto, m_forecasts})
        m_pictures->addWidget(picture);
    auto* body = new QWidget(this);
    m_axesText = new ElidedLabel(body);
    m_axesText->setObjectName(QStringLiteral("runAxesText"));
    m_axesText->setFont(fontOf(kAxisSize));
    setInk(m_axesText, theme().text2);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(4));
    column->addWidget(m_pictures, 1);
    column->addWidget(m_axesText);
    m_pane = new Pane({}, body, this);
    m_pane->setObjectName(QStringLiteral("runPictures"));
    const auto combo = [this](const char* name, const QString& accessible) {
        auto* box = new QComboBox(m_pane);
        box->setObjectName(QString::fromLatin1(name));
        box->setAccessibleName(accessible);
        box->setMinimumContentsLength(10);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_pane->addControl(box);
        return box;
    };
    m_paretoX = combo("frontX", tr("Figure of x"));
    m_paretoY = combo("frontY", tr("Figure of y"));
    for (const char* measure : kSweepMeasures)
        for (QComboBox* box : {m_paretoX, m_paretoY}) box->addItem(columnTitle(measure), QString::fromLatin1(measure));
    m_paretoX->setCurrentIndex(m_paretoX->findData(QStringLiteral("tokens_per_second_per_device")));
    m_paretoY->setCurrentIndex(m_paretoY->findData(QStringLiteral("memory_peak_bytes")));
    m_front = new QPushButton(tr("Select the front"), m_pane);
    m_front->setObjectName(QStringLiteral("selectFront"));
    m_pane->addControl(m_front);
    m_clear = linkButton(tr("Show all"), m_pane);
    m_clear->setObjectName(QStringLiteral("clearRanges"));
    m_pane->addControl(m_clear);
    m_addAxis = new FieldChooser(m_pane);
    m_addAxis->setObjectName(QStringLiteral("addAxisField"));
    m_addAxis->setAccessibleName(tr("Field of one more axis"));
    m_addAxis->setMinimumContentsLength(9);
    m_addAxis->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    std::vector<ChoiceOfField> fields{{QString(), tr("Add axis…"), QString()}};
    for (const ChoiceOfField& field : choicesOfFields())
        if (!field.key.startsWith(QStringLiteral("measured."))) fields.push_back(field);
    m_addAxis->setFields(fields);
    m_addAxis->choose(QString());
    m_pane->addControl(m_addAxis);
    m_axes = new QPushButton(tr("Axes"), m_pane);
    m_axes->setObjectName(QStringLiteral("runAxesMenu"));
    m_axes->setMenu(new QMenu(m_axes));
    m_pane->addControl(m_axes);
    m_picture = combo("runPicture", tr("Picture of the runs"));
    m_picture->addItems({tr("Along their fields"), tr("Pareto front"), tr("Forecast and measurement")});
    m_picture->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_picture->setMinimumContentsLength(0);  // never narrower than its text
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pane);

    connect(m_picture, &QComboBox::activated, this, &RunsPictures::showPicture);
    for (QComboBox* box : {m_paretoX, m_paretoY}) connect(box, &QComboBox::activated, this, &RunsPictures::showFront);
    connect(m_axes->menu(), &QMenu::aboutToShow, this, [this] { m_parallel->fillAxesMenu(*m_axes->menu()); });
    connect(m_addAxis, &FieldChooser::chosen, this, [this](const QString& key) {
        m_addAxis->choose(QString());
        const std::string field = key.toStdString();
        if (field.empty()) return;
        m_parallel->choose(axisName(field), true);
        if (std::find(m_fields.begin(), m_fields.end(), field) != m_fields.end()) return;
        m_fields.push_back(field);
        emit fieldsChanged();
    });
    connect(m_clear, &QPushButton::clicked, m_parallel, &ParallelPlot::clearBrushes);
    connect(m_parallel, &ParallelPlot::axesChanged, this, &RunsPictures::showTexts);
    connect(m_parallel, &ParallelPlot::chosen, this,
            [this](int line) { emit selected({idOf(static_cast<int>(m_order[static_cast<std::size_t>(line)]))}); });
    connect(m_parallel, &ParallelPlot::activated, this,
            [this](int line) { emit runWanted(m_data->rows[m_order[static_cast<std::size_t>(line)]].record.id); });
    connect(m_parallel, &ParallelPlot::brushed, this, &RunsPictures::takeRanges);
    connect(m_pareto, &ParetoPlot::chosen, this, [this](int row) { emit selected({idOf(row)}); });
    connect(m_pareto, &ParetoPlot::activated, this,
            [this](int row) { emit runWanted(m_data->rows[static_cast<std::size_t>(row)].record.id); });
    connect(m_front, &QPushButton::clicked, this, [this] {
        QStringList ids;
        for (const std::size_t row : m_pareto->front()) ids << idOf(static_cast<int>(row));
        emit selected(ids);
    });
    connect(m_forecasts, &TrialPlot::chosen, this, [this](int row) { emit selected({idOf(row)}); });
    connect(m_forecasts, &TrialPlot::activated, this,
            [this](int row) { emit runWanted(m_data->rows[static_cast<std::size_t>(row)].record.id); });
    showPicture();
}

QString RunsPictures::idOf(int row) const {
    return exactText(m_data->rows[static_cast<std::size_t>(row)].record.id.value);
}

// The runs within the ranges of the axes become the selection of the page.
void RunsPictures::takeRanges() {
    if (m_isSelecting || m_data == nullptr) return;
    const std::vector<bool> passing = m_parallel->passing();
    QStringList ids;
    for (std::size_t line = 0; line < passing.size(); ++line)
        if (passing[line]) ids << idOf(static_cast<int>(m_order[line]));
    m_isSelecting = true;  // the ranges stay
    m_parallel->setMarked({});
    emit selected(ids);
    m_isSelecting = false;
}

void RunsPictures::setData(const FieldsData& read, const std::vector<std::size_t>& cells, const std::string& measure,
                           const QSet<QString>& selected) {
    m_data = &read;
    m_cells = cells;
    m_measure = measure;
    m_selected = selected;
    showAxes();
    showFront();
    showForecasts();
    if (m_parallel->hasBrush())
        takeRanges();
    else
        setSelected(selected);
}

void RunsPictures::setPicture(const std::string& word) {
    const auto at = std::find(kPictures.begin(), kPictures.end(), word);
    if (at == kPictures.end()) return;
    m_picture->setCurrentIndex(static_cast<int>(at - kPictures.begin()));
    showPicture();
}

std::string RunsPictures::picture() const {
    return kPictures.at(static_cast<std::size_t>(m_picture->currentIndex()));
}

void RunsPictures::setFields(const std::vector<std::string>& fields) {
    if (!fields.empty()) m_fields = fields;
}

void RunsPictures::setMeasure(const std::string& measure) {
    m_measure = measure;
    if (m_data == nullptr) return;
    showAxes();
    showForecasts();
    if (!m_parallel->hasBrush()) setSelected(m_selected);
}

void RunsPictures::showPicture() {
    const int picture = m_picture->currentIndex();
    m_pictures->setCurrentIndex(picture);
    for (QWidget* control : std::initializer_list<QWidget*>{m_paretoX, m_paretoY, m_front})
        control->setVisible(picture == kFront);
    for (QWidget* control : std::initializer_list<QWidget*>{m_axes, m_addAxis}) control->setVisible(picture == kAxes);
    showTexts();
}

void RunsPictures::showTexts() {
    const int picture = m_picture->currentIndex();
    m_clear->setVisible(picture == kAxes && m_parallel->hasBrush());
    m_pane->setTitle(tr("Runs"));  // the picture's chooser shows its name
    // Beside the title is no space for fields without an axis.
    m_axesText->setVisible(picture == kAxes);
    m_axesText->setFullText(m_parallel->axesText());
    m_pane->setSideText(picture == kAxes ? QString()
                        : picture == kFront
                            ? tr("%n Pareto-optimal", nullptr, static_cast<int>(m_pareto->front().size()))
                            : m_errorText);
}

void RunsPictures::showAxes() {
    std::vector<ParallelAxis> axes = runAxes(*m_data, axisFields(), measuresOf(*m_data, m_measure));
    // The best run first: it is drawn on top. Failed runs and runs without the figure are below.
    m_order.resize(m_data->rows.size());
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    const std::vector<double>& figure = axes.back().values;
    const double sign = isLessBetter(m_measure) ? -1 : 1;
    std::stable_sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) {
        const auto rank = [&](std::size_t i) { return std::isfinite(figure[i]) ? sign * figure[i] : -INFINITY; };
        return rank(a) > rank(b);
    });
    for (ParallelAxis& axis : axes) {
        std::vector<double> sorted;
        sorted.reserve(m_order.size());
        for (const std::size_t row : m_order) sorted.push_back(axis.values[row]);
        axis.values = std::move(sorted);
    }
    QStringList names;
    std::vector<bool> failed;
    for (const std::size_t row : m_order) {
        const RunRecord& run = m_data->rows[row].record;
        names << (run.name.empty() ? qs(run.id.value) : qs(run.name));
        failed.push_back(hasFailed(run.status));
    }
    m_isSelecting = true;
    m_parallel->setAxes(std::move(axes), names, std::move(failed));
    if (const auto wanted = std::exchange(m_wantedRanges, {})) showRanges(*wanted);
    m_isSelecting = false;
    showTexts();
}

/// Sets these ranges on the axes of the picture and clears the other axes.
void RunsPictures::showRanges(const std::vector<ViewRange>& ranges) {
    m_parallel->clearBrushes();
    const auto fields = axisFields();
    const auto measures = measuresOf(*m_data, m_measure);
    const std::vector<ParallelAxis> axes = runAxes(*m_data, fields, measures);
    for (const ParallelPlot::Limit& limit : limitsOf(ranges, *m_data, fields, measures)) {
        const ParallelAxis& wanted = axes[limit.axis];
        if (wanted.steps.isEmpty() != limit.isScale) continue;  // few values then, many now, or the other way round
        for (int axis = 0; axis < m_parallel->numAxes(); ++axis) {
            if (m_parallel->axisName(axis) != wanted.name) continue;
            const auto shareOf = [&](double value) { return m_parallel->shareOf(axis, value); };
            constexpr double kWithFailed = 1.5 * ParallelPlot::kFailedShare;
            const double half = limit.isScale ? 0 : 0.5 / static_cast<double>(wanted.steps.size());
            if (limit.isScale)
                m_parallel->setBrush(
                    axis, std::pair(limit.takesFailed ? kWithFailed : shareOf(limit.low), shareOf(limit.high)));
            else if (!limit.steps.empty())
                m_parallel->setBrush(
                    axis, std::pair(shareOf(limit.steps.front()) - half, shareOf(limit.steps.back()) + half));
        }
    }
}

void RunsPictures::showFront() {
    if (m_data == nullptr) return;
    const std::string x = m_paretoX->currentData().toString().toStdString();
    const std::string y = m_paretoY->currentData().toString().toStdString();
    m_pareto->setPoints(paretoOf(*m_data, x, y));
    m_pareto->setBetter(!isLessBetter(x), !isLessBetter(y));
    m_pareto->setNames(m_paretoX->currentText(), m_paretoY->currentText());
    m_pareto->setFormats([x](double value) { return figureText(x, value); },
                         [y](double value) { return figureText(y, value); }, y.ends_with("_bytes"));
    m_pareto->setPassing(flagsOf(m_selected));
    showTexts();
}

void RunsPictures::showForecasts() {
    const std::string key = m_measure;
    std::vector<TrialPoint> pairs;
    std::vector<double> errors;
    for (std::size_t i = 0; i < m_data->rows.size(); ++i) {
        const RunRecord& run = m_data->rows[i].record;
        const auto forecast = figureOf(run, key, FieldValue::Forecast);
        const auto measured = figureOf(run, key, FieldValue::Measured);
        if (hasFailed(run.status) || !forecast || !measured || !std::isfinite(*forecast) || !std::isfinite(*measured))
            continue;
        pairs.push_back(
            {*forecast, *measured, run.name.empty() ? qs(run.id.value) : qs(run.name), static_cast<int>(i)});
        if (*measured != 0) errors.push_back(std::fabs(*forecast / *measured - 1));
    }
    const auto format = [key](double y) { return figureText(key, y); };
    const bool bytes = key.ends_with("_bytes");
    m_errorText = errors.empty()
                      ? columnTitle(key)
                      : tr("%1; median error %2").arg(columnTitle(key), percentText(median(std::move(errors))));
    m_forecasts->setPoints(std::move(pairs), {.name = tr("forecast"), .format = format, .isBytes = bytes},
                           {.name = tr("measured"), .format = format, .isBytes = bytes}, TrialPlot::Guide::Diagonal);
    showTexts();
}

std::vector<bool> RunsPictures::flagsOf(const QSet<QString>& ids) const {
    std::vector<bool> out;
    if (ids.isEmpty()) return out;
    for (const RunRow& row : m_data->rows) out.push_back(ids.contains(exactText(row.record.id.value)));
    return out;
}

void RunsPictures::setSelected(const QSet<QString>& ids) {
    m_selected = ids;
    if (m_data == nullptr) return;
    const std::vector<bool> byRow = flagsOf(ids);
    m_pareto->setPassing(byRow);
    std::vector<bool> byLine;
    if (!byRow.empty())
        for (const std::size_t row : m_order) byLine.push_back(byRow[row]);
    if (!m_isSelecting) {  // a selection made elsewhere replaces the ranges
        m_isSelecting = true;
        m_parallel->clearBrushes();
        m_parallel->setMarked(std::move(byLine));
        m_isSelecting = false;
    }
    showTexts();
}

std::vector<std::pair<std::string, std::size_t>> RunsPictures::axisFields() const {
    std::vector<std::pair<std::string, std::size_t>> fields;
    for (std::size_t i = 0; i < m_fields.size() && i < m_cells.size(); ++i)
        fields.emplace_back(m_fields[i], m_cells[i]);
    return fields;
}

std::optional<std::string> RunsPictures::rangesFilter() const {
    if (m_data == nullptr || !m_parallel->hasBrush()) return {};
    return rangesAsFilter(m_parallel->limits(), *m_data, axisFields(), measuresOf(*m_data, m_measure));
}

std::vector<ViewRange> RunsPictures::ranges() const {
    if (m_wantedRanges) return *m_wantedRanges;
    if (m_data == nullptr) return {};
    return rangesOf(m_parallel->limits(), *m_data, axisFields(), measuresOf(*m_data, m_measure));
}

}  // namespace slipway::gui
