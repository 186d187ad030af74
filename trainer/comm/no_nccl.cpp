#include "trainer/comm/nccl_group.h"

namespace slipway::trainer {

bool haveNccl() {
    return false;
}

GroupMaker ncclMaker(Rendezvous&, int, std::shared_ptr<CommActivity>) {
    throw CommError(
        "world", "rendezvous",
        "this slipway-trainer was built without CUDA and NCCL: build with SLIPWAY_CUDA=ON, or use --backend gloo");
}

}  // namespace slipway::trainer
