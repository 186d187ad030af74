#include "core/answers/lint_answer.h"

#include "core/answers/question_fields.h"
#include "core/interop/stated_fields.h"
#include "core/planner/advice/lint.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace slipway {
namespace {

/// Other programs' spellings of the subject of a fact.
struct Spelling {
    std::string_view fact;
    std::array<std::string_view, 4> keys;
};
constexpr Spelling kSpellings[] = {
    {"save_every", {"save-interval", "save_interval", "interval", "checkpoint_interval"}},
    {"eval_every", {"eval-interval", "eval_interval", "val_check_interval"}},
    {"global_batch_size", {"global-batch-size", "train_batch_size", "global_batch_size", "batch_size"}},
    {"micro_batch_size",
     {"micro-batch-size", "train_micro_batch_size_per_gpu", "local_batch_size", "micro_batch_size"}},
    {"accumulation", {"gradient_accumulation_steps", "batch_accumulation_per_replica", "global-batch-size"}},
    {"num_steps", {"train-iters", "train_steps", "max_steps", "steps"}},
    {"schedule_steps", {"lr-decay-iters", "total_num_steps", "lr_decay_steps", "warmup_steps"}},
    {"first_learning_rate", {"lr-warmup-iters", "warmup_min_lr", "warmup_steps"}},
    {"zero_stage", {"\"stage\"", "zero_stage", "use-distributed-optimizer"}},
    {"zero_init_stage", {"\"stage\"", "zero_stage"}},
    {"devices", {"nproc_per_node", "nproc-per-node", "nnodes", "num_gpus"}},
    {"devices_per_node", {"nproc_per_node", "nproc-per-node", "num_gpus"}},
    {"device_bytes", {"offload_optimizer", "\"stage\"", "num-layers", "hidden-size"}},
    {"tp", {"tensor-model-parallel-size", "tensor_parallel_degree"}},
    {"pp", {"pipeline-model-parallel-size", "pipeline_parallel_degree"}},
    {"cp", {"context-parallel-size", "context_parallel_degree"}},
    {"virtual_stages", {"num-layers-per-virtual-pipeline-stage"}},
    {"num_layers", {"num-layers", "n_layers"}},
    {"num_heads", {"num-attention-heads", "n_heads"}},
    {"num_kv_heads", {"num-query-groups", "n_kv_heads"}},
    {"seq_len", {"seq-length", "seq_len"}},
    {"vocab_size", {"vocab-size", "vocab_size"}},
};

int lineWith(const std::string& text, std::string_view key) {
    const std::size_t at = text.find(key);
    return at == std::string::npos
               ? 0
               : 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Clears facts that runScriptOf() knows only for the bundled trainer.
void forgetTrainer(RunScript& script) {
    script.scheduleSteps.reset();
    script.zeroInitStage.reset();
    script.writer.reset();
    for (RunScript::Flag* fact :
         {&script.savesPerMicroStep, &script.restoresDataOrder, &script.clampsSchedule, &script.spikeRuleSeesNan,
          &script.workersSplitData, &script.readerShiftsLabels, &script.modelShiftsLabels, &script.syncsEveryMicroStep,
          &script.scalesBf16Loss, &script.savesClearedLoss})
        fact->reset();
}

/// A file of another framework: only its stated values are checked.
Result<LintAnswer> lintForeign(const std::string& format, const std::string& text, const std::string& name,
                               const std::optional<ClusterSpec>& hardware) {
    RunConfig base;
    base.train.device = DeviceKind::Gpu;
    auto imported = interop::importConfig(format, text, name, base);
    if (!imported) return fail(imported.error());
    const auto stated = interop::statedFields(format, text, name, base);
    if (!stated) return fail(stated.error());
    RunScript script = runScriptOf(imported->config, hardware.value_or(ClusterSpec{}));
    forgetTrainer(script);
    const auto keep = [&](auto& fact, std::initializer_list<const char*> fields) {
        for (const char* field : fields)
            if (!stated->contains(field)) fact.reset();
    };
    keep(script.globalBatchSize, {"train.global_batch_size"});
    keep(script.microBatchSize, {"train.micro_batch_size"});
    keep(script.accumulation, {"train.global_batch_size", "train.micro_batch_size"});
    keep(script.virtualStages, {"parallel.virtual_stages"});
    keep(script.schedule, {"parallel.schedule"});
    keep(script.seqLen, {"train.seq_len"});
    keep(script.numSteps, {"train.num_steps"});
    keep(script.numLayers, {"model.num_layers"});
    keep(script.numHeads, {"model.num_heads"});
    keep(script.numKvHeads, {"model.num_heads"});
    keep(script.vocabSize, {"model.vocab_size"});
    keep(script.saveEvery, {"checkpoint.every_steps"});
    keep(script.parameters, {"model.num_layers", "model.hidden_size", "model.vocab_size"});
    if (!hardware) {
        script.peakFlops.reset();
        script.pricePerHour.reset();
    }
    script.devices = imported->worldSize;
    if (imported->launch) script.devicesPerNode = imported->launch->devicesPerNode;
    LintAnswer answer{format, lint(script), std::move(imported->config), {}};
    // Of the checks of a config, the one whose two values such files give. A length that they do not give is the base's.
    base.model.maxSeqLen += 1024;
    const auto other = interop::importConfig(format, text, name, base);
    const bool givesLength = other && other->config.model.maxSeqLen == answer.plan->model.maxSeqLen;
    if (stated->contains("train.seq_len") && givesLength)
        for (const Issue& issue : validate(*answer.plan))
            if (issue.field == "train.seq_len") answer.issues.push_back(issue);
    for (const interop::Remark& remark : imported->remarks)
        answer.remarks.push_back(remark.key.empty() ? remark.message : "%1: %2"_text(remark.key, remark.message));
    return answer;
}

/// Seeds of each point of a sweep file; empty where a search decides which points run.
RunScript::Count repeatsOf(const Json& sweep) {
    if (sweep.contains("search")) return {};
    const auto numSeeds = [](const Json& points) {
        std::set<std::string> seeds;
        for (const Json& point : points)
            if (point.is_object() && point.contains("train.seed")) seeds.insert(dumpJson(point["train.seed"], false));
        return std::max<std::size_t>(1, seeds.size());
    };
    std::size_t repeats = 1;
    for (const Json& axis : sweep["axes"]) {
        if (!axis.is_object()) continue;
        if (axis.contains("repeats") && axis["repeats"].is_number_unsigned())
            repeats *= axis["repeats"].get<std::size_t>();
        if (axis.contains("field") && axis["field"] == "train.seed" && axis.contains("values"))
            repeats *= std::max<std::size_t>(1, axis["values"].size());
        if (axis.contains("list")) repeats *= numSeeds(axis["list"]);
    }
    return static_cast<std::int64_t>(repeats);
}

}  // namespace

int LintAnswer::lineOf(const std::string& text, const Issue& issue) {
    std::string option = issue.field.substr(issue.field.rfind('.') + 1);
    for (const Spelling& spelling : kSpellings)
        if (spelling.fact == option)
            for (const std::string_view key : spelling.keys)
                if (const int line = key.empty() ? 0 : lineWith(text, key); line > 0) return line;
    if (const int line = lineWith(text, option); line > 0) return line;
    std::replace(option.begin(), option.end(), '_', '-');
    return lineWith(text, option);
}

Result<LintAnswer> lintText(const std::string& text, const std::string& name,
                            const std::optional<ClusterSpec>& hardware) {
    if (const std::string format = interop::guessFormat(text); !format.empty() && format != "slipway")
        return lintForeign(format, text, name, hardware);
    const auto json = parseJson(text, name);
    if (!json) return fail(json.error());
    // A config of ours has sections; a script's facts are flat.
    if (isRunConfigDocument(*json)) {
        const auto config = parseRunConfig(*json, name);
        if (!config) return fail(config.error());
        LintAnswer answer{"slipway", validate(*config), *config, {}};
        if (hasErrors(answer.issues)) return answer;
        const Issues more = lint(runScriptOf(*config, hardware.value_or(ClusterSpec{})));
        answer.issues.insert(answer.issues.end(), more.begin(), more.end());
        return answer;
    }
    if (json->is_object() && json->contains("axes") && (*json)["axes"].is_array()) {
        RunScript sweep;
        sweep.repeats = repeatsOf(*json);
        return LintAnswer{"sweep", lint(sweep), {}, {}};
    }
    if (hardware)
        return fail("usage",
                    "Only a config has hardware; state devices, device_bytes and peak_flops among the facts."_text,
                    "cluster");
    Issues problems;
    const RunScript script = runScriptFromJson(*json, problems);
    if (!problems.empty()) return fail("bad_value", problems, name);
    return LintAnswer{"facts", lint(script), {}, {}};
}

bool isRunConfigDocument(const Json& json) {
    return json.is_object() && (json.contains("train") || json.contains("parallel") || json.contains("model"));
}

}  // namespace slipway
