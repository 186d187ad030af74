#include "app/gui/pages/lint_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/issue_list.h"
#include "app/gui/widgets/pane.h"
#include "core/interop/formats.h"
#include "core/planner/advice/lint.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTextBlock>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

constexpr int kPauseMilliseconds = 400;
constexpr qsizetype kMostCharacters = 1 << 20;  // enough for a script; rejects a log opened by mistake

QString formatTitle(const std::string& id) {
    for (const interop::Format& format : interop::formats())
        if (format.id == id) return messageText(format.title);
    if (id == "sweep") return LintView::tr("a sweep");
    return id == "facts" ? LintView::tr("facts of a script") : QStringLiteral("Slipway");
}

}  // namespace

LintView::LintView(std::function<PlanDocument()> basePlan, QWidget* parent)
    : ToolView(parent), m_basePlan(std::move(basePlan)) {
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    m_text = new QPlainTextEdit(body);
    m_text->setObjectName(QStringLiteral("lintText"));
    m_text->setAccessibleName(tr("Script"));
    m_text->setPlaceholderText(tr(
        "Drop a file here, or paste a Megatron launch line, a DeepSpeed JSON, a torchtitan TOML, a config or the facts of a script."));
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setTabChangesFocus(true);
    m_text->setAcceptDrops(true);
    m_text->installEventFilter(this);
    m_text->viewport()->installEventFilter(this);
    m_format = quietLabel({}, body, kSideSize);
    m_format->setObjectName(QStringLiteral("lintFormat"));
    m_format->setWordWrap(true);
    column->addWidget(m_text, 1);
    column->addWidget(m_format);
    auto* text = new Pane(tr("Script"), body, this);
    auto* open = linkButton(tr("Open file…"), text);
    open->setObjectName(QStringLiteral("lintOpen"));
    m_onHardware = new QCheckBox(tr("On the open plan's hardware"), text);
    m_onHardware->setObjectName(QStringLiteral("lintOnHardware"));
    m_onHardware->setToolTip(tr("Judges memory and peak too; as slipway lint --cluster."));
    text->addControl(m_onHardware);
    text->addControl(open);
    m_found = new IssueList(this);
    m_found->setObjectName(QStringLiteral("lintFound"));
    m_found->setAccessibleName(tr("Findings"));
    m_foundPane = new Pane(tr("Findings"), m_found, this);
    m_remarks = new IssueList(this);
    m_remarks->setObjectName(QStringLiteral("lintRemarks"));
    m_remarks->setAccessibleName(tr("Not taken over"));
    m_remarksPane = new Pane(tr("Not taken over"), m_remarks, this);
    m_remarksPane->setSideText(tr("settings of the file that a plan cannot express"));
    auto* right = splitter(Qt::Vertical, {m_foundPane, m_remarksPane}, {62, 38});
    right->setSizes({px(430), px(260)});
    right->setChildrenCollapsible(false);
    auto* both = splitter(Qt::Horizontal, {text, right}, {50, 50});
    both->setSizes({px(600), px(600)});
    both->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(both);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &LintView::evaluate);
    connect(m_text, &QPlainTextEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(m_onHardware, &QCheckBox::toggled, this, &LintView::evaluate);
    connect(open, &QPushButton::clicked, this, [this] {
        const QString file = askOpenFile(this, tr("Open a script"), tr("All files (*)"));
        if (!file.isEmpty()) this->open(file);
    });
    showAnswer();
}

bool LintView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove || event->type() == QEvent::Drop) {
        auto* drop = static_cast<QDropEvent*>(event);
        const QList<QUrl> urls = drop->mimeData()->urls();
        if (!urls.isEmpty() && urls.front().isLocalFile()) {
            drop->acceptProposedAction();
            if (event->type() == QEvent::Drop) open(urls.front().toLocalFile());
            return true;
        }
    }
    return ToolView::eventFilter(watched, event);
}

void LintView::open(const QString& file) {
    loadText(this, file, [this, file](const QString& text, const QString& problem) {
        if (!problem.isEmpty()) return emit said(problem);
        if (text.size() > kMostCharacters)
            return emit said(tr("%1 is larger than 1 MiB; a script is not.").arg(shown(file)));
        m_name = QFileInfo(file).fileName();
        m_text->setPlainText(text);
        m_pause.stop();
        evaluate();
    });
}

void LintView::evaluate() {
    const std::string text = m_text->toPlainText().toStdString();
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        m_name.clear();
        m_answer = LintAnswer{};
        return showAnswer();
    }
    std::optional<ClusterSpec> hardware;
    const std::string format = interop::guessFormat(text);
    const auto json = parseJson(text, "text");
    const bool isOwn = (format.empty() || format == "slipway") && json && isRunConfigDocument(*json);
    if (m_onHardware->isChecked() || isOwn) hardware = m_basePlan().cluster;
    m_answer = lintText(text, m_name.isEmpty() ? std::string("text") : m_name.toStdString(), hardware);
    showAnswer();
}

void LintView::showAnswer() {
    const std::string text = m_text->toPlainText().toStdString();
    const bool isEmpty = m_answer && m_answer->format.empty();
    std::vector<IssueRow> rows, remarks;
    int errors = 0, warnings = 0;
    if (!m_answer) {
        rows.push_back({Icon::Error,
                        theme().bad,
                        {},
                        tr("The text cannot be read: %1").arg(errorText(m_answer.error())),
                        qs(m_answer.error().where),
                        {},
                        {}});
    } else {
        for (const Issue& issue : m_answer->issues) {
            const bool isError = issue.severity == Severity::Error, isWarning = issue.severity == Severity::Warning;
            errors += isError;
            warnings += isWarning;
            const int line = LintAnswer::lineOf(text, issue);
            const char* evidence = evidenceOf(issue.code);
            IssueRow row{isError     ? Icon::Error
                         : isWarning ? Icon::Warning
                                     : Icon::Info,
                         isError     ? theme().bad
                         : isWarning ? theme().warn
                                     : theme().text2,
                         qs(issue.field),
                         QStringLiteral("%1 (%2)").arg(issueText(issue), qs(issue.code)),
                         evidence != nullptr ? tr("Seen in: %1").arg(qs(evidence)) : QString(),
                         line > 0 ? tr("Line %1").arg(line) : QString(),
                         {}};
            if (line > 0) row.follow = [this, line] { goTo(line); };
            rows.push_back(std::move(row));
        }
        for (const Message& remark : m_answer->remarks)
            remarks.push_back({Icon::Info, theme().text2, {}, messageText(remark), {}, {}, {}});
    }
    m_found->setRows(rows, isEmpty ? tr("Nothing to check yet.") : tr("No mistake found."));
    m_foundPane->setSideText(isEmpty || !m_answer ? QString()
                                                  : tr("%n error(s)", nullptr, errors) + QStringLiteral(", ") +
                                                        tr("%n warning(s)", nullptr, warnings));
    m_remarks->setRows(remarks, isEmpty ? QString() : tr("Everything in the file has its field."));
    m_remarksPane->setVisible(m_answer && m_answer->plan && m_answer->format != "slipway");
    m_format->setText(isEmpty || !m_answer ? QString() : tr("Read as: %1").arg(formatTitle(m_answer->format)));
    emit headerChanged();
}

void LintView::goTo(int line) {
    QTextCursor cursor(m_text->document()->findBlockByNumber(line - 1));
    cursor.select(QTextCursor::LineUnderCursor);
    m_text->setTextCursor(cursor);
    m_text->setFocus();
}

QString LintView::sideText() const {
    return m_name.isEmpty() ? tr("drop, open or paste it") : shown(m_name);
}

QString LintView::tableText() const {
    return m_answer && !m_answer->issues.empty() ? m_found->texts().join(QLatin1Char('\n')) + QLatin1Char('\n')
                                                 : QString();
}

void LintView::primary() {
    if (!canPrimary()) return;
    PlanDocument document = m_basePlan();
    document.config = *m_answer->plan;
    document.modelPreset.clear();
    emit planWanted(tr("Open %1 as a plan").arg(m_name.isEmpty() ? tr("the text") : shown(m_name)), document);
}

}  // namespace slipway::gui
