// The one table of colours and sizes (look.md 3). Widgets, delegates and charts read the same struct.
//   painter.fillRect(r, theme().sunken);   painter.setPen(theme().hue(Hue::Blue));   int pad = px(16);
#pragma once

#include <QColor>
#include <QFont>
#include <array>

class QApplication;
class QPalette;

namespace slipway::gui {

/// Categorical colours in their fixed order; each index has one hex for light and one for dark.
enum class Hue { Blue, Orange, Teal, Rose, Sky, Violet, Ochre, Umber };
constexpr int kNumHues = 8;

struct Theme {
    bool dark = false;
    QColor window, panel, sunken;              ///< frame / panes / empty part of bars
    QColor field, hover, selection;            ///< edits / row under the mouse / selected row (text keeps its colour)
    QColor line, grid, line2;                  ///< pane edges / rows and chart grid / control borders and axes
    QColor text, text2, text3;                 ///< content / labels and units / n/a and placeholders
    QColor accent, fill, onFill;               ///< links and focus / primary button / its text
    QColor ok, warn, bad, idle;                ///< state text and icons
    QColor warnBackground, badBackground;      ///< notices / failed cells
    QColor tip, tipText;                       ///< tool tips
    std::array<QColor, kNumHues> categorical;  ///< indexed by Hue
    std::array<QColor, 8> sequential;          ///< low to high; low is always near the panel

    static Theme light();
    static Theme darkTheme();
    /// For a high-contrast platform palette: roles come from the palette, data colours from the nearest theme.
    static Theme fromPalette(const QPalette& palette);

    [[nodiscard]] QColor hue(Hue h) const { return categorical[static_cast<std::size_t>(h)]; }
    /// Colour of the index-th series; repeats after eight, where dash patterns continue to differ.
    [[nodiscard]] QColor series(int index) const { return categorical[static_cast<std::size_t>(index % kNumHues)]; }
    /// Sequential ramp at t in [0, 1], interpolated; out-of-range values are clamped.
    [[nodiscard]] QColor ramp(double t) const;
    [[nodiscard]] QPalette palette() const;
};

/// Contrast ratio of WCAG 2 (relative luminance of sRGB), 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);
/// White or #14181D (black where both contrast too little), the one with more contrast to the background (cells of heat
/// maps, values inside bars).
QColor inkOn(const QColor& background);

/// The current theme. It lives as long as the application's palette, which it mirrors.
const Theme& theme();
/// Sets style, palette, tool-tip palette and theme() of the application.
void applyTheme(QApplication& app, const Theme& theme);
/// True if the application's palette, as supplied by the platform, is dark (Qt 6.4 has no colour-scheme hint).
bool isDarkPalette(const QPalette& palette);

/// Logical pixels: look.md's sizes are given for a 13 px system font and scale with it.
int px(double units);
/// The system font at a size relative to it. Two weights only: normal and demi-bold.
QFont fontOf(double relativeSize, bool demiBold = false);
/// Height of a line of text at a size relative to the system font: px(units), more for taller fonts (such as CJK).
int lineHeight(double units, double relativeSize = 1.0);
constexpr double kAnswerSize = 1.54;
constexpr double kTitleSize = 1.31;
constexpr double kSideSize = 0.92;
constexpr double kAxisSize = 0.88;

}  // namespace slipway::gui
