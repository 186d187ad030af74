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
        const auto add = [&](const char* code, const std::string& field, const Message& message) {
            issues.push_back(issueOf(Severity::Error, code, field, message));
        };
        const auto least = [&](const std::string& field, std::int64_t low) {
            add("out_of_range", field, "%1 must be at least %2."_text(field, low));
        };
        // Ranges of present fields are checked; a curve without its group or speed is useless.
        if (c.ranks < 2) least(at + ".ranks", 2);
        if (c.ranksPerNode < 1) least(at + ".ranks_per_node", 1);
        if (c.ranksPerNode > c.ranks)
            add("out_of_range", at + ".ranks_per_node",
                "%1 is %2, more than the %3 ranks of the group."_text(at + ".ranks_per_node", c.ranksPerNode, c.ranks));
        if (!(c.bytesPerSecond > 0))
            add("out_of_range", at + ".bytes_per_second", "%1 must be above 0."_text(at + ".bytes_per_second"));
        const auto [first, isNew] = known.try_emplace({c.operation, c.ranks, c.ranksPerNode}, i);
        if (!isNew)
            add("bad_value", at, "%1 has the operation and group of %2.%3; keep one."_text(at, path, first->second));
    }
    return issues;
}

}  // namespace slipway
