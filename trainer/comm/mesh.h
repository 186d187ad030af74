// ProcessMesh: turns the groups of a ParallelLayout into ProcessGroups. Rank arithmetic is in core/spec.
#pragma once

#include "core/spec/parallel_layout.h"
#include "trainer/comm/process_group.h"

#include <memory>

namespace slipway::trainer {

/// The groups one rank belongs to. Every pointer is valid; a degree of 1 is a self group.
struct ProcessMesh {
    ParallelLayout layout;
    Coordinates at;
    int worldRank = 0;
    std::unique_ptr<ProcessGroup> world;
    std::unique_ptr<ProcessGroup> tp;
    std::unique_ptr<ProcessGroup> cp;
    std::unique_ptr<ProcessGroup> dp;    ///< replicas: gradient reduction and ZeRO (dp x cp when cp > 1)
    std::unique_ptr<ProcessGroup> pp;    ///< pipeline neighbours, rank = pipeline rank
    std::unique_ptr<ProcessGroup> tied;  ///< first and last stage, which both hold a tied embedding (else a self group)
};

}  // namespace slipway::trainer
