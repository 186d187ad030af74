// A line of a rank's log, with the level derived from its words.
#pragma once

#include <QString>
#include <cstdint>

namespace slipway::gui {

enum class LogLevel { Info, Warning, Error };

struct LogLine {
    std::int64_t rank = 0;
    QString text;
    LogLevel level = LogLevel::Info;
};

/// The level of a line by its words: "error" and "fatal", then "warn".
LogLevel levelOf(const QString& line);

}  // namespace slipway::gui
