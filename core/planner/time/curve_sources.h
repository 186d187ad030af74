// Where a cluster's curves come from: what nccl-tests or `slipway-trainer bench --comm` measured, or a table, one's own or
// published.
//   readCurves(text, "nccl.csv", BandwidthKind::Bus, cluster)
#pragma once

#include "core/base/result.h"
#include "core/spec/cluster_spec.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// What a table's GB/s are: what a rank sends in a ring per second (nccl-tests' bus bandwidth), or the whole tensor's bytes per
/// second (algorithm bandwidth), from which the ring's share follows.
enum class BandwidthKind { Bus, Algorithm };
constexpr auto enumNames(BandwidthKind) {
    using Name = EnumName<BandwidthKind>;
    return std::array{Name{BandwidthKind::Bus, "bus"}, Name{BandwidthKind::Algorithm, "algorithm"}};
}

struct CurveTable {
    std::vector<CommCurve> curves;
    std::vector<SourceText> notes;  ///< assumptions
};

/// Reads any of these, told apart by the text itself:
/// - CSV with columns collective (all_reduce, ...), gpus, nodes, message_mb (10^6 bytes of the whole tensor), gb_per_s_mean (10^9
///   bytes), and where known source, date, latency_us. A group that was measured at several sizes is fitted
///   (core/spec/link_fit.h). At one size, without latency_us, the latency is that of the cluster's link, hop by hop, at most
///   half of the measured time: the forecast at that size is then the measured one.
/// - what nccl-tests prints (core/planner/time/nccl_tests.h), which gives its ranks and sizes itself.
/// - what `slipway-trainer bench --comm --record` writes: one curve per operation, from its samples.
/// - JSON of a cluster, or its list comm_curves.
/// Errors: "unknown_columns", "bad_value" with the line, "csv_syntax", "json_syntax", "bad_config".
/// @param kind of the CSV's GB/s; the others say themselves
Result<CurveTable> readCurves(const std::string& text, const std::string& name, BandwidthKind kind,
                              const ClusterSpec& cluster);

/// A published table that comes with the program; its GB/s are bus bandwidth.
struct CurvePreset {
    std::string id, device, source, date, text;
};
const std::vector<CurvePreset>& curvePresets();
const CurvePreset* findCurvePreset(std::string_view id);

}  // namespace slipway
