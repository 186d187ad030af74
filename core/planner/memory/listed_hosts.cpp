#include "core/planner/memory/listed_hosts.h"

#include "core/base/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace slipway {

// Made at build time from resources/ (packaging/cmake/EmbedText.cmake).
std::vector<std::string> embeddedHostFiles();

namespace {

/// The files are part of the program: a mistake in them is a programming error, caught by tests.
std::vector<ListedHost> loadHosts() {
    std::vector<ListedHost> hosts;
    for (const std::string& text : embeddedHostFiles()) {
        const auto json = parseJson(text, "resources");
        if (!json) {
            std::fprintf(stderr, "%s\n", json.error().text().c_str());
            std::abort();
        }
        for (const Json& e : *json)
            hosts.push_back({e["device"].get<std::string>(), e["system"].get<std::string>(), e["bytes"].get<double>(),
                             e["source"].get<std::string>(), e["date"].get<std::string>()});
    }
    return hosts;
}

}  // namespace

const std::vector<ListedHost>& listedHosts() {
    static const std::vector<ListedHost> hosts = loadHosts();
    return hosts;
}

const ListedHost* listedHost(std::string_view device) {
    const auto found = std::find_if(listedHosts().begin(), listedHosts().end(),
                                    [&](const ListedHost& h) { return h.device == device; });
    return found == listedHosts().end() ? nullptr : &*found;
}

}  // namespace slipway
