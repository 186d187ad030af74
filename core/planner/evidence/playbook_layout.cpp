#include "core/planner/evidence/table_layouts.h"
#include "core/planner/presets.h"

#include <cmath>

namespace slipway {

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

/// A positive integer, or the problem.
Result<std::int64_t> positive(const CsvTable& csv, std::size_t row, const char* column) {
    const auto value = csv.count(row, column);
    if (value && *value >= 1) return *value;
    return fail("bad_row", "%1 must be a positive whole number"_text(column));
}

}  // namespace

Result<MeasuredRun> playbookRun(const CsvTable& csv, std::size_t row) {
    MeasuredRun run;
    RunConfig& c = run.config;
    std::int64_t micro = 0, accumulation = 0, nodes = 0, perNode = 0, kv = 0;
    for (const auto& [column, target] : {std::pair<const char*, std::int64_t*>{"layers", &c.model.numLayers},
                                         {"hidden", &c.model.hiddenSize},
                                         {"ffn", &c.model.ffnHiddenSize},
                                         {"heads", &c.model.numHeads},
                                         {"kv_heads", &kv},
                                         {"vocab", &c.model.vocabSize},
                                         {"seq", &c.train.seqLen},
                                         {"gpus_per_node", &perNode},
                                         {"nodes", &nodes},
                                         {"micro_batch", &micro},
                                         {"grad_acc", &accumulation},
                                         {"dp", &c.parallel.dp},
                                         {"pp", &c.parallel.pp},
                                         {"tp", &c.parallel.tp}}) {
        const auto value = positive(csv, row, column);
        if (!value) return fail(value.error());
        *target = *value;
    }
    const auto zero = csv.count(row, "zero_stage");
    if (!zero || *zero < 0 || *zero > 3) return fail("bad_row", "zero_stage must be from 0 to 3"_text);
    const ClusterSpec* h100 = findDevicePreset("NVIDIA H100 SXM 80 GB");
    if (csv.text(row, "gpu") != "H100-80GB-SXM" || h100 == nullptr) return fail("bad_row", "unknown device"_text);
    run.source = run.stack = run.software = "nanotron";
    run.model = csv.text(row, "model");
    run.cell = run.model + " on " + std::to_string(nodes) + " nodes";
    c.model.numKvHeads = kv;
    c.model.tieEmbeddings = csv.text(row, "tied_embeddings") == "1";
    c.model.maxSeqLen = c.train.seqLen;
    c.train.microBatchSize = micro;
    // The product of the columns, not the printed batch: they differ in some rows.
    c.train.globalBatchSize = micro * accumulation * c.parallel.dp;
    c.train.precision = Precision::Bf16;
    c.train.device = DeviceKind::Gpu;
    c.parallel.zeroStage = *zero;
    c.parallel.sequenceParallel = c.parallel.tp > 1;
    if (c.parallel.pp > 1) {
        const StageSplit split = computeBalancedSplit(c.model, c.parallel.pp);
        c.parallel.layersPerStage = split.layers;
        run.bareStages = split.bareStages;
    }
    run.cluster = *h100;
    run.cluster.numNodes = nodes;
    run.cluster.devicesPerNode = perNode;
    const std::string& status = csv.text(row, "status");
    if (status != "ok" && status != "oom_or_crash") return fail("bad_row", "status must be ok or oom_or_crash"_text);
    run.fits = status == "ok";
    run.clean = c.parallel.pp == 1 && c.parallel.tp <= 8 && run.numDevices() <= 128;
    run.firstRankMemory = true;  // nanotron's world rank 0 writes the table (helpers.py, log_throughput)
    if (*run.fits) {
        const auto rate = csv.number(row, "tokens_per_s_per_gpu");
        if (!rate || *rate <= 0) return fail("bad_row", "tokens_per_s_per_gpu must be positive"_text);
        run.stepSeconds = static_cast<double>(c.tokensPerStep()) / (*rate * static_cast<double>(run.numDevices()));
        // Printed as GB, written by nanotron as bytes / 1024^3.
        if (const auto memory = csv.number(row, "gpu_memory_gb"); memory && *memory > 0)
            run.memoryBytes = *memory * kGibibyte;
    }
    return checkedRun(std::move(run));
}

}  // namespace slipway
