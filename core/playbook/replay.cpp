#include "core/playbook/replay.h"

#include "core/base/file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

namespace slipway {
namespace {

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stopped == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> wordsOf(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Rows of nccl-tests: size, count, type, operation, root, time, algbw, busbw, ...; launchers write a rank before them.
void addBandwidths(const std::vector<std::string>& lines, std::map<std::string, double>& figures) {
    int table = 0;
    double last = INFINITY;
    for (const std::string& line : lines) {
        std::vector<std::string> words = wordsOf(line);
        if (!words.empty() && words.front().ends_with(':')) words.erase(words.begin());
        if (words.size() < 8 || !numberOf(words[4])) continue;
        const auto bytes = numberOf(words[0]), count = numberOf(words[1]), seconds = numberOf(words[5]),
                   bandwidth = numberOf(words[7]);
        if (!bytes || !count || !seconds || !bandwidth) continue;
        if (*bytes <= last) ++table;
        last = *bytes;
        figures["busbw table " + std::to_string(table) + ", " + words[0]] = *bandwidth;
    }
}

std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) {
        const auto words = wordsOf(cell);
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
        cells.push_back(text);
    }
    return cells;
}

/// Tables of llm-foundry's benchmark; other tables have other columns.
void addUtilisation(const std::vector<std::string>& lines, std::map<std::string, double>& figures) {
    std::vector<std::string> header;
    for (const std::string& line : lines) {
        if (line.find('|') == std::string::npos) {
            header.clear();
            continue;
        }
        const std::vector<std::string> cells = cellsOf(line);
        if (header.empty()) {
            header = cells;
            continue;
        }
        const auto cell = [&](std::string_view name) {
            const auto found = std::find(header.begin(), header.end(), name);
            const auto at = static_cast<std::size_t>(found - header.begin());
            return at < cells.size() ? cells[at] : std::string();
        };
        const auto mfu = numberOf(cell("MFU")), speed = numberOf(cell("Throughput (T/s/GPU)"));
        if (!mfu || !speed) continue;
        std::string row;
        for (const char* part : {"Model", "SeqLen (T)", "# GPUs", "GPU", "Precision"}) row += ' ' + cell(part);
        figures["mfu" + row] = *mfu;
        figures["tokens_per_second_per_gpu" + row] = *speed;
    }
}

struct LoggedStep {
    double step = 0, loss = 0, gradNorm = 0;
};

/// The number behind `key`, up to `end`.
std::optional<double> after(const std::string& text, const char* key, std::size_t from, std::size_t end) {
    std::size_t at = text.find(key, from);
    if (at == std::string::npos || at >= end) return {};
    at = text.find_first_not_of(" \n", at + std::string_view(key).size());
    const std::size_t stop = text.find_first_of(" \n|/", at);
    if (at == std::string::npos || stop == std::string::npos || stop > end) return {};
    return numberOf(std::string_view(text).substr(at, stop - at));
}

/// "iteration   31219/ 115311 | ... lm loss: 5.098124E+00 | grad norm: 960.351 | ..."; a line may be broken.
std::vector<LoggedStep> loggedSteps(const std::string& document) {
    constexpr const char* kBegin = "]: iteration ";
    std::vector<LoggedStep> steps;
    for (std::size_t at = document.find(kBegin); at != std::string::npos;) {
        const std::size_t next = document.find(kBegin, at + 1);
        const std::size_t end = std::min(next, document.size());
        const auto step = after(document, kBegin, at, end), loss = after(document, "lm loss: ", at, end),
                   norm = after(document, "grad norm: ", at, end);
        if (step && loss && norm) steps.push_back({*step, *loss, *norm});
        at = next;
    }
    return steps;
}

/// Lines within 100 steps belong to one excerpt.
void addSpike(const std::string& document, std::map<std::string, double>& figures) {
    constexpr double kGap = 100;
    const std::vector<LoggedStep> steps = loggedSteps(document);
    double highest = 1;
    for (auto begin = steps.begin(); begin != steps.end();) {
        auto end = begin + 1;
        while (end != steps.end() && end->step > (end - 1)->step && end->step - (end - 1)->step <= kGap) ++end;
        const auto peak = std::max_element(begin, end, [](const auto& a, const auto& b) { return a.loss < b.loss; });
        const auto norm =
            std::max_element(begin, end, [](const auto& a, const auto& b) { return a.gradNorm < b.gradNorm; });
        if (peak->loss / begin->loss > highest) {
            highest = peak->loss / begin->loss;
            figures["spike_ratio"] = highest;
            figures["spike_grad_norm_ratio"] = norm->gradNorm / begin->gradNorm;
            figures["spike_steps"] = (end - 1)->step - peak->step;
            figures["spike_after_ratio"] = (end - 1)->loss / begin->loss;
        }
        begin = end;
    }
}

Verdict verdictOf(const ReplayRow& row) {
    if (!row.published) return Verdict::NotRun;
    const bool agrees = row.side == ClaimSide::Above   ? *row.published > row.expected
                        : row.side == ClaimSide::Below ? *row.published < row.expected
                                                       : std::fabs(*row.published - row.expected) <= row.tolerance;
    return agrees ? Verdict::Agrees : Verdict::Differs;
}

std::optional<double> publishedOf(const ReplayClaim& claim, const std::map<std::string, double>& figures) {
    const auto found = figures.find(claim.figure);
    if (found == figures.end()) return {};
    if (claim.baseline.empty()) return found->second;
    const auto baseline = figures.find(claim.baseline);
    return baseline == figures.end() || baseline->second == 0 ? std::nullopt
                                                              : std::optional(found->second / baseline->second);
}

}  // namespace

const Reference* PublishedData::reference(const std::string& id) const {
    for (const Reference& one : references)
        if (one.id == id) return &one;
    return nullptr;
}

std::map<std::string, double> publishedFigures(const std::string& document) {
    std::vector<std::string> lines;
    std::istringstream stream(document);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::map<std::string, double> figures;
    addBandwidths(lines, figures);
    addUtilisation(lines, figures);
    addSpike(document, figures);
    return figures;
}

Result<PublishedData> readPublishedData(const Home& home, const std::filesystem::path& folder) {
    PublishedData data;
    auto facts = readBenchmarkFacts(folder);
    if (!facts) return fail(facts.error());
    auto references = readReferences(folder);
    if (!references) return fail(references.error());
    auto runs = fetchedRuns(home);
    if (!runs) return fail(runs.error());
    data.facts = std::move(*facts);
    data.references = std::move(*references);
    data.runs = std::move(*runs);
    for (const Reference& one : data.references) {
        if (!isFetched(home, one.id)) continue;
        auto& figures = data.figures[one.id];
        if (one.id == kBenchmarkReference) continue;
        const auto document = readFile(referenceFile(home, one.id));
        if (!document) return fail(document.error());
        figures = publishedFigures(*document);
    }
    return data;
}

ReplayResult replayOf(const Experiment& experiment, const PublishedData& data) {
    ReplayResult result;
    if (!experiment.replay) return result;
    result.reference = data.reference(experiment.replay->reference);
    const auto found = data.figures.find(experiment.replay->reference);
    result.isFetched = result.reference != nullptr && found != data.figures.end();
    for (const ReplayClaim& claim : experiment.replay->claims)
        result.rows.push_back({claim.id, claim.text, claim.side, claim.expected, claim.tolerance,
                               result.isFetched ? publishedOf(claim, found->second) : std::nullopt});
    if (experiment.replay->claims.empty())
        for (const Claim& claim : experiment.claims)
            result.rows.push_back({claim.id, claim.text, claim.side, claim.expected, claim.tolerance,
                                   publishedFor(experiment, claim, data.runs, data.facts)});
    for (ReplayRow& row : result.rows) {
        row.verdict = verdictOf(row);
        if (row.verdict == Verdict::Differs || (row.verdict == Verdict::Agrees && result.verdict == Verdict::NotRun))
            result.verdict = row.verdict;
    }
    return result;
}

Message noReplayText(const Experiment& experiment, Language language) {
    if (experiment.need == ExperimentNeed::Plan || experiment.need == ExperimentNeed::Laptop)
        return "There is no published data to replay for %1; it runs on this computer: `slipway playbook run %1`."_text(
            experiment.id);
    return "There is no published data to replay for %1. It needs hardware (%2): `slipway playbook export %1 --write slurm -o FOLDER` writes its Slurm jobs, --write torchrun its scripts; `slipway playbook record --from FILE` takes the record back."_text(
        experiment.id, experiment.hardware.in(language));
}

std::string expectedText(const ReplayRow& row, const std::function<std::string(double)>& figure) {
    Claim claim;
    claim.side = row.side;
    claim.expected = row.expected;
    claim.tolerance = row.tolerance;
    return expectedText(claim, figure);
}

}  // namespace slipway
