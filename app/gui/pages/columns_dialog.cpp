#include "app/gui/pages/columns_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/runs_controller.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {

ColumnsDialog::ColumnsDialog(const std::vector<std::string>& shown, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("columnsDialog"));
    setWindowTitle(tr("Columns"));
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Find a column"));
    m_search->setAccessibleName(tr("Find a column"));
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("columnList"));
    m_list->setAccessibleName(tr("Columns"));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* reset = buttons->addButton(tr("Reset"), QDialogButtonBox::ResetRole);
    QPushButton* close = buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    reset->setAutoDefault(false);
    close->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    resize(px(360), px(520));
    fill(shown);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        for (int row = 0; row < m_list->count(); ++row) {
            QListWidgetItem* item = m_list->item(row);
            item->setHidden(!item->text().contains(text, Qt::CaseInsensitive) &&
                            !item->data(Qt::UserRole).toString().contains(text, Qt::CaseInsensitive));
        }
    });
    connect(m_list, &QListWidget::itemChanged, this, &ColumnsDialog::tell);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &ColumnsDialog::tell);
    connect(reset, &QPushButton::clicked, this, [this] {
        fill(RunsController::defaultColumns());
        tell();
    });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

void ColumnsDialog::fill(const std::vector<std::string>& shown) {
    m_filling = true;
    m_list->clear();
    const auto add = [this](const RunField& field, bool on) {
        auto* item = new QListWidgetItem(columnTitle(field.name), m_list);  // owned by the list
        item->setData(Qt::UserRole, qs(field.name));
        item->setToolTip(qs(field.name));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    };
    for (const std::string& name : shown)
        if (const RunField* field = findRunField(name); field && field->name != "name") add(*field, true);
    for (const RunField& field : runFields())
        if (field.name != "name" && std::find(shown.begin(), shown.end(), field.name) == shown.end()) add(field, false);
    m_filling = false;
}

void ColumnsDialog::tell() {
    if (m_filling) return;
    std::vector<std::string> columns{"name"};
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->checkState() == Qt::Checked)
            columns.push_back(m_list->item(row)->data(Qt::UserRole).toString().toStdString());
    emit changed(columns);
}

}  // namespace slipway::gui
