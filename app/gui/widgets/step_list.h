// Steps of a check as a list: icon, number, name, finding. Long texts wrap; all are plain text.
#pragma once

#include "app/gui/look/icons.h"

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace slipway::gui {

struct StepRow {
    Icon icon = Icon::Planned;
    QColor colour;
    QString state;  ///< the icon's word, for screen readers
    QString name;
    QString text;
    bool isStrong = false;  ///< the one to read
};

class StepList : public QWidget {
    Q_OBJECT

public:
    explicit StepList(QWidget* parent = nullptr);
    void setRows(const std::vector<StepRow>& rows);
    /// For tests.
    [[nodiscard]] QStringList texts() const;

private:
    struct Line {
        QLabel* icon;
        QLabel* number;
        QLabel* name;
        QLabel* text;
    };
    QGridLayout* m_layout;
    std::vector<Line> m_lines;
};

/// Names and values side by side, in one or two columns of pairs; long values are elided, with the full text in the tip.
class FactGrid : public QWidget {
    Q_OBJECT

public:
    explicit FactGrid(int columns, QWidget* parent = nullptr);
    void setFacts(const std::vector<std::pair<QString, QString>>& facts);
    [[nodiscard]] QString value(const QString& name) const;

private:
    int m_columns;
    QGridLayout* m_layout;
    std::vector<std::pair<QString, QString>> m_facts;
};

}  // namespace slipway::gui
