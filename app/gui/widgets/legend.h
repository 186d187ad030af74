// A row of colour boxes with names, for pane heads.
#pragma once

#include "app/gui/look/theme.h"

#include <QWidget>
#include <optional>
#include <vector>

namespace slipway::gui {

class Legend : public QWidget {
    Q_OBJECT

public:
    struct Entry {
        QString name;
        std::optional<Hue> hue;  ///< empty: hatch
    };
    Legend(std::vector<Entry> entries, QWidget* parent);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Entry> m_entries;
};

}  // namespace slipway::gui
