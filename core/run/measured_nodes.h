// Nodes as a cluster, measured by `slipway nodes bench`: HOME/nodes/measured/*.json. A plan can refer to it as nodes:a,b.
//   auto measured = clusterOfBench(bench.nodes(), bench.between(), now);   writeMeasuredNodes(home, *measured);
#pragma once

#include "core/launch/nodes_bench.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_dir.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct MeasuredNode {
    std::string name, host, device, trainerVersion;  ///< the device: its CPU or the name of its GPUs
    std::int64_t numGpus = 0;
    std::optional<double> peakFp32Flops, peakBf16Flops;  ///< of products
    double memoryBytesPerSecond = 0;                     ///< of copies, read and written
};

struct MeasuredNodes {
    std::vector<MeasuredNode> nodes;
    ClusterSpec cluster;
    std::int64_t unixMilliseconds = 0;

    [[nodiscard]] std::vector<std::string> names() const;
};

/// The cluster described by these documents of slipway-trainer bench. Every rank waits for the slowest, so each figure is the slowest
/// node's. CPUs: peaks, memory, links and curves are the measured ones. GPUs: the library's device with the measured share of its peak as
/// efficiency of products, and the measured curves. "bad_profile" names the node; "gpu_unknown" when the library lacks the GPU.
Result<MeasuredNodes> clusterOfBench(const std::vector<NodesBench::Node>& nodes, const std::string& between,
                                     std::int64_t unixMilliseconds);

/// Replaces earlier measurements of the same nodes. "file_unwritable", "disk_full".
Result<void> writeMeasuredNodes(const Home& home, const MeasuredNodes& measured);
/// All readable ones, newest first.
std::vector<MeasuredNodes> measuredNodes(const Home& home);
/// Of these nodes, in any order, or of the fewest that include them, for this many nodes: each figure is the slowest
/// node's. "not_measured".
Result<MeasuredNodes> findMeasuredNodes(const Home& home, const std::vector<std::string>& names);

/// Figures more than a tenth slower than in an earlier measurement of the same nodes: a sentence for each figure of a
/// node, and for the links between them.
std::vector<Message> slowerThanBefore(const MeasuredNodes& before, const MeasuredNodes& now);

/// The figures of the cluster come from `slipway nodes bench`, for the label "measured here".
bool isMeasuredHere(const ClusterSpec& cluster);

/// Prefix of --cluster for nodes: "nodes:a,b".
constexpr std::string_view kNodesPrefix = "nodes:";

}  // namespace slipway
