// A log that still grows: whole lines in, the steps that they give out at once. It does not know what a later line adds to a step:
// then the step comes again, with the new values.
//   auto log = LiveLog::make({.format = "megatron"});   for (const MetricStep& step : log->feed(lines)) ...
#pragma once

#include "core/interop/log_reader.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::interop {

/// How the lines of a log are read.
struct LogReading {
    /// An id of liveFormats(), "auto" for what the first lines look like, "none" for not at all.
    std::string format = "auto";
    /// With the format "pattern": an ECMAScript expression with a named group for each figure, "step (?<step>\\d+) loss (?<loss>\\S+)".
    /// Without the group `step` the lines that match are numbered.
    std::string pattern;
    /// Columns of a CSV under other names: "step=iter". What is not named stays.
    std::vector<std::string> columns;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("format"), s.format);
        v(field("pattern"), s.pattern);
        v(field("columns"), s.columns);
    }
};

/// Ids of the formats that are read while they grow, separated by commas.
std::string liveFormats();

class LiveLog {
public:
    /// @param head the beginning of a file, for take(): of a CSV the first line gives the columns, and "auto" looks at it
    /// "usage" for an unknown format, "bad_pattern" for an expression that cannot be used.
    static Result<LiveLog> make(const LogReading& reading, std::string_view head = {});
    LiveLog(LiveLog&&) noexcept;
    LiveLog& operator=(LiveLog&&) noexcept;
    ~LiveLog();

    /// @param lines whole ones; the last may lack its newline once nothing more comes. @return steps in ascending order
    std::vector<MetricStep> feed(std::string_view lines);
    struct Taken {
        std::vector<MetricStep> steps;
        std::size_t bytes = 0;  ///< of whole lines or records
    };
    /// The same for bytes of a file from `offset` on, which may be a CSV with a column of steps or a TensorBoard event file, too.
    Taken take(std::string_view bytes, std::uint64_t offset, bool isOver);
    /// The format in use; empty while "auto" has not recognised one.
    [[nodiscard]] const std::string& format() const;
    /// Reason and how often, of values that were not taken.
    [[nodiscard]] ReasonCounts malformed() const;

private:
    struct Impl;
    explicit LiveLog(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway::interop
