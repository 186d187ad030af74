// The runs in groups: a row for each value of a field with the numbers of successful and failed runs, and for every
// figure its mean and, as a band, minimum and maximum.
#pragma once

#include "app/gui/models/rows_model.h"
#include "core/store/run_listing.h"

#include <QTableView>

namespace slipway::gui {

class GroupsView : public QTableView {
    Q_OBJECT

public:
    explicit GroupsView(QWidget* parent = nullptr);

    void setGroups(const std::string& groupBy, const std::vector<std::string>& figures, std::vector<RunGroup> groups);

signals:
    /// The runs of a group, as a term of the filter.
    void chosen(const QString& term);

private:
    RowsModel<RunGroup>* m_model;
    std::string m_groupBy;
};

}  // namespace slipway::gui
