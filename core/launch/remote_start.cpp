#include "core/launch/remote_start.h"

#include "core/base/error_of.h"
#include "core/base/own_file.h"
#include "core/launch/checkpoint_push.h"
#include "core/launch/launch_plan.h"
#include "core/launch/lost_attempts.h"
#include "core/remote/last_check.h"
#include "core/remote/node_check.h"
#include "core/spec/log_times.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kTrainerSeconds = 120;
constexpr double kStartSeconds = 90;
constexpr double kLeastDiskBytes = 64.0 * 1024 * 1024;

void setVariable(std::vector<std::string>& environment, const std::string& key, const std::string& value) {
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(key + "="); });
    environment.push_back(key + "=" + value);
}

std::string textIn(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
}

}  // namespace

LaunchPlan planOnNode(const LaunchPlan& plan, const std::string& node, const NodeFacts& facts,
                      const std::string& interface) {
    LaunchPlan own = plan;
    const fs::path folder = fs::path(facts.home) / "runs" / plan.runId;
    for (NodePlan& each : own.nodes) {
        if (each.node != node) continue;
        for (RankCommand& rank : each.ranks) {
            rank.arguments.front() = facts.trainer;
            for (std::size_t i = 0; i + 1 < rank.arguments.size(); ++i) {
                if (rank.arguments[i] == "--config") rank.arguments[i + 1] = RunDir{folder}.config().string();
                if (rank.arguments[i] == "--run-dir") rank.arguments[i + 1] = folder.string();
            }
            setVariable(rank.environment, "SLIPWAY_HOME", facts.home);
            setVariable(rank.environment, "MASTER_ADDR", plan.masterAddress);
            if (!interface.empty()) setVariable(rank.environment, "NCCL_SOCKET_IFNAME", "=" + interface);
        }
    }
    return own;
}

std::string interfaceOf(const NodeFacts& facts, const std::string& address) {
    const auto found = std::ranges::find(facts.interfaces, address, &NodeFacts::Interface::address);
    return found == facts.interfaces.end() ? "" : found->name;
}

void addNodeQuestions(Errands& errands, const NodeRecord& node, NodeFacts& facts) {
    errands.add(
        simpleErrand(Json{{"do", "hello"}}, {}, [&facts](const Frame& frame) { readHello(*frame.header, facts); }));
    errands.add(joining(simpleErrand(Json{{"do", "facts"}, {"home", node.home}}, {},
                                     [&facts](const Frame& frame) { readFacts(*frame.header, facts); })));
    Errand trainer = simpleErrand(
        Json{{"do", "trainer"}, {"home", node.home}, {"path", node.trainer}}, {},
        [&facts](const Frame& frame) {
            facts.trainer = textIn(*frame.header, "path");
            facts.trainerVersion = versionIn(textIn(*frame.header, "printed"));
        },
        kTrainerSeconds);
    trainer.take = [then = trainer.take, name = node.name](const Frame& frame, const Error* error) -> Result<bool> {
        if (error == nullptr) return then(frame, error);
        return fail(trainerError(name, *error));
    };
    errands.add(joining(std::move(trainer)));
}

RemoteStart::RemoteStart(LaunchPlan plan, RunDir folder, fs::path data, std::vector<Node> nodes,
                         const std::vector<Node>& sources, std::string secret)
    : m_plan(std::move(plan)), m_folder(std::move(folder)), m_data(std::move(data)), m_secret(std::move(secret)) {
    for (Node& node : nodes) {
        State state;
        state.node = std::move(node);
        m_nodes.push_back(std::move(state));
    }
    for (const Node& node : sources)
        m_sources.push_back({node, std::make_unique<CheckpointPull>(m_folder, m_plan.runId, node.name,
                                                                    node.link->node().home, std::nullopt)});
    if (sources.empty()) enter(Phase::Facts);
}

// Every reachable node sends the missing parts of the newest checkpoint.
void RemoteStart::pollFetch(double now) {
    for (Source& source : m_sources) source.pull->poll(*source.node.link, now);
    const bool isDone = std::ranges::all_of(m_sources, [](const Source& source) {
        return source.node.link->state() == NodeLink::State::Down || source.pull->isUpToDate();
    });
    if (!isDone) return;
    m_sources.clear();
    enter(Phase::Facts);
}

Result<RunConfig> RemoteStart::storedConfig() const {
    const auto json = readOwnJson(m_folder.config());
    if (!json) return fail(json.error());
    auto stored = readStoredConfig(*json, m_folder.config().string());
    if (!stored) return fail(stored.error());
    return std::move(stored->acting);
}

// A later attempt may have fewer replicas than the config; any layout can read its checkpoint.
Result<Json> RemoteStart::configThere() const {
    const auto stored = storedConfig();
    if (!stored) return fail(stored.error());
    std::int64_t ranks = 0;
    for (const NodePlan& node : m_plan.nodes) ranks += static_cast<std::int64_t>(node.ranks.size());
    auto json = readOwnJson(m_folder.config());
    if (!json) return json;
    if (const RunConfig there = configForRanks(*stored, ranks); there.parallel.dp != stored->parallel.dp)
        (*json)["parallel"]["dp"] = there.parallel.dp;
    return json;
}

Result<void> RemoteStart::checkFacts() {
    const auto stored = storedConfig();
    if (!stored) return fail(stored.error());
    std::error_code code;
    const double data = m_data.empty() ? 0 : static_cast<double>(fs::file_size(m_data, code));
    for (const State& at : m_nodes) {
        const auto own = std::find_if(m_plan.nodes.begin(), m_plan.nodes.end(),
                                      [&](const NodePlan& each) { return each.node == at.node.name; });
        const std::size_t ranks = own == m_plan.nodes.end() ? 0 : own->ranks.size();
        if (stored->train.device == DeviceKind::Gpu && at.facts.gpus.size() < ranks)
            return fail(
                "gpus_missing",
                "%1 ranks are planned on %2, which has %3 GPUs."_text(ranks, at.node.name, at.facts.gpus.size()),
                at.node.name);
        if (const State& first = m_nodes.front(); at.facts.trainerVersion != first.facts.trainerVersion)
            return fail(
                "version_mismatch",
                "%1 has slipway-trainer %2 and %3 has %4; `slipway nodes setup` installs this computer's on both."_text(
                    first.node.name, first.facts.trainerVersion, at.node.name, at.facts.trainerVersion),
                at.node.name);
        if (at.facts.freeDiskBytes < kLeastDiskBytes + data)
            return fail("disk_full", "The disk of %1 is full; free some space in %2."_text(at.node.name, at.facts.home),
                        at.node.name);
    }
    return {};
}

// The nodes' facts at the start of the attempt; the file is the newest attempt's.
Result<void> RemoteStart::storeFacts(double now, const std::string& problem) const {
    Json nodes = Json::array();
    for (const State& at : m_nodes) {
        nodes.push_back(toJson(at.facts));
        nodes.back()["node"] = at.node.name;
        nodes.back()["time_unix_ms"] = static_cast<std::int64_t>(1000 * (at.known ? at.known->atSeconds : now));
        if (!m_preflight) continue;
        nodes.back()["health"] = toJson(m_preflight->healthOf(nodes.size() - 1));
        Json issues = Json::array();
        for (const Issue& issue : m_preflight->issues())
            if (issue.field == at.node.name)
                issues.push_back(Json{{"severity", issue.severity == Severity::Error     ? "error"
                                                   : issue.severity == Severity::Warning ? "warning"
                                                                                         : "info"},
                                      {"code", issue.code},
                                      {"text", issue.message}});
        nodes.back()["issues"] = std::move(issues);
    }
    return writeJsonFile(m_folder.path / "preflight.json",
                         Json{{"attempt", m_plan.attempt},
                              {"time_unix_ms", static_cast<std::int64_t>(now * 1000)},
                              {"problem", problem.empty() ? Json(nullptr) : Json(problem)},
                              {"nodes", std::move(nodes)}});
}

Result<void> RemoteStart::sendFiles(State& at) {
    const NodeRecord& record = at.node.link->node();
    const auto index = static_cast<std::size_t>(&at - m_nodes.data());
    const LaunchPlan own =
        planOnNode(m_plan, at.node.name, at.facts, m_meeting ? interfaceOf(at.facts, m_meeting->addressOf(index)) : "");
    const auto write = [&](const std::string& path, std::string text) {
        at.errands.add(joining(simpleErrand(
            Json{{"do", "write"}, {"home", record.home}, {"run", m_plan.runId}, {"path", path}}, std::move(text))));
    };
    at.errands.add(simpleErrand(Json{{"do", "clear"}, {"home", record.home}, {"run", m_plan.runId}}));
    auto read = configThere();
    if (!read) return fail(read.error());
    Json config = std::move(*read);
    if (const Json::json_pointer from("/checkpoint/start_from"); config.contains(from) && config[from].is_string()) {
        const auto there = addStartPush(at.errands, config[from].get<std::string>(), record.home, m_plan.runId);
        if (!there) return fail(there.error());
        if (!there->empty()) config[from] = (fs::path(at.facts.home) / *there).string();
    }
    if (!m_data.empty()) {
        const auto hash = std::make_shared<FileHash>(m_data);
        addFilePush(at.errands, {hash, record.home, "corpora/{}.tok"});
        // There the data is named by its content, for any local name.
        Errand errand;
        errand.make = [hash, config, home = record.home,
                       run = m_plan.runId]() mutable -> Result<std::optional<Errand::Ask>> {
            config["data"]["tokens"] = hash->sha256() + ".tok";
            return Errand::Ask{std::make_shared<const Json>(
                                   Json{{"do", "write"}, {"home", home}, {"run", run}, {"path", "config.json"}}),
                               dumpJson(config, true)};
        };
        errand.take = [](const Frame&, const Error* error) -> Result<bool> {
            if (error != nullptr) return fail(*error);
            return true;
        };
        at.errands.add(joining(std::move(errand)));
    } else {
        write("config.json", dumpJson(config, true));
    }
    write("launch.json", dumpJson(toJson(own), true));
    if (m_plan.attempt <= 1) return {};
    write(supersedingFile(m_plan.attempt), {});  // for an agent of a lost node that shares the folder
    continueThere(at);
    if (const auto step = newestWholeCheckpoint(m_folder))
        addCheckpointPush(at.errands, m_folder, *step, record.home, m_plan.runId);
    return {};
}

// A node that continues a run of others begins with the local files: its streams are copied from their ends.
void RemoteStart::continueThere(State& at) {
    const std::string home = at.node.link->node().home, run = m_plan.runId;
    std::set<std::int64_t> ranks;
    for (const NodePlan& each : m_plan.nodes)
        if (each.node == at.node.name)
            for (const RankCommand& rank : each.ranks) ranks.insert(rank.rank);
    std::vector<fs::path> streams;
    if (ranks.contains(0)) streams.push_back(m_folder.metrics());
    for (const std::int64_t rank : ranks) {
        streams.push_back(m_folder.rankStream(rank));
        streams.push_back(m_folder.rankLog(rank));
        streams.push_back(logTimesFile(m_folder.rankLog(rank)));
    }
    const Json status{{"do", "status"}, {"home", home}, {"run", run}, {"node", at.node.name}};
    at.errands.add(simpleErrand(status, {}, [this, &at, home, run, streams](const Frame& frame) {
        std::map<std::string, std::uint64_t> there;
        const Json& header = *frame.header;
        if (header.contains("files") && header["files"].is_array())
            for (const Json& row : header["files"])
                if (row.is_array() && row.size() == 3 && row[0].is_string() && row[1].is_number_unsigned())
                    there[row[0].get<std::string>()] = row[1].get<std::uint64_t>();
        for (const fs::path& stream : streams) {
            std::error_code code;
            const std::uint64_t here = fs::is_symlink(stream, code) ? 0 : fs::file_size(stream, code);
            const std::string name = stream.lexically_relative(m_folder.path).string();
            if (code || here <= there[name]) continue;
            addFilePush(at.errands,
                        {std::make_shared<FileHash>(stream), home, "runs/" + run + "/" + name, false, {}, true});
        }
    }));
}

void RemoteStart::start(State& at) {
    Errand errand = simpleErrand(Json{{"do", "start"},
                                      {"home", at.node.link->node().home},
                                      {"run", m_plan.runId},
                                      {"node", at.node.name},
                                      {"secret", m_secret}},
                                 {}, {}, kStartSeconds);
    errand.mustHear = true;
    errand.take = [](const Frame&, const Error* error) -> Result<bool> {
        // The answer to an earlier request was lost: it is running.
        if (error == nullptr || error->code == "already_started") return true;
        return fail(*error);
    };
    at.errands.add(std::move(errand));
}

void RemoteStart::abandon() {
    for (State& at : m_nodes)
        if (at.node.link->state() == NodeLink::State::Up)
            at.node.link->ask(Json{{"do", "write"},
                                   {"home", at.node.link->node().home},
                                   {"run", m_plan.runId},
                                   {"path", "control/kill"}},
                              "attempt " + std::to_string(m_plan.attempt) + "\n");
}

void RemoteStart::cancel() {
    if (done() || m_phase == Phase::Start) return;
    m_error = errorOf("stopped", "Stopped before its ranks had started."_text);
}

void RemoteStart::enter(Phase phase) {
    m_phase = phase;
    if (phase == Phase::Facts && m_plan.attempt > 1) discardComingCheckpoints(m_folder);
    if (phase == Phase::Facts) askNodes();
    if (phase == Phase::Look) m_preflight = std::make_unique<Preflight>(nodesToLookAt(), isOnGpus());
    if (phase == Phase::Meet) {
        std::vector<Meeting::Place> places;
        std::vector<NodeFacts> facts;
        for (const State& at : m_nodes) {
            places.push_back({at.node.name, at.node.link});
            facts.push_back(at.facts);
        }
        m_meeting = std::make_unique<Meeting>(places, facts);
    }
    if (phase == Phase::Files) {
        // Needed by every later query: the rendezvous. The secret is never in a file.
        if (const auto written = writeJsonFile(m_folder.launch(), toJson(m_plan)); !written) m_error = written.error();
        for (State& at : m_nodes)
            if (const auto sent = sendFiles(at); !sent && !m_error) m_error = sent.error();
    }
    if (phase == Phase::Start)
        for (State& at : m_nodes) start(at);
}

bool RemoteStart::isOnGpus() const {
    const auto config = storedConfig();
    return config && config->train.device == DeviceKind::Gpu;
}

/// A trial on the node of an earlier one reuses its findings; a further attempt and ranks on several nodes never do.
void RemoteStart::askNodes() {
    for (State& at : m_nodes) {
        const std::optional<NodeLook>& look = at.node.link->look();
        if (m_plan.attempt <= 1 && m_nodes.size() == 1 && at.node.link->state() == NodeLink::State::Up) at.known = look;
        if (at.known)
            at.facts = at.known->facts;
        else
            addNodeQuestions(at.errands, at.node.link->node(), at.facts);
    }
}

std::vector<Preflight::Node> RemoteStart::nodesToLookAt() const {
    const bool onGpus = isOnGpus();
    std::vector<Preflight::Node> nodes;
    for (const State& at : m_nodes) {
        const auto own = std::ranges::find(m_plan.nodes, at.node.name, &NodePlan::node);
        const auto ranks = own == m_plan.nodes.end() ? 0 : own->ranks.size();
        nodes.push_back({at.node.name, at.node.link, at.facts, static_cast<std::int64_t>(ranks)});
        if (at.known && (at.known->hasGpuStates || !onGpus)) nodes.back().health = at.known->health;
    }
    return nodes;
}

void RemoteStart::takePreflight(double now) {
    m_preflight->poll(now);
    if (!m_preflight->done()) return;
    std::optional<Error> problem = m_preflight->error();
    for (const Issue& issue : m_preflight->issues()) {
        if (issue.severity != Severity::Error)
            m_warnings.push_back({issue.code, issue.message, "", issue.sentence()});
        else if (!problem)
            problem = Error{issue.code, issue.message, issue.field, issue.sentence()};
    }
    if (const auto stored = storeFacts(now, problem ? textOf(problem->sentence()) : std::string()); !stored && !problem)
        problem = stored.error();
    if (problem) {
        m_error = std::move(problem);
        return;
    }
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (!m_nodes[i].known || (isOnGpus() && !m_nodes[i].known->hasGpuStates))
            m_nodes[i].node.link->keepLook({m_nodes[i].facts, m_preflight->healthOf(i), isOnGpus(), now});
    enter(m_nodes.size() == 1 ? Phase::Files : Phase::Meet);  // a single agent finds a port by itself
}

std::vector<Error> RemoteStart::takeWarnings() {
    return std::exchange(m_warnings, {});
}

bool RemoteStart::take(const std::string& node, const LinkAnswer& answer) {
    for (Source& source : m_sources)
        if (source.node.name == node && source.pull->take(answer)) return true;
    if (m_preflight && m_preflight->take(node, answer)) return true;
    if (m_meeting && m_meeting->take(node, answer)) return true;
    for (State& at : m_nodes)
        if (at.node.name == node && at.errands.take(answer)) return true;
    return false;
}

void RemoteStart::poll(double now) {
    if (done()) return;
    if (m_phase == Phase::Fetch) return pollFetch(now);
    bool allDone = true;
    for (State& at : m_nodes) {
        at.errands.poll(*at.node.link, now);
        if (at.errands.error()) {
            m_error = *at.errands.error();
            m_error->where = at.node.name;
            if (m_phase == Phase::Start) abandon();
            return;
        }
        allDone = allDone && at.errands.done();
    }
    if (!allDone) return;
    switch (m_phase) {
        case Phase::Fetch: return;
        case Phase::Facts:
            if (const auto good = checkFacts(); !good) {
                m_error = good.error();
                (void)storeFacts(now, textOf(good.error().sentence()));  // the relevant error is the node's
                return;
            }
            return enter(Phase::Look);
        case Phase::Look: return takePreflight(now);
        case Phase::Meet:
            m_meeting->poll(now);
            if (m_meeting->error()) m_error = m_meeting->error();
            if (m_error || !m_meeting->done()) return;
            m_plan.masterAddress = m_meeting->address();
            m_plan.masterPort = m_meeting->port();
            return enter(Phase::Files);
        case Phase::Files: return enter(Phase::Start);
        case Phase::Start: return enter(Phase::Done);
        case Phase::Done: return;
    }
}

}  // namespace slipway
