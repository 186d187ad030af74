#include "core/base/ids.h"

#include <cstdio>
#include <ctime>

namespace slipway {

std::string makeId(std::int64_t unixMilliseconds, std::uint32_t entropy) {
    const std::time_t seconds = static_cast<std::time_t>(unixMilliseconds / 1000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &utc);
    char text[64];
    std::snprintf(text, sizeof text, "%s%03d-%08x", stamp, static_cast<int>(unixMilliseconds % 1000), entropy);
    return text;
}

bool isSafeId(const std::string& text) {
    if (text.empty() || text.size() > 80 || text.front() == '.') return false;
    for (const char c : text) {
        const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                        c == '_' || c == '-';
        if (!ok) return false;
    }
    return true;
}

}  // namespace slipway
