#include "core/playbook/references.h"

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/sha256.h"
#include "core/planner/count/parameters.h"
#include "core/playbook/object_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slipway {
namespace fs = std::filesystem;
namespace {

Result<void> withoutProblems(const ObjectReader::Problems& problems, const fs::path& file) {
    if (!problems.empty()) return fail("bad_playbook", linesOf(problems), file.string());
    return {};
}

std::int64_t wholeOr(ObjectReader& reader, const char* key, std::int64_t fallback) {
    return static_cast<std::int64_t>(reader.numberOr(key, static_cast<double>(fallback)));
}

BenchmarkLayout readLayout(ObjectReader& reader) {
    BenchmarkLayout l;
    l.dp = wholeOr(reader, "dp", 1);
    l.tp = wholeOr(reader, "tp", 1);
    l.pp = wholeOr(reader, "pp", 1);
    l.accumulation = wholeOr(reader, "accumulation", 1);
    l.microBatch = wholeOr(reader, "micro_batch", 1);
    l.zero = wholeOr(reader, "zero", 0);
    return l;
}

BenchmarkFacts::Shape readShape(ObjectReader& reader) {
    BenchmarkFacts::Shape shape;
    shape.name = reader.text("name");
    shape.model.numLayers = wholeOr(reader, "num_layers", 0);
    shape.model.hiddenSize = wholeOr(reader, "hidden_size", 0);
    shape.model.ffnHiddenSize = wholeOr(reader, "ffn_hidden_size", 0);
    shape.model.numHeads = wholeOr(reader, "num_heads", 0);
    shape.model.numKvHeads = shape.model.numHeads;
    shape.model.vocabSize = wholeOr(reader, "vocab_size", 0);
    shape.model.tieEmbeddings = reader.flagOr("tied", false);
    return shape;
}

BenchmarkFacts::Best readBest(ObjectReader& reader) {
    BenchmarkFacts::Best best;
    best.model = reader.text("model");
    best.nodes = wholeOr(reader, "nodes", 0);
    best.ran = wholeOr(reader, "ran", 0);
    best.tried = wholeOr(reader, "tried", 0);
    reader.object("fastest", false, [&](ObjectReader& layout) { best.fastest = readLayout(layout); });
    reader.object("printed_best", false, [&](ObjectReader& layout) { best.printedBest = readLayout(layout); });
    best.tokensPerSecondPerGpu = reader.numberOr("tokens_per_second_per_gpu", 0);
    best.mfuPercent = reader.numberOr("mfu_percent", 0);
    best.memoryGb = reader.numberOr("memory_gb", 0);
    best.printedBestTokensPerSecondPerGpu = reader.numberOr("printed_best_tokens_per_second_per_gpu", 0);
    (void)reader.numberOr("printed_mfu_percent", 0);
    return best;
}

const PublishedRun* findRun(const std::vector<PublishedRun>& runs, const std::string& model, std::int64_t nodes,
                            const BenchmarkLayout& layout) {
    for (const PublishedRun& run : runs)
        if (run.model == model && run.nodes == nodes && run.layout == layout && run.tokensPerSecondPerGpu) return &run;
    return nullptr;
}

const std::string* shapeName(const BenchmarkFacts& facts, const ModelSpec& model) {
    for (const BenchmarkFacts::Shape& shape : facts.shapes)
        if (shape.model.numLayers == model.numLayers && shape.model.hiddenSize == model.hiddenSize &&
            shape.model.ffnHiddenSize == model.ffnHiddenSize && shape.model.vocabSize == model.vocabSize)
            return &shape.name;
    return nullptr;
}

constexpr std::int64_t kGpusPerNode = 8;

/// The published run of a point; null where the benchmark has none.
const PublishedRun* runOfPoint(const std::vector<Trial>& trials, const std::string& point,
                               const std::vector<PublishedRun>& runs, const BenchmarkFacts& facts) {
    for (const Trial& trial : trials) {
        if (pointOf(trial.name) != point) continue;
        const RunConfig& c = trial.config;
        const std::string* model = shapeName(facts, c.model);
        const std::int64_t devices = c.parallel.worldSize();
        if (model == nullptr || devices % kGpusPerNode != 0) return nullptr;
        return findRun(runs, *model, devices / kGpusPerNode,
                       {c.parallel.dp, c.parallel.tp, c.parallel.pp, c.numMicroBatches(), c.train.microBatchSize,
                        c.parallel.zeroStage});
    }
    return nullptr;
}

/// Empty for a metric that the benchmark does not have.
std::optional<double> metricOf(const PublishedRun& run, const std::string& metric, const BenchmarkFacts& facts) {
    const double speed = *run.tokensPerSecondPerGpu;
    if (metric == "tokens_per_second_per_device") return speed;
    if (metric == "step_seconds") return 1 / speed;  // only ratios are used: the batch is the same
    if (metric == "memory_peak_bytes") return run.memoryGb * 1e9;
    return metric == "mfu" ? mfuOf(facts, run.model, speed) : std::nullopt;
}

fs::path checksumFile(const Home& home, const std::string& id) {
    return referenceFile(home, id).string() + ".sha256";
}

}  // namespace

Result<std::vector<Reference>> readReferences(const fs::path& folder) {
    const fs::path file = folder / "references" / "references.json";
    const auto json = readJsonFile(file);
    if (!json) return fail(json.error());
    ObjectReader::Problems problems;
    std::vector<Reference> references;
    const Json list{{"references", *json}};
    ObjectReader reader(list, "references.json", problems);
    reader.list("references", true, [&](ObjectReader& one) {
        references.push_back({one.text("id"), one.localText("title"), one.text("url"), one.text("licence"),
                              one.number("about_bytes"), one.textOr("sha256", "")});
    });
    if (auto sound = withoutProblems(problems, file); !sound) return fail(sound.error());
    return references;
}

fs::path referenceFile(const Home& home, const std::string& id) {
    return home.path / "playbook" / "references" / id;
}

bool isFetched(const Home& home, const std::string& id) {
    std::error_code code;
    return fs::exists(referenceFile(home, id), code);
}

Result<std::string> keepReference(const Home& home, const Reference& reference, const std::string& body) {
    const fs::path file = referenceFile(home, reference.id), checksums = checksumFile(home, reference.id);
    const std::string checksum = sha256Of(body);
    const std::string expected = reference.sha256.empty() ? readFile(checksums).value_or("") : reference.sha256;
    if (!expected.empty() && expected != checksum)
        return fail("checksum_differs",
                    "The document has the SHA-256 %1, not %2: it was changed. Delete %3 to take the new one."_text(
                        checksum, expected, checksums.string()),
                    reference.id);
    if (reference.id == kBenchmarkReference)
        if (const auto runs = readBenchmarkPage(body); !runs) return fail(runs.error());
    if (auto made = makeFolders(file.parent_path()); !made) return fail(made.error());
    if (auto kept = writeFileAtomically(file, body); !kept) return fail(kept.error());
    if (auto kept = writeFileAtomically(checksums, checksum); !kept) return fail(kept.error());
    return checksum;
}

std::string layoutText(const BenchmarkLayout& layout) {
    const auto part = [](const char* name, std::int64_t value) { return std::string(name) + std::to_string(value); };
    return part("DP", layout.dp) + part(" TP", layout.tp) + part(" PP", layout.pp) + part(" acc", layout.accumulation) +
           part(" mbs", layout.microBatch) + part(" Z", layout.zero);
}

Result<std::vector<PublishedRun>> fetchedRuns(const Home& home) {
    if (!isFetched(home, kBenchmarkReference)) return std::vector<PublishedRun>{};
    const auto page = readFile(referenceFile(home, kBenchmarkReference));
    if (!page) return fail(page.error());
    return readBenchmarkPage(*page);
}

Result<BenchmarkFacts> readBenchmarkFacts(const fs::path& folder) {
    const fs::path file = folder / "references" / "ultrascale.json";
    const auto json = readJsonFile(file);
    if (!json) return fail(json.error());
    ObjectReader::Problems problems;
    ObjectReader reader(*json, "ultrascale.json", problems);
    BenchmarkFacts facts;
    if (reader.number("schema") != 1) reader.problem("must be 1."_text, "schema");
    facts.source = reader.text("source");
    facts.peakFlops = reader.number("device_peak_flops");
    facts.seqLen = static_cast<std::int64_t>(reader.number("seq_len"));
    reader.list("models", true, [&](ObjectReader& one) { facts.shapes.push_back(readShape(one)); });
    reader.list("best", true, [&](ObjectReader& one) { facts.best.push_back(readBest(one)); });
    if (json->contains("mistakes") && (*json)["mistakes"].is_array())
        for (const Json& one : (*json)["mistakes"]) {
            const Json wrapped{{"text", one}};
            ObjectReader text(wrapped, "ultrascale.json/mistakes", problems);
            facts.mistakes.push_back(text.localText("text"));
        }
    if (auto sound = withoutProblems(problems, file); !sound) return fail(sound.error());
    return facts;
}

double mfuOf(const BenchmarkFacts& facts, const ModelSpec& model, double tokensPerSecondPerGpu) {
    const double attention = 12.0 * static_cast<double>(model.numLayers) * static_cast<double>(model.hiddenSize) *
                             static_cast<double>(facts.seqLen);
    return (6 * countParameters(model).total + attention) * tokensPerSecondPerGpu / facts.peakFlops;
}

std::optional<double> mfuOf(const BenchmarkFacts& facts, const std::string& model, double tokensPerSecondPerGpu) {
    for (const BenchmarkFacts::Shape& shape : facts.shapes)
        if (shape.name == model) return mfuOf(facts, shape.model, tokensPerSecondPerGpu);
    return {};
}

std::vector<BenchmarkCell> rankBenchmark(const std::vector<PublishedRun>& runs, const BenchmarkFacts& facts) {
    std::vector<BenchmarkCell> cells;
    for (const BenchmarkFacts::Shape& shape : facts.shapes)
        for (std::int64_t nodes = 1; nodes <= 64; nodes *= 2) {
            BenchmarkCell cell{shape.name, nodes, {}, 0, {}};
            for (const PublishedRun& run : runs)
                if (run.model == shape.name && run.nodes == nodes) cell.runs.push_back(run);
            std::stable_sort(cell.runs.begin(), cell.runs.end(), [](const PublishedRun& a, const PublishedRun& b) {
                return a.tokensPerSecondPerGpu.value_or(-1) > b.tokensPerSecondPerGpu.value_or(-1);
            });
            for (const PublishedRun& run : cell.runs) cell.ran += run.tokensPerSecondPerGpu ? 1 : 0;
            const auto printed = std::max_element(
                cell.runs.begin(), cell.runs.end(),
                [](const PublishedRun& a, const PublishedRun& b) { return a.printedMfu < b.printedMfu; });
            if (cell.ran > 0 && !(printed->layout == cell.runs.front().layout)) cell.printedBest = *printed;
            if (!cell.runs.empty()) cells.push_back(std::move(cell));
        }
    return cells;
}

std::vector<BenchmarkFacts::Best> bestLayouts(const std::vector<BenchmarkCell>& cells, const BenchmarkFacts& facts) {
    if (cells.empty()) return facts.best;
    std::vector<BenchmarkFacts::Best> rows;
    for (const BenchmarkCell& cell : cells) {
        BenchmarkFacts::Best row;
        row.model = cell.model;
        row.nodes = cell.nodes;
        row.ran = static_cast<std::int64_t>(cell.ran);
        row.tried = static_cast<std::int64_t>(cell.runs.size());
        if (cell.ran > 0) {
            const PublishedRun& first = cell.runs.front();
            row.fastest = first.layout;
            row.tokensPerSecondPerGpu = *first.tokensPerSecondPerGpu;
            row.mfuPercent = 100 * mfuOf(facts, cell.model, row.tokensPerSecondPerGpu).value_or(0);
            row.memoryGb = first.memoryGb;
            if (cell.printedBest) {
                row.printedBest = cell.printedBest->layout;
                row.printedBestTokensPerSecondPerGpu = *cell.printedBest->tokensPerSecondPerGpu;
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<double> publishedFor(const Experiment& experiment, const Claim& claim,
                                   const std::vector<PublishedRun>& runs, const BenchmarkFacts& facts) {
    if (experiment.sweepJson.empty() || claim.kind != ClaimKind::Ratio) return {};
    const auto file = sweepOf(experiment, false);
    if (!file) return {};
    const std::vector<Trial> trials = expandSweep(*file);
    const PublishedRun* point = runOfPoint(trials, claim.point, runs, facts);
    const PublishedRun* baseline = runOfPoint(trials, claim.baseline, runs, facts);
    if (point == nullptr || baseline == nullptr) return {};
    const auto above = metricOf(*point, claim.metric, facts);
    const auto below = metricOf(*baseline, claim.metricOfBaseline(), facts);
    return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace slipway
