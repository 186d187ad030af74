#include "app/gui/pages/launch_sheet.h"

#include "app/gui/engine/machine_peak.h"
#include "app/gui/look/theme.h"
#include "app/gui/pages/where_form.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "core/planner/plan.h"
#include "core/planner/stack/chosen_stack.h"
#include "core/run/measured_nodes.h"
#include "core/run/readiness.h"

#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace slipway::gui {

LaunchSheet::LaunchSheet(Context& context, PlanDocument document, const QStringList& nodes, QWidget* parent)
    : QDialog(parent), m_context(context), m_document(std::move(document)), m_job(this) {
    setObjectName(QStringLiteral("launchSheet"));
    setWindowTitle(tr("Launch"));
    m_title = new QLabel(tr("Start on this computer"), this);
    m_title->setFont(fontOf(kTitleSize, true));
    m_where = new WhereForm(context, m_document.config, nodes, this);
    m_name = new QLineEdit(exactText(m_document.config.name), this);
    m_name->setObjectName(QStringLiteral("launchName"));
    m_tags = new QLineEdit(this);
    m_tags->setPlaceholderText(tr("separated by spaces"));
    auto* form = new QFormLayout;
    form->addRow(tr("Where"), m_where);
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Tags"), m_tags);
    m_answers = new AnswerStrip(3, this);
    m_state = quietLabel({}, this);
    m_state->setObjectName(QStringLiteral("launchState"));
    m_state->setWordWrap(true);
    m_issues = new IssueList(this);
    m_issues->setObjectName(QStringLiteral("readiness"));
    m_issues->setAccessibleName(tr("Readiness"));
    auto* buttons = new QHBoxLayout;
    auto* cancel = new QPushButton(tr("Cancel"), this);
    m_launch = new QPushButton(tr("Launch"), this);
    m_launch->setObjectName(QStringLiteral("launchNow"));
    m_launch->setProperty("primary", true);
    m_launch->setEnabled(false);
    m_launch->setDefault(true);  // Enter in a field launches, once possible
    cancel->setAutoDefault(false);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_launch);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(m_title);
    layout->addLayout(form);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_answers);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_state);
    layout->addWidget(m_issues, 1);
    layout->addLayout(buttons);
    resize(px(620), px(620));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_launch, &QPushButton::clicked, this, &LaunchSheet::launch);
    connect(m_where, &WhereForm::changed, this, [this] {
        if (m_where->isLocal() != m_wasLocal || m_where->nodes() != m_wereNodes) check();
        show();
    });
    check();
    show();
}

void LaunchSheet::check() {
    m_wasLocal = m_where->isLocal();
    m_wereNodes = m_where->nodes();
    m_facts.reset();
    // Runs programs for their versions and checks data, memory and disk: not on the main thread. With nodes that
    // were never measured, the forecast is for the hardware of the plan.
    m_job.start(
        [document = m_document, isLocal = m_wasLocal, nodes = m_wereNodes, home = m_context.engine.home(),
         programs = m_context.engine.programs()](std::stop_token) {
            // The forecast needs the peak of this computer; without a trainer to measure it the figures stay unknown.
            if (isLocal) (void)measuredPeak(home, programs);
            const RunConfig& config = document.config;
            auto measured = findMeasuredNodes(home, nodes);
            PlanDocument there = document;
            if (measured) there.cluster = std::move(measured->cluster);
            Facts facts{
                makePlan(config, isLocal ? thisMachine(home) : forecastCluster(there)), {}, measured.has_value()};
            facts.issues =
                checkReadiness(config, gatherReadiness(config, home, programs), facts.plan.memoryPeakBytes, !isLocal);
            if (const auto other = otherSoftwareNote(config, facts.plan.cluster))
                facts.issues.push_back(issueOf(Severity::Info, "other_software", "software", *other));
            return facts;
        },
        [this](Facts facts) {
            m_facts = std::move(facts);
            show();
        });
}

void LaunchSheet::show() {
    const Theme& t = theme();
    m_title->setText(m_where->isLocal() ? tr("Start on this computer") : tr("Start on nodes"));
    m_launch->setEnabled(false);
    if (!m_facts) {
        m_issues->setRows({});
        m_state->setText(
            m_where->isLocal()
                ? tr("Checking this computer… The first check measures its peak, which takes up to a minute.")
                : tr("Checking config, programs and data…"));
        return;
    }
    const Facts& facts = *m_facts;
    const StepEstimate& s = facts.plan.step;
    m_answers->setAnswers(
        {{tr("Memory, worst rank"),
          bytesText(facts.plan.memoryPeakBytes),
          {},
          m_where->isLocal() ? tr("forecast for this computer")
          : facts.isMeasured ? tr("forecast for these nodes, measured here")
                             : tr("forecast for the plan's hardware")},
         {tr("Step time"),
          secondsText(s.stepSeconds),
          {},
          s.stepSecondsHigh > 0 ? intervalText({s.stepSecondsLow, s.stepSecondsHigh}, s.label, secondsText)
                                : tr("peak unknown")},
         {tr("Duration"),
          secondsText(facts.plan.cost.trainingSeconds),
          {},
          tr("%Ln step(s)", nullptr, static_cast<int>(facts.plan.config.train.numSteps))}});
    std::vector<IssueRow> rows;
    Issues issues = facts.issues;
    for (Issue& issue : m_where->issues()) issues.push_back(std::move(issue));
    for (const Issue& issue : issues) {
        const bool error = issue.severity == Severity::Error;
        const bool warning = issue.severity == Severity::Warning;
        rows.push_back({error     ? Icon::Error
                        : warning ? Icon::Warning
                                  : Icon::Info,
                        error     ? t.bad
                        : warning ? t.warn
                                  : t.idle,
                        {},
                        issueText(issue),
                        shownLines(issue.message),
                        {}});
        if (issue.code != "data_missing") continue;
        rows.back().link = tr("New corpus…");
        rows.back().follow = [this] {
            reject();
            emit corpusWanted();
        };
    }
    const bool isChecked = m_where->isChecked();
    const bool ready = !hasErrors(issues) && isChecked;
    if (ready)
        rows.push_back({Icon::Good,
                        t.ok,
                        {},
                        m_where->isLocal()
                            ? tr("Programs, data, memory and disk are ready.")
                            : tr("Config and data are ready here; agent, trainer and disk on every node."),
                        {},
                        {}});
    m_issues->setRows(rows);
    m_state->setText(ready ? tr("Ready") : !isChecked ? tr("Checking the nodes…") : tr("Not ready for these reasons."));
    m_launch->setEnabled(ready);
}

void LaunchSheet::launch() {
    if (!m_launch->isEnabled()) return;
    auto places = m_where->places();
    if (!places) return;
    RunRequest request;
    request.nodes = std::move(*places);
    request.config = m_document.config;
    request.config.name = m_name->text().trimmed().toStdString();
    request.cluster = m_facts->plan.cluster;
    request.plan = std::make_shared<const Plan>(m_facts->plan);
    for (const QString& tag : m_tags->text().split(' ', Qt::SkipEmptyParts)) request.tags.push_back(tag.toStdString());
    m_context.engine.launch(request);
    accept();
}

}  // namespace slipway::gui
