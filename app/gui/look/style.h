// Fusion with flat controls painted from theme(): a style sheet cannot draw the chevrons, check marks and focus rings
// of look.md without image files. Dynamic properties: button "primary" and "link"; edits "invalid". Labels and tool
// tips show plain text: a name such as <img src=...> would become a picture otherwise. A label with markup sets
// Qt::RichText itself (tests/architecture/check.cmake lists where).
#pragma once

#include <QProxyStyle>

namespace slipway::gui {

class SlipwayStyle : public QProxyStyle {
    Q_OBJECT

public:
    SlipwayStyle();

    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
};

}  // namespace slipway::gui
