// A drawing as shapes, independent of the page: HTML writes them as SVG, PDF and the window paint them.
//   Drawing drawing(560, 120, "Ring of 4 ranks");   drawing.rect(0, 0, 60, 40, "c0");
// Colours are names of the page's style (html_style.cpp, pdf_look.cpp, the window's drawing_view.cpp), so one drawing serves light, dark
// and paper.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slipway {

/// Units are pixels of a page of HTML; y grows downwards.
class Drawing {
public:
    struct Point {
        double x = 0, y = 0;
    };
    struct Rect {
        double x, y, width, height;
        std::string look;
    };
    /// One or more lines; a closed one is filled.
    struct Path {
        std::vector<std::vector<Point>> lines;
        bool isClosed = false;
        std::string look;
        std::string title;  ///< shown under the pointer
    };
    struct Text {
        double x, y;  ///< of the base line
        std::string text;
        std::string look;
        const char* anchor;  ///< "start", "middle" or "end"
    };
    using Shape = std::variant<Rect, Path, Text>;

    Drawing(double width, double height, std::string label = {})
        : m_width(width), m_height(height), m_label(std::move(label)) {}

    void rect(double x, double y, double width, double height, const std::string& look);
    void line(double x1, double y1, double x2, double y2, const std::string& look);
    void text(double x, double y, const std::string& text, const std::string& look, const char* anchor = "start");
    void path(std::vector<std::vector<Point>> lines, bool isClosed, const std::string& look,
              const std::string& title = {});

    [[nodiscard]] double width() const { return m_width; }
    [[nodiscard]] double height() const { return m_height; }
    [[nodiscard]] const std::string& label() const { return m_label; }  ///< for screen readers
    [[nodiscard]] const std::vector<Shape>& shapes() const { return m_shapes; }

private:
    double m_width;
    double m_height;
    std::string m_label;
    std::vector<Shape> m_shapes;
};

/// One sample of a legend, kSampleWidth x kSampleHeight, and its name.
struct LegendEntry {
    Drawing sample;
    std::string name;
};
constexpr double kSampleWidth = 26;
constexpr double kSampleHeight = 12;

}  // namespace slipway
