// A growing SVG drawing; only the figure sources use it.
#pragma once

#include <string>

namespace slipway {

class SvgCanvas {
public:
    SvgCanvas(double width, double height, const std::string& label);

    void rect(double x, double y, double width, double height, const std::string& cssClass);
    void line(double x1, double y1, double x2, double y2, const std::string& cssClass);
    /// @param anchor "start", "middle" or "end"; the text is escaped here
    void text(double x, double y, const std::string& text, const std::string& cssClass, const char* anchor = "start");
    /// @param points SVG path data; @param title shown under the pointer, escaped here; may be empty
    void path(const std::string& points, const std::string& cssClass, const std::string& title = {});
    /// Raw, already safe markup.
    void raw(const std::string& markup) { m_body += markup; }

    [[nodiscard]] std::string finish() const;

private:
    double m_width;
    double m_height;
    std::string m_label;
    std::string m_body;
};

/// A coordinate with at most two decimals.
std::string coordinate(double value);

/// The format's text without thin spaces where the figure's title carries the unit already.
std::string tickText(double value, std::string (*format)(double));

}  // namespace slipway
