// `slipway-trainer bench --gemm|--comm|--gpu|--step CONFIG [--steps N] [--record FILE] [--against FILE] [--json]`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace slipway::trainer {

/// @param arguments what follows "bench". With --json one document:
///   {"threads": 2, "peak_flops": {"fp32": ..}, "peak_flops_one_thread": {..}, "gemm": [samples],
///    "link": {"latency_seconds": .., "bytes_per_second": ..}, "collectives": {"all_reduce": {..}, ..}, "comm":
///    [samples],
///    "comm_ranks": 2, "comm_unix_ms": .. (what `slipway curves` reads),
///    "gpu": {"peak_flops": {"bf16": ..}, "samples": [{"operation", "precision", "shape", "seconds", "flops"}]},
///    "step": {"seconds", "forward_seconds", "backward_seconds", "optimizer_seconds", "cpu_seconds" (medians), ..},
///    "changes": [{"figure", "before", "now", "change", "regression"}] beside the document --record wrote
///    (bench_change.h)}
/// Exit codes: 0, 2 usage, 10 bad config, 12 communication failure.
int runBenchCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace slipway::trainer
