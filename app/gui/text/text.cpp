#include "app/gui/text/text.h"

#include "app/gui/text/format.h"
#include "core/metrics/mfu_rule.h"
#include "core/spec/run_config.h"

#include <QCoreApplication>
#include <array>
#include <map>

namespace slipway::gui {
namespace {

struct Entry {
    std::string_view key;
    const char* text;
};

template <std::size_t N>
const char* find(const std::array<Entry, N>& table, std::string_view key) {
    for (const Entry& entry : table)
        if (entry.key == key) return entry.text;
    return nullptr;
}

constexpr auto kStatuses = std::to_array<Entry>({
    {"planned", QT_TRANSLATE_NOOP("Status", "Planned")},
    {"queued", QT_TRANSLATE_NOOP("Status", "Queued")},
    {"running", QT_TRANSLATE_NOOP("Status", "Running")},
    {"completed", QT_TRANSLATE_NOOP("Status", "Completed")},
    {"failed", QT_TRANSLATE_NOOP("Status", "Failed")},
    {"cancelled", QT_TRANSLATE_NOOP("Status", "Cancelled")},
    {"lost", QT_TRANSLATE_NOOP("Status", "Lost")},
    {"skipped", QT_TRANSLATE_NOOP("Status", "Skipped")},
});

// Choices of fields that are no enums.
constexpr auto kChoices = std::to_array<Entry>({
    {"parallel.zero_stage=0", QT_TRANSLATE_NOOP("Choice", "0: nothing sharded")},
    {"parallel.zero_stage=1", QT_TRANSLATE_NOOP("Choice", "1: optimizer states")},
    {"parallel.zero_stage=2", QT_TRANSLATE_NOOP("Choice", "2: also gradients")},
    {"parallel.zero_stage=3", QT_TRANSLATE_NOOP("Choice", "3: also weights")},
    {"parallel.layers_per_stage=even", QT_TRANSLATE_NOOP("Choice", "Even")},
    {"parallel.layers_per_stage=last_1", QT_TRANSLATE_NOOP("Choice", "Last stage 1 less")},
    {"parallel.layers_per_stage=last_2", QT_TRANSLATE_NOOP("Choice", "Last stage 2 less")},
    {"parallel.layers_per_stage=ends_1", QT_TRANSLATE_NOOP("Choice", "Both ends 1 less")},
    {"parallel.layers_per_stage=ends_2", QT_TRANSLATE_NOOP("Choice", "Both ends 2 less")},
    {"bool=true", QT_TRANSLATE_NOOP("Choice", "yes")},
    {"bool=false", QT_TRANSLATE_NOOP("Choice", "no")},
});

constexpr auto kColumns = std::to_array<Entry>({
    {"name", QT_TRANSLATE_NOOP("Column", "Name")},
    {"id", QT_TRANSLATE_NOOP("Column", "Id")},
    {"status", QT_TRANSLATE_NOOP("Column", "Outcome")},
    {"tags", QT_TRANSLATE_NOOP("Column", "Tags")},
    {"notes", QT_TRANSLATE_NOOP("Column", "Notes")},
    {"reason", QT_TRANSLATE_NOOP("Column", "Reason")},
    {"num_micro_batches", QT_TRANSLATE_NOOP("Column", "Accum.")},
    {"created", QT_TRANSLATE_NOOP("Column", "Created")},
    {"started", QT_TRANSLATE_NOOP("Column", "Started")},
    {"ended", QT_TRANSLATE_NOOP("Column", "Ended")},
    {"world_size", QT_TRANSLATE_NOOP("Column", "Ranks")},
    {"dp", QT_TRANSLATE_NOOP("Column", "dp")},
    {"tp", QT_TRANSLATE_NOOP("Column", "tp")},
    {"pp", QT_TRANSLATE_NOOP("Column", "pp")},
    {"zero_stage", QT_TRANSLATE_NOOP("Column", "ZeRO")},
    {"micro_batch_size", QT_TRANSLATE_NOOP("Column", "Micro-batch")},
    {"step_seconds", QT_TRANSLATE_NOOP("Column", "Step time")},
    {"tokens_per_second", QT_TRANSLATE_NOOP("Column", "Throughput")},
    {"tokens_per_second_per_device", QT_TRANSLATE_NOOP("Column", "tokens/s/device")},
    {"mfu", QT_TRANSLATE_NOOP("Column", "MFU")},
    {"memory_peak_bytes", QT_TRANSLATE_NOOP("Column", "Memory")},
    {"bubble_fraction", QT_TRANSLATE_NOOP("Column", "Bubble")},
    {"bubble_theoretical", QT_TRANSLATE_NOOP("Column", "Bubble, ideal")},
    {"bubble_simulated", QT_TRANSLATE_NOOP("Column", "Bubble, simulated")},
    {"comm_bytes", QT_TRANSLATE_NOOP("Column", "Traffic per step")},
    {"comm_seconds", QT_TRANSLATE_NOOP("Column", "Communication time")},
    {"final_loss", QT_TRANSLATE_NOOP("Column", "Final loss")},
    {"min_loss", QT_TRANSLATE_NOOP("Column", "Lowest loss")},
    {"final_eval_loss", QT_TRANSLATE_NOOP("Column", "Latest held-out loss")},
    {"last_step", QT_TRANSLATE_NOOP("Column", "Last step")},
    {"loss", QT_TRANSLATE_NOOP("Column", "Loss")},
    {"grad_norm", QT_TRANSLATE_NOOP("Column", "Gradient norm")},
    {"lr", QT_TRANSLATE_NOOP("Column", "Learning rate")},
    {"eval_loss", QT_TRANSLATE_NOOP("Column", "Held-out loss")},
    {"noise_scale", QT_TRANSLATE_NOOP("Column", "Noise scale")},
    {"device_clock_hertz", QT_TRANSLATE_NOOP("Column", "GPU clock, slowest rank")},
    {"device_power_watts", QT_TRANSLATE_NOOP("Column", "GPU power, mean")},
    {"device_temperature_celsius", QT_TRANSLATE_NOOP("Column", "GPU temperature, hottest rank")},
    {"device_memory_used_bytes", QT_TRANSLATE_NOOP("Column", "GPU memory in use, fullest rank")},
    {"device_throttled_fraction", QT_TRANSLATE_NOOP("Column", "Throttled GPUs")},
    {"memory_reserved_peak_bytes", QT_TRANSLATE_NOOP("Column", "GPU memory taken by the allocator")},
    {"allocator_retries", QT_TRANSLATE_NOOP("Column", "Allocator retries")},
    // figures of a forecast
    {"hfu", QT_TRANSLATE_NOOP("Column", "HFU")},
    {"mfu_a", QT_TRANSLATE_NOOP("Column", "MFU (PaLM)")},
    {"mfu_b", QT_TRANSLATE_NOOP("Column", "MFU (full attention)")},
    {"mfu_d", QT_TRANSLATE_NOOP("Column", "MFU (with recomputation)")},
    {"hfu_a", QT_TRANSLATE_NOOP("Column", "HFU (PaLM)")},
    {"hfu_b", QT_TRANSLATE_NOOP("Column", "HFU (full attention)")},
    {"hfu_d", QT_TRANSLATE_NOOP("Column", "HFU (with recomputation)")},
    {"flops_per_token", QT_TRANSLATE_NOOP("Column", "FLOPs per token")},
    {"flops_per_token_a", QT_TRANSLATE_NOOP("Column", "FLOPs per token (PaLM)")},
    {"flops_per_token_b", QT_TRANSLATE_NOOP("Column", "FLOPs per token (full attention)")},
    {"flops_per_token_d", QT_TRANSLATE_NOOP("Column", "FLOPs per token (with recomputation)")},
    {"hardware_flops_per_token", QT_TRANSLATE_NOOP("Column", "FLOPs per token, with recomputation")},
    {"hardware_flops_per_token_a", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule A, with recomputation")},
    {"hardware_flops_per_token_b", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule B, with recomputation")},
    {"hardware_flops_per_token_d", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule D, with recomputation")},
    {"memory_capacity_bytes", QT_TRANSLATE_NOOP("Column", "Memory per rank")},
    {"memory.total_bytes", QT_TRANSLATE_NOOP("Column", "Memory")},
    {"checkpoint_bytes", QT_TRANSLATE_NOOP("Column", "Checkpoint")},
    {"training_seconds", QT_TRANSLATE_NOOP("Column", "Training time")},
    {"device_hours", QT_TRANSLATE_NOOP("Column", "Device-hours")},
    {"money", QT_TRANSLATE_NOOP("Column", "Cost")},
    {"parameters", QT_TRANSLATE_NOOP("Column", "Parameters")},
    {"parameters.total", QT_TRANSLATE_NOOP("Column", "Parameters")},
    {"parameters.embedding", QT_TRANSLATE_NOOP("Column", "Parameters: embedding")},
    {"parameters.attention", QT_TRANSLATE_NOOP("Column", "Parameters: attention")},
    {"parameters.ffn", QT_TRANSLATE_NOOP("Column", "Parameters: feed-forward")},
    {"parameters.norm", QT_TRANSLATE_NOOP("Column", "Parameters: norms")},
    {"parameters.head", QT_TRANSLATE_NOOP("Column", "Parameters: output head")},
    {"parameters.router", QT_TRANSLATE_NOOP("Column", "Parameters: router")},
    {"parameters.active", QT_TRANSLATE_NOOP("Column", "Active parameters")},
    {"parameters.matmul", QT_TRANSLATE_NOOP("Column", "Matrix-product parameters")},
    {"step.compute_seconds", QT_TRANSLATE_NOOP("Column", "Step: compute")},
    {"step.tp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: tensor-parallel traffic")},
    {"step.cp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: context-parallel traffic")},
    {"step.ep_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: expert-parallel traffic")},
    {"step.pp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: pipeline traffic")},
    {"step.bubble_seconds", QT_TRANSLATE_NOOP("Column", "Step: pipeline bubble")},
    {"step.dp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: data-parallel traffic")},
    {"step.optimizer_seconds", QT_TRANSLATE_NOOP("Column", "Step: optimizer")},
    {"step.fixed_seconds", QT_TRANSLATE_NOOP("Column", "Step: fixed costs")},
    {"memory.weight_bytes", QT_TRANSLATE_NOOP("Column", "Memory: weights")},
    {"memory.gradient_bytes", QT_TRANSLATE_NOOP("Column", "Memory: gradients")},
    {"memory.optimizer_bytes", QT_TRANSLATE_NOOP("Column", "Memory: optimizer states")},
    {"memory.activation_bytes", QT_TRANSLATE_NOOP("Column", "Memory: activations")},
    {"memory.logits_bytes", QT_TRANSLATE_NOOP("Column", "Memory: logits")},
    {"memory.buffer_bytes", QT_TRANSLATE_NOOP("Column", "Memory: buffers")},
    {"memory.reserve_bytes", QT_TRANSLATE_NOOP("Column", "Memory: reserve")},
    {"memory.graph_bytes", QT_TRANSLATE_NOOP("Column", "Memory: CUDA graphs")},
    {"step.graph_saved_seconds", QT_TRANSLATE_NOOP("Column", "Step: saved by CUDA graphs")},
    {"host_memory.total_bytes", QT_TRANSLATE_NOOP("Column", "Host memory, worst rank")},
    {"host_memory.staging_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: checkpoint copy")},
    {"host_memory.optimizer_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: optimizer states")},
    {"host_memory.activation_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: activations")},
    {"host_memory.node_bytes", QT_TRANSLATE_NOOP("Column", "Host memory of a node")},
    {"host_memory.node_tensor_bytes", QT_TRANSLATE_NOOP("Column", "Host memory of a node: tensors")},
    {"host_memory.node_capacity_bytes", QT_TRANSLATE_NOOP("Column", "Host memory capacity of a node")},
});

QString translated(const char* context, const char* text) {
    return QCoreApplication::translate(context, text);
}

bool isEnglish() {
    return windowLanguage() == Language::English;
}

/// Fields of configs and clusters by path.
const std::map<std::string, FieldInfo, std::less<>>& fieldsByPath() {
    static const auto all = [] {
        std::map<std::string, FieldInfo, std::less<>> fields;
        for (const FieldInfos& infos : {runConfigFields(), clusterFields()})
            for (const FieldInfo& info : infos) fields.emplace(info.path, info);
        return fields;
    }();
    return all;
}

}  // namespace

QString messageText(const Message& message) {
    return qs(textOf(message, windowLanguage()));
}

QString fieldLabel(std::string_view path) {
    const auto field = fieldsByPath().find(path);
    return field != fieldsByPath().end() ? messageText(field->second.label) : qs(path);
}

bool hasFieldLabel(std::string_view path) {
    return fieldsByPath().contains(path);
}

QString choiceText(std::string_view path, const std::string& word) {
    if (const auto field = fieldsByPath().find(path); field != fieldsByPath().end())
        for (std::size_t i = 0; i < field->second.choices.size(); ++i)
            if (field->second.choices[i] == word) return messageText(field->second.choiceLabels[i]);
    const char* text = find(kChoices, std::string(path) + "=" + word);
    return text ? translated("Choice", text) : qs(word);
}

QString issueText(const Issue& issue) {
    const QString sentence = shownLines(issue.inLanguage(windowLanguage()));
    return !isEnglish() && hasFieldLabel(issue.field) ? QStringLiteral("%1: %2").arg(fieldLabel(issue.field), sentence)
                                                      : sentence;
}

QString errorText(const Error& error) {
    return shownLines(error.inLanguage(windowLanguage()));
}

QString mfuRuleText(std::string_view rule) {
    return messageText(mfuRuleName(rule));
}

QString statusText(RunStatus status) {
    return statusText(wordOf(status));
}

QString statusText(std::string_view word) {
    const char* text = find(kStatuses, word);
    return text ? translated("Status", text) : qs(word);
}

QString columnTitle(std::string_view name, std::string_view englishTitle) {
    if (const char* text = find(kColumns, name)) return translated("Column", text);
    return hasFieldLabel(name) ? fieldLabel(name) : qs(englishTitle);
}

}  // namespace slipway::gui
