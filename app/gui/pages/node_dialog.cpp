#include "app/gui/pages/node_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/ask_dialog.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "core/base/clock.h"
#include "core/remote/ssh_config.h"
#include "core/remote/ssh_messages.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLineEdit>
#include <QProgressBar>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

bool isOk(const std::vector<NodeStep>& steps, const char* key) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const NodeStep& step) { return step.key == key && step.state == NodeStep::State::Ok; });
}

const std::vector<NodeStep>& noSteps() {
    static const std::vector<NodeStep> steps = [] {
        std::vector<NodeStep> made;
        for (const char* key :
             {"reach", "host_key", "login", "agent", "trainer", "devices", "disk", "clock", "interface"})
            made.push_back({key, NodeStep::State::NotReached, "", {}});
        return made;
    }();
    return steps;
}

/// Where sshd has the key of a kind: "ED25519 SHA256:..." is of ssh_host_ed25519_key.
std::string hostKeyFile(const std::string& hostKey) {
    std::string kind = hostKey.substr(0, hostKey.find(' '));
    for (char& c : kind)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return "/etc/ssh/ssh_host_" + kind + "_key.pub";
}

QLabel* wrapped(const QString& text, QWidget* parent) {
    QLabel* label = quietLabel(wordJoined(text), parent, kSideSize);
    label->setWordWrap(true);
    return label;
}

}  // namespace

NodeDialog::NodeDialog(Context& context, QWidget* parent) : QDialog(parent), m_context(context), m_job(this) {
    setObjectName(QStringLiteral("nodeDialog"));
    setWindowTitle(tr("Add a node"));
    auto* title = new QLabel(tr("Add a node"), this);
    title->setFont(fontOf(kTitleSize, true));
    title->setContentsMargins(px(16), px(12), px(16), px(10));
    auto* steps = new QWidget(this);
    auto* column = new QVBoxLayout(steps);
    column->setContentsMargins(px(16), px(12), px(16), px(12));
    column->setSpacing(px(10));
    m_problem = new QLabel(steps);
    m_problem->setObjectName(QStringLiteral("nodeProblem"));
    m_problem->setWordWrap(true);
    setInk(m_problem, theme().bad);
    column->addWidget(m_problem);
    m_steps = new StepList(steps);
    m_steps->setObjectName(QStringLiteral("dialogSteps"));
    column->addWidget(m_steps);
    column->addWidget(makeKey());
    m_progress = new QProgressBar(steps);
    m_progress->setObjectName(QStringLiteral("dialogProgress"));
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setFixedHeight(px(5));
    m_progress->setTextVisible(false);
    column->addWidget(m_progress);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(steps);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(scroll, 68);
    middle->addWidget(edgeLine(Qt::Vertical, this));
    middle->addWidget(makeSide(), 32);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(px(16), px(10), px(16), px(10));
    foot->setSpacing(px(8));
    m_verdict = quietLabel({}, this);
    m_verdict->setObjectName(QStringLiteral("dialogVerdict"));
    m_verdict->setWordWrap(true);
    foot->addWidget(m_verdict, 1);
    m_setUp = new QPushButton(tr("Set up"), this);
    m_setUp->setObjectName(QStringLiteral("dialogSetUp"));
    m_setUp->setToolTip(tr("Copies this computer's trainer and libtorch where they are missing."));
    m_check = new QPushButton(this);
    m_check->setObjectName(QStringLiteral("dialogCheck"));
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("dialogCancel"));
    m_add = new QPushButton(tr("Add node"), this);
    m_add->setObjectName(QStringLiteral("dialogAdd"));
    m_add->setProperty("primary", true);
    for (QPushButton* button : {m_setUp, m_check, cancel, m_add}) {
        button->setAutoDefault(false);
        foot->addWidget(button);
    }
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(title);
    all->addWidget(edgeLine(Qt::Horizontal, this));
    all->addWidget(makeForm());
    all->addWidget(edgeLine(Qt::Horizontal, this));
    all->addLayout(middle, 1);
    all->addWidget(edgeLine(Qt::Horizontal, this));
    all->addLayout(foot);
    resize(px(1000), px(680));

    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_check, &QPushButton::clicked, this, &NodeDialog::startCheck);
    connect(m_setUp, &QPushButton::clicked, this, &NodeDialog::startSetUp);
    connect(m_add, &QPushButton::clicked, this, [this] {
        if (!canAdd()) return;
        emit nodeWanted(record(), m_report);
        accept();
    });
    NodeJobs& jobs = context.engine.nodes();
    connect(&jobs, &NodeJobs::reported, this, &NodeDialog::takeReport);
    connect(&jobs, &NodeJobs::asked, this, [this](int job, const AskQuestion& question) {
        if (job == m_underway) askPerson(this, m_context.engine.nodes(), job, qs(record().name), question);
    });
    readHosts();
    showAll();
    m_host->setFocus();
}

QWidget* NodeDialog::makeForm() {
    auto* form = new QWidget(this);
    auto* line = new QHBoxLayout(form);
    line->setContentsMargins(px(16), px(8), px(16), px(8));
    line->setSpacing(px(8));
    const auto add = [&](const QString& label, QWidget* editor, const char* name, int width) {
        auto* text = quietLabel(label, form);
        text->setBuddy(editor);
        editor->setObjectName(QString::fromLatin1(name));
        editor->setAccessibleName(label);
        if (width > 0) editor->setMinimumWidth(px(width));
        line->addWidget(text);
        line->addWidget(editor, width);
        line->addSpacing(px(8));
    };
    m_host = new QComboBox(form);
    m_host->setEditable(true);
    m_host->setInsertPolicy(QComboBox::NoInsert);
    m_host->lineEdit()->setPlaceholderText(tr("a Host of ~/.ssh/config, or USER@NAME"));
    m_port = new QLineEdit(form);
    m_port->setPlaceholderText(tr("ssh's own"));
    m_port->setValidator(new QIntValidator(1, 65535, m_port));
    m_name = new QLineEdit(form);
    m_folder = new QLineEdit(form);
    m_folder->setPlaceholderText(QStringLiteral("~/.local/share/slipway-node"));
    add(tr("Host"), m_host, "dialogHost", 270);
    add(tr("Port"), m_port, "dialogPort", 64);
    add(tr("Name"), m_name, "dialogName", 90);
    add(tr("Folder on the node"), m_folder, "dialogFolder", 175);
    connect(m_host, &QComboBox::editTextChanged, this, &NodeDialog::edited);
    for (QLineEdit* edit : {m_port, m_name, m_folder})
        connect(edit, &QLineEdit::textChanged, this, &NodeDialog::edited);
    return form;
}

QWidget* NodeDialog::makeKey() {
    m_key = new QWidget(this);
    m_key->setAutoFillBackground(true);
    QPalette palette = m_key->palette();
    palette.setColor(QPalette::Window, theme().warnBackground);
    m_key->setPalette(palette);
    m_key->setBackgroundRole(QPalette::Window);
    auto* layout = new QVBoxLayout(m_key);
    layout->setContentsMargins(px(12), px(10), px(12), px(10));
    layout->setSpacing(px(6));
    auto* what = new QLabel(
        wordJoined(tr("New host key. Compare it with the one that the node itself prints, or ask its administrator:")),
        m_key);
    what->setWordWrap(true);
    m_fingerprint = new QLabel(m_key);
    m_fingerprint->setObjectName(QStringLiteral("fingerprint"));
    m_fingerprint->setTextFormat(Qt::PlainText);
    m_fingerprint->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));  // to be compared letter by letter
    m_fingerprint->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_fingerprint->setAccessibleName(tr("Fingerprint"));
    m_keyCommand = wrapped({}, m_key);
    m_keyCommand->setObjectName(QStringLiteral("keyCommand"));
    m_keyCommand->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_agrees = new QCheckBox(tr("The fingerprint agrees with the node's own"), m_key);
    m_agrees->setObjectName(QStringLiteral("fingerprintAgrees"));
    connect(m_agrees, &QCheckBox::toggled, this, &NodeDialog::showAll);
    for (QWidget* widget : std::initializer_list<QWidget*>{what, m_fingerprint, m_keyCommand, m_agrees})
        layout->addWidget(widget);
    return m_key;
}

QWidget* NodeDialog::makeSide() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(px(16), px(12), px(16), px(12));
    column->setSpacing(px(8));
    const auto heading = [&](const QString& text) {
        auto* label = new QLabel(text, side);
        label->setFont(fontOf(1.0, true));
        column->addWidget(label);
    };
    heading(tr("Known so far"));
    m_facts = new FactGrid(1, side);
    m_facts->setObjectName(QStringLiteral("dialogFacts"));
    column->addWidget(m_facts);
    column->addSpacing(px(8));
    heading(tr("Written on the node"));
    m_written = new FactGrid(1, side);
    column->addWidget(m_written);
    column->addSpacing(px(8));
    heading(tr("Command of this check"));
    auto* line = new QHBoxLayout;
    m_command = new ElidedLabel(side);
    m_command->setObjectName(QStringLiteral("dialogCommand"));
    auto* copy = linkButton(tr("Copy"), side);
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_command->fullText()); });
    line->addWidget(m_command, 1);
    line->addWidget(copy);
    column->addLayout(line);
    column->addSpacing(px(8));
    heading(tr("What Slipway does not do"));
    column->addWidget(wrapped(
        tr("It uses no root rights and installs no service. It keeps no password and no private key: your ssh does the login, and only the keychain of this computer stores a password, if you choose so. It opens no port to the outside. It accepts no host key that you have not confirmed, and a changed key stops everything on that node."),
        side));
    column->addStretch(1);
    return side;
}

void NodeDialog::readHosts() {
    m_job.start([](std::stop_token) { return hostsInSshConfig(sshFolder()); },
                [this](const std::vector<std::string>& hosts) {
                    const QSignalBlocker quiet(m_host);  // keeps the typed text and a check in progress
                    const QString typed = m_host->currentText();
                    m_host->clear();
                    for (const std::string& host : hosts) m_host->addItem(qs(host));
                    m_host->setCurrentIndex(-1);
                    m_host->setEditText(typed);
                });
}

NodeRecord NodeDialog::record() const {
    NodeRecord node;
    node.host = m_host->currentText().trimmed().toStdString();
    const std::string name = m_name->text().trimmed().toStdString();
    node.name = name.empty() ? nodeNameOf(node.host) : name;
    node.port = m_port->text().toLongLong();
    node.home = m_folder->text().trimmed().toStdString();
    node.addedUnixMilliseconds = unixMillisecondsNow();
    node.isInKeychain = m_isInKeychain;
    return node;
}

// Earlier findings belong to the earlier input.
void NodeDialog::edited() {
    if (m_underway != 0) m_context.engine.nodes().cancel(m_underway);
    m_underway = 0;
    m_report = {};
    m_setUpReport = {};
    m_accepted.clear();
    m_isInKeychain = false;
    m_agrees->setChecked(false);
    m_name->setPlaceholderText(qs(nodeNameOf(m_host->currentText().trimmed().toStdString())));
    showAll();
}

void NodeDialog::startCheck() {
    if (m_underway != 0) {
        m_context.engine.nodes().cancel(m_underway);
        m_underway = 0;
        return showAll();
    }
    if (!m_check->isEnabled()) return;
    // A later check has no key to accept: the accepted one stays.
    if (const std::string shown = fingerprintIn(m_report.hostKey); m_agrees->isChecked() && !shown.empty())
        m_accepted = shown;
    m_report = {};
    m_setUpReport = {};
    m_isSetUp = false;
    m_underway = m_context.engine.nodes().check(record(), {true, m_accepted});
    showAll();
}

void NodeDialog::startSetUp() {
    if (m_underway != 0 || !m_setUp->isEnabled()) return;
    m_isSetUp = true;
    m_setUpReport = {};
    m_underway = m_context.engine.nodes().setUp(record(), {true, {}});
    showAll();
}

void NodeDialog::takeReport(const NodeReport& report) {
    if (m_underway == 0 || report.job != m_underway) return;
    (report.isSetUp ? m_setUpReport : m_report) = report;
    m_isInKeychain = m_isInKeychain || report.isInKeychain;
    if (report.done) m_underway = 0;
    if (report.done && report.isSetUp && !report.error) return startCheck();
    showAll();
}

bool NodeDialog::canAdd() const {
    return m_underway == 0 && m_report.done && isOk(m_report.steps, "agent");
}

QString NodeDialog::verdict() const {
    if (record().host.empty()) return tr("Name the host. Nothing is sent before Check.");
    if (m_underway != 0) return m_isSetUp ? tr("Setting up. Cancel keeps the copied files.") : tr("Checking…");
    if (m_key->isVisibleTo(this)) return tr("Confirm the fingerprint to continue.");
    if (m_report.done && !m_report.steps.empty() && m_report.steps[1].code == "host_key_changed")
        return tr("The node cannot be added while its host key differs from the accepted one.");
    if (canAdd())
        return m_report.passed ? tr("All checks passed.") : tr("Warnings do not block; the node can be set up later.");
    return m_report.done ? tr("The node can be added once steps 1 to 4 pass.") : tr("Nothing is sent before Check.");
}

void NodeDialog::showFacts() {
    const NodeFacts& facts = m_report.facts;
    const auto word = [](const std::string& text) { return text.empty() ? unknownText() : qs(text); };
    const auto bytes = [](double value) { return value > 0 ? bytesText(value) : unknownText(); };
    m_facts->setFacts({{tr("Computer"), word(facts.host)},
                       {tr("Devices"), devicesText(facts)},
                       {tr("Processor"), word(facts.cpu)},
                       {tr("Memory"), bytes(facts.memoryBytes)},
                       {tr("Free disk"), bytes(facts.freeDiskBytes)},
                       {tr("Trainer"), word(facts.trainerVersion)},
                       {tr("Host key"), m_accepted.empty() ? unknownText() : qs(m_accepted)}});
    const bool hasAgent = isOk(m_report.steps, "agent");
    m_written->setFacts({{tr("Agent"), hasAgent ? QStringLiteral("~/.cache/slipway/agent/") : unknownText()},
                         {tr("Trainer"), facts.trainer.empty() ? unknownText() : qs(facts.trainer)},
                         {tr("Runs"), facts.home.empty() ? unknownText() : qs(facts.home) + QStringLiteral("/runs/")}});
    const NodeRecord node = record();
    SshOptions options;
    options.questions = SshQuestions::HostKey;
    const auto command = node.host.empty() || !checkNode(node) ? Result<ProcessSpec>(slipway::fail(Error{}))
                                                               : sshCommand(node, options, "true");
    QStringList words;
    if (command)
        for (const std::string& argument : command->arguments) words << shellWord(qs(argument));
    m_command->setFullText(words.isEmpty() ? unknownText() : words.join(QLatin1Char(' ')));
}

/// The set-up is the step of the trainer.
void NodeDialog::showSetUp(std::vector<StepRow>& rows) const {
    constexpr std::size_t kTrainer = 4;
    if (rows.size() <= kTrainer) return;
    StepRow& trainer = rows[kTrainer];
    trainer.icon = Icon::Running;
    trainer.colour = theme().accent;
    trainer.state = stateText(NodeState::SettingUp);
    trainer.isStrong = false;
    const QString progress = messageText(m_setUpReport.progress);
    trainer.text = progress.isEmpty() ? trainer.state : progress;
}

void NodeDialog::showAll() {
    const NodeRecord node = record();
    const auto good = checkNode(node);
    const bool isTyped = !node.host.empty();
    m_problem->setVisible(isTyped && (!good || m_report.error || m_setUpReport.error));
    m_problem->setText(!good                 ? errorText(good.error())
                       : m_setUpReport.error ? errorText(*m_setUpReport.error)
                       : m_report.error      ? errorText(*m_report.error)
                                             : QString());
    const bool isChecking = m_underway != 0 && !m_isSetUp;
    std::vector<StepRow> rows =
        stepRows(m_report.steps.empty() ? noSteps() : m_report.steps, m_report.hostKey, isChecking);
    if (m_isSetUp && m_underway != 0) showSetUp(rows);
    m_steps->setRows(rows);
    const bool isNewKey =
        m_report.done && !fingerprintIn(m_report.hostKey).empty() && m_report.steps[1].code == "host_key_unknown";
    m_key->setVisible(isNewKey && m_underway == 0);
    m_fingerprint->setText(qs(m_report.hostKey));
    m_keyCommand->setText(tr("On the node: %1").arg(qs("ssh-keygen -lf " + hostKeyFile(m_report.hostKey))));
    constexpr int kParts = 1000;
    m_progress->setVisible(m_isSetUp && m_underway != 0);
    m_progress->setRange(0, m_setUpReport.share ? kParts : 0);
    m_progress->setValue(static_cast<int>(m_setUpReport.share.value_or(0) * kParts));
    m_check->setText(m_underway != 0 ? tr("Stop")
                     : isNewKey      ? tr("Continue")
                     : m_report.done ? tr("Check again")
                                     : tr("Check"));
    m_check->setEnabled(m_underway != 0 || (isTyped && good && (!isNewKey || m_agrees->isChecked())));
    const bool canSetUp = m_underway == 0 && isOk(m_report.steps, "agent");
    m_setUp->setVisible(canSetUp && !isOk(m_report.steps, "trainer"));
    m_setUp->setEnabled(canSetUp);
    m_add->setEnabled(canAdd());
    (canAdd() ? m_add : m_check)->setDefault(true);  // Enter in a field takes the next step
    m_verdict->setText(wordJoined(verdict()));
    showFacts();
}

void NodeDialog::done(int result) {
    if (m_underway != 0) {
        m_context.engine.nodes().cancel(m_underway);
        m_underway = 0;
    }
    if (result != Accepted) {
        QStringList kept;
        if (!m_accepted.empty()) kept << tr("its host key in known_hosts");
        if (m_isInKeychain) kept << tr("its password in the keychain");
        if (isOk(m_report.steps, "agent")) kept << tr("the agent in ~/.cache/slipway there");
        if (m_setUpReport.job != 0) kept << tr("files copied to its folder");
        emit said(kept.isEmpty() ? tr("No node was added, and nothing was kept.")
                                 : tr("No node was added. Kept: %1.").arg(kept.join(QStringLiteral(", "))));
    }
    QDialog::done(result);
}

}  // namespace slipway::gui
