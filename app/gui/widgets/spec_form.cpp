#include "app/gui/widgets/spec_form.h"

#include "app/gui/look/icons.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/field_editor.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/typed_field.h"
#include "core/base/units.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <functional>

namespace slipway::gui {
namespace {

QString dottedName(const std::string& path) {
    return QStringLiteral("field.") + qs(path);
}

// Tool tip: one sentence, range, default, config key.
QString tipOf(const FieldInfo& info) {
    QString tip = messageText(info.help);
    const bool low = std::isfinite(info.minimum);
    const bool high = std::isfinite(info.maximum);
    const auto number = [](double v) { return qs(formatSignificant(v, 10)); };
    if (info.kind == FieldKind::Integer || info.kind == FieldKind::Real) {
        if (low && high)
            tip += '\n' + SpecForm::tr("Range: %1 to %2").arg(number(info.minimum), number(info.maximum));
        else if (low)
            tip += '\n' + SpecForm::tr("At least %1").arg(number(info.minimum));
    }
    return tip + '\n' + SpecForm::tr("Key: %1").arg(qs(info.path));
}

/// The label of a config's field, or the label from another question's table.
QString labelOf(const FieldInfo& info) {
    return hasFieldLabel(info.path) || info.label.empty() ? fieldLabel(info.path) : messageText(info.label);
}

}  // namespace

SpecForm::SpecForm(QWidget* parent) : QScrollArea(parent) {
    auto* content = new QWidget(this);
    content->setObjectName(QStringLiteral("formContent"));
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(px(8), px(8), px(14), px(16));
    m_layout->setSpacing(px(6));
    m_layout->addStretch(1);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setBackgroundRole(QPalette::Base);
    content->setBackgroundRole(QPalette::Base);
}

void SpecForm::addSection(const QString& id, const QString& title, const std::vector<std::string>& paths,
                          const std::vector<std::string>& compact, bool folded) {
    Section section{id, title, paths, compact};
    section.head = new QToolButton(this);
    section.head->setObjectName(QStringLiteral("section.") + id);
    section.head->setProperty("link", true);
    section.head->setText(title);
    section.head->setFont(fontOf(1.0, true));
    section.head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    section.head->setCheckable(true);
    section.head->setChecked(!folded);
    section.head->setIconSize({px(10), px(10)});
    section.result = quietLabel({}, this, kSideSize);
    section.body = new QWidget(this);
    section.rows = new QVBoxLayout(section.body);
    section.rows->setContentsMargins(0, 0, 0, px(4));
    section.rows->setSpacing(px(3));
    section.ownRows = new QVBoxLayout;
    section.ownRows->setSpacing(px(3));
    section.rows->addLayout(section.ownRows);
    section.body->setVisible(!folded);
    const auto showFold = [head = section.head] {
        head->setIcon(QIcon(iconPixmap(head->isChecked() ? Icon::ArrowDown : Icon::ArrowRight, theme().text2, 10)));
    };
    showFold();
    connect(section.head, &QToolButton::toggled, section.body, &QWidget::setVisible);
    connect(section.head, &QToolButton::toggled, this, showFold);
    auto* head = new QHBoxLayout;
    head->addWidget(section.head);
    head->addStretch(1);
    head->addWidget(section.result);
    m_layout->insertLayout(m_layout->count() - 1, head);
    m_layout->insertWidget(m_layout->count() - 1, section.body);
    m_sections.push_back(std::move(section));
}

void SpecForm::addFieldControl(const std::string& path, QWidget* control) {
    if (const auto found = m_rows.find(path); found != m_rows.end() && found->second.line)
        found->second.line->addWidget(control);
}

void SpecForm::addRow(const QString& sectionId, const QString& label, QWidget* editor, bool first) {
    for (Section& section : m_sections) {
        if (section.id != sectionId) continue;
        auto* row = new QHBoxLayout;
        row->setContentsMargins(px(10), 0, 0, 0);
        auto* name = new QLabel(label, this);
        name->setFixedWidth(px(120));
        name->setWordWrap(true);
        name->setBuddy(editor);
        editor->setAccessibleName(label);
        if (auto* box = qobject_cast<QComboBox*>(editor); box && box->lineEdit()) {
            box->lineEdit()->setAccessibleName(label);  // it has the focus
            box->lineEdit()->installEventFilter(this);
            box->installEventFilter(this);  // passes its line the events that the line's filter would not get
        }
        row->addWidget(name);
        row->addWidget(editor, 1);
        if (first)
            section.ownRows->addLayout(row);
        else
            section.rows->addLayout(row);
    }
}

void SpecForm::orderTabs() {
    QList<QWidget*> order;
    const std::function<void(QLayout*)> collect = [&](QLayout* layout) {
        for (int i = 0; i < layout->count(); ++i) {
            QLayoutItem* item = layout->itemAt(i);
            if (item->layout()) collect(item->layout());
            QWidget* widget = item->widget();
            if (!widget) continue;
            if (widget->focusPolicy() & Qt::TabFocus)
                order << widget;
            else if (widget->layout())
                collect(widget->layout());
        }
    };
    collect(m_layout);
    for (qsizetype i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

void SpecForm::setSectionResult(const QString& id, const QString& text) {
    for (Section& section : m_sections)
        if (section.id == id) section.result->setText(text);
}

QWidget* SpecForm::makeEditor(const FieldInfo& info) {
    QWidget* editor = makeFieldEditor(info, this);
    editor->setObjectName(dottedName(info.path));
    editor->setAccessibleName(labelOf(info));
    editor->setToolTip(tipOf(info));
    editor->installEventFilter(this);
    onFieldEdited(
        editor, this, [this, path = info.path](const QString& text) { emit typed(qs(path), text); },
        [this, path = info.path](const QString& text) {
            if (!m_filling) emit edited(qs(path), text);
        });
    return editor;
}

void SpecForm::makeRow(Section& section, const FieldInfo& info, QGridLayout* grid, int column) {
    Row row;
    row.info = info;
    row.section = section.id;
    row.editor = makeEditor(info);
    row.dot = new QLabel(this);
    row.dot->setFixedWidth(px(6));
    setInk(row.dot, theme().accent);
    row.issue = new QLabel(this);
    row.issue->setWordWrap(true);
    row.issue->setFont(fontOf(kSideSize));
    setInk(row.issue, theme().bad);
    row.issue->hide();
    if (grid) {
        row.label = quietLabel(qs(info.key), this, kSideSize);
        row.label->setToolTip(tipOf(info));
        row.label->setBuddy(row.editor);
        row.editor->setMinimumWidth(px(48));
        row.editor->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        auto* cell = new QHBoxLayout;
        cell->setSpacing(px(2));
        cell->addWidget(row.label);
        cell->addWidget(row.dot);
        cell->addStretch(1);
        grid->addLayout(cell, 0, column);
        grid->addWidget(row.editor, 1, column);
        grid->addWidget(row.issue, 2 + column, 0, 1, 5);
    } else {
        row.holder = new QWidget(this);
        auto* column2 = new QVBoxLayout(row.holder);
        column2->setContentsMargins(0, 0, 0, 0);
        column2->setSpacing(px(2));
        auto* line = row.line = new QHBoxLayout;
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(px(4));
        row.label = new QLabel(wordJoined(labelOf(info)), row.holder);
        row.label->setFixedWidth(px(120));
        row.label->setWordWrap(true);
        row.label->setToolTip(tipOf(info));
        row.label->setBuddy(row.editor);
        line->addWidget(row.dot);
        line->addWidget(row.label);
        row.editor->setParent(row.holder);
        const bool small = qobject_cast<NumberEdit*>(row.editor) != nullptr;
        if (small) row.editor->setFixedWidth(px(92));
        line->addWidget(row.editor, small || info.kind == FieldKind::Bool ? 0 : 1);
        const QString unit = messageText(shownUnitName(info));
        if (small) line->addWidget(quietLabel(unit, row.holder, kSideSize));
        if (small || info.kind == FieldKind::Bool) line->addStretch(1);
        column2->addLayout(line);
        row.issue->setParent(row.holder);
        row.issue->setContentsMargins(px(18), 0, 0, 0);
        column2->addWidget(row.issue);
        section.rows->addWidget(row.holder);
    }
    row.label->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(
        row.label, &QLabel::customContextMenuRequested, this,
        [this, path = info.path, label = row.label](const QPoint& at) { openRowMenu(path, label->mapToGlobal(at)); });
    m_rows.emplace(info.path, std::move(row));
}

void SpecForm::setFields(const FieldInfos& fields) {
    m_filling = true;
    for (const FieldInfo& info : fields) {
        auto found = m_rows.find(info.path);
        if (found == m_rows.end()) continue;
        found->second.info = info;
    }
    for (Section& section : m_sections) {
        QGridLayout* grid = nullptr;
        int column = 0;
        for (const auto* paths : {&section.compact, &section.paths})
            for (const std::string& path : *paths) {
                if (m_rows.count(path)) continue;
                for (const FieldInfo& info : fields) {
                    if (info.path != path) continue;
                    const bool compact = paths == &section.compact;
                    if (compact && !grid) {
                        grid = new QGridLayout;
                        grid->setContentsMargins(px(10), 0, 0, px(4));
                        grid->setHorizontalSpacing(px(8));
                        grid->setVerticalSpacing(px(1));
                        section.rows->addLayout(grid);
                    }
                    makeRow(section, info, compact ? grid : nullptr, column++);
                }
            }
    }
    for (auto& [path, row] : m_rows) {
        showValue(row);
        showDot(row);
    }
    m_filling = false;
    setSearch(m_search);
}

void SpecForm::showValue(Row& row) {
    showFieldValue(row.editor, row.info);
    row.editor->setEnabled(row.info.applies);
}

void SpecForm::setReference(const FieldInfos& fields) {
    for (const FieldInfo& info : fields) {
        auto found = m_rows.find(info.path);
        if (found == m_rows.end()) continue;
        found->second.reference = info.defaultJson;
        showDot(found->second);
    }
}

void SpecForm::showDot(Row& row) {
    const bool differs = !row.reference.empty() && row.reference != row.info.defaultJson && row.info.applies;
    row.dot->setText(differs ? QStringLiteral("•") : QString());
    row.dot->setToolTip(differs ? tr("Differs from the preset: %1").arg(qs(row.reference)) : QString());
}

void SpecForm::openRowMenu(const std::string& path, const QPoint& at) {
    const Row& row = m_rows.at(path);
    QMenu menu(this);
    if (!row.reference.empty() && row.reference != row.info.defaultJson) {
        QString text = exactText(row.reference);
        if (text.startsWith('"') && text.endsWith('"')) text = text.mid(1, text.size() - 2);
        menu.addAction(tr("Back to %1").arg(shown(text)), this, [this, path, text] {
            emit edited(qs(path), text == QStringLiteral("null") ? QString() : text);
        });
    }
    menu.addAction(tr("Help on this field") + QStringLiteral("\tF1"), this,
                   [this, path] { emit helpWanted(qs(path)); });
    menu.exec(at);
}

void SpecForm::showIssues(Row& row, const Issues& issues) {
    QStringList lines;
    bool error = false;
    for (const Issue& issue : issues) {
        if (issue.field != row.info.path || issue.severity == Severity::Info) continue;
        if (issue.severity == Severity::Error) error = true;
        lines << wordJoined(withFormWords(issueText(issue)));
    }
    if (!error) lines.clear();  // warnings are shown in Checks, they never block
    row.issue->setText(lines.join('\n'));
    row.issue->setVisible(!lines.isEmpty());
    if (row.editor->property("invalid").toBool() != error) {
        row.editor->setProperty("invalid", error);
        row.editor->update();
    }
}

void SpecForm::setIssues(const Issues& issues) {
    for (auto& [path, row] : m_rows) showIssues(row, issues);
}

void SpecForm::setFieldIssues(const std::string& path, const Issues& issues) {
    if (const auto found = m_rows.find(path); found != m_rows.end()) showIssues(found->second, issues);
}

void SpecForm::takeTyped() {
    for (auto& [path, row] : m_rows)
        if (TypedField* typed = TypedField::of(row.editor)) typed->take();
}

void SpecForm::focusField(const std::string& path) {
    const auto found = m_rows.find(path);
    if (found == m_rows.end()) return;
    for (Section& section : m_sections)
        if (section.id == found->second.section) section.head->setChecked(true);
    ensureWidgetVisible(found->second.editor);
    found->second.editor->setFocus(Qt::OtherFocusReason);
}

void SpecForm::setSearch(const QString& text) {
    m_search = text;
    for (auto& [path, row] : m_rows) {
        if (!row.holder) continue;
        const bool matches = text.isEmpty() || qs(path).contains(text, Qt::CaseInsensitive) ||
                             labelOf(row.info).contains(text, Qt::CaseInsensitive);
        row.holder->setVisible(row.info.applies && matches);
    }
    if (text.isEmpty()) return;
    for (Section& section : m_sections) section.head->setChecked(true);
}

QWidget* SpecForm::editor(const std::string& path) const {
    const auto found = m_rows.find(path);
    return found == m_rows.end() ? nullptr : found->second.editor;
}

QString SpecForm::issueShownAt(const std::string& path) const {
    const auto found = m_rows.find(path);
    return found == m_rows.end() || found->second.issue->isHidden() ? QString() : found->second.issue->text();
}

bool SpecForm::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F1) {
        for (const auto& [path, row] : m_rows)
            if (row.editor == watched) {
                emit helpWanted(qs(path));
                return true;
            }
    }
    // Ctrl+Z undoes the last change of the plan, not the last keystroke: the window handles it.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::Wheel) {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (widget && !widget->hasFocus()) {
            event->ignore();
            return true;
        }
    }
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace slipway::gui
