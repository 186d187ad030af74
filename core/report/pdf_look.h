// What the names of looks are on paper; html_style.cpp has the same for pages of HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slipway {

struct PdfLook {
    std::optional<unsigned> fill, stroke;  ///< 0xRRGGBB
    double lineWidth = 1;
    std::vector<double> dash;
    double textSize = 12;
    bool isBold = false;
};

/// @param names as a class attribute has them: "curve s0 d1"
PdfLook pdfLook(const std::string& names);

}  // namespace slipway
