// Measured runs: rows of a benchmark table as configs with measurements. Two column layouts are supported, those of
// ultrascale_benchmark and of published_runs (docs/validation.md lists their columns).
//   auto table = readMeasuredRuns(text, "runs.csv");   table->runs, table->refused
#pragma once

#include "core/base/reason_counts.h"
#include "core/base/result.h"
#include "core/planner/evidence/software_memory.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

/// Another planner's published forecast of the same run.
struct RivalForecast {
    std::string planner;
    double stepSeconds = 0, memoryBytes = 0;
};

struct MeasuredRun {
    std::string source;                ///< publisher
    std::string software;              ///< softwareIdOf() its source
    std::string precision = "16 bit";  ///< or "fp8", "mxfp8", "fp4"
    std::string stack;                 ///< runs of one source, device and number format
    std::string model;
    std::string cell;  ///< runs of one cell compete: same model, cluster and software
    RunConfig config;
    ClusterSpec cluster;
    std::optional<double> stepSeconds;
    std::optional<double> memoryBytes;
    std::optional<bool> fits;          ///< ran, or failed for lack of memory (or crashed); empty when unknown
    std::int64_t bareStages = 0;       ///< pipeline stages without parameters under the stack's own split
    bool writesScores = false;         ///< attention without a fused kernel: scores and probabilities go through memory
    std::optional<MemoryMeter> meter;  ///< of its memory; empty: its stack's
    std::optional<SoftwareFacts> facts;  ///< of these runs, override its stack's
    bool firstRankMemory = false;        ///< memory of pipeline rank 0, not of the worst rank
    std::optional<RivalForecast> rival;
    bool clean = false;  ///< no pipeline, tensor parallel inside a node, at most 128 devices

    [[nodiscard]] std::int64_t numDevices() const { return config.parallel.worldSize(); }
};

struct MeasuredTable {
    std::vector<MeasuredRun> runs;
    std::size_t numRows = 0;  ///< including unusable ones
    ReasonCounts refused;     ///< rows
};

/// A run of the bundled trainer on this hardware.
MeasuredRun ownRun(RunConfig config, const ClusterSpec& cluster, double stepSeconds);

/// Reads either layout, or a record of runs on one computer (JSON); "missing_columns" names the columns missing in a table similar
/// to one of them; "unknown_columns" for others, "csv_syntax" for text that is not a table.
Result<MeasuredTable> readMeasuredRuns(std::string_view text, const std::string& name);

/// How nanotron partitions layers into pp stages: it walks the blocks and starts the next stage once the compute so far
/// reaches the stage's share, the head counted as V h, a layer as 4 h^2 + 3 h f (huggingface/nanotron,
/// src/nanotron/models/base.py, build_model). That file has "exceeds"; where a share is met exactly (the 1B model on
/// two and four stages), memory and time of the measured runs match "reaches". Stages after the head get nothing.
struct StageSplit {
    std::vector<std::int64_t> layers;
    std::int64_t bareStages = 0;
};
StageSplit computeBalancedSplit(const ModelSpec& model, std::int64_t pp);

}  // namespace slipway
