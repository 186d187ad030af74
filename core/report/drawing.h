// A figure as shapes, before a page is chosen: HTML writes them as SVG, PDF paints them.
//   Drawing drawing = draw(figure);   toSvg(drawing);
// Colours are names of the page's style (html_style.cpp, pdf_look.cpp), so one drawing serves light, dark and paper.
#pragma once

#include "core/report/report.h"

#include <string>
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
    [[nodiscard]] const std::string& label() const { return m_label; }  ///< for readers that do not see it
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

/// Wider drawings take the whole width of a page.
constexpr double kFigureWidth = 560;

Drawing draw(const BarFigure& figure);
Drawing draw(const StackFigure& figure);
Drawing draw(const LineFigure& figure);
Drawing draw(const WaterfallFigure& figure);
Drawing draw(const HeatFigure& figure);

std::vector<LegendEntry> legendOf(const BarFigure& figure);
std::vector<LegendEntry> legendOf(const StackFigure& figure);
std::vector<LegendEntry> legendOf(const LineFigure& figure);
std::vector<LegendEntry> legendOf(const WaterfallFigure& figure);
std::vector<LegendEntry> legendOf(const HeatFigure& figure);

/// A figure with all that is written around it.
struct DrawnFigure {
    std::string title, unit, caption;
    std::vector<LegendEntry> legend;
    Drawing drawing;
};
/// Empty where the block is not a figure.
std::optional<DrawnFigure> drawnFigure(const Block& block);

/// An <svg> element; text is escaped here.
std::string toSvg(const Drawing& drawing);

/// 4 to 6 round ticks that cover [low, high]; one tick if the range is empty.
std::vector<double> roundTicks(double low, double high);

/// Width of a text at 12 px in a system sans font, within a few percent; used to reserve space for labels.
double textWidth(const std::string& text);
/// The text, or its beginning with an ellipsis, in at most so many pixels.
std::string fitted(const std::string& text, double width);

/// The figure's format, or three significant digits.
std::string tickText(double value, NumberFormat format);

}  // namespace slipway
