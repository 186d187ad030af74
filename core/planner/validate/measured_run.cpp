#include "core/planner/validate/measured_run.h"

#include "core/base/json.h"
#include "core/planner/count/flops.h"
#include "core/planner/time/compute.h"
#include "core/planner/validate/table_layouts.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

/// The columns without which no row can be used; others may be missing or empty.
struct Columns {
    const char* what;
    std::vector<std::string> needed;
};
const Columns kPlaybook{
    "a layout benchmark",
    {"layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq", "gpu", "gpus_per_node", "nodes", "micro_batch",
     "grad_acc", "dp", "pp", "tp", "zero_stage", "tokens_per_s_per_gpu", "status"}};
const Columns kPublished{"a table of published runs",
                         {"source", "model_name", "num_gpus", "gpu_type", "hidden", "seq"}};

std::vector<std::string> missingOf(const CsvTable& csv, const Columns& columns) {
    std::vector<std::string> missing;
    for (const std::string& column : columns.needed)
        if (!csv.has(column)) missing.push_back(column);
    return missing;
}

/// A column that is missing, with the table's own that may be meant by it.
std::string missingText(const CsvTable& csv, const Columns& layout, const std::string& column) {
    std::vector<std::string> others;
    for (const std::string& own : csv.header())
        if (std::find(layout.needed.begin(), layout.needed.end(), own) == layout.needed.end()) others.push_back(own);
    const std::string near = nearestKey(column, others);
    return near.empty() ? column : column + " (is it \"" + near + "\"?)";
}

/// Names what the nearer of the two layouts lacks.
Error unknownColumns(const CsvTable& csv, const std::string& name) {
    const auto share = [&](const Columns& columns) {
        return static_cast<double>(missingOf(csv, columns).size()) / static_cast<double>(columns.needed.size());
    };
    const Columns& nearer = share(kPublished) < share(kPlaybook) ? kPublished : kPlaybook;
    const auto list = [](const std::vector<std::string>& columns) {
        std::string text;
        for (const std::string& column : columns) text += (text.empty() ? "" : ", ") + column;
        return text;
    };
    if (share(nearer) > 0.7)
        return {"unknown_columns",
                std::string("The columns are neither those of ") + kPlaybook.what + " (" + list(kPlaybook.needed) +
                    ") nor those of " + kPublished.what + " (" + list(kPublished.needed) + ").",
                name};
    auto missing = missingOf(csv, nearer);
    for (std::string& column : missing) column = missingText(csv, nearer, column);
    return {"missing_columns",
            std::string("To be ") + nearer.what + " this table lacks the column" + (missing.size() > 1 ? "s " : " ") +
                list(missing) + ".",
            name};
}

/// A figure that no run can have shown, by its column; empty: there is none.
std::string impossibleFigure(const CsvTable& csv, std::size_t row) {
    for (const char* column : {"tokens_per_s_per_gpu", "gpu_memory_gb", "mfu_pct", "measured_tflops_per_gpu",
                               "measured_mfu_pct", "measured_iter_s", "measured_mem_gb", "tokens_per_s"}) {
        const double value = csv.number(row, column).value_or(0);
        if (value < 0) return std::string(column) + " is negative";
        if (value > 100 && std::string_view(column).ends_with("mfu_pct"))
            return std::string(column) + " is above 100 %";
    }
    return {};
}

/// Figures that contradict the device; empty: there are none.
std::string contradictionOf(const MeasuredRun& run) {
    const double capacity = run.cluster.device.memoryBytes;
    // A driver reports a little less than the name says, and tables round: 80 GiB of 79.65.
    constexpr double kRounding = 1.01;
    if (run.memoryBytes && capacity > 0 && *run.memoryBytes > capacity * kRounding)
        return "more memory than its device has";
    const auto peak = runPeakFlops(run.config, run.cluster);
    const double flops =
        static_cast<double>(run.config.tokensPerStep()) * modelFlopsPerToken(run.config.model, run.config.train.seqLen);
    if (run.stepSeconds && peak && flops > *run.stepSeconds * *peak) return "an MFU above 100 %";
    return {};
}

}  // namespace

Result<MeasuredRun> checkedRun(MeasuredRun run) {
    for (const Issue& issue : validate(run.config))
        if (issue.severity == Severity::Error) return fail("bad_row", "not a legal layout: " + issue.code);
    if (const std::string why = contradictionOf(run); !why.empty()) return fail("bad_row", why);
    return run;
}

Result<MeasuredTable> readMeasuredRuns(std::string_view text, const std::string& name) {
    const auto csv = CsvTable::parse(text, name);
    if (!csv) return fail(csv.error());
    const bool isPlaybook = missingOf(*csv, kPlaybook).empty();
    if (!isPlaybook && !missingOf(*csv, kPublished).empty()) return fail(unknownColumns(*csv, name));
    MeasuredTable table;
    table.numRows = csv->numRows();
    for (std::size_t row = 0; row < csv->numRows(); ++row) {
        const std::string impossible = impossibleFigure(*csv, row);
        auto run = !impossible.empty() ? Result<MeasuredRun>(fail("bad_row", impossible))
                   : isPlaybook        ? playbookRun(*csv, row)
                                       : publishedRun(*csv, row);
        if (run)
            table.runs.push_back(std::move(*run));
        else
            ++table.refused[run.error().message];
    }
    return table;
}

}  // namespace slipway
