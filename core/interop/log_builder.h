// Collects the values of one log into steps, by the alias table. Private to this room.
#pragma once

#include "core/interop/log_reader.h"

namespace slipway::interop {

/// A number as a log writes it: "7,000", "1.2E-06", "40.1%", "1.02K" (with `suffixes`), "nan"; a unit after the number
/// is ignored. Empty when it does not begin with a number.
std::optional<double> logNumber(std::string_view text, bool suffixes = false);
std::string_view trimmed(std::string_view text);
/// The metric for a raw name in a log of this format: its alias, else the name in snake_case.
NameUse useOf(std::string_view format, std::string_view raw);

class LogBuilder {
public:
    /// Buffer before a sink, so that a step repeated soon keeps its last value.
    static constexpr std::size_t kKeptSteps = 4096, kKeptValues = 1U << 17;
    /// This many steps behind the sink's last ones mean a restart; fewer are dropped and counted.
    static constexpr std::size_t kRestartSteps = 16;

    /// @param sink takes the first step once the buffer is full; without one all are kept for takeSteps
    explicit LogBuilder(std::string format, StepSink sink = {})
        : m_format(std::move(format)), m_sink(std::move(sink)) {}

    /// Inputs of the derived figures; to be set before the first add() where there is a sink.
    void setBasis(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize);

    /// One value of a step; unknown names are kept in snake_case.
    void add(std::int64_t step, std::string_view raw, double value);
    void time(std::int64_t step, std::int64_t unixMilliseconds);
    void malformed(const Message& reason) { countReason(m_malformed, reason); }
    /// Steps of one run, derived figures added: step_seconds from throughput where only that is logged, running tokens.
    std::vector<MetricStep> takeSteps(const std::optional<RunConfig>& config, std::optional<std::int64_t> worldSize);
    /// Empties the buffer into the sink. @return total number of steps it took
    std::int64_t flush();
    [[nodiscard]] bool empty() const { return m_steps.empty() && m_numGiven == 0; }
    void finish(Log& log);

private:
    using Values = std::map<std::string, double>;
    [[nodiscard]] MetricStep finished(std::int64_t number, Values values) const;
    void giveFirst();
    void giveAll();
    void restart();

    std::string m_format;
    StepSink m_sink;
    double m_tokensPerStep = 0, m_sequencesPerStep = 0, m_ranks = 0;
    std::optional<std::int64_t> m_lastGiven;
    std::int64_t m_numGiven = 0;
    int m_restarts = 0;
    std::size_t m_keptValues = 0;
    std::map<std::int64_t, Values> m_steps;
    std::map<std::int64_t, Values> m_behind;  ///< at or below the sink's last step
    std::map<std::int64_t, std::int64_t> m_times;
    std::map<std::string, NameUse, std::less<>> m_names;
    ReasonCounts m_malformed;
};

/// Reads the lines of one format, one by one, into a builder.
class LineReader {
public:
    virtual ~LineReader() = default;
    /// @return whether the line gave values. A line longer than 1 MiB is cut one byte after it.
    virtual bool line(std::string_view text) = 0;
    /// After the last line: fills in the run from the log. @param isConfigGiven the run's config is known from elsewhere
    virtual void describe(LogRun& run, bool isConfigGiven) const = 0;
};
constexpr std::size_t kLongestLine = 1U << 20;

/// The reader of a format that LineLog reads. @param tokensPerStep of a run whose lines give tokens and no step; 0: not known
std::unique_ptr<LineReader> makeLineReader(const std::string& format, LogBuilder& builder, double tokensPerStep = 0);
std::unique_ptr<LineReader> makeConsoleReader(const std::string& format, LogBuilder& builder);
std::unique_ptr<LineReader> makePrintsReader(LogBuilder& builder, double tokensPerStep);
std::unique_ptr<LineReader> makeHuggingFaceReader(LogBuilder& builder);
/// "bad_pattern". @param pattern as LogReading::pattern
Result<std::unique_ptr<LineReader>> makePatternReader(const std::string& pattern, LogBuilder& builder);

/// One JSON-free reader per kind of file; each returns its runs or "bad_log".
Result<Log> readTable(std::string_view bytes, const std::string& name, const std::string& format,
                      const std::optional<RunConfig>& config);
Result<Log> readEvents(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);
Result<Log> readStepTable(std::string_view bytes, const std::string& name, const std::optional<RunConfig>& config);

/// One of the first lines has a loss at a step or a number of tokens.
bool looksPrinted(std::string_view bytes);
/// A line has the form of Hugging Face's Trainer.
bool looksLikeHuggingFace(std::string_view bytes);
/// A CSV's first line has a column of steps.
bool looksLikeStepTable(std::string_view head);

}  // namespace slipway::interop
