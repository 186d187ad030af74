#include "app/gui/widgets/curve_layer.h"

#include "app/gui/widgets/metric_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace slipway::gui {
namespace {

constexpr float kNone = std::numeric_limits<float>::infinity();
constexpr float kLineAlpha = 0.55f, kFaintAlpha = 0.2f, kFewAlpha = 0.9f;
constexpr float kFewThickness = 1.6f;
constexpr double kMostWayPixels = 3500;  // of dashed lines with Qt Charts: a frame

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

/// Pixels by column, so that a span is one piece of memory: noise of fifty runs covers each pixel fifty times.
class Columns {
public:
    Columns(std::size_t width, std::size_t height) : m_height(height), m_pixels(width * height) {}

    /// Blends the colour over the spans; their ends cover a part of a pixel.
    void blend(const Spans& spans, const QColor& colour, float alpha, float thickness) {
        const auto most = static_cast<float>(m_height);
        const Ink whole(colour, alpha);
        for (std::size_t column = 0; column < spans.top.size(); ++column) {
            if (!(spans.top[column] <= spans.bottom[column])) continue;
            const float top = std::max(spans.top[column] - thickness / 2, 0.0f);
            const float bottom = std::min(spans.bottom[column] + thickness / 2, most);
            if (!(top < bottom)) continue;
            std::uint32_t* pixels = m_pixels.data() + column * m_height;
            const auto first = static_cast<std::size_t>(top), last = static_cast<std::size_t>(std::ceil(bottom)) - 1;
            if (first == last) {
                Ink(colour, alpha * (bottom - top)).over(pixels + first, 1);
                continue;
            }
            Ink(colour, alpha * (static_cast<float>(first + 1) - top)).over(pixels + first, 1);
            whole.over(pixels + first + 1, last - first - 1);
            Ink(colour, alpha * (bottom - static_cast<float>(last))).over(pixels + last, 1);
        }
    }

    void copyTo(QImage& image) const {
        for (std::size_t row = 0; row < m_height; ++row) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(row)));
            for (int column = 0; column < image.width(); ++column)
                line[column] = m_pixels[static_cast<std::size_t>(column) * m_height + row];
        }
    }

private:
    /// A colour with its share of a pixel: two channels at a time.
    struct Ink {
        std::uint32_t colour, keep;
        Ink(const QColor& from, float share) {
            const auto part = [&](int channel) { return static_cast<int>(static_cast<float>(channel) * share + 0.5f); };
            colour = qRgba(part(from.red()), part(from.green()), part(from.blue()), part(255));
            keep = 256 - static_cast<std::uint32_t>(share * 256 + 0.5f);
        }
        void over(std::uint32_t* pixels, std::size_t count) const {
            constexpr std::uint32_t kMask = 0x00ff00ff;
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint32_t odd = ((pixels[i] & kMask) * keep >> 8) & kMask;
                const std::uint32_t even = (pixels[i] >> 8 & kMask) * keep & ~kMask;
                pixels[i] = (odd | even) + colour;
            }
        }
    };

    std::size_t m_height;
    std::vector<std::uint32_t> m_pixels;
};

}  // namespace

bool isDense(const ChartState& state) {
    if (state.curves.size() > MetricChart::kMaxChartSeries) return true;
    double way = 0;
    for (const Curve& curve : state.curves) {
        const QPointF* before = nullptr;
        for (const QPointF& point : curve.points) {
            const bool isDrawn = state.drawable(point.y());
            if (isDrawn && before != nullptr)
                way += std::fabs(state.pixelX(point.x()) - state.pixelX(before->x())) +
                       std::fabs(state.pixelY(point.y()) - state.pixelY(before->y()));
            before = isDrawn ? &point : nullptr;
        }
        if (way > kMostWayPixels) return true;
    }
    return false;
}

QImage drawCurves(const ChartState& state, qreal ratio) {
    const QSize size = (state.plot.size() * ratio).toSize();
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) return image;
    image.setDevicePixelRatio(ratio);
    const auto columns = static_cast<std::size_t>(size.width());
    Columns pixels(columns, static_cast<std::size_t>(size.height()));
    Spans spans{std::vector<float>(columns), std::vector<float>(columns)};
    const double left = state.plot.left(), top = state.plot.top();
    const bool isCrowded = state.curves.size() > MetricChart::kMaxChartSeries;
    const auto cover = [&](const QVector<QPointF>& points) {
        float x0 = 0, y0 = kNone;
        for (const QPointF& point : points) {
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
    };
    for (const Curve& curve : state.curves) {
        if (isCrowded || curve.low.isEmpty()) continue;
        spans.reset();
        cover(curve.low);
        cover(curve.high);
        const QColor band = state.bandOf(curve);
        pixels.blend(spans, band, static_cast<float>(band.alphaF()), 0);
    }
    for (const Curve& curve : state.curves) {
        spans.reset();
        cover(curve.points);
        const float alpha = curve.faint ? kFaintAlpha : isCrowded ? kLineAlpha : kFewAlpha;
        const float thickness = curve.faint || isCrowded ? 1.0f : kFewThickness;
        pixels.blend(spans, state.colourOf(curve), alpha, thickness * static_cast<float>(ratio));
    }
    pixels.copyTo(image);
    return image;
}

}  // namespace slipway::gui
