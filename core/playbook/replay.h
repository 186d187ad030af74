// Replay: what published data say about an experiment that needs other hardware, or beside one's own run.
//   const auto data = readPublishedData(home, playbook.folder);
//   for (const ReplayRow& row : replayOf(*playbook.experiment("K2"), *data).rows) ...   // row.published, row.verdict
#pragma once

#include "core/playbook/references.h"
#include "core/playbook/verdict.h"

#include <map>

namespace slipway {

/// All fetched documents.
struct PublishedData {
    BenchmarkFacts facts;
    std::vector<PublishedRun> runs;  ///< of the benchmark's page; none without it
    std::vector<Reference> references;
    std::map<std::string, std::map<std::string, double>>
        figures;  ///< reference -> publishedFigures(); fetched ones only

    /// Null when there is none.
    [[nodiscard]] const Reference* reference(const std::string& id) const;
};
Result<PublishedData> readPublishedData(const Home& home, const std::filesystem::path& folder);

/// The figures of a document by name:
///   nccl-tests output      "busbw table 2, 268435456": GB/s out of place of the second table at that many bytes
///   llm-foundry's tables   "mfu 7b 2048 512 h100_80gb amp_bf16": percent, and "tokens_per_second_per_gpu ..." with the same row
///   Megatron-LM's lines    of the excerpt with the highest loss over its first: "spike_ratio", "spike_grad_norm_ratio" and
///                          "spike_steps", from the peak to the last line's step, whose loss is "spike_after_ratio" times the first
std::map<std::string, double> publishedFigures(const std::string& document);

struct ReplayRow {
    std::string id;
    LocalText text;
    ClaimSide side = ClaimSide::Around;
    double expected = 0, tolerance = 0;
    std::optional<double> published;  ///< empty: not among the data, or not fetched
    Verdict verdict = Verdict::NotRun;
};
struct ReplayResult {
    const Reference* reference = nullptr;  ///< null: no published data on this experiment
    bool isFetched = false;
    std::vector<ReplayRow> rows;
    Verdict verdict = Verdict::NotRun;  ///< differs where a row does, else agrees where one does
};
/// Published data are single figures without repeats: they agree or differ, with no test of their spread.
ReplayResult replayOf(const Experiment& experiment, const PublishedData& data);

/// Where there is no published data on an experiment: what a run of one's own needs.
Message noReplayText(const Experiment& experiment, Language language);

/// "0.75 ± 0.07", "> 0". @param figure writes a number
std::string expectedText(const ReplayRow& row, const std::function<std::string(double)>& figure);

}  // namespace slipway
