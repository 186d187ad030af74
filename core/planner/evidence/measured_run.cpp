#include "core/planner/evidence/measured_run.h"

#include "core/base/json.h"
#include "core/planner/count/flops.h"
#include "core/planner/evidence/table_layouts.h"
#include "core/planner/time/compute.h"

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

/// Required columns of every row; others may be missing or empty.
struct Columns {
    SourceText what;
    std::vector<std::string> needed;
};
const Columns kPlaybook{
    "a layout benchmark"_text,
    {"layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq", "gpu", "gpus_per_node", "nodes", "micro_batch",
     "grad_acc", "dp", "pp", "tp", "zero_stage", "tokens_per_s_per_gpu", "status"}};
const Columns kPublished{"a table of published runs"_text,
                         {"source", "model_name", "num_gpus", "gpu_type", "hidden", "seq"}};

std::vector<std::string> missingOf(const CsvTable& csv, const Columns& columns) {
    std::vector<std::string> missing;
    for (const std::string& column : columns.needed)
        if (!csv.has(column)) missing.push_back(column);
    return missing;
}

/// A missing column, with similar ones of the table.
Message missingText(const CsvTable& csv, const Columns& layout, const std::string& column) {
    std::vector<std::string> others;
    for (const std::string& own : csv.header())
        if (std::find(layout.needed.begin(), layout.needed.end(), own) == layout.needed.end()) others.push_back(own);
    const std::string near = nearestKey(column, others);
    return near.empty() ? Message::name(column) : "%1 (is it \"%2\"?)"_text(column, near);
}

/// Names the columns missing for the nearer of the two layouts.
tl::unexpected<Error> unknownColumns(const CsvTable& csv, const std::string& name) {
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
        return fail("unknown_columns",
                    "The table needs the columns of %1 (%2) or of %3 (%4)."_text(
                        kPlaybook.what, list(kPlaybook.needed), kPublished.what, list(kPublished.needed)),
                    name);
    std::vector<Message> missing;
    for (const std::string& column : missingOf(csv, nearer)) missing.push_back(missingText(csv, nearer, column));
    return fail("missing_columns",
                plural(static_cast<std::int64_t>(missing.size()), "As %1 the table lacks the column %2."_text,
                       "As %1 the table lacks the columns %2."_text)(nearer.what, listOf(missing)),
                name);
}

/// An impossible figure, by its column; empty: none.
Message impossibleFigure(const CsvTable& csv, std::size_t row) {
    for (const char* column : {"tokens_per_s_per_gpu", "gpu_memory_gb", "mfu_pct", "measured_tflops_per_gpu",
                               "measured_mfu_pct", "measured_iter_s", "measured_mem_gb", "tokens_per_s"}) {
        const double value = csv.number(row, column).value_or(0);
        if (value < 0) return "%1 is negative"_text(column);
        if (value > 100 && std::string_view(column).ends_with("mfu_pct")) return "%1 is above 100 %"_text(column);
    }
    return {};
}

/// Figures that contradict the device; empty: none.
SourceText contradictionOf(const MeasuredRun& run) {
    const double capacity = run.cluster.device.memoryBytes;
    // A driver reports slightly less than in the name, and tables round: 80 GiB of 79.65.
    constexpr double kRounding = 1.01;
    if (run.memoryBytes && capacity > 0 && *run.memoryBytes > capacity * kRounding)
        return "more memory than the device has"_text;
    const auto peak = runPeakFlops(run.config, run.cluster);
    const double flops =
        static_cast<double>(run.config.tokensPerStep()) * modelFlopsPerToken(run.config.model, run.config.train.seqLen);
    if (run.stepSeconds && peak && flops > *run.stepSeconds * *peak) return "an MFU above 100 %"_text;
    return {};
}

}  // namespace

Result<MeasuredRun> checkedRun(MeasuredRun run) {
    for (const Issue& issue : validate(run.config))
        if (issue.severity == Severity::Error) return fail("bad_row", "not a legal layout: %1"_text(issue.code));
    if (const SourceText why = contradictionOf(run); !why.empty()) return fail("bad_row", why);
    return run;
}

Result<MeasuredTable> readMeasuredRuns(std::string_view text, const std::string& name) {
    if (text.starts_with('{')) return readOwnRuns(text, name);
    const auto csv = CsvTable::parse(text, name);
    if (!csv) return fail(csv.error());
    const bool isPlaybook = missingOf(*csv, kPlaybook).empty();
    if (!isPlaybook && !missingOf(*csv, kPublished).empty()) return unknownColumns(*csv, name);
    MeasuredTable table;
    table.numRows = csv->numRows();
    for (std::size_t row = 0; row < csv->numRows(); ++row) {
        const Message impossible = impossibleFigure(*csv, row);
        auto run = !impossible.empty() ? Result<MeasuredRun>(fail("bad_row", impossible))
                   : isPlaybook        ? playbookRun(*csv, row)
                                       : publishedRun(*csv, row);
        if (run)
            table.runs.push_back(std::move(*run));
        else
            countReason(table.refused, run.error().sentence());
    }
    return table;
}

}  // namespace slipway
