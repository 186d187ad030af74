// Published data for the playbook: documents to fetch, and the benchmark of the Ultra-Scale Playbook, ranked by one rule.
//   auto references = readReferences(playbook.folder);   auto runs = readBenchmarkPage(html);
//   for (const BenchmarkCell& cell : rankBenchmark(*runs, benchmark->shapes)) ...   // fastest by tokens/s, not by the printed MFU
#pragma once

#include "core/playbook/experiment_run.h"
#include "core/playbook/playbook.h"
#include "core/spec/model_spec.h"

#include <optional>

namespace slipway {

/// A third-party document that can be fetched. None of it is shipped.
struct Reference {
    std::string id;
    LocalText title;
    std::string url, licence;
    double aboutBytes = 0;
    std::string sha256;  ///< of the document, in hex; empty: unknown before the first fetch
};
/// references/references.json of the playbook's folder. "bad_playbook" with every problem.
Result<std::vector<Reference>> readReferences(const std::filesystem::path& folder);
/// File of a fetched document.
std::filesystem::path referenceFile(const Home& home, const std::string& id);
bool isFetched(const Home& home, const std::string& id);
/// Maximum size of a fetched document.
constexpr std::size_t kMostReferenceBytes = 64ULL << 20U;
/// Stores a document in the home with its SHA-256, which is returned. "checksum_differs" from the published one, or,
/// without one, from the first fetch's; "bad_page" for a benchmark page without its plot.
Result<std::string> keepReference(const Home& home, const Reference& reference, const std::string& body);

/// The benchmark's page among the references.
constexpr const char* kBenchmarkReference = "ultrascale";

struct BenchmarkLayout {
    std::int64_t dp = 1, tp = 1, pp = 1, accumulation = 1, microBatch = 1, zero = 0;
    bool operator==(const BenchmarkLayout&) const = default;
};
/// "DP64 TP1 PP1 acc4 mbs1 Z1"
std::string layoutText(const BenchmarkLayout& layout);
/// One layout of the benchmark: single runs of about two minutes.
struct PublishedRun {
    std::string model;  ///< "1B"
    std::int64_t nodes = 0;
    BenchmarkLayout layout;
    std::optional<double>
        tokensPerSecondPerGpu;            ///< empty: crashed or out of memory, which the page does not distinguish
    double printedMfu = 0, memoryGb = 0;  ///< MFU in percent, as printed
};
/// The rows of the page's plot: the traces are the second argument of Plotly.newPlot(), a row is the hover text of a
/// point, with entries such as "DP: 8" on separate lines. "bad_page" with the missing part.
Result<std::vector<PublishedRun>> readBenchmarkPage(const std::string& html);

/// The rows of the fetched page; none without one.
Result<std::vector<PublishedRun>> fetchedRuns(const Home& home);

/// references/ultrascale.json: shapes, the corrected list of best layouts, the original's mistakes.
struct BenchmarkFacts {
    struct Shape {
        std::string name;
        ModelSpec model;
    };
    struct Best {
        std::string model;
        std::int64_t nodes = 0, ran = 0, tried = 0;
        std::optional<BenchmarkLayout> fastest, printedBest;  ///< absent: nothing ran; absent: equals the fastest
        double tokensPerSecondPerGpu = 0, mfuPercent = 0, memoryGb = 0, printedBestTokensPerSecondPerGpu = 0;
    };
    std::vector<Shape> shapes;
    std::vector<Best> best;
    std::vector<LocalText> mistakes;
    std::string source;
    double peakFlops = 0;
    std::int64_t seqLen = 0;
};
Result<BenchmarkFacts> readBenchmarkFacts(const std::filesystem::path& folder);

/// (6 N + 12 L h s) tokens/s over the peak, with tied weights counted once: one rule for every layout.
double mfuOf(const BenchmarkFacts& facts, const ModelSpec& model, double tokensPerSecondPerGpu);
/// The same by the model's name; empty for a model without a shape.
std::optional<double> mfuOf(const BenchmarkFacts& facts, const std::string& model, double tokensPerSecondPerGpu);

/// The layouts of one model on one number of nodes.
struct BenchmarkCell {
    std::string model;
    std::int64_t nodes = 0;
    std::vector<PublishedRun> runs;  ///< by tokens/s, failed ones last
    std::size_t ran = 0;
    std::optional<PublishedRun> printedBest;  ///< by the printed MFU, where it is not the fastest
};
/// By model in the order of the facts, then by nodes.
std::vector<BenchmarkCell> rankBenchmark(const std::vector<PublishedRun>& runs, const BenchmarkFacts& facts);
/// One row for each cell; without cells the list in the facts.
std::vector<BenchmarkFacts::Best> bestLayouts(const std::vector<BenchmarkCell>& cells, const BenchmarkFacts& facts);

/// A claim's ratio from the published runs, where both points are successful layouts of the benchmark.
std::optional<double> publishedFor(const Experiment& experiment, const Claim& claim,
                                   const std::vector<PublishedRun>& runs, const BenchmarkFacts& facts);

}  // namespace slipway
