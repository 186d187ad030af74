// Collects the values of one log into steps, by the alias table. Private to this room.
#pragma once

#include "core/interop/log_reader.h"

namespace slipway::interop {

/// A number as a log writes it: "7,000", "1.2E-06", "40.1%", "1.02K" (with `suffixes`), "nan"; text behind the number
/// that is a unit is passed over. Empty when it begins with no number.
std::optional<double> logNumber(std::string_view text, bool suffixes = false);
std::string_view trimmed(std::string_view text);

class LogBuilder {
public:
    explicit LogBuilder(std::string format) : m_format(std::move(format)) {}

    /// One value of a step; unknown names are kept in snake_case.
    void add(std::int64_t step, std::string_view raw, double value);
    void time(std::int64_t step, std::int64_t unixMilliseconds);
    void malformed(const std::string& reason) { ++m_malformed[reason]; }
    /// Steps of one run, derived figures added: step_seconds from throughput where only that is logged, running tokens.
    std::vector<MetricStep> takeSteps(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize);
    [[nodiscard]] bool empty() const { return m_steps.empty(); }
    void finish(Log& log);

private:
    std::string m_format;
    std::map<std::int64_t, std::map<std::string, double>> m_steps;
    std::map<std::int64_t, std::int64_t> m_times;
    std::map<std::string, NameUse> m_names;
    std::map<std::string, std::int64_t> m_malformed;
};

/// One JSON-free reader per kind of log; each returns its runs or "bad_log".
Result<Log> readConsole(std::string_view bytes, const std::string& name, const std::string& format,
                        const std::optional<RunConfig>& config);
Result<Log> readTable(std::string_view bytes, const std::string& name, const std::string& format,
                      const std::optional<RunConfig>& config);
Result<Log> readEvents(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);
Result<Log> readPrints(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);
Result<Log> readStepTable(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);

/// A line among the first gives a loss at a step or a number of tokens.
bool looksPrinted(std::string_view bytes);
/// A CSV's first line has a column of steps.
bool looksLikeStepTable(std::string_view head);

}  // namespace slipway::interop
