// `slipway-trainer bench --gemm|--memory|--comm|--nccl|--gpu|--step CONFIG [--steps N] [--record FILE] [--against FILE] [--json]`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace slipway::trainer {

/// @param arguments the words after "bench". With --json one document:
///   {"threads": 2, "peak_flops": {"fp32": ..}, "peak_flops_one_thread": {..}, "gemm": [samples],
///    "link": {"latency_seconds": .., "bytes_per_second": ..}, "collectives": {"all_reduce": {..}, ..}, "comm":
///    [samples],
///    "comm_ranks": 2, "comm_ranks_per_node": 2, "comm_unix_ms": .. (what `slipway curves` reads),
///    "memory": {"bytes_per_second": ..} (read and written),
///    "gpu": {"peak_flops": {"bf16": ..}, "memory_bytes_per_second": ..,
///            "samples": [{"operation", "precision", "shape", "seconds", "flops"}]},
///    "step": {"seconds", "forward_seconds", "backward_seconds", "optimizer_seconds", "cpu_seconds" (medians), ..},
///    "changes": [{"figure", "before", "now", "change", "regression"}] beside the document --record wrote
///    (bench_change.h)}
/// With more than one rank in RANK and WORLD_SIZE, --comm runs as one of them, over Gloo or, with --nccl, over NCCL;
/// rank 0 has the document.
/// Exit codes: 0, 2 usage, 10 bad config, 12 communication failure.
int runBenchCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace slipway::trainer
