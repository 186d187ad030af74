// torchrun, deepspeed and sbatch scripts that start Megatron-LM, out and in. Options of the launchers: pytorch.org's torchrun page,
// deepspeed.ai's getting started page, Slurm's sbatch(1).
#include "core/base/quoted.h"
#include "core/interop/readers.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace slipway::interop {
namespace {

constexpr const char* kProgram = "pretrain_gpt.py";

struct Shape {
    std::int64_t nodes = 1, perNode = 1;
};

Result<Shape> shapeOf(const RunConfig& config, const ExportOptions& options) {
    const std::int64_t world = config.parallel.worldSize();
    const std::int64_t perNode = std::min(world, options.devicesPerNode);
    if (perNode < 1 || world % perNode != 0)
        return fail("usage",
                    "%1 ranks do not fill nodes of %2 devices; change --devices-per-node."_text(world, perNode));
    return Shape{world / perNode, perNode};
}

std::string arrayOf(const char* name, const std::vector<std::string>& words) {
    std::string text = std::string(name) + "=(";
    for (const std::string& word : words) text += (word.starts_with("--") ? "\n    " : " ") + shellQuoted(word);
    return text + "\n)\n";
}

std::string jobName(const RunConfig& config) {
    std::string name;
    for (const char c : config.name)
        name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
    return name.empty() ? "slipway" : name;
}

std::optional<std::int64_t> numberIn(const Json& options, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const auto found = options.find(key);
        if (found == options.end() || !found->is_string()) continue;
        // "--nnodes 1:4" is an elastic range, "--gpus-per-node=h100:8" names the kind first.
        std::string text = found->get<std::string>();
        text = text.substr(text.rfind(':') == std::string::npos ? 0 : text.rfind(':') + 1);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc{} && end == text.data() + text.size() && value > 0 && value <= 1000000) return value;
    }
    return {};
}

std::string textIn(const Json& options, const char* key) {
    const auto found = options.find(key);
    return found != options.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A script whose program has no options determines only the ranks; all of them are data-parallel.
Result<Imported> importPlaceAlone(const std::string& program, const RunConfig& base,
                                  std::optional<std::int64_t> world) {
    Imported imported;
    RunConfig& c = imported.config = base;
    imported.worldSize = world;
    imported.remarks.push_back(
        {RemarkKind::Approximated, program, "null",
         "The script gives this program no options: model, batch and length are the base's."_text});
    const std::int64_t model = c.parallel.tp * c.parallel.pp * c.parallel.cp;
    if (!world || *world % model != 0) return imported;
    c.parallel.dp = *world / model;
    const std::int64_t together = c.train.microBatchSize * c.parallel.dp;
    if (c.train.globalBatchSize % together != 0) {
        c.train.globalBatchSize = together;
        imported.remarks.push_back({RemarkKind::Approximated, "global_batch_size", std::to_string(together),
                                    "The script does not give the batch; every rank gets one micro-batch."_text});
    }
    return imported;
}

bool endsWith(const std::string& word, const char* name) {
    return word == name || word.ends_with(std::string("/") + name);
}

/// End of a launcher's own options: the first word that is a Python program.
std::size_t programAt(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i].ends_with(".py")) return i;
    return words.size();
}

}  // namespace

Result<std::string> writeTorchrun(const RunConfig& config, const ExportOptions& options) {
    const auto shape = shapeOf(config, options);
    if (!shape) return fail(shape.error());
    std::string text =
        "#!/bin/bash\n# Started once on every node, NODE_RANK counting from 0.\nset -eu\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n\n";
    text += arrayOf("MODEL_ARGS", optionWords(megatronOptions(config)));
    text +=
        "\ntorchrun --nnodes " + std::to_string(shape->nodes) + " --nproc-per-node " + std::to_string(shape->perNode) +
        " \\\n    --node-rank \"${NODE_RANK:-0}\" --master-addr \"${MASTER_ADDR:-localhost}\" --master-port \"${MASTER_PORT:-29500}\" \\\n    " +
        kProgram + " \"${MODEL_ARGS[@]}\"\n";
    return text;
}

Result<std::string> writeDeepSpeedLauncher(const RunConfig& config, const ExportOptions& options) {
    const auto shape = shapeOf(config, options);
    if (!shape) return fail(shape.error());
    std::string text =
        "#!/bin/bash\n# Megatron-DeepSpeed; the hosts stand in the file that --hostfile names.\nset -eu\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n\n";
    text += arrayOf("MODEL_ARGS", optionWords(megatronOptions(config)));
    text += "\ncat > ds_config.json <<'JSON'\n" + dumpJson(deepSpeedDocument(config), true) + "JSON\n";
    text += "\ndeepspeed --num_nodes " + std::to_string(shape->nodes) + " --num_gpus " +
            std::to_string(shape->perNode) + " " + kProgram +
            " \\\n    \"${MODEL_ARGS[@]}\" --deepspeed --deepspeed_config ds_config.json\n";
    return text;
}

Result<std::string> writeSbatch(const RunConfig& config, const ExportOptions& options) {
    const auto shape = shapeOf(config, options);
    if (!shape) return fail(shape.error());
    const std::string perNode = std::to_string(shape->perNode);
    std::string text =
        "#!/bin/bash\n#SBATCH --job-name=" + jobName(config) + "\n#SBATCH --nodes=" + std::to_string(shape->nodes) +
        "\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=" + perNode +
        "\n#SBATCH --exclusive\n\nset -eu\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n" +
        "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\nexport MASTER_PORT=29500\n\n";
    text += arrayOf("MODEL_ARGS", optionWords(megatronOptions(config)));
    text +=
        "\nsrun torchrun --nnodes " + std::to_string(shape->nodes) + " --nproc-per-node " + perNode +
        " \\\n    --rdzv-backend c10d --rdzv-endpoint \"$MASTER_ADDR:$MASTER_PORT\" --rdzv-id \"$SLURM_JOB_ID\" \\\n    " +
        kProgram + " \"${MODEL_ARGS[@]}\"\n";
    return text;
}

Result<Imported> readLaunchScript(Text text, Text where, const RunConfig& base) {
    const ShellScript script = readShell(text);
    Words words;
    for (const Words& command : script.commands)
        if (std::any_of(command.begin(), command.end(),
                        [](const std::string& word) {
                            return endsWith(word, "torchrun") || endsWith(word, "deepspeed") ||
                                   word == "torch.distributed.run" || word == "torch.distributed.launch" ||
                                   word.ends_with(".py");
                        }) &&
            programAt(command) < command.size())
            words = command;
    if (words.empty())
        return fail("bad_config",
                    "No command here starts a Python program (torchrun, deepspeed or srun ... FILE.py)."_text, where);
    const std::size_t program = programAt(words);
    const Json launcher = optionsFrom(Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(program)));
    Words batch;
    for (const Words& line : script.sbatch) batch.insert(batch.end(), line.begin(), line.end());
    const Json slurm = optionsFrom(batch);
    const auto nodes = numberIn(launcher, {"nnodes", "num-nodes", "nodes"});
    const auto perNode = numberIn(launcher, {"nproc-per-node", "num-gpus"});
    const auto slurmNodes = numberIn(slurm, {"nodes"});
    const auto tasks = numberIn(slurm, {"ntasks-per-node"});
    std::optional<std::int64_t> world;
    const auto devices = perNode ? perNode : tasks && *tasks > 1 ? tasks : numberIn(slurm, {"gpus-per-node", "gres"});
    if (devices) world = nodes.value_or(slurmNodes.value_or(1)) * *devices;
    const Json options = optionsFrom(Words(words.begin() + static_cast<std::ptrdiff_t>(program) + 1, words.end()));
    RunConfig start = base;
    if (const auto name = slurm.find("job-name"); name != slurm.end() && name->is_string())
        start.name = name->get<std::string>();
    auto imported = options.empty() ? importPlaceAlone(words[program], start, world)
                                    : importMegatronOptions(options, where, start, world);
    if (!imported) return imported;
    imported->launch = LaunchPlace{nodes.value_or(slurmNodes.value_or(1)), devices, textIn(launcher, "master-addr"),
                                   textIn(launcher, "master-port")};
    const std::int64_t model =
        imported->config.parallel.worldSize() / std::max<std::int64_t>(1, imported->config.parallel.dp);
    if (world && model > 0 && *world % model != 0)
        return fail("bad_config", "%1 ranks are not a multiple of tp x pp x cp = %2."_text(*world, model), where);
    if (!world)
        imported->remarks.push_back({RemarkKind::Approximated, "nproc-per-node", "null",
                                     "The script does not give the number of ranks; dp keeps its value."_text});
    for (const auto& [source, known] : {std::pair{&launcher, &launcher}, std::pair{&slurm, &slurm}})
        for (const auto& item : known->items()) {
            static const char* const used[] = {"nnodes",         "num-nodes", "nodes",
                                               "nproc-per-node", "num-gpus",  "ntasks-per-node",
                                               "gpus-per-node",  "gres",      "job-name"};
            if (std::none_of(std::begin(used), std::end(used), [&](const char* key) { return item.key() == key; }))
                imported->remarks.push_back(
                    {RemarkKind::NoCounterpart, (source == &slurm ? "#SBATCH --" : "--") + item.key(),
                     dumpJson(item.value(), false), "Option of the launcher, not of the run."_text});
        }
    return imported;
}

}  // namespace slipway::interop
