// Growing buckets: what a level of a curve is made of.
#pragma once

#include "core/metrics/metric_series.h"

namespace slipway {

/// Adds the next steps of a curve to a bucket.
void join(SeriesBucket& into, const SeriesBucket& later);

}  // namespace slipway
