#include "app/gui/pages/launch_sheet.h"

#include "app/gui/engine/machine_peak.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "core/run/readiness.h"

#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace slipway::gui {

LaunchSheet::LaunchSheet(Context& context, PlanDocument document, QWidget* parent)
    : QDialog(parent), m_context(context), m_document(std::move(document)), m_job(this) {
    setObjectName(QStringLiteral("launchSheet"));
    setWindowTitle(tr("Launch"));
    auto* title = new QLabel(tr("Start on this computer"), this);
    title->setFont(fontOf(kTitleSize, true));
    m_name = new QLineEdit(exactText(m_document.config.name), this);
    m_name->setObjectName(QStringLiteral("launchName"));
    m_tags = new QLineEdit(this);
    m_tags->setPlaceholderText(tr("separated by spaces"));
    auto* form = new QFormLayout;
    form->addRow(tr("Where"), new QLabel(tr("This computer, %n rank(s)", nullptr,
                                            static_cast<int>(m_document.config.parallel.worldSize())),
                                         this));
    form->addRow(tr("Name"), m_name);
    form->addRow(tr("Tags"), m_tags);
    m_answers = new AnswerStrip(3, this);
    m_state =
        quietLabel(tr("Checking this computer… The first check measures its peak, which takes up to a minute."), this);
    m_issues = new IssueList(this);
    m_issues->setObjectName(QStringLiteral("readiness"));
    m_issues->setAccessibleName(tr("Readiness"));
    auto* buttons = new QHBoxLayout;
    auto* cancel = new QPushButton(tr("Cancel"), this);
    m_launch = new QPushButton(tr("Launch"), this);
    m_launch->setObjectName(QStringLiteral("launchNow"));
    m_launch->setProperty("primary", true);
    m_launch->setEnabled(false);
    m_launch->setDefault(true);  // Enter in a field launches, once it may
    cancel->setAutoDefault(false);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_launch);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(title);
    layout->addLayout(form);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_answers);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_state);
    layout->addWidget(m_issues, 1);
    layout->addLayout(buttons);
    resize(px(560), px(560));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_launch, &QPushButton::clicked, this, &LaunchSheet::launch);
    check();
}

void LaunchSheet::check() {
    // Asks programs for their versions and looks at data, memory and disk: not for the main thread.
    m_job.start(
        [config = m_document.config, home = m_context.engine.home(),
         programs = m_context.engine.programs()](std::stop_token) {
            // The forecast needs the peak of this computer; without a trainer to measure it the figures stay unknown.
            (void)measuredPeak(home, programs);
            Facts facts{makePlan(config, thisMachine(home)), {}};
            facts.issues = checkReadiness(config, gatherReadiness(config, home, programs), facts.plan.memoryPeakBytes);
            return facts;
        },
        [this](const Facts& facts) { show(facts); });
}

void LaunchSheet::show(const Facts& facts) {
    const Theme& t = theme();
    m_cluster = facts.plan.cluster;
    const StepEstimate& s = facts.plan.step;
    m_answers->setAnswers(
        {{tr("Memory, worst rank"), bytesText(facts.plan.memoryPeakBytes), {}, tr("forecast for this computer")},
         {tr("Step time"),
          secondsText(s.stepSeconds),
          {},
          intervalText({s.stepSecondsLow, s.stepSecondsHigh}, s.label, secondsText)},
         {tr("Duration"),
          secondsText(facts.plan.cost.trainingSeconds),
          {},
          tr("%Ln step(s)", nullptr, static_cast<int>(facts.plan.config.train.numSteps))}});
    std::vector<IssueRow> rows;
    for (const Issue& issue : facts.issues) {
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
    const bool ready = !hasErrors(facts.issues);
    if (ready) rows.push_back({Icon::Good, t.ok, {}, tr("Programs, data, memory and disk are ready."), {}, {}});
    m_issues->setRows(rows);
    m_state->setText(ready ? tr("Ready") : tr("Not ready for these reasons."));
    m_launch->setEnabled(ready);
}

void LaunchSheet::launch() {
    if (!m_launch->isEnabled()) return;
    RunRequest request;
    request.config = m_document.config;
    request.config.name = m_name->text().trimmed().toStdString();
    request.cluster = m_cluster;
    for (const QString& tag : m_tags->text().split(' ', Qt::SkipEmptyParts)) request.tags.push_back(tag.toStdString());
    m_context.engine.launch(request);
    accept();
}

}  // namespace slipway::gui
