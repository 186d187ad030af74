#include "core/run/rank_spans.h"

#include "core/base/file.h"
#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace slipway {
namespace {

constexpr std::size_t kHead = 80;  // of a line: its kind and its step
constexpr std::string_view kStep = "\"step\":";

/// The step of a line of spans.
std::optional<std::int64_t> stepOf(std::string_view line) {
    const std::string_view head = line.substr(0, kHead);
    if (head.find("\"spans\"") == std::string_view::npos) return {};
    const std::size_t at = head.find(kStep);
    if (at == std::string_view::npos) return {};
    std::int64_t step = 0;
    const auto [rest, code] = std::from_chars(head.data() + at + kStep.size(), head.data() + head.size(), step);
    return code == std::errc() ? std::optional(step) : std::nullopt;
}

std::optional<double> time(const Json& json) {
    if (!json.is_number()) return {};
    const double seconds = json.get<double>();
    return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

RankSpans spansOf(const Json& json) {
    RankSpans out;
    const auto each = [&](const char* key, std::size_t size, const auto& take) {
        if (!json.contains(key) || !json[key].is_array()) return;
        for (const Json& item : json[key]) {
            if (!item.is_array() || item.size() != size || !item[0].is_string()) continue;
            const auto start = time(item[size - 2]), end = time(item[size - 1]);
            if (start && end && *end >= *start) take(item, *start, *end);
        }
    };
    each("spans", 5, [&](const Json& item, double start, double end) {
        if (item[1].is_number_integer() && item[2].is_number_integer())
            out.spans.push_back(
                {item[0].get<std::string>(), item[1].get<std::int64_t>(), item[2].get<std::int64_t>(), start, end});
    });
    each("collectives", 4, [&](const Json& item, double start, double end) {
        if (item[1].is_string())
            out.collectives.push_back({item[0].get<std::string>(), item[1].get<std::string>(), start, end});
    });
    return out;
}

}  // namespace

double RankSpans::seconds() const {
    double end = 0;
    for (const RankSpan& span : spans) end = std::max(end, span.endSeconds);
    for (const RankCollective& one : collectives) end = std::max(end, one.endSeconds);
    return end;
}

std::vector<RankSpans> readSpans(const RunDir& folder, const std::vector<std::int64_t>& ranks,
                                 std::optional<std::int64_t> step) {
    std::vector<RankSpans> out;
    for (const std::int64_t rank : ranks) {
        const std::filesystem::path path = folder.rankStream(rank);
        std::error_code code;
        const std::uintmax_t size = std::filesystem::file_size(path, code);
        if (code) continue;
        const std::uint64_t offset = size > kSpanBytes ? size - kSpanBytes : 0;
        const auto text = readFileFrom(path, offset, kSpanBytes);
        if (!text) continue;
        std::string_view best;
        std::int64_t bestStep = 0;
        // A partial line at the beginning of the piece, and one being written, are not lines.
        std::size_t begin = offset == 0 ? 0 : text->find('\n') + 1;
        for (std::size_t end = text->find('\n', begin); end != std::string::npos;
             begin = end + 1, end = text->find('\n', begin)) {
            const std::string_view line = std::string_view(*text).substr(begin, end - begin);
            const auto at = stepOf(line);
            // A restart repeats steps: the later record counts.
            if (!at || (!best.empty() && step && std::abs(*at - *step) > std::abs(bestStep - *step))) continue;
            best = line;
            bestStep = *at;
        }
        const auto json = best.empty() ? Result<Json>(Json()) : parseJson(std::string(best), "rank stream");
        if (!json || !json->is_object()) continue;
        RankSpans spans = spansOf(*json);
        spans.rank = rank;
        spans.step = bestStep;
        out.push_back(std::move(spans));
    }
    return out;
}

}  // namespace slipway
