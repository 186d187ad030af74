#include "core/planner/validate/measured_run.h"

#include "core/planner/validate/table_layouts.h"

#include <utility>

namespace slipway {

Result<MeasuredTable> readMeasuredRuns(std::string_view text, const std::string& name) {
    const auto csv = CsvTable::parse(text, name);
    if (!csv) return fail(csv.error());
    const bool isPlaybook = csv->has("tokens_per_s_per_gpu") && csv->has("grad_acc") && csv->has("status");
    const bool isPublished = csv->has("source") && csv->has("model_name") && csv->has("num_gpus");
    if (!isPlaybook && !isPublished)
        return fail("unknown_columns",
                    "The columns are neither those of a layout benchmark (model, layers, ..., grad_acc, "
                    "tokens_per_s_per_gpu, status) nor those of published runs (source, model_name, ..., num_gpus).",
                    name);
    MeasuredTable table;
    table.numRows = csv->numRows();
    for (std::size_t row = 0; row < csv->numRows(); ++row) {
        auto run = isPlaybook ? playbookRun(*csv, row) : publishedRun(*csv, row);
        if (run)
            table.runs.push_back(std::move(*run));
        else
            ++table.refused[run.error().message];
    }
    return table;
}

}  // namespace slipway
