#include "core/report/escape.h"

#include <cmath>
#include <cstdio>
#include <string_view>

namespace slipway {

std::string escapeHtml(const std::string& text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
        }
    }
    return out;
}

std::string escapeMarkdown(const std::string& text) {
    static constexpr std::string_view kSpecial = "\\`*_{}[]()<>#|!~&";
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t') {
            out += ' ';
            continue;
        }
        if (static_cast<unsigned char>(c) < 0x20) continue;
        // Parentheses only matter after a bracket, which is escaped; leaving them keeps units readable.
        if (c != '(' && c != ')' && kSpecial.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string csvText(const std::string& text) {
    std::string safe = text;
    // The full-width twins of = + - @ start a formula in some spreadsheets, too.
    static constexpr const char* kWide[] = {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    bool risky = !safe.empty() && std::string_view("=+-@\t\r\n").find(safe.front()) != std::string_view::npos;
    for (const char* wide : kWide) risky = risky || safe.starts_with(wide);
    if (risky) safe.insert(safe.begin(), '\'');
    if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
    std::string out = "\"";
    for (const char c : safe) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string csvNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    // The shortest text that reads back to the same value.
    for (int digits = 1; digits < 17; ++digits) {
        char shorter[40];
        std::snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (std::stod(shorter) == value) return shorter;
    }
    return buffer;
}

}  // namespace slipway
