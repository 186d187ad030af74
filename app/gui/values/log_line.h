// A line of a rank's log as the window shows it.
#pragma once

#include "core/run/log_search.h"

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace slipway::gui {

struct LogLine {
    std::int64_t rank = 0;
    QString text;
    LogLevel level = LogLevel::Info;
    std::optional<std::int64_t> unixMilliseconds;  ///< empty where nobody noted it
};

/// By time where every line has one, else rank by rank.
std::vector<LogLine> logLines(const std::vector<LogEntry>& entries);

}  // namespace slipway::gui
