#include "app/gui/pages/keys_form.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"

#include <QGridLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace slipway::gui {

KeysForm::KeysForm(MenuActions& actions, QWidget* parent) : QWidget(parent), m_actions(actions) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(px(24));
    grid->setVerticalSpacing(px(4));
    grid->setColumnStretch(1, 1);
    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("keyProblem"));
    m_problem->setWordWrap(true);
    setInk(m_problem, theme().bad);
    int line = 0;
    for (const MenuActions::Key& key : m_actions.keys()) {
        auto* name = new QLabel(key.name, this);
        auto* edit = new QKeySequenceEdit(key.key, this);
        edit->setObjectName(QStringLiteral("key ") + key.usual.toString(QKeySequence::PortableText));
        edit->setAccessibleName(key.name);
        for (auto* field : edit->findChildren<QLineEdit*>()) field->setAccessibleName(key.name);  // it has the focus
        name->setBuddy(edit);
        auto* usual = linkButton(tr("Usual key"), this);
        usual->setAccessibleDescription(key.name);
        connect(edit, &QKeySequenceEdit::editingFinished, this, [this, key, edit] {
            // A key is a single stroke here: further strokes would make a chord.
            take(key, edit, edit->keySequence().isEmpty() ? QKeySequence() : QKeySequence(edit->keySequence()[0]));
        });
        connect(usual, &QPushButton::clicked, this, [this, key, edit] { take(key, edit, key.usual); });
        grid->addWidget(name, line, 0);
        grid->addWidget(edit, line, 1);
        grid->addWidget(usual, line++, 2);
    }
    grid->addWidget(m_problem, line, 0, 1, 3);
    m_problem->hide();
}

void KeysForm::take(const MenuActions::Key& row, QKeySequenceEdit* edit, const QKeySequence& key) {
    const QString other = m_actions.setKey(row.usual, key);
    m_problem->setText(wordJoined(
        tr("%1 is the key of \"%2\" already; choose another key.").arg(key.toString(QKeySequence::NativeText), other)));
    m_problem->setVisible(!other.isEmpty());
    const QSignalBlocker quiet(edit);
    for (const MenuActions::Key& now : m_actions.keys())
        if (now.usual == row.usual) edit->setKeySequence(now.key);
}

}  // namespace slipway::gui
