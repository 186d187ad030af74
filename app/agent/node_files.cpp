#include "app/agent/node_files.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/file_mode.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"
#include "core/remote/agent_presence.h"
#include "core/spec/agent_files.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

bool isHash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<std::string> hashOfFile(const fs::path& path) {
    constexpr std::size_t kPiece = 4U << 20;
    Sha256 hash;
    for (std::uint64_t at = 0;;) {
        const auto piece = readOwnFile(path, at, kPiece);
        if (!piece) return fail(piece.error());
        hash.add(*piece);
        at += piece->size();
        if (piece->size() < kPiece) return hash.hex();
    }
}

tl::unexpected<Error> writeError(const fs::path& path) {
    const int number = errno;
    return fail(number == ENOSPC || number == EDQUOT ? "disk_full" : "file_unwritable",
                std::string("The file cannot be written: ") + std::strerror(number) + ".", path.string());
}

}  // namespace

Result<NodeFiles> NodeFiles::open(const std::string& home) {
    NodeFiles files;
    if (home.empty()) {
        const char* own = std::getenv("HOME");
        if (own == nullptr || *own != '/') return fail("bad_path", "The account has no home folder."_text, "HOME");
        files.m_home = fs::path(own) / ".local" / "share" / "slipway-node";
    } else {
        files.m_home = fs::path(home).lexically_normal();
    }
    if (!files.m_home.is_absolute())
        return fail("bad_path", "The folder of a node must be an absolute path."_text, home);
    if (const auto made = makePrivateFolder(files.m_home); !made) return fail(made.error());
    // Files from other users would be read as the run's, and started as its trainer.
    struct stat info {};
    if (::stat(files.m_home.c_str(), &info) != 0 || (info.st_mode & S_IWOTH) != 0)
        return fail("unsafe_folder", "Every user may write to the folder of runs: chmod o-w, or choose another one.",
                    files.m_home.string());
    return files;
}

Result<fs::path> NodeFiles::below(const std::string& relative) const {
    const auto refuse = [&] { return fail("bad_path", "The path must be below the home of the node."_text, relative); };
    if (relative.empty() || relative.size() > 1000 || relative.find('\0') != std::string::npos ||
        relative.front() == '/' || relative.find("//") != std::string::npos)
        return refuse();
    fs::path path = m_home;
    std::error_code code;
    for (const fs::path& part : fs::path(relative)) {
        if (!isSafeId(part.string())) return refuse();
        path /= part;
        if (fs::is_symlink(path, code)) return refuse();
    }
    return path;
}

Result<fs::path> NodeFiles::contentOf(const std::string& sha256) const {
    if (!isHash(sha256)) return fail("bad_path", "The name of a content must be its SHA-256."_text, sha256);
    return m_home / "content" / sha256;
}

Result<std::uint64_t> NodeFiles::have(const std::string& sha256, std::uint64_t bytes) const {
    const auto path = contentOf(sha256);
    if (!path) return fail(path.error());
    std::error_code code;
    if (const auto size = fs::file_size(*path, code); !code && size == bytes) return bytes;
    const auto size = fs::file_size(fs::path(*path) += ".part", code);
    return code || size >= bytes ? 0 : size;
}

Result<std::uint64_t> NodeFiles::put(const std::string& sha256, std::uint64_t bytes, std::uint64_t offset,
                                     std::string_view piece) {
    const auto path = contentOf(sha256);
    if (!path) return fail(path.error());
    if (const auto made = makePrivateFolder(path->parent_path()); !made) return fail(made.error());
    // Other connections may send the same content: one writes, and the others wait until it is complete.
    const fs::path lockPath = fs::path(*path) += ".lock";
    const FileDescriptor lock(::open(lockPath.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (lock.number < 0 || ::flock(lock.number, LOCK_EX) != 0) return writeError(lockPath);
    const auto here = have(sha256, bytes);
    std::error_code code;
    if (!here || (*here == bytes && bytes > 0)) {
        if (here) fs::remove(lockPath, code);
        return here;
    }
    if (offset != *here || piece.size() > bytes - offset)
        return fail("wrong_offset", "The piece does not begin where the last one ended."_text, sha256);
    const fs::path part = fs::path(*path) += ".part";
    {
        const FileDescriptor file(
            ::open(part.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (offset == 0 ? O_TRUNC : 0), 0600));
        if (file.number < 0) return writeError(part);
        for (std::size_t done = 0; done < piece.size();) {
            const ssize_t n =
                ::pwrite(file.number, piece.data() + done, piece.size() - done, static_cast<off_t>(offset + done));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return writeError(part);
            done += static_cast<std::size_t>(n);
        }
        if (offset + piece.size() < bytes) return offset + piece.size();
        if (::fsync(file.number) != 0) return writeError(part);
    }
    const auto hash = hashOfFile(part);
    if (!hash || *hash != sha256) {
        fs::remove(part, code);
        return fail("bad_checksum",
                    "The received data do not have the checksum of the sent data; they are sent again."_text, sha256);
    }
    if (::rename(part.c_str(), path->c_str()) != 0) return writeError(*path);
    flushFolder(path->parent_path());
    fs::remove(lockPath, code);
    return bytes;
}

Result<void> NodeFiles::place(const std::string& sha256, const std::string& relative, bool execute, bool isOwn) {
    const auto content = contentOf(sha256);
    if (!content) return fail(content.error());
    const auto path = below(relative);
    if (!path) return fail(path.error());
    std::error_code code;
    if (isOwn && !fs::exists(*content, code) && hashOfFile(*path).value_or("") == sha256)
        return {};  // the answer to the first request was lost
    if (!fs::is_regular_file(*content, code))
        return fail("file_missing", "The agent does not have this content."_text, sha256);
    if (const auto made = makePrivateFolder(path->parent_path()); !made) return made;
    const fs::path aside = fs::path(*path) += ".new";
    fs::remove(aside, code);
    if (execute) ::chmod(content->c_str(), 0700);
    if (isOwn) {
        if (::rename(content->c_str(), path->c_str()) != 0) return writeError(*path);
        flushFolder(path->parent_path());
        return {};
    }
    // One content under several names takes up space once; a file system without links gets a copy.
    fs::create_hard_link(*content, aside, code);
    if (code && !fs::copy_file(*content, aside, code)) {
        errno = code.value();
        return writeError(aside);
    }
    if (::rename(aside.c_str(), path->c_str()) != 0) return writeError(*path);
    fs::remove(aside, code);  // rename() leaves it if both are the same file
    flushFolder(path->parent_path());
    return {};
}

Result<void> NodeFiles::setAside(const std::string& run, const std::string& node, std::int64_t attempt) const {
    const RunDir folder{m_home / "runs" / run};
    std::error_code code;
    if (!isSafeId(node) || !fs::exists(folder.path, code)) return {};
    const auto text = readOwnFile(folder.launch());
    const auto plan = text ? parseLaunchPlan(*text, "launch.json") : Result<LaunchPlan>(fail(text.error()));
    if (plan && plan->attempt > attempt) return {};
    const auto presence = agentPresence(folder, node, attempt, static_cast<double>(unixMillisecondsNow()) / 1000);
    if (presence != AgentPresence::Gone && presence != AgentPresence::NotStarted)
        return fail("still_running", "Ranks of the attempt are still alive.", run);
    const fs::path aside = m_home / "lost";
    if (auto made = makePrivateFolder(aside); !made) return made;
    constexpr int kMost = 1000;
    for (int number = 1; number < kMost; ++number) {
        const fs::path path = aside / (run + "." + std::to_string(attempt) + "." + std::to_string(number));
        if (fs::exists(path, code)) continue;
        fs::rename(folder.path, path, code);
        break;
    }
    if (code) return fail("file_unwritable", "The folder of the run cannot be set aside: " + code.message() + ".", run);
    return {};
}

std::vector<NodeFiles::File> NodeFiles::checkpointsOf(const std::string& run) const {
    constexpr std::size_t kMost = 8000;  // limit of a frame
    std::vector<File> files;
    const auto root = below("runs/" + run);
    if (!root) return files;
    std::error_code code;
    if (fs::is_symlink(*root / "checkpoints", code)) return files;
    for (const auto& step : fs::directory_iterator(*root / "checkpoints", code)) {
        if (!step.path().filename().string().starts_with("step_") || step.is_symlink()) continue;
        for (const auto& entry : fs::directory_iterator(step.path(), code)) {
            if (entry.is_symlink() || !entry.is_regular_file() || files.size() >= kMost) continue;
            const auto bytes = entry.file_size(code);
            if (!code) files.push_back({entry.path().lexically_relative(*root).string(), bytes, 0});
        }
    }
    return files;
}

std::vector<NodeFiles::File> NodeFiles::filesOf(const std::string& run, const std::string& node) const {
    constexpr std::size_t kMost = 4000;
    std::vector<File> files;
    const auto root = below("runs/" + run);
    if (!root) return files;
    std::error_code code;
    const auto add = [&](const fs::path& path) {
        const auto bytes = fs::file_size(path, code);
        if (code || files.size() >= kMost || !below(path.lexically_relative(m_home).string())) return;
        files.push_back({path.lexically_relative(*root).string(), bytes, fileStamp(path)});
    };
    const auto addAll = [&](const fs::path& folder, std::string_view ending) {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder, code))
            if (entry.path().filename().string().ends_with(ending)) found.push_back(entry.path());
        std::sort(found.begin(), found.end());
        for (const fs::path& path : found) add(path);
    };
    const fs::path own = *root / "agent" / node;
    addAll(own, ".json");
    add(own / "agent.log");
    add(*root / "environment.json");
    add(*root / "metrics.jsonl");
    addAll(*root / "ranks", ".jsonl");
    addAll(*root / "logs", ".log");
    addAll(*root / "logs", ".times");
    return files;
}

std::string NodeFiles::digestOf(const std::string& run, const std::vector<File>& files) const {
    std::string known;
    for (const File& file : files) {
        if (file.path.ends_with("/heartbeat.json")) {
            const auto text = readOwnFile(m_home / "runs" / run / file.path);
            const auto beat = text ? parseAgentHeartbeat(*text, file.path) : Result<AgentHeartbeat>(fail(text.error()));
            const Json json = beat ? toJson(*beat) : Json::object();
            known += dumpJson(Json{json.value("ranks", Json()), json.value("note", Json())}, false);
        } else {
            known += file.path + " " + std::to_string(file.bytes) + " " + std::to_string(file.stamp) + "\n";
        }
    }
    return hashText(known);
}

}  // namespace slipway
