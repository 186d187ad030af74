// A run's curves as a TensorBoard event file.
//   writeTensorBoard(store, id, "boards")   ->  boards/20261121-1305/events.out.tfevents.1763731500.slipway
#pragma once

#include "core/store/run_store.h"

#include <cstdint>
#include <filesystem>

namespace slipway {

struct TensorBoardFile {
    std::filesystem::path path;
    std::int64_t numScalars = 0;
};

/// Every recorded metric by step, with the time of the step as wall time; steps superseded by a later attempt are
/// omitted. Replaces the file of an earlier export of this run. "no_points" without recorded points, "run_missing",
/// "folder_unwritable", "file_unwritable", "disk_full".
Result<TensorBoardFile> writeTensorBoard(RunStore& store, const RunId& id, const std::filesystem::path& folder);

}  // namespace slipway
