// The files of a run folder that this room writes before anything is started.
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
    RunConfig config;                ///< without what an older version took and never acted (stored_config.h)
    bool isShapeKnown = true;        ///< false: another program's run, and its model or batch is not given
    bool isLengthKnown = true;       ///< false: its number of steps is not given
    ClusterSpec cluster;             ///< default when plan.json is missing
    std::optional<LaunchPlan> plan;  ///< of the newest attempt
    std::vector<LaunchNode>
        nodes;  ///< where the newest attempt runs or the first one will, over SSH; empty: here, or in a job
};
/// "file_missing", "bad_config" ... when config.json cannot be used; the other files may be missing.
Result<RunFiles> readRunFiles(const RunDir& folder);

/// nodes.json of a run folder: it is there before launch.json, so that an attempt whose launcher is killed in between is not started on
/// another computer later.
std::pair<std::string, std::string> nodesDocument(const std::vector<LaunchNode>& nodes);
/// Writes it, or removes it when there are no nodes.
Result<void> writeNodes(const RunDir& folder, const std::vector<LaunchNode>& nodes);

/// Writes launch.json and removes the control files of the attempt before.
Result<void> writeLaunchFile(const RunDir& folder, const LaunchPlan& plan);

}  // namespace slipway
