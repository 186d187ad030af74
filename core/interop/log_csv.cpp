// Tables of figures by step: any CSV with a step column, and Weights & Biases' exports of a chart, whose columns are "RUN - METRIC".
#include "core/base/csv_table.h"
#include "core/interop/log_builder.h"

#include <algorithm>
#include <array>
#include <map>

namespace slipway::interop {
namespace {

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

/// A column's run and its figure: "RUN - METRIC" or, of the file's only run, "METRIC".
struct Figure {
    std::size_t column = 0;
    std::string run, name;
};

std::vector<Figure> figuresOf(const std::vector<std::string>& head, std::size_t stepColumn) {
    std::vector<Figure> figures;
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (i == stepColumn) continue;
        const std::string title(trimmed(head[i]));
        // A chart's band around the points of a run.
        if (title.empty() || title.ends_with("__MIN") || title.ends_with("__MAX")) continue;
        const std::size_t dash = title.rfind(" - ");
        const bool isOfRun = dash != std::string::npos && dash > 0 && dash + 3 < title.size();
        figures.push_back({i, isOfRun ? title.substr(0, dash) : "", isOfRun ? title.substr(dash + 3) : title});
    }
    return figures;
}

}  // namespace

Result<std::string> renamedColumns(std::string_view bytes, const std::vector<std::string>& columns) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const auto table = CsvTable::parse(bytes.substr(0, end), "columns");
    if (!table) return fail(table.error());
    std::vector<std::string> head = table->header();
    for (const std::string& column : columns) {
        const std::size_t equals = column.find('=');
        const std::string theirs = equals == std::string::npos ? "" : column.substr(equals + 1);
        const auto found = std::find(head.begin(), head.end(), theirs);
        if (theirs.empty() || equals == 0)
            return fail("usage", "--map takes NAME=COLUMN, for example step=iter; got %1."_text(column), "--map");
        if (found == head.end()) return fail("unknown_column", "The table has no column %1."_text(theirs), "--map");
        *found = column.substr(0, equals);
    }
    std::string out;
    for (const std::string& title : head) {
        out += out.empty() ? "\"" : ",\"";
        for (const char c : title) out += c == '"' ? "\"\"" : std::string(1, c);
        out += '"';
    }
    return out + std::string(bytes.substr(end));
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
