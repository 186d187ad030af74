#include "app/gui/widgets/amount_edit.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/typed_field.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSlider>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr int kTicksPerDecade = 100;

/// The wheel scrolls the page unless the slider has the focus.
class PatientSlider : public QSlider {
public:
    using QSlider::QSlider;

protected:
    void wheelEvent(QWheelEvent* event) override { hasFocus() ? QSlider::wheelEvent(event) : event->ignore(); }
};

QString amountText(double value) {
    return QString::number(value, 'g', 3);
}

}  // namespace

double amountFrom(QString text) {
    text = text.trimmed().remove(QLatin1Char(','));
    double factor = 1;
    const QString letters = QStringLiteral("kmbgt");
    constexpr double kFactors[] = {1e3, 1e6, 1e9, 1e9, 1e12};
    if (!text.isEmpty()) {
        if (const qsizetype at = letters.indexOf(text.back().toLower()); at >= 0) {
            factor = kFactors[at];
            text.chop(1);
        }
    }
    bool isNumber = false;
    const double value = text.trimmed().toDouble(&isNumber) * factor;
    return isNumber && std::isfinite(value) ? value : NAN;
}

AmountEdit::AmountEdit(const QString& name, const QString& unit, double low, double high, QWidget* parent)
    : QWidget(parent), m_low(low), m_high(high), m_value(low) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, px(4));
    column->setSpacing(px(3));
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(wordJoined(name), this);
    label->setWordWrap(true);
    m_edit = new QLineEdit(this);
    m_edit->setAlignment(Qt::AlignRight);
    m_edit->setFixedWidth(px(92));
    m_edit->setMinimumHeight(px(24));
    m_edit->setAccessibleName(name);
    m_edit->setToolTip(tr("A number such as 1e23, 70B or 1.4T"));
    label->setBuddy(m_edit);
    row->addWidget(label, 1);
    row->addWidget(m_edit);
    row->addWidget(quietLabel(unit, this, kSideSize));
    column->addLayout(row);
    m_slider = new PatientSlider(Qt::Horizontal, this);
    m_slider->setFocusPolicy(Qt::StrongFocus);
    m_slider->setRange(static_cast<int>(std::lround(std::log10(low) * kTicksPerDecade)),
                       static_cast<int>(std::lround(std::log10(high) * kTicksPerDecade)));
    m_slider->setPageStep(kTicksPerDecade);
    m_slider->setMinimumHeight(px(24));
    m_slider->setAccessibleName(name);
    column->addWidget(m_slider);
    m_problem = new QLabel(this);
    m_problem->setFont(fontOf(kSideSize));
    m_problem->setWordWrap(true);
    setInk(m_problem, theme().bad);
    m_problem->hide();
    column->addWidget(m_problem);
    m_note = quietLabel({}, this, kSideSize);
    m_note->setWordWrap(true);
    m_note->hide();
    column->addWidget(m_note);
    auto* typed = new TypedField(
        m_edit, {[this] { return m_edit->text(); }, [this] { return m_edit->isModified(); }, [] { return true; }});
    connect(m_edit, &QLineEdit::textEdited, typed, &TypedField::change);
    connect(m_edit, &QLineEdit::editingFinished, typed, &TypedField::take);
    connect(typed, &TypedField::taken, this, &AmountEdit::take);
    connect(m_slider, &QSlider::valueChanged, this, [this](int tick) {
        m_value = std::pow(10, static_cast<double>(tick) / kTicksPerDecade);
        m_edit->setText(amountText(m_value));
        take(m_edit->text());  // the shown and the computed number are the same
    });
    show();
}

void AmountEdit::take(const QString& text) {
    const double value = amountFrom(text);
    const bool isGood = value > 0;
    m_problem->setText(isGood ? QString() : wordJoined(tr("Type a number above 0, such as 1e23, 70B or 1.4T.")));
    m_problem->setVisible(!isGood);
    m_edit->setProperty("invalid", !isGood);
    m_edit->update();
    if (!isGood) return;
    m_value = value;
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(static_cast<int>(std::lround(std::log10(m_value) * kTicksPerDecade)));
    m_slider->setAccessibleDescription(m_edit->text());
    emit changed(m_value);
}

void AmountEdit::show() {
    m_edit->setText(amountText(m_value));
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(static_cast<int>(std::lround(std::log10(m_value) * kTicksPerDecade)));
    m_slider->setAccessibleDescription(m_edit->text());
}

void AmountEdit::setValue(double value) {
    m_value = value;
    m_problem->hide();
    show();
}

void AmountEdit::setNote(const QString& note) {
    m_note->setText(wordJoined(note));
    m_note->setVisible(!note.isEmpty());
}

}  // namespace slipway::gui
