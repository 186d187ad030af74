// Measured cost of collectives of one kind and group size: one row of a cluster's table of curves (ClusterSpec::commCurves).
//   {"operation": "all_reduce", "ranks": 16, "ranks_per_node": 8, "latency_seconds": 6e-5, "bytes_per_second": 3.6e11}
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace slipway {

enum class Collective { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, Send };
constexpr auto enumNames(Collective) {
    using Name = EnumName<Collective>;
    return std::array{Name{Collective::AllReduce, "all_reduce"},         Name{Collective::AllGather, "all_gather"},
                      Name{Collective::ReduceScatter, "reduce_scatter"}, Name{Collective::AllToAll, "all_to_all"},
                      Name{Collective::Broadcast, "broadcast"},          Name{Collective::Send, "send"}};
}

/// t(bytes) = latencySeconds + sent bytes / bytesPerSecond, where each rank sends as in a ring (ringBytes() of
/// core/planner/time/communication.h). So bytesPerSecond is the bus bandwidth of nccl-tests, and latencySeconds is the
/// complete operation's.
struct CommCurve {
    Collective operation = Collective::AllReduce;
    std::int64_t ranks = 0;
    std::int64_t ranksPerNode = 0;  ///< of the group's ranks; as many as `ranks`: one node
    double latencySeconds = 0;
    double bytesPerSecond = 0;
    std::string source;
    std::string sourceDate;

    [[nodiscard]] bool inOneNode() const { return ranksPerNode >= ranks; }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("operation").help("Collective operation."_text), s.operation);
        v(field("ranks").unit("ranks"_text).help("Ranks of the group."_text).range(2, 10000000), s.ranks);
        v(field("ranks_per_node")
              .unit("ranks"_text)
              .help("Ranks of the group in each node; all of them in one node."_text)
              .range(1, 10000000),
          s.ranksPerNode);
        v(field("latency_seconds").unit("s"_text).help("Time of the operation on an empty tensor."_text).range(0, 1000),
          s.latencySeconds);
        v(field("bytes_per_second")
              .unit("B/s"_text)
              .help("Bytes sent per rank and second in a ring (bus bandwidth)."_text)
              .range(1, 1e18),
          s.bytesPerSecond);
        v(field("source").help("Source of the curve."_text).advanced(), s.source);
        v(field("source_date").help("Date of the source."_text).advanced(), s.sourceDate);
    }
};

/// Checks beyond the ranges of single fields: missing fields, more ranks in a node than in the group, and two curves of
/// the same operation and group.
/// @param path of the table, for the issues' fields
Issues curveIssues(const std::vector<CommCurve>& curves, const std::string& path);

}  // namespace slipway
