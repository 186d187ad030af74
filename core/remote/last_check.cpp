#include "core/remote/last_check.h"

#include "core/base/file_mode.h"
#include "core/base/ids.h"
#include "core/base/own_file.h"

#include <nlohmann/json.hpp>

#include <system_error>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

fs::path fileOf(const Home& home, const std::string& node) {
    return home.path / "nodes" / "checks" / (node + ".json");
}

}  // namespace

Json toJson(const NodeFacts& facts) {
    Json interfaces = Json::array();
    for (const NodeFacts::Interface& one : facts.interfaces)
        interfaces.push_back(Json{{"name", one.name}, {"address", one.address}, {"loopback", one.loopback}});
    return Json{{"host", facts.host},
                {"boot_id", facts.bootId},
                {"cpu", facts.cpu},
                {"cpus", facts.cpus},
                {"memory_bytes", facts.memoryBytes},
                {"free_disk_bytes", facts.freeDiskBytes},
                {"gpus", facts.gpus},
                {"home", facts.home},
                {"trainer", facts.trainer},
                {"agent_version", facts.version},
                {"interfaces", std::move(interfaces)}};
}

Json toJson(const NodeCheck& check, const std::string& node) {
    Json steps = Json::array();
    for (const NodeStep& step : check.steps())
        steps.push_back(Json{{"step", step.key},
                             {"state", wordOf(step.state)},
                             {"code", step.code.empty() ? Json(nullptr) : Json(step.code)},
                             {"text", textOf(step.text)}});
    return Json{{"node", node},
                {"passed", check.passed()},
                {"host_key", check.hostKey().empty() ? Json(nullptr) : Json(check.hostKey())},
                {"steps", std::move(steps)},
                {"facts", toJson(check.facts())}};
}

Result<void> writeLastCheck(const Home& home, const std::string& node, Json check, std::int64_t unixMilliseconds) {
    const fs::path path = fileOf(home, node);
    if (auto made = makePrivateFolder(path.parent_path()); !made) return made;
    check["time_unix_ms"] = unixMilliseconds;
    return writeJsonFile(path, check);
}

std::optional<LastCheck> lastCheck(const Home& home, const std::string& node) {
    if (!isSafeId(node)) return {};
    auto json = readOwnJson(fileOf(home, node));
    if (!json || !json->is_object()) return {};
    LastCheck last;
    try {
        last.passed = json->at("passed").get<bool>();
        last.unixMilliseconds = json->at("time_unix_ms").get<std::int64_t>();
        for (const Json& step : json->at("steps"))
            if (last.problem.empty() && step.at("state") == wordOf(NodeStep::State::Failed))
                last.problem = step.at("text").get<std::string>();
    } catch (const nlohmann::json::exception&) {
        return {};
    }
    last.document = dumpJson(*json, false);
    return last;
}

void removeLastCheck(const Home& home, const std::string& node) {
    std::error_code code;
    if (isSafeId(node)) fs::remove(fileOf(home, node), code);
}

}  // namespace slipway
