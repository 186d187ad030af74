// The runs table: the keys of all runs in order, rows in pages that are fetched when shown.
#pragma once

#include "app/gui/values/active_run.h"
#include "core/store/run_fields.h"
#include "core/store/run_store.h"

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::gui {

class RunsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kPageSize = 200;
    /// kShare: 0..1 of the key column's largest value; kDelta: the difference from the baseline as text
    enum Role { kStatus = Qt::UserRole + 1, kShare, kRunId, kDelta };

    explicit RunsModel(QObject* parent = nullptr);

    /// Fields shown, by name; the first is always "name".
    void setColumns(std::vector<std::string> columns, std::vector<SortKey> sort);
    /// A new result from the store. Known rows stay visible until their page arrives again.
    void setRuns(std::vector<std::int64_t> keys, RunIds ids, double keyMaximum);
    void setPage(int page, std::vector<RunRow> rows);
    /// The baseline of comparisons, with the cells of the columns; empty: none.
    void setBaseline(std::optional<RunRow> row);
    [[nodiscard]] bool hasBaseline() const { return m_baseline.has_value(); }
    void dropPages();
    /// Current places of active runs, and whether they are reachable.
    void setActive(const std::vector<ActiveRun>& active);

    [[nodiscard]] const std::vector<std::string>& columns() const { return m_columns; }
    [[nodiscard]] const RunIds& ids() const { return m_ids; }
    /// Keys of the rows in the index, see RunListing.
    [[nodiscard]] const std::vector<std::int64_t>& keys() const { return m_keys; }
    [[nodiscard]] const RunField* field(int column) const;
    [[nodiscard]] RunId idAt(int row) const;
    /// -1 when the run is not among the rows.
    [[nodiscard]] int rowOf(const RunId& id) const;
    /// The loaded record, or null.
    [[nodiscard]] const RunRecord* recordAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    /// A row of this page was shown but is not loaded.
    void pageWanted(int page) const;

private:
    [[nodiscard]] const RunRow* rowAt(int row) const;
    [[nodiscard]] QString cellText(const RunRow& row, int column) const;
    [[nodiscard]] QString deltaOf(const RunRow& row, int column) const;

    std::vector<std::string> m_columns;
    std::vector<SortKey> m_sort;
    std::vector<std::int64_t> m_keys;
    RunIds m_ids;
    struct Page {
        std::vector<RunRow> rows;
        mutable int numDropped = 0;  ///< since it was last shown
    };
    std::map<int, Page> m_pages;
    double m_keyMaximum = 0;
    std::optional<RunRow> m_baseline;
    std::map<RunId, ActiveRun> m_remote;  ///< active runs on nodes
};

/// The column with in-cell bars.
constexpr const char* kKeyColumn = "tokens_per_second_per_device";

/// A formatted cell, by the unit of its field. @param ended whether the run has ended: then absent is "n/a"
QString cellText(const RunField& field, const CellValue& value, bool ended);

}  // namespace slipway::gui
