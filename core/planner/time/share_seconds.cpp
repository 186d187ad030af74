#include "core/planner/time/share_seconds.h"

#include <algorithm>

namespace slipway {

double ShareSeconds::exposed(double windowSeconds, double computeSeconds) const {
    double seconds = inOpen;
    if (gradients > 0) seconds += std::max(gradients - hidingPasses * windowSeconds, lastBucket);
    if (weights > 0) seconds += std::max(0.0, weights - kGatherWindow * computeSeconds);
    return seconds;
}

ShareSeconds shareSeconds(const RunConfig& config, const StepTraffic& traffic, const TimeTable& table) {
    ShareSeconds s;
    s.inOpen = stepSeconds(StepPart::Other, traffic, table);
    const double gradients = stepSeconds(StepPart::Gradients, traffic, table);
    if (config.parallel.overlapGradReduce && gradients > 0 && table.overlapIsFree) {
        double bytes = 0;
        eachStepTraffic(traffic, [&](StepPart part, TrafficGroup, const Traffic& t) {
            if (part != StepPart::Gradients) return;
            for (const Operation& o : t.operations) {
                bytes += o.bytes;
                s.hidingPasses = std::max(s.hidingPasses, o.count);
            }
        });
        s.gradients = gradients;
        // From ZeRO-2 on buckets are units of weights, which bucket_bytes does not change.
        const std::int64_t bucket =
            config.parallel.zeroStage < 2 ? config.parallel.bucketBytes : ParallelLayout{}.bucketBytes;
        s.lastBucket = gradients / s.hidingPasses * std::min(1.0, static_cast<double>(bucket) / bytes);
    } else {
        s.inOpen += gradients;
    }
    const double weights = stepSeconds(StepPart::Weights, traffic, table);
    (config.parallel.zeroStage == 3 ? s.weights : s.inOpen) += weights;
    return s;
}

}  // namespace slipway
