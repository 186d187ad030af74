// The bubble of a pipeline three times, side by side: in theory, simulated, and as observed, each with its meaning. A click or
// Enter opens formula and source.
#pragma once

#include "app/gui/pages/run_data.h"

#include <QWidget>
#include <array>

class QLabel;
class QPushButton;

namespace slipway::gui {

class BubbleRow : public QWidget {
    Q_OBJECT

public:
    explicit BubbleRow(QWidget* parent);
    void setRun(std::shared_ptr<const RunView> view);
    /// For tests: the figures as shown.
    [[nodiscard]] QStringList texts() const;

private:
    struct Cell {
        QPushButton* figure;
        QLabel* meaning;
    };
    void open(std::size_t cell);

    std::array<Cell, 3> m_cells{};
    std::shared_ptr<const RunView> m_view;
};

}  // namespace slipway::gui
