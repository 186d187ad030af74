#include "core/report/pdf_look.h"

#include <map>
#include <sstream>
#include <utility>

namespace slipway {
namespace {

constexpr unsigned kText = 0x1A1E24, kQuiet = 0x5F6772, kBad = 0xB3261E;
constexpr unsigned kPalette[] = {0x124F8C, 0xE46413, 0x1F7E72, 0x860659, 0x1F91DB, 0x7544D2, 0x6C500D, 0x361C15};
constexpr unsigned kShades[] = {0xE3EDF6, 0xC3D9EC, 0x97BFDF, 0x4D8BBF, 0x2A6CA8, 0x124F8C};

PdfLook filled(unsigned colour, double textSize = 12, bool isBold = false) {
    PdfLook look;
    look.fill = colour;
    look.textSize = textSize;
    look.isBold = isBold;
    return look;
}

PdfLook stroked(unsigned colour, double width, std::vector<double> dash = {}, std::optional<unsigned> fill = {}) {
    PdfLook look;
    look.fill = fill;
    look.stroke = colour;
    look.lineWidth = width;
    look.dash = std::move(dash);
    return look;
}

const std::map<std::string, PdfLook>& named() {
    static const std::map<std::string, PdfLook> all{
        {"text", filled(kText)},
        {"second", filled(0x525A65)},
        {"quiet", filled(kQuiet)},
        {"good", filled(0x17703A)},
        {"warn", filled(0x8A5A00)},
        {"bad", filled(kBad)},
        {"ink", filled(kText)},
        {"paper", filled(0xFFFFFF)},
        {"on", filled(0xFFFFFF)},
        {"sunken", filled(0xEAECEF)},
        {"area", filled(0xE3EDF6)},
        {"edge", stroked(0x838A94, 1)},
        {"good-mark", filled(0x17703A)},
        {"bad-mark", filled(kBad)},
        {"tick", filled(0x525A65, 11.5)},
        {"letter", filled(kText, 12, true)},
        {"grid", stroked(0xE6E9ED, 1)},
        {"axis", stroked(0x838A94, 1)},
        {"rule", stroked(0x838A94, 0.6)},
        {"hair", stroked(0xDADDE2, 0.5)},
        {"bar", filled(kPalette[0])},
        {"mark", stroked(kPalette[1], 2.5)},
        {"interval", stroked(kPalette[1], 1.2)},
        {"tickmark", stroked(kText, 2.5)},
        {"reference", stroked(0x525A65, 1.2, {6, 4})},
        {"curve", stroked(kText, 1.7)},
        {"nonfinite", filled(kBad)},
        {"cell", PdfLook()},
        {"hole", stroked(0x838A94, 0.8, {3, 3}, 0xEAECEF)},
        {"broken", stroked(kBad, 0.8, {3, 3}, 0xFDECEA)},
    };
    return all;
}

void addLook(PdfLook& look, const std::string& name) {
    static const std::map<char, std::vector<double>> dashes{
        {'1', {7, 3}}, {'2', {2, 3}}, {'3', {7, 3, 2, 3}}, {'4', {10, 4}}};
    if (const auto at = named().find(name); at != named().end()) look = at->second;
    if (name == "small") look.textSize = 10.5;
    if (name.size() != 2 || name[1] < '0' || name[1] > '7') return;
    const auto index = static_cast<std::size_t>(name[1] - '0');
    switch (name[0]) {
        case 'c':
        case 't': look.fill = kPalette[index]; break;
        case 's': look.stroke = kPalette[index]; break;
        case 'h': look.fill = kShades[index < 6 ? index : 5]; break;
        case 'm':
            if (index > 0) look.stroke = kPalette[index + 1];
            if (index == 1) look.dash = {3, 2};
            break;
        case 'd':
            if (const auto dash = dashes.find(name[1]); dash != dashes.end()) look.dash = dash->second;
            break;
        default: break;
    }
}

}  // namespace

PdfLook pdfLook(const std::string& names) {
    PdfLook look = named().at("text");
    std::istringstream words(names);
    std::string name;
    while (words >> name) addLook(look, name);
    return look;
}

}  // namespace slipway
