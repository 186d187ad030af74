#include "core/base/file.h"
#include "core/spec/huggingface_document.h"
#include "core/spec/huggingface_support.h"
#include "core/spec/run_config.h"
#include "trainer/checkpoint/checkpoint_reader.h"
#include "trainer/checkpoint/export_tokenizer.h"
#include "trainer/checkpoint/huggingface_weights.h"
#include "trainer/checkpoint/shard_runs.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/accumulate.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>

namespace slipway::trainer {
namespace {

struct Format {
    const char* word;  // of safetensors
    at::ScalarType type;
    const char* torch;  // of config.json
};
constexpr Format kFormats[] = {
    {"F64", at::kDouble, "float64"}, {"F32", at::kFloat, "float32"}, {"BF16", at::kBFloat16, "bfloat16"}};

const Format* formatOf(const std::string& word) {
    for (const Format& format : kFormats)
        if (word == format.word) return &format;
    return nullptr;
}

std::string formatOfPrecision(const std::string& precision) {
    if (precision == wordOf(Precision::Fp64)) return "F64";
    return precision == wordOf(Precision::Fp32) || precision == wordOf(Precision::Tf32) ? "F32" : "BF16";
}

/// One target tensor: its source parts, in the order of its rows.
struct Target {
    bool isTransposed = false;
    std::map<std::int64_t, std::pair<const ParamShard*, HuggingFacePlace>> parts;
    std::vector<std::int64_t> zeros;  ///< shape of an all-zero tensor, which has no parts
    std::int64_t elements = 0;
    at::ScalarType type = at::kFloat;

    [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(elements) * c10::elementSize(type); }
};

// Routing biases differ by less than bf16 resolves; transformers also keeps them in fp32.
at::ScalarType typeFor(const std::string& name, at::ScalarType type) {
    const bool isBias = name.find(".gate.e_score_correction_bias") != std::string::npos;
    return isBias && type == at::kBFloat16 ? at::kFloat : type;
}

Result<at::Tensor> wholeWeight(const CheckpointReader& reader, const ParamShard& shard) {
    StateTensor entry{shard.name, wholeOf(shard), {}};
    const Format* stored = formatOf(shard.dtype);
    const at::ScalarType type = stored != nullptr ? stored->type : at::kFloat;
    entry.tensor = at::empty(shard.globalShape, at::TensorOptions().dtype(type));
    if (auto filled = reader.fill(entry); !filled) return fail(filled.error());
    return entry.tensor;
}

Result<at::Tensor> build(const CheckpointReader& reader, const Target& target) {
    const at::ScalarType type = target.type;
    if (target.parts.empty()) return at::zeros(target.zeros, at::TensorOptions().dtype(type));
    std::vector<at::Tensor> parts;
    for (const auto& [part, made] : target.parts) {
        Result<at::Tensor> weight = wholeWeight(reader, *made.first);
        if (!weight) return weight;
        parts.push_back(toTheirRows(made.second, weight->to(type)));
    }
    at::Tensor whole = parts.size() == 1 ? parts.front() : at::cat(parts);
    return target.isTransposed ? whole.t().contiguous() : whole;
}

// Leftovers of an earlier export would be read instead of this one's files, or in addition.
void removeEarlierExport(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
        const std::string name = it->path().filename().string();
        const bool isPart = name.starts_with("model-") && name.find("-of-") != std::string::npos;
        if (name == "model.safetensors" || name == "model.safetensors.index.json" ||
            (isPart && name.ends_with(".safetensors")))
            files.push_back(it->path());
    }
    for (const std::filesystem::path& file : files) std::filesystem::remove(file, ignored);
}

std::string fileName(std::size_t number, std::size_t count) {
    if (count == 1) return "model.safetensors";
    char text[60];
    std::snprintf(text, sizeof text, "model-%05zu-of-%05zu.safetensors", number + 1, count);
    return text;
}

}  // namespace

Result<ExportReport> exportHuggingFace(const std::filesystem::path& checkpoint, const std::filesystem::path& folder,
                                       const ExportOptions& options) {
    const Result<CheckpointReader> reader = CheckpointReader::open(checkpoint);
    if (!reader) return fail(reader.error());
    if (auto good = reader->check(0, 1); !good) return fail(good.error());
    const Manifest& manifest = reader->manifest();
    const Result<Json> modelJson = parseJson(manifest.model, checkpoint.string());
    if (!modelJson) return fail(modelJson.error());
    Issues issues;
    const ModelSpec model = modelFromJson(*modelJson, issues);
    if (hasErrors(issues))
        return fail("checkpoint_damaged", "The manifest describes no model: " + issues.front().message,
                    checkpoint.string());
    if (auto known = checkExportable(model); !known) return fail(known.error());
    const std::string word = options.dtype.empty() ? formatOfPrecision(manifest.precision) : options.dtype;
    const Format* format = formatOf(word);
    if (format == nullptr) return fail("usage", "The number format is \"" + word + "\"; it must be F64, F32 or BF16.");

    const std::map<std::string, ParamShard> states = reader->states();
    std::map<std::string, Target> targets;
    ExportReport report;
    report.step = manifest.step;
    for (const auto& [name, shard] : states) {
        if (name != shard.name) continue;  // an optimizer moment
        const HuggingFacePlace place = huggingFacePlace(model, name);
        Target& target = targets[place.name];
        target.isTransposed = place.isTransposed;
        target.type = typeFor(place.name, format->type);
        target.parts[place.part] = {&shard, place};
        target.elements += shard.globalElements();
        report.numParameters += shard.globalElements();
    }
    for (const ZeroTensor& zero : huggingFaceZeros(model)) {
        Target& target = targets[zero.name];
        target.zeros = zero.shape;
        target.elements = c10::multiply_integers(zero.shape);
        target.type = typeFor(zero.name, format->type);
    }
    // Split into files before the first is written: their names contain the number of files.
    std::vector<std::vector<std::string>> files(1);
    std::uint64_t inFile = 0, total = 0;
    for (const auto& [name, target] : targets) {
        const std::uint64_t bytes = target.bytes();
        total += bytes;
        if (inFile > 0 && inFile + bytes > options.maxFileBytes) {
            files.emplace_back();
            inFile = 0;
        }
        files.back().push_back(name);
        inFile += bytes;
    }

    if (auto made = makeFolders(folder); !made) return fail(made.error());
    removeEarlierExport(folder);
    Json map = Json::object();
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::vector<NamedTensor> tensors;
        for (const std::string& name : files[i]) {
            Result<at::Tensor> tensor = build(*reader, targets.at(name));
            if (!tensor) return fail(tensor.error());
            tensors.push_back({name, std::move(*tensor)});
            map[name] = fileName(i, files.size());
        }
        const std::string file = fileName(i, files.size());
        // Under a temporary name until complete: a killed export leaves nothing that is read.
        const std::filesystem::path part = folder / (file + ".part");
        const Result<WrittenFile> written = writeSafetensors(part, tensors, {{"format", "pt"}});
        if (!written) return fail(written.error());
        std::error_code moved;
        std::filesystem::rename(part, folder / file, moved);
        if (moved)
            return fail("file_unwritable", "The file cannot be renamed: " + moved.message() + ".", part.string());
        report.bytes += written->bytes;
        report.files.push_back(file);
    }
    if (files.size() > 1) {
        const Json index{{"metadata", {{"total_size", total}}}, {"weight_map", map}};
        if (auto written = writeJsonFile(folder / "model.safetensors.index.json", index); !written)
            return fail(written.error());
    }
    Json config = huggingFaceDocument(model);
    config["torch_dtype"] = format->torch;
    // deepseek_v2 treats all layers but the first ones as sparse.
    if (model.mla && !model.moe) config["first_k_dense_replace"] = model.numLayers;
    const ExportTokenizer tokenizer = findTokenizer(checkpoint, manifest);
    // Without them transformers uses the ids of the model type's first model.
    const Json ids = *parseJson(tokenizer.specialIds, "special ids");
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) config[key] = ids.value(key, Json());
    if (auto written = writeJsonFile(folder / "config.json", config); !written) return fail(written.error());
    report.files.emplace_back("config.json");
    const Result<std::vector<std::string>> beside = writeTokenizer(tokenizer, folder);
    if (!beside) return fail(beside.error());
    report.files.insert(report.files.end(), beside->begin(), beside->end());
    report.note = tokenizer.note;
    return report;
}

}  // namespace slipway::trainer
