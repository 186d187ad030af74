#include "core/run/run_files.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/spec/stored_config.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace slipway {
namespace fs = std::filesystem;

namespace {

constexpr const char* kNodesFile = "nodes.json";

struct NodesFile {
    struct Node {
        std::string node;
        std::int64_t numRanks = 0;

        template <class Self, class V>
        static void visit(Self& s, V& v) {
            v(field("node"), s.node);
            v(field("num_ranks"), s.numRanks);
        }
    };
    std::vector<Node> nodes;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("nodes"), s.nodes);
    }
};

/// From launch.json, for versions before nodes.json.
std::vector<LaunchNode> nodesOf(const LaunchPlan& plan) {
    std::vector<LaunchNode> nodes;
    if (plan.launcher != "ssh") return nodes;
    for (const NodePlan& node : plan.nodes) nodes.push_back({node.node, static_cast<std::int64_t>(node.ranks.size())});
    return nodes;
}

Result<std::vector<LaunchNode>> readNodesFile(const RunDir& folder) {
    const auto json = readOwnJson(folder.path / kNodesFile);
    std::vector<LaunchNode> nodes;
    if (!json && json.error().code == "file_missing") return nodes;
    if (!json) return fail(json.error());
    Issues issues;
    for (const NodesFile::Node& node : fields::fromJson<NodesFile>(*json, issues).nodes)
        nodes.push_back({node.node, node.numRanks});
    if (hasErrors(issues)) return fail("bad_config", issues, (folder.path / kNodesFile).string());
    return nodes;
}

}  // namespace

std::pair<std::string, std::string> nodesDocument(const std::vector<LaunchNode>& nodes) {
    NodesFile file;
    for (const LaunchNode& node : nodes) file.nodes.push_back({node.name, node.numRanks});
    return {kNodesFile, dumpJson(fields::toJson(file), true)};
}

Result<void> writeNodes(const RunDir& folder, const std::vector<LaunchNode>& nodes) {
    const fs::path path = folder.path / kNodesFile;
    std::error_code code;
    if (nodes.empty()) {
        fs::remove(path, code);
        return {};
    }
    const std::string text = nodesDocument(nodes).second;
    if (readOwnFile(path).value_or("") == text) return {};
    return writeFileAtomically(path, text);
}

Result<RunFiles> readRunFiles(const RunDir& folder) {
    const auto json = readOwnJson(folder.config());
    if (!json) return fail(json.error());
    auto stored = readStoredConfig(*json, folder.config().string());
    if (!stored) return fail(stored.error());
    RunFiles files;
    files.isLengthKnown = stored->knows("train.num_steps");
    for (const char* field : {"model.num_layers", "model.hidden_size", "model.ffn_hidden_size", "model.vocab_size",
                              "train.seq_len", "parallel.dp"})
        files.isShapeKnown = files.isShapeKnown && stored->knows(field);
    files.config = std::move(stored->acting);
    if (const auto plan = readOwnJson(folder.plan()); plan && plan->is_object() && plan->contains("cluster")) {
        Issues issues;
        const ClusterSpec cluster = clusterFromJson((*plan)["cluster"], issues);
        if (!hasErrors(issues)) files.cluster = cluster;
    }
    if (const auto text = readOwnFile(folder.launch())) {
        auto plan = parseLaunchPlan(*text, folder.launch().string());
        if (!plan) return fail(plan.error());
        files.plan = std::move(*plan);
    }
    auto nodes = readNodesFile(folder);
    if (!nodes) return fail(nodes.error());
    files.nodes = nodes->empty() && files.plan ? nodesOf(*files.plan) : std::move(*nodes);
    return files;
}

Result<void> writeLaunchFile(const RunDir& folder, const LaunchPlan& plan) {
    std::error_code code;
    fs::remove(folder.stopFile(), code);
    fs::remove(folder.killFile(), code);
    return writeJsonFile(folder.launch(), toJson(plan));
}

}  // namespace slipway
