#include "core/metrics/metric_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class BucketBuilder {
public:
    void add(std::int64_t step, double value) {
        if (m_bucket.count++ == 0) m_bucket.firstStep = step;
        m_bucket.lastStep = step;
        m_bucket.last = value;
        if (!std::isfinite(value)) {
            ++m_bucket.nonFinite;
            return;
        }
        const std::int64_t finite = m_bucket.count - m_bucket.nonFinite;
        if (finite == 1 || value < m_bucket.min) {
            m_bucket.min = value;
            m_bucket.minStep = step;
        }
        if (finite == 1 || value > m_bucket.max) {
            m_bucket.max = value;
            m_bucket.maxStep = step;
        }
        // A running mean: a plain sum of large finite values could overflow.
        m_bucket.mean += (value - m_bucket.mean) / static_cast<double>(finite);
    }

    [[nodiscard]] bool empty() const { return m_bucket.count == 0; }

    SeriesBucket take() {
        SeriesBucket done = m_bucket;
        if (done.nonFinite == done.count) {
            done.min = done.max = done.mean = kNan;
            done.minStep = done.maxStep = done.firstStep;
        }
        m_bucket = {};
        return done;
    }

private:
    SeriesBucket m_bucket;
};

}  // namespace

ThinSeries thin(const MetricSeries& series, std::size_t maxBuckets) {
    ThinSeries out{series.name,
                   series.unit,
                   {},
                   {},
                   0,
                   static_cast<std::int64_t>(series.size()),
                   series.size() <= std::max<std::size_t>(maxBuckets, 1)};
    if (series.empty()) return out;
    const auto buckets = static_cast<double>(std::max<std::size_t>(maxBuckets, 1));
    const auto first = static_cast<double>(series.steps.front());
    const double span = static_cast<double>(series.steps.back()) - first + 1;
    BucketBuilder builder;
    std::size_t current = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const std::size_t place =
            out.raw ? i : static_cast<std::size_t>((static_cast<double>(series.steps[i]) - first) / span * buckets);
        if (!builder.empty() && place != current) out.buckets.push_back(builder.take());
        current = place;
        builder.add(series.steps[i], series.values[i]);
        if (std::isfinite(series.values[i])) continue;
        ++out.totalNonFinite;
        if (out.nonFinite.size() < ThinSeries::kMaxNonFinite)
            out.nonFinite.push_back({series.steps[i], series.values[i]});
    }
    out.buckets.push_back(builder.take());
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
