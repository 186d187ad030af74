// Lines printed by training scripts: "Step 100, Loss: 7.93", "Step 10: loss=7.93, lr=1.5e-06", "Tokens: 0.02B, Loss:
// 8.2, PPL: 3668", "SPIKE detected: current=7.2, mean=2.3", "iter 10: loss 9.3, time 361.0ms, mfu 36.1%", and a JSON object
// on each line: {"step": 1, "loss": 3.2}.
#include "core/interop/log_builder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace slipway::interop {
namespace {

constexpr std::size_t kLongestRecord = 4096;  // longer records do not occur

struct PrintedLine {
    std::optional<std::int64_t> step;
    std::vector<std::pair<std::string, double>> figures;
    bool isSpike = false;
};

bool isWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string lowerCase(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

constexpr std::array<std::string_view, 4> kStepWords = {"step", "iter", "iteration", "global_step"};

bool isStepWord(std::string_view word) {
    return std::find(kStepWords.begin(), kStepWords.end(), word) != kStepWords.end();
}

/// The number after the first "step", "iteration", ... of the line, and its end.
std::optional<std::pair<std::int64_t, std::size_t>> stepIn(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (!isWordCharacter(line[at]) || (at > 0 && isWordCharacter(line[at - 1]))) continue;
        std::size_t end = at;
        while (end < line.size() && isWordCharacter(line[end])) ++end;
        const bool isStep = isStepWord(lowerCase(line.substr(at, end - at)));
        at = end;
        if (!isStep) continue;
        while (end < line.size() && std::string_view(" :=#\"'").find(line[end]) != std::string_view::npos) ++end;
        std::int64_t step = 0;
        const std::size_t digits = std::min<std::size_t>(line.size(), end + 12);
        const auto [last, error] = std::from_chars(line.data() + end, line.data() + digits, step);
        if (error == std::errc{} && step >= 0) return std::pair{step, static_cast<std::size_t>(last - line.data())};
    }
    return {};
}

/// A duration or a share, by the unit behind its number: the name that has the unit's factor, "time (ms)".
std::string nameWithUnit(std::string_view name, std::string_view number) {
    const std::string lower = lowerCase(name);
    const std::size_t end = number.find_first_not_of("+-.,0123456789e");
    const std::string_view unit = end == std::string_view::npos ? std::string_view() : trimmed(number.substr(end));
    const auto isUnit = [&](std::string_view word) {
        return unit.starts_with(word) && (unit.size() == word.size() || !isWordCharacter(unit[word.size()]));
    };
    const bool isTime = lower == "time" || lower == "dt" || lower == "step time" || lower == "step_time" ||
                        lower == "iter time" || lower == "iter_time";
    if (isTime && isUnit("ms")) return "time (ms)";
    if (isTime && isUnit("s")) return "time (s)";
    if (lower == "mfu" && unit.starts_with("%")) return "mfu (%)";
    return {};
}

/// Calls body(name, value) for each "name value" without a sign between them, of the names that training scripts print: other
/// numbers in a sentence are no figures.
template <class Body>
void eachBareFigure(std::string_view line, const Body& body) {
    static constexpr std::array<std::string_view, 17> kNames = {
        "loss",      "train loss", "train_loss", "training loss", "val loss", "val_loss",  "validation loss",
        "eval loss", "eval_loss",  "grad norm",  "learning rate", "lr",       "grad_norm", "norm",
        "ppl",       "perplexity", "tok/sec"};
    for (std::size_t at = 1; at < line.size(); ++at) {
        if (line[at - 1] != ' ' || std::string_view("+-.0123456789ni").find(line[at]) == std::string_view::npos)
            continue;
        std::size_t end = at;
        while (end > 0 && line[end - 1] == ' ') --end;
        std::size_t begin = end;
        while (begin > 0 && (isWordCharacter(line[begin - 1]) || line[begin - 1] == '/' || line[begin - 1] == ' '))
            --begin;
        const std::string_view number = line.substr(at);
        const auto value = logNumber(number, /*suffixes=*/true);
        if (!value) continue;
        // "of the train loss": the longest name that the words end with.
        for (std::string_view words = trimmed(line.substr(begin, end - begin)); !words.empty();) {
            const std::string lower = lowerCase(words);
            if (const std::string unit = nameWithUnit(words, number); !unit.empty()) {
                body(unit, *value);
                break;
            }
            if (std::find(kNames.begin(), kNames.end(), lower) != kNames.end()) {
                body(lower, *value);
                break;
            }
            const std::size_t space = words.find(' ');
            words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
        }
    }
}

/// Calls body(name, value) for each "name: value" and "name=value".
template <class Body>
void eachFigure(std::string_view line, const Body& body) {
    std::size_t before = 0;  // a name does not extend back beyond the previous value
    for (std::size_t mark = line.find_first_of(":="); mark != std::string_view::npos;
         mark = line.find_first_of(":=", mark + 1)) {
        std::size_t begin = mark;
        if (begin > before && (line[begin - 1] == '"' || line[begin - 1] == '\'')) --begin;  // {"loss": 3.2}
        const std::size_t nameEnd = begin;
        while (begin > before && (isWordCharacter(line[begin - 1]) || line[begin - 1] == '/' || line[begin - 1] == ' '))
            --begin;
        std::string_view name = line.substr(begin, nameEnd - begin);
        while (!name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) == 0) name.remove_prefix(1);
        name = trimmed(name);
        before = mark + 1;
        const auto value = logNumber(line.substr(mark + 1), /*suffixes=*/true);
        if (name.empty() || name.size() > 60 || !value || isStepWord(lowerCase(name))) continue;
        const std::string unit = nameWithUnit(name, trimmed(line.substr(mark + 1)));
        body(unit.empty() ? name : std::string_view(unit), *value);
        before = std::min(line.find_first_not_of(" ", mark + 1), line.size());
        while (before < line.size() && (isWordCharacter(line[before]) || line[before] == '.' || line[before] == '-' ||
                                        line[before] == '+' || line[before] == '%'))
            ++before;
    }
}

/// Figures of one line; empty when it is not a record: neither step nor tokens, or nothing else.
std::optional<PrintedLine> readLine(std::string_view line) {
    if (line.size() > kLongestRecord) return {};
    PrintedLine read;
    read.isSpike = line.find("SPIKE detected") != std::string_view::npos;
    if (const auto step = stepIn(line)) {
        read.step = step->first;
        if (!trimmed(line).starts_with('{')) line.remove_prefix(step->second);
    }
    bool hasTokens = false;
    const auto take = [&](std::string_view name, double value) {
        const Alias* alias = findAlias("prints", name);
        hasTokens = hasTokens || (alias != nullptr && alias->metric == "tokens");
        if (name != "mfu (%)" || value >= 0) read.figures.emplace_back(name, value);  // nanoGPT's -100 %: not known yet
    };
    eachFigure(line, take);
    if (read.step) eachBareFigure(line, take);
    if (read.figures.empty() || !(read.step || hasTokens || read.isSpike)) return {};
    return read;
}

bool hasLoss(const PrintedLine& line) {
    for (const auto& [name, value] : line.figures)
        if (const Alias* alias = findAlias("prints", name); alias != nullptr && alias->metric == "loss") return true;
    return line.isSpike;
}

/// Calls body(line) for each line.
template <class Body>
void eachLine(std::string_view bytes, const Body& body) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        body(bytes.substr(0, end));
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end + 1);
    }
}

class Prints : public LineReader {
public:
    Prints(LogBuilder& builder, double tokensPerStep) : m_builder(builder), m_tokensPerStep(tokensPerStep) {}

    bool line(std::string_view text) override {
        const auto read = readLine(text);
        if (!read) return false;
        if (!read->isSpike) {
            ++m_records;
            m_step = read->step ? *read->step : stepOf(*read);
            m_lossAtStep = false;
        }
        for (const auto& [figure, value] : read->figures) {
            m_builder.add(m_step, read->isSpike ? "spike " + figure : figure, value);
            const Alias* alias = findAlias("prints", figure);
            m_lossAtStep = m_lossAtStep || (alias != nullptr && alias->metric == "loss");
            // The spike is the loss of a step without another one.
            if (read->isSpike && figure == "current" && !m_lossAtStep) m_builder.add(m_step, "loss", value);
        }
        return true;
    }

    void describe(LogRun& run, bool) const override {
        if (m_counted > 0)
            run.remarks.push_back(
                {RemarkKind::Approximated, "step", std::to_string(m_counted),
                 "These lines have no step and are numbered from 1; give the tokens of a step with --config."_text});
    }

private:
    /// Only tokens: with known tokens per step they determine its number.
    std::int64_t stepOf(const PrintedLine& line) {
        double tokens = 0;
        for (const auto& [figure, value] : line.figures)
            if (const Alias* alias = findAlias("prints", figure); alias != nullptr && alias->metric == "tokens")
                tokens = value;
        if (m_tokensPerStep <= 0) ++m_counted;
        return m_tokensPerStep > 0 && tokens < 1e18 ? std::llround(tokens / m_tokensPerStep) : m_records;
    }

    LogBuilder& m_builder;
    double m_tokensPerStep;
    std::int64_t m_records = 0, m_step = 0, m_counted = 0;
    bool m_lossAtStep = false;
};

}  // namespace

bool looksPrinted(std::string_view bytes) {
    constexpr int kLines = 1000;
    bool found = false;
    int lines = 0;
    eachLine(bytes.substr(0, 1U << 20), [&](std::string_view text) {
        if (found || ++lines > kLines) return;
        const auto line = readLine(text);
        found = line && hasLoss(*line);
    });
    return found;
}

std::unique_ptr<LineReader> makePrintsReader(LogBuilder& builder, double tokensPerStep) {
    return std::make_unique<Prints>(builder, tokensPerStep);
}

}  // namespace slipway::interop
