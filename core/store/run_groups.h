// Runs in groups, each with several figures: repeats over seeds, layouts, models.
//   auto groups = groupRuns(store, query, {"mfu", "final_loss"});   // query.groupBy == "seed"
#pragma once

#include "core/store/run_store.h"

#include <stop_token>
#include <string>
#include <vector>

namespace slipway {

struct RunGroupFigures {
    CellValue value;  ///< of RunQuery::groupBy; absent: the runs without one
    std::int64_t count = 0, ran = 0, failed = 0;
    std::vector<FigureSummary> figures;  ///< of the fields of the query, in their order
};

/// Largest first. One listing per figure: milliseconds each once the store has read the fields, so `figures` should
/// have only those shown in a table. Errors of RunStore::listing.
Result<std::vector<RunGroupFigures>> groupRuns(RunStore& store, RunQuery query, const std::vector<std::string>& figures,
                                               const std::stop_token& stop = {});

}  // namespace slipway
