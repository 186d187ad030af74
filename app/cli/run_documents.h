// A run in the output of `slipway runs --json` and `slipway show --json`.
#pragma once

#include "core/base/json.h"
#include "core/store/run_store.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// @param seqLen of the run's config, for rates that need it
Json runJson(const RunRecord& run, std::optional<std::int64_t> seqLen);

/// The value of a column, null where it is unknown.
Json cellJson(const CellValue& value);

/// A group of runs with count, mean, minimum, maximum and median of each figure.
Json groupJson(const RunGroup& group, const std::vector<std::string>& figures);

}  // namespace slipway
