#include "app/gui/widgets/field_chooser.h"

#include "app/gui/look/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QStandardItemModel>

namespace slipway::gui {

FieldChooser::FieldChooser(QWidget* parent) : QComboBox(parent), m_model(new QStandardItemModel(this)) {
    setModel(m_model);
    setEditable(true);
    setInsertPolicy(NoInsert);
    setMaxVisibleItems(24);
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(14);
    view()->setMinimumWidth(px(280));
    auto* search = new QCompleter(m_model, this);
    search->setFilterMode(Qt::MatchContains);
    search->setCaseSensitivity(Qt::CaseInsensitive);
    search->setMaxVisibleItems(12);
    setCompleter(search);
    connect(this, &QComboBox::activated, this, &FieldChooser::take);
    connect(lineEdit(), &QLineEdit::editingFinished, this, [this] {
        // A full name, or a part that only one field has, is chosen; other input is reverted.
        int found = -1, many = 0;
        for (int row = 0; row < m_model->rowCount(); ++row) {
            if (!m_model->item(row)->isSelectable()) continue;
            const QString name = m_model->item(row)->text();
            if (name.compare(currentText().trimmed(), Qt::CaseInsensitive) == 0) return take(row);
            if (!name.contains(currentText().trimmed(), Qt::CaseInsensitive)) continue;
            found = row;
            ++many;
        }
        if (many == 1)
            take(found);
        else
            setCurrentIndex(rowOf(m_key)), setEditText(chosenName());
    });
}

void FieldChooser::setFields(const std::vector<ChoiceOfField>& fields) {
    const QString key = m_key;
    m_model->clear();
    QString group;
    for (const ChoiceOfField& field : fields) {
        if (field.group != group && !field.group.isEmpty()) {
            auto* heading = new QStandardItem(field.group);
            heading->setFlags(Qt::NoItemFlags);
            heading->setFont(fontOf(1.0, true));
            m_model->appendRow(heading);
        }
        group = field.group;
        auto* item = new QStandardItem(field.name);
        item->setData(field.key, Qt::UserRole);
        item->setToolTip(field.key);
        m_model->appendRow(item);
    }
    m_key = rowOf(key) >= 0 || fields.empty() ? key : fields.front().key;
    setCurrentIndex(rowOf(m_key));
    lineEdit()->setCursorPosition(0);
}

void FieldChooser::choose(const QString& key) {
    const int row = rowOf(key);
    if (row < 0) return;
    m_key = key;
    setCurrentIndex(row);
    lineEdit()->setCursorPosition(0);  // the start of the name is visible
}

QString FieldChooser::chosenName() const {
    const int row = rowOf(m_key);
    return row < 0 ? QString() : m_model->item(row)->text();
}

void FieldChooser::take(int row) {
    if (row < 0 || !m_model->item(row)->isSelectable()) return;
    const QString key = m_model->item(row)->data(Qt::UserRole).toString();
    setCurrentIndex(row);
    setEditText(m_model->item(row)->text());
    lineEdit()->setCursorPosition(0);
    if (key == m_key) return;
    m_key = key;
    emit chosen(key);
}

int FieldChooser::rowOf(const QString& key) const {
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->item(row)->isSelectable() && m_model->item(row)->data(Qt::UserRole).toString() == key) return row;
    return -1;
}

void makeSearchable(QComboBox* box) {
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->completer()->setFilterMode(Qt::MatchContains);
    box->completer()->setCompletionMode(QCompleter::PopupCompletion);
    box->completer()->setMaxVisibleItems(16);
    // Shows the beginning of a long name.
    QObject::connect(box, &QComboBox::currentIndexChanged, box, [box] { box->lineEdit()->setCursorPosition(0); });
    QObject::connect(box->lineEdit(), &QLineEdit::editingFinished, box, [box] {
        const QString typed = box->currentText().trimmed();
        if (typed == box->itemText(box->currentIndex())) return;  // a full name: the box has chosen it
        int found = -1, many = 0;
        for (int i = 0; i < box->count(); ++i)
            if (box->itemText(i).contains(typed, Qt::CaseInsensitive)) {
                found = i;
                ++many;
            }
        if (many != 1 || typed.isEmpty()) return box->setEditText(box->itemText(box->currentIndex()));
        box->setCurrentIndex(found);
        box->setEditText(box->itemText(found));
        emit box->activated(found);
    });
}

}  // namespace slipway::gui
