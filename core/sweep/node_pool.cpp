#include "core/sweep/node_pool.h"

#include "core/base/clock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace slipway {
namespace {

constexpr double kFirstPauseSeconds = 2;
constexpr double kLongestPauseSeconds = 120;
constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();
/// Temporary reasons why a node could not start a trial; the others need a person.
constexpr std::string_view kPassing[] = {"closed", "timeout",   "refused",   "unreachable", "ssh_failed",
                                         "busy",   "bad_frame", "disk_full", "lost_ranks"};
constexpr std::int64_t kLookMilliseconds = 5000;  // interval between checks for runs without a driver

}  // namespace

NodePool::NodePool(RunStore& store, Home home, Programs programs, std::shared_ptr<NodeLinks> links)
    : m_store(&store),
      m_home(std::move(home)),
      m_programs(std::move(programs)),
      m_links(std::move(links)),
      m_slots(m_home,
              [&store](const std::string& run) {
                  const auto record = store.run(RunId(run));
                  if (!record) return record.error().code == "run_missing";
                  return isFinal(record->status) || record->status == RunStatus::Planned;
              }),
      m_lost(m_home, m_links) {}

Result<std::unique_ptr<NodePool>> NodePool::open(RunStore& store, const Home& home, const Programs& programs,
                                                 std::shared_ptr<NodeLinks> links,
                                                 const std::vector<std::string>& nodes, std::int64_t perNode) {
    std::unique_ptr<NodePool> pool(new NodePool(store, home, programs, std::move(links)));
    pool->m_perNode = std::max<std::int64_t>(1, perNode);
    for (const std::string& name : nodes) {
        auto record = findNode(home, name);
        if (!record) return fail(record.error());
        const bool isKnown = std::ranges::any_of(pool->m_nodes, [&](const NodeRecord& n) { return n.name == name; });
        if (!isKnown) pool->m_nodes.push_back(std::move(*record));
    }
    return pool;
}

// Nodes with the fewest trials first.
std::vector<NodeRecord> NodePool::order(const std::vector<std::string>& excluded, std::int64_t now) const {
    std::vector<std::pair<std::size_t, NodeRecord>> ranked;
    for (const NodeRecord& node : m_nodes) {
        const auto trouble = m_trouble.find(node.name);
        if (trouble != m_trouble.end() && now < trouble->second.untilUnixMilliseconds) continue;
        if (m_lost.mayRunOn(node.name)) continue;
        if (std::ranges::find(excluded, node.name) == excluded.end())
            ranked.emplace_back(m_slots.holders(node.name).size(), node);
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& each) { return each.first; });
    std::vector<NodeRecord> nodes;
    for (auto& [number, node] : ranked) nodes.push_back(std::move(node));
    return nodes;
}

Result<std::vector<LaunchNode>> NodePool::place(const RunConfig& config, const RunId& run,
                                                const std::vector<std::string>& excluded, std::int64_t now) {
    const std::int64_t ranks = config.parallel.worldSize();
    const auto isSmallOn = [&](const NodeRecord& node) {
        const std::int64_t share = std::max<std::int64_t>(1, node.numSlots / m_perNode);
        return m_perNode > 1 && (node.numSlots == 0 || ranks <= share);
    };
    const std::vector<NodeRecord> free = order(excluded, now);
    for (const NodeRecord& node : free)
        for (std::int64_t slot = 0; isSmallOn(node) && slot < m_perNode; ++slot) {
            const auto taken = m_slots.take(node.name, slot, run.value, false);
            if (!taken) return fail(taken.error());
            if (*taken) return std::vector<LaunchNode>{{node.name, ranks}};
        }
    // A node without a number of slots takes all ranks; other nodes are added until the slots suffice.
    const auto enough = [&](const std::vector<NodeRecord>& nodes) {
        std::int64_t slots = 0;
        for (const NodeRecord& node : nodes) slots += node.numSlots == 0 ? ranks : node.numSlots;
        return slots >= ranks;
    };
    if (!enough(m_nodes))
        return fail("too_few_slots", "The layout needs %1 ranks; the nodes of the sweep have fewer slots."_text(ranks),
                    run.value);
    std::vector<NodeRecord> able = m_nodes;
    std::string why;
    std::erase_if(able, [&](const NodeRecord& node) {
        const auto trouble = m_trouble.find(node.name);
        const bool isTroubled = trouble != m_trouble.end() && now < trouble->second.untilUnixMilliseconds;
        const bool isOut =
            isTroubled &&
            (trouble->second.untilUnixMilliseconds == kForGood ||
             (m_lostMilliseconds > 0 && now - trouble->second.sinceUnixMilliseconds >= m_lostMilliseconds));
        if (isOut) why += " " + trouble->second.why;
        return isOut || std::ranges::find(excluded, node.name) != excluded.end();
    });
    if (!enough(able)) return fail("no_node", "No node of the sweep can take the trial.%1"_text(why), run.value);
    std::vector<NodeRecord> chosen;
    for (const NodeRecord& node : free) {
        if (!chosen.empty() && enough(chosen)) break;
        if (isSmallOn(node)) continue;  // it is full
        const auto taken = m_slots.take(node.name, 0, run.value, true);
        if (!taken) return fail(taken.error());
        if (*taken) chosen.push_back(node);
    }
    if (chosen.empty() || !enough(chosen)) {
        m_slots.release(run.value);
        return std::vector<LaunchNode>{};
    }
    auto shares = chosen.size() == 1 ? Result<std::vector<LaunchNode>>(std::vector<LaunchNode>{{chosen[0].name, ranks}})
                                     : shareRanks(config, chosen);
    if (!shares) m_slots.release(run.value);
    return shares;
}

void NodePool::failed(const std::string& node, const Error& why, std::int64_t now) {
    Trouble& trouble = m_trouble[node];
    if (trouble.number == 0) trouble.sinceUnixMilliseconds = now;
    const double pause =
        std::min(kLongestPauseSeconds, kFirstPauseSeconds * std::exp2(std::min(trouble.number++, 10))) *
        (0.75 + 0.5 * static_cast<double>(randomEntropy()) / 4294967296.0);
    const bool mayPass = std::ranges::find(kPassing, why.code) != std::end(kPassing);
    trouble.untilUnixMilliseconds = mayPass ? now + static_cast<std::int64_t>(pause * 1000) : kForGood;
    trouble.why = why.message;
}

std::optional<bool> NodePool::answersElsewhere(const RunConfig& config, const std::vector<std::string>& without,
                                               std::int64_t now) {
    constexpr std::int64_t kPatienceMilliseconds = 30'000;
    const std::int64_t ranks = config.parallel.worldSize();
    std::int64_t slots = 0;
    bool isKnown = true;
    for (const NodeRecord& node : m_nodes) {
        const auto trouble = m_trouble.find(node.name);
        if (trouble != m_trouble.end() && trouble->second.untilUnixMilliseconds == kForGood) continue;
        if (std::ranges::find(without, node.name) != without.end() || m_lost.mayRunOn(node.name)) continue;
        Probe& probe = m_probes[node.name];
        if (!probe.link) {
            probe = {m_links->link(node), now};
            probe.link->ask(Json{{"do", "hello"}});
        }
        (void)probe.link->poll(static_cast<double>(now) / 1000);
        if (probe.link->state() == NodeLink::State::Up) slots += node.numSlots == 0 ? ranks : node.numSlots;
        const bool isConnecting = probe.link->state() == NodeLink::State::Connecting;
        isKnown = isKnown && (!isConnecting || now - probe.sinceUnixMilliseconds >= kPatienceMilliseconds);
    }
    if (slots < ranks && !isKnown) return {};
    m_probes.clear();
    return slots >= ranks;
}

std::vector<LostRanks::Stopped> NodePool::poll(std::int64_t now, const std::function<bool(const RunId&)>& isOurs) {
    std::vector<std::string> names;
    for (const NodeRecord& node : m_nodes) names.push_back(node.name);
    if (now >= m_nextLook) {
        m_nextLook = now + kLookMilliseconds;
        for (const std::string& run : m_slots.orphans(names)) {
            if (m_orphans.contains(run) || isOurs(RunId(run))) continue;
            auto session = RunSession::attach(*m_store, m_home, RunId(run), now, m_programs, m_links);
            if (!session) continue;
            session->leaveRestarts();
            m_orphans.emplace(run, std::move(*session));
        }
    }
    for (auto it = m_orphans.begin(); it != m_orphans.end();) {
        (void)it->second.poll(now);
        it = it->second.done() ? m_orphans.erase(it) : std::next(it);
    }
    return m_lost.poll(names, now);
}

}  // namespace slipway
