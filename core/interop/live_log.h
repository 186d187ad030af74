// A growing log: complete lines in, their steps out immediately. When a later line adds values to a step, the step is
// emitted again, with the new values.
//   auto log = LiveLog::make({.format = "megatron"});   for (const MetricStep& step : log->feed(lines)) ...
#pragma once

#include "core/interop/log_reader.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::interop {

/// Reading options of a log.
struct LogReading {
    /// An id of liveFormats(), "auto" to detect it from the first lines, "none" to read nothing.
    std::string format = "auto";
    /// With the format "pattern": an ECMAScript expression with a named group for each figure, "step (?<step>\\d+) loss (?<loss>\\S+)".
    /// Without the group `step` the lines that match are numbered.
    std::string pattern;
    /// Columns of a CSV under other names: "step=iter". Other columns keep their names.
    std::vector<std::string> columns;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("format"), s.format);
        v(field("pattern"), s.pattern);
        v(field("columns"), s.columns);
    }
};

/// Ids of the formats that can be read live, separated by commas.
std::string liveFormats();

class LiveLog {
public:
    /// @param head the beginning of a file, for take(): of a CSV the first line gives the columns, and "auto" looks at
    /// it "usage" for an unknown format, "bad_pattern" for an invalid expression.
    static Result<LiveLog> make(const LogReading& reading, std::string_view head = {});
    LiveLog(LiveLog&&) noexcept;
    LiveLog& operator=(LiveLog&&) noexcept;
    ~LiveLog();

    /// @param lines complete lines; the last may lack its newline at the end of the log. @return steps in ascending order
    std::vector<MetricStep> feed(std::string_view lines);
    struct Taken {
        std::vector<MetricStep> steps;
        std::size_t bytes = 0;  ///< of complete lines or records
    };
    /// The same for bytes of a file from `offset`, which may also be a CSV with a step column or a TensorBoard event file.
    Taken take(std::string_view bytes, std::uint64_t offset, bool isOver);
    /// The format in use; empty while "auto" has not detected one.
    [[nodiscard]] const std::string& format() const;
    /// Reasons and counts of rejected values.
    [[nodiscard]] ReasonCounts malformed() const;

private:
    struct Impl;
    explicit LiveLog(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway::interop
