// A backup of what a home has beside its run folders: the index with all recorded points, saved views, boards, sweep files, nodes, alert
// rules, devices and prices, Playbook notes, and files that the caller adds, such as the window's settings. It is a plain folder with a
// list of its files.
// Not in it: run folders (logs, checkpoints, configs), sweeps, token files. They are the truth and are copied with any tool.
//   backUpHome(home, "/backups/monday", now, {{"settings.ini", file}});   ...   restoreHome(home, "/backups/monday", now);
#pragma once

#include "core/spec/run_dir.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

struct BackupReport {
    std::int64_t numFiles = 0;
    std::uint64_t bytes = 0;
};

/// Writes the backup into a new or empty folder; its list, backup.json, comes last, so that a part of a backup is none.
/// "folder_not_empty", "store_missing" without an index, "disk_full", "file_unwritable". @param extra name in the backup and file
Result<BackupReport> backUpHome(const Home& home, const std::filesystem::path& folder, std::int64_t nowUnixMilliseconds,
                                const std::vector<std::pair<std::string, std::filesystem::path>>& extra = {});

struct RestoreReport {
    std::int64_t numFiles = 0;
    std::filesystem::path aside;  ///< the files that were replaced; empty: none were there
};

/// Checks every file against the list, then puts all in place; what they replace is moved into a folder of the home, never deleted. Extra
/// files are left to the caller. Programs that have the index open switch to the restored one by themselves; run folders that it does
/// not know are adopted at their next look. "not_a_backup", "backup_damaged" with the file, "index_rebuilding", "disk_full",
/// "file_unwritable"; after an error of the first two nothing has changed.
Result<RestoreReport> restoreHome(const Home& home, const std::filesystem::path& folder,
                                  std::int64_t nowUnixMilliseconds);

}  // namespace slipway
