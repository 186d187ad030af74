#include "core/planner/schedule/schedule_sample.h"

#include <algorithm>

namespace slipway {

Result<ScheduleSample> sampleSchedule(ScheduleKind kind, std::int64_t pp, std::int64_t numMicroBatches,
                                      std::int64_t virtualStages, std::int64_t maxPasses) {
    // Multiples of pp: interleaved schedules need them, and their steady state repeats after pp micro-batches.
    const std::int64_t most = std::max(maxPasses / (2 * pp * virtualStages), 3 * pp) / pp * pp;
    ScheduleSample sample;
    sample.numMicroBatches = numMicroBatches;
    const bool whole = numMicroBatches <= most;
    auto schedule = makeSchedule(kind, pp, whole ? numMicroBatches : most, virtualStages);
    if (!schedule) return fail(schedule.error());
    sample.schedule = std::move(*schedule);
    if (!whole) {
        auto shorter = makeSchedule(kind, pp, most - pp, virtualStages);
        if (!shorter) return fail(shorter.error());
        sample.shorter = std::move(*shorter);
    }
    return sample;
}

}  // namespace slipway
