// Figures on texts and files: filters, near-duplicates, targets, names of checkpoints.
#include "core/corpus/document_filter.h"
#include "core/corpus/min_hash.h"
#include "core/playbook/figure_tables.h"
#include "core/playbook/near_duplicates.h"
#include "core/stability/step_guard.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace slipway {
namespace {

using namespace figures;
using In = const FigureInputs&;

std::vector<std::string> sampleWords() {
    return {"word", "abc", "ab", "ab1", "ab#$"};
}

Json filtered(In in) {
    std::string text;
    for (std::int64_t i = 0; i < in.whole("words"); ++i) text += (i > 0 ? " " : "") + in.word("sample_word");
    const FilteredDocument found = filterDocument(text);
    return {{"filter_verdict", found.isKept() ? "keep" : "reject"},
            {"filter_reason", std::string(found.reason)},
            {"mean_word_bytes", found.meanWordBytes},
            {"alpha_share", found.alphaShare}};
}

/// Two texts of distinct words that differ in the middle one.
Json overlap(In in) {
    std::string a, b;
    for (std::int64_t i = 0; i < in.whole("words"); ++i) {
        const std::string word = " w" + std::to_string(i);
        a += word;
        b += i == in.whole("words") / 2 ? " other" : word;
    }
    const int width = static_cast<int>(in.whole("ngram"));
    const double similarity = jaccardSimilarity(a, b, width);
    return {{"shingles", shinglesOf(a, width).size()},
            {"jaccard", similarity},
            {"caught_share", caughtProbability(similarity, in.number("bands"), in.number("rows"))}};
}

Json nextTokens(In in) {
    return {{"target_pairs", std::max<std::int64_t>(in.whole("text_tokens") - 1, 0)}};
}

Json gradientLimit(In in) {
    StepGuard guard({.gradNormLimit = in.number("grad_norm_limit")});
    return {{"spike_verdict", guard.evaluate(1, in.number("grad_norm")).code.empty() ? "no spike" : "spike"}};
}

Json saveDue(In in) {
    const bool byStep = in.whole("step") % in.whole("save_every") == 0;
    return {{"is_save_due", byStep || in.number("hours_since_save") >= in.number("save_hours")}};
}

std::string padded(const char* format, std::int64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, format, static_cast<long long>(value));
    return text;
}

Json shardName(In in) {
    return {{"source_shard", padded("step_%08lld", in.whole("step")) + padded("/rank_%04lld", in.whole("rank")) +
                                 padded("_of_%04lld.pt", in.whole("world_size"))}};
}

Json newest(In in) {
    const std::vector<double> steps = in.numbers("saved_steps");
    const auto nameOf = [](double step) {
        return "checkpoint-" + std::to_string(static_cast<std::int64_t>(step)) + ".pt";
    };
    std::string last;
    for (const double step : steps) last = std::max(last, nameOf(step));
    return {{"newest_file", nameOf(*std::max_element(steps.begin(), steps.end()))}, {"source_newest_file", last}};
}

}  // namespace

std::vector<FigureModel> corpusFigures() {
    const char* guide = "guide (000), section 2.2";
    const char* lesson = "infrastructure lesson (001), section 5";
    return {
        {"document_filter",
         {whole("words", "50", 1, 200000), choice("sample_word", "\"word\"", sampleWords)},
         {{"filter_verdict", "50 <= words <= 100,000, mean length >= 3, letters >= 0.7", guide},
          {"filter_reason", "the first limit that is broken", guide},
          {"mean_word_bytes", "bytes of words / words", guide},
          {"alpha_share", "letters / bytes", guide}},
         filtered},
        {"shingle_overlap",
         {whole("words", "200", 2, 10000), whole("ngram", "13", 1, 100), whole("bands", "9", 1, 1000),
          whole("rows", "13", 1, 1000)},
         {{"shingles", "words - n + 1", guide},
          {"jaccard", "shared shingles / all shingles", guide},
          {"caught_share", "1 - (1 - s^r)^b", "Leskovec, Rajaraman, Ullman, section 3.4"}},
         overlap},
        {"next_token_pairs",
         {whole("text_tokens", "4", 1, 1000000)},
         {{"target_pairs", "tokens - 1", "lecture deck (002)"}},
         nextTokens},
        {"gradient_limit",
         {number("grad_norm", "10.01", 0, 1e12), number("grad_norm_limit", "10", 0, 1e12)},
         {{"spike_verdict", "gradient norm > limit", "core/stability"}},
         gradientLimit},
        {"save_due",
         {whole("step", "2000", 0, 1e9), whole("save_every", "1000", 1, 1e9), number("hours_since_save", "0.5", 0, 1e6),
          number("save_hours", "1", 0.001, 1e6)},
         {{"is_save_due", "step % every == 0, or hours >= limit", lesson}},
         saveDue},
        {"shard_name",
         {whole("step", "1000", 0, 99999999), whole("rank", "7", 0, 9999), whole("world_size", "512", 1, 9999)},
         {{"source_shard", "step_%08d/rank_%04d_of_%04d.pt", "guide (000), section 6.1"}},
         shardName},
        {"newest_checkpoint",
         {{"saved_steps", FigureInputKind::Numbers, "[9000, 10000]"}},
         {{"newest_file", "largest step", "core/spec"}, {"source_newest_file", "last in text order", lesson}},
         newest},
    };
}

}  // namespace slipway
