#include "app/gui/values/log_line.h"

namespace slipway::gui {

LogLevel levelOf(const QString& line) {
    if (line.contains(QLatin1String("error"), Qt::CaseInsensitive) ||
        line.contains(QLatin1String("fatal"), Qt::CaseInsensitive))
        return LogLevel::Error;
    return line.contains(QLatin1String("warn"), Qt::CaseInsensitive) ? LogLevel::Warning : LogLevel::Info;
}

}  // namespace slipway::gui
