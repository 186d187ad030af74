#include "app/gui/pages/node_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "core/base/units.h"
#include "core/remote/ssh_messages.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

QString flopsText(const std::optional<double>& flops) {
    return flops ? NodeView::tr("%1 TFLOP/s").arg(qs(formatSignificant(*flops * 1e-12, 3))) : unknownText();
}

}  // namespace

NodeView::NodeView(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("nodeView"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(px(300));
    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    viewport()->setBackgroundRole(QPalette::Base);
    auto* all = new QVBoxLayout(content);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);

    auto* head = new QWidget(content);
    auto* top = new QVBoxLayout(head);
    top->setContentsMargins(px(16), px(10), px(16), px(12));
    top->setSpacing(px(8));
    auto* line = new QHBoxLayout;
    line->setSpacing(px(8));
    m_name = new ElidedLabel(head);
    m_name->setObjectName(QStringLiteral("nodeName"));
    m_name->setFont(fontOf(kTitleSize, true));
    m_icon = new QLabel(head);
    m_state = new QLabel(head);
    m_state->setObjectName(QStringLiteral("nodeState"));
    m_state->setFont(fontOf(1.0, true));
    line->addWidget(m_name);
    line->addWidget(m_icon);
    line->addWidget(m_state);
    line->addStretch(1);
    top->addLayout(line);
    m_sentence = new QLabel(head);
    m_sentence->setObjectName(QStringLiteral("nodeSentence"));
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    top->addWidget(m_sentence);
    m_progress = new QProgressBar(head);
    m_progress->setObjectName(QStringLiteral("nodeProgress"));
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setFixedHeight(px(5));
    m_progress->setTextVisible(false);
    top->addWidget(m_progress);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(px(8));
    m_accept = button(tr("Accept the key…"), "acceptKey");
    m_check = button(tr("Check"), "checkNode");
    m_setUp = button(tr("Set up"), "setUpNode");
    m_cancel = button(tr("Cancel"), "cancelNode");
    m_remove = button(tr("Remove"), "removeNode");
    for (QPushButton* one : {m_accept, m_check, m_setUp, m_cancel, m_remove}) buttons->addWidget(one);
    buttons->addStretch(1);
    top->addLayout(buttons);
    m_facts = new FactGrid(2, head);
    m_facts->setObjectName(QStringLiteral("nodeFacts"));
    top->addSpacing(px(2));
    top->addWidget(m_facts);
    all->addWidget(head);
    all->addWidget(edgeLine(Qt::Horizontal, content));

    m_steps = new StepList(content);
    m_steps->setObjectName(QStringLiteral("nodeSteps"));
    m_stepsPane = new Pane(tr("Check"), m_steps, content);
    all->addWidget(m_stepsPane);
    m_runs = new IssueList(content);
    m_runs->setObjectName(QStringLiteral("nodeRuns"));
    m_runs->setAccessibleName(tr("Runs here"));
    m_runsPane = new Pane(tr("Runs here"), m_runs, content);
    all->addWidget(edgeLine(Qt::Horizontal, content));
    all->addWidget(m_runsPane);
    all->addStretch(1);
    setWidget(content);

    connect(m_check, &QPushButton::clicked, this, &NodeView::checkWanted);
    connect(m_setUp, &QPushButton::clicked, this, &NodeView::setUpWanted);
    connect(m_cancel, &QPushButton::clicked, this, &NodeView::cancelWanted);
    connect(m_remove, &QPushButton::clicked, this, &NodeView::removeWanted);
    connect(m_accept, &QPushButton::clicked, this, &NodeView::askKey);
}

QPushButton* NodeView::button(const QString& text, const char* name) {
    auto* out = new QPushButton(text, this);
    out->setObjectName(QString::fromLatin1(name));
    out->setFixedHeight(lineHeight(24));
    return out;
}

void NodeView::askKey() {
    if (askConfirm(
            this, tr("Accept the host key"),
            tr("%1\n\nCompare it with the fingerprint that the node itself prints (ssh-keygen -lf on its host key), or ask its administrator. ssh keeps an accepted key in known_hosts.")
                .arg(qs(m_hostKey)),
            tr("The fingerprint agrees")))
        emit acceptWanted(qs(fingerprintIn(m_hostKey)));
}

void NodeView::showButtons(const NodeRow& row) {
    const NodeState state = stateOf(row);
    const bool isBusy = row.job != 0;
    m_accept->setVisible(!row.isLocal && !isBusy && state == NodeState::KeyUnknown && !row.report.hostKey.empty());
    m_check->setVisible(!row.isLocal && !isBusy);
    m_setUp->setVisible(!row.isLocal && !isBusy);
    m_setUp->setEnabled(state != NodeState::KeyChanged && state != NodeState::KeyUnknown);
    m_setUp->setToolTip(
        m_setUp->isEnabled()
            ? tr("Copies this computer's trainer and libtorch where they are missing. Doing it again does nothing that is done.")
            : tr("The host key comes first."));
    m_cancel->setVisible(isBusy);
    m_remove->setVisible(!row.isLocal && !isBusy);
    m_remove->setEnabled(row.runs.empty());
    m_remove->setToolTip(row.runs.empty() ? tr("Removes the node from this list; its files stay on it.")
                                          : tr("A run is on this node; its link would be lost."));
}

void NodeView::showFacts(const NodeRow& row, std::int64_t now) {
    const NodeFacts& facts = row.facts;
    const auto known = [](double bytes) { return bytes > 0 ? bytesText(bytes) : unknownText(); };
    const auto word = [](const std::string& text) { return text.empty() ? unknownText() : qs(text); };
    std::vector<std::pair<QString, QString>> list;
    if (!row.isLocal) list.emplace_back(tr("Address"), addressText(row.record));
    list.emplace_back(tr("Devices"), devicesText(facts));
    list.emplace_back(tr("Processor"), word(facts.cpu));
    list.emplace_back(tr("Memory"), known(facts.memoryBytes));
    if (row.isLocal) list.emplace_back(tr("Free memory"), known(row.availableMemoryBytes));
    list.emplace_back(tr("Free disk"), known(facts.freeDiskBytes));
    list.emplace_back(tr("Folder"), word(facts.home));
    list.emplace_back(tr("Trainer"), word(facts.trainerVersion));
    if (!row.isLocal) {
        list.emplace_back(tr("Agent"), word(facts.version));
        list.emplace_back(tr("Maximum ranks"),
                          row.record.numSlots > 0 ? QString::number(row.record.numSlots) : tr("even shares"));
        list.emplace_back(tr("Last sign"), ageText(row.heardUnixMilliseconds, now));
    } else if (row.measured) {
        list.emplace_back(tr("Peak, fp32, measured"), flopsText(row.measured->peakFp32Flops));
        list.emplace_back(tr("Peak, bf16, measured"), flopsText(row.measured->peakBf16Flops));
        list.emplace_back(tr("Link of ranks, measured"),
                          row.measured->link
                              ? tr("%1 GB/s").arg(qs(formatSignificant(row.measured->link->bytesPerSecond * 1e-9, 3)))
                              : unknownText());
    } else {
        list.emplace_back(tr("Peak, measured"), unknownText());
    }
    m_facts->setFacts(list);
}

void NodeView::setRow(const NodeRow& row, std::int64_t now) {
    const NodeState state = stateOf(row);
    m_hostKey = row.report.hostKey;
    m_name->setFullText(row.isLocal ? tr("This computer") : qs(row.record.name));
    m_icon->setPixmap(iconPixmap(stateIcon(state), stateColour(state), 12));
    m_state->setText(stateText(state));
    setInk(m_state, stateColour(state));
    const QString sentence = sentenceOf(row);
    m_sentence->setText(wordJoined(sentence));
    m_sentence->setVisible(!sentence.isEmpty());
    setInk(m_sentence, state == NodeState::KeyChanged ? theme().bad : theme().text2);
    const bool isSettingUp = state == NodeState::SettingUp;
    m_progress->setVisible(isSettingUp);
    constexpr int kParts = 1000;
    m_progress->setRange(0, row.setUp.share ? kParts : 0);
    m_progress->setValue(static_cast<int>(row.setUp.share.value_or(0) * kParts));
    showButtons(row);
    showFacts(row, now);
    m_stepsPane->setVisible(!row.isLocal && !row.report.steps.empty());
    m_steps->setRows(stepRows(row.report.steps, row.report.hostKey, state == NodeState::Checking));
    m_stepsPane->setSideText(
        row.report.done ? tr("%1, at %2").arg(stepCountText(row.report.steps), clockText(row.report.unixMilliseconds))
                        : stepCountText(row.report.steps));
    std::vector<IssueRow> runs;
    for (const ActiveRun& run : row.runs) {
        IssueRow line{run.link.isEmpty() ? Icon::Running : Icon::Lost,
                      run.link.isEmpty() ? theme().accent : theme().warn,
                      {},
                      tr("%1: step %2 of %3")
                          .arg(run.name, countText(static_cast<double>(run.lastStep)),
                               countText(static_cast<double>(run.numSteps))),
                      run.link,
                      tr("Open run")};
        line.follow = [this, id = run.id] { emit runWanted(id); };
        runs.push_back(std::move(line));
    }
    m_runs->setRows(runs, tr("No run is on this node now."));
}

}  // namespace slipway::gui
