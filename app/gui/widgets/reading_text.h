// Text for reading: wrapped, with more line spacing than a label.
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
