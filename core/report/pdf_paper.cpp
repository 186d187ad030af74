#include "core/report/pdf_paper.h"

#include "core/base/untrusted_text.h"
#include "core/base/version.h"
#include "core/report/pdf_look.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace slipway {
namespace {

/// For each character the first available font is used; the fonts of Debian's fonts-noto packages.
constexpr const char* kFonts = "Noto Sans,Noto Sans CJK KR,Noto Sans CJK JP,sans-serif";

struct Release {
    void operator()(gpointer object) const { g_object_unref(object); }
    void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class T>
using Held = std::unique_ptr<T, Release>;

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

bool isDate(const std::string& text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U})
        if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    return true;
}

}  // namespace

struct PdfPaper::Impl {
    std::string bytes;
    Held<cairo_surface_t> surface;
    Held<cairo_t> cairo;
    Held<PangoFontMap> fonts;
    Held<PangoContext> context;
    Held<PangoLayout> layout;
    int page = 1;

    void set(const std::string& text, double size, bool isBold, double width) {
        const Held<PangoFontDescription> font(pango_font_description_new());
        pango_font_description_set_family(font.get(), kFonts);
        pango_font_description_set_weight(font.get(), isBold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
        pango_font_description_set_absolute_size(font.get(), size * PANGO_SCALE);
        pango_layout_set_font_description(layout.get(), font.get());
        const std::string plain = UntrustedText(text).plain();
        pango_layout_set_text(layout.get(), plain.data(), static_cast<int>(plain.size()));
        pango_layout_set_width(layout.get(), width > 0 ? static_cast<int>(width * PANGO_SCALE) : -1);
    }
    [[nodiscard]] Size size() const {
        PangoRectangle logical;
        pango_layout_get_extents(layout.get(), nullptr, &logical);
        return {static_cast<double>(logical.width) / PANGO_SCALE, static_cast<double>(logical.height) / PANGO_SCALE};
    }
    void colour(unsigned rgb) {
        cairo_set_source_rgb(cairo.get(), ((rgb >> 16) & 0xFF) / 255.0, ((rgb >> 8) & 0xFF) / 255.0,
                             (rgb & 0xFF) / 255.0);
    }
    /// Fills and strokes the path that was built.
    void paint(const PdfLook& look, bool fills) {
        if (fills && look.fill) {
            colour(*look.fill);
            look.stroke ? cairo_fill_preserve(cairo.get()) : cairo_fill(cairo.get());
        }
        if (look.stroke) {
            colour(*look.stroke);
            cairo_set_line_width(cairo.get(), look.lineWidth);
            cairo_set_dash(cairo.get(), look.dash.data(), static_cast<int>(look.dash.size()), 0);
            cairo_stroke(cairo.get());
        }
        cairo_new_path(cairo.get());
    }

    void operator()(const Drawing::Rect& r) {
        cairo_rectangle(cairo.get(), r.x, r.y, r.width, r.height);
        paint(pdfLook(r.look), true);
    }
    void operator()(const Drawing::Path& path) {
        for (const auto& points : path.lines) {
            for (const Drawing::Point& p : points)
                &p == &points.front() ? cairo_move_to(cairo.get(), p.x, p.y) : cairo_line_to(cairo.get(), p.x, p.y);
            if (path.isClosed) cairo_close_path(cairo.get());
        }
        paint(pdfLook(path.look), path.isClosed);
    }
    void operator()(const Drawing::Text& text) {
        const PdfLook look = pdfLook(text.look);
        set(text.text, look.textSize, look.isBold, 0);
        const double width = size().width;
        const double left = text.anchor == std::string("end")      ? text.x - width
                            : text.anchor == std::string("middle") ? text.x - width / 2
                                                                   : text.x;
        const double above = static_cast<double>(pango_layout_get_baseline(layout.get())) / PANGO_SCALE;
        colour(look.fill.value_or(0));
        cairo_move_to(cairo.get(), left, text.y - above);
        pango_cairo_show_layout(cairo.get(), layout.get());
        cairo_new_path(cairo.get());
    }
};

PdfPaper::PdfPaper(const std::string& title, const std::string& author, const std::string& date, Language language)
    : m_impl(std::make_unique<Impl>()) {
    Impl& d = *m_impl;
    d.surface.reset(cairo_pdf_surface_create_for_stream(append, &d.bytes, kPaperWidth, kPaperHeight));
    const auto note = [&](cairo_pdf_metadata_t what, const std::string& text) {
        if (!text.empty()) cairo_pdf_surface_set_metadata(d.surface.get(), what, UntrustedText(text).plain().c_str());
    };
    note(CAIRO_PDF_METADATA_TITLE, title);
    note(CAIRO_PDF_METADATA_AUTHOR, author);
    note(CAIRO_PDF_METADATA_CREATOR, "Slipway " + versionText());
    note(CAIRO_PDF_METADATA_CREATE_DATE, (isDate(date) ? date : "1970-01-01") + "T00:00:00Z");
    d.cairo.reset(cairo_create(d.surface.get()));
    // A separate font map: the default one belongs to the thread and keeps others' settings.
    d.fonts.reset(pango_cairo_font_map_new());
    d.context.reset(pango_font_map_create_context(d.fonts.get()));
    pango_context_set_language(d.context.get(), pango_language_from_string(language == Language::Korean ? "ko" : "en"));
    pango_context_set_base_dir(d.context.get(), PANGO_DIRECTION_LTR);
    pango_context_set_round_glyph_positions(d.context.get(), FALSE);
    const Held<cairo_font_options_t> options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(d.context.get(), options.get());
    pango_cairo_context_set_resolution(d.context.get(), 72);
    d.layout.reset(pango_layout_new(d.context.get()));
    pango_layout_set_wrap(d.layout.get(), PANGO_WRAP_WORD_CHAR);
    pango_layout_set_auto_dir(d.layout.get(), FALSE);
}

PdfPaper::~PdfPaper() = default;

PdfPaper::Size PdfPaper::measure(const std::string& text, const Type& type, double width) {
    m_impl->set(text, type.size, type.isBold, width);
    return m_impl->size();
}

double PdfPaper::text(Drawing::Point corner, const std::string& text, const Type& type, double width, Side side) {
    const Size size = measure(text, type, width);
    m_impl->colour(pdfLook(type.look).fill.value_or(0));
    cairo_move_to(m_impl->cairo.get(), corner.x - (side == Side::Right ? size.width : 0), corner.y);
    pango_cairo_show_layout(m_impl->cairo.get(), m_impl->layout.get());
    cairo_new_path(m_impl->cairo.get());
    return size.height;
}

void PdfPaper::line(Drawing::Point from, Drawing::Point to, const char* look) {
    (*m_impl)(Drawing::Path{{{from, to}}, false, look, {}});
}

void PdfPaper::draw(const Drawing& drawing, Drawing::Point corner, double scale) {
    cairo_t* cairo = m_impl->cairo.get();
    cairo_save(cairo);
    cairo_translate(cairo, corner.x, corner.y);
    cairo_scale(cairo, scale, scale);
    for (const Drawing::Shape& shape : drawing.shapes()) std::visit(*m_impl, shape);
    cairo_restore(cairo);
}

void PdfPaper::outline(const std::string& title) {
    const std::string name = UntrustedText(title).plain(), place = "page=" + std::to_string(m_impl->page);
    cairo_pdf_surface_add_outline(m_impl->surface.get(), CAIRO_PDF_OUTLINE_ROOT, name.c_str(), place.c_str(),
                                  static_cast<cairo_pdf_outline_flags_t>(0));
}

void PdfPaper::nextPage() {
    cairo_show_page(m_impl->cairo.get());
    ++m_impl->page;
}

int PdfPaper::page() const {
    return m_impl->page;
}

Result<std::string> PdfPaper::finish() {
    cairo_show_page(m_impl->cairo.get());
    cairo_surface_finish(m_impl->surface.get());
    const cairo_status_t status = cairo_surface_status(m_impl->surface.get());
    if (status != CAIRO_STATUS_SUCCESS)
        return fail("pdf_failed", "The PDF cannot be written: %1."_text(std::string(cairo_status_to_string(status))));
    return std::move(m_impl->bytes);
}

}  // namespace slipway
