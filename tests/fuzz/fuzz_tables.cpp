// Tables of numbers: CSV, measured layouts, points for scaling laws, curves of collectives.
#include "core/base/csv_table.h"
#include "core/planner/evidence/measured_run.h"
#include "core/planner/laws/law_points.h"
#include "core/planner/time/curve_sources.h"
#include "tests/fuzz/fuzz.h"

using namespace slipway;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = textOf(data, size);
    (void)valueOrError(CsvTable::parse(text, "fuzz"));
    (void)valueOrError(readMeasuredRuns(text, "fuzz"));
    (void)valueOrError(parseLawPoints(text, "fuzz", {}));
    if (const auto table = readCurves(text, "fuzz", BandwidthKind::Bus, {}); valueOrError(table))
        for (const CommCurve& c : table->curves)
            require(c.ranks > 1 && c.bytesPerSecond > 0 && c.latencySeconds >= 0, "a curve that no cluster takes");
    return 0;
}
