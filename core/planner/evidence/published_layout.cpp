#include "core/planner/count/flops.h"
#include "core/planner/evidence/table_layouts.h"
#include "core/planner/presets.h"
#include "core/planner/stack/known_software.h"
#include "core/spec/pipeline_schedule.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <utility>

namespace slipway {

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Preset of a device as written in tables; the first match counts.
const ClusterSpec* deviceOf(const std::string& written) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kNames{
        {{"A100-40GB", "NVIDIA A100 SXM 40 GB"},
         {"A100", "NVIDIA A100 SXM 80 GB"},
         {"GB300", "NVIDIA GB300 288 GB"},
         {"B300", "NVIDIA B300 SXM 288 GB"},
         {"GB200", "NVIDIA GB200 186 GB"},
         {"B200", "NVIDIA B200 SXM 180 GB"},
         {"H100", "NVIDIA H100 SXM 80 GB"},
         {"H200", "NVIDIA H200 SXM 141 GB"},
         {"L40S", "NVIDIA L40S 48 GB"},
         {"MI325X", "AMD Instinct MI325X 256 GB"},
         {"RTX 4090", "NVIDIA RTX 4090 24 GB"},
         {"RTX 5090", "NVIDIA RTX 5090 32 GB"},
         {"RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell 96 GB"},
         {"TPU v4", "Google TPU v4"},
         {"TPU v5e", "Google TPU v5e"},
         {"TPU v5p", "Google TPU v5p"},
         {"TPU v6e", "Google TPU v6e"},
         {"TPU7x", "Google TPU7x"},
         {"V100", "NVIDIA V100 SXM2 32 GB"}}};
    for (const auto& [part, name] : kNames)
        if (contains(written, part)) return findDevicePreset(name);
    return nullptr;
}

/// The memory in a name: that of "H100-96GB-HBM2e" differs from its preset's.
std::optional<double> namedMemoryBytes(const std::string& written) {
    static const std::regex pattern(R"(\b([0-9]{1,4}) ?GB\b)");
    std::smatch found;
    if (!std::regex_search(written, found, pattern)) return {};
    return std::strtod(found[1].str().c_str(), nullptr) * 1024 * 1024 * 1024;
}

/// Model FLOPs rule of sources without printed times: found by matching their TFLOPS to their tokens/s.
std::optional<FlopsRule> ruleOf(const std::string& source) {
    if (contains(source, "Narayanan") || contains(source, "git history images")) return FlopsRule::D;
    if (contains(source, "Megatron-Bridge") || contains(source, "MoE-ModelZoo") ||
        contains(source, "core/transformer/moe") || contains(source, "tpu-recipes"))
        return FlopsRule::C;
    if (contains(source, "maxtext") || contains(source, "NeMo") || contains(source, "README images"))
        return FlopsRule::B;
    if (contains(source, "Llama 3 Herd") || contains(source, "PyTorch blog")) return FlopsRule::A;
    return {};
}

/// Megatron's runs before it had a fused attention kernel (end of 2022).
bool isBeforeFusedAttention(const std::string& source) {
    return contains(source, "Narayanan") || contains(source, "Korthikanti") || contains(source, "git history images") ||
           contains(source, "bigscience");
}

std::string precisionOf(const std::string& written, RunConfig& config) {
    const std::string word = lowerCase(written);
    config.train.precision = Precision::Bf16;
    if (word.rfind("fp16", 0) == 0 && !contains(word, "bf16")) config.train.precision = Precision::Fp16;
    if (!contains(word, "fp8") && !contains(word, "fp4") && !contains(word, "float8")) return "16 bit";
    config.train.precision = Precision::Fp8;
    return contains(word, "fp4") ? "fp4" : contains(word, "mx") ? "mxfp8" : "fp8";
}

/// Tables print one feed-forward width for a mixture of experts, some the dense layers', some the experts'. A preset
/// with the same hidden size and experts has both, shared experts, dense layers and the kind of attention.
bool takePreset(ModelSpec& m) {
    const auto& presets = modelPresets();
    const auto found = std::find_if(presets.begin(), presets.end(), [&](const ModelPreset& preset) {
        const ModelSpec& p = preset.model;
        return p.moe && p.hiddenSize == m.hiddenSize && p.moe->numExperts == m.moe->numExperts &&
               p.moe->topK == m.moe->topK;
    });
    if (found == presets.end()) return false;
    const std::int64_t numLayers = m.numLayers, seqLen = m.maxSeqLen, vocab = m.vocabSize;
    const std::int64_t whole = found->model.numLayers;
    m = found->model;
    m.numLayers = numLayers;
    m.maxSeqLen = seqLen;
    m.vocabSize = vocab;
    // A truncated model keeps its share of dense layers, at least one.
    if (numLayers != whole && m.moe->numDenseLayers > 0)
        m.moe->numDenseLayers = std::max<std::int64_t>(1, m.moe->numDenseLayers * numLayers / whole);
    return true;
}

/// Layers of "GPT-194B" and the like; empty when the name has no size.
std::optional<std::int64_t> printedSizeLayers(const std::string& name, double hidden, double vocab, std::int64_t pp) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos || name.back() != 'B' || pp < 1) return {};
    const double billions = std::strtod(name.c_str() + dash + 1, nullptr);
    return billions > 0 ? std::optional(layersOfSize(billions * 1e9, hidden, vocab, pp)) : std::nullopt;
}

Result<void> readModel(const CsvTable& csv, std::size_t row, RunConfig& c) {
    ModelSpec& m = c.model;
    const auto hidden = csv.count(row, "hidden"), seq = csv.count(row, "seq");
    auto layers = csv.count(row, "layers");
    if (!layers && hidden && contains(csv.text(row, "source"), "bigscience"))
        layers = printedSizeLayers(csv.text(row, "model_name"), static_cast<double>(*hidden),
                                   csv.number(row, "vocab").value_or(50304), csv.count(row, "pp").value_or(1));
    if (!layers || !hidden || !seq || *layers < 1 || *hidden < 1 || *seq < 1)
        return fail("bad_row", "layers, hidden size or sequence length not published"_text);
    m.numLayers = *layers;
    m.hiddenSize = *hidden;
    c.train.seqLen = m.maxSeqLen = *seq;
    // BLOOM's first series has its heads only in the text: 96 of 150 ("200B model: NHIDDEN=14400, NHEADS=96").
    const bool bloomSeries = *hidden == 14400 && contains(csv.text(row, "source"), "bigscience");
    m.numHeads = csv.count(row, "heads").value_or(bloomSeries ? 96 : std::max<std::int64_t>(1, *hidden / 128));
    m.numKvHeads = csv.count(row, "kv_heads").value_or(m.numHeads);
    // Models whose heads are not h / a wide publish 64 (GPT-OSS) or 128.
    if (*hidden % m.numHeads != 0)
        m.headDim = 128;
    else if (*hidden / m.numHeads % 2 != 0)
        m.headDim = 64;
    m.ffnHiddenSize = csv.count(row, "ffn").value_or(4 * *hidden);
    m.vocabSize = csv.count(row, "vocab").value_or(50304);
    const bool gated = m.ffnHiddenSize != 4 * *hidden || m.kvHeads() != m.numHeads;
    m.family = gated ? Family::Llama : Family::Gpt2;
    m.tieEmbeddings = contains(csv.text(row, "notes"), "tied emb") || !gated;
    if (const auto experts = csv.count(row, "experts"); experts && *experts > 1) {
        m.moe = MoeSpec{};
        m.moe->numExperts = *experts;
        m.moe->topK = csv.count(row, "topk").value_or(1);
        m.moe->expertFfnHiddenSize = m.ffnHiddenSize;
        if (takePreset(m)) return {};
        m.family = Family::Llama;
        m.tieEmbeddings = false;
    }
    return {};
}

/// 405B interleaves stages of one layer, the first chunk has only the embedding and the last one only the head; gradients and optimizer
/// states are sharded, weights stay gathered after the forward pass (Llama 3, arXiv 2407.21783, sec. 3.3.2).
void takeMetasSchedule(RunConfig& c) {
    ParallelLayout& p = c.parallel;
    const std::int64_t stages = c.model.numLayers + 2;
    if (stages % p.pp != 0 ||
        hasErrors(scheduleIssues(ScheduleKind::InterleavedOneFOneB, p.pp, c.numMicroBatches(), stages / p.pp)))
        return;
    p.schedule = ScheduleKind::InterleavedOneFOneB;
    p.virtualStages = stages / p.pp;
    p.zeroStage = 2;
    p.layersPerStage.assign(static_cast<std::size_t>(stages), 1);
    p.layersPerStage.front() = p.layersPerStage.back() = 0;
}

Result<void> readLayout(const CsvTable& csv, std::size_t row, RunConfig& c) {
    ParallelLayout& p = c.parallel;
    p.tp = csv.count(row, "tp").value_or(1);
    p.pp = csv.count(row, "pp").value_or(1);
    p.cp = csv.count(row, "cp").value_or(1);
    p.ep = c.model.moe ? csv.count(row, "ep").value_or(1) : 1;
    const auto devices = csv.count(row, "num_gpus");
    const std::int64_t group = p.tp * p.pp * p.cp;
    if (!devices || *devices < 1) return fail("bad_row", "number of devices not published"_text);
    if (p.tp < 1 || p.pp < 1 || p.cp < 1 || *devices % group != 0)
        return fail("bad_row", "the number of devices is not a multiple of tp x pp x cp"_text);
    p.dp = *devices / group;
    p.zeroStage = std::clamp<std::int64_t>(csv.count(row, "zero_stage").value_or(1), 0, 3);
    p.sequenceParallel = p.tp > 1 && csv.text(row, "seq_parallel") != "0";
    const std::string recompute = csv.text(row, "recompute");
    if (recompute.rfind("full", 0) == 0) c.train.recompute.policy = RecomputePolicy::Full;
    if (recompute.rfind("selective", 0) == 0) c.train.recompute.policy = RecomputePolicy::Selective;
    if (recompute.empty() && contains(csv.text(row, "source"), "Llama 3 Herd")) {
        // No activation checkpoints (Llama 3, arXiv 2407.21783, sec. 3.3.2), and a fused SwiGLU, which saves gate and
        // up and recomputes their product (facebookresearch/xformers, xformers/ops/swiglu_op.py).
        c.train.recompute.policy = RecomputePolicy::Selective;
        c.train.recompute.attention = c.train.recompute.norm = false;
    }
    c.train.microBatchSize = std::max<std::int64_t>(1, csv.count(row, "micro_batch").value_or(1));
    std::int64_t once = c.train.microBatchSize * p.dp;
    c.train.globalBatchSize = csv.count(row, "global_batch").value_or(once);
    const std::string& source = csv.text(row, "source");
    if (contains(source, "torchtitan") && p.pp > 1) {
        // Its pipelines keep weights gathered, and divide a rank's batch into as many micro-batches as stages.
        p.reshardAfterForward = p.zeroStage < 3;
        if (!csv.count(row, "micro_batch") && c.train.globalBatchSize % (p.dp * p.pp) == 0)
            c.train.microBatchSize = c.train.globalBatchSize / (p.dp * p.pp);
        once = c.train.microBatchSize * p.dp;
    }
    if (contains(source, "bigscience")) p.layersPerStage = deepSpeedSplit(c.model.numLayers, p.pp);
    if (c.train.globalBatchSize < once && !csv.count(row, "micro_batch")) c.train.microBatchSize = 1;
    const std::int64_t virtualStages = csv.count(row, "vpp").value_or(1);
    if (p.pp > 1 && virtualStages > 1 && c.train.globalBatchSize % once == 0 &&
        p.pp * virtualStages <= c.model.numLayers &&
        !hasErrors(scheduleIssues(ScheduleKind::InterleavedOneFOneB, p.pp, c.numMicroBatches(), virtualStages))) {
        p.schedule = ScheduleKind::InterleavedOneFOneB;
        p.virtualStages = virtualStages;
    }
    if (contains(source, "Llama 3 Herd") && p.pp > 1 && c.model.numLayers == 126) takeMetasSchedule(c);
    return {};
}

/// Measured seconds of a step: printed, or from tokens/s, or from FLOP/s under the source's rule.
std::optional<double> stepSecondsOf(const CsvTable& csv, std::size_t row, const MeasuredRun& run) {
    const auto tokens = static_cast<double>(run.config.tokensPerStep());
    if (const auto rate = csv.number(row, "tokens_per_s"); rate && *rate > 0) return tokens / *rate;
    if (const auto seconds = csv.number(row, "measured_iter_s"); seconds && *seconds > 0) return *seconds;
    const auto rule = ruleOf(run.source);
    const auto rate = csv.number(row, "measured_tflops_per_gpu");
    if (!rule || !rate || *rate <= 0) return {};
    return tokens * modelFlopsPerToken(run.config.model, run.config.train.seqLen, *rule) /
           (*rate * 1e12 * static_cast<double>(run.numDevices()));
}

/// "... predicted 343.6 ms / 45.40 GiB ..." in the notes, with the planner's name before it.
std::optional<RivalForecast> rivalOf(const std::string& notes) {
    static const std::regex pattern(R"((\w+) predicted ([0-9.]+) ms / ([0-9.]+) GiB)");
    std::smatch found;
    if (!std::regex_search(notes, found, pattern)) return {};
    return RivalForecast{found[1], std::strtod(found[2].str().c_str(), nullptr) / 1000,
                         std::strtod(found[3].str().c_str(), nullptr) * 1024 * 1024 * 1024};
}

}  // namespace

Result<MeasuredRun> publishedRun(const CsvTable& csv, std::size_t row) {
    MeasuredRun run;
    run.source = csv.text(row, "source");
    run.model = csv.text(row, "model_name");
    run.writesScores = isBeforeFusedAttention(run.source);
    run.software = softwareIdOf(run.source);
    const auto printed = printedMemoryOf(run.source, csv.text(row, "precision"), csv.text(row, "notes"));
    if (printed) {
        run.meter = printed->meter;
        run.facts = printed->facts;
    }
    run.rival = rivalOf(csv.text(row, "notes"));
    const std::string& device = csv.text(row, "gpu_type");
    const ClusterSpec* preset = deviceOf(device);
    if (preset == nullptr) return fail("bad_row", "device not in the library: %1"_text(device));
    run.precision = precisionOf(csv.text(row, "precision"), run.config);
    run.config.train.device = preset->device.kind;
    if (const auto model = readModel(csv, row, run.config); !model) return fail(model.error());
    if (const auto layout = readLayout(csv, row, run.config); !layout) return fail(layout.error());
    run.cluster = *preset;
    // A driver reports up to 2 % less than in the name: there the preset is more accurate.
    if (const auto named = namedMemoryBytes(device); named && std::abs(*named / preset->device.memoryBytes - 1) > 0.05)
        run.cluster.device.memoryBytes = *named;
    run.cluster.numNodes =
        std::max<std::int64_t>(1, (run.numDevices() + preset->devicesPerNode - 1) / preset->devicesPerNode);
    if (run.config.train.precision == Precision::Fp8 && !preset->device.peakFp8Flops)
        return fail("bad_row", "no 8-bit peak known for %1"_text(device));
    run.stepSeconds = stepSecondsOf(csv, row, run);
    if (const auto memory = csv.number(row, "measured_mem_gb"); memory && *memory > 0)
        // A formula of the layers alone is not a measurement.
        if (!contains(run.source, "Korthikanti"))
            run.memoryBytes = *memory * (printed ? printed->unitBytes : kGibibyte);
    if (!run.stepSeconds && !run.memoryBytes) return fail("bad_row", "neither step time nor memory published"_text);
    const std::string software = run.source.substr(0, run.source.find_first_of(" ("));
    run.stack = software + (run.config.model.moe ? " MoE" : "") + " | " + device + " | " + run.precision;
    run.cell = run.model + " | " + run.stack + " | " + std::to_string(run.numDevices()) + " | " +
               std::to_string(run.config.train.seqLen);
    return checkedRun(std::move(run));
}

}  // namespace slipway
