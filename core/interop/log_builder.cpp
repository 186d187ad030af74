#include "core/interop/log_builder.h"

#include "core/spec/plausible.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace slipway::interop {
namespace {

std::string snake(std::string_view raw) {
    std::string name;
    for (const char c : raw) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (letter)
            name += c;
        else if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c - 'A' + 'a');
        else if (c == '/')
            name += '/';
        else if (!name.empty() && name.back() != '_')
            name += '_';
        if (name.size() >= 80) break;
    }
    while (!name.empty() && (name.back() == '_' || name.back() == '/')) name.pop_back();
    return name.empty() ? "unnamed" : name;
}

constexpr std::int64_t kLargestStep = 1000000000000;
constexpr std::size_t kMostNames = 10000;
constexpr int kMostRestarts = 1000;

}  // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<double> logNumber(std::string_view text, bool suffixes) {
    text = trimmed(text);
    if (text.starts_with('[')) text.remove_prefix(1);  // DeepSpeed's lr=[0.0001]
    if (text.starts_with('+')) text.remove_prefix(1);
    std::string digits;
    for (const char c : text.substr(0, 64))
        if (c != ',')
            digits += c;  // 7,000
        else if (digits.find('.') != std::string::npos)
            break;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
        value = digits.starts_with('-') ? -std::numeric_limits<double>::infinity()
                                        : std::numeric_limits<double>::infinity();
    else if (error != std::errc{})
        return {};
    // "inf" and "nan" are values, "information" is not.
    if (!std::isfinite(value) && end < digits.data() + digits.size() && std::isalpha(static_cast<unsigned char>(*end)))
        return {};
    if (suffixes && end < digits.data() + digits.size()) {
        static constexpr std::string_view kLetters = "KMGBT";
        static constexpr double kFactors[] = {1e3, 1e6, 1e9, 1e9, 1e12};
        const std::size_t at = kLetters.find(*end);
        if (at != std::string_view::npos) value *= kFactors[at];
    }
    return value;
}

NameUse useOf(std::string_view format, std::string_view raw) {
    const Alias* alias = findAlias(format, raw);
    return {std::string(raw), alias != nullptr ? std::string(alias->metric) : snake(raw),
            alias != nullptr ? alias->factor : 1, alias != nullptr, 0};
}

void LogBuilder::add(std::int64_t step, std::string_view raw, double value) {
    if (step < 0 || step > kLargestStep) return malformed("step number outside 0 to 10^12"_text);
    auto found = m_names.find(raw);
    if (found == m_names.end()) {
        if (m_names.size() == kMostNames) return malformed("value beyond the first 10,000 names"_text);
        NameUse use = useOf(m_format, raw);
        found = m_names.emplace(use.raw, std::move(use)).first;
    }
    NameUse& use = found->second;
    if (use.metric.empty()) return;
    value *= use.factor;
    if (const SourceText why = impossibleValue(use.metric, value); !why.empty()) return malformed(why(use.metric));
    ++use.points;
    const bool isBehind = m_lastGiven && step <= *m_lastGiven;
    if (!isBehind && !m_behind.empty()) {
        malformed("steps far behind the last one"_text);
        m_behind.clear();
    }
    auto& steps = isBehind ? m_behind : m_steps;
    if (steps[step].insert_or_assign(use.metric, value).second && !isBehind) ++m_keptValues;
    if (m_behind.size() > kRestartSteps) restart();
    while (m_sink && (m_steps.size() > kKeptSteps || m_keptValues > kKeptValues)) giveFirst();
}

void LogBuilder::time(std::int64_t step, std::int64_t unixMilliseconds) {
    m_times[step] = unixMilliseconds;
}

void LogBuilder::setBasis(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize) {
    m_tokensPerStep = config ? static_cast<double>(config->tokensPerStep()) : 0;
    m_sequencesPerStep = config ? static_cast<double>(config->train.globalBatchSize) : 0;
    m_ranks = worldSize ? static_cast<double>(*worldSize)
              : config  ? static_cast<double>(config->parallel.worldSize())
                        : 0;
}

MetricStep LogBuilder::finished(std::int64_t number, Values values) const {
    MetricStep step;
    step.step = number;
    if (const auto at = m_times.find(number); at != m_times.end()) step.timeUnixMilliseconds = at->second;
    const auto tokens = values.find("tokens");
    const double seen = tokens != values.end() ? tokens->second : static_cast<double>(number) * m_tokensPerStep;
    if (std::isfinite(seen) && seen >= 0 && seen < 9e18) step.tokens = static_cast<std::int64_t>(seen);
    if (tokens != values.end()) values.erase(tokens);
    // Where a log has only throughput: seconds = amount per step / rate.
    const auto from = [&](const char* rate, double amount) {
        const auto found = values.find(rate);
        if (values.contains("step_seconds") || found == values.end() || !(found->second > 0) || !(amount > 0)) return;
        values["step_seconds"] = amount / found->second;
    };
    from("steps_per_second", 1);
    from("tokens_per_second", m_tokensPerStep);
    from("tokens_per_second_per_device", m_ranks > 0 ? m_tokensPerStep / m_ranks : 0);
    from("sequences_per_second", m_sequencesPerStep);
    for (auto& [name, value] : values) step.values.emplace_back(name, value);
    return step;
}

std::vector<MetricStep> LogBuilder::takeSteps(const std::optional<RunConfig>& config,
                                              std::optional<std::int64_t> worldSize) {
    setBasis(config, worldSize);
    std::vector<MetricStep> steps;
    for (auto& [number, values] : m_steps) steps.push_back(finished(number, std::move(values)));
    m_steps.clear();
    m_times.clear();
    return steps;
}

void LogBuilder::giveFirst() {
    const auto first = m_steps.begin();
    m_keptValues -= first->second.size();
    m_lastGiven = first->first;
    ++m_numGiven;
    m_sink(finished(first->first, std::move(first->second)));
    m_times.erase(first->first);
    m_steps.erase(first);
}

void LogBuilder::giveAll() {
    while (!m_steps.empty()) giveFirst();
}

/// The run was restarted from a checkpoint: the later values are valid from here on.
void LogBuilder::restart() {
    auto restarted = std::exchange(m_behind, {});
    if (++m_restarts > kMostRestarts) return malformed("steps far behind the last one, after 1,000 restarts"_text);
    giveAll();
    m_lastGiven.reset();
    for (const auto& [step, values] : restarted) m_keptValues += values.size();
    m_steps = std::move(restarted);
}

std::int64_t LogBuilder::flush() {
    giveAll();
    if (!m_behind.empty()) restart();
    giveAll();
    return m_numGiven;
}

void LogBuilder::finish(Log& log) {
    for (const auto& [reason, met] : m_malformed) {
        ReasonCount& all = log.malformed[reason];
        all.reason = met.reason;
        all.count += met.count;
    }
    for (const auto& [raw, use] : m_names) log.names.push_back(use);
}

}  // namespace slipway::interop
