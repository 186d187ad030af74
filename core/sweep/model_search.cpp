#include "core/sweep/model_search.h"

#include "core/base/hash.h"
#include "core/sweep/gaussian_process.h"

#include <algorithm>
#include <numbers>
#include <numeric>

namespace slipway {
namespace {

using State = SearchOutcome::State;

constexpr double kSingle = 0.06;           // error of a point that its neighbours do not share, relative
constexpr double kNoise = 0.02;            // of a measured step time, relative
constexpr double kReach = 0.35;            // correlation length before the factor sqrt(number of axes)
constexpr double kUsuallyRuns = 0.75;      // chance that a point runs, far from any tried one
constexpr std::size_t kLeastMeasured = 3;  // before a search may end early
constexpr std::size_t kMostRivals = 100;   // untried points whose joint chance is drawn
constexpr int kDraws = 2000;
constexpr double kInterval80 = 1.2816;  // deviations on each side of an 80 % interval

double normalDensity(double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}
double normalBelow(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

/// Prior ln(cost) of every point, before any measurement.
std::vector<double> priorMeans(const SearchRules& rules, const std::vector<SearchPoint>& points,
                               const std::vector<SearchOutcome>& outcomes) {
    std::vector<double> means(points.size(), 0);
    if (rules.method == SearchMethod::Planner) {
        double worst = 0;
        for (const SearchPoint& point : points)
            if (point.forecast > 0) worst = std::max(worst, point.forecast);
        for (std::size_t i = 0; i < points.size(); ++i)
            means[i] = std::log(points[i].forecast > 0 ? points[i].forecast : std::max(worst, 1e-9));
        return means;
    }
    double sum = 0;
    int count = 0;
    for (const SearchOutcome& outcome : outcomes)
        if (outcome.state == State::Finished && outcome.cost > 0) {
            sum += std::log(outcome.cost);
            ++count;
        }
    std::ranges::fill(means, count > 0 ? sum / count : 0);
    return means;
}

/// Chance that a point runs, from the outcomes of others; nearer ones count more. A failed point is not evidence of its
/// neighbours' speed: as a slow point it would hide the best ones, which are often next to layouts that do not fit.
double chanceToRun(const GpPoint& place, const std::vector<SearchPoint>& points,
                   const std::vector<SearchOutcome>& outcomes) {
    const double reach = kReach * std::sqrt(std::max(1.0, static_cast<double>(place.size())));
    double ran = kUsuallyRuns, all = 1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (outcomes[i].state != State::Finished && outcomes[i].state != State::Failed) continue;
        double squares = 0;
        for (std::size_t k = 0; k < place.size(); ++k)
            squares += (place[k] - points[i].place[k]) * (place[k] - points[i].place[k]);
        const double weight = std::exp(-squares / (2 * reach * reach));
        all += weight;
        if (outcomes[i].state == State::Finished) ran += weight;
    }
    return ran / all;
}

struct Model {
    std::vector<double> means;  ///< prior, by point
    GaussianProcess process;
    std::size_t numMeasured = 0;
    double best = 0;  ///< ln of the lowest measured cost
};

std::optional<Model> modelOf(const SearchRules& rules, const std::vector<SearchPoint>& points,
                             const std::vector<SearchOutcome>& outcomes) {
    std::vector<double> means = priorMeans(rules, points, outcomes);
    std::vector<GpPoint> places;
    std::vector<double> residuals;
    double best = 0, squares = 0;
    std::size_t measured = 0, dims = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        dims = points[i].place.size();
        if (outcomes[i].state != State::Finished || !(outcomes[i].cost > 0)) continue;
        const double cost = std::log(outcomes[i].cost);
        best = measured == 0 ? cost : std::min(best, cost);
        squares += (cost - means[i]) * (cost - means[i]);
        ++measured;
        places.push_back(points[i].place);
        residuals.push_back(cost - means[i]);
    }
    GpScales scales;
    scales.noise = std::hypot(kNoise, kSingle);
    scales.length = kReach * std::sqrt(std::max(1.0, static_cast<double>(dims)));
    if (rules.method == SearchMethod::Planner) {
        // Half of a forecast's variance is due to the software and the computer, common to all points.
        std::vector<double> spreads;
        for (const SearchPoint& point : points) spreads.push_back(point.spread);
        std::ranges::nth_element(spreads, spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2));
        scales.common = scales.own = spreads[spreads.size() / 2] / std::numbers::sqrt2;
    } else {
        scales.own = measured > 1 ? std::max(0.05, std::sqrt(squares / static_cast<double>(measured))) : 0.5;
        scales.common = scales.own;
    }
    if (points.empty()) return {};
    GaussianProcess process = places.size() < kLeastMeasured ? GaussianProcess(places, residuals, scales)
                                                             : fitGaussianProcess(places, residuals, scales);
    return Model{std::move(means), std::move(process), measured, best};
}

bool isCandidate(const SearchPoint& point, const SearchOutcome& outcome) {
    return point.canRun && outcome.state == State::Untried;
}

/// In (0, 1).
double uniform(std::uint64_t seed, std::uint64_t index) {
    return (static_cast<double>(splitMix64(seed + kSplitMix64Step * (index + 1)) >> 11) + 0.5) * 0x1.0p-53;
}

double gaussian(std::uint64_t seed, std::uint64_t index) {
    return std::sqrt(-2 * std::log(uniform(seed, 2 * index))) *
           std::cos(2 * std::numbers::pi * uniform(seed, 2 * index + 1));
}

/// Chance that one of these points runs at a cost below `wanted`, from draws of their joint posterior.
/// @param runs chance of each rival to run
double chanceOfAny(const Model& model, const std::vector<SearchPoint>& points, const std::vector<std::size_t>& rivals,
                   const std::vector<double>& runs, double wanted, std::uint64_t seed) {
    const std::size_t n = rivals.size();
    std::vector<double> covariance(n * n), mean(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<double>& place = points[rivals[i]].place;
        mean[i] = model.means[rivals[i]] + model.process.at(place).mean;
        for (std::size_t j = 0; j <= i; ++j)
            covariance[i * n + j] =
                model.process.covariance(place, points[rivals[j]].place) + (i == j ? kSingle * kSingle : 0);
    }
    const std::vector<double> factor = choleskyFactor(std::move(covariance), n);
    int better = 0;
    std::vector<double> normal(n);
    for (int draw = 0; draw < kDraws; ++draw) {
        for (std::size_t i = 0; i < n; ++i) normal[i] = gaussian(seed, static_cast<std::uint64_t>(draw) * n + i);
        bool any = false;
        for (std::size_t i = 0; i < n && !any; ++i) {
            double value = mean[i];
            for (std::size_t j = 0; j <= i; ++j) value += factor[i * n + j] * normal[j];
            any = value < wanted && uniform(~seed, static_cast<std::uint64_t>(draw) * n + i) < runs[i];
        }
        better += any ? 1 : 0;
    }
    return static_cast<double>(better) / kDraws;
}

}  // namespace

bool usesModel(const SearchRules& rules) {
    return rules.method == SearchMethod::Bayesian || rules.method == SearchMethod::Planner;
}

std::optional<std::size_t> chooseByModel(const SearchRules& rules, const std::vector<SearchPoint>& points,
                                         const std::vector<SearchOutcome>& outcomes) {
    if (!usesModel(rules)) return {};
    const auto model = modelOf(rules, points, outcomes);
    if (!model) return {};
    // A Gaussian process without a forecast begins with a few points spread over the axes.
    const std::size_t first = std::min<std::size_t>(8, points.front().place.size() + 2);
    if (rules.method == SearchMethod::Bayesian && model->numMeasured < first) return {};
    std::optional<std::size_t> chosen;
    double most = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!isCandidate(points[i], outcomes[i])) continue;
        const auto [mean, deviation] = model->process.at(points[i].place);
        const double expected = model->means[i] + mean;
        const double runs = chanceToRun(points[i].place, points, outcomes);
        double improvement = std::log(runs) - expected;  // nothing measured yet: the best forecast
        if (model->numMeasured > 0) {
            const double sigma = std::hypot(deviation, kSingle), z = (model->best - expected) / sigma;
            improvement = runs * ((model->best - expected) * normalBelow(z) + sigma * normalDensity(z));
        }
        if (chosen && improvement <= most) continue;
        chosen = i;
        most = improvement;
    }
    return chosen;
}

void evaluatePoints(const SearchRules& rules, const std::vector<SearchPoint>& points,
                    const std::vector<SearchOutcome>& outcomes, SearchDecision& decision) {
    decision.beliefs.assign(points.size(), {});
    const auto model = modelOf(rules, points, outcomes);
    if (!model || (rules.method == SearchMethod::Bayesian && model->numMeasured == 0)) return;
    const double wanted = model->best + std::log1p(-std::min(rules.gain, 0.99));
    std::vector<std::size_t> rivals;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto [mean, deviation] = model->process.at(points[i].place);
        const double expected = model->means[i] + mean;
        SearchBelief& belief = decision.beliefs[i];
        belief.cost = std::exp(expected);
        const double sigma = std::hypot(deviation, kSingle);
        belief.low = std::exp(expected - kInterval80 * sigma);
        belief.high = std::exp(expected + kInterval80 * sigma);
        if (model->numMeasured == 0 || !isCandidate(points[i], outcomes[i])) continue;
        belief.chance = normalBelow((wanted - expected) / sigma) * chanceToRun(points[i].place, points, outcomes);
        rivals.push_back(i);
    }
    if (model->numMeasured == 0) return;
    std::ranges::stable_sort(rivals, std::greater{}, [&](std::size_t i) { return decision.beliefs[i].chance; });
    if (rivals.size() > kMostRivals) rivals.resize(kMostRivals);
    std::vector<double> runs;
    for (const std::size_t i : rivals) runs.push_back(chanceToRun(points[i].place, points, outcomes));
    decision.chance = chanceOfAny(*model, points, rivals, runs, wanted, static_cast<std::uint64_t>(rules.seed));
}

bool isDecided(const SearchRules& rules, const std::vector<SearchOutcome>& outcomes, const SearchDecision& decision) {
    const auto measured =
        static_cast<std::size_t>(std::ranges::count(outcomes, State::Finished, &SearchOutcome::state));
    return usesModel(rules) && measured >= kLeastMeasured && decision.chance < rules.chance;
}

}  // namespace slipway
