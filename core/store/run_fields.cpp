#include "core/store/run_fields.h"

#include "core/base/json.h"
#include "core/metrics/summarise.h"
#include "core/spec/metric_names.h"
#include "core/spec/run_config.h"

#include <algorithm>
#include <map>

namespace slipway {
namespace {

struct WideField {
    const char* name;
    SourceText unit;
    RunFieldKind kind;
    const char* configPath;
    const char* expression;
};

using K = RunFieldKind;

// Columns of the table runs (alias r) other than figures.
constexpr WideField kWideFields[] = {
    {"id", {}, K::Text, "", "r.run_id"},
    {"name", {}, K::Text, "", "r.name"},
    {"status", {}, K::Text, "", "r.status"},
    {"created", {}, K::Time, "", "r.created_unix_ms"},
    {"started", {}, K::Time, "", "r.started_unix_ms"},
    {"ended", {}, K::Time, "", "r.ended_unix_ms"},
    {"duration_seconds", "s"_text, K::Real, "", "((r.ended_unix_ms - r.started_unix_ms) / 1000.0)"},
    {"tag", {}, K::Tags, "", "r.tags"},
    {"notes", {}, K::Text, "", "r.notes"},
    {"archived", {}, K::Flag, "", "r.archived"},
    {"locked", {}, K::Flag, "", "r.locked"},
    {"deleted", {}, K::Flag, "", "(r.deleted_unix_ms IS NOT NULL)"},
    {"sweep", {}, K::Text, "", "nullif(r.sweep_id, '')"},
    {"trial", {}, K::Integer, "", "r.trial"},
    {"attempts", {}, K::Integer, "", "r.attempts"},
    {"exit_code", {}, K::Integer, "", "r.exit_code"},
    {"reason", {}, K::Text, "", "r.reason"},
    {"last_step", "steps"_text, K::Integer, "", "r.last_step"},
    {"config_hash", {}, K::Text, "", "r.config_hash"},
    {"model", {}, K::Model, "", "r.model_family"},
    {"num_layers", "layers"_text, K::Integer, "model.num_layers", "r.num_layers"},
    {"hidden_size", {}, K::Integer, "model.hidden_size", "r.hidden_size"},
    {"ffn_hidden_size", {}, K::Integer, "model.ffn_hidden_size", "r.ffn_hidden_size"},
    {"num_heads", "heads"_text, K::Integer, "model.num_heads", "r.num_heads"},
    {"num_kv_heads", "heads"_text, K::Integer, "model.num_kv_heads", "r.num_kv_heads"},
    {"vocab_size", {}, K::Integer, "model.vocab_size", "r.vocab_size"},
    {"num_experts", "experts"_text, K::Integer, "model.moe.num_experts", "r.num_experts"},
    {"seq_len", "tokens"_text, K::Integer, "train.seq_len", "r.seq_len"},
    {"global_batch_size", "sequences"_text, K::Integer, "train.global_batch_size", "r.global_batch_size"},
    {"micro_batch_size", "sequences"_text, K::Integer, "train.micro_batch_size", "r.micro_batch_size"},
    {"num_micro_batches", {}, K::Integer, "", "r.num_micro_batches"},
    {"num_steps", "steps"_text, K::Integer, "train.num_steps", "r.num_steps"},
    {"precision", {}, K::Text, "train.precision", "r.precision"},
    {"recompute", {}, K::Text, "train.recompute.policy", "r.recompute"},
    {"seed", {}, K::Integer, "train.seed", "r.seed"},
    {"threads_per_rank", "threads"_text, K::Integer, "train.threads_per_rank", "r.threads_per_rank"},
    {"lr", {}, K::Real, "optimizer.lr", "r.lr"},
    {"world_size", {}, K::Integer, "", "r.world_size"},
    {"dp", "ranks"_text, K::Integer, "parallel.dp", "r.dp"},
    {"tp", "ranks"_text, K::Integer, "parallel.tp", "r.tp"},
    {"pp", "ranks"_text, K::Integer, "parallel.pp", "r.pp"},
    {"cp", "ranks"_text, K::Integer, "parallel.cp", "r.cp"},
    {"ep", "ranks"_text, K::Integer, "parallel.ep", "r.ep"},
    {"zero_stage", {}, K::Integer, "parallel.zero_stage", "r.zero_stage"},
    {"virtual_stages", "chunks"_text, K::Integer, "parallel.virtual_stages", "r.virtual_stages"},
    {"schedule", {}, K::Text, "parallel.schedule", "r.schedule"},
    {"sequence_parallel", {}, K::Flag, "parallel.sequence_parallel", "r.sequence_parallel"},
    {"data", {}, K::Text, "data.tokens", "r.data_tokens"},
    {"device", {}, K::Text, "", "r.device_name"},
    {"num_nodes", "nodes"_text, K::Integer, "", "r.num_nodes"},
    {"mfu_rule", {}, K::Text, "", "coalesce(r.measured_mfu_rule, r.forecast_mfu_rule)"},
};

/// Short names of the field, for typing only: lists show titles.
const std::map<std::string, std::string, std::less<>>& aliases() {
    static const std::map<std::string, std::string, std::less<>> all = {
        {"run", "id"},
        {"tags", "tag"},
        {"note", "notes"},
        {"trash", "deleted"},
        {"duration", "duration_seconds"},
        {"outcome", "status"},
        {"layers", "num_layers"},
        {"heads", "num_heads"},
        {"hidden", "hidden_size"},
        {"vocab", "vocab_size"},
        {"family", "model"},
        {"experts", "num_experts"},
        {"seq", "seq_len"},
        {"gbs", "global_batch_size"},
        {"mbs", "micro_batch_size"},
        {"accum", "num_micro_batches"},
        {"steps", "num_steps"},
        {"gpus", "world_size"},
        {"devices", "world_size"},
        {"ranks", "world_size"},
        {"nodes", "num_nodes"},
        {"zero", "zero_stage"},
        {"sp", "sequence_parallel"},
        {"threads", "threads_per_rank"},
        {"memory", "memory_peak_bytes"},
        {"loss", "final_loss"},
        {"eval_loss", "final_eval_loss"},
        {"throughput", "tokens_per_second"},
        {"tokens", "total_tokens"},
        {"bubble", "bubble_fraction"},
        {"step_time", "step_seconds"},
        {"params", "parameters"},
    };
    return all;
}

int betterOf(std::string_view key) {
    if (key.ends_with("_loss") || key == "bubble_fraction") return -1;
    for (const auto& m : kStepMetrics)
        if (m.name == key) return m.better;
    for (const auto& m : kDerivedMetrics)
        if (m.name == key) return m.better;
    return 0;
}

/// Only in the forecast, or only measured: the plain name means the existing one.
bool onlyForecast(std::string_view key) {
    return key == "bubble_theoretical" || key == "bubble_simulated" || key == "parameters" ||
           key == "flops_per_token" || key == "peak_flops";
}

RunFieldKind kindOfLeaf(FieldKind kind) {
    switch (kind) {
        case FieldKind::Bool: return K::Flag;
        case FieldKind::Integer: return K::Integer;
        case FieldKind::Real: return K::Real;
        default: return K::Text;
    }
}

std::vector<RunField> makeFields() {
    std::vector<RunField> out;
    for (const WideField& f : kWideFields) out.push_back({f.name, f.unit, f.kind, f.configPath, f.expression, 0, true});
    for (const FigureInfo& figure : figureInfos()) {
        const std::string key(figure.key);
        const std::string measured = "r.measured_" + key;
        const std::string forecast = "r.forecast_" + key;
        const int better = betterOf(key);
        const bool taken = key == "num_steps";  // the plain name is the config's
        const std::string plain = onlyForecast(key) ? "coalesce(" + measured + ", " + forecast + ")" : measured;
        if (!taken) out.push_back({key, figure.unit, K::Real, "", plain, better, true});
        out.push_back({"measured." + key, figure.unit, K::Real, "", measured, better, true});
        out.push_back({"forecast." + key, figure.unit, K::Real, "", forecast, better, true});
    }
    for (const FieldInfo& leaf : runConfigFields()) {
        if (leaf.path == "name" || leaf.path == "schema") continue;
        const auto wide = std::find_if(std::begin(kWideFields), std::end(kWideFields),
                                       [&](const WideField& f) { return leaf.path == f.configPath; });
        std::string expression =
            wide == std::end(kWideFields) ? "json_extract(d.config, '$." + leaf.path + "')" : wide->expression;
        out.push_back({leaf.path, leaf.unit, kindOfLeaf(leaf.kind), leaf.path, std::move(expression), 0,
                       wide != std::end(kWideFields)});
    }
    return out;
}

struct Index {
    std::map<std::string, const RunField*, std::less<>> byName;
    std::vector<std::string> names;
};

const Index& fieldIndex() {
    static const Index index = [] {
        Index out;
        std::map<std::string, int> uses;
        for (const RunField& f : runFields()) {
            out.byName[f.name] = &f;
            out.names.push_back(f.name);
            if (!f.configPath.empty() && f.name == f.configPath) ++uses[f.name.substr(f.name.rfind('.') + 1)];
        }
        for (const auto& [alias, name] : aliases()) {
            out.byName.emplace(alias, out.byName.at(name));
            out.names.push_back(alias);
        }
        for (const RunField& f : runFields()) {
            const std::string last = f.name.substr(f.name.rfind('.') + 1);
            if (f.name != f.configPath || last == f.name || uses[last] != 1) continue;
            if (out.byName.emplace(last, &f).second) out.names.push_back(last);
        }
        return out;
    }();
    return index;
}

}  // namespace

const std::vector<RunField>& runFields() {
    static const std::vector<RunField> all = makeFields();
    return all;
}

const RunField* findRunField(std::string_view name) {
    const auto& byName = fieldIndex().byName;
    const auto it = byName.find(name);
    return it == byName.end() ? nullptr : it->second;
}

std::string nearestRunField(std::string_view name) {
    return nearestKey(name, fieldIndex().names);
}

}  // namespace slipway
