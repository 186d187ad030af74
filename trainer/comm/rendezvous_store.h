// The torch side of Rendezvous, for the backends' sources only.
#pragma once

#include "trainer/comm/rendezvous.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace slipway::trainer {

struct Rendezvous::Store {
    c10::intrusive_ptr<c10d::Store> keys;  ///< of this run: below its secret, if any
};

}  // namespace slipway::trainer
