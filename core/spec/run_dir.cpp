#include "core/spec/run_dir.h"

#include "core/base/hash.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace slipway {
namespace {

constexpr std::array<const char*, 7> kStatusWords = {"planned", "queued",    "running", "completed",
                                                     "failed",  "cancelled", "lost"};

std::string numbered(const char* format, std::int64_t number) {
    char text[64];
    std::snprintf(text, sizeof text, format, static_cast<long long>(number));
    return text;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// SQLite's WAL needs all processes on one host, so the index is never placed on these (statfs(2) magic numbers).
bool onNetworkFileSystem(const std::filesystem::path& path) {
    std::filesystem::path existing = path;
    std::error_code hidden;  // a folder without read permission
    while (!existing.empty() && !std::filesystem::exists(existing, hidden) && existing.has_parent_path() &&
           existing != existing.parent_path())
        existing = existing.parent_path();
    struct statfs info {};
    if (::statfs(existing.c_str(), &info) != 0) return false;
    constexpr std::array<unsigned long, 6> network = {0x6969 /* NFS */,      0xFF534D42 /* CIFS */,
                                                      0xFE534D42 /* SMB2 */, 0x0BD00BD0 /* Lustre */,
                                                      0x00C36400 /* Ceph */, 0x47504653 /* GPFS */};
    const auto type = static_cast<unsigned long>(info.f_type) & 0xFFFFFFFFUL;
    for (const unsigned long magic : network)
        if (type == magic) return true;
    return false;
}

/// A home of another user, or on a read-only mount: its readers keep their own index.
bool isReadOnly(const std::filesystem::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_EACCESS) == 0 &&
           ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

std::string wordOf(RunStatus status) {
    return kStatusWords[static_cast<std::size_t>(status)];
}

std::optional<RunStatus> runStatusFrom(const std::string& word) {
    for (std::size_t i = 0; i < kStatusWords.size(); ++i)
        if (word == kStatusWords[i]) return static_cast<RunStatus>(i);
    return {};
}

bool isFinal(RunStatus status) {
    return status == RunStatus::Completed || status == RunStatus::Failed || status == RunStatus::Cancelled ||
           status == RunStatus::Lost;
}

std::filesystem::path RunDir::rankStream(std::int64_t rank) const {
    return path / "ranks" / numbered("rank_%05lld.jsonl", rank);
}

std::filesystem::path RunDir::rankLog(std::int64_t rank) const {
    return path / "logs" / numbered("rank_%05lld.log", rank);
}

std::filesystem::path RunDir::rankError(const std::string& node, std::int64_t rank) const {
    return agentFolder(node) / numbered("error_%05lld.json", rank);
}

std::filesystem::path RunDir::checkpoint(std::int64_t step) const {
    return checkpoints() / numbered("step_%08lld", step);
}

Home Home::resolve(const std::string& given) {
    std::string folder = given;
    if (folder.empty()) folder = environment("SLIPWAY_HOME");
    if (folder.empty()) {
        std::string data = environment("XDG_DATA_HOME");
        if (data.empty()) data = environment("HOME") + "/.local/share";
        folder = data + "/slipway";
    }
    return Home{std::filesystem::absolute(folder)};
}

std::filesystem::path Home::index() const {
    if (!onNetworkFileSystem(path) && !isReadOnly(path)) return path / "index.sqlite";
    std::string cache = environment("XDG_CACHE_HOME");
    if (cache.empty()) cache = environment("HOME") + "/.cache";
    // One index per home: the hash of the path separates two homes.
    return std::filesystem::path(cache) / "slipway" / ("index-" + hashText(path.string()) + ".sqlite");
}

Result<RunDir> Home::run(const RunId& id) const {
    if (!isSafeId(id.value)) return fail("bad_id", "\"%1\" is not a run id."_text(id.value), "run");
    return RunDir{runs() / id.value};
}

Result<std::filesystem::path> Home::sweep(const SweepId& id) const {
    if (!isSafeId(id.value)) return fail("bad_id", "\"%1\" is not a sweep id."_text(id.value), "sweep");
    return sweeps() / id.value;
}

std::filesystem::path Home::tokenFile(const std::string& tokens) const {
    const std::filesystem::path given(tokens);
    return given.is_absolute() ? given : corpora() / given;
}

}  // namespace slipway
