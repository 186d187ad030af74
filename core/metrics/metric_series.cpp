#include "core/metrics/metric_series.h"

#include "core/metrics/series_bucket.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

SeriesBucket bucketOf(std::int64_t step, double value) {
    const bool finite = std::isfinite(value);
    const double extreme = finite ? value : kNan;
    return {step, step, step, step, extreme, extreme, extreme, value, 1, finite ? 0 : 1};
}

/// Merges `count` buckets into at most maxBuckets of equal step width.
template <class BucketAt>
std::vector<SeriesBucket> joined(std::size_t count, const BucketAt& bucketAt, std::size_t maxBuckets) {
    std::vector<SeriesBucket> out;
    if (count == 0) return out;
    const auto first = static_cast<double>(bucketAt(0).firstStep);
    const double span = static_cast<double>(bucketAt(count - 1).lastStep) - first + 1;
    std::size_t current = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const SeriesBucket bucket = bucketAt(i);
        const auto place = static_cast<std::size_t>((static_cast<double>(bucket.firstStep) - first) / span *
                                                    static_cast<double>(maxBuckets));
        if (out.empty() || place != current)
            out.push_back(bucket);
        else
            join(out.back(), bucket);
        current = place;
    }
    return out;
}

}  // namespace

void join(SeriesBucket& into, const SeriesBucket& later) {
    const std::int64_t finiteBefore = into.count - into.nonFinite;
    const std::int64_t finiteLater = later.count - later.nonFinite;
    if (finiteLater > 0) {
        if (finiteBefore == 0 || later.min < into.min) {
            into.min = later.min;
            into.minStep = later.minStep;
        }
        if (finiteBefore == 0 || later.max > into.max) {
            into.max = later.max;
            into.maxStep = later.maxStep;
        }
        // A running mean: a plain sum of large finite values could overflow.
        if (finiteBefore == 0) into.mean = 0;
        into.mean += (later.mean - into.mean) *
                     (static_cast<double>(finiteLater) / static_cast<double>(finiteBefore + finiteLater));
    }
    into.lastStep = later.lastStep;
    into.last = later.last;
    into.count += later.count;
    into.nonFinite += later.nonFinite;
}

ThinSeries thin(const MetricSeries& series, std::size_t maxBuckets) {
    maxBuckets = std::max<std::size_t>(maxBuckets, 1);
    ThinSeries out{
        series.name, series.unit, {}, {}, 0, static_cast<std::int64_t>(series.size()), series.size() <= maxBuckets};
    const auto bucketAt = [&](std::size_t i) { return bucketOf(series.steps[i], series.values[i]); };
    if (out.raw)
        out.buckets = bucketsOf(series.steps, series.values, 1);
    else
        out.buckets = joined(series.size(), bucketAt, maxBuckets);
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (std::isfinite(series.values[i])) continue;
        ++out.totalNonFinite;
        if (out.nonFinite.size() < ThinSeries::kMaxNonFinite)
            out.nonFinite.push_back({series.steps[i], series.values[i]});
    }
    return out;
}

ThinSeries thin(const ThinSeries& series, std::size_t maxBuckets) {
    maxBuckets = std::max<std::size_t>(maxBuckets, 1);
    if (series.buckets.size() <= maxBuckets) return series;
    const auto bucketAt = [&](std::size_t i) -> const SeriesBucket& { return series.buckets[i]; };
    return {series.name,
            series.unit,
            joined(series.buckets.size(), bucketAt, maxBuckets),
            series.nonFinite,
            series.totalNonFinite,
            series.totalPoints,
            false};
}

void append(ThinSeries& series, const ThinSeries& later) {
    if (series.buckets.empty()) {
        series = later;
        return;
    }
    series.buckets.insert(series.buckets.end(), later.buckets.begin(), later.buckets.end());
    const std::size_t room = ThinSeries::kMaxNonFinite - series.nonFinite.size();
    const auto end = later.nonFinite.begin() + static_cast<std::ptrdiff_t>(std::min(room, later.nonFinite.size()));
    series.nonFinite.insert(series.nonFinite.end(), later.nonFinite.begin(), end);
    series.totalNonFinite += later.totalNonFinite;
    series.totalPoints += later.totalPoints;
    series.raw = series.raw && later.raw;
}

std::vector<SeriesBucket> bucketsOf(std::span<const std::int64_t> steps, std::span<const double> values,
                                    std::size_t pointsPerBucket) {
    std::vector<SeriesBucket> out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i % pointsPerBucket == 0)
            out.push_back(bucketOf(steps[i], values[i]));
        else
            join(out.back(), bucketOf(steps[i], values[i]));
    }
    return out;
}

MetricSeries smooth(const MetricSeries& series, double weight) {
    const auto differs = [&](double v) { return std::isfinite(v) && v != series.values.front(); };
    if (series.empty() || weight <= 0 || std::none_of(series.values.begin(), series.values.end(), differs))
        return series;
    MetricSeries out = series;
    double average = 0;
    double remaining = 1;  // w^n
    for (double& value : out.values) {
        if (!std::isfinite(value)) continue;
        average = weight * average + (1 - weight) * value;
        remaining *= weight;
        value = average / (1 - remaining);
    }
    return out;
}

ThinSeries smooth(const ThinSeries& series, double weight) {
    const auto differs = [&](const SeriesBucket& b) {
        return b.nonFinite < b.count && b.mean != series.buckets.front().mean;
    };
    if (weight <= 0 || std::none_of(series.buckets.begin(), series.buckets.end(), differs)) return series;
    ThinSeries out = series;
    double average = 0;
    double remaining = 1;  // w^n
    for (SeriesBucket& bucket : out.buckets) {
        if (bucket.nonFinite == bucket.count) continue;
        const double kept = std::pow(weight, static_cast<double>(bucket.count - bucket.nonFinite));
        average = kept * average + (1 - kept) * bucket.mean;
        remaining *= kept;
        bucket.mean = average / (1 - remaining);
        if (series.raw) bucket.min = bucket.max = bucket.mean;
    }
    return out;
}

MetricSeries lastPoints(const ThinSeries& series) {
    MetricSeries out{series.name, series.unit, {}, {}};
    for (const SeriesBucket& bucket : series.buckets) {
        out.steps.push_back(bucket.lastStep);
        out.values.push_back(bucket.last);
    }
    return out;
}

MetricSeries slice(const MetricSeries& series, std::int64_t from, std::int64_t to) {
    MetricSeries out{series.name, series.unit, {}, {}};
    const auto begin = std::lower_bound(series.steps.begin(), series.steps.end(), from);
    const auto end = std::upper_bound(begin, series.steps.end(), to);
    out.steps.assign(begin, end);
    out.values.assign(series.values.begin() + (begin - series.steps.begin()),
                      series.values.begin() + (end - series.steps.begin()));
    return out;
}

std::vector<double> valuesAt(const MetricSeries& x, const std::vector<std::int64_t>& steps) {
    std::vector<double> out;
    out.reserve(steps.size());
    std::size_t i = 0;
    for (const std::int64_t step : steps) {
        while (i < x.size() && x.steps[i] < step) ++i;
        if (x.empty()) {
            out.push_back(kNan);
        } else if (i == x.size()) {
            out.push_back(x.values.back());
        } else if (x.steps[i] == step || i == 0) {
            out.push_back(x.values[i]);
        } else {
            const double share =
                static_cast<double>(step - x.steps[i - 1]) / static_cast<double>(x.steps[i] - x.steps[i - 1]);
            out.push_back(x.values[i - 1] + share * (x.values[i] - x.values[i - 1]));
        }
    }
    return out;
}

double median(std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty()) return kNan;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace slipway
