// One sweep as a heat map: two fields as rows and columns, a third one as facets, the best over the rest.
//   SweepCells cells = sweepCells(data, defaultQuestion(*data.plan));   cells.trials[cell]   // trials of the cell
#pragma once

#include "app/gui/pages/sweep_data.h"
#include "app/gui/widgets/heat_map.h"
#include "app/gui/widgets/share_bars.h"

#include <string>
#include <vector>

namespace slipway::gui {

/// Query over the trials. Fields by their path; empty: none.
struct SweepQuestion {
    std::string measure = "mfu";  ///< of kSweepMeasures
    std::string rows, columns, facets;
    bool operator==(const SweepQuestion&) const = default;
};

struct SweepCells {
    HeatGrid grid;
    std::vector<std::vector<int>> trials;  ///< of each cell
    std::vector<int> best;                 ///< trial shown in the cell; -1: none with the figure
};

/// The first two of tp, pp, the other degrees and all other differing fields of the trials.
SweepQuestion defaultQuestion(const SweepPlan& plan);
/// The question with fields of the sweep; others are replaced by defaults.
SweepQuestion validQuestion(const SweepPlan& plan, SweepQuestion question);

SweepCells sweepCells(const SweepData& data, const SweepQuestion& question);

/// Why trials did not run: reasons that differ only in figures are merged. Most frequent first.
struct SweepReasons {
    std::vector<CountShare> shares;
    std::vector<std::vector<int>> trials;
};
SweepReasons sweepReasons(const SweepData& data);

}  // namespace slipway::gui
