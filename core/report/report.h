// A report as data: sections of paragraphs, facts, tables and figures. Writers turn it into HTML, Markdown and CSV.
//   Report report = buildSweepReport(result, curves);   writeFileAtomically(path, toHtml(report));
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slipway {

/// State of a cell: coloured, but always with words of its own.
enum class Tone { Plain, Good, Warn, Bad, Quiet };

/// One cell: the text for people (core/base/units), and the full number for CSV where there is one.
struct Cell {
    std::string text;
    std::optional<double> number;
    Tone tone = Tone::Plain;
    std::string note = {};  ///< said in small beside the text: an interval, what a forecast rests on; not in CSV
};

struct Column {
    std::string title;
    std::string key;        ///< snake_case name of the CSV column
    std::string group;      ///< neighbours with the same group share a heading above their titles
    bool isNumber = false;  ///< right-aligned
    std::string unit;       ///< shown once in the head when all cells share it (shareUnits)
    bool isCsvOnly = false;
    std::string note = {};  ///< said in small below the title: what all its figures rest on
};

struct Table {
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
    std::string caption;
};

struct Paragraph {
    std::string text;
    bool isLead = false;  ///< the answer of the report; set larger
};

/// Labels with values, such as the setup.
struct Facts {
    std::string title;
    std::vector<std::pair<std::string, std::string>> entries;
};

/// How a figure's numbers are written; a plain function of core/base/units.
using NumberFormat = std::string (*)(double);

/// Measured bars from zero with marks of the forecast; one row per trial (look.md 6: a vertical tick on the bar).
struct BarFigure {
    struct Row {
        std::string label;
        std::optional<double> bar;
        std::vector<std::optional<double>> marks;  ///< one per entry of markNames
        std::optional<double> low, high;           ///< interval of the first mark
        std::string missing;                       ///< why there is no bar ("failed", "skipped")
    };
    std::string title;
    std::string unit;
    std::string intervalName = "interval of the forecast";
    std::string barName = "measured";
    std::vector<std::string> markNames = {"forecast"};
    std::vector<Row> rows;
    NumberFormat format = nullptr;
    double tickUnit = 1;  ///< ticks are round multiples of it, such as one MiB
    std::string caption;
};

/// Stacked parts of a forecast with one measured mark per row.
struct StackFigure {
    struct Row {
        std::string label;
        std::vector<double> parts;  ///< one per entry of partNames
        std::optional<double> mark;
    };
    std::string title;
    std::string unit;
    std::vector<std::string> partNames;
    std::vector<int> partColours;  ///< index into the categorical palette (look.md 3), one per part
    std::string markName = "measured";
    std::vector<Row> rows;
    NumberFormat format = nullptr;
    double tickUnit = 1;
    std::string caption;
};

/// Curves over a common axis. Non-finite points break the line and are marked at the top edge.
struct LineFigure {
    struct Series {
        std::string label;
        std::vector<double> x, y;
    };
    std::string title;
    std::string xName;
    std::string unit;
    std::vector<Series> series;
    std::vector<std::pair<std::string, double>> references;  ///< dashed horizontal lines
    NumberFormat format = nullptr;
    std::string caption;
};

/// Bars from a whole down to what is left of it, in percent: measured, with the forecast below.
struct WaterfallFigure {
    struct Row {
        std::string label;
        std::optional<std::pair<double, double>> measured, forecast;  ///< from, to
        bool isWhole = false;                                         ///< the whole, or what is left
        bool isUnexplained = false;
    };
    std::string title;
    std::string unit;
    std::vector<Row> rows;
    std::string caption;
};

using Block = std::variant<Paragraph, Facts, Table, BarFigure, StackFigure, LineFigure, WaterfallFigure>;

struct Section {
    std::string title;
    std::vector<Block> blocks;
};

struct Report {
    std::string title;
    std::string subtitle;
    std::vector<Section> sections;
    std::string footer;
};

/// Moves a unit that all number cells of a column share from the cells into the head of the column.
void shareUnits(Table& table);
/// The table without the columns that are for CSV alone.
Table readable(const Table& table);

/// One self-contained page: no script, no reference to anything outside, light and dark, readable on paper. All text
/// of the report is escaped.
std::string toHtml(const Report& report);
/// Tables and text; a figure becomes a table of its numbers.
std::string toMarkdown(const Report& report);
/// The first table with full-precision numbers (RFC 4180). Text that a spreadsheet would run as a formula gets an
/// apostrophe in front.
std::string toCsv(const Report& report);

}  // namespace slipway
