#include "app/gui/models/differences_model.h"

#include "app/gui/look/theme.h"

#include <QFont>
#include <utility>

namespace slipway::gui {

void DifferencesModel::setRows(std::vector<DifferenceRow> rows, const QStringList& letters) {
    beginResetModel();
    m_all = std::move(rows);
    m_letters = letters;
    select();
    endResetModel();
}

void DifferencesModel::setOnlyDifferences(bool on) {
    beginResetModel();
    m_onlyDifferences = on;
    select();
    endResetModel();
}

void DifferencesModel::select() {
    m_shown.clear();
    for (std::size_t i = 0; i < m_all.size(); ++i)
        if (!m_onlyDifferences || m_all[i].differs) m_shown.push_back(i);
}

int DifferencesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int DifferencesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 1 + static_cast<int>(m_letters.size());
}

QVariant DifferencesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return section == 0 ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    if (section == 0) return tr("Field");
    return section == 1 ? tr("%1, baseline").arg(m_letters.value(0)) : m_letters.value(section - 1);
}

QVariant DifferencesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const DifferenceRow& row = m_all[m_shown[static_cast<std::size_t>(index.row())]];
    const bool section = row.kind == DifferenceRow::Kind::Section;
    const int group = index.column() - 1;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole: {
            if (group < 0) return row.title;
            const QString delta = row.deltas.value(group);
            return delta.isEmpty() ? row.cells.value(group) : row.cells.value(group) + QStringLiteral("   ") + delta;
        }
        case Qt::TextAlignmentRole:
            return group < 0 ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant(Qt::AlignRight | Qt::AlignVCenter);
        case Qt::FontRole: {
            const bool changed =
                row.kind == DifferenceRow::Kind::Field && group > 0 && row.cells.value(group) != row.cells.value(0);
            return fontOf(1.0, section || changed);
        }
        case Qt::ForegroundRole:
            if (row.better.value(group) != 0 && group > 0)
                return row.better.value(group) > 0 ? theme().ok : theme().bad;
            return theme().text;
        default: return {};
    }
}

}  // namespace slipway::gui
