// nodes bench: measures nodes and their links, for plans on them.
#pragma once

#include "app/cli/command.h"
#include "core/remote/node_record.h"
#include "core/remote/ssh.h"

#include <string>
#include <vector>

namespace slipway {

/// Measures, stores the cluster in the home and prints it. Ctrl-C ends it on all nodes. Errors of NodesBench and clusterOfBench().
Result<int> benchNodes(CliContext& context, const std::vector<NodeRecord>& nodes, const SshOptions& options);

}  // namespace slipway
