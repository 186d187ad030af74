#include "trainer/comm/gloo_group.h"

namespace slipway::trainer {

bool haveGloo() {
    return false;
}

GroupMaker glooMaker(Rendezvous&, std::shared_ptr<CommActivity>) {
    throw CommError(
        "world", "rendezvous",
        "this slipway-trainer was built without Gloo: install libgloo-dev and build again, or use --backend in_process");
}

}  // namespace slipway::trainer
