#include "app/gui/pages/where_form.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QRadioButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {

WhereForm::WhereForm(Context& context, std::optional<RunConfig> config, QStringList chosen, QWidget* parent)
    : QWidget(parent), m_context(context), m_config(std::move(config)), m_wanted(std::move(chosen)), m_job(this) {
    const int world = m_config ? static_cast<int>(m_config->parallel.worldSize()) : 0;
    m_here = new QRadioButton(m_config ? tr("This computer, %n rank(s)", nullptr, world) : tr("This computer"), this);
    m_here->setObjectName(QStringLiteral("launchHere"));
    m_there = new QRadioButton(m_config ? tr("Nodes over ssh, in the order of the ranks") : tr("Nodes over ssh"), this);
    m_there->setObjectName(QStringLiteral("launchThere"));
    m_here->setChecked(true);
    m_there->hide();
    m_list = new QWidget(this);
    m_list->hide();
    m_note = quietLabel({}, this, kSideSize);
    m_note->setObjectName(QStringLiteral("launchPlaces"));
    m_note->setWordWrap(true);
    m_note->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(px(6));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_here, m_there, m_list, m_note}) layout->addWidget(widget);
    connect(m_there, &QRadioButton::toggled, this, &WhereForm::showAll);
    connect(&context.engine.nodes(), &NodeJobs::reported, this, &WhereForm::takeReport);
    m_job.start(
        [home = context.engine.home()](std::stop_token) {
            Issues ignored;  // the Nodes page shows them
            return nodesOf(home, ignored);
        },
        [this](const std::vector<NodeRecord>& nodes) { take(nodes); });
}

WhereForm::~WhereForm() {
    for (const Line& line : m_lines)
        if (line.row.job != 0) m_context.engine.nodes().cancel(line.row.job);
}

void WhereForm::take(const std::vector<NodeRecord>& nodes) {
    if (nodes.empty()) return;
    m_there->show();
    auto* grid = new QGridLayout(m_list);
    grid->setContentsMargins(px(22), 0, 0, 0);
    grid->setHorizontalSpacing(px(8));
    grid->setVerticalSpacing(px(4));
    grid->setColumnStretch(3, 1);
    for (const NodeRecord& node : nodes) {
        Line line;
        line.row.record = node;
        line.box = new QCheckBox(qs(node.name), m_list);
        line.box->setObjectName(QStringLiteral("on-") + qs(node.name));
        line.box->setToolTip(addressText(node));
        line.icon = new QLabel(m_list);
        line.state = quietLabel({}, m_list);
        line.ranks = new QLabel(m_list);
        const int row = static_cast<int>(m_lines.size());
        grid->addWidget(line.box, row, 0);
        grid->addWidget(line.icon, row, 1);
        grid->addWidget(line.state, row, 2);
        grid->addWidget(line.ranks, row, 3);
        line.box->setChecked(m_wanted.contains(qs(node.name)));
        connect(line.box, &QCheckBox::toggled, this, &WhereForm::showAll);
        m_lines.push_back(std::move(line));
    }
    if (!m_wanted.isEmpty()) m_there->setChecked(true);
    const QWidget* focus = window()->focusWidget();
    if (m_there->isChecked() && (focus == nullptr || focus == m_here)) m_there->setFocus();
    showAll();
}

bool WhereForm::isLocal() const {
    return m_here->isChecked();
}

std::vector<const WhereForm::Line*> WhereForm::chosen() const {
    std::vector<const Line*> lines;
    for (const Line& line : m_lines)
        if (line.box->isChecked()) lines.push_back(&line);
    return lines;
}

Result<std::vector<LaunchNode>> WhereForm::places() const {
    if (isLocal()) return std::vector<LaunchNode>{};
    std::vector<NodeRecord> nodes;
    for (const Line* line : chosen()) nodes.push_back(line->row.record);
    if (nodes.empty()) return fail("no_nodes", tr("Choose at least one node.").toStdString());
    if (m_config) return shareRanks(*m_config, nodes);
    std::vector<LaunchNode> all(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) all[i].name = nodes[i].name;
    return all;
}

std::vector<std::string> WhereForm::nodes() const {
    std::vector<std::string> names;
    if (!isLocal())
        for (const Line* line : chosen()) names.push_back(line->row.record.name);
    return names;
}

Issues WhereForm::issues() const {
    Issues issues;
    if (isLocal()) return issues;
    if (const auto good = places(); !good)
        issues.push_back({Severity::Error, good.error().code, "nodes", good.error().message, good.error().source});
    const auto lines = chosen();
    const bool hasOthers = !m_config && std::any_of(lines.begin(), lines.end(),
                                                    [](const Line* line) { return canRun(stateOf(line->row)); });
    for (const Line* line : lines) {
        const NodeState state = stateOf(line->row);
        if (line->row.job != 0 || canRun(state)) continue;
        const std::string text = line->row.record.name + ": " + sentenceOf(line->row).toStdString();
        issues.push_back(
            {hasOthers ? Severity::Warning : Severity::Error, "node_not_ready", line->row.record.name, text, {}});
    }
    return issues;
}

bool WhereForm::isChecked() const {
    const auto lines = chosen();
    return isLocal() || std::all_of(lines.begin(), lines.end(), [](const Line* line) { return line->row.report.done; });
}

void WhereForm::takeReport(const NodeReport& report) {
    for (Line& line : m_lines) {
        if (line.row.job == 0 || line.row.job != report.job) continue;
        line.row.report = report;
        line.row.facts = report.facts;
        if (report.done) line.row.job = 0;
        showAll();
    }
}

void WhereForm::showAll() {
    m_list->setVisible(!isLocal());
    m_note->setVisible(!isLocal());
    const auto shared = places();
    std::int64_t rank = 0;
    std::size_t at = 0;
    for (Line& line : m_lines) {
        const bool isChosen = !isLocal() && line.box->isChecked();
        // A launch never prompts, so neither does the check before it.
        if (isChosen && line.row.job == 0 && !line.row.report.done)
            line.row.job = m_context.engine.nodes().check(line.row.record, {});
        const NodeState state = stateOf(line.row);
        line.icon->setVisible(isChosen);
        line.state->setVisible(isChosen);
        line.icon->setPixmap(iconPixmap(stateIcon(state), stateColour(state), 12));
        line.state->setText(canRun(state) ? stateText(state) + QStringLiteral(", ") + devicesText(line.row.facts)
                                          : stateText(state));
        QString ranks;
        if (isChosen && m_config && shared && at < shared->size()) {
            const std::int64_t left = m_config->parallel.worldSize() - rank;
            const std::int64_t number = (*shared)[at].numRanks > 0 ? (*shared)[at].numRanks : left;
            ranks = number == 1 ? tr("rank %1").arg(rank) : tr("ranks %1 – %2").arg(rank).arg(rank + number - 1);
            rank += number;
            ++at;
        }
        line.ranks->setText(ranks);
    }
    m_note->setText(wordJoined(
        !m_config
            ? tr("Small trials share the nodes; one with more ranks than a node has slots takes whole nodes. A trial whose node is out of reach continues on another.")
        : shared && chosen().size() > 1
            ? tr("Ranks fill the nodes from top to bottom; a tensor-parallel group stays on one node.")
            : tr("The config and the token file are copied; metrics, logs and the newest checkpoint come back as they grow.")));
    emit changed();
}

}  // namespace slipway::gui
