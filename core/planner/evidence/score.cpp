#include "core/planner/evidence/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace slipway {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> result(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i + 1;
        while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
        for (std::size_t k = i; k < end; ++k) result[order[k]] = 0.5 * static_cast<double>(i + end - 1);
        i = end;
    }
    return result;
}

}  // namespace

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return kNaN;
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() < 2 || a.size() != b.size()) return kNaN;
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double mean = 0.5 * static_cast<double>(x.size() - 1);
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNaN;
}

double meanRegret(const std::vector<Competitor>& runs, std::size_t choices) {
    std::map<std::string, std::vector<const Competitor*>> cells;
    for (const Competitor& run : runs) cells[run.cell].push_back(&run);
    double sum = 0, count = 0;
    for (auto& [name, members] : cells) {
        double slowest = 0, best = std::numeric_limits<double>::infinity();
        std::size_t ran = 0;
        for (const Competitor* member : members) {
            if (!std::isfinite(member->measuredSeconds)) continue;
            ++ran;
            best = std::min(best, member->measuredSeconds);
            slowest = std::max(slowest, member->measuredSeconds);
        }
        if (ran < 2) continue;
        std::stable_sort(members.begin(), members.end(),
                         [](const Competitor* a, const Competitor* b) { return a->place < b->place; });
        double chosen = slowest;
        for (std::size_t i = 0; i < std::min(choices, members.size()); ++i)
            chosen = std::min(chosen, members[i]->measuredSeconds);
        sum += chosen / best - 1;
        ++count;
    }
    return count > 0 ? sum / count : kNaN;
}

}  // namespace slipway
