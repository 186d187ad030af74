// Style names on paper; html_style.cpp has the same for HTML pages.
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

/// @param names in the form of a class attribute: "curve s0 d1"
PdfLook pdfLook(const std::string& names);

}  // namespace slipway
