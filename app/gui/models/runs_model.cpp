#include "app/gui/models/runs_model.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slipway::gui {
namespace {

constexpr int kKeptDrops = 3;  // a visible page may not be painted between two answers

bool looksSame(const RunRow& a, const RunRow& b) {
    return a.record.id == b.record.id && a.record.status == b.record.status && a.record.name == b.record.name &&
           a.record.reason == b.record.reason && a.cells == b.cells;
}

QString realText(const RunField& field, double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (field.unit == "bytes") return bytesText(value);
    if (field.unit == "s") return secondsText(value);
    if (field.unit == "fraction") return percentText(value);
    if (field.unit.english().starts_with("tokens/s")) return countText(value);
    if (field.name.find("loss") != std::string::npos) return fixedText(value, 3);
    if (std::fabs(value) >= 1e5) return shortText(value);
    return qs(formatSignificant(value, 4));
}

}  // namespace

QString cellText(const RunField& field, const CellValue& value, bool ended) {
    if (std::holds_alternative<std::monostate>(value)) return ended ? notApplicableText() : unknownText();
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        if (field.kind == RunFieldKind::Flag) return choiceText("bool", *number != 0 ? "true" : "false");
        if (field.kind == RunFieldKind::Time) return dateText(*number);
        if (field.kind == RunFieldKind::Real) return realText(field, static_cast<double>(*number));
        return countText(static_cast<double>(*number));
    }
    if (const auto* number = std::get_if<double>(&value)) return realText(field, *number);
    const QString text = qs(std::get<std::string>(value));
    return field.name == "status" ? statusText(std::get<std::string>(value)) : text.isEmpty() ? unknownText() : text;
}

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent), m_columns{"name"} {}

void RunsModel::setColumns(std::vector<std::string> columns, std::vector<SortKey> sort) {
    beginResetModel();
    m_columns = std::move(columns);
    m_sort = std::move(sort);
    m_pages.clear();
    endResetModel();
}

void RunsModel::setRuns(std::vector<std::int64_t> keys, RunIds ids, double keyMaximum) {
    m_keyMaximum = keyMaximum;
    if (ids == m_ids) {
        m_keys = std::move(keys);  // a rebuilt index has different keys
        dropPages();
        return;
    }
    beginResetModel();
    m_keys = std::move(keys);
    m_ids = std::move(ids);
    m_pages.clear();
    endResetModel();
}

void RunsModel::setPage(int page, std::vector<RunRow> rows) {
    const int first = page * kPageSize;
    std::vector<RunRow>& kept = m_pages[page].rows;
    std::swap(kept, rows);  // now the former rows
    const int last = std::min(first + kPageSize, rowCount()) - 1;
    // Only what looks different is painted again: once a second, runs in progress have a new step that few columns show.
    const auto differs = [&](int row) {
        const auto place = static_cast<std::size_t>(row - first);
        return place >= kept.size() || place >= rows.size() || !looksSame(kept[place], rows[place]);
    };
    for (int row = first; row <= last; ++row) {
        if (!differs(row)) continue;
        const int from = row;
        while (row < last && differs(row + 1)) ++row;
        emit dataChanged(index(from, 0), index(row, columnCount() - 1));
    }
}

void RunsModel::dropPages() {
    // Known rows stay until their pages, requested again, replace them. Pages scrolled out of view are dropped.
    std::erase_if(m_pages, [](auto& entry) { return ++entry.second.numDropped > kKeptDrops; });
    for (const auto& [page, rows] : m_pages) emit pageWanted(page);
}

const RunField* RunsModel::field(int column) const {
    return column >= 0 && column < static_cast<int>(m_columns.size())
               ? findRunField(m_columns[static_cast<std::size_t>(column)])
               : nullptr;
}

RunId RunsModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? m_ids.at(static_cast<std::size_t>(row)) : RunId();
}

int RunsModel::rowOf(const RunId& id) const {
    return m_ids.find(id);
}

const RunRow* RunsModel::rowAt(int row) const {
    const auto page = m_pages.find(row / kPageSize);
    if (page == m_pages.end()) {
        emit pageWanted(row / kPageSize);
        return nullptr;
    }
    page->second.numDropped = 0;
    const auto& rows = page->second.rows;
    const auto within = static_cast<std::size_t>(row % kPageSize);
    return within < rows.size() && !rows[within].record.id.empty() ? &rows[within] : nullptr;
}

const RunRecord* RunsModel::recordAt(int row) const {
    const RunRow* found = row >= 0 && row < rowCount() ? rowAt(row) : nullptr;
    return found ? &found->record : nullptr;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_ids.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

void RunsModel::setActive(const std::vector<ActiveRun>& active) {
    std::map<RunId, ActiveRun> remote;
    for (const ActiveRun& run : active)
        if (!run.nodes.empty()) remote.emplace(run.id, run);
    const bool isSame =
        std::equal(remote.begin(), remote.end(), m_remote.begin(), m_remote.end(), [](const auto& a, const auto& b) {
            return a.first == b.first && a.second.link == b.second.link && a.second.nodes == b.second.nodes;
        });
    m_remote = std::move(remote);
    if (!isSame && rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QString RunsModel::cellText(const RunRow& row, int column) const {
    const RunField* shown = field(column);
    if (const auto remote = m_remote.find(row.record.id);
        shown && shown->name == "status" && remote != m_remote.end() && !remote->second.link.isEmpty())
        return row.record.status == RunStatus::Queued ? tr("Queued, no contact") : tr("Running, no contact");
    const auto place = static_cast<std::size_t>(column);
    if (!shown || place >= row.cells.size()) return {};
    return gui::cellText(*shown, row.cells[place], isFinal(row.record.status));
}

void RunsModel::setBaseline(std::optional<RunRow> row) {
    if (!m_baseline && !row) return;
    m_baseline = std::move(row);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

/// Shares such as MFU and the bubble in points, other measured figures in percent.
QString RunsModel::deltaOf(const RunRow& row, int column) const {
    const RunField* shown = field(column);
    const auto place = static_cast<std::size_t>(column);
    if (!m_baseline || !shown || shown->kind != RunFieldKind::Real || row.record.id == m_baseline->record.id ||
        place >= row.cells.size() || place >= m_baseline->cells.size())
        return {};
    const auto* value = std::get_if<double>(&row.cells[place]);
    const auto* base = std::get_if<double>(&m_baseline->cells[place]);
    if (!value || !base || !std::isfinite(*value) || !std::isfinite(*base)) return {};
    if (shown->unit == "fraction") return pointsText(*value - *base);
    return *base == 0 ? QString() : deltaText(*value / *base - 1);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const RunField* shown = field(index.column());
    if (role == Qt::TextAlignmentRole) {
        const bool words = !shown || shown->kind == RunFieldKind::Text || shown->kind == RunFieldKind::Tags ||
                           shown->kind == RunFieldKind::Model;
        return QVariant::fromValue((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == kRunId) return qs(idAt(index.row()).value);
    const RunRow* row = rowAt(index.row());
    if (!row) return role == Qt::DisplayRole && index.column() == 0 ? QVariant(QStringLiteral("…")) : QVariant();
    switch (role) {
        case Qt::DisplayRole: return cellText(*row, index.column());
        case Qt::ToolTipRole:
            if (const QString delta = deltaOf(*row, index.column()); !delta.isEmpty())
                return QStringLiteral("%1 (%2)").arg(cellText(*row, index.column()), delta);
            if (const auto remote = m_remote.find(row->record.id); remote != m_remote.end()) {
                QStringList nodes;
                for (const std::string& node : remote->second.nodes) nodes << qs(node);
                return remote->second.link.isEmpty() ? tr("Runs on %1.").arg(nodes.join(QStringLiteral(", ")))
                                                     : remote->second.link;
            }
            return shown && shown->name == "status" && !row->record.reason.empty() ? recordedWords(row->record.reason)
                                                                                   : QVariant();
        case Qt::AccessibleTextRole:
            return index.column() == 0
                       ? QVariant(statusText(row->record.status) + QStringLiteral(", ") + qs(row->record.name))
                       : QVariant();
        case Qt::ForegroundRole: {
            const QString text = cellText(*row, index.column());
            if (text == QStringLiteral("NaN") || text == QStringLiteral("inf")) return theme().bad;
            return text == notApplicableText() || text == unknownText() ? QVariant(theme().text3) : QVariant();
        }
        case kStatus: return static_cast<int>(row->record.status);
        case kDelta: {
            const QString delta = deltaOf(*row, index.column());
            return delta.isEmpty() ? QVariant() : QVariant(delta);
        }
        case kShare: {
            if (!shown || shown->name != kKeyColumn || m_keyMaximum <= 0) return {};
            const auto place = static_cast<std::size_t>(index.column());
            const auto* value = place < row->cells.size() ? std::get_if<double>(&row->cells[place]) : nullptr;
            return value && std::isfinite(*value) ? QVariant(std::clamp(*value / m_keyMaximum, 0.0, 1.0)) : QVariant();
        }
        default: return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const RunField* shown = field(section);
    if (!shown) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool words = shown->kind == RunFieldKind::Text || shown->kind == RunFieldKind::Tags ||
                           shown->kind == RunFieldKind::Model;
        return QVariant::fromValue((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    std::size_t rank = 0;
    while (rank < m_sort.size() && m_sort[rank].field != shown->name) ++rank;
    const bool sorted = rank < m_sort.size();
    if (role == Qt::FontRole) return fontOf(kSideSize, sorted);
    if (role == Qt::ForegroundRole) return sorted ? theme().text : theme().text2;
    if (role == Qt::ToolTipRole) return qs(shown->name);
    if (role != Qt::DisplayRole) return {};
    const QString title = columnTitle(shown->name);
    if (!sorted) return title;
    const QString place = m_sort.size() < 2 ? QString() : rank == 0 ? QStringLiteral("¹") : QStringLiteral("²");
    return title + (m_sort[rank].descending ? QStringLiteral(" ↓") : QStringLiteral(" ↑")) + place;
}

}  // namespace slipway::gui
