// Collects the values of one log into steps, by the alias table. Private to this room.
#pragma once

#include "core/interop/log_reader.h"

#include <limits>

namespace slipway::interop {

/// A number as a log writes it: "7,000", "1.2E-06", "40.1%", "1.02K" (with `suffixes`), "nan"; text behind the number
/// that is a unit is passed over. Empty when it begins with no number.
std::optional<double> logNumber(std::string_view text, bool suffixes = false);
std::string_view trimmed(std::string_view text);

class LogBuilder {
public:
    /// Steps that are kept back for a sink, so that a step that comes again soon keeps its last value.
    static constexpr std::size_t kWindow = 4096;

    /// @param sink takes each step once more than kWindow steps are kept; without one all are kept for takeSteps
    explicit LogBuilder(std::string format, StepSink sink = {})
        : m_format(std::move(format)), m_sink(std::move(sink)) {}

    /// What the derived figures of steps follow from; before the first add() where there is a sink.
    void setBasis(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize);

    /// One value of a step; unknown names are kept in snake_case.
    void add(std::int64_t step, std::string_view raw, double value);
    void time(std::int64_t step, std::int64_t unixMilliseconds);
    void malformed(const std::string& reason) { ++m_malformed[reason]; }
    /// Steps of one run, derived figures added: step_seconds from throughput where only that is logged, running tokens.
    std::vector<MetricStep> takeSteps(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize);
    /// Gives the sink the steps that were kept back.
    void flush();
    [[nodiscard]] bool empty() const { return m_steps.empty() && !m_lastGiven; }
    void finish(Log& log);

private:
    using Values = std::map<std::string, double>;
    struct Name {
        NameUse use;
        double smallest = -std::numeric_limits<double>::infinity();  ///< in our unit, that a run can measure
        double largest = std::numeric_limits<double>::infinity();
    };
    Name* nameOf(std::string_view raw);
    [[nodiscard]] MetricStep finished(std::int64_t number, Values values) const;
    void giveFirst();

    std::string m_format;
    StepSink m_sink;
    double m_tokensPerStep = 0, m_sequencesPerStep = 0, m_ranks = 0;
    std::optional<std::int64_t> m_lastGiven;
    int m_restarts = 0;
    std::map<std::int64_t, Values> m_steps;
    std::map<std::int64_t, std::int64_t> m_times;
    std::map<std::string, Name, std::less<>> m_names;
    std::map<std::string, std::int64_t> m_malformed;
};

/// One JSON-free reader per kind of file; each returns its runs or "bad_log".
Result<Log> readTable(std::string_view bytes, const std::string& name, const std::string& format,
                      const std::optional<RunConfig>& config);
Result<Log> readEvents(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);

}  // namespace slipway::interop
