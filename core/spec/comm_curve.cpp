#include "core/spec/comm_curve.h"

#include <map>
#include <tuple>

namespace slipway {

Issues curveIssues(const std::vector<CommCurve>& curves, const std::string& path) {
    Issues issues;
    std::map<std::tuple<Collective, std::int64_t, std::int64_t>, std::size_t> known;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const CommCurve& c = curves[i];
        const std::string at = path + "." + std::to_string(i);
        const auto add = [&](const char* code, const std::string& field, const std::string& what) {
            issues.push_back({Severity::Error, code, field, field + " " + what});
        };
        // Ranges are looked at where a field is given; a curve without its group or its speed says nothing.
        if (c.ranks < 2) add("out_of_range", at + ".ranks", "must be at least 2.");
        if (c.ranksPerNode < 1) add("out_of_range", at + ".ranks_per_node", "must be at least 1.");
        if (c.ranksPerNode > c.ranks)
            add("out_of_range", at + ".ranks_per_node",
                "is " + std::to_string(c.ranksPerNode) + ", more than the " + std::to_string(c.ranks) +
                    " ranks of the group.");
        if (!(c.bytesPerSecond > 0)) add("out_of_range", at + ".bytes_per_second", "must be more than 0.");
        const auto [first, isNew] = known.try_emplace({c.operation, c.ranks, c.ranksPerNode}, i);
        if (!isNew)
            add("bad_value", at,
                "is of the same operation and group as " + path + "." + std::to_string(first->second) + "; keep one.");
    }
    return issues;
}

}  // namespace slipway
