#include "app/gui/pages/playbook_figure.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/values/plan_document.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"
#include "core/base/units.h"
#include "core/playbook/plan_figures.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QSlider>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kTicks = 1000;
constexpr int kCurvePoints = 60;

/// The wheel scrolls the page unless the slider or the list has the focus.
class PatientSlider : public QSlider {
public:
    using QSlider::QSlider;

protected:
    void wheelEvent(QWheelEvent* event) override { hasFocus() ? QSlider::wheelEvent(event) : event->ignore(); }
};

class PatientList : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override { hasFocus() ? QComboBox::wheelEvent(event) : event->ignore(); }
};

double valueAt(const Slider& slider, bool isWhole, double share) {
    const double value = slider.isLogarithmic ? slider.low * std::pow(slider.high / slider.low, share)
                                              : slider.low + (slider.high - slider.low) * share;
    return isWhole ? std::round(value) : value;
}

/// Bytes a second as for links: in giga, as the short form of a count would end in a "B" of its own.
QString withUnit(double value, const QString& unit) {
    if (unit == QLatin1String("B/s")) return withUnit(value / 1e9, QStringLiteral("GB/s"));
    if (unit == QLatin1String("FLOP/s")) return qs(formatFlops(value));
    return unit.isEmpty() ? figureText(value) : figureText(value) + QChar(0x202f) + unit;
}

/// "1 2; 3 4" as rows, "1 2" as a list; a word that is no number stays one, which the model refuses.
Json numbersOf(const QString& text, bool isMatrix) {
    Json rows = Json::array();
    for (const QString& line : text.split(QLatin1Char(';'))) {
        Json row = Json::array();
        for (const QString& word : line.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            bool isNumber = false;
            const double value = QLocale::c().toDouble(word, &isNumber);
            row.push_back(isNumber ? Json(value) : Json(word.toStdString()));
        }
        rows.push_back(std::move(row));
    }
    return isMatrix ? rows : rows.front();
}

/// Rows of objects, or of more numbers than a line has room for.
bool isTable(const Json& value) {
    constexpr std::size_t kInALine = 8;
    if (!value.is_array() || value.empty()) return false;
    return value[0].is_object() || (value[0].is_array() && value.size() * value[0].size() > kInALine);
}

int tickOf(const Slider& slider, double value) {
    const double share = slider.isLogarithmic ? std::log(value / slider.low) / std::log(slider.high / slider.low)
                                              : (value - slider.low) / (slider.high - slider.low);
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kTicks));
}

}  // namespace

PlaybookFigure::PlaybookFigure(PlaybookController& controller, const FigureUse& use, QWidget* parent)
    : QWidget(parent), m_controller(controller), m_use(use), m_model(*findFigureModel(use.model)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    row->setSpacing(px(24));
    auto* left = new QVBoxLayout;
    left->setSpacing(px(4));
    for (const Slider& slider : use.sliders) addSlider(left, slider);
    for (const std::string& key : use.edits)
        for (const FigureInput& input : m_model.inputs)
            if (input.key == key) addEdit(left, input);
    left->addStretch(1);
    auto* right = new QVBoxLayout;
    right->setSpacing(px(4));
    auto* below = new QVBoxLayout;  // tables have the whole width
    below->setSpacing(px(4));
    m_curve = new FigureCurve(this);
    m_curve->setObjectName(QStringLiteral("figureCurve"));
    m_curve->setAccessibleName(says(use.title));
    right->addWidget(m_curve);
    for (const std::string& key : use.outputs)
        for (const FigureOutput& output : m_model.outputs)
            if (output.key == key) addOutput(right, below, output);
    m_problem = quietLabel({}, this);
    setInk(m_problem, theme().bad);
    m_problem->setWordWrap(true);
    right->addWidget(m_problem);
    right->addStretch(1);
    if (!m_sliders.empty() || !use.edits.empty()) row->addLayout(left, 2);
    row->addLayout(right, 3);
    layout->addLayout(row);
    layout->addLayout(below);
    const auto any = [&use](auto has) { return std::any_of(use.sliders.begin(), use.sliders.end(), has); };
    const bool isBound = any([](const Slider& slider) { return !slider.field.empty(); });
    if (isBound || any([](const Slider& slider) { return !slider.ofPlan.empty(); })) {
        auto* actions = new QHBoxLayout;
        auto* back = linkButton(tr("Back to the plan"), this);
        back->setObjectName(QStringLiteral("figureBack"));
        connect(back, &QPushButton::clicked, this, &PlaybookFigure::takePlan);
        if (isBound) {
            m_apply = new QPushButton(tr("Apply to plan"), this);
            m_apply->setObjectName(QStringLiteral("figureApply"));
            m_apply->setToolTip(tr("Applies the sliders to the open plan; Undo reverts it."));
            connect(m_apply, &QPushButton::clicked, this, &PlaybookFigure::applyToPlan);
            actions->addWidget(m_apply);
        }
        actions->addWidget(back);
        actions->addStretch(1);
        layout->addLayout(actions);
    }
    const auto free = std::find_if(m_sliders.begin(), m_sliders.end(),
                                   [](const Bound& bound) { return bound.slider->field.empty(); });
    m_along = free == m_sliders.end() ? 0 : static_cast<std::size_t>(free - m_sliders.begin());
    takePlan();
}

void PlaybookFigure::addSlider(QVBoxLayout* column, const Slider& slider) {
    Bound bound{&slider};
    for (const FigureInput& input : m_model.inputs)
        if (input.key == slider.input) bound.isWhole = input.kind == FigureInputKind::Whole;
    const LocalText name = m_controller.playbook()->label(slider.input);
    auto* head = new QHBoxLayout;
    auto* label = new QLabel(wordJoined(says(name)), this);
    label->setWordWrap(true);
    bound.value = new QLabel(this);
    bound.value->setFont(fontOf(1.0, true));
    bound.value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    head->addWidget(label, 1);
    head->addWidget(bound.value);
    column->addLayout(head);
    bound.edit = new PatientSlider(Qt::Horizontal, this);
    bound.edit->setFocusPolicy(Qt::StrongFocus);
    bound.edit->setObjectName(QStringLiteral("slider.") + qs(slider.input));
    bound.edit->setRange(0, kTicks);
    bound.edit->setPageStep(kTicks / 10);
    bound.edit->setMinimumHeight(px(24));
    bound.edit->setAccessibleName(says(name));
    if (!slider.field.empty()) bound.edit->setToolTip(tr("Field of the plan: %1").arg(fieldLabel(slider.field)));
    if (!slider.ofPlan.empty()) bound.edit->setToolTip(tr("Begins at the figure of the open plan."));
    label->setBuddy(bound.edit);
    column->addWidget(bound.edit);
    const std::size_t index = m_sliders.size();
    connect(bound.edit, &QSlider::valueChanged, this, [this, index] { moved(index); });
    m_sliders.push_back(bound);
}

void PlaybookFigure::addEdit(QVBoxLayout* column, const FigureInput& input) {
    const std::string key(input.key);
    const QString name = says(m_controller.playbook()->label(key));
    const auto chosen = parseJson(m_use.inputsJson, "inputs").value_or(Json::object());
    const Json first =
        chosen.contains(key) ? chosen[key] : parseJson(std::string(input.value), "value").value_or(nullptr);
    m_typed[key] = dumpJson(first, false);
    auto* label = quietLabel(wordJoined(name), this);
    column->addWidget(label);
    if (input.kind == FigureInputKind::Choice) {
        auto* list = new PatientList(this);
        for (const std::string& word : input.choices())
            list->addItem(wordText(word, *m_controller.playbook()), qs(word));
        list->setCurrentIndex(list->findData(qs(first.get<std::string>())));
        list->setObjectName(QStringLiteral("edit.") + qs(key));
        list->setAccessibleName(name);
        list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        list->setMinimumContentsLength(12);
        list->setFocusPolicy(Qt::StrongFocus);
        label->setBuddy(list);
        connect(list, &QComboBox::currentIndexChanged, this, [this, key, list] {
            m_typed[key] = dumpJson(Json(list->currentData().toString().toStdString()), false);
            compute();
        });
        return column->addWidget(list);
    }
    auto* line = new QLineEdit(valueText(first, *m_controller.playbook()).remove(QLatin1Char(',')), this);
    line->setObjectName(QStringLiteral("edit.") + qs(key));
    line->setAccessibleName(name);
    line->setToolTip(tr("Numbers with spaces between them; a semicolon begins the next row."));
    label->setBuddy(line);
    const bool isMatrix = input.kind == FigureInputKind::Matrix;
    connect(line, &QLineEdit::textChanged, this, [this, key, isMatrix](const QString& text) {
        m_typed[key] = dumpJson(numbersOf(text, isMatrix), false);
        compute();
    });
    column->addWidget(line);
}

void PlaybookFigure::addOutput(QVBoxLayout* column, QVBoxLayout* below, const FigureOutput& output) {
    auto* row = new QHBoxLayout;
    auto* label = quietLabel(wordJoined(says(m_controller.playbook()->label(output.key))), this);
    label->setWordWrap(true);
    Shown shown{std::string(output.key)};
    shown.value = new QLabel(this);
    shown.value->setObjectName(QStringLiteral("output.") + qs(output.key));
    shown.value->setFont(fontOf(1.0, true));
    shown.value->setWordWrap(true);
    shown.value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    shown.value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const auto values = computeFigure(m_model, parseJson(m_use.inputsJson, "inputs").value_or(Json::object()));
    if (values && isTable((*values)[shown.key])) {
        column = below;
        column->addWidget(label);
        shown.value->hide();
        shown.grid = new QGridLayout;
        shown.grid->setHorizontalSpacing(px(14));
        shown.grid->setVerticalSpacing(px(3));
        column->addLayout(shown.grid);
    } else {
        row->addWidget(label, 1);
        row->addWidget(shown.value, 1);
        column->addLayout(row);
    }
    shown.formula = quietLabel(qs(output.formula) + QLatin1Char('\n') + qs(output.source), this, kSideSize);
    shown.formula->setObjectName(QStringLiteral("formula.") + qs(output.key));
    shown.formula->setWordWrap(true);
    shown.formula->setContentsMargins(px(12), 0, 0, px(6));
    shown.formula->hide();
    column->addWidget(shown.formula);
    m_outputs.push_back(shown);
}

void PlaybookFigure::setFormulasShown(bool shown) {
    for (const Shown& output : m_outputs) output.formula->setVisible(shown);
}

void PlaybookFigure::takePlan() {
    const FieldInfos fields = documentFields(m_controller.plan().document());
    for (Bound& bound : m_sliders) {
        bound.ofPlan.reset();
        for (const FieldInfo& field : fields) {
            if (bound.slider->field.empty() || field.path != bound.slider->field) continue;
            bool isNumber = false;
            const double value = qs(field.defaultJson).toDouble(&isNumber);
            if (isNumber) bound.ofPlan = value;
        }
        if (!bound.slider->ofPlan.empty())
            bound.ofPlan = planFigure(bound.slider->ofPlan, m_controller.plan().document().config,
                                      m_controller.plan().document().cluster);
        bound.now = std::clamp(bound.ofPlan.value_or(bound.slider->value), bound.slider->low, bound.slider->high);
        const QSignalBlocker quiet(bound.edit);
        bound.edit->setValue(tickOf(*bound.slider, bound.now));
    }
    compute();
}

void PlaybookFigure::moved(std::size_t slider) {
    Bound& bound = m_sliders[slider];
    bound.now = valueAt(*bound.slider, bound.isWhole, bound.edit->value() / static_cast<double>(kTicks));
    m_along = slider;
    compute();
}

void PlaybookFigure::applyToPlan() {
    std::vector<std::pair<QString, QString>> edits;  // first: each edit makes a new plan and moves the sliders
    for (const Bound& bound : m_sliders)
        if (!bound.slider->field.empty() && bound.ofPlan != bound.now)
            edits.emplace_back(qs(bound.slider->field), QString::number(bound.now, 'g', 17));
    for (const auto& [field, text] : edits) m_controller.plan().edit(field, text);
    takePlan();
}

Json PlaybookFigure::inputs() const {
    auto out = parseJson(m_use.inputsJson, "inputs").value_or(Json::object());
    for (const auto& [key, json] : m_typed) out[key] = parseJson(json, key).value_or(nullptr);
    for (const Bound& bound : m_sliders) out[bound.slider->input] = bound.now;
    return out;
}

void PlaybookFigure::compute() {
    for (const Bound& bound : m_sliders) {
        const QString unit = says(m_controller.playbook()->unit(bound.slider->input));
        bound.value->setText(withUnit(bound.now, unit));
        bound.edit->setAccessibleDescription(bound.value->text());
    }
    const auto values = computeFigure(m_model, inputs());
    m_values = std::make_shared<const Json>(values ? *values : Json(nullptr));
    m_problem->setText(values ? QString() : errorText(values.error()));
    m_problem->setVisible(!values);
    for (Shown& output : m_outputs) {
        if (output.grid != nullptr) {
            showRows(output, values ? (*m_values)[output.key] : Json::array());
            continue;
        }
        const QString unit = says(m_controller.playbook()->unit(output.key));
        const QString value = values ? valueText((*m_values)[output.key], *m_controller.playbook()) : unknownText();
        output.value->setText(unit.isEmpty() || value == unknownText() ? value : value + QChar(0x202f) + unit);
    }
    if (m_apply)
        m_apply->setEnabled(std::any_of(m_sliders.begin(), m_sliders.end(), [](const Bound& bound) {
            return !bound.slider->field.empty() && bound.ofPlan != bound.now;
        }));
    showCurve();
}

// Objects have a head of their labels; lists are one line each. The labels stay while the number of rows does.
void PlaybookFigure::showRows(Shown& output, const Json& rows) {
    std::vector<std::pair<QString, bool>> texts;  // right-aligned where it is a number
    const bool hasHead = !rows.empty() && rows[0].is_object();
    const std::size_t columns = hasHead ? rows[0].size() : 1;
    if (hasHead)
        for (const auto& item : rows[0].items())
            texts.emplace_back(says(m_controller.playbook()->label(item.key())), item.value().is_number());
    for (const Json& row : rows)
        if (hasHead)
            for (const auto& item : row.items())
                texts.emplace_back(valueText(item.value(), *m_controller.playbook()), item.value().is_number());
        else
            texts.emplace_back(valueText(row, *m_controller.playbook()), false);
    if (output.cells.size() != texts.size()) {
        for (QLabel* cell : output.cells) delete cell;
        output.cells.clear();
        for (std::size_t i = 0; i < texts.size(); ++i) {
            auto* cell = new ReadingText({}, this);
            cell->setFont(fontOf(kSideSize));
            if (hasHead && i < columns) setInk(cell, theme().text2);
            output.grid->addWidget(cell, static_cast<int>(i / columns), static_cast<int>(i % columns), Qt::AlignTop);
            output.cells.push_back(cell);
        }
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        output.cells[i]->setText(wordJoined(texts[i].first));
        output.cells[i]->setAlignment(texts[i].second ? Qt::AlignRight : Qt::AlignLeft);
    }
}

FigureCurve::Curve PlaybookFigure::curveOf(const std::string& output) const {
    const Bound& along = m_sliders[m_along];
    Json at = inputs();
    FigureCurve::Curve curve;
    curve.isLogarithmic = along.slider->isLogarithmic;
    for (int i = 0; i <= kCurvePoints; ++i) {
        const double x = valueAt(*along.slider, along.isWhole, static_cast<double>(i) / kCurvePoints);
        if (!curve.points.empty() && curve.points.back().x() == x) continue;
        at[along.slider->input] = x;
        const auto values = computeFigure(m_model, at);
        if (values && (*values)[output].is_number()) curve.points.emplace_back(x, (*values)[output].get<double>());
    }
    std::erase_if(curve.points, [](const QPointF& point) { return !std::isfinite(point.y()); });
    curve.now = {along.now, (*m_values)[output].get<double>()};
    curve.planX = along.ofPlan;
    const QString unit = says(m_controller.playbook()->unit(output));
    curve.xTitle = says(m_controller.playbook()->label(along.slider->input));
    curve.yTitle =
        says(m_controller.playbook()->label(output)) + (unit.isEmpty() ? QString() : QStringLiteral(", ") + unit);
    return curve;
}

// Shows the first figure that depends on the slider, or the first of all if none does.
void PlaybookFigure::showCurve() {
    std::optional<FigureCurve::Curve> shown;
    for (const Shown& output : m_outputs) {
        if (m_sliders.empty() || !m_values->is_object() || !(*m_values)[output.key].is_number()) continue;
        FigureCurve::Curve curve = curveOf(output.key);
        const bool isFlat = std::all_of(curve.points.begin(), curve.points.end(), [&curve](const QPointF& point) {
            return point.y() == curve.points.front().y();
        });
        if (!shown || !isFlat) shown = std::move(curve);
        if (!isFlat) break;
    }
    m_curve->setVisible(shown.has_value());
    if (shown) m_curve->setCurve(std::move(*shown), figureText);
}

}  // namespace slipway::gui
