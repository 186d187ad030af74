// The pages of a PDF, painted with cairo; texts are set by pango. Lengths are points, y grows downwards.
//   PdfPaper paper("Title", "Author", "2026-11-23", Language::Korean);   paper.text({34, 34}, "글", {.size = 9});   paper.finish();
// The same calls give the same bytes on one computer: nothing reads a clock, a locale or a random number.
#pragma once

#include "core/report/drawing.h"

#include <memory>

namespace slipway {

/// A4 landscape.
constexpr double kPaperWidth = 841.89;
constexpr double kPaperHeight = 595.28;
constexpr double kPaperMargin = 34;

class PdfPaper {
public:
    struct Type {
        double size = 9;
        bool isBold = false;
        const char* look = "text";  ///< a colour of the page's style: "text", "quiet", "good", ...
    };
    struct Size {
        double width = 0, height = 0;
    };
    enum class Side { Left, Right };

    /// @param date of the document's creation, as YYYY-MM-DD; any other text counts as 1970-01-01
    PdfPaper(const std::string& title, const std::string& author, const std::string& date, Language language);
    ~PdfPaper();
    PdfPaper(const PdfPaper&) = delete;
    PdfPaper& operator=(const PdfPaper&) = delete;

    /// Size of a text, wrapped to the width; 0: one line.
    [[nodiscard]] Size measure(const std::string& text, const Type& type, double width = 0);
    /// Its upper left corner is at the point, or with Side::Right the right one. @returns its height
    double text(Drawing::Point corner, const std::string& text, const Type& type, double width = 0,
                Side side = Side::Left);
    void line(Drawing::Point from, Drawing::Point to, const char* look);
    /// A drawing with its upper left corner at the point.
    void draw(const Drawing& drawing, Drawing::Point corner, double scale);
    /// An entry for this page in the viewers' table of contents.
    void outline(const std::string& title);
    void nextPage();
    [[nodiscard]] int page() const;

    /// The file; no painting afterwards. "pdf_failed".
    [[nodiscard]] Result<std::string> finish();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway
