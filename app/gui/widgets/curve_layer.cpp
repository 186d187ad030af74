#include "app/gui/widgets/curve_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::gui {
namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();
constexpr float kLineAlpha = 0.55f, kFaintAlpha = 0.2f;

/// The pixels covered by a curve in each pixel column: from `top` to `bottom`.
struct Spans {
    std::vector<float> top, bottom;
    void reset() {
        std::fill(top.begin(), top.end(), kNone);
        std::fill(bottom.begin(), bottom.end(), -kNone);
    }
    void cover(int column, float y) {
        if (column < 0 || column >= static_cast<int>(top.size())) return;
        const auto at = static_cast<std::size_t>(column);
        top[at] = std::min(top[at], y);
        bottom[at] = std::max(bottom[at], y);
    }
    /// The piece from one point to the next.
    void line(float x0, float y0, float x1, float y1) {
        const int first = static_cast<int>(std::floor(x0)), last = static_cast<int>(std::floor(x1));
        cover(first, y0);
        cover(last, y1);
        if (first == last) return;
        const float slope = (y1 - y0) / (x1 - x0);
        const int from = std::max(first, -1), to = std::min(last, static_cast<int>(top.size()));
        for (int column = from + 1; column <= to; ++column) {
            const float y = y0 + slope * (static_cast<float>(column) - x0);  // its height at the column's left edge
            cover(column - 1, y);
            cover(column, y);
        }
    }
};

/// Blends the colour over the spans.
void blend(QImage& image, const Spans& spans, const QColor& colour, float alpha) {
    const auto part = [&](int channel) { return static_cast<unsigned>(static_cast<float>(channel) * alpha + 0.5f); };
    const unsigned r = part(colour.red()), g = part(colour.green()), b = part(colour.blue()), a = part(255);
    const unsigned keep = 255 - a;
    const int height = image.height();
    const auto stride = image.bytesPerLine() / 4;
    auto* bits = reinterpret_cast<QRgb*>(image.bits());
    for (std::size_t column = 0; column < spans.top.size(); ++column) {
        if (!(spans.top[column] <= spans.bottom[column])) continue;
        const int first = std::max(0, static_cast<int>(std::floor(std::max(spans.top[column], -1.0f))));
        const int last = std::min(
            height - 1, static_cast<int>(std::floor(std::min(spans.bottom[column], static_cast<float>(height)))));
        QRgb* pixel = bits + first * stride + static_cast<std::ptrdiff_t>(column);
        for (int row = first; row <= last; ++row, pixel += stride) {
            const QRgb under = *pixel;
            *pixel = qRgba(
                static_cast<int>(r + qRed(under) * keep / 255), static_cast<int>(g + qGreen(under) * keep / 255),
                static_cast<int>(b + qBlue(under) * keep / 255), static_cast<int>(a + qAlpha(under) * keep / 255));
        }
    }
}

}  // namespace

QImage drawCurves(const ChartState& state, qreal ratio) {
    const QSize size = (state.plot.size() * ratio).toSize();
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) return image;
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    const auto columns = static_cast<std::size_t>(size.width());
    Spans spans{std::vector<float>(columns), std::vector<float>(columns)};
    const double left = state.plot.left(), top = state.plot.top();
    for (const Curve& curve : state.curves) {
        spans.reset();
        float x0 = 0, y0 = kNone;
        for (const QPointF& point : curve.points) {
            if (!state.drawable(point.y())) {
                y0 = kNone;
                continue;
            }
            const auto x = static_cast<float>((state.pixelX(point.x()) - left) * ratio);
            const auto y = static_cast<float>((state.pixelY(point.y()) - top) * ratio);
            if (y0 == kNone)
                spans.cover(static_cast<int>(std::floor(x)), y);
            else
                spans.line(x0, y0, x, y);
            x0 = x;
            y0 = y;
        }
        blend(image, spans, state.colourOf(curve), curve.faint ? kFaintAlpha : kLineAlpha);
    }
    return image;
}

}  // namespace slipway::gui
