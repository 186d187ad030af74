#include "app/gui/pages/tpu_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/answer_table.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/spec_form.h"
#include "core/planner/presets.h"

#include <nlohmann/json.hpp>

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

namespace slipway::gui {

TpuView::TpuView(QWidget* parent) : ToolView(parent) {
    m_input.parameters = 70e9;
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    m_form = new SpecForm(left);
    m_form->setObjectName(QStringLiteral("tpuForm"));
    m_form->addSection(QStringLiteral("pod"), tr("Pod"), {"chips", "pods", "axes", "edition"});
    m_form->addSection(QStringLiteral("work"), tr("Work"), {"batch", "ffn"});
    m_form->addSection(QStringLiteral("degrees"), tr("Degrees"), {"fsdp", "tp"});
    m_form->addSection(QStringLiteral("memory"), tr("Memory"), {"params", "bytes_per_parameter"});
    m_device = new QComboBox(left);
    m_device->setObjectName(QStringLiteral("tpuDevice"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(10);
    for (const ClusterSpec& preset : devicePresets())
        if (preset.device.kind == DeviceKind::Tpu) m_device->addItem(qs(preset.device.name));
    m_device->setCurrentIndex(std::max(0, m_device->findText(QStringLiteral("Google TPU v5p"))));
    m_form->addRow(QStringLiteral("pod"), tr("Device"), m_device, true);
    m_problem = new QLabel(left);
    m_problem->setObjectName(QStringLiteral("tpuProblem"));
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
    connect(m_form, &SpecForm::edited, this, &TpuView::edited);
    connect(m_device, &QComboBox::currentIndexChanged, this, &TpuView::compute);
    m_form->setFields(tpuFields(m_input));
    m_form->setReference(tpuFields(TpuInput{}));
    m_form->orderTabs();
    compute();
}

QWidget* TpuView::makeResults() {
    m_strip = new AnswerStrip(6, this);
    m_strip->setObjectName(QStringLiteral("tpuAnswers"));
    m_strip->setAskable();
    connect(m_strip, &AnswerStrip::asked, this, [this](int index, QWidget* cell) {
        if (index >= 0 && index < static_cast<int>(m_bases.size()))
            showFigureBasis(cell, m_bases[static_cast<std::size_t>(index)]);
    });
    m_editions = new AnswerTable(this);
    m_editions->setObjectName(QStringLiteral("editions"));
    m_editions->setAccessibleName(tr("Both editions"));
    auto* editions = new Pane(tr("Both editions"), m_editions, this);
    editions->setSideText(
        tr("the scaling book's limit of FSDP with tensor parallelism, as first printed and as later ones have it"));
    editions->setFlush(true);
    editions->setMinimumHeight(px(150));  // both, and the bar below them in a narrow window
    m_figures = new AnswerTable(this);
    m_figures->setObjectName(QStringLiteral("tpuFigures"));
    m_figures->setAccessibleName(tr("Figures"));
    auto* figures = new Pane(tr("Figures"), m_figures, this);
    figures->setFlush(true);
    auto* rows = splitter(Qt::Vertical, {editions, figures}, {22, 78});
    rows->setSizes({px(130), px(520)});
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

void TpuView::edited(const QString& path, const QString& text) {
    const auto next = withTpuField(m_input, path.toStdString(), text.toStdString());
    m_refused.clear();
    if (next)
        m_input = *next;
    else
        m_refused = {issueOf(Severity::Error, next.error().code, path.toStdString(), next.error().sentence())};
    m_form->setFields(tpuFields(m_input));
    compute();
}

void TpuView::compute() {
    Json json = Json::object();
    const ClusterSpec* device = findDevicePreset(m_device->currentText().toStdString());
    const auto view = device != nullptr ? tpuAnswer(m_input, *device, json)
                                        : Result<AnswerView>(fail("usage", "Choose a device."_text, "device"));
    Issues issues = m_refused;
    if (!view)
        issues.push_back(issueOf(Severity::Error, view.error().code, view.error().where, view.error().sentence()));
    m_form->setIssues(issues);
    m_problem->setText(issues.empty() ? QString() : wordJoined(issueText(issues.front())));
    m_problem->setVisible(!issues.empty());
    m_bases.clear();
    std::vector<Answer> answers;
    const auto text = [&](const char* key) { return view ? figureBasis(*view, json, key).value : unknownText(); };
    const auto add = [&](const char* key, const QString& title, const QString& below) {
        FigureBasis basis = view ? figureBasis(*view, json, key) : FigureBasis{};
        if (basis.title.isEmpty()) basis = {title, unknownText(), {}, {}};
        m_bases.push_back(basis);
        answers.push_back({title, basis.value, {}, below});
    };
    add("fsdp", tr("FSDP"),
        view ? tr("%n pod(s), tp %1", nullptr, json["pods"].get<int>()).arg(text("tp")) : QString());
    add("tokens_per_chip", tr("Tokens per chip"), view ? tr("%1 idle chips").arg(text("idle_chips")) : QString());
    add("fsdp_token_limit", tr("Limit of FSDP alone"), view ? text("fsdp_bound") : QString());
    add("mixed_token_limit", tr("Limit of FSDP with TP"), tr("tokens per chip"));
    add("peak_ceiling", tr("Ceiling of the peak"),
        view ? tr("communication / compute %1").arg(text("comm_over_compute")) : QString());
    add("chips_to_hold", tr("Chips to hold the model"), view ? text("state_bytes") : QString());
    m_strip->setAnswers(answers);
    m_figures->setFigures(view ? view->figures : std::vector<AnswerColumn>(), json);
    m_editions->setRows(view ? view->columns : std::vector<AnswerColumn>(), view ? json["rows"] : Json::array(),
                        "edition", std::string(wordOf(m_input.edition)));
    emit headerChanged();
}

QString TpuView::sideText() const {
    return m_device->currentText();
}

QString TpuView::tableText() const {
    return m_editions->tabSeparated() + QLatin1Char('\n') + m_figures->tabSeparated();
}

}  // namespace slipway::gui
