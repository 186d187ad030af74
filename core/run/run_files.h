// The files of a run folder written by this room before a start.
#pragma once

#include "core/launch/launch_plan.h"
#include "core/spec/agent_files.h"
#include "core/spec/cluster_spec.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipway {

struct RunFiles {
    RunConfig config;           ///< without options that an older version accepted but never used (stored_config.h)
    bool isShapeKnown = true;   ///< false: another program's run, without model or batch
    bool isLengthKnown = true;  ///< false: without number of steps
    ClusterSpec cluster;        ///< default when plan.json is missing
    std::optional<LaunchPlan> plan;  ///< of the newest attempt
    std::vector<LaunchNode>
        nodes;  ///< of the newest attempt, or before it of the first one, over SSH; empty: here, or in a job
};
/// "file_missing", "bad_config" ... when config.json is invalid; the other files are optional.
Result<RunFiles> readRunFiles(const RunDir& folder);

/// nodes.json of a run folder: it is written before launch.json, so that an attempt whose launcher is killed in between
/// is not started on another computer later.
std::pair<std::string, std::string> nodesDocument(const std::vector<LaunchNode>& nodes);
/// Writes it, or removes it when there are no nodes.
Result<void> writeNodes(const RunDir& folder, const std::vector<LaunchNode>& nodes);

/// Writes launch.json and removes the previous attempt's control files.
Result<void> writeLaunchFile(const RunDir& folder, const LaunchPlan& plan);

}  // namespace slipway
