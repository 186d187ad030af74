#include "core/report/svg_canvas.h"

#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slipway {

std::string coordinate(double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.2f", value);
    std::string text = buffer;
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string tickText(double value, std::string (*format)(double)) {
    return format == nullptr ? formatSignificant(value, 3) : format(value);
}

SvgCanvas::SvgCanvas(double width, double height, const std::string& label)
    : m_width(width), m_height(height), m_label(UntrustedText(label).html()) {}

void SvgCanvas::rect(double x, double y, double width, double height, const std::string& cssClass) {
    m_body += "<rect class=\"" + cssClass + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" +
              coordinate(std::max(0.0, width)) + "\" height=\"" + coordinate(std::max(0.0, height)) + "\"/>\n";
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, const std::string& cssClass) {
    m_body += "<line class=\"" + cssClass + "\" x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" +
              coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>\n";
}

void SvgCanvas::text(double x, double y, const std::string& text, const std::string& cssClass, const char* anchor) {
    m_body += "<text class=\"" + cssClass + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) +
              "\" text-anchor=\"" + anchor + "\">" + UntrustedText(text).html() + "</text>\n";
}

void SvgCanvas::path(const std::string& points, const std::string& cssClass, const std::string& title) {
    m_body += "<path class=\"" + cssClass + "\" d=\"" + points + "\"";
    m_body += title.empty() ? "/>\n" : "><title>" + UntrustedText(title).html() + "</title></path>\n";
}

std::string SvgCanvas::finish() const {
    return "<svg viewBox=\"0 0 " + coordinate(m_width) + " " + coordinate(m_height) + "\" width=\"" +
           coordinate(m_width) + "\" height=\"" + coordinate(m_height) + "\" role=\"img\" aria-label=\"" + m_label +
           "\">\n" + m_body + "</svg>\n";
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

std::vector<double> roundTicks(double low, double high) {
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {low};
    // Steps of 1, 2, 2.5 and 5 times a power of ten: the finest that gives at most six ticks.
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
