#include "core/store/run_groups.h"

#include <cmath>
#include <map>

namespace slipway {
namespace {

/// The value with a defined order: NaN is unordered among numbers.
CellValue keyOf(const CellValue& value) {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr && std::isnan(*number) ? CellValue("nan") : value;
}

}  // namespace

Result<std::vector<RunGroupFigures>> groupRuns(RunStore& store, RunQuery query, const std::vector<std::string>& figures,
                                               const std::stop_token& stop) {
    query.sort.clear();  // groups have their own order
    query.figure.clear();
    const auto listing = store.listing(query, stop);
    if (!listing) return fail(listing.error());
    std::vector<RunGroupFigures> out;
    std::map<CellValue, std::size_t> places;
    for (const RunGroup& group : listing->groups) {
        places.emplace(keyOf(group.value), out.size());
        out.push_back({group.value, group.count, 0, 0, std::vector<FigureSummary>(figures.size())});
    }
    // Runs added or changed between two listings may have a group that the first lacks: the next answer shows it.
    const auto merge = [&](const RunQuery& part, auto&& take) -> Result<void> {
        const auto found = store.listing(part, stop);
        if (!found) return fail(found.error());
        for (const RunGroup& group : found->groups)
            if (const auto place = places.find(keyOf(group.value)); place != places.end())
                take(out[place->second], group);
        return {};
    };
    const std::string filter = query.filter.empty() ? "" : "(" + query.filter + ") ";
    for (const auto& [words, count] : {std::pair("status:completed", &RunGroupFigures::ran),
                                       std::pair("status:failed,lost", &RunGroupFigures::failed)}) {
        RunQuery part = query;
        part.filter = filter + words;
        if (auto merged =
                merge(part, [count = count](RunGroupFigures& to, const RunGroup& group) { to.*count = group.count; });
            !merged)
            return fail(merged.error());
    }
    for (std::size_t i = 0; i < figures.size(); ++i) {
        query.figure = figures[i];
        if (auto merged =
                merge(query, [i](RunGroupFigures& to, const RunGroup& group) { to.figures[i] = group.figure; });
            !merged)
            return fail(merged.error());
    }
    return out;
}

}  // namespace slipway
