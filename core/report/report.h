// A report as data: sections of paragraphs, facts, tables and figures. Writers turn it into HTML, PDF, Markdown, CSV and LaTeX.
//   auto report = buildSweepReport(store, home, id, head);   writeFileAtomically(path, *writeReport(*report, ReportFormat::Pdf));
// Nothing here reads a clock: the same report gives the same bytes, in the window and from the command.
#pragma once

#include "core/base/language.h"
#include "core/base/result.h"
#include "core/report/shapes.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slipway {

/// State of a cell: coloured, but always with its own words.
enum class Tone { Plain, Good, Warn, Bad, Quiet };

/// One cell: the text for people (core/base/units), and the full number for CSV where there is one.
struct Cell {
    std::string text;
    std::optional<double> number;
    Tone tone = Tone::Plain;
    std::string note = {};  ///< in small type next to the text: an interval, the basis of a forecast; not in CSV
};

struct Column {
    std::string title;
    std::string key;        ///< snake_case name of the CSV column
    std::string group;      ///< neighbours with the same group share a heading above their titles
    bool isNumber = false;  ///< right-aligned
    std::string unit;       ///< shown once in the header when all cells share it (shareUnits)
    bool isCsvOnly = false;
    std::string note = {};  ///< in small type below the title: the basis of all its figures
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

/// Format of a figure's numbers; a plain function of core/base/units.
using NumberFormat = std::string (*)(double);

/// Measured bars from zero with marks of the forecast; one row per run (look.md 6: a vertical tick on the bar).
struct BarFigure {
    struct Row {
        std::string label;
        std::optional<double> bar;
        std::vector<std::optional<double>> marks;  ///< one per entry of markNames
        std::optional<double> low, high;           ///< interval of the first mark
        std::string missing;                       ///< reason for a missing bar ("failed", "skipped")
    };
    std::string title;
    std::string unit;
    std::string intervalName;
    std::string barName;
    std::vector<std::string> markNames;
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
    std::string markName;
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
    std::string notFiniteName;  ///< meaning of a mark at the top edge
    std::vector<Series> series;
    std::vector<std::pair<std::string, double>> references;  ///< dashed horizontal lines
    NumberFormat format = nullptr;
    std::string caption;
};

/// Bars from a total down to the remainder, in percent: measured, with the forecast below.
struct WaterfallFigure {
    struct Row {
        std::string label;
        std::optional<std::pair<double, double>> measured, forecast;  ///< from, to
        bool isWhole = false;                                         ///< the total, or the remainder
        bool isUnexplained = false;
    };
    std::string title;
    std::string unit;
    std::string measuredName, forecastName;
    std::vector<Row> rows;
    std::string caption;
};

/// Two fields as rows and columns; a cell has its figure, or the outcome of its points and the number of the reason.
struct HeatFigure {
    enum class State { Empty, Value, Failed, Skipped, Waiting };
    struct Cell {
        State state = State::Empty;
        double value = 0;
        std::string text;   ///< the figure, or "skipped (2)"
        std::string below;  ///< the best of several points
    };
    std::string title;
    std::string unit;
    std::string rowName, columnName;
    std::vector<std::string> rows, columns;
    std::vector<Cell> cells;  ///< row by row
    bool isLessBetter = false;
    std::string caption;
};

/// A picture drawn for its place, such as the shards of a layout, with its figures as a table for pages without pictures.
struct PictureFigure {
    std::string title;
    std::string caption;
    Drawing drawing{0, 0};
    std::vector<LegendEntry> legend;
    Table numbers;
};

using Block = std::variant<Paragraph, Facts, Table, BarFigure, StackFigure, LineFigure, WaterfallFigure, HeatFigure,
                           PictureFigure>;

struct Section {
    std::string title;
    std::vector<Block> blocks;
};

struct Report {
    std::string title;
    std::string author;
    std::string date;      ///< as written by its author, such as 2026-11-23
    std::string question;  ///< that the report answers
    std::string summary;   ///< the answer, at most kSummaryWords words
    std::vector<Section> sections;
    std::string footer;
    Language language = Language::English;
};
constexpr std::size_t kSummaryWords = 60;

/// "Ada Lovelace · 2026-11-23"; empty parts are omitted.
std::string authorLine(const Report& report);

/// Moves a unit that all number cells of a column share from the cells into the header of the column.
void shareUnits(Table& table);
/// The table without the CSV-only columns.
Table readable(const Table& table);

/// The table as one or several, each at most `width` wide in pixels of a text of 12 px: complete groups of columns move
/// to the next one, which repeats the first column. Texts are assumed to wrap.
std::vector<Table> folded(const Table& table, double width);
/// Usable width of a 1280 px page and of a printed A4 landscape page.
constexpr double kPageWidth = 1060;
/// Natural width of a column with its cells, as used by folded().
double columnWidth(const Table& table, std::size_t column);
constexpr double kLongestTextWidth = 250;  ///< a longer text wraps

enum class ReportFormat { Html, Pdf, Markdown, Csv, Latex };
/// "html", "pdf", "md", "csv", "latex" in the order of ReportFormat.
const std::vector<std::string>& reportFormats();
/// By the ending of a file: .html, .htm, .pdf, .md, .csv, .tex.
std::optional<ReportFormat> reportFormatOf(const std::string& path);
/// The report as a file. "pdf_failed" where the PDF library fails.
Result<std::string> writeReport(const Report& report, ReportFormat format);

/// One self-contained page: no script, no reference to anything outside, light and dark, readable on paper. All text
/// of the report is escaped.
std::string toHtml(const Report& report);
/// A4 landscape pages, with this computer's fonts; "pdf_failed".
Result<std::string> toPdf(const Report& report);
/// Tables and text; a figure becomes a table of its numbers.
std::string toMarkdown(const Report& report);
/// The table with the most columns, with full-precision numbers (RFC 4180). Text that a spreadsheet would run as a
/// formula gets a leading apostrophe.
std::string toCsv(const Report& report);
/// Every table as a tabular with booktabs' rules, folded to the width of a page; texts are comments.
std::string toLatex(const Report& report);

}  // namespace slipway
