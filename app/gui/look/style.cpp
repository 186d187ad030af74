#include "app/gui/look/style.h"

#include "app/gui/look/theme.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QWidget>

namespace slipway::gui {
namespace {

bool has(const QWidget* widget, const char* property) {
    return widget && widget->property(property).toBool();
}

void drawFrame(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& border, double width,
               double radius) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    painter->setPen(QPen(border, width));
    const double inset = width / 2;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius);
    painter->restore();
}

// Frame of edits: one look for line edits, spin boxes and combos. An error wins over focus.
void drawEditFrame(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
    const Theme& t = theme();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool focus = enabled && (option->state & QStyle::State_HasFocus);
    QColor border = enabled ? t.line2 : t.line;
    double width = 1;
    if (focus) {
        border = t.accent;
        width = 2;
    }
    if (has(widget, "invalid")) {
        border = t.bad;
        width = focus ? 2 : 1.5;
    }
    drawFrame(painter, option->rect, enabled ? t.field : t.window, border, width, px(3));
}

enum class Direction { Up, Down, Right };

void drawChevron(QPainter* painter, const QPointF& centre, Direction direction, const QColor& colour, double half) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double rise = half * 0.55;
    QPolygonF line;
    if (direction == Direction::Right)
        line << centre + QPointF(-rise, -half) << centre + QPointF(rise, 0) << centre + QPointF(-rise, half);
    else {
        const double sign = direction == Direction::Up ? -1 : 1;
        line << centre + QPointF(-half, -rise * sign) << centre + QPointF(0, rise * sign)
             << centre + QPointF(half, -rise * sign);
    }
    painter->drawPolyline(line);
    painter->restore();
}

void drawCheckBox(QPainter* painter, const QStyleOption* option) {
    const Theme& t = theme();
    const bool on = option->state & QStyle::State_On;
    const bool partial = option->state & QStyle::State_NoChange;
    const bool enabled = option->state & QStyle::State_Enabled;
    const QColor border = on || partial ? t.fill : enabled ? t.line2 : t.line;
    drawFrame(painter, option->rect, on || partial ? t.fill : t.field, border, 1, px(3));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(t.onFill, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRectF r = option->rect;
    const auto at = [&r](double x, double y) { return QPointF(r.left() + x * r.width(), r.top() + y * r.height()); };
    if (on) painter->drawPolyline(QPolygonF() << at(0.26, 0.52) << at(0.43, 0.69) << at(0.75, 0.33));
    if (partial) painter->drawLine(at(0.28, 0.5), at(0.72, 0.5));
    painter->restore();
}

void drawRadioButton(QPainter* painter, const QStyleOption* option) {
    const Theme& t = theme();
    const bool on = option->state & QStyle::State_On;
    const bool enabled = option->state & QStyle::State_Enabled;
    drawFrame(painter, option->rect, on ? t.fill : t.field,
              on        ? t.fill
              : enabled ? t.line2
                        : t.line,
              1, option->rect.width() / 2.0);
    if (!on) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(t.onFill);
    painter->drawEllipse(QRectF(option->rect).center(), px(2.8), px(2.8));
    painter->restore();
}

void drawButton(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
    const Theme& t = theme();
    const bool enabled = option->state & QStyle::State_Enabled;
    const bool over = enabled && (option->state & QStyle::State_MouseOver);
    const bool down = option->state & (QStyle::State_Sunken | QStyle::State_On);
    const bool primary = has(widget, "primary") && enabled;
    QColor fill = primary ? t.fill : down ? t.selection : over ? t.hover : t.panel;
    if (primary && (over || down)) fill = t.fill.darker(down ? 120 : 110);
    if (!has(widget, "link"))
        drawFrame(painter, option->rect, fill, primary ? t.fill : enabled ? t.line2 : t.line, 1, px(4));
    if (enabled && (option->state & QStyle::State_HasFocus) && (option->state & QStyle::State_KeyboardFocusChange))
        drawFrame(painter, option->rect, Qt::transparent, t.accent, 2, px(4));
}

}  // namespace

SlipwayStyle::SlipwayStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void SlipwayStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // Every label, including those of tool tips and message boxes, passes here before it is measured or shown.
    if (auto* label = qobject_cast<QLabel*>(widget); label != nullptr && label->textFormat() == Qt::AutoText) {
        label->setTextFormat(Qt::PlainText);
        label->setOpenExternalLinks(false);  // as in message boxes
    }
}

void SlipwayStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
    const Theme& t = theme();
    switch (element) {
        case PE_PanelLineEdit:
        case PE_FrameLineEdit: {
            // The edit inside a spin box or combo is framed by its owner.
            const QWidget* parent = widget ? widget->parentWidget() : nullptr;
            if (qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
                has(widget, "frameless"))
                return;
            drawEditFrame(painter, option, widget);
            return;
        }
        case PE_PanelButtonCommand: drawButton(painter, option, widget); return;
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck: drawCheckBox(painter, option); return;
        case PE_IndicatorRadioButton: drawRadioButton(painter, option); return;
        case PE_IndicatorHeaderArrow: return;  // our headers include the arrow and rank of the key in the label
        case PE_FrameFocusRect:
            painter->save();
            painter->setPen(QPen(t.accent, 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
            painter->restore();
            return;
        case PE_PanelScrollAreaCorner: painter->fillRect(option->rect, t.panel); return;
        case PE_FrameTabBarBase:
        case PE_PanelStatusBar:
        case PE_FrameStatusBarItem: return;
        case PE_PanelButtonTool: drawButton(painter, option, widget); return;
        default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void SlipwayStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
    const Theme& t = theme();
    switch (element) {
        case CE_PushButtonBevel: {
            drawPrimitive(PE_PanelButtonCommand, option, painter, widget);
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (button && (button->features & QStyleOptionButton::HasMenu))
                drawChevron(painter, QPointF(option->rect.right() - px(13), option->rect.center().y() + 1),
                            Direction::Down, t.text2, px(3.5));
            return;
        }
        case CE_PushButtonLabel: {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (!button) break;
            QColor ink = has(widget, "link") ? t.accent : has(widget, "primary") ? t.onFill : t.text;
            if (!(option->state & State_Enabled)) ink = t.text3;
            QRect rect = option->rect;
            if (button->features & QStyleOptionButton::HasMenu) rect.adjust(px(10), 0, -px(22), 0);
            painter->save();
            if (has(widget, "primary")) painter->setFont(fontOf(1.0, true));
            if (has(widget, "link") && (option->state & State_MouseOver)) {
                QFont font = painter->font();
                font.setUnderline(true);
                painter->setFont(font);
            }
            painter->setPen(ink);
            painter->drawText(rect, Qt::AlignCenter | Qt::TextShowMnemonic, button->text);
            painter->restore();
            return;
        }
        case CE_TabBarTabShape: {
            const bool on = option->state & State_Selected;
            const QRect r = option->rect;
            painter->fillRect(r, !on && (option->state & State_MouseOver) ? t.hover : t.panel);
            if (on) painter->fillRect(r.left() + px(8), r.bottom() - px(2), r.width() - 2 * px(8), px(2), t.accent);
            return;
        }
        case CE_HeaderSection:
            painter->fillRect(option->rect, t.panel);
            painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1, t.line);
            return;
        case CE_HeaderLabel: {
            // The base style queries its own SE_HeaderLabel, not this: its margin above and below would cut the tails of letters off.
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            if (!header) break;
            QStyleOptionHeader whole = *header;
            whole.rect.adjust(0, -px(6), 0, px(6) - 1);
            return QProxyStyle::drawControl(element, &whole, painter, widget);
        }
        case CE_HeaderEmptyArea:
            painter->fillRect(option->rect, t.panel);
            painter->fillRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1, t.line);
            return;
        case CE_Splitter: {
            const bool upright = option->state & State_Horizontal;
            const QPoint c = option->rect.center();
            painter->fillRect(upright ? QRect(c.x(), option->rect.top(), 1, option->rect.height())
                                      : QRect(option->rect.left(), c.y(), option->rect.width(), 1),
                              t.line);
            return;
        }
        case CE_ProgressBarGroove: painter->fillRect(option->rect, t.sunken); return;
        case CE_ProgressBarLabel: return;
        case CE_ProgressBarContents: {
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            if (!bar || bar->maximum <= bar->minimum) return;
            const double part = double(bar->progress - bar->minimum) / (bar->maximum - bar->minimum);
            QRectF done = option->rect;
            done.setWidth(done.width() * qBound(0.0, part, 1.0));
            painter->fillRect(done, t.accent);
            return;
        }
        case CE_MenuBarItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            if (!item) break;
            painter->fillRect(option->rect, option->state & (State_Selected | State_Sunken) ? t.hover : t.window);
            painter->setPen(t.text);
            painter->drawText(option->rect, Qt::AlignCenter | Qt::TextShowMnemonic, item->text);
            return;
        }
        case CE_MenuBarEmptyArea: painter->fillRect(option->rect, t.window); return;
        default: break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void SlipwayStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                      const QWidget* widget) const {
    const Theme& t = theme();
    const QColor ink = option->state & State_Enabled ? t.text2 : t.text3;
    if (control == CC_SpinBox) {
        drawEditFrame(painter, option, widget);
        const QRectF up = subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget);
        const QRectF down = subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget);
        drawChevron(painter, QPointF(up.center().x(), up.bottom() - px(3)), Direction::Up, ink, px(2.6));
        drawChevron(painter, QPointF(down.center().x(), down.top() + px(3)), Direction::Down, ink, px(2.6));
        return;
    }
    if (control == CC_ComboBox) {
        drawEditFrame(painter, option, widget);
        const QRectF arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        drawChevron(painter, QPointF(option->rect.right() - px(11), arrow.center().y() + 0.5), Direction::Down, ink,
                    px(3.5));
        return;
    }
    if (control == CC_ScrollBar) {
        const QRectF handle = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->fillRect(option->rect, t.panel);
        painter->setPen(Qt::NoPen);
        QColor colour = t.line2;
        if (!(option->state & State_MouseOver)) colour.setAlphaF(0.55f);
        painter->setBrush(colour);
        const double radius = px(3);
        painter->drawRoundedRect(handle.adjusted(2, 2, -2, -2), radius, radius);
        painter->restore();
        return;
    }
    if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
        control == CC_Slider && slider != nullptr && slider->orientation == Qt::Horizontal) {
        // Both ends of the groove are seen against the page, in the dark look too.
        const QRectF groove = subControlRect(CC_Slider, option, SC_SliderGroove, widget);
        const QPointF at = QRectF(subControlRect(CC_Slider, option, SC_SliderHandle, widget)).center();
        const QColor fill = option->state & State_Enabled ? t.accent : t.text3;
        const auto along = [&](double from, double to, const QColor& colour) {
            painter->setBrush(colour);
            painter->drawRoundedRect(QRectF(from, at.y() - px(1.5), to - from, px(3)), px(1.5), px(1.5));
        };
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        along(groove.left(), groove.right(), t.line2);
        along(groove.left(), at.x(), fill);
        if (option->state & State_HasFocus) {
            painter->setBrush(t.selection);
            painter->drawEllipse(at, px(9), px(9));
        }
        painter->setBrush(fill);
        painter->drawEllipse(at, px(6), px(6));
        painter->restore();
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect SlipwayStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                   const QWidget* widget) const {
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (!bar) return {};
        const bool flat = bar->orientation == Qt::Horizontal;
        const int length = flat ? option->rect.width() : option->rect.height();
        const int range = bar->maximum - bar->minimum;
        const int handle =
            range <= 0
                ? length
                : qBound(px(20), static_cast<int>(qint64(length) * bar->pageStep / (qint64(range) + bar->pageStep)),
                         length);
        const int start =
            sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - handle, bar->upsideDown);
        const auto along = [&](int from, int size) {
            return flat ? QRect(from, 0, size, option->rect.height()) : QRect(0, from, option->rect.width(), size);
        };
        switch (part) {
            case SC_ScrollBarSlider: return along(start, handle);
            case SC_ScrollBarSubPage: return along(0, start);
            case SC_ScrollBarAddPage: return along(start + handle, length - start - handle);
            case SC_ScrollBarGroove: return along(0, length);
            default: return {};
        }
    }
    if (control == CC_SpinBox) {
        const QRect r = option->rect;
        const int width = px(18);
        switch (part) {
            case SC_SpinBoxUp: return {r.right() - width, r.top(), width, r.height() / 2};
            case SC_SpinBoxDown:
                return {r.right() - width, r.top() + r.height() / 2, width, r.height() - r.height() / 2};
            case SC_SpinBoxEditField: return r.adjusted(px(4), 1, -width - px(2), -1);
            case SC_SpinBoxFrame: return r;
            default: break;
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect SlipwayStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    QRect out = QProxyStyle::subElementRect(element, option, widget);
    if (element == SE_HeaderLabel) {
        // The margin is for the sides: applied above and below, it would cut off descenders.
        out.setTop(option->rect.top());
        out.setBottom(option->rect.bottom() - 1);
    }
    return out;
}

QSize SlipwayStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                     const QWidget* widget) const {
    QSize out = QProxyStyle::sizeFromContents(type, option, size, widget);
    // The arrow of a sorted column is part of its label; the indicator would widen every column.
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option); header && type == CT_HeaderSection) {
        QStyleOptionHeader plain = *header;
        plain.sortIndicator = QStyleOptionHeader::None;
        out = QProxyStyle::sizeFromContents(type, &plain, size, widget);
    }
    if (type == CT_PushButton && has(widget, "link")) return {size.width() + px(4), px(24)};
    if (type == CT_PushButton) return {qMax(out.width(), size.width() + px(24)), px(28)};
    if (type == CT_ComboBox || type == CT_SpinBox || type == CT_LineEdit) out.setHeight(px(23));
    if (type == CT_HeaderSection) out.setHeight(px(26));
    return out;
}

int SlipwayStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_ScrollBarExtent: return px(10);
        case PM_SplitterWidth: return 1;
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight: return px(14);
        case PM_HeaderMargin: return px(6);
        case PM_ButtonShiftHorizontal:
        case PM_ButtonShiftVertical: return 0;
        default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int SlipwayStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* data) const {
    switch (hint) {
        case SH_ComboBox_Popup: return 0;
        case SH_EtchDisabledText: return 0;
        case SH_UnderlineShortcut: return 1;
        case SH_Widget_Animation_Duration: return 0;  // no motion (look.md 11)
        case SH_ItemView_ActivateItemOnSingleClick: return 0;
        case SH_ScrollBar_Transient: return 0;
        default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

}  // namespace slipway::gui
