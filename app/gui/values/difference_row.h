// One row of the Compare page's table: a config field or a result of every compared group, or the heading of a section.
#pragma once

#include <QString>
#include <QVector>

namespace slipway::gui {

struct DifferenceRow {
    enum class Kind { Section, Field, Result } kind = Kind::Field;
    QString title;
    QVector<QString> cells;   ///< one per group
    QVector<QString> deltas;  ///< against the baseline (results), same length or empty
    QVector<int> better;      ///< +1 better, -1 worse, 0 nearly equal
    bool differs = true;
};

}  // namespace slipway::gui
