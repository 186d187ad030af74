// Text to read rather than to look up: wrapped, with more room between the lines than a label gives.
#pragma once

#include <QLabel>

namespace slipway::gui {

class ReadingText : public QLabel {
    Q_OBJECT

public:
    explicit ReadingText(const QString& text, QWidget* parent = nullptr);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace slipway::gui
