// A currently free TCP port, for the rendezvous of the ranks of one node.
#pragma once

#include "core/base/result.h"

#include <string>

namespace slipway {

/// Asks the kernel for a free port on a numeric address ("127.0.0.1"). Another program may take it before use: callers
/// retry with another one ("no_port" when there is none, "bad_address").
Result<int> freePort(const std::string& address);

}  // namespace slipway
