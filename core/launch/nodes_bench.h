// NodesBench: runs slipway-trainer bench on nodes, first on each alone, then between them. Nodes on one computer
// measure in turn.
//   NodesBench bench(nodes, options);   while (!bench.done()) bench.poll(now);   bench.error() ... bench.nodes() ... bench.between()
// On destruction the agents end running measurements.
#pragma once

#include "core/launch/meeting.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

class NodesBench {
public:
    struct Node {
        std::string name;
        NodeFacts facts;
        std::int64_t numRanks = 1;  ///< for collectives: one per GPU
        std::string alone;   ///< document of slipway-trainer bench: products, memory, two ranks on a CPU; or the GPU
        std::string inside;  ///< of the collectives among this node's GPUs; empty: at most one GPU
    };
    NodesBench(const std::vector<NodeRecord>& nodes, const SshOptions& options);
    NodesBench(const NodesBench&) = delete;
    NodesBench& operator=(const NodesBench&) = delete;

    void poll(double nowSeconds);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done || m_error; }
    /// `where` is the node. "bench_failed" with the trainer's words, "nodes_differ", "program_missing", the errors of Meeting and links.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Current activity, for people.
    [[nodiscard]] Message progress() const;
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_figures; }
    /// The document of all nodes' ranks; empty for one node.
    [[nodiscard]] const std::string& between() const { return m_between; }
    [[nodiscard]] std::vector<const NodeLink*> links() const;

private:
    enum class Phase { Look, Alone, Meet, Between, Done };
    struct At {
        std::unique_ptr<NodeLink> link;
        Errands errands;
        bool isMeasuring = false, isMeasured = false;
    };
    void look(std::size_t i);
    void startAlone();
    void measureAlone(std::size_t i);
    void startBetween();
    /// Errands that start a measurement and wait for its document.
    void measure(std::size_t i, Json request, std::string& document);
    [[nodiscard]] bool isGpu() const { return !m_figures.front().facts.gpus.empty(); }

    std::vector<At> m_nodes;
    std::vector<Node> m_figures;
    std::unique_ptr<Meeting> m_meeting;
    std::string m_between;
    std::vector<std::string> m_silent;  // documents of ranks without output
    Phase m_phase = Phase::Look;
    double m_now = 0;
    std::optional<Error> m_error;
};

}  // namespace slipway
