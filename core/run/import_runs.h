// Runs of other programs, from their logs and result files, as run folders and rows of the index.
//   auto file = readImportFile("train.log");   // its contents and malformed parts
//   for (const ImportedRun& run : file->runs) importRun(store, home, run, now, randomEntropy());
// Besides the logs of core/interop, tables of measured runs (core/planner/validate) are read: one run per row, with its forecast.
#pragma once

#include "core/interop/log_reader.h"
#include "core/spec/cluster_spec.h"
#include "core/store/run_store.h"

#include <filesystem>
#include <functional>

namespace slipway {

/// Tag of runs not started by our launchers: `slipway runs tag:imported`.
inline constexpr const char* kImportedTag = "imported";
/// Format id of a table that `slipway validate` also reads.
inline constexpr const char* kMeasuredRunsFormat = "measured-runs";

struct ImportedRun {
    interop::LogRun log;
    std::string format;
    std::string file;                    ///< source file
    std::optional<ClusterSpec> cluster;  ///< where the source names its hardware: then a forecast is stored too
    std::string failure;                 ///< reason of its failure; empty: it ran
    std::vector<std::string> columns{};  ///< of a CSV, under other names: as passed to readImportFile()
    bool isStreamed = false;             ///< its steps stay in the file; importRun reads them there
};

/// Called occasionally during long work; false stops it ("cancelled").
using KeepGoing = std::function<bool()>;

struct ImportedFile {
    interop::Log log;  ///< counts, names and malformed lines; its runs are in `runs`
    std::vector<ImportedRun> runs;
};

/// Ids of all formats, separated by commas.
std::string importFormats();

/// @param format an id, or empty to detect it
/// @param config known config of the run; it determines the tokens per step
/// "usage" for an unknown format, "bad_log" when none of the file can be read, "missing_columns" for a table that
/// almost has the form of measured runs.
Result<ImportedFile> readImport(std::string_view bytes, const std::string& file, const std::string& format = {},
                                const std::optional<RunConfig>& config = {});

/// The same for a file. A log of lines above kStreamedBytes is read in pieces, and its steps stay there until
/// importRun; other files are read completely ("file_too_large" over 1 GiB). @param columns of a CSV, under other names
/// ("step=iter") or omitted ("=noise"), recorded in the run's reason
Result<ImportedFile> readImportFile(const std::filesystem::path& file, const std::string& format = {},
                                    const std::optional<RunConfig>& config = {}, const KeepGoing& keepGoing = {},
                                    const std::vector<std::string>& columns = {});
constexpr std::size_t kStreamedBytes = 4U << 20;

/// Writes the run folder, then brings it into the index. A streamed run locks the index piece by piece: call it outside
/// RunStore::together. Cancelled during reading it leaves nothing; killed later it leaves a complete folder, which the
/// next program adopts. @param entropy makes the id unique
Result<RunId> importRun(RunStore& store, const Home& home, const ImportedRun& run, std::int64_t nowUnixMilliseconds,
                        std::uint32_t entropy, const KeepGoing& keepGoing = {});

}  // namespace slipway
