// Sources of a cluster's curves: measurements of nccl-tests or `slipway-trainer bench --comm`, or a table, the user's
// or published.
//   readCurves(text, "nccl.csv", BandwidthKind::Bus, cluster)
#pragma once

#include "core/base/result.h"
#include "core/spec/cluster_spec.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Meaning of a table's GB/s: bytes per second sent by a rank in a ring (nccl-tests' bus bandwidth), or the full
/// tensor's bytes per second (algorithm bandwidth), from which the ring's share follows.
enum class BandwidthKind { Bus, Algorithm };
constexpr auto enumNames(BandwidthKind) {
    using Name = EnumName<BandwidthKind>;
    return std::array{Name{BandwidthKind::Bus, "bus"}, Name{BandwidthKind::Algorithm, "algorithm"}};
}

struct CurveTable {
    std::vector<CommCurve> curves;
    std::vector<SourceText> notes;  ///< assumptions
};

/// Reads any of these, detected from the text itself:
/// - CSV with columns collective (all_reduce, ...), gpus, nodes, message_mb (10^6 bytes of the whole tensor), gb_per_s_mean (10^9
///   bytes), and where known source, date, latency_us. A group that was measured at several sizes is fitted
///   (core/spec/link_fit.h). At one size, without latency_us, the latency is that of the cluster's link, hop by hop, at most
///   half of the measured time: the forecast at that size is then the measured one.
/// - output of nccl-tests (core/planner/time/nccl_tests.h), which includes its ranks and sizes.
/// - output of `slipway-trainer bench --comm --record`: one curve per operation, from its samples.
/// - JSON of a cluster, or its list comm_curves.
/// Errors: "unknown_columns", "bad_value" with the line, "csv_syntax", "json_syntax", "bad_config".
/// @param kind of the CSV's GB/s; the other formats define it themselves
Result<CurveTable> readCurves(const std::string& text, const std::string& name, BandwidthKind kind,
                              const ClusterSpec& cluster);

/// A published table that comes with the program; its GB/s are bus bandwidth.
struct CurvePreset {
    std::string id, device, source, date, text;
};
const std::vector<CurvePreset>& curvePresets();
const CurvePreset* findCurvePreset(std::string_view id);

}  // namespace slipway
