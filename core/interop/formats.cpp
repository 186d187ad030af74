#include "core/interop/formats.h"

#include "core/base/json_members.h"
#include "core/interop/huggingface.h"
#include "core/interop/readers.h"
#include "core/interop/text_formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slipway::interop {
namespace {

constexpr std::size_t kLargestText = 16U << 20;

bool isPlain(const RunConfig& config) {
    return slipway::toJson(config) == slipway::toJson(RunConfig{});
}

/// merge_patch() of RFC 7396 in linear time: the look-up of a key in ordered JSON reads all of them.
void merge(Json& into, const Json& patch) {
    auto& members = into.get_ref<Json::object_t&>();
    std::map<std::string, Json*> known;
    for (auto& member : members) known.emplace(member.first, &member.second);
    const auto without = [](const Json& value) {  // the nulls in it
        if (!value.is_object()) return value;
        Json object = Json::object();
        merge(object, value);
        return object;
    };
    Json merged = Json::object();
    std::set<std::string> removed;
    std::vector<const std::pair<const std::string, Json>*> added;
    for (const auto& entry : patch.get_ref<const Json::object_t&>()) {
        const auto member = known.find(entry.first);
        if (entry.second.is_null())
            removed.insert(entry.first);
        else if (member == known.end())
            added.push_back(&entry);
        else if (member->second->is_object() && entry.second.is_object())
            merge(*member->second, entry.second);
        else
            *member->second = without(entry.second);
    }
    for (auto& [key, value] : members)
        if (!removed.contains(key)) appendMember(merged, key, std::move(value));
    for (const auto* entry : added) appendMember(merged, entry->first, without(entry->second));
    into = std::move(merged);
}

Result<Imported> readSlipway(const std::string& text, const std::string& where, const RunConfig& base) {
    auto document = parseJson(text, where);
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "A config is an object { ... }."_text, where);
    Imported imported;
    Json merged = slipway::toJson(base);
    const bool hasBase = !isPlain(base);
    if (hasBase) merge(merged, *document);
    auto config = hasBase ? configFromDocument(merged, where, imported.remarks) : parseRunConfig(*document, where);
    if (!config) return fail(config.error());
    imported.config = std::move(*config);
    return imported;
}

Result<std::string> writeSlipway(const RunConfig& config, const ExportOptions&) {
    return dumpJson(slipway::toJson(config), true);
}

Result<Imported> readHuggingFace(const std::string& text, const std::string& where, const RunConfig& base) {
    const auto document = parseJson(text, where);
    if (!document) return fail(document.error());
    return importHuggingFace(*document, base, where);
}

Result<std::string> writeHuggingFace(const RunConfig& config, const ExportOptions&) {
    return dumpJson(huggingFaceDocument(config.model), true);
}

}  // namespace

const std::vector<Format>& formats() {
    static const std::vector<Format> all = {
        {"slipway", "Slipway config.json"_text, readSlipway, writeSlipway, false},
        {"huggingface", "Hugging Face config.json (model only)"_text, readHuggingFace, writeHuggingFace, false},
        {"megatron", "Megatron-LM arguments"_text, readMegatron, writeMegatron, true, "megatron-core"},
        {"deepspeed", "DeepSpeed JSON (no model)"_text, readDeepSpeed, writeDeepSpeed, true, "deepspeed"},
        {"torchtitan", "torchtitan TOML"_text, readTorchtitan, writeTorchtitan, true, "torchtitan"},
        {"nanotron", "nanotron YAML"_text, readNanotron, writeNanotron, true, "nanotron"},
        {"neox", "GPT-NeoX YAML"_text, readNeox, writeNeox, true, "deepspeed"},
        {"olmo", "OLMo YAML"_text, readOlmo, writeOlmo},
        {"olmo-core", "OLMo-core config"_text, readOlmoCore, writeOlmoCore},
        {"torchrun", "torchrun script for Megatron-LM"_text, readLaunchScript, writeTorchrun, true, "megatron-core"},
        {"deepspeed-launcher", "deepspeed script for Megatron-DeepSpeed"_text, readLaunchScript, writeDeepSpeedLauncher,
         true, "deepspeed"},
        {"sbatch", "Slurm batch script for Megatron-LM"_text, readLaunchScript, writeSbatch, true, "megatron-core"},
    };
    return all;
}

Result<const Format*> findFormat(std::string_view id) {
    std::string names;
    for (const Format& format : formats()) {
        if (format.id == id) return &format;
        names += (names.empty() ? "" : ", ") + std::string(format.id);
    }
    return fail("usage", "Unknown format \"%1\"; choose one of %2."_text(std::string(id), names));
}

std::string guessFormat(const std::string& text) {
    if (text.starts_with("#!"))
        return text.find("#SBATCH") != std::string::npos        ? "sbatch"
               : text.find("\ndeepspeed ") != std::string::npos ? "deepspeed-launcher"
                                                                : "torchrun";
    const auto json = parseJson(text, "");
    const auto has = [](const Json& document, std::initializer_list<const char*> keys) {
        return document.is_object() &&
               std::all_of(keys.begin(), keys.end(), [&](const char* key) { return document.contains(key); });
    };
    if (json) {
        if (looksLikeHuggingFace(*json)) return "huggingface";
        if (has(*json, {"train_module"})) return "olmo-core";
        if (has(*json, {"train_batch_size"}) || has(*json, {"zero_optimization"}) ||
            has(*json, {"train_micro_batch_size_per_gpu"}))
            return "deepspeed";
        return has(*json, {"model"}) || has(*json, {"train"}) ? "slipway" : "";
    }
    if (const auto toml = parseToml(text, ""); toml && (has(*toml, {"training"}) || has(*toml, {"parallelism"})))
        return "torchtitan";
    if (const auto yaml = parseYaml(text, "")) {
        if (has(*yaml, {"train_module"})) return "olmo-core";
        if (has(*yaml, {"parallelism", "tokens"})) return "nanotron";
        if (has(*yaml, {"model", "optimizer"})) return "olmo";
        for (const char* key : {"num_layers", "num-layers", "pipe_parallel_size", "pipe-parallel-size"})
            if (has(*yaml, {key})) return "neox";
    }
    // A launch line knows more than its options: the number of ranks.
    const bool startsPython = text.find(".py") != std::string::npos;
    if (startsPython && text.find("torchrun ") != std::string::npos) return "torchrun";
    if (startsPython && text.starts_with("deepspeed ")) return "deepspeed-launcher";
    if (text.find("--num-layers") != std::string::npos) return "megatron";
    return startsPython && text.find("deepspeed ") != std::string::npos ? "deepspeed-launcher" : "";
}

Result<Imported> importConfig(std::string_view format, const std::string& text, const std::string& where,
                              const RunConfig& base) {
    const auto found = findFormat(format);
    if (!found) return fail(found.error());
    if (text.size() > kLargestText)
        return fail("bad_config", "The file exceeds 16 MiB, the limit for configs."_text, where);
    RunConfig under = base;
    if ((*found)->trainsOnGpus && isPlain(base)) under.train.device = DeviceKind::Gpu;
    auto imported = (*found)->read(text, where, under);
    // A file in its own format implies its software.
    if (imported && !(*found)->software.empty()) imported->config.software = (*found)->software;
    return imported;
}

Result<Exported> exportConfig(std::string_view format, const RunConfig& config, const ExportOptions& options) {
    const auto found = findFormat(format);
    if (!found) return fail(found.error());
    const RunConfig shortest = canonical(config);
    auto text = (*found)->write(shortest, options);
    if (!text) return fail(text.error());
    auto restored = importConfig(format, *text, "the text just written");
    if (!restored)
        return fail("export_failed", "The exported file could not be read back: %1"_text(restored.error().message));
    restored->config.software = shortest.software;  // the format implies its software
    Exported exported;
    exported.text = std::move(*text);
    exported.remarks = lostFields(shortest, restored->config, (*found)->title);
    return exported;
}

}  // namespace slipway::interop
