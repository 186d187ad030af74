// Work spread over the computer's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace slipway {

/// Calls body(0) .. body(count - 1) on all cores, in any order, and returns when all are done.
void onAllCores(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace slipway
