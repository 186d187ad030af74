#include "core/planner/schedule/bubble.h"

namespace slipway {

double bubbleUnits(ScheduleKind kind, double pp, double virtualStages) {
    const double full = pp - 1;
    switch (kind) {
        case ScheduleKind::Afab:
        case ScheduleKind::OneFOneB: return full;
        case ScheduleKind::InterleavedOneFOneB: return full / virtualStages;
        case ScheduleKind::ZbH1: return full / 3;  // (p - 1)(F + B - W)
        case ScheduleKind::ZbV:
            return 0;  // when F = B = W, from a rank's first pass to its last
        // (p/2 - 1)(F&B + B - 3W), B the full backward, F&B as long as forward and backward together: (3 + 2 - 3) / 3.
        case ScheduleKind::DualPipe: return (pp / 2 - 1) * 2 / 3;
        // The same on half the ranks, with chunks of half the size.
        case ScheduleKind::DualPipeV: return (pp - 1) / 3;
    }
    return full;
}

double bubbleOverhead(ScheduleKind kind, double pp, double microBatches, double virtualStages) {
    return bubbleUnits(kind, pp, virtualStages) / microBatches;
}

double bubbleFraction(ScheduleKind kind, double pp, double microBatches, double virtualStages) {
    const double idle = bubbleUnits(kind, pp, virtualStages);
    return idle / (microBatches + idle);
}

}  // namespace slipway
