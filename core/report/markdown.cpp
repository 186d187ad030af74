#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/report/drawing.h"
#include "core/report/runs_table.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace slipway {
namespace {

std::string plain(const std::string& text) {
    return UntrustedText(text).markdown();
}

std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + cell + " |";
    return out + "\n";
}

std::string numberText(const std::optional<double>& value, NumberFormat format) {
    if (!value) return "-";
    return plain(format == nullptr ? formatSignificant(*value, 4) : format(*value));
}

std::string titleLine(const std::string& title, const std::string& unit) {
    return title.empty() ? "" : "### " + plain(title) + (unit.empty() ? "" : " (" + plain(unit) + ")") + "\n\n";
}

std::string ending(const std::string& caption) {
    return caption.empty() ? "\n" : "\n" + plain(caption) + "\n\n";
}

/// A picture as a data address, without a second file.
std::string dataAddress(const Drawing& drawing) {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string file = toSvgFile(drawing);
    std::string out = "data:image/svg+xml;base64,";
    for (std::size_t i = 0; i < file.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8U | (i + k < file.size() ? static_cast<unsigned char>(file[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > file.size() ? '=' : kDigits[bits >> (18U - 6U * static_cast<unsigned>(k)) & 63U];
    }
    return out;
}

struct BlockWriter {
    std::vector<std::string>* pictures = nullptr;  ///< addresses at the end of the page

    std::string operator()(const Paragraph& paragraph) const {
        return (paragraph.isLead ? "**" + plain(paragraph.text) + "**" : plain(paragraph.text)) + "\n\n";
    }

    std::string operator()(const Facts& facts) const {
        std::string out = titleLine(facts.title, "");
        for (const auto& [label, value] : facts.entries) out += "- " + plain(label) + ": " + plain(value) + "\n";
        return out + "\n";
    }

    std::string operator()(const Table& whole) const {
        const Table table = readable(whole);
        std::vector<std::string> head;
        std::vector<std::string> rule;
        for (const Column& column : table.columns) {
            std::string title = column.group.empty()   ? column.title
                                : column.title.empty() ? column.group
                                                       : column.group + ", " + column.title;
            if (!column.note.empty()) title += ", " + column.note;
            head.push_back(plain(title + (column.unit.empty() ? "" : " (" + column.unit + ")")));
            rule.emplace_back(column.isNumber ? "---:" : "---");
        }
        std::string out = titleLine(table.title, "") + row(head) + row(rule);
        for (const auto& cells : table.rows) {
            std::vector<std::string> texts;
            for (const Cell& cell : cells)
                texts.push_back(plain(cell.text + (cell.note.empty() ? "" : " (" + cell.note + ")")));
            out += row(texts);
        }
        return out + ending(table.caption);
    }

    std::string operator()(const BarFigure& figure) const {
        std::vector<std::string> head{"", plain(figure.barName)};
        std::vector<std::string> rule{"---", "---:"};
        for (const std::string& name : figure.markNames) {
            head.push_back(plain(name));
            rule.emplace_back("---:");
        }
        std::string out = titleLine(figure.title, figure.unit) + row(head) + row(rule);
        for (const auto& entry : figure.rows) {
            std::vector<std::string> cells{plain(entry.label),
                                           entry.bar ? numberText(entry.bar, figure.format) : plain(entry.missing)};
            for (std::size_t i = 0; i < entry.marks.size(); ++i)
                cells.push_back(numberText(entry.marks[i], figure.format) +
                                (i == 0 && entry.low && entry.high
                                     ? " (" + numberText(entry.low, figure.format) + " - " +
                                           numberText(entry.high, figure.format) + ")"
                                     : ""));
            out += row(cells);
        }
        return out + ending(figure.caption);
    }

    std::string operator()(const StackFigure& figure) const {
        std::vector<std::string> head{""};
        std::vector<std::string> rule{"---"};
        for (const std::string& name : figure.partNames) head.push_back(plain(name));
        head.push_back(plain(figure.markName));
        rule.resize(head.size(), "---:");
        std::string out = titleLine(figure.title, figure.unit) + row(head) + row(rule);
        for (const auto& entry : figure.rows) {
            std::vector<std::string> cells{plain(entry.label)};
            for (const double part : entry.parts) cells.push_back(numberText(part, figure.format));
            cells.push_back(numberText(entry.mark, figure.format));
            out += row(cells);
        }
        return out + ending(figure.caption);
    }

    std::string operator()(const HeatFigure& figure) const {
        std::vector<std::string> head{plain(figure.rowName + " \\ " + figure.columnName)}, rule{"---"};
        for (const std::string& column : figure.columns) head.push_back(plain(column));
        rule.resize(head.size(), "---:");
        std::string out = titleLine(figure.title, figure.unit) + row(head) + row(rule);
        for (std::size_t r = 0; r < figure.rows.size(); ++r) {
            std::vector<std::string> cells{plain(figure.rows[r])};
            for (std::size_t c = 0; c < figure.columns.size(); ++c) {
                const HeatFigure::Cell& cell = figure.cells[r * figure.columns.size() + c];
                cells.push_back(plain(cell.text + (cell.below.empty() ? "" : " (" + cell.below + ")")));
            }
            out += row(cells);
        }
        return out + ending(figure.caption);
    }

    /// The picture by its number, so that the text is readable without it, and its numbers.
    std::string operator()(const PictureFigure& figure) const {
        std::string out = titleLine(figure.title, "");
        if (pictures != nullptr) {
            pictures->push_back(dataAddress(figure.drawing));
            out += "![" + plain(figure.drawing.label()) + "][picture-" + std::to_string(pictures->size()) + "]\n\n";
        }
        return out + (figure.numbers.columns.empty() ? "" : operator()(figure.numbers)) + ending(figure.caption);
    }

    /// Its table has the numbers.
    std::string operator()(const WaterfallFigure& figure) const {
        return figure.caption.empty() ? std::string() : plain(figure.caption) + "\n\n";
    }

    /// Ten rows of the curves are enough to show a trend; the store keeps every point.
    std::string operator()(const LineFigure& figure) const {
        std::set<double> all;
        for (const auto& series : figure.series) all.insert(series.x.begin(), series.x.end());
        const std::vector<double> xs(all.begin(), all.end());
        std::vector<std::string> head{plain(figure.xName)};
        std::vector<std::string> rule{"---:"};
        for (const auto& series : figure.series) {
            head.push_back(plain(series.label));
            rule.emplace_back("---:");
        }
        std::string out = titleLine(figure.title, figure.unit) + row(head) + row(rule);
        const std::size_t count = std::min<std::size_t>(10, xs.size());
        for (std::size_t i = 0; i < count; ++i) {
            const double x = xs[count == 1 ? 0 : i * (xs.size() - 1) / (count - 1)];
            std::vector<std::string> cells{plain(formatSignificant(x, 6))};
            for (const auto& series : figure.series) {
                const auto it = std::find(series.x.begin(), series.x.end(), x);
                cells.push_back(
                    it == series.x.end()
                        ? "-"
                        : numberText(series.y[static_cast<std::size_t>(it - series.x.begin())], figure.format));
            }
            out += row(cells);
        }
        for (const auto& [name, value] : figure.references)
            if (!name.empty()) out += "\n" + plain(name) + ": " + numberText(value, figure.format) + "\n";
        return out + ending(figure.caption);
    }
};

}  // namespace

std::string markdownTable(const Table& table) {
    return BlockWriter{}(table);
}

std::string toMarkdown(const Report& report) {
    std::vector<std::string> pictures;
    std::string out = "# " + plain(report.title) + "\n\n";
    if (const std::string line = authorLine(report); !line.empty()) out += plain(line) + "\n\n";
    if (!report.question.empty()) out += plain(report.question) + "\n\n";
    if (!report.summary.empty()) out += "**" + plain(report.summary) + "**\n\n";
    for (const Section& section : report.sections) {
        if (!section.title.empty()) out += "## " + plain(section.title) + "\n\n";
        for (const Block& block : section.blocks) out += std::visit(BlockWriter{&pictures}, block);
    }
    out += plain(report.footer) + "\n";
    for (std::size_t i = 0; i < pictures.size(); ++i)
        out += "\n[picture-" + std::to_string(i + 1) + "]: " + pictures[i] + "\n";
    return out;
}

}  // namespace slipway
