// MetricSeries: one named curve over steps, with its processing before drawing.
//   MetricSeries fine = store.series(run, "loss").value();
//   ThinSeries curve = thin(smooth(fine, 0.9), 800);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace slipway {

/// Points in ascending order of step. Non-finite values are data: they are kept, counted and marked, never dropped.
struct MetricSeries {
    std::string name;
    std::string unit;
    std::vector<std::int64_t> steps;
    std::vector<double> values;  ///< as many as steps

    [[nodiscard]] std::size_t size() const { return steps.size(); }
    [[nodiscard]] bool empty() const { return steps.empty(); }
};

/// Consecutive points. Minimum and maximum are of the finite values; they are NaN when there is none.
struct SeriesBucket {
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t minStep = 0, maxStep = 0;  ///< positions of the extremes, so that a line can be drawn in true order
    double min = 0, max = 0;
    double mean = 0;  ///< of the finite values
    double last = 0;  ///< value at lastStep, finite or not
    std::int64_t count = 0;
    std::int64_t nonFinite = 0;
};

/// A non-finite point, stored individually so that a chart can mark it.
struct NonFinitePoint {
    std::int64_t step = 0;
    double value = 0;
};

struct ThinSeries {
    std::string name;
    std::string unit;
    std::vector<SeriesBucket> buckets;
    std::vector<NonFinitePoint> nonFinite;  ///< the first kMaxNonFinite of them; totalNonFinite counts all
    std::int64_t totalNonFinite = 0;
    std::int64_t totalPoints = 0;
    bool raw = false;  ///< every bucket is one point

    static constexpr std::size_t kMaxNonFinite = 1000;
};

/// At most `maxBuckets` (at least 1) buckets of equal step width over the range of the series; spikes survive because
/// each bucket keeps its extremes. A series with at most that many points is returned point by point.
ThinSeries thin(const MetricSeries& series, std::size_t maxBuckets);
/// The same for a series that is thin already: its buckets are merged, never split.
ThinSeries thin(const ThinSeries& series, std::size_t maxBuckets);
/// Appends a continuation; all steps of `later` are above the steps of `series`.
void append(ThinSeries& series, const ThinSeries& later);
/// Every `pointsPerBucket` points as one bucket; the last one may have fewer.
std::vector<SeriesBucket> bucketsOf(std::span<const std::int64_t> steps, std::span<const double> values,
                                    std::size_t pointsPerBucket);

/// Exponential moving average over the full data: s_i = w s_(i-1) + (1 - w) x_i, divided by 1 - w^n so that the start
/// is not pulled to 0 (Kingma & Ba 2015, section 3). Non-finite points stay unchanged and do not enter the average; a
/// constant series is returned unchanged. @param weight in [0, 1); 0 changes nothing.
MetricSeries smooth(const MetricSeries& series, double weight);
/// The same for the means of the buckets, each weighted by its number of finite points; the extremes stay.
ThinSeries smooth(const ThinSeries& series, double weight);

/// The part with from <= step <= to.
MetricSeries slice(const MetricSeries& series, std::int64_t from, std::int64_t to);

/// Values of `x` at the given ascending steps: the x coordinates of a curve drawn over tokens or time. Steps missing in
/// `x` are interpolated linearly, outside its range the nearest value is used; NaN when `x` is empty.
std::vector<double> valuesAt(const MetricSeries& x, const std::vector<std::int64_t>& steps);
/// The last point of each bucket: the exact points of a thin series.
MetricSeries lastPoints(const ThinSeries& series);

/// Median of the finite values (mean of the middle two when even); NaN when there is none.
double median(std::vector<double> values);

}  // namespace slipway
