// A spin box for every number of the field tables: integer or real, in display units, with the steps of the field.
#pragma once

#include <QDoubleSpinBox>

namespace slipway::gui {

class NumberEdit : public QDoubleSpinBox {
    Q_OBJECT

public:
    enum class Steps { One, Doubling, Tenth };

    explicit NumberEdit(QWidget* parent = nullptr);

    /// @param shownUnit stored value per shown unit (1024^3 to show bytes as GiB)
    void configure(bool wholeNumbers, double minimum, double maximum, double shownUnit, Steps steps);
    /// The field may be absent: the edit then shows `text` one step below its minimum.
    void allowAbsent(const QString& text);

    void setStored(double stored);
    void setAbsent();
    [[nodiscard]] bool isAbsent() const;
    /// True if the last change was a keystroke, not a step or a set value.
    [[nodiscard]] bool isTyped() const;
    /// The value for the config document; empty when absent.
    [[nodiscard]] QString storedText() const;

    QString textFromValue(double value) const override;
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
    void stepBy(int steps) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void wheelEvent(QWheelEvent* event) override;

private:
    bool m_whole = true;
    bool m_canBeAbsent = false;
    double m_unit = 1;
    double m_least = 0;
    Steps m_steps = Steps::One;
    QString m_absentText;
};

}  // namespace slipway::gui
