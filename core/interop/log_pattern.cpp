// Lines by a pattern of the user's, "step=(?<step>\d+).*loss=(?<loss>\S+)", and the lines of Hugging Face's Trainer.
#include "core/interop/log_builder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>

namespace slipway::interop {
namespace {

constexpr std::size_t kLongestMatched = 4096;  // the matcher's stack grows with the line
constexpr std::size_t kLongestPattern = 1000;

std::string_view lastPart(std::string_view line) {
    // A progress bar redraws its line: the text after the last carriage return is visible.
    while (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t at = line.rfind('\r');
    return at == std::string_view::npos ? line : line.substr(at + 1);
}

class Pattern : public LineReader {
public:
    Pattern(std::regex expression, std::vector<std::string> names, LogBuilder& builder)
        : m_expression(std::move(expression)), m_names(std::move(names)), m_builder(builder) {}

    bool line(std::string_view text) override {
        text = lastPart(text);
        if (text.size() > kLongestMatched) return false;
        std::match_results<std::string_view::const_iterator> match;
        try {
            if (!std::regex_search(text.begin(), text.end(), match, m_expression)) return false;
        } catch (const std::regex_error&) {
            m_builder.malformed("line on which the pattern takes too long"_text);
            return false;
        }
        std::int64_t step = m_step + 1;
        std::vector<std::pair<std::string_view, double>> figures;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            if (m_names[i].empty() || !match[i + 1].matched) continue;
            const std::string said = match[i + 1].str();
            const auto value = logNumber(said, /*suffixes=*/true);
            if (!value) {
                m_builder.malformed("value that is not a number"_text);
            } else if (m_names[i] != "step") {
                figures.emplace_back(m_names[i], *value);
            } else if (*value >= 0 && *value <= 1e12) {
                step = static_cast<std::int64_t>(*value);
            } else {
                m_builder.malformed("no step number"_text);
                return false;
            }
        }
        if (figures.empty()) return false;
        m_step = step;
        for (const auto& [name, value] : figures) m_builder.add(step, name, value);
        return true;
    }

    void describe(LogRun&, bool) const override {}

private:
    std::regex m_expression;
    std::vector<std::string> m_names;  // of the groups; empty: unnamed
    LogBuilder& m_builder;
    std::int64_t m_step = 0;
};

/// std::regex does not support group names: they are removed and stored in the order of the groups.
struct NamedGroups {
    std::string expression;
    std::vector<std::string> names;
};

NamedGroups namedGroups(std::string_view pattern) {
    NamedGroups out;
    bool isInClass = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        out.expression += c;
        if (c == '\\' && i + 1 < pattern.size()) {
            out.expression += pattern[++i];
        } else if (c == '[') {
            isInClass = true;
        } else if (c == ']') {
            isInClass = false;
        } else if (c == '(' && !isInClass) {
            std::size_t begin = i + 1;
            if (pattern.substr(begin).starts_with("?P<"))
                begin += 3;
            else if (pattern.substr(begin).starts_with("?<"))
                begin += 2;
            const std::size_t end = pattern.find('>', begin);
            if (begin > i + 1 && end != std::string_view::npos) {
                out.names.emplace_back(pattern.substr(begin, end - begin));
                i = end;
            } else if (!pattern.substr(i + 1).starts_with('?')) {
                out.names.emplace_back();
            }
        }
    }
    return out;
}

/// "{'loss': 2.31, 'grad_norm': 0.9, 'learning_rate': 5e-05, 'epoch': 0.1}"; the progress bar "| 10/300 [" has the step.
class HuggingFace : public LineReader {
public:
    explicit HuggingFace(LogBuilder& builder) : m_builder(builder) {}

    bool line(std::string_view text) override {
        if (text.size() > kLongestLine) {
            m_builder.malformed("line longer than 1 MiB"_text);
            return false;
        }
        for (std::size_t bar = text.find("| "); bar != std::string_view::npos; bar = text.find("| ", bar + 2))
            readBar(text.substr(bar + 2));
        text = trimmed(lastPart(text));
        const std::size_t open = text.find("{'");
        if (open == std::string_view::npos || !text.ends_with('}')) return false;
        text = text.substr(open + 1, text.size() - open - 2);
        std::vector<std::pair<std::string, double>> figures;
        while (!text.empty()) {
            const std::size_t end = text.find(", '");
            const std::string_view pair = text.substr(0, end);
            const std::size_t colon = pair.find("': ");
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
            if (colon == std::string_view::npos || pair.empty() || pair[0] != '\'') continue;
            std::string_view value = pair.substr(colon + 3);
            if (value.starts_with('\'') && value.size() > 1) value = value.substr(1, value.size() - 2);
            if (const auto number = logNumber(value)) figures.emplace_back(pair.substr(1, colon - 1), *number);
        }
        const auto has = [&](std::string_view name) {
            return std::any_of(figures.begin(), figures.end(), [&](const auto& f) { return f.first == name; });
        };
        if (!has("epoch") || figures.size() < 2 || has("train_runtime")) return false;  // the last one is the summary
        // Without a bar the records are numbered; an evaluation belongs to the record before it.
        if (!m_hasBar && has("loss")) ++m_step;
        for (const auto& [name, value] : figures) m_builder.add(std::max<std::int64_t>(1, m_step), name, value);
        return true;
    }

    void describe(LogRun& run, bool) const override {
        if (!m_hasBar)
            run.remarks.push_back({RemarkKind::Approximated, "step", std::to_string(m_step),
                                   "These lines have no step and no progress bar; they are numbered from 1."_text});
    }

private:
    // "10/300 [00:05<02:10,  2.2it/s]"; an evaluation has its own bar with a different total.
    void readBar(std::string_view text) {
        std::int64_t done = 0, all = 0;
        const char* end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, done);
        if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return;
        const auto second = std::from_chars(first.ptr + 1, end, all);
        if (second.ec != std::errc{} || second.ptr == end || *second.ptr != ' ' || done < 0 || done > all) return;
        if (m_hasBar && all != m_total) return;
        m_hasBar = true;
        m_total = all;
        m_step = done;
    }

    LogBuilder& m_builder;
    std::int64_t m_step = 0, m_total = 0;
    bool m_hasBar = false;
};

}  // namespace

std::unique_ptr<LineReader> makeHuggingFaceReader(LogBuilder& builder) {
    return std::make_unique<HuggingFace>(builder);
}

Result<std::unique_ptr<LineReader>> makePatternReader(const std::string& pattern, LogBuilder& builder) {
    if (pattern.size() > kLongestPattern)
        return fail("bad_pattern",
                    "The pattern has %1 characters; shorten it to %2."_text(pattern.size(), kLongestPattern),
                    "--pattern");
    NamedGroups groups = namedGroups(pattern);
    if (std::none_of(groups.names.begin(), groups.names.end(),
                     [](const std::string& name) { return !name.empty() && name != "step"; }))
        return fail(
            "bad_pattern",
            "The pattern has no named group for a figure; write one as in step=(?<step>\\d+).*loss=(?<loss>\\S+)."_text,
            "--pattern");
    try {
        return std::make_unique<Pattern>(std::regex(groups.expression, std::regex::ECMAScript | std::regex::optimize),
                                         std::move(groups.names), builder);
    } catch (const std::regex_error& error) {
        return fail("bad_pattern", "The pattern is not a valid regular expression: %1."_text(error.what()),
                    "--pattern");
    }
}

bool looksLikeHuggingFace(std::string_view bytes) {
    const std::size_t at = bytes.find("{'loss': ");
    return at != std::string_view::npos && bytes.substr(at, 2000).find("'epoch': ") != std::string_view::npos;
}

}  // namespace slipway::interop
