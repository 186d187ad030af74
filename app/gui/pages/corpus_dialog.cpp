#include "app/gui/pages/corpus_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/pane.h"
#include "core/base/ids.h"
#include "core/base/units.h"

#include <QCheckBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace slipway::gui {

CorpusDialog::CorpusDialog(const Home& home, QWidget* parent) : QDialog(parent), m_home(home) {
    setObjectName(QStringLiteral("corpusDialog"));
    setWindowTitle(tr("New corpus"));
    auto* what = quietLabel(
        wordJoined(
            tr("A tokenizer learns its vocabulary from the text, then the text becomes a token file to train on.")),
        this);
    what->setWordWrap(true);
    m_chosen = quietLabel(tr("none chosen"), this);
    m_chosen->setTextFormat(Qt::PlainText);
    m_chosen->setWordWrap(true);
    auto* browse = new QPushButton(tr("Browse…"), this);
    browse->setObjectName(QStringLiteral("browseText"));
    browse->setAutoDefault(false);
    browse->setToolTip(tr("Text files: .txt, .jsonl (key \"text\"), each also as .gz or .dz."));
    auto* texts = new QHBoxLayout;
    texts->addWidget(m_chosen, 1);
    texts->addWidget(browse);
    m_name = new QLineEdit(this);
    m_name->setObjectName(QStringLiteral("corpusName"));
    m_vocabulary = new NumberEdit(this);
    m_vocabulary->setObjectName(QStringLiteral("corpusVocabulary"));
    m_vocabulary->configure(true, 512, 1000000, 1, NumberEdit::Steps::Doubling);
    m_vocabulary->setStored(static_cast<double>(CorpusSpec().vocabSize));
    m_bytes = new NumberEdit(this);
    m_bytes->setObjectName(QStringLiteral("corpusBytes"));
    m_bytes->configure(false, 0.01 * kMiB, 1e6 * kMiB, kMiB, NumberEdit::Steps::One);
    m_bytes->allowAbsent(tr("all"));
    m_bytes->setAbsent();
    m_use = new QCheckBox(tr("Use it in the plan"), this);
    m_use->setObjectName(QStringLiteral("useCorpus"));
    m_use->setChecked(true);
    m_state = quietLabel({}, this);
    m_state->setObjectName(QStringLiteral("corpusState"));
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    auto* form = new QFormLayout;
    const auto add = [&](const QString& label, QWidget* editor) {
        editor->setAccessibleName(label);
        form->addRow(label, editor);
    };
    form->addRow(tr("Text files"), texts);
    add(tr("Name"), m_name);
    add(tr("Entries of the vocabulary"), m_vocabulary);
    add(tr("Text to encode, MiB"), m_bytes);
    form->addRow(QString(), m_use);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setAutoDefault(false);
    m_make = new QPushButton(tr("Make the token file"), this);
    m_make->setObjectName(QStringLiteral("makeCorpus"));
    m_make->setProperty("primary", true);
    m_make->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_make);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addWidget(what);
    layout->addLayout(form);
    layout->addWidget(m_state);
    layout->addStretch(1);
    layout->addLayout(buttons);
    resize(px(520), px(340));
    connect(browse, &QPushButton::clicked, this, &CorpusDialog::browse);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_make, &QPushButton::clicked, this, &CorpusDialog::accept);
    connect(m_name, &QLineEdit::textChanged, this, &CorpusDialog::check);
    check();
}

void CorpusDialog::browse() {
    const QStringList files = askOpenFiles(this, tr("Text files"));
    if (files.isEmpty()) return;
    m_files = files;
    QStringList names;
    for (const QString& file : files) names << QFileInfo(file).fileName();
    m_chosen->setText(names.join(QStringLiteral(", ")));
    m_name->setText(qs(corpusNameOf(files.front().toStdString())));
    check();
}

// Shows missing inputs, and files that building it would replace.
void CorpusDialog::check() {
    const std::string name = m_name->text().trimmed().toStdString();
    const bool named = isSafeId(name);
    std::error_code code;
    m_state->setText(
        m_files.isEmpty() ? tr("Choose one or more text files.")
        : !named
            ? tr("The name may have up to 80 letters, digits, dots, underscores and dashes; it becomes a file name.")
        : std::filesystem::exists(m_home.tokenFile(name + ".tok"), code)
            ? tr("%1.tok exists already. If its text or vocabulary differs, it is replaced.").arg(qs(name))
            : QString());
    m_make->setEnabled(!m_files.isEmpty() && named);
}

void CorpusDialog::accept() {
    if (!m_make->isEnabled()) return;
    CorpusSpec spec;
    spec.name = m_name->text().trimmed().toStdString();
    for (const QString& file : m_files) spec.sources.push_back(file.toStdString());
    spec.vocabSize = m_vocabulary->storedText().toLongLong();
    spec.maxBytes = m_bytes->isAbsent() ? 0 : m_bytes->storedText().toLongLong();
    emit corpusWanted(spec, m_use->isChecked());
    QDialog::accept();
}

}  // namespace slipway::gui
