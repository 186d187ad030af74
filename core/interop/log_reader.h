// Console logs and result files of other trainers as runs with our metric names and units.
//   auto log = readLog(bytes, "train.log");   log->runs[0].steps;  log->malformed;  log->names
// Known: Megatron-LM, GPT-NeoX, DeepSpeed, torchtitan, nanotron (console and benchmark CSV), llm-foundry (console and
// results CSV), Hugging Face's Trainer (console), TensorBoard event files, any CSV with a column of steps, lines that scripts print
// ("Step 100, Loss: 7.9"). The table of names is kAliases in log_aliases.cpp.
#pragma once

#include "core/base/reason_counts.h"
#include "core/interop/translation.h"
#include "core/spec/metric_line.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::interop {

/// Import of one name of a log.
struct NameUse {
    std::string raw;     ///< as in the log
    std::string metric;  ///< ours; the raw name in snake_case where there is no alias
    double factor = 1;   ///< raw value times factor = value in our unit
    bool known = false;  ///< the alias table has it
    std::int64_t points = 0;
};

struct LogRun {
    std::string name;
    RunConfig config;
    bool configKnown = false;  ///< the log itself contains the shape (Megatron's arguments, nanotron's CSV)
    /// Fields or sections of `config` that the source supplies; absent: all of it where configKnown, else none.
    std::optional<std::vector<std::string>> given{};
    std::optional<std::int64_t> worldSize;
    std::vector<MetricStep> steps;  ///< ascending; a step that was logged twice keeps its last value
    std::int64_t numStreamed = 0;   ///< steps that a StepSink took instead
    Remarks remarks;

    [[nodiscard]] std::int64_t numSteps() const { return numStreamed + static_cast<std::int64_t>(steps.size()); }
};

struct Log {
    std::string format;
    std::vector<LogRun> runs;  ///< one of a console log, one per row of a CSV
    std::int64_t lines = 0;    ///< lines or records read
    std::int64_t used = 0;     ///< of which had values
    ReasonCounts malformed;    ///< excludes unrelated lines
    std::vector<NameUse> names;
};

/// One entry of the alias table.
struct Alias {
    std::string_view format;  ///< a log format's id; "" in all
    std::string_view raw;
    std::string_view metric;  ///< "" : known, not a metric (a step number, a total)
    double factor = 1;
};
/// The entry for a name, the format's own before the general one; null when there is none.
const Alias* findAlias(std::string_view format, std::string_view raw);
/// Every entry, for documentation and tests.
const std::vector<Alias>& aliases();

/// Ids of all formats, separated by commas.
std::string logFormats();

/// One of logFormats(); empty when unknown.
std::string guessLogFormat(std::string_view bytes);

/// @param format an id, or empty to guess. @param config known config of the run; it determines the tokens per step
/// "usage" for an unknown format, "bad_log" when none of it can be read.
Result<Log> readLog(std::string_view bytes, const std::string& name, const std::string& format = {},
                    const std::optional<RunConfig>& config = {});

/// A CSV with renamed columns: "step=iter" renames the column `iter`, or all columns "RUN - iter", to `step`; "=noise"
/// omits `noise`. "usage" also for a name given to two columns, "unknown_column", "csv_syntax".
Result<std::string> renamedColumns(std::string_view bytes, const std::vector<std::string>& columns);

/// Imported names of a CSV's columns under `columns`, from its first two lines: the metric is "step" for the step column and empty for an
/// omitted one. Errors as in renamedColumns(); "csv_syntax" also for text that is not a table of figures.
Result<std::vector<NameUse>> columnUses(std::string_view bytes, const std::vector<std::string>& columns);

/// Takes the steps of a log one by one, ascending; a step at or below the last one restarts the series there, like a
/// run restarted from a checkpoint.
using StepSink = std::function<void(const MetricStep&)>;

/// A log of lines (consoles and prints), piece by piece. With a sink memory does not grow with the log.
///   LineLog log("megatron", "train.log", config, {}, sink);   while (...) log.feed(piece);   log.finish();
class LineLog {
public:
    /// True for formats that are read line by line.
    static bool reads(const std::string& format);

    /// @param config, worldSize known facts of the run; they determine the tokens per step
    LineLog(const std::string& format, std::string name, std::optional<RunConfig> config,
            std::optional<std::int64_t> worldSize = {}, StepSink sink = {});
    LineLog(const LineLog&) = delete;
    LineLog& operator=(const LineLog&) = delete;
    ~LineLog();

    void feed(std::string_view piece);
    /// One run, with its steps unless a sink took them. "bad_log" when no line reports a step.
    Result<Log> finish();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace slipway::interop
