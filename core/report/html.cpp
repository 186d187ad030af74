#include "core/base/untrusted_text.h"
#include "core/report/drawing.h"
#include "core/report/html_style.h"
#include "core/report/report.h"

namespace slipway {
namespace {

std::string escaped(const std::string& text) {
    return UntrustedText(text).html();
}

std::string toneClass(Tone tone) {
    switch (tone) {
        case Tone::Good: return "good";
        case Tone::Warn: return "warn";
        case Tone::Bad: return "bad";
        case Tone::Quiet: return "quiet";
        case Tone::Plain: return "";
    }
    return "";
}

std::string heading(const std::string& title, const std::string& unit) {
    if (title.empty()) return "";
    return "<h3>" + escaped(title) + (unit.empty() ? "" : " <span class=\"unit\">" + escaped(unit) + "</span>") +
           "</h3>\n";
}

std::string captionText(const std::string& text) {
    return text.empty() ? "" : "<p class=\"caption\">" + escaped(text) + "</p>\n";
}

std::string figureHtml(const DrawnFigure& figure) {
    std::string legend;
    for (const LegendEntry& entry : figure.legend)
        legend += "<li>" + toSvg(entry.sample) + escaped(entry.name) + "</li>";
    return (figure.drawing.width() > kFigureWidth ? "<figure class=\"wide\">\n" : "<figure>\n") +
           heading(figure.title, figure.unit) + (legend.empty() ? "" : "<ul class=\"legend\">" + legend + "</ul>\n") +
           toSvg(figure.drawing) + "\n" + captionText(figure.caption) + "</figure>\n";
}

std::string tableHead(const Table& table) {
    bool grouped = false;
    for (const Column& column : table.columns) grouped = grouped || !column.group.empty();
    std::string out = "<thead>";
    if (grouped) {
        out += "<tr>";
        for (std::size_t i = 0; i < table.columns.size();) {
            std::size_t end = i + 1;
            while (end < table.columns.size() && !table.columns[i].group.empty() &&
                   table.columns[end].group == table.columns[i].group)
                ++end;
            const std::string span = end - i > 1 ? " colspan=\"" + std::to_string(end - i) + "\"" : "";
            out += table.columns[i].group.empty() ? "<th></th>"
                                                  : "<th class=\"group\" scope=\"colgroup\"" + span + ">" +
                                                        escaped(table.columns[i].group) + "</th>";
            i = end;
        }
        out += "</tr>";
    }
    out += "<tr>";
    for (const Column& column : table.columns) {
        const std::string below = column.note + (column.note.empty() || column.unit.empty() ? "" : ", ") + column.unit;
        out += std::string("<th scope=\"col\"") + (column.isNumber ? " class=\"n\"" : "") + ">" +
               escaped(column.title) + (below.empty() ? "" : "<span class=\"unit\">" + escaped(below) + "</span>") +
               "</th>";
    }
    return out + "</tr></thead>\n";
}

struct BlockWriter {
    std::string operator()(const Paragraph& paragraph) const {
        return (paragraph.isLead ? "<p class=\"lead\">" : "<p>") + escaped(paragraph.text) + "</p>\n";
    }

    std::string operator()(const Facts& facts) const {
        std::string out = heading(facts.title, "") + "<dl>\n";
        for (const auto& [label, value] : facts.entries)
            out += "<dt>" + escaped(label) + "</dt><dd>" + escaped(value) + "</dd>\n";
        return out + "</dl>\n";
    }

    std::string operator()(const Table& whole) const {
        std::string out = heading(whole.title, "");
        for (const Table& table : folded(readable(whole), kPageWidth)) out += part(table);
        return out + captionText(whole.caption);
    }

    template <class Figure>
    std::string operator()(const Figure& figure) const {
        return figureHtml(*drawnFigure(figure));
    }

private:
    static std::string part(const Table& table) {
        std::string out = "<div class=\"scroll\"><table>\n" + tableHead(table) + "<tbody>\n";
        for (const auto& row : table.rows) {
            out += "<tr>";
            for (std::size_t i = 0; i < row.size(); ++i) {
                std::string css = i < table.columns.size() && table.columns[i].isNumber ? "n" : "";
                const std::string tone = toneClass(row[i].tone);
                if (!tone.empty()) css += (css.empty() ? "" : " ") + tone;
                out += (css.empty() ? std::string("<td>") : "<td class=\"" + css + "\">") + escaped(row[i].text) +
                       (row[i].note.empty() ? "" : "<span class=\"note\">" + escaped(row[i].note) + "</span>") +
                       "</td>";
            }
            out += "</tr>\n";
        }
        return out + "</tbody></table></div>\n";
    }
};

}  // namespace

std::string toHtml(const Report& report) {
    std::string out =
        std::string("<!DOCTYPE html>\n<html lang=\"") + (report.language == Language::Korean ? "ko" : "en") +
        "\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
        (report.author.empty() ? "" : "<meta name=\"author\" content=\"" + escaped(report.author) + "\">\n") +
        "<title>" + escaped(report.title) + "</title>\n<style>" + kReportStyle +
        "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>" + escaped(report.title) + "</h1>\n";
    const std::string line = authorLine(report);
    if (!line.empty()) out += "<p>" + escaped(line) + "</p>\n";
    if (!report.question.empty()) out += "<p class=\"question\">" + escaped(report.question) + "</p>\n";
    out += "</header>\n";
    if (!report.summary.empty())
        out += "<section>\n<p class=\"lead\">" + escaped(report.summary) + "</p>\n</section>\n";
    for (const Section& section : report.sections) {
        out += "<section>\n";
        if (!section.title.empty()) out += "<h2>" + escaped(section.title) + "</h2>\n";
        bool inFigures = false;
        for (const Block& block : section.blocks) {
            const bool isFigure = drawnFigure(block).has_value();
            if (isFigure != inFigures) out += inFigures ? "</div>\n" : "<div class=\"figures\">\n";
            inFigures = isFigure;
            out += std::visit(BlockWriter{}, block);
        }
        out += inFigures ? "</div>\n</section>\n" : "</section>\n";
    }
    return out + "<footer>" + escaped(report.footer) + "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace slipway
