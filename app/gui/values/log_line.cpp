#include "app/gui/values/log_line.h"

#include "app/gui/text/format.h"

#include <algorithm>

namespace slipway::gui {

std::vector<LogLine> logLines(const std::vector<LogEntry>& entries) {
    std::vector<LogLine> out;
    out.reserve(entries.size());
    for (const LogEntry& entry : entries)
        out.push_back({entry.rank, qs(entry.text), entry.level, entry.unixMilliseconds});
    const bool allTimed =
        std::all_of(out.begin(), out.end(), [](const LogLine& line) { return line.unixMilliseconds.has_value(); });
    // Lines of one rank keep their order: their times have the grain of the notes.
    if (allTimed)
        std::stable_sort(out.begin(), out.end(),
                         [](const LogLine& a, const LogLine& b) { return *a.unixMilliseconds < *b.unixMilliseconds; });
    return out;
}

}  // namespace slipway::gui
