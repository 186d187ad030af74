// RemoteStart: prepares one attempt on its nodes and starts it there. A later attempt first gets the newest checkpoint
// from the nodes of the earlier ones. Then every node answers and is checked; they agree on a meeting address; config,
// data and checkpoint are sent to nodes that lack them; all agents are started.
#pragma once

#include "core/launch/checkpoint_pull.h"
#include "core/launch/launcher.h"
#include "core/launch/meeting.h"
#include "core/launch/preflight.h"
#include "core/remote/errands.h"
#include "core/remote/node_check.h"
#include "core/spec/run_config.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The plan for one node's agent: with the programs and folders of the node. @param interface of the ranks' meeting
/// address, for NCCL; empty: its own choice
LaunchPlan planOnNode(const LaunchPlan& plan, const std::string& node, const NodeFacts& facts,
                      const std::string& interface);

/// Which of the node's interfaces has this address; empty: none.
std::string interfaceOf(const NodeFacts& facts, const std::string& address);

/// First request of a launch to a node: its identity, hardware and trainer. "program_missing", "program_failed". @param facts live as long
/// as the errands
void addNodeQuestions(Errands& errands, const NodeRecord& node, NodeFacts& facts);

class RemoteStart {
public:
    struct Node {
        std::string name;
        NodeLink* link = nullptr;  ///< outlives this
    };
    /// @param data the local token file, and its name in the config; empty: the config names none. @param sources nodes
    /// that may have checkpoints of earlier attempts; unreachable ones are skipped
    RemoteStart(LaunchPlan plan, RunDir folder, std::filesystem::path data, std::vector<Node> nodes,
                const std::vector<Node>& sources, std::string secret);
    RemoteStart(const RemoteStart&) = delete;
    RemoteStart& operator=(const RemoteStart&) = delete;

    void poll(double nowSeconds);
    /// Ends it with the error "stopped", unless the start of agents was requested: these end by the run's own requests.
    void cancel();
    /// True when the answer belongs to one of its requests.
    bool take(const std::string& node, const LinkAnswer& answer);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done || m_error; }
    /// The start of agents was requested.
    [[nodiscard]] bool hasAsked() const { return m_phase == Phase::Start || m_phase == Phase::Done; }
    /// Findings of the preflight that do not prevent the start. Each is returned once.
    [[nodiscard]] std::vector<Error> takeWarnings();
    /// The reason of a failure; `where` is the node.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    enum class Phase { Fetch, Facts, Look, Meet, Files, Start, Done };
    struct State {
        Node node;
        Errands errands;
        NodeFacts facts;
        std::optional<NodeLook> known;  // from the trial before
    };

    struct Source {
        Node node;
        std::unique_ptr<CheckpointPull> pull;
    };

    void pollFetch(double nowSeconds);
    void enter(Phase phase);
    [[nodiscard]] Result<RunConfig> storedConfig() const;
    [[nodiscard]] Result<Json> configThere() const;
    [[nodiscard]] Result<void> sendFiles(State& at);
    void continueThere(State& at);
    void start(State& at);
    [[nodiscard]] Result<void> checkFacts();
    [[nodiscard]] std::vector<Preflight::Node> nodesToLookAt() const;
    void takePreflight(double nowSeconds);
    void askNodes();
    [[nodiscard]] bool isOnGpus() const;
    [[nodiscard]] Result<void> storeFacts(double nowSeconds, const std::string& problem) const;
    void abandon();

    LaunchPlan m_plan;
    RunDir m_folder;
    std::filesystem::path m_data;
    std::vector<State> m_nodes;
    std::vector<Source> m_sources;
    std::string m_secret;
    Phase m_phase = Phase::Fetch;
    std::unique_ptr<Preflight> m_preflight;
    std::vector<Error> m_warnings;
    std::unique_ptr<Meeting> m_meeting;
    std::optional<Error> m_error;
};

}  // namespace slipway
