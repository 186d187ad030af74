// Cells of the runs table: state icon before the name, in-cell bar in the key column, and in front of a figure its
// difference from the baseline.
#pragma once

#include "app/gui/widgets/tables.h"

namespace slipway::gui {

class RunsDelegate : public RowDelegate {
    Q_OBJECT

public:
    using RowDelegate::RowDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    [[nodiscard]] int textIndent(const QModelIndex& index) const override;
};

}  // namespace slipway::gui
