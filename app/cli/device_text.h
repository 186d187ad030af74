// The devices of a run in words: what the preflight found on its nodes (preflight.json of the run folder), and what GPUs told since.
#pragma once

#include "app/cli/command.h"
#include "core/base/json.h"
#include "core/metrics/metric_series.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

/// The newest value of a series that has any.
std::optional<double> lastOf(const std::vector<MetricSeries>& all, const char* name);
/// What the GPUs last told of themselves; empty for a run on CPUs.
std::string devicesText(const std::vector<MetricSeries>& all);

/// The document; null where there is none.
Json preflightOf(const std::filesystem::path& folder);

/// A row for each node: "Node a" and what it had.
std::vector<std::pair<std::string, std::string>> preflightFacts(const CliContext& context,
                                                                const std::filesystem::path& folder);

}  // namespace slipway
