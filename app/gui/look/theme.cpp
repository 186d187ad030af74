#include "app/gui/look/theme.h"

#include "app/gui/look/style.h"

#include <QApplication>
#include <QFontInfo>
#include <QFontMetrics>
#include <QPalette>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

Theme& storedTheme() {
    static Theme current = Theme::light();
    return current;
}

template <std::size_t N>
std::array<QColor, N> colours(const std::array<const char*, N>& names) {
    std::array<QColor, N> out;
    for (std::size_t i = 0; i < N; ++i) out[i] = QColor(names[i]);
    return out;
}

constexpr std::array<const char*, 8> kRamp{"#E9F3EE", "#C3E3DA", "#8FCBC5", "#57ABB2",
                                           "#37859F", "#2A5F86", "#1F3B63", "#161F3D"};

// Relative luminance, WCAG 2.1: linearised sRGB weighted 0.2126, 0.7152, 0.0722.
double luminance(const QColor& c) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

}  // namespace

Theme Theme::light() {
    Theme t;
    t.window = "#F3F4F6";
    t.panel = "#FFFFFF";
    t.sunken = "#EAECEF";
    t.field = "#FFFFFF";
    t.hover = "#EEF1F5";
    t.selection = "#DCE8F4";
    t.line = "#DADDE2";
    t.grid = "#E6E9ED";
    t.line2 = "#838A94";
    t.text = "#1A1E24";
    t.text2 = "#525A65";
    t.text3 = "#5F6772";
    t.accent = "#17598F";
    t.fill = "#17598F";
    t.onFill = "#FFFFFF";
    t.ok = "#17703A";
    t.warn = "#8A5A00";
    t.bad = "#B3261E";
    t.idle = "#5E6670";
    t.warnBackground = "#FFF6E0";
    t.badBackground = "#FDECEA";
    t.tip = "#23282F";
    t.tipText = "#F2F4F6";
    t.categorical =
        colours<8>({"#124F8C", "#E46413", "#1F7E72", "#860659", "#1F91DB", "#7544D2", "#6C500D", "#361C15"});
    t.sequential = colours<8>(kRamp);
    return t;
}

Theme Theme::darkTheme() {
    Theme t;
    t.dark = true;
    t.window = "#1A1D20";
    t.panel = "#22262A";
    t.sunken = "#15171A";
    t.field = "#1B1E22";
    t.hover = "#2A2F35";
    t.selection = "#2B3B50";
    t.line = "#343A41";
    t.grid = "#2E3339";
    t.line2 = "#7A838E";
    t.text = "#E7EAED";
    t.text2 = "#AAB2BC";
    t.text3 = "#A0A9B4";
    t.accent = "#8AB8F5";
    t.fill = "#3872C4";
    t.onFill = "#FFFFFF";
    t.ok = "#6CC98A";
    t.warn = "#E5B454";
    t.bad = "#FF8A80";
    t.idle = "#A0A9B4";
    t.warnBackground = "#3A3016";
    t.badBackground = "#43211F";
    t.tip = "#3A4149";
    t.tipText = "#F2F4F6";
    t.categorical =
        colours<8>({"#5578EA", "#E99014", "#2FD8A4", "#E45196", "#BCE7F9", "#C598F5", "#F5DB34", "#B75710"});
    auto reversed = kRamp;
    std::reverse(reversed.begin(), reversed.end());
    t.sequential = colours<8>(reversed);
    return t;
}

Theme Theme::fromPalette(const QPalette& palette) {
    Theme t = isDarkPalette(palette) ? darkTheme() : light();
    t.window = palette.color(QPalette::Window);
    t.panel = t.field = palette.color(QPalette::Base);
    t.sunken = t.hover = palette.color(QPalette::AlternateBase);
    t.text = t.text2 = t.text3 = palette.color(QPalette::Text);
    t.line = t.line2 = palette.color(QPalette::WindowText);
    t.accent = palette.color(QPalette::Link);
    t.fill = palette.color(QPalette::Highlight);
    t.onFill = palette.color(QPalette::HighlightedText);
    return t;
}

QColor Theme::ramp(double t) const {
    const double place = std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * static_cast<double>(sequential.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(place), sequential.size() - 2);
    const double part = place - static_cast<double>(low);
    const QColor a = sequential[low];
    const QColor b = sequential[low + 1];
    const auto mix = [part](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * part)); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, panel);
    p.setColor(QPalette::AlternateBase, sunken);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::Button, panel);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, onFill);
    p.setColor(QPalette::PlaceholderText, text3);
    p.setColor(QPalette::Highlight, selection);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, tip);
    p.setColor(QPalette::ToolTipText, tipText);
    p.setColor(QPalette::Light, panel);
    p.setColor(QPalette::Midlight, hover);
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, line2);
    p.setColor(QPalette::Shadow, line2);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, text3);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, text3);
    return p;
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

QColor inkOn(const QColor& background) {
    const QColor dark(0x14, 0x18, 0x1D);
    const QColor white(Qt::white);
    const QColor best = contrastRatio(white, background) >= contrastRatio(dark, background) ? white : dark;
    // In the middle of the ramp both are below 4.6; black reaches it.
    return contrastRatio(best, background) >= 4.6                                   ? best
           : contrastRatio(Qt::black, background) > contrastRatio(best, background) ? QColor(Qt::black)
                                                                                    : best;
}

const Theme& theme() {
    return storedTheme();
}

bool isDarkPalette(const QPalette& palette) {
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

void applyTheme(QApplication& app, const Theme& theme) {
    storedTheme() = theme;
    app.setStyle(new SlipwayStyle);  // QApplication owns its style
    app.setPalette(theme.palette());
    QToolTip::setPalette(theme.palette());
}

int px(double units) {
    const double size = QFontInfo(QApplication::font()).pixelSize();
    return static_cast<int>(std::lround(units * std::max(size, 8.0) / 13.0));
}

QFont fontOf(double relativeSize, bool demiBold) {
    QFont font = QApplication::font();
    font.setPixelSize(std::max(8, static_cast<int>(std::lround(QFontInfo(font).pixelSize() * relativeSize))));
    font.setWeight(demiBold ? QFont::DemiBold : QFont::Normal);
    return font;
}

int lineHeight(double units, double relativeSize) {
    return std::max(px(units), QFontMetrics(fontOf(relativeSize)).height());
}

}  // namespace slipway::gui
