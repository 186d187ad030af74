#include "core/interop/log_builder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

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

LogBuilder::Name* LogBuilder::nameOf(std::string_view raw) {
    if (const auto known = m_names.find(raw); known != m_names.end()) return &known->second;
    if (m_names.size() == kMostNames) return nullptr;
    Name& name = m_names[std::string(raw)];
    NameUse& use = name.use;
    const Alias* alias = findAlias(m_format, raw);
    use.raw = raw;
    use.known = alias != nullptr;
    use.metric = alias != nullptr ? std::string(alias->metric) : snake(raw);
    use.factor = alias != nullptr ? alias->factor : 1;
    const std::string_view metric = use.metric;
    if (metric.ends_with("_seconds") || metric.ends_with("_bytes") ||
        metric.find("_per_second") != std::string_view::npos)
        name.smallest = 0;
    if (metric == "reported_mfu" || metric == "reported_hfu") {
        name.smallest = 0;
        name.largest = 1;
    }
    return &name;
}

void LogBuilder::add(std::int64_t step, std::string_view raw, double value) {
    if (step < 0 || step > kLargestStep) return malformed("a step number outside 0 to 10^12");
    Name* name = nameOf(raw);
    if (name == nullptr) return malformed("a value beyond the first 10,000 names");
    NameUse& use = name->use;
    if (use.metric.empty()) return;
    value *= use.factor;
    if (value < name->smallest) return malformed(use.metric + " is negative");
    if (value > name->largest) return malformed(use.metric + " is above 100 %");
    ++use.points;
    m_steps[step][use.metric] = value;
    if (m_sink && m_steps.size() > kWindow) giveFirst();
}

void LogBuilder::time(std::int64_t step, std::int64_t unixMilliseconds) {
    m_times[step] = unixMilliseconds;
}

void LogBuilder::setBasis(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize) {
    if (!config) return;
    m_tokensPerStep = static_cast<double>(config->tokensPerStep());
    m_sequencesPerStep = static_cast<double>(config->train.globalBatchSize);
    m_ranks = static_cast<double>(worldSize.value_or(config->parallel.worldSize()));
}

MetricStep LogBuilder::finished(std::int64_t number, Values values) const {
    MetricStep step;
    step.step = number;
    if (const auto at = m_times.find(number); at != m_times.end()) step.timeUnixMilliseconds = at->second;
    const auto tokens = values.find("tokens");
    const double seen = tokens != values.end() ? tokens->second : static_cast<double>(number) * m_tokensPerStep;
    if (std::isfinite(seen) && seen >= 0 && seen < 9e18) step.tokens = static_cast<std::int64_t>(seen);
    if (tokens != values.end()) values.erase(tokens);
    // Where a log has only throughput: seconds = what a step holds / rate.
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
    auto first = m_steps.extract(m_steps.begin());
    if (m_lastGiven && first.key() <= *m_lastGiven && ++m_restarts > kMostRestarts)
        return malformed("a step far behind the last one, after 1,000 restarts");
    m_lastGiven = first.key();
    m_sink(finished(first.key(), std::move(first.mapped())));
}

void LogBuilder::flush() {
    while (!m_steps.empty()) giveFirst();
}

void LogBuilder::finish(Log& log) {
    for (const auto& [reason, count] : m_malformed) log.malformed[reason] += count;
    for (const auto& [raw, name] : m_names) log.names.push_back(name.use);
}

}  // namespace slipway::interop
