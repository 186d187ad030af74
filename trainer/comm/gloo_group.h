// Gloo backend: one process per rank, CPU tensors, TCP on the interface that leads to the master.
#pragma once

#include "trainer/comm/group_base.h"
#include "trainer/comm/mesh.h"
#include "trainer/comm/rendezvous.h"

#include <memory>

namespace slipway::trainer {

/// False when this build has no Gloo (libgloo-dev was missing); glooMaker then throws a CommError.
bool haveGloo();

/// The rendezvous must outlive the groups. Collectives of one group run in the order of their start, the same on every
/// rank.
GroupMaker glooMaker(Rendezvous& rendezvous, std::shared_ptr<CommActivity> activity);

}  // namespace slipway::trainer
