#include "core/base/recorded_text.h"

#include "core/base/korean_catalogue.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace slipway {
namespace {

constexpr std::size_t kLeastLetters = 4;  ///< a text with fewer of its own would match any sentence
constexpr int kDeepest = 4;               ///< clauses inside clauses

/// "%1 ranks of %2" as the words between its placeholders.
struct Pattern {
    std::string_view korean;
    std::vector<std::string_view> words;  ///< one more than placeholders; the first and the last may be empty
    std::vector<std::size_t> places;      ///< numbers of the arguments, from 0
    std::size_t letters = 0;
};

std::optional<std::size_t> placeAt(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size() || text[at] != '%' || text[at + 1] < '1' || text[at + 1] > '9') return {};
    return static_cast<std::size_t>(text[at + 1] - '1');
}

Pattern patternOf(const KoreanRow& row) {
    Pattern pattern{row.korean, {}, {}};
    std::size_t begin = 0;
    for (std::size_t at = 0; at < row.english.size(); ++at)
        if (const auto place = placeAt(row.english, at)) {
            pattern.words.push_back(row.english.substr(begin, at - begin));
            pattern.places.push_back(*place);
            begin = at + 2;
        }
    pattern.words.push_back(row.english.substr(begin));
    for (const std::string_view words : pattern.words)
        pattern.letters += static_cast<std::size_t>(
            std::ranges::count_if(words, [](unsigned char c) { return std::isalpha(c) != 0; }));
    return pattern;
}

/// Texts with arguments, those with the most letters first.
const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> all = [] {
        std::vector<Pattern> out;
        for (const KoreanRow& row : koreanRows())
            if (Pattern pattern = patternOf(row); !pattern.places.empty() && pattern.letters >= kLeastLetters &&
                                                  std::none_of(pattern.words.begin() + 1, pattern.words.end() - 1,
                                                               [](std::string_view words) { return words.empty(); }))
                out.push_back(std::move(pattern));
        std::ranges::stable_sort(out, std::ranges::greater{}, &Pattern::letters);
        return out;
    }();
    return all;
}

/// The arguments of a text of this pattern, by their numbers.
std::optional<std::array<std::string_view, 9>> argumentsIn(std::string_view text, const Pattern& pattern) {
    if (!text.starts_with(pattern.words.front()) || !text.ends_with(pattern.words.back())) return {};
    std::array<std::string_view, 9> arguments{};
    std::size_t begin = pattern.words.front().size();
    for (std::size_t i = 0; i < pattern.places.size(); ++i) {
        const std::string_view next = pattern.words[i + 1];
        const bool isLast = i + 1 == pattern.places.size();
        const std::size_t end = isLast ? text.size() - next.size() : text.find(next, begin + 1);
        if (end == std::string_view::npos || end <= begin || end > text.size()) return {};
        const std::string_view argument = text.substr(begin, end - begin);
        std::string_view& known = arguments[pattern.places[i]];
        if (!known.empty() && known != argument) return {};
        known = argument;
        begin = end + next.size();
    }
    return arguments;
}

std::optional<std::string> recognised(std::string_view text, int depth);

std::string inKorean(std::string_view text, int depth) {
    return recognised(text, depth).value_or(std::string(text));
}

/// A sentence and the following text: "A. B.", where the catalogue may have the first with or without its full stop.
std::optional<std::string> twoSentences(std::string_view text, int depth) {
    for (std::size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1))
        if (const auto first = recognised(text.substr(0, at + 1), depth))
            return *first + " " + inKorean(text.substr(at + 2), depth);
        else if (const auto clause = recognised(text.substr(0, at), depth))
            return *clause + ". " + inKorean(text.substr(at + 2), depth);
    return {};
}

std::optional<std::string> recognised(std::string_view text, int depth) {
    if (const std::string_view korean = koreanOf(text); korean != text) return std::string(korean);
    if (depth > kDeepest) return {};
    for (const Pattern& pattern : patterns()) {
        const auto arguments = argumentsIn(text, pattern);
        if (!arguments) continue;
        std::string out;
        for (std::size_t at = 0; at < pattern.korean.size(); ++at)
            if (const auto place = placeAt(pattern.korean, at)) {
                out += inKorean((*arguments)[*place], depth + 1);
                ++at;
            } else {
                out += pattern.korean[at];
            }
        return out;
    }
    return twoSentences(text, depth + 1);
}

}  // namespace

std::string recordedText(std::string_view english, Language language) {
    return language == Language::Korean ? inKorean(english, 0) : std::string(english);
}

}  // namespace slipway
