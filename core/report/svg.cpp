#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/report/drawing.h"
#include "core/report/pdf_look.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slipway {

namespace {

/// A coordinate with at most two decimals.
std::string coordinate(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    std::string text = buffer;
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string hex(unsigned colour) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "#%06X", colour);
    return buffer;
}

/// A name of the page's style, or, in a separate file, its look on paper.
std::string lookOf(const std::string& names, bool isAlone, bool isText) {
    if (!isAlone) return "class=\"" + names + "\"";
    const PdfLook look = pdfLook(names);
    std::string out = "fill=\"" + (look.fill ? hex(*look.fill) : std::string("none")) + "\"";
    if (isText)
        return out + " font-size=\"" + coordinate(look.textSize) + "\"" + (look.isBold ? " font-weight=\"600\"" : "");
    if (!look.stroke) return out;
    out += " stroke=\"" + hex(*look.stroke) + "\" stroke-width=\"" + coordinate(look.lineWidth) + "\"";
    std::string dashes;
    for (const double dash : look.dash) dashes += (dashes.empty() ? "" : " ") + coordinate(dash);
    return dashes.empty() ? out : out + " stroke-dasharray=\"" + dashes + "\"";
}

struct ShapeWriter {
    bool isAlone = false;

    std::string operator()(const Drawing::Rect& r) const {
        return "<rect " + lookOf(r.look, isAlone, false) + " x=\"" + coordinate(r.x) + "\" y=\"" + coordinate(r.y) +
               "\" width=\"" + coordinate(r.width) + "\" height=\"" + coordinate(r.height) + "\"/>\n";
    }

    std::string operator()(const Drawing::Path& path) const {
        std::string data;
        for (const auto& line : path.lines) {
            for (const auto& [x, y] : line)
                data += (data.empty() || &line.front().x == &x ? "M" : "L") + coordinate(x) + " " + coordinate(y);
            if (path.isClosed) data += "z";
        }
        return "<path " + lookOf(path.look, isAlone, false) + " d=\"" + data + "\"" +
               (path.title.empty() ? "/>\n" : "><title>" + UntrustedText(path.title).html() + "</title></path>\n");
    }

    std::string operator()(const Drawing::Text& text) const {
        return "<text " + lookOf(text.look, isAlone, true) + " x=\"" + coordinate(text.x) + "\" y=\"" +
               coordinate(text.y) + "\" text-anchor=\"" + text.anchor + "\">" + UntrustedText(text.text).html() +
               "</text>\n";
    }
};

}  // namespace

std::string tickText(double value, NumberFormat format) {
    return format == nullptr ? formatSignificant(value, 3) : format(value);
}

void Drawing::rect(double x, double y, double width, double height, const std::string& look) {
    m_shapes.emplace_back(Rect{x, y, std::max(0.0, width), std::max(0.0, height), look});
}

void Drawing::line(double x1, double y1, double x2, double y2, const std::string& look) {
    m_shapes.emplace_back(Path{{{{x1, y1}, {x2, y2}}}, false, look, {}});
}

void Drawing::text(double x, double y, const std::string& text, const std::string& look, const char* anchor) {
    m_shapes.emplace_back(Text{x, y, text, look, anchor});
}

void Drawing::path(std::vector<std::vector<Point>> lines, bool isClosed, const std::string& look,
                   const std::string& title) {
    m_shapes.emplace_back(Path{std::move(lines), isClosed, look, title});
}

Drawing draw(const PictureFigure& figure) {
    return figure.drawing;
}

std::vector<LegendEntry> legendOf(const PictureFigure& figure) {
    return figure.legend;
}

std::optional<DrawnFigure> drawnFigure(const Block& block) {
    return std::visit(
        []<class T>(const T& figure) -> std::optional<DrawnFigure> {
            if constexpr (requires { draw(figure); })
                if constexpr (requires { figure.unit; })
                    return DrawnFigure{figure.title, figure.unit, figure.caption, legendOf(figure), draw(figure)};
                else
                    return DrawnFigure{figure.title, {}, figure.caption, legendOf(figure), draw(figure)};
            else
                return std::nullopt;
        },
        block);
}

std::string toSvg(const Drawing& drawing) {
    const std::string& label = drawing.label();
    std::string out = "<svg viewBox=\"0 0 " + coordinate(drawing.width()) + " " + coordinate(drawing.height()) +
                      "\" width=\"" + coordinate(drawing.width()) + "\" height=\"" + coordinate(drawing.height()) +
                      (label.empty() ? "\" aria-hidden=\"true\">\n"
                                     : "\" role=\"img\" aria-label=\"" + UntrustedText(label).html() + "\">\n");
    for (const Drawing::Shape& shape : drawing.shapes()) out += std::visit(ShapeWriter{}, shape);
    return out + "</svg>";
}

std::string toSvgFile(const Drawing& drawing) {
    const std::string width = coordinate(drawing.width()), height = coordinate(drawing.height());
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height +
                      "\" width=\"" + width + "\" height=\"" + height + "\" role=\"img\" aria-label=\"" +
                      UntrustedText(drawing.label()).html() +
                      "\" font-family=\"system-ui, Noto Sans, Noto Sans CJK KR, sans-serif\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n";
    for (const Drawing::Shape& shape : drawing.shapes()) out += std::visit(ShapeWriter{true}, shape);
    return out + "</svg>\n";
}

double textWidth(const std::string& text) {
    double width = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if ((c & 0xC0) == 0x80) continue;  // counted with the first byte of the character
        if (c >= 0xE3 && c != 0xE2)
            width += 12;
        else if (std::string("iljtfr.,:;'|!()[] ").find(static_cast<char>(c)) != std::string::npos)
            width += 3.9;
        else if (std::string("mwMW%").find(static_cast<char>(c)) != std::string::npos)
            width += 10.2;
        else if (c >= 'A' && c <= 'Z')
            width += 8.2;
        else
            width += 6.9;
    }
    return width;
}

std::string fitted(const std::string& text, double width) {
    if (textWidth(text) <= width) return text;
    std::string cut = text;
    while (!cut.empty() && textWidth(cut) > width - 8) {
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
        if (!cut.empty()) cut.pop_back();
    }
    return cut + "…";
}

bool differByRounding(double low, double high) {
    return high - low <= 1e-12 * std::max(std::fabs(low), std::fabs(high));
}

std::vector<double> roundTicks(double low, double high) {
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || differByRounding(low, high)) return {low};
    // Steps of 1, 2, 2.5 and 5 times a power of ten: the finest with at most six ticks.
    const double raw = (high - low) / 5;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= raw * 0.999 && (factor != 2.5 || power != 1)) {  // 2.5 between whole numbers looks odd
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
        ticks.push_back(i == 0 ? 0.0 : i * step);  // never -0
    return ticks;
}

}  // namespace slipway
