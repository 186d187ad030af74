#include "app/agent/agent_log.h"

#include <cstdio>
#include <ctime>

namespace slipway {

void agentLog(const std::string& line) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    std::fprintf(stderr, "%s %s\n", stamp, line.c_str());
}

}  // namespace slipway
