#include "app/gui/pages/ask_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"
#include "core/remote/keychain.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace slipway::gui {

AskDialog::AskDialog(NodeJobs& jobs, int job, const QString& node, const AskQuestion& question, QWidget* parent)
    : QDialog(parent), m_jobs(jobs), m_job(job), m_kind(question.kind) {
    setObjectName(QStringLiteral("askDialog"));
    setWindowTitle(tr("Question of ssh"));
    auto* title =
        new QLabel(wordJoined(m_kind == AskQuestion::Kind::Notice ? tr("ssh waits for you at %1").arg(node)
                                                                  : tr("Question of ssh on the way to %1").arg(node)),
                   this);
    title->setFont(fontOf(kTitleSize, true));
    title->setWordWrap(true);
    auto* text = new QLabel(shownLines(question.text), this);
    text->setObjectName(QStringLiteral("askText"));
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(title);
    layout->addWidget(text);
    if (m_kind == AskQuestion::Kind::Secret) {
        m_answer = new QLineEdit(this);
        m_answer->setObjectName(QStringLiteral("askAnswer"));
        m_answer->setAccessibleName(tr("Answer"));
        m_answer->setEchoMode(QLineEdit::Password);
        m_answer->setInputMethodHints(Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
        layout->addWidget(m_answer);
        if (isLastingSecret(question.text)) {
            m_remembers = new QCheckBox(tr("Remember it in the keychain of this computer"), this);
            m_remembers->setObjectName(QStringLiteral("askRemember"));
            m_remembers->setEnabled(!keychainProgram().empty());
            layout->addWidget(m_remembers);
        }
        const QString keeps =
            m_remembers == nullptr ? tr("The answer goes to ssh alone; Slipway keeps none of it.")
            : m_remembers->isEnabled()
                ? tr("The answer goes to ssh alone. With the keychain, launches and sweeps can log in without you; Slipway itself keeps nothing.")
                : tr("The answer goes to ssh alone; Slipway keeps none of it. The keychain needs the program secret-tool (Debian: libsecret-tools).");
        auto* note = quietLabel(wordJoined(keeps), this, kSideSize);
        note->setWordWrap(true);
        layout->addWidget(note);
    }
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    auto* no = new QPushButton(m_kind == AskQuestion::Kind::Confirm ? tr("No") : tr("Cancel"), this);
    no->setAutoDefault(false);
    connect(no, &QPushButton::clicked, this, &QDialog::reject);
    buttons->addWidget(no);
    if (m_kind != AskQuestion::Kind::Notice) {
        auto* yes = new QPushButton(m_kind == AskQuestion::Kind::Confirm ? tr("Yes") : tr("Answer"), this);
        yes->setObjectName(QStringLiteral("askYes"));
        yes->setProperty("primary", true);
        yes->setDefault(m_answer != nullptr);
        connect(yes, &QPushButton::clicked, this, &QDialog::accept);
        buttons->addWidget(yes);
    }
    layout->addStretch(1);
    layout->addLayout(buttons);
    resize(px(440), px(180));
    connect(&jobs, &NodeJobs::withdrawn, this, [this](int gone) {
        if (gone != m_job) return;
        m_isWithdrawn = true;
        reject();
    });
    connect(&jobs, &NodeJobs::reported, this, [this](const NodeReport& report) {
        if (report.job != m_job || !report.done) return;
        m_isWithdrawn = true;
        reject();
    });
}

void AskDialog::done(int result) {
    if (!m_isWithdrawn) {
        if (result == Accepted)
            m_jobs.answer(m_job, m_answer ? m_answer->text().toStdString() : "yes",
                          m_remembers && m_remembers->isChecked());
        else
            m_jobs.refuse(m_job);
    }
    if (m_answer) m_answer->clear();
    QDialog::done(result);
}

void askPerson(QWidget* over, NodeJobs& jobs, int job, const QString& node, const AskQuestion& question) {
    auto* dialog = new AskDialog(jobs, job, node, question, over);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace slipway::gui
