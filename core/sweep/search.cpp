#include "core/sweep/search.h"

#include "core/base/hash.h"
#include "core/base/units.h"
#include "core/sweep/model_search.h"

#include <algorithm>
#include <numeric>

namespace slipway {
namespace {

using State = SearchOutcome::State;

double halton(std::size_t index, std::size_t base) {
    double value = 0, share = 1;
    for (std::size_t i = index; i > 0; i /= base) {
        share /= static_cast<double>(base);
        value += share * static_cast<double>(i % base);
    }
    return value;
}

std::size_t prime(std::size_t index) {
    constexpr std::size_t kPrimes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,  37,  41,  43,  47,  53,
                                       59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
    return kPrimes[index % std::size(kPrimes)];
}

double uniformOf(std::uint64_t seed, std::uint64_t stream) {
    return static_cast<double>(splitMix64(seed + kSplitMix64Step * (stream + 1)) >> 11) * 0x1.0p-53;
}

std::vector<std::size_t> fileOrder(const std::vector<SearchPoint>& points, bool namedFirst) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (namedFirst) std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return points[i].isNamed; });
    std::erase_if(order, [&](std::size_t i) { return !points[i].canRun; });
    return order;
}

/// Comparable trials at rung k or above, best first.
std::vector<std::size_t> ranked(const std::vector<SearchOutcome>& outcomes, std::size_t rung) {
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        if (outcomes[i].rungCosts.size() > rung && outcomes[i].state != State::Failed) there.push_back(i);
    std::ranges::stable_sort(there, {}, [&](std::size_t i) { return outcomes[i].rungCosts[rung]; });
    return there;
}

/// Li et al., A System for Massively Parallel Hyperparameter Tuning (2020), algorithm 2. Once no new point may begin,
/// the best trial of the highest rung continues until one has run to its end.
std::optional<std::pair<std::size_t, std::size_t>> promotion(const SearchRules& rules,
                                                             const std::vector<SearchOutcome>& outcomes, bool mayBegin,
                                                             bool anyRunning) {
    std::size_t numRungs = 0;
    for (const SearchOutcome& outcome : outcomes)
        numRungs = std::max(numRungs, rungSteps(rules, outcome.numSteps).size());
    bool anyHigher = false;
    for (std::size_t k = numRungs; k-- > 0;) {
        const std::vector<std::size_t> there = ranked(outcomes, k);
        const auto waits = [&](std::size_t i) {
            return outcomes[i].state != State::Running && outcomes[i].rungCosts.size() == k + 1 &&
                   rungSteps(rules, outcomes[i].numSteps).size() > k + 1;
        };
        const std::size_t best = there.size() / static_cast<std::size_t>(rules.reduction);
        for (std::size_t i = 0; i < best; ++i)
            if (waits(there[i])) return std::pair{there[i], k + 1};
        if (!mayBegin && !anyRunning && !anyHigher && !there.empty() && waits(there.front()))
            return std::pair{there.front(), k + 1};
        anyHigher = anyHigher || !there.empty();
    }
    return {};
}

}  // namespace

std::vector<std::int64_t> rungSteps(const SearchRules& rules, std::int64_t numSteps) {
    const std::int64_t lowest = rules.rungSteps > 0
                                    ? rules.rungSteps
                                    : std::max<std::int64_t>(1, numSteps / (rules.reduction * rules.reduction));
    std::vector<std::int64_t> steps;
    for (std::int64_t at = lowest; at < numSteps && steps.size() < 40; at *= rules.reduction) steps.push_back(at);
    steps.push_back(numSteps);
    return steps;
}

std::vector<std::size_t> randomOrder(const SearchRules& rules, const std::vector<SearchPoint>& points,
                                     std::size_t count) {
    const auto seed = static_cast<std::uint64_t>(rules.seed);
    std::vector<std::size_t> left = fileOrder(points, false);
    if (rules.sampling == SearchSampling::Uniform) {
        std::ranges::stable_sort(left, {}, [&](std::size_t i) { return uniformOf(seed, i); });
        if (left.size() > count) left.resize(count);
        return left;
    }
    std::vector<std::size_t> order;
    for (std::size_t n = 1; order.size() < count && !left.empty(); ++n) {
        const std::size_t dims = points[left.front()].place.size();
        const auto distance = [&](std::size_t i) {
            double squares = 0;
            for (std::size_t d = 0; d < dims; ++d) {
                double wanted = halton(n, prime(d)) + uniformOf(seed, d);
                wanted -= std::floor(wanted);
                squares += (points[i].place[d] - wanted) * (points[i].place[d] - wanted);
            }
            return squares;
        };
        // Ties are broken at random, so that axes without an encoding do not all keep their first value.
        auto nearest = left.begin();
        double least = distance(*nearest);
        for (auto it = left.begin() + 1; it != left.end(); ++it) {
            const double here = distance(*it);
            const bool isTie = here == least && uniformOf(seed + n, *it) < uniformOf(seed + n, *nearest);
            if (here > least || (here == least && !isTie)) continue;
            nearest = it;
            least = here;
        }
        order.push_back(*nearest);
        left.erase(nearest);
    }
    return order;
}

SearchDecision proposeNext(const SearchRules& rules, const std::vector<SearchPoint>& points,
                           const std::vector<SearchOutcome>& outcomes) {
    const auto isUntried = [&](std::size_t i) { return outcomes[i].state == State::Untried; };
    std::size_t used = 0;
    bool anyRunning = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        used += points[i].canRun && !isUntried(i) ? 1 : 0;
        anyRunning = anyRunning || outcomes[i].state == State::Running;
    }
    const std::size_t able = fileOrder(points, false).size();
    const std::size_t most = rules.trials > 0 ? std::min(able, static_cast<std::size_t>(rules.trials)) : able;
    SearchDecision decision;
    if (usesModel(rules)) evaluatePoints(rules, points, outcomes, decision);
    if (rules.method == SearchMethod::Asha)
        if (const auto promoted = promotion(rules, outcomes, used < most, anyRunning)) {
            decision.point = promoted->first;
            decision.rung = promoted->second;
            return decision;
        }
    if (used >= most) {
        decision.ended = !anyRunning;
        decision.reason = used < able ? "the search's %1 trials are used up"_text(static_cast<std::int64_t>(most))
                                      : "all %1 points that can run were tried"_text(static_cast<std::int64_t>(able));
        return decision;
    }
    if (isDecided(rules, outcomes, decision)) {
        decision.ended = !anyRunning;
        decision.reason = "the chance that an untried point is %1 better is %2"_text(formatPercent(rules.gain),
                                                                                     formatPercent(decision.chance));
        return decision;
    }
    std::vector<std::size_t> order;
    if (rules.method == SearchMethod::Grid || rules.method == SearchMethod::List)
        order = fileOrder(points, rules.method == SearchMethod::List);
    else if (const auto chosen = chooseByModel(rules, points, outcomes))
        order = {*chosen};
    else
        order = randomOrder(rules, points, used + 1);
    const auto next = std::ranges::find_if(order, isUntried);
    if (next != order.end()) decision.point = *next;
    return decision;
}

}  // namespace slipway
