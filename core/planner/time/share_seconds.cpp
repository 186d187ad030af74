#include "core/planner/time/share_seconds.h"

#include "core/base/real.h"

#include <algorithm>

namespace slipway {

namespace {

/// From ZeRO-2 on buckets are units of weights, unaffected by bucket_bytes.
double bucketBytes(const ParallelLayout& layout) {
    return real(layout.zeroStage < 2 ? layout.bucketBytes : ParallelLayout{}.bucketBytes);
}

}  // namespace

template <class Number>
ShareSecondsOf<Number> shareSeconds(const RunConfig& config, const StepTraffic& traffic, const TimeTable& table) {
    const auto seconds = [&](std::string_view name, StepPart part) {
        const double all = stepSeconds(part, traffic, table);
        return all != 0 ? quantity<Number>(name, all, "s") : Number{};
    };
    ShareSecondsOf<Number> s;
    s.inOpen = seconds("unhidden_traffic_seconds", StepPart::Other);
    const Number gradients = seconds("gradient_seconds", StepPart::Gradients);
    if (config.parallel.overlapGradReduce && gradients > 0.0 && table.overlapIsFree) {
        double bytes = 0;
        eachStepTraffic(traffic, [&](StepPart part, TrafficGroup, const Traffic& t) {
            if (part != StepPart::Gradients) return;
            for (const Operation& o : t.operations) bytes += o.bytes * o.count / traffic.gradientPasses;
        });
        s.gradients = gradients;
        s.hidingPasses = quantity<Number>("hiding_passes", traffic.gradientPasses);
        const Number bucket = quantity<Number>("bucket_bytes", bucketBytes(config.parallel), "B");
        const Number allBytes = quantity<Number>("gradient_bytes_reduced", bytes, "B");
        s.lastBucket = gradients / s.hidingPasses * smaller(1.0, bucket / allBytes);
    } else {
        s.inOpen += gradients;
    }
    const Number weights = seconds("weight_seconds", StepPart::Weights);
    (config.parallel.zeroStage == 3 && table.overlapIsFree ? s.weights : s.inOpen) += weights;
    return s;
}

template ShareSecondsOf<double> shareSeconds(const RunConfig&, const StepTraffic&, const TimeTable&);
template ShareSecondsOf<Term> shareSeconds(const RunConfig&, const StepTraffic&, const TimeTable&);

}  // namespace slipway
