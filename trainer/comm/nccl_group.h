// NCCL backend: one process per GPU. In builds without CUDA the maker throws.
#pragma once

#include "trainer/comm/group_base.h"
#include "trainer/comm/mesh.h"
#include "trainer/comm/rendezvous.h"

#include <memory>

namespace slipway::trainer {

/// False when this build has no NCCL; ncclMaker then throws a CommError.
bool haveNccl();

/// The rendezvous must outlive the groups. `device` is the CUDA device of this rank. Handles order the caller's current
/// stream after the collective; they do not block the host.
GroupMaker ncclMaker(Rendezvous& rendezvous, int device, std::shared_ptr<CommActivity> activity);

}  // namespace slipway::trainer
