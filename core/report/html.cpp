#include "core/base/untrusted_text.h"
#include "core/report/html_style.h"
#include "core/report/report.h"
#include "core/report/svg.h"

#include <algorithm>

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

/// One legend entry: a sample drawn with the same classes as the figure, and its name.
std::string legendEntry(const std::string& sample, const std::string& name) {
    return "<li><svg viewBox=\"0 0 26 12\" aria-hidden=\"true\">" + sample + "</svg>" + escaped(name) + "</li>";
}

std::string figureHtml(const std::string& title, const std::string& unit, const std::string& legend,
                       const std::string& svg, const std::string& caption) {
    return "<figure>\n" + heading(title, unit) + (legend.empty() ? "" : "<ul class=\"legend\">" + legend + "</ul>\n") +
           svg + captionText(caption) + "</figure>\n";
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
        const Table table = readable(whole);
        std::string out = heading(table.title, "") + "<div class=\"scroll\"><table>\n" + tableHead(table) + "<tbody>\n";
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
        return out + "</tbody></table></div>\n" + captionText(table.caption);
    }

    std::string operator()(const BarFigure& figure) const {
        std::string legend =
            legendEntry("<rect class=\"bar\" x=\"0\" y=\"1\" width=\"26\" height=\"10\"/>", figure.barName);
        for (std::size_t i = 0; i < figure.markNames.size(); ++i)
            legend +=
                legendEntry("<line class=\"mark m" + std::to_string(i) + "\" x1=\"13\" y1=\"0\" x2=\"13\" y2=\"12\"/>",
                            figure.markNames[i]);
        const auto hasInterval = [](const BarFigure::Row& row) { return row.low && row.high; };
        if (std::any_of(figure.rows.begin(), figure.rows.end(), hasInterval))
            legend +=
                legendEntry("<line class=\"interval\" x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\"/>", figure.intervalName);
        return figureHtml(figure.title, figure.unit, legend, toSvg(figure), figure.caption);
    }

    std::string operator()(const StackFigure& figure) const {
        std::string legend;
        for (std::size_t i = 0; i < figure.partNames.size(); ++i) {
            const int colour = i < figure.partColours.size() ? figure.partColours[i] : static_cast<int>(i % 8);
            legend += legendEntry(
                "<rect class=\"c" + std::to_string(colour) + "\" x=\"0\" y=\"1\" width=\"26\" height=\"10\"/>",
                figure.partNames[i]);
        }
        legend += legendEntry("<line class=\"tickmark\" x1=\"13\" y1=\"0\" x2=\"13\" y2=\"12\"/>", figure.markName);
        return figureHtml(figure.title, figure.unit, legend, toSvg(figure), figure.caption);
    }

    std::string operator()(const LineFigure& figure) const {
        const bool letters = figure.series.size() > 1 && figure.series.size() <= 8;
        std::string legend;
        for (std::size_t s = 0; s < figure.series.size() && figure.series.size() > 1; ++s)
            legend += legendEntry(
                "<path class=\"curve s" + std::to_string(s % 8) + " d" + std::to_string(s % 5) + "\" d=\"M0 6L26 6\"/>",
                (letters ? std::string(1, static_cast<char>('A' + s)) + "  " : "") + figure.series[s].label);
        return figureHtml(figure.title, figure.unit, legend, toSvg(figure), figure.caption);
    }

    std::string operator()(const WaterfallFigure& figure) const {
        std::string legend = legendEntry("<rect class=\"c1\" x=\"0\" y=\"1\" width=\"26\" height=\"10\"/>", "measured");
        if (std::any_of(figure.rows.begin(), figure.rows.end(),
                        [](const auto& row) { return row.forecast.has_value(); }))
            legend += legendEntry("<line class=\"reference\" x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\"/>", "forecast");
        return figureHtml(figure.title, figure.unit, legend, toSvg(figure), figure.caption);
    }
};

bool isFigure(const Block& block) {
    return std::holds_alternative<BarFigure>(block) || std::holds_alternative<StackFigure>(block) ||
           std::holds_alternative<LineFigure>(block) || std::holds_alternative<WaterfallFigure>(block);
}

}  // namespace

std::string toHtml(const Report& report) {
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
        escaped(report.title) + "</title>\n<style>" + kReportStyle +
        "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>" + escaped(report.title) + "</h1>\n";
    if (!report.subtitle.empty()) out += "<p>" + escaped(report.subtitle) + "</p>\n";
    out += "</header>\n";
    for (const Section& section : report.sections) {
        out += "<section>\n";
        if (!section.title.empty()) out += "<h2>" + escaped(section.title) + "</h2>\n";
        bool inFigures = false;
        for (const Block& block : section.blocks) {
            if (isFigure(block) != inFigures) out += inFigures ? "</div>\n" : "<div class=\"figures\">\n";
            inFigures = isFigure(block);
            out += std::visit(BlockWriter{}, block);
        }
        out += inFigures ? "</div>\n</section>\n" : "</section>\n";
    }
    return out + "<footer>" + escaped(report.footer) + "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace slipway
