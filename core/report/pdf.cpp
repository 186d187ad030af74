// A report on A4 pages: texts, tables that continue with their headers, two figures side by side.
#include "core/report/pdf_paper.h"

#include <algorithm>
#include <array>

namespace slipway {
namespace {

using Type = PdfPaper::Type;
using Side = PdfPaper::Side;

constexpr double kWidth = kPaperWidth - 2 * kPaperMargin;
constexpr double kBottom = kPaperHeight - kPaperMargin - 14;  // above the foot
constexpr double kGap = 24;                                   // between figures side by side
constexpr double kTextWidth = 620;                            // longer lines are hard to read
constexpr double kCellGap = 8;
constexpr double kLatinPixel = 8.0 / 12.0;  // points of a table's text of 8 points to pixels of one of 12

constexpr Type kTable{8, false, "text"};
constexpr Type kSmall{7, false, "quiet"};

const char* lookOf(Tone tone) {
    switch (tone) {
        case Tone::Good: return "good";
        case Tone::Warn: return "warn";
        case Tone::Bad: return "bad";
        case Tone::Quiet: return "quiet";
        case Tone::Plain: return "text";
    }
    return "text";
}

std::string below(const Column& column) {
    return column.note + (column.note.empty() || column.unit.empty() ? "" : ", ") + column.unit;
}

class Writer {
public:
    Writer(const Report& report, int pages)
        : m_report(report), m_pages(pages), m_paper(report.title, report.author, report.date, report.language) {}

    void write() {
        title();
        for (const Section& section : m_report.sections) {
            if (!section.title.empty()) {
                // A heading stays with its contents, and figures after a line or two take much space.
                const auto early = section.blocks.begin() +
                                   static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, section.blocks.size()));
                const bool hasFigures = std::any_of(section.blocks.begin(), early,
                                                    [](const Block& block) { return drawnFigure(block).has_value(); });
                need(hasFigures ? 320 : 90);
                m_paper.outline(section.title);
                m_y += 10;
                add(section.title, {13, true, "text"}, kWidth);
                m_y += 3;
            }
            std::vector<DrawnFigure> figures;
            for (const Block& block : section.blocks) {
                if (auto figure = drawnFigure(block)) {
                    figures.push_back(std::move(*figure));
                    continue;
                }
                draw(figures);
                std::visit(*this, block);
            }
            draw(figures);
        }
        m_y += 8;
        need(20);
        add(m_report.footer, kSmall, kWidth);
        foot();
    }

    [[nodiscard]] int pages() const { return m_paper.page(); }
    Result<std::string> finish() { return m_paper.finish(); }

    void operator()(const Paragraph& paragraph) {
        add(paragraph.text, paragraph.isLead ? Type{11, false, "text"} : Type{9, false, "text"}, kTextWidth);
        m_y += 4;
    }

    void operator()(const Facts& facts) {
        constexpr double kLabels = 130;
        if (!facts.title.empty()) heading(facts.title, "");
        for (const auto& [label, value] : facts.entries) {
            const double height = std::max(m_paper.measure(label, {9}, kLabels - kCellGap).height,
                                           m_paper.measure(value, {9}, kTextWidth).height);
            need(height);
            m_paper.text({kPaperMargin, m_y}, label, {9, false, "second"}, kLabels - kCellGap);
            m_paper.text({kPaperMargin + kLabels, m_y}, value, {9, false, "text"}, kTextWidth);
            m_y += height + 2;
        }
        m_y += 4;
    }

    void operator()(const Table& whole) {
        if (!whole.title.empty()) heading(whole.title, "");
        for (const Table& part : folded(readable(whole), kWidth / kLatinPixel)) table(part);
        if (!whole.caption.empty()) add(whole.caption, {8, false, "second"}, kTextWidth);
        m_y += 4;
    }

    /// Figures are drawn together, see draw().
    template <class Figure>
    void operator()(const Figure&) {}

private:
    void title() {
        add(m_report.title, {18, true, "text"}, kWidth);
        if (const std::string line = authorLine(m_report); !line.empty()) add(line, {9, false, "second"}, kWidth);
        if (!m_report.question.empty()) {
            m_y += 4;
            add(m_report.question, {10, false, "second"}, kTextWidth);
        }
        m_y += 4;
        m_paper.line({kPaperMargin, m_y}, {kPaperMargin + kWidth, m_y}, "rule");
        m_y += 6;
        if (!m_report.summary.empty()) add(m_report.summary, {11.5, false, "text"}, kTextWidth);
    }

    void foot() {
        const double y = kPaperHeight - kPaperMargin;
        m_paper.text({kPaperMargin, y}, fitted(m_report.title, 700), kSmall);
        m_paper.text({kPaperMargin + kWidth, y}, std::to_string(m_paper.page()) + " / " + std::to_string(m_pages),
                     kSmall, 0, Side::Right);
    }

    void nextPage() {
        foot();
        m_paper.nextPage();
        m_y = kPaperMargin;
    }

    [[nodiscard]] bool fits(double height) const { return m_y + height <= kBottom; }
    void need(double height) {
        if (!fits(height) && m_y > kPaperMargin) nextPage();
    }

    /// A text over the full width; a long one is split between words at the end of a page.
    void add(const std::string& text, const Type& type, double width) {
        need(m_paper.measure(text, type, width).height);
        m_y += m_paper.text({kPaperMargin, m_y}, text, type, width) + 2;
    }

    void heading(const std::string& title, const std::string& unit) {
        need(60);
        m_y += 4;
        m_paper.text({kPaperMargin, m_y}, title + (unit.empty() ? "" : ", " + unit), {9.5, true, "text"});
        m_y += 15;
    }

    /// Natural widths; where too wide, texts wrap.
    std::vector<double> widthsOf(const Table& table) {
        std::vector<double> widths(table.columns.size(), 0);
        double all = 0, texts = 0;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const Column& column = table.columns[c];
            double& width = widths[c];
            width = std::max(m_paper.measure(column.title, kTable).width, m_paper.measure(below(column), kSmall).width);
            for (const auto& row : table.rows)
                width = std::max(
                    {width, m_paper.measure(row[c].text, kTable).width, m_paper.measure(row[c].note, kSmall).width});
            width += kCellGap;
            all += width;
            if (!column.isNumber) texts += width;
        }
        if (all <= kWidth) return widths;
        // Short texts keep their width; the others share the rest.
        double share = texts > 0 ? std::max(0.1, 1 - (all - kWidth) / texts) : 1;
        constexpr double kShort = 110;
        double kept = 0;
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (!table.columns[c].isNumber && widths[c] <= kShort) kept += widths[c];
        if (texts > kept) share = std::max(0.1, 1 - (all - kWidth) / (texts - kept));
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (!table.columns[c].isNumber && (widths[c] > kShort || texts <= kept)) widths[c] *= share;
        return widths;
    }

    void head(const Table& table, const std::vector<double>& widths) {
        const bool isGrouped = std::any_of(table.columns.begin(), table.columns.end(),
                                           [](const Column& column) { return !column.group.empty(); });
        double x = kPaperMargin;
        if (isGrouped) {
            for (std::size_t c = 0; c < widths.size();) {
                std::size_t end = c;
                double width = 0;
                do width += widths[end++];
                while (end < widths.size() && !table.columns[c].group.empty() &&
                       table.columns[end].group == table.columns[c].group);
                const std::string& group = table.columns[c].group;
                if (!group.empty()) {
                    const double own = m_paper.measure(group, kTable).width;
                    m_paper.text({x + std::max(0.0, (width - kCellGap - own) / 2), m_y}, group, kTable);
                    m_paper.line({x, m_y + 12}, {x + width - kCellGap, m_y + 12}, "hair");
                }
                x += width;
                c = end;
            }
            m_y += 13;
        }
        double height = 0;
        x = kPaperMargin;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            height = std::max(height, cell(x, widths[c], table.columns[c].isNumber, table.columns[c].title,
                                           {8, false, "second"}, below(table.columns[c])));
            x += widths[c];
        }
        m_y += height + 1;
        m_paper.line({kPaperMargin, m_y}, {x, m_y}, "rule");
        m_y += 2;
    }

    /// @returns its height
    double cell(double x, double width, bool isNumber, const std::string& text, const Type& type,
                const std::string& note) {
        const double inner = width - kCellGap;
        const auto put = [&](double y, const std::string& what, const Type& how) {
            if (what.empty()) return 0.0;
            // A number of a group that is wider than its column stays on one line.
            return isNumber ? m_paper.text({x + inner, y}, what, how, 0, Side::Right)
                            : m_paper.text({x, y}, what, how, inner);
        };
        const double height = put(m_y, text, type);
        return height + put(m_y + height, note, kSmall);
    }

    double rowHeight(const Table& table, const std::vector<Cell>& row, const std::vector<double>& widths) {
        double most = 0;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const double inner = table.columns[c].isNumber ? 0 : widths[c] - kCellGap;
            double height = m_paper.measure(row[c].text, kTable, inner).height;
            if (!row[c].note.empty()) height += m_paper.measure(row[c].note, kSmall, inner).height;
            most = std::max(most, height);
        }
        return most + 4;
    }

    void table(const Table& table) {
        const std::vector<double> widths = widthsOf(table);
        double all = 0;
        for (const double width : widths) all += width;
        const bool hasHead = std::any_of(table.columns.begin(), table.columns.end(),
                                         [](const Column& column) { return !column.title.empty(); });
        need(60);
        if (hasHead) head(table, widths);
        for (const auto& row : table.rows) {
            const double height = rowHeight(table, row, widths);
            if (!fits(height)) {
                nextPage();
                if (hasHead) head(table, widths);
            }
            double x = kPaperMargin;
            for (std::size_t c = 0; c < widths.size(); ++c) {
                cell(x, widths[c], table.columns[c].isNumber, row[c].text, {8, false, lookOf(row[c].tone)},
                     row[c].note);
                x += widths[c];
            }
            m_y += height - 2;
            m_paper.line({kPaperMargin, m_y}, {kPaperMargin + all, m_y}, "hair");
            m_y += 2;
        }
        m_y += 6;
    }

    struct Place {
        double scale = 1, width = 0, height = 0;
    };
    Place placeOf(const DrawnFigure& figure, double width) {
        Place place;
        place.width = width;
        const double room = kBottom - kPaperMargin - 70;
        place.scale = std::min({width / figure.drawing.width(), room / figure.drawing.height(), 0.75});
        place.height = 16 + legend(figure, {}, width, false) + figure.drawing.height() * place.scale + 6;
        if (!figure.caption.empty()) place.height += m_paper.measure(figure.caption, {8}, width).height + 2;
        return place;
    }

    /// @returns its height; paints nothing where it only measures
    double legend(const DrawnFigure& figure, Drawing::Point corner, double width, bool paints) {
        constexpr double kScale = 0.7, kLine = 12;
        if (figure.legend.empty()) return 0;
        double x = 0, y = 0;
        for (const LegendEntry& entry : figure.legend) {
            const double own = kSampleWidth * kScale + 4 + m_paper.measure(entry.name, kTable).width + 12;
            if (x > 0 && x + own > width) {
                x = 0;
                y += kLine;
            }
            if (paints) {
                m_paper.draw(entry.sample, {corner.x + x, corner.y + y + 2}, kScale);
                m_paper.text({corner.x + x + kSampleWidth * kScale + 4, corner.y + y}, entry.name,
                             {8, false, "second"});
            }
            x += own;
        }
        return y + kLine + 3;
    }

    void put(const DrawnFigure& figure, const Place& place, double x) {
        double y = m_y;
        m_paper.text({x, y}, figure.title, {9.5, true, "text"});
        if (!figure.unit.empty())
            m_paper.text({x + m_paper.measure(figure.title, {9.5, true}).width + 6, y + 1}, figure.unit,
                         {8, false, "second"});
        y += 16;
        y += legend(figure, {x, y}, place.width, true);
        m_paper.draw(figure.drawing, {x, y}, place.scale);
        y += figure.drawing.height() * place.scale + 2;
        if (!figure.caption.empty()) m_paper.text({x, y}, figure.caption, {8, false, "second"}, place.width);
    }

    /// Two side by side; a wide one has the full page width.
    void draw(std::vector<DrawnFigure>& figures) {
        constexpr double kHalf = (kWidth - kGap) / 2;
        for (std::size_t i = 0; i < figures.size();) {
            const auto isWide = [](const DrawnFigure& figure) { return figure.drawing.width() > kFigureWidth; };
            const bool isPair = !isWide(figures[i]) && i + 1 < figures.size() && !isWide(figures[i + 1]);
            const double width = isWide(figures[i]) ? kWidth : kHalf;
            const std::size_t count = isPair ? 2 : 1;
            std::array<Place, 2> places;
            double height = 0;
            for (std::size_t k = 0; k < count; ++k) {
                places[k] = placeOf(figures[i + k], width);
                height = std::max(height, places[k].height);
            }
            need(height);
            for (std::size_t k = 0; k < count; ++k)
                put(figures[i + k], places[k], kPaperMargin + static_cast<double>(k) * (kHalf + kGap));
            m_y += height + 8;
            i += count;
        }
        figures.clear();
    }

    const Report& m_report;
    int m_pages;
    PdfPaper m_paper;
    double m_y = kPaperMargin;
};

}  // namespace

Result<std::string> toPdf(const Report& report) {
    Writer counted(report, 0);
    counted.write();
    Writer writer(report, counted.pages());
    writer.write();
    return writer.finish();
}

}  // namespace slipway
