// RunConfig: all inputs of the trainer, the contents of config.json.
//   auto config = parseRunConfig(json);  Issues issues = validate(*config);
#pragma once

#include "core/base/json.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/model_spec.h"
#include "core/spec/parallel_layout.h"
#include "core/spec/train_spec.h"

#include <string>
#include <vector>

namespace slipway {

constexpr std::int64_t kConfigSchema = 1;

struct RunConfig {
    std::int64_t schema = kConfigSchema;
    std::string name;
    std::string software;
    ModelSpec model;
    TrainSpec train;
    OptimizerSpec optimizer;
    ParallelLayout parallel;
    DataSpec data;
    CheckpointSpec checkpoint;
    TelemetrySpec telemetry;

    /// Micro-batches per data-parallel replica and step: global_batch_size / (micro_batch_size * dp).
    [[nodiscard]] std::int64_t numMicroBatches() const {
        return train.globalBatchSize / (train.microBatchSize * parallel.dp);
    }
    [[nodiscard]] std::int64_t tokensPerStep() const { return train.globalBatchSize * train.seqLen; }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("schema")
              .label("Format version"_text)
              .help("Version of this format."_text)
              .range(1, 1000000)
              .advanced(),
          s.schema);
        v(field("name").label("Name"_text).help("Display name."_text), s.name);
        v(field("software")
              .label("Training software"_text)
              .help(
                  "Software whose efficiency the forecast assumes, such as megatron-core. Default: typical; the bundled trainer on CPUs."_text)
              .advanced(),
          s.software);
        v(field("model").help("Shape of the model."_text), s.model);
        v(field("train").help("Batch, length, precision."_text), s.train);
        v(field("optimizer").help("Optimizer and its schedule."_text), s.optimizer);
        v(field("parallel").help("Parallel layout."_text), s.parallel);
        v(field("data").help("Training data."_text), s.data);
        v(field("checkpoint").help("Checkpoints."_text), s.checkpoint);
        v(field("telemetry").help("Extra records."_text), s.telemetry);
    }
};

/// Reads a config strictly. Every problem (unknown key, wrong type, out of range, no effect) is an Issue; with any of
/// them the result must not be used.
RunConfig runConfigFromJson(const Json& json, Issues& issues);
/// As above, as one Error ("bad_config") with every problem on its own line.
Result<RunConfig> parseRunConfig(const Json& json, const std::string& where);
Json toJson(const RunConfig& config);
Json toJson(const ClusterSpec& cluster);
ClusterSpec clusterFromJson(const Json& json, Issues& issues, const std::string& prefix = "cluster");
Json toJson(const ModelSpec& model);
ModelSpec modelFromJson(const Json& json, Issues& issues, const std::string& prefix = "model");

/// All problems of the config itself (divisibility, sums, contradictions), for any trainer.
Issues validate(const RunConfig& config);
/// Features that the planner can plan but the bundled trainer cannot execute. Empty when it can.
Issues trainerSupports(const RunConfig& config);

/// All leaves of RunConfig with kind, unit, range, choices, default; `applies` as in the given config.
FieldInfos runConfigFields(const RunConfig& config = {});
FieldInfos clusterFields(const ClusterSpec& cluster = {});

/// Sets one field of a config document by dotted path ("parallel.tp") from text as typed: parsed by the field's kind;
/// "" or "default" removes the key. Errors name the nearest known path.
Result<void> setField(Json& config, const std::string& path, const std::string& text);

/// One difference between two config documents, both with all defaults.
struct FieldDifference {
    std::string path;
    std::string left, right;  ///< JSON text; "" where the field does not apply or is absent
};
/// All differing leaves, in table order, except names.
std::vector<FieldDifference> diffConfigs(const RunConfig& left, const RunConfig& right);

/// Hash (hex) over every field with an effect except the name: equal hash, equal training.
std::string configHash(const RunConfig& config);

}  // namespace slipway
