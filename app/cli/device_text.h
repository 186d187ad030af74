// The devices of a run in words: the preflight's findings on its nodes (preflight.json of the run folder), and the telemetry of its GPUs.
#pragma once

#include "app/cli/print.h"
#include "core/base/json.h"
#include "core/metrics/metric_series.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace slipway {

/// The newest value of a series that has any.
std::optional<double> lastOf(const std::vector<MetricSeries>& all, const char* name);
/// The GPUs' last report; empty for a run on CPUs.
Message devicesText(const std::vector<MetricSeries>& all);

/// The document; null where there is none.
Json preflightOf(const std::filesystem::path& folder);

/// A row for each node: "Node a" and its hardware.
FactLines preflightFacts(const std::filesystem::path& folder);

/// Nodes that the others of the run waited for. @param fromStep start of its newest attempt
FactLines slowNodeFacts(const std::filesystem::path& folder, std::int64_t fromStep);

}  // namespace slipway
