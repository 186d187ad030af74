#include "app/gui/widgets/number_edit.h"

#include "app/gui/look/theme.h"

#include <QLineEdit>
#include <QLocale>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

// Limit of config fields; QDoubleSpinBox requires a bound.
constexpr double kLargest = 9007199254740992.0;

}  // namespace

NumberEdit::NumberEdit(QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(15);
    setKeyboardTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAlignment(Qt::AlignRight);
    setCorrectionMode(QAbstractSpinBox::CorrectToNearestValue);
}

void NumberEdit::configure(bool wholeNumbers, double minimum, double maximum, double shownUnit, Steps steps) {
    m_whole = wholeNumbers && shownUnit == 1;
    m_unit = shownUnit;
    m_steps = steps;
    m_least = std::max(minimum / m_unit, -kLargest);
    setRange(m_least, std::min(maximum / m_unit, kLargest));
}

void NumberEdit::allowAbsent(const QString& text) {
    m_canBeAbsent = true;
    m_absentText = text;
    setRange(m_least - 1, maximum());
}

void NumberEdit::setStored(double stored) {
    const double shown = stored / m_unit;
    if (!hasFocus() || value() != shown) setValue(shown);
}

void NumberEdit::setAbsent() {
    setValue(minimum());
}

bool NumberEdit::isAbsent() const {
    return m_canBeAbsent && value() < m_least;
}

bool NumberEdit::isTyped() const {
    return lineEdit()->isModified();
}

QString NumberEdit::storedText() const {
    if (isAbsent()) return {};
    const double stored = value() * m_unit;
    if (m_whole || (stored == std::floor(stored) && std::fabs(stored) < kLargest))
        return QString::number(static_cast<qint64>(std::llround(stored)));
    return QString::number(stored, 'g', 17);
}

QString NumberEdit::textFromValue(double value) const {
    if (m_canBeAbsent && value < m_least) return m_absentText;
    if (m_whole) return QLocale().toString(static_cast<qlonglong>(std::llround(value)));
    return QString::number(value, 'g', 7);
}

double NumberEdit::valueFromText(const QString& text) const {
    if (m_canBeAbsent && (text.isEmpty() || text == m_absentText)) return m_least - 1;
    QString plain = text;
    plain.remove(QLocale().groupSeparator());
    return plain.toDouble();
}

QValidator::State NumberEdit::validate(QString& text, int&) const {
    if (m_canBeAbsent && (text.isEmpty() || text == m_absentText)) return QValidator::Acceptable;
    QString plain = text;
    plain.remove(QLocale().groupSeparator());
    bool ok = false;
    const double number = plain.toDouble(&ok);
    if (!ok) {
        // "3e", "-", "1." may become numbers; letters cannot.
        for (const QChar c : plain)
            if (!c.isDigit() && !QStringLiteral("+-.eE").contains(c)) return QValidator::Invalid;
        return QValidator::Intermediate;
    }
    if (m_whole && number != std::floor(number)) return QValidator::Invalid;
    if (number > maximum()) return QValidator::Invalid;
    return number < m_least ? QValidator::Intermediate : QValidator::Acceptable;
}

void NumberEdit::stepBy(int steps) {
    if (isAbsent()) {
        if (steps > 0) setValue(std::max(m_least, 1.0));
        return;
    }
    double next = value();
    switch (m_steps) {
        case Steps::One:
            next += steps * (m_whole ? 1 : std::pow(10, std::floor(std::log10(std::max(std::fabs(next), 1e-12))) - 1));
            break;
        case Steps::Doubling: {
            // Degrees are powers of two: 6 goes to 8 or 4.
            for (int i = 0; i < std::abs(steps); ++i) {
                const double exponent = std::log2(std::max(next, 1.0));
                next = steps > 0 ? std::pow(2, std::floor(exponent) + 1) : std::pow(2, std::ceil(exponent) - 1);
            }
            break;
        }
        case Steps::Tenth: next *= std::pow(10, 0.1 * steps); break;
    }
    setValue(std::clamp(next, m_canBeAbsent && steps < 0 ? minimum() : m_least, maximum()));
    selectAll();
}

QSize NumberEdit::sizeHint() const {
    return {px(82), px(23)};
}

QSize NumberEdit::minimumSizeHint() const {
    return {px(48), px(23)};
}

void NumberEdit::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(event);
    else
        event->ignore();
}

}  // namespace slipway::gui
