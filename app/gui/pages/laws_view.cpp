#include "app/gui/pages/laws_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/amount_edit.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/answer_table.h"
#include "app/gui/widgets/curve_plot.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/part_bars.h"
#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr int kCurvePoints = 61;

/// The laws with a loss, the chosen one first.
std::vector<OptimumRule> lawsWithLoss(OptimumRule chosen) {
    std::vector<OptimumRule> laws;
    for (const OptimumRule rule : {chosen, OptimumRule::Corrected, OptimumRule::Hoffmann, OptimumRule::Repeated})
        if (parametricLawOf(rule) != nullptr && std::find(laws.begin(), laws.end(), rule) == laws.end())
            laws.push_back(rule);
    return laws;
}

QString lawText(OptimumRule rule) {
    return messageText(ruleLabel(wordOf(rule)));
}

}  // namespace

LawsView::LawsView(std::function<PlanDocument()> basePlan, QWidget* parent)
    : ToolView(parent), m_basePlan(std::move(basePlan)) {
    m_question.flops = 1e23;
    m_question.uniqueTokens = 2e12;
    m_question.servedTokens = 2e12;
    m_question.numPoints = kCurvePoints;
    QWidget* form = nullptr;
    QVBoxLayout* column = makeForm(form, 300);
    makeQuestion(column);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(form);
    row->addWidget(edgeLine(Qt::Vertical, this));
    row->addWidget(makeResults(), 1);
    compute();
}

void LawsView::makeQuestion(QVBoxLayout* column) {
    QWidget* content = column->parentWidget();
    addHead(column, tr("Question"));
    const auto amount = [&](const char* name, const QString& label, const QString& unit, double low, double high,
                            std::optional<double>& to) {
        auto* edit = new AmountEdit(label, unit, low, high, content);
        edit->setObjectName(QString::fromLatin1(name));
        edit->setValue(*to);
        connect(edit, &AmountEdit::changed, this, [this, &to](double value) {
            to = value;
            compute();
        });
        column->addWidget(edit);
        return edit;
    };
    m_flops = amount("lawFlops", tr("Compute budget"), QStringLiteral("FLOP"), 1e18, 1e27, m_question.flops);
    m_unique = amount("lawUnique", tr("Different tokens"), tr("tokens"), 1e9, 1e14, m_question.uniqueTokens);
    m_served = amount("lawServed", tr("Tokens to serve"), tr("tokens"), 1e9, 1e15, m_question.servedTokens);
    addHead(column, tr("Law for the plan"));
    m_law = new QComboBox(content);
    m_law->setObjectName(QStringLiteral("law"));
    m_law->setAccessibleName(tr("Law for the plan"));
    for (const auto& name : enumNames(OptimumRule{})) m_law->addItem(messageText(name.label), qs(name.word));
    column->addWidget(m_law);
    m_lawNote = quietLabel({}, content, kSideSize);
    m_lawNote->setWordWrap(true);
    m_lawNote->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_lawNote);
    connect(m_law, &QComboBox::currentIndexChanged, this,
            [this] { chooseLaw(m_law->currentData().toString().toStdString()); });
    addHead(column, tr("Model to plan"));
    m_chosen = new QComboBox(content);
    m_chosen->setObjectName(QStringLiteral("chosenSize"));
    m_chosen->setAccessibleName(tr("Model to plan"));
    m_chosen->addItem(tr("Optimum of the law"));
    m_chosen->addItem(tr("Serving optimum"));
    connect(m_chosen, &QComboBox::currentIndexChanged, this, &LawsView::compute);
    column->addWidget(m_chosen);
    m_shape = new AnswerTable(content);
    m_shape->setObjectName(QStringLiteral("shape"));
    m_shape->setAccessibleName(tr("Shape of the model"));
    m_shape->setMinimumHeight(px(11 * 26));
    column->addWidget(m_shape);
    m_shapeNote = quietLabel({}, content, kSideSize);
    m_shapeNote->setObjectName(QStringLiteral("shapeNote"));
    m_shapeNote->setWordWrap(true);
    column->addWidget(m_shapeNote);
    column->addStretch(1);
}

QWidget* LawsView::makeResults() {
    m_strip = new AnswerStrip(6, this);
    m_strip->setObjectName(QStringLiteral("lawAnswers"));
    m_strip->setAskable();
    connect(m_strip, &AnswerStrip::asked, this, [this](int index, QWidget* cell) {
        if (index >= 0 && index < static_cast<int>(m_bases.size()))
            showFigureBasis(cell, m_bases[static_cast<std::size_t>(index)]);
    });
    m_valley = new CurvePlot(this);
    m_valley->setObjectName(QStringLiteral("valley"));
    m_valleyPane = new Pane(tr("Iso-FLOP valley"), m_valley, this);
    m_valleyPane->setSideText(tr("loss in nats per token; all models take the whole budget"));
    auto* serving = new QWidget(this);
    auto* column = new QVBoxLayout(serving);
    column->setContentsMargins(0, 0, 0, 0);
    m_bars = new PartBars(serving);
    m_bars->setObjectName(QStringLiteral("servingBars"));
    m_servingNote = quietLabel({}, serving, kSideSize);
    m_servingNote->setObjectName(QStringLiteral("servingNote"));
    m_servingNote->setWordWrap(true);
    column->addWidget(m_bars, 1);
    column->addWidget(m_servingNote);
    m_servingPane = new Pane(tr("Training and serving"), serving, this);
    m_laws = new AnswerTable(this);
    m_laws->setObjectName(QStringLiteral("laws"));
    m_laws->setAccessibleName(tr("Laws side by side"));
    auto* lawsPane = new Pane(tr("Laws side by side"), m_laws, this);
    lawsPane->setSideText(tr("losses of different laws are no ranking; n/a: the law gives no loss"));
    lawsPane->setFlush(true);
    auto* charts = splitter(Qt::Horizontal, {m_valleyPane, m_servingPane}, {61, 39});
    charts->setSizes({px(610), px(390)});
    charts->setChildrenCollapsible(false);
    auto* rows = splitter(Qt::Vertical, {charts, lawsPane}, {54, 46});
    rows->setSizes({px(370), px(330)});
    rows->setChildrenCollapsible(false);
    auto* results = new QWidget(this);
    auto* all = new QVBoxLayout(results);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_strip);
    all->addWidget(edgeLine(Qt::Horizontal, results));
    all->addWidget(rows, 1);
    return results;
}

void LawsView::chooseLaw(const std::string& word) {
    for (const auto& name : enumNames(OptimumRule{}))
        if (name.word == word) m_question.rule = name.value;
    compute();
}

void LawsView::compute() {
    const RuleFacts& facts = factsOf(m_question.rule);
    m_lawNote->setText(wordJoined(
        QStringList{qs(facts.formula), messageText(facts.note), tr("Source: %1").arg(qs(facts.source))}.join('\n')));
    showStrip();
    showValley();
    showServing();
    showLaws();
    showShape();
    emit headerChanged();
}

void LawsView::showStrip() {
    Json best, simple, serving, repeated;
    LawQuestion twenty = m_question;
    twenty.rule = OptimumRule::TwentyTokens;
    const auto view = optimumAnswer(m_question, best);
    const auto simpleView = optimumAnswer(twenty, simple);
    const auto servingView = servingAnswer(m_question, serving);
    const auto repeatedView = repeatedDataAnswer(m_question, repeated);
    m_bases.clear();
    std::vector<Answer> answers;
    const auto add = [&](const QString& label, const Result<AnswerView>& from, const Json& json, const char* key,
                         const QString& below) {
        const FigureBasis basis =
            from ? figureBasis(*from, json, key) : FigureBasis{label, notApplicableText(), {}, {}};
        m_bases.push_back(basis);
        answers.push_back({label, basis.value, {}, below});
    };
    const auto text = [](const Result<AnswerView>& from, const Json& json, const char* key) {
        return from ? figureBasis(*from, json, key).value : notApplicableText();
    };
    add(tr("Parameters"), view, best, "parameters", lawText(m_question.rule));
    add(tr("Tokens"), view, best, "tokens", tr("6ND / C: %1").arg(text(view, best, "spent_share")));
    add(tr("Tokens per parameter"), view, best, "tokens_per_parameter", {});
    add(tr("Loss"), view, best, "loss", tr("nats per token"));
    add(tr("Rule of 20 tokens"), simpleView, simple, "parameters",
        tr("%1 tokens").arg(text(simpleView, simple, "tokens")));
    add(tr("Serving optimum"), servingView, serving, "parameters",
        servingView ? tr("saves %1 of the compute").arg(text(servingView, serving, "saved_share")) : QString());
    m_strip->setAnswers(answers);
    m_unique->setNote(repeatedView
                          ? tr("Epochs: %1; loss %2, with fresh data %3 (Muennighoff)")
                                .arg(text(repeatedView, repeated, "epochs"), text(repeatedView, repeated, "loss"),
                                     text(repeatedView, repeated, "unlimited_loss"))
                          : errorText(repeatedView.error()));
}

void LawsView::showValley() {
    std::vector<PlottedCurve> curves;
    std::vector<PlottedMark> marks;
    Json serving;
    LawQuestion q = m_question;
    for (const OptimumRule rule : lawsWithLoss(m_question.rule)) {
        q.rule = rule;
        Json json;
        if (!isoFlopAnswer(q, json)) continue;
        PlottedCurve curve{lawText(rule), QString(QLatin1Char(static_cast<char>('A' + curves.size()))), {}};
        for (const Json& row : json["rows"])
            curve.points.emplace_back(row["parameters"].get<double>(), row["loss"].get<double>());
        const double parameters = json["parameters"].get<double>();
        marks.push_back({QPointF(parameters, json["loss"].get<double>()), shortText(parameters),
                         static_cast<int>(curves.size()), false});
        curves.push_back(std::move(curve));
    }
    if (servingAnswer(m_question, serving))
        marks.push_back({QPointF(serving["parameters"].get<double>(), serving["loss"].get<double>()),
                         tr("same loss, serving: %1").arg(shortText(serving["parameters"].get<double>())), 0, true});
    PlotAxis x, y;
    x.name = tr("Parameters");
    x.isLog = true;
    x.format = [](double value) { return shortText(value); };
    y.name = tr("Loss (nats per token)");
    y.format = [](double value) { return fixedText(value, 3); };
    m_valley->setCurves(std::move(curves), std::move(marks), x, y, tr("No law gives a loss for this budget."));
}

void LawsView::showServing() {
    Json json;
    const auto view = servingAnswer(m_question, json);
    std::vector<PartBar> bars;
    QString note;
    if (view) {
        const Json* best = nullptr;
        for (const Json& row : json["rows"])
            if (row["lifetime_times"].is_number() &&
                (best == nullptr || row["lifetime_times"] < (*best)["lifetime_times"]))
                best = &row;
        for (const Json& row : json["rows"])
            if (row["lifetime_flops"].is_number())
                bars.push_back({shortText(row["parameters"].get<double>()), row["training_flops"].get<double>(),
                                row["serving_flops"].get<double>(), fixedText(row["lifetime_times"].get<double>(), 2),
                                &row == best});
        for (const Json& row : json["rows"])
            if (note.isEmpty() && row["size_times"] == 0.5 && row["break_even_served_tokens"].is_number())
                note = tr("A model of half the size (%1) breaks even after %2 served tokens.")
                           .arg(shortText(row["parameters"].get<double>()),
                                shortText(row["break_even_served_tokens"].get<double>()));
        m_servingPane->setSideText(tr("at the loss of the optimum; its compute is 1"));
    } else {
        m_servingPane->setSideText({});
    }
    m_servingNote->setText(wordJoined(note));
    m_bars->setBars(std::move(bars), tr("Parameters"), tr("Training"), tr("Serving"),
                    view ? QString() : errorText(view.error()));
}

void LawsView::showLaws() {
    Json json;
    const auto view = rulesAnswer(m_question, json);
    if (view) m_laws->setRows(view->columns, json["rows"], "law", std::string(wordOf(m_question.rule)));
}

void LawsView::showShape() {
    m_size.reset();
    const auto size = chosenSize(m_question, static_cast<ChosenSize>(m_chosen->currentIndex()));
    Json json;
    LawQuestion q = m_question;
    if (size) q.parameters = size->parameters;
    const auto view = size ? shapeAnswer(q, json) : Result<AnswerView>(fail(size.error()));
    if (view) {
        m_size = *size;
        m_shape->setFigures(view->figures, json);
        // Formula and source are in the tool tip and behind Enter: the form is narrow.
        m_shape->hideColumn(2);
        m_shape->hideColumn(3);
        m_shapeNote->setText(wordJoined(tr("Opens a new plan. Nothing is started.")));
    } else {
        m_shape->setFigures({}, json);
        m_shapeNote->setText(wordJoined(errorText(view.error())));
    }
    setInk(m_shapeNote, view ? theme().text2 : theme().bad);
}

QString LawsView::title() const {
    return tr("How large a model for %1 FLOP?").arg(qs(formatSignificant(*m_question.flops, 3)));
}

QString LawsView::sideText() const {
    return tr("dense transformers, C = 6ND");
}

QString LawsView::tableText() const {
    return m_laws->tabSeparated();
}

void LawsView::primary() {
    if (!m_size) return;
    PlanDocument document = m_basePlan();
    const auto run = runOfSize(document.config, *m_size);
    if (!run) return emit said(errorText(run.error()));
    document.config = *run;
    document.modelPreset.clear();
    emit planWanted(tr("Plan a model of %1 parameters").arg(shortText(m_size->parameters)), document);
}

}  // namespace slipway::gui
