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
    const char* title;
    const char* unit;
    RunFieldKind kind;
    const char* configPath;
    const char* expression;
};

using K = RunFieldKind;

// Columns of the table runs (alias r) that are no figures.
constexpr WideField kWideFields[] = {
    {"id", "Run", "", K::Text, "", "r.run_id"},
    {"name", "Name", "", K::Text, "", "r.name"},
    {"status", "Status", "", K::Text, "", "r.status"},
    {"created", "Created", "", K::Time, "", "r.created_unix_ms"},
    {"started", "Started", "", K::Time, "", "r.started_unix_ms"},
    {"ended", "Ended", "", K::Time, "", "r.ended_unix_ms"},
    {"duration_seconds", "Duration", "s", K::Real, "", "((r.ended_unix_ms - r.started_unix_ms) / 1000.0)"},
    {"tag", "Tags", "", K::Tags, "", "r.tags"},
    {"notes", "Notes", "", K::Text, "", "r.notes"},
    {"archived", "Archived", "", K::Flag, "", "r.archived"},
    {"locked", "Locked", "", K::Flag, "", "r.locked"},
    {"deleted", "In the trash", "", K::Flag, "", "(r.deleted_unix_ms IS NOT NULL)"},
    {"sweep", "Sweep", "", K::Text, "", "nullif(r.sweep_id, '')"},
    {"trial", "Trial", "", K::Integer, "", "r.trial"},
    {"attempts", "Attempts", "", K::Integer, "", "r.attempts"},
    {"exit_code", "Exit code", "", K::Integer, "", "r.exit_code"},
    {"reason", "Reason", "", K::Text, "", "r.reason"},
    {"last_step", "Last step", "steps", K::Integer, "", "r.last_step"},
    {"config_hash", "Config hash", "", K::Text, "", "r.config_hash"},
    {"model", "Model", "", K::Model, "", "r.model_family"},
    {"num_layers", "Layers", "layers", K::Integer, "model.num_layers", "r.num_layers"},
    {"hidden_size", "Hidden size", "", K::Integer, "model.hidden_size", "r.hidden_size"},
    {"ffn_hidden_size", "Feed-forward size", "", K::Integer, "model.ffn_hidden_size", "r.ffn_hidden_size"},
    {"num_heads", "Heads", "heads", K::Integer, "model.num_heads", "r.num_heads"},
    {"num_kv_heads", "Key-value heads", "heads", K::Integer, "model.num_kv_heads", "r.num_kv_heads"},
    {"vocab_size", "Vocabulary", "", K::Integer, "model.vocab_size", "r.vocab_size"},
    {"num_experts", "Experts", "experts", K::Integer, "model.moe.num_experts", "r.num_experts"},
    {"seq_len", "Sequence length", "tokens", K::Integer, "train.seq_len", "r.seq_len"},
    {"global_batch_size", "Global batch", "sequences", K::Integer, "train.global_batch_size", "r.global_batch_size"},
    {"micro_batch_size", "Micro-batch", "sequences", K::Integer, "train.micro_batch_size", "r.micro_batch_size"},
    {"num_micro_batches", "Micro-batches", "", K::Integer, "", "r.num_micro_batches"},
    {"num_steps", "Steps", "steps", K::Integer, "train.num_steps", "r.num_steps"},
    {"precision", "Precision", "", K::Text, "train.precision", "r.precision"},
    {"recompute", "Recompute", "", K::Text, "train.recompute.policy", "r.recompute"},
    {"seed", "Seed", "", K::Integer, "train.seed", "r.seed"},
    {"threads_per_rank", "Threads per rank", "threads", K::Integer, "train.threads_per_rank", "r.threads_per_rank"},
    {"lr", "Learning rate", "", K::Real, "optimizer.lr", "r.lr"},
    {"world_size", "Devices", "", K::Integer, "", "r.world_size"},
    {"dp", "dp", "ranks", K::Integer, "parallel.dp", "r.dp"},
    {"tp", "tp", "ranks", K::Integer, "parallel.tp", "r.tp"},
    {"pp", "pp", "ranks", K::Integer, "parallel.pp", "r.pp"},
    {"cp", "cp", "ranks", K::Integer, "parallel.cp", "r.cp"},
    {"ep", "ep", "ranks", K::Integer, "parallel.ep", "r.ep"},
    {"zero_stage", "ZeRO", "", K::Integer, "parallel.zero_stage", "r.zero_stage"},
    {"virtual_stages", "Virtual stages", "chunks", K::Integer, "parallel.virtual_stages", "r.virtual_stages"},
    {"schedule", "Schedule", "", K::Text, "parallel.schedule", "r.schedule"},
    {"sequence_parallel", "Sequence parallel", "", K::Flag, "parallel.sequence_parallel", "r.sequence_parallel"},
    {"data", "Data", "", K::Text, "data.tokens", "r.data_tokens"},
    {"device", "Device", "", K::Text, "", "r.device_name"},
    {"num_nodes", "Nodes", "nodes", K::Integer, "", "r.num_nodes"},
    {"mfu_rule", "MFU rule", "", K::Text, "", "coalesce(r.measured_mfu_rule, r.forecast_mfu_rule)"},
};

/// Short words of the field. The window shows titles, so these are for typing only.
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

/// In the forecast or measured alone: the plain name means whichever exists.
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
    for (const WideField& f : kWideFields)
        out.push_back({f.name, f.title, f.unit, f.kind, f.configPath, f.expression, 0, true});
    for (const FigureInfo& figure : figureInfos()) {
        const std::string key(figure.key);
        const std::string measured = "r.measured_" + key;
        const std::string forecast = "r.forecast_" + key;
        const int better = betterOf(key);
        const bool taken = key == "num_steps";  // the plain name is the config's
        const std::string plain = onlyForecast(key) ? "coalesce(" + measured + ", " + forecast + ")" : measured;
        if (!taken)
            out.push_back({key, std::string(figure.title), std::string(figure.unit), K::Real, "", plain, better, true});
        out.push_back({"measured." + key, std::string(figure.title) + ", measured", std::string(figure.unit), K::Real,
                       "", measured, better, true});
        out.push_back({"forecast." + key, std::string(figure.title) + ", forecast", std::string(figure.unit), K::Real,
                       "", forecast, better, true});
    }
    for (const FieldInfo& leaf : runConfigFields()) {
        if (leaf.path == "name" || leaf.path == "schema") continue;
        const auto wide = std::find_if(std::begin(kWideFields), std::end(kWideFields),
                                       [&](const WideField& f) { return leaf.path == f.configPath; });
        std::string expression =
            wide == std::end(kWideFields) ? "json_extract(d.config, '$." + leaf.path + "')" : wide->expression;
        out.push_back({leaf.path, leaf.path, std::string(leaf.unit.english()), kindOfLeaf(leaf.kind), leaf.path,
                       std::move(expression), 0, wide != std::end(kWideFields)});
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
