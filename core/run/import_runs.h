// Runs of other programs, from their logs and result files, as run folders and rows of the index.
//   auto file = readImportFile("train.log");   // what it holds and what of it was not understood
//   for (const ImportedRun& run : file->runs) importRun(store, home, run, now, randomEntropy());
// Beside the logs of core/interop a table of measured runs (core/planner/validate) is read: a run of each row, with its forecast.
#pragma once

#include "core/interop/log_reader.h"
#include "core/spec/cluster_spec.h"
#include "core/store/run_store.h"

#include <filesystem>
#include <functional>

namespace slipway {

/// Tag of runs that no launcher of ours started: `slipway runs tag:imported`.
inline constexpr const char* kImportedTag = "imported";
/// Format id of a table that `slipway validate` reads as well.
inline constexpr const char* kMeasuredRunsFormat = "measured-runs";

struct ImportedRun {
    interop::LogRun log;
    std::string format;
    std::string file;                    ///< where it was read
    std::optional<ClusterSpec> cluster;  ///< where the source names its hardware: then a forecast is kept beside
    std::string failure;                 ///< why it did not run; empty: it ran
    std::vector<std::string> columns{};  ///< of a CSV, under other names: as readImportFile() got them
    bool isStreamed = false;             ///< its steps stay in the file; importRun reads them there
};

/// Asked now and then during long work; false stops it ("cancelled").
using KeepGoing = std::function<bool()>;

struct ImportedFile {
    interop::Log log;  ///< counts, names and what was malformed; its runs are in `runs`
    std::vector<ImportedRun> runs;
};

/// Ids of all formats, separated by commas.
std::string importFormats();

/// @param format an id, or empty for what the file looks like
/// @param config what is known of the run otherwise; it gives the tokens of a step
/// "usage" for an unknown format, "bad_log" when nothing of the file can be read, "missing_columns" for a table that is
/// nearly one of measured runs.
Result<ImportedFile> readImport(std::string_view bytes, const std::string& file, const std::string& format = {},
                                const std::optional<RunConfig>& config = {});

/// The same for a file. A log of lines above kStreamedBytes is read in pieces, and its steps stay there until importRun;
/// other files are read as a whole ("file_too_large" over 1 GiB). @param columns of a CSV, under other names ("step=iter") or left out
/// ("=noise"), which the run's reason keeps
Result<ImportedFile> readImportFile(const std::filesystem::path& file, const std::string& format = {},
                                    const std::optional<RunConfig>& config = {}, const KeepGoing& keepGoing = {},
                                    const std::vector<std::string>& columns = {});
constexpr std::size_t kStreamedBytes = 4U << 20;

/// Writes the run folder, then brings it into the index. A streamed run locks the index for a piece at a time: call it
/// outside RunStore::together. Cancelled while it reads the log it leaves nothing; who is killed later leaves a whole
/// folder, which the next program brings in. @param entropy makes the id unique
Result<RunId> importRun(RunStore& store, const Home& home, const ImportedRun& run, std::int64_t nowUnixMilliseconds,
                        std::uint32_t entropy, const KeepGoing& keepGoing = {});

}  // namespace slipway
