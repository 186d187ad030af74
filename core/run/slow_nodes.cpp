#include "core/run/slow_nodes.h"

#include "core/base/file_mode.h"
#include "core/base/ids.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/base/units.h"
#include "core/launch/launch_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostNotes = 16;
constexpr std::size_t kTwice = 2;
constexpr std::int64_t kRememberedMilliseconds = 30LL * 24 * 3600 * 1000;

struct Notes {
    struct Note {
        std::string run;
        std::int64_t attempt = 1;
        double slower = 0, lostSeconds = 0;
        std::int64_t unixMilliseconds = 0;

        template <class Self, class V>
        static void visit(Self& s, V& v) {
            v(field("run"), s.run);
            v(field("attempt"), s.attempt);
            v(field("slower"), s.slower);
            v(field("lost_seconds"), s.lostSeconds);
            v(field("time_unix_ms"), s.unixMilliseconds);
        }
    };
    std::vector<Note> notes;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("notes"), s.notes);
    }
};

fs::path fileOf(const Home& home, const std::string& node) {
    return home.path / "nodes" / "slow" / (node + ".json");
}

Notes readNotes(const Home& home, const std::string& node) {
    const auto json = isSafeId(node) ? readOwnJson(fileOf(home, node)) : Result<Json>(fail("bad_id", std::string()));
    if (!json) return {};
    Issues issues;
    Notes notes = fields::fromJson<Notes>(*json, issues);
    return hasErrors(issues) ? Notes{} : notes;
}

}  // namespace

std::vector<SlowNode> slowNodes(const std::vector<Straggler>& stragglers, const LaunchPlan& plan) {
    std::map<std::int64_t, std::string> places;
    for (const NodePlan& node : plan.nodes)
        for (const RankCommand& rank : node.ranks) places[rank.rank] = node.node;
    std::vector<SlowNode> slow;
    for (const Straggler& one : stragglers) {
        const auto place = places.find(one.rank);
        if (place == places.end()) continue;
        auto at = std::ranges::find(slow, place->second, &SlowNode::node);
        if (at == slow.end()) {
            slow.push_back(SlowNode{place->second, {}, 0, 0, one.fromStep, one.toStep});
            at = std::prev(slow.end());
        }
        at->ranks.push_back(one.rank);
        at->slower = std::max(at->slower, one.slower);
        at->lostSeconds = std::max(at->lostSeconds, one.lostSeconds);  // the others wait for the slowest
        at->fromStep = std::min(at->fromStep, one.fromStep);
        at->toStep = std::max(at->toStep, one.toStep);
    }
    for (SlowNode& node : slow) std::ranges::sort(node.ranks);
    std::ranges::stable_sort(slow, std::ranges::greater{}, &SlowNode::lostSeconds);
    return slow;
}

std::vector<SlowNode> slowNodesOf(const RunDir& folder, const RunConfig& config, const LaunchPlan& plan,
                                  std::int64_t fromStep) {
    if (plan.nodes.size() < 2) return {};
    RankMapRequest request;
    request.numRanks = 0;
    for (const NodePlan& node : plan.nodes) request.numRanks += static_cast<std::int64_t>(node.ranks.size());
    std::vector<Straggler> stragglers =
        stragglersOf(readRankMap(folder, request), configForRanks(config, request.numRanks).parallel);
    std::erase_if(stragglers, [&](const Straggler& one) { return one.toStep <= fromStep; });
    return slowNodes(stragglers, plan);
}

Message slowText(const SlowNode& node) {
    std::vector<Message> ranks;
    for (const std::int64_t rank : node.ranks) ranks.push_back(Message::name(std::to_string(rank)));
    return "Node %1 is slow: its ranks (%2) worked %3 longer than others of their stage, from step %4 to %5."_text(
        node.node, listOf(ranks), formatPercent(node.slower), node.fromStep, node.toStep);
}

Result<void> noteSlowNodes(const Home& home, const std::string& run, std::int64_t attempt,
                           const std::vector<SlowNode>& nodes, std::int64_t now) {
    for (const SlowNode& node : nodes) {
        if (!isSafeId(node.node)) continue;
        Notes notes = readNotes(home, node.node);
        const bool isNoted = std::ranges::any_of(
            notes.notes, [&](const Notes::Note& note) { return note.run == run && note.attempt == attempt; });
        if (isNoted) continue;
        if (notes.notes.size() >= kMostNotes) notes.notes.erase(notes.notes.begin());
        notes.notes.push_back({run, attempt, node.slower, node.lostSeconds, now});
        if (auto made = makePrivateFolder(fileOf(home, node.node).parent_path()); !made) return made;
        if (auto written = writeJsonFile(fileOf(home, node.node), fields::toJson(notes)); !written) return written;
    }
    return {};
}

std::optional<Message> exclusionProposal(const Home& home, const std::string& node, std::int64_t now) {
    Notes notes = readNotes(home, node);
    std::erase_if(notes.notes,
                  [&](const Notes::Note& note) { return now - note.unixMilliseconds > kRememberedMilliseconds; });
    if (notes.notes.size() < kTwice) return {};
    double most = 0;
    for (const Notes::Note& note : notes.notes) most = std::max(most, note.slower);
    return "Node %1 was slow in %2 attempts of the last 30 days (up to %3): leave it out of --nodes, or look for the cause with `slipway nodes bench %4`."_text(
        node, notes.notes.size(), formatPercent(most), node);
}

void forgetSlowNode(const Home& home, const std::string& node) {
    std::error_code code;
    if (isSafeId(node)) fs::remove(fileOf(home, node), code);
}

}  // namespace slipway
