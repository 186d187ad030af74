#include "app/gui/pages/cost_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/answer_table.h"
#include "app/gui/widgets/curve_plot.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/spec_form.h"
#include "core/planner/presets.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

namespace slipway::gui {

CostView::CostView(std::function<std::shared_ptr<const Plan>()> plan, QWidget* parent)
    : ToolView(parent), m_plan(std::move(plan)) {
    m_input.parameters = 70e9;
    m_input.tokens = 1.4e12;
    m_input.devices = 512;
    m_input.mfu = 0.4;
    m_input.nodeMtbfDays = 264;
    m_input.checkpointSeconds = 60;
    m_input.restartSeconds = 600;
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    m_form = new SpecForm(left);
    m_form->setObjectName(QStringLiteral("costForm"));
    m_form->addSection(QStringLiteral("run"), tr("Run"), {"params", "tokens", "flops", "devices", "mfu", "precision"});
    m_form->addSection(QStringLiteral("money"), tr("Money"), {"price", "buy_price", "currency", "rate"});
    m_form->addSection(QStringLiteral("energy"), tr("Energy"), {"power", "pue", "carbon"});
    m_form->addSection(QStringLiteral("failures"), tr("Failures"),
                       {"node_mtbf_days", "checkpoint_seconds", "restart_seconds", "checkpoint_every"});
    m_of = new QComboBox(left);
    m_of->setObjectName(QStringLiteral("costOf"));
    m_of->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_of->setMinimumContentsLength(10);
    m_of->addItem(tr("The open plan"));
    m_of->addItem(tr("Typed figures"));
    m_device = new QComboBox(left);
    m_device->setObjectName(QStringLiteral("costDevice"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(10);
    for (const ClusterSpec& preset : devicePresets()) m_device->addItem(qs(preset.device.name));
    m_device->setCurrentIndex(std::max(0, m_device->findText(QStringLiteral("NVIDIA H100 SXM 80 GB"))));
    m_form->addRow(QStringLiteral("run"), tr("Cost of"), m_of, true);
    m_form->addRow(QStringLiteral("run"), tr("Device"), m_device, true);
    m_problem = new QLabel(left);
    m_problem->setObjectName(QStringLiteral("costProblem"));
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(px(16), px(8), px(16), px(8));
    setInk(m_problem, theme().bad);
    column->addWidget(m_form, 1);
    column->addWidget(m_problem);
    left->setFixedWidth(px(344));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(left);
    row->addWidget(edgeLine(Qt::Vertical, this));
    row->addWidget(makeResults(), 1);
    connect(m_form, &SpecForm::edited, this, &CostView::edited);
    connect(m_of, &QComboBox::currentIndexChanged, this, [this] {
        showFields();
        compute();
    });
    connect(m_device, &QComboBox::currentIndexChanged, this, &CostView::compute);
    showFields();
    m_form->orderTabs();
    compute();
}

QWidget* CostView::makeResults() {
    m_strip = new AnswerStrip(6, this);
    m_strip->setObjectName(QStringLiteral("costAnswers"));
    m_strip->setAskable();
    connect(m_strip, &AnswerStrip::asked, this, [this](int index, QWidget* cell) {
        if (index >= 0 && index < static_cast<int>(m_bases.size()))
            showFigureBasis(cell, m_bases[static_cast<std::size_t>(index)]);
    });
    m_figures = new AnswerTable(this);
    m_figures->setObjectName(QStringLiteral("costFigures"));
    m_figures->setAccessibleName(tr("Figures"));
    auto* figures = new Pane(tr("Figures"), m_figures, this);
    figures->setFlush(true);
    m_curve = new CurvePlot(this);
    m_curve->setObjectName(QStringLiteral("buyOrRent"));
    m_curvePane = new Pane(tr("Buy or rent"), m_curve, this);
    m_curvePane->setSideText(tr("one device; without power and hosting"));
    m_offers = new AnswerTable(this);
    m_offers->setObjectName(QStringLiteral("offers"));
    m_offers->setAccessibleName(tr("Offers"));
    auto* offers = new Pane(tr("Offers"), m_offers, this);
    offers->setSideText(tr("offers for this device, cheapest first"));
    offers->setFlush(true);
    auto* lower = splitter(Qt::Horizontal, {offers, m_curvePane}, {58, 42});
    lower->setSizes({px(580), px(420)});
    lower->setChildrenCollapsible(false);
    auto* rows = splitter(Qt::Vertical, {figures, lower}, {56, 44});
    rows->setSizes({px(400), px(300)});
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

bool CostView::isOfPlan() const {
    return m_of->currentIndex() == 0;
}

void CostView::showFields() {
    m_form->setFields(costFields(m_input, isOfPlan()));
    m_form->setReference(costFields(CostInput{}, isOfPlan()));
    m_device->setEnabled(!isOfPlan());
}

void CostView::edited(const QString& path, const QString& text) {
    const auto next = withCostField(m_input, path.toStdString(), text.toStdString());
    m_refused.clear();
    if (next)
        m_input = *next;
    else
        m_refused = {issueOf(Severity::Error, next.error().code, path.toStdString(), next.error().sentence())};
    showFields();
    compute();
}

Result<CostBasis> CostView::basis() const {
    if (isOfPlan()) {
        const auto plan = m_plan();
        if (!plan) return fail("no_forecast", "The open plan has no forecast yet."_text, "config");
        return costOfPlan(m_input, *plan);
    }
    const ClusterSpec* hardware = findDevicePreset(m_device->currentText().toStdString());
    if (hardware == nullptr) return fail("usage", "Choose a device."_text, "device");
    return costOfBudget(m_input, *hardware);
}

void CostView::planChanged() {
    if (isOfPlan()) compute();
}

void CostView::compute() {
    const auto found = basis();
    Issues issues = m_refused;
    if (!found)
        issues.push_back(issueOf(Severity::Error, found.error().code, found.error().where, found.error().sentence()));
    m_form->setIssues(issues);
    m_problem->setText(issues.empty() ? QString() : wordJoined(issueText(issues.front())));
    m_problem->setVisible(!issues.empty());
    Json json;
    const AnswerView view = found ? costAnswer(*found, json) : AnswerView{};
    m_bases.clear();
    std::vector<Answer> answers;
    const auto add = [&](const char* key, const QString& title, const QString& below) {
        FigureBasis basis = found ? figureBasis(view, json, key) : FigureBasis{};
        if (basis.title.isEmpty()) basis = {title, unknownText(), {}, {}};
        if (basis.value == notApplicableText()) basis.value = unknownText();
        m_bases.push_back(basis);
        answers.push_back({title, basis.value, {}, below});
    };
    const auto known = [&](const char* key) { return json.is_object() && json.contains(key) && !json[key].is_null(); };
    const auto text = [&](const char* key) { return figureBasis(view, json, key).value; };
    add("device_hours", tr("Device-hours"), found ? tr("%1 × %2").arg(text("devices"), text("device")) : QString());
    add("busy_seconds", tr("Training"),
        known("wall_seconds") ? tr("%1 with failures").arg(text("wall_seconds")) : QString());
    add("money", tr("Money"), found ? qs(found->priceSource) : QString());
    if (known("money"))
        answers.back().figure = m_bases.back().value =
            moneyText(json["money"].get<double>(), json["currency"].get<std::string>());
    add("energy_kwh", tr("Energy"), known("carbon_kg") ? text("carbon_kg") : tr("carbon needs g/kWh"));
    add("failures", tr("Failures expected"),
        known("mtbf_seconds") ? tr("one each %1").arg(text("mtbf_seconds")) : QString());
    add("break_even_hours", tr("Buying pays after"),
        known("break_even_hours") ? tr("of renting one device") : tr("needs a purchase price"));
    m_strip->setAnswers(answers);
    m_figures->setFigures(view.figures, json.is_object() ? json : Json::object());
    std::vector<AnswerColumn> columns = offerColumns();
    const Json offers = json.is_object() ? json["listed_prices"] : Json::array();
    if (!known("buy_price")) std::erase_if(columns, [](const AnswerColumn& c) { return c.key == "break_even_hours"; });
    m_offers->setRows(columns, offers);
    showCurve(found);
    emit headerChanged();
}

void CostView::showCurve(const Result<CostBasis>& basis) {
    Json json;
    const auto view = basis ? buyOrRentAnswer(*basis, json) : Result<AnswerView>(fail(basis.error()));
    std::vector<PlottedCurve> curves;
    std::vector<PlottedMark> marks;
    PlotAxis x, y;
    x.name = tr("Hours");
    x.format = [](double value) { return shortText(value); };
    y.format = x.format;
    if (view) {
        y.name = qs(json["currency"].get<std::string>());
        PlottedCurve rent{tr("Renting"), QStringLiteral("A"), {}}, buy{tr("Buying"), QStringLiteral("B"), {}};
        for (const Json& row : json["rows"]) {
            rent.points.emplace_back(row["hours"].get<double>(), row["rent"].get<double>());
            buy.points.emplace_back(row["hours"].get<double>(), row["buy"].get<double>());
        }
        marks.push_back({QPointF(json["break_even_hours"].get<double>(), json["buy"].get<double>()),
                         answerText(json["break_even_hours"], view->figures.front()), 0, false});
        curves = {rent, buy};
    }
    m_curve->setCurves(std::move(curves), std::move(marks), x, y, view ? QString() : errorText(view.error()));
}

QString CostView::sideText() const {
    const auto plan = m_plan();
    return isOfPlan() ? (plan ? qs(plan->config.name) : QString()) : m_device->currentText();
}

QString CostView::tableText() const {
    return m_figures->tabSeparated() + QLatin1Char('\n') + m_offers->tabSeparated();
}

}  // namespace slipway::gui
