// A large positive number, typed ("1e23", "70 B", "1.4T") or set by a slider over powers of ten.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QSlider;

namespace slipway::gui {

class TypedField;

class AmountEdit : public QWidget {
    Q_OBJECT

public:
    /// @param name also the accessible name @param low, high ends of the slider; a typed number may be beyond them
    AmountEdit(const QString& name, const QString& unit, double low, double high, QWidget* parent = nullptr);
    void setValue(double value);
    [[nodiscard]] double value() const { return m_value; }
    /// The text below the slider.
    void setNote(const QString& note);
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    [[nodiscard]] QSlider* slider() const { return m_slider; }

signals:
    void changed(double value);

private:
    void take(const QString& text);
    void show();

    double m_low, m_high, m_value;
    QLineEdit* m_edit;
    QSlider* m_slider;
    QLabel* m_note;
    QLabel* m_problem;
};

/// "1.4T" as 1.4e12; with k, M, B (also G) and T, in either case; NaN where the text is not a number.
double amountFrom(QString text);

}  // namespace slipway::gui
