// Tables of figures by step: any CSV with a step column, and Weights & Biases' exports of a chart, whose columns are "RUN - METRIC".
#include "core/base/csv_table.h"
#include "core/interop/log_builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace slipway::interop {
namespace {

constexpr const char* kStepTitle = "step";

std::string lowered(std::string_view text) {
    std::string out(trimmed(text));
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool isStepColumn(std::string_view title) {
    static constexpr std::array<std::string_view, 9> kNames = {"step",
                                                               "steps",
                                                               "_step",
                                                               "iteration",
                                                               "iter",
                                                               "global_step",
                                                               "train_step",
                                                               "trainer/global_step",
                                                               "train/global_step"};
    const std::string name = lowered(title);
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// The run of a title "RUN - METRIC", empty for another, and its figure.
std::pair<std::string_view, std::string_view> figureOf(std::string_view text) {
    const std::string_view title = trimmed(text);
    const std::size_t dash = title.rfind(" - ");
    const bool isOfRun = dash != std::string_view::npos && dash > 0 && dash + 3 < title.size();
    return isOfRun ? std::pair(title.substr(0, dash), title.substr(dash + 3)) : std::pair(std::string_view(), title);
}

/// A chart's band around the points of a run.
bool isBand(std::string_view title) {
    return trimmed(title).ends_with("__MIN") || trimmed(title).ends_with("__MAX");
}

/// A column's run and its figure: "RUN - METRIC" or, for the file's only run, "METRIC".
struct Figure {
    std::size_t column = 0;
    std::string run, name;
};

std::vector<Figure> figuresOf(const std::vector<std::string>& head, std::size_t stepColumn) {
    std::vector<Figure> figures;
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (i == stepColumn || trimmed(head[i]).empty() || isBand(head[i])) continue;
        const auto [run, name] = figureOf(head[i]);
        figures.push_back({i, std::string(run), std::string(name)});
    }
    return figures;
}

std::string_view firstLine(std::string_view bytes) {
    return bytes.substr(0, bytes.find('\n'));
}

/// The titles under `columns`, as in renamedColumns(); an omitted column has none.
Result<std::vector<std::string>> renamedTitles(const std::vector<std::string>& head,
                                               const std::vector<std::string>& columns) {
    std::vector<std::string> titles = head;
    std::set<std::string> given;
    for (const std::string& column : columns) {
        const std::size_t equals = column.find('=');
        const std::string name = column.substr(0, equals),
                          theirs = equals == std::string::npos ? "" : column.substr(equals + 1);
        if (theirs.empty())
            return fail("usage", "--map takes NAME=COLUMN, for example step=iter; got %1."_text(column), "--map");
        if (!name.empty() && !given.insert(name).second)
            return fail("usage", "Two columns are imported as %1; choose one."_text(name), "--map");
        bool isThere = false;
        for (std::size_t i = 0; i < head.size(); ++i) {
            const auto [run, figure] = figureOf(head[i]);
            const bool isFigure = !run.empty() && figure == theirs;
            if (head[i] != theirs && !isFigure) continue;
            isThere = true;
            titles[i] = isFigure && !name.empty() ? std::string(run) + " - " + name : name;
        }
        if (!isThere) return fail("unknown_column", "The table has no column %1."_text(theirs), "--map");
        // The steps are from the chosen column.
        if (isStepColumn(name))
            for (std::size_t i = 0; i < head.size(); ++i)
                if (titles[i] == head[i] && head[i] != theirs && isStepColumn(head[i])) titles[i].clear();
    }
    return titles;
}

}  // namespace

Result<std::string> renamedColumns(std::string_view bytes, const std::vector<std::string>& columns) {
    const std::string_view line = firstLine(bytes);
    const auto table = CsvTable::parse(line, "columns");
    if (!table) return fail(table.error());
    const auto titles = renamedTitles(table->header(), columns);
    if (!titles) return fail(titles.error());
    std::string out;
    for (const std::string& title : *titles) {
        if (&title != &titles->front()) out += CsvTable::separatorOf(line);
        out += '"';
        for (const char c : title) out += c == '"' ? "\"\"" : std::string(1, c);
        out += '"';
    }
    return out + std::string(bytes.substr(line.size()));
}

Result<std::vector<NameUse>> columnUses(std::string_view bytes, const std::vector<std::string>& columns) {
    const std::size_t end = bytes.find('\n', std::min(firstLine(bytes).size() + 1, bytes.size()));
    const auto table = CsvTable::parse(bytes.substr(0, end), "columns");
    if (!table) return fail(table.error());
    const std::vector<std::string>& head = table->header();
    if (head.size() < 2 || table->numRows() != 1 || table->cells(0).size() != head.size() ||
        std::ranges::none_of(table->cells(0), [](const std::string& cell) { return logNumber(cell).has_value(); }))
        return fail("csv_syntax", "This is not a table of figures with a line of titles."_text);
    const auto titles = renamedTitles(head, columns);
    if (!titles) return fail(titles.error());
    const auto stepTitle = std::ranges::find_if(*titles, isStepColumn);
    std::vector<NameUse> uses;
    for (std::size_t i = 0; i < head.size(); ++i) {
        const std::string raw(figureOf(head[i]).second), name(figureOf((*titles)[i]).second);
        if (raw.empty() || std::ranges::any_of(uses, [&](const NameUse& use) { return use.raw == raw; })) continue;
        NameUse use = useOf("csv", name);
        use.raw = raw;
        if (stepTitle != titles->end() && stepTitle - titles->begin() == static_cast<std::ptrdiff_t>(i))
            use.metric = kStepTitle;
        else if (name.empty() || isBand(head[i]))
            use.metric.clear();
        uses.push_back(std::move(use));
    }
    return uses;
}

bool looksLikeStepTable(std::string_view head) {
    const auto table = CsvTable::parse(head, "head");
    return table && table->header().size() > 1 &&
           std::any_of(table->header().begin(), table->header().end(), isStepColumn);
}

Result<Log> readStepTable(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config) {
    const auto table = CsvTable::parse(bytes, name);
    if (!table) return fail("bad_log", table.error().sentence(), name);
    const std::vector<std::string>& head = table->header();
    const auto found = std::find_if(head.begin(), head.end(), isStepColumn);
    if (found == head.end())
        return fail("bad_log", "The table has no step column (step, global_step, iteration)."_text, name);
    const auto stepColumn = static_cast<std::size_t>(found - head.begin());
    const std::vector<Figure> figures = figuresOf(head, stepColumn);
    Log log;
    log.format = "csv";
    log.lines = 1 + static_cast<std::int64_t>(table->numRows());
    std::map<std::string, LogBuilder> builders;
    LogBuilder refused("csv");
    for (std::size_t row = 0; row < table->numRows(); ++row) {
        const std::vector<std::string>& cells = table->cells(row);
        if (cells.size() == 1 && trimmed(cells[0]).empty()) continue;
        const auto step = stepColumn < cells.size() ? logNumber(cells[stepColumn]) : std::nullopt;
        if (!step || !(*step >= 0) || *step > 1e12) {
            refused.malformed("no step number"_text);
            continue;
        }
        bool any = false;
        for (const Figure& figure : figures) {
            if (figure.column >= cells.size() || trimmed(cells[figure.column]).empty()) continue;
            const auto value = logNumber(cells[figure.column]);
            if (!value) {
                refused.malformed("value that is not a number"_text);
                continue;
            }
            builders.try_emplace(figure.run, "csv")
                .first->second.add(static_cast<std::int64_t>(*step), figure.name, *value);
            any = true;
        }
        if (any) ++log.used;
    }
    for (auto& [title, builder] : builders) {
        LogRun run;
        run.name = title.empty() ? name : title;
        if (config) run.config = *config;
        run.steps = builder.takeSteps(config, {});
        builder.finish(log);
        log.runs.push_back(std::move(run));
    }
    refused.finish(log);
    if (log.runs.empty()) return fail("bad_log", "No row of this table has a step and a figure."_text, name);
    return log;
}

}  // namespace slipway::interop
