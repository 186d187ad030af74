#include "core/store/home_backup.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/process/file_lock.h"
#include "core/store/database.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr const char* kListFile = "backup.json";
constexpr const char* kIndexFile = "index.sqlite";
constexpr const char* kHomeFolder = "home";
constexpr const char* kExtraFolder = "extra";
constexpr std::size_t kCopyPiece = 4U << 20;
/// What a backup has of a home, beside the index.
constexpr std::array<std::string_view, 8> kBackedUp{"alerts.json", "boards",   "devices.json", "machine.json",
                                                    "nodes",       "playbook", "sweep-files",  "views"};

struct BackupFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::string sha256;
};

tl::unexpected<Error> unwritable(const fs::path& path, int number) {
    return fail(number == ENOSPC ? "disk_full" : "file_unwritable",
                "The file cannot be written: %1."_text(std::string(std::strerror(number))), path.string());
}

/// Copies and digests at once; only the digest where `to` is empty.
Result<BackupFile> copyFile(const fs::path& from, const fs::path& to, const std::string& name) {
    BackupFile out{name, 0, {}};
    Sha256 digest;
    std::ofstream file;
    if (!to.empty()) {
        if (auto made = makeFolders(to.parent_path()); !made) return fail(made.error());
        file.open(to, std::ios::binary | std::ios::trunc);
    }
    while (true) {
        const auto piece = readOwnFile(from, out.bytes, kCopyPiece);
        if (!piece) return fail(piece.error());
        if (piece->empty()) break;
        digest.add(*piece);
        out.bytes += piece->size();
        if (to.empty()) continue;
        errno = 0;
        if (!file.write(piece->data(), static_cast<std::streamsize>(piece->size()))) return unwritable(to, errno);
    }
    if (!to.empty()) {
        errno = 0;
        file.close();
        if (!file) return unwritable(to, errno);
    }
    out.sha256 = digest.hex();
    return out;
}

/// Regular files at or below the path, relative to `base`; links are skipped.
std::vector<std::string> filesBelow(const fs::path& base, std::string_view entry) {
    std::vector<std::string> out;
    std::error_code code;
    const fs::path path = base / entry;
    if (fs::is_regular_file(fs::symlink_status(path, code))) out.emplace_back(entry);
    if (!fs::is_directory(fs::symlink_status(path, code))) return out;
    for (fs::recursive_directory_iterator it(path, code), end; !code && it != end; it.increment(code))
        if (fs::is_regular_file(it->symlink_status(code)))
            out.push_back(it->path().lexically_relative(base).generic_string());
    std::sort(out.begin(), out.end());
    return out;
}

Result<void> copyIndex(const fs::path& index, const fs::path& to) {
    auto db = store::Database::open(index, OpenMode::ReadOnly);
    if (!db) return fail(db.error());
    return store::guarded(*db, [&]() -> Result<void> {
        std::string quoted;
        for (const char c : to.string()) quoted += c == '\'' ? std::string("''") : std::string(1, c);
        db->execute("VACUUM INTO '" + quoted + "'");
        return {};
    });
}

tl::unexpected<Error> noBackup(const fs::path& folder) {
    return fail("not_a_backup", "This folder is not a backup of Slipway: it has no valid backup.json."_text,
                folder.string());
}

/// A path below the home that backups have: no list leads anywhere else.
bool isBackedUp(const std::string& path) {
    const fs::path relative(path);
    if (relative.is_absolute() || relative.lexically_normal() != relative) return false;
    if (std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; })) return false;
    if (path == kIndexFile) return true;
    auto part = relative.begin();
    const fs::path top = *part;
    if (std::next(part) == relative.end()) return false;
    if (top == kExtraFolder) return true;
    return top == kHomeFolder && std::find(kBackedUp.begin(), kBackedUp.end(), (++part)->string()) != kBackedUp.end();
}

Result<std::vector<BackupFile>> readList(const fs::path& folder) {
    const auto json = readOwnJson(folder / kListFile);
    if (!json || !json->is_object() || !json->contains("files") || !(*json)["files"].is_array())
        return noBackup(folder);
    std::vector<BackupFile> files;
    for (const Json& row : (*json)["files"]) {
        if (!row.is_object() || !row.contains("path") || !row["path"].is_string() || !row.contains("bytes") ||
            !row["bytes"].is_number_unsigned() || !row.contains("sha256") || !row["sha256"].is_string())
            return noBackup(folder);
        files.push_back(
            {row["path"].get<std::string>(), row["bytes"].get<std::uint64_t>(), row["sha256"].get<std::string>()});
        if (!isBackedUp(files.back().path)) return noBackup(folder);
    }
    return files;
}

/// Moves a file or folder; across file systems too.
Result<void> moveTo(const fs::path& from, const fs::path& to) {
    if (auto made = makeFolders(to.parent_path()); !made) return made;
    std::error_code code;
    fs::rename(from, to, code);
    if (code == std::errc::cross_device_link) {
        fs::copy(from, to, fs::copy_options::recursive, code);
        if (!code) fs::remove_all(from, code);
    }
    if (code) return unwritable(to, code.value());
    return {};
}

}  // namespace

Result<BackupReport> backUpHome(const Home& home, const fs::path& folder, std::int64_t now,
                                const std::vector<std::pair<std::string, fs::path>>& extra) {
    std::error_code code;
    if (fs::exists(folder, code) && !fs::is_empty(folder, code))
        return fail("folder_not_empty", "The folder for the backup is not empty; name a new one."_text,
                    folder.string());
    if (auto made = makeFolders(folder); !made) return fail(made.error());
    std::vector<BackupFile> files;
    const auto add = [&](const fs::path& from, const std::string& name) -> Result<void> {
        auto copied = copyFile(from, folder / name, name);
        if (!copied) return fail(copied.error());
        files.push_back(std::move(*copied));
        return {};
    };
    if (auto copied = copyIndex(home.index(), folder / kIndexFile); !copied) return fail(copied.error());
    auto digested = copyFile(folder / kIndexFile, {}, kIndexFile);
    if (!digested) return fail(digested.error());
    files.push_back(std::move(*digested));
    for (const std::string_view entry : kBackedUp)
        for (const std::string& file : filesBelow(home.path, entry))
            if (auto copied = add(home.path / file, kHomeFolder + ("/" + file)); !copied) return fail(copied.error());
    for (const auto& [name, file] : extra)
        if (fs::exists(file, code))
            if (auto copied = add(file, kExtraFolder + ("/" + name)); !copied) return fail(copied.error());
    BackupReport report;
    Json list = Json::array();
    for (const BackupFile& file : files) {
        list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
        report.bytes += file.bytes;
        ++report.numFiles;
    }
    const Json document{{"schema", 1},
                        {"slipway_version", versionText()},
                        {"time_unix_ms", now},
                        {"home", home.path.string()},
                        {"not_contained", {"runs", "sweeps", "corpora"}},
                        {"files", std::move(list)}};
    if (auto written = writeJsonFile(folder / kListFile, document); !written) return fail(written.error());
    return report;
}

Result<RestoreReport> restoreHome(const Home& home, const fs::path& folder, std::int64_t now) {
    const auto files = readList(folder);
    if (!files) return fail(files.error());
    for (const BackupFile& file : *files) {
        const auto found = copyFile(folder / file.path, {}, file.path);
        if (!found || found->bytes != file.bytes || found->sha256 != file.sha256)
            return fail("backup_damaged", "A backup file is missing or was modified: %1."_text(file.path),
                        (folder / file.path).string());
    }
    const fs::path index = home.index();
    if (auto made = makeFolders(index.parent_path()); !made) return fail(made.error());
    auto lock = FileLock::tryLock(index.string() + ".lock");
    if (!lock && lock.error().code == "locked")
        return fail("index_rebuilding", "Another program is rebuilding the run index; try again when it is done."_text,
                    index.string());
    if (!lock) return fail(lock.error());
    // Copied first, then moved: what fails here has replaced nothing.
    const fs::path stage = home.path / (".restoring-" + std::to_string(now));
    const fs::path newIndex = index.string() + ".restoring-" + std::to_string(now);
    RestoreReport report;
    for (const BackupFile& file : *files) {
        if (file.path.starts_with(kExtraFolder)) continue;
        const fs::path to = file.path == kIndexFile ? newIndex : stage / file.path;
        if (auto copied = copyFile(folder / file.path, to, file.path); !copied) {
            std::error_code code;
            fs::remove_all(stage, code);
            fs::remove(newIndex, code);
            return fail(copied.error());
        }
        ++report.numFiles;
    }
    const fs::path aside = home.path / ("before-restore-" + std::to_string(now));
    std::error_code code;
    const auto setAside = [&](const fs::path& path, const std::string& name) -> Result<void> {
        if (!fs::exists(fs::symlink_status(path, code))) return {};
        report.aside = aside;
        return moveTo(path, aside / name);
    };
    for (const std::string_view entry : kBackedUp) {
        if (auto moved = setAside(home.path / entry, std::string(entry)); !moved) return fail(moved.error());
        if (fs::exists(stage / kHomeFolder / entry, code))
            if (auto moved = moveTo(stage / kHomeFolder / entry, home.path / entry); !moved) return fail(moved.error());
    }
    if (fs::exists(newIndex, code)) {
        // The log first: a database without its log is older, a log without its database would be taken for the next one's.
        for (const char* suffix : {"-wal", "-shm", ""})
            if (auto moved = setAside(index.string() + suffix, kIndexFile + std::string(suffix)); !moved)
                return fail(moved.error());
        if (auto moved = moveTo(newIndex, index); !moved) return fail(moved.error());
    }
    fs::remove_all(stage, code);
    return report;
}

}  // namespace slipway
