#include "core/run/audit_log.h"

#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/file_mode.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"
#include "core/process/host_identity.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostArguments = 64, kLongestArgument = 1000;
constexpr std::size_t kTailBytes = 256U << 10;  // above the longest line
constexpr const char* kNoLine = "";

fs::path auditFile(const Home& home) {
    return home.path / "audit.jsonl";
}

bool namesSecret(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    constexpr std::array<std::string_view, 7> kWords = {"KEY",        "TOKEN", "SECRET", "PASSW",
                                                        "CREDENTIAL", "AUTH",  "BEARER"};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string userName() {
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    return found == nullptr ? std::to_string(::geteuid()) : found->pw_name;
}

/// The last complete line of a text; kNoLine when it has none.
std::string lastLineOf(std::string_view text) {
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos) return kNoLine;
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return std::string(text.substr(begin, end - begin));
}

}  // namespace

std::vector<std::string> withoutSecrets(const std::vector<std::string>& arguments) {
    std::vector<std::string> out;
    bool isNext = false;
    for (const std::string& argument : arguments) {
        if (out.size() >= kMostArguments) {
            out.emplace_back("...");
            break;
        }
        const std::size_t equals = argument.find('=');
        const bool isOption = argument.starts_with('-');
        if (isNext && !isOption)
            out.emplace_back("***");
        else if (equals != std::string::npos && namesSecret(argument.substr(0, equals)))
            out.push_back(argument.substr(0, equals) + "=***");
        else
            out.push_back(argument.substr(0, kLongestArgument));
        isNext = isOption && equals == std::string::npos && namesSecret(argument);
    }
    return out;
}

Json auditOfSetup(const NodeRecord& node, const std::string& problem) {
    return Json{{"action", problem.empty() ? "setup" : "setup_failed"},
                {"node", node.name},
                {"host", node.host},
                {"code", problem}};
}

Json auditOf(const std::string& action, const LaunchPlan& plan) {
    Json nodes = Json::array();
    for (const NodePlan& node : plan.nodes) nodes.push_back(Json{{"node", node.node}, {"ranks", node.ranks.size()}});
    Json entry{{"action", action},          {"run", plan.runId},       {"attempt", plan.attempt},
               {"launcher", plan.launcher}, {"version", plan.version}, {"nodes", std::move(nodes)}};
    if (!plan.job.empty()) entry["job"] = plan.job;
    if (!plan.nodes.empty() && !plan.nodes.front().ranks.empty())
        entry["arguments"] = withoutSecrets(plan.nodes.front().ranks.front().arguments);
    return entry;
}

Result<void> appendAudit(const Home& home, Json entry, std::int64_t now) {
    const fs::path path = auditFile(home);
    if (auto made = makeFolders(home.path); !made) return made;
    // One program at a time: each line depends on the previous one.
    const fs::path lockPath = home.path / "audit.lock";
    const FileDescriptor lock(openInFolder(lockPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC));
    if (lock.number < 0 || ::flock(lock.number, LOCK_EX) != 0)
        return fail("file_unwritable", "The record of started processes cannot be written."_text, lockPath.string());
    auto file = AppendFile::open(path);  // without a partial line from a crash
    if (!file) return fail(file.error());
    std::error_code code;
    const auto size = fs::file_size(path, code);
    const auto tail = readOwnFile(path, code || size < kTailBytes ? 0 : size - kTailBytes);
    if (!tail) return fail(tail.error());
    entry["time_unix_ms"] = now;
    entry["user"] = userName();
    entry["computer"] = thisHost().host;
    entry["previous"] = sha256Of(lastLineOf(*tail));
    return file->append(dumpJson(entry, false) + "\n");
}

Result<AuditLog> readAudit(const Home& home) {
    AuditLog log;
    const auto text = readOwnFile(auditFile(home));
    if (!text && text.error().code == "file_missing") return log;
    if (!text) return fail(text.error());
    std::string previous = kNoLine;
    std::size_t number = 0;
    for (std::size_t from = 0, to = 0; (to = text->find('\n', from)) != std::string::npos; from = to + 1) {
        const std::string line = text->substr(from, to - from);
        auto json = parseJson(line, "audit.jsonl");
        ++number;
        const bool follows =
            json && json->is_object() && json->contains("previous") && (*json)["previous"] == sha256Of(previous);
        if (!follows && !log.firstBrokenLine) log.firstBrokenLine = number;
        if (json && json->is_object()) log.entries.push_back(std::move(*json));
        previous = line;
    }
    return log;
}

}  // namespace slipway
