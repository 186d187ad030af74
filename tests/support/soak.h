// How long and how much a test that draws at random runs: by the environment, so that one command repeats what failed.
#pragma once

#include <cstdlib>

namespace slipway::test {

/// SLIPWAY_SOAK_SECONDS, which `./test --soak` sets; 120 without it.
inline double soakSeconds() {
    const char* text = std::getenv("SLIPWAY_SOAK_SECONDS");
    return text == nullptr ? 120 : std::atof(text);
}

/// A count or seed of the environment.
inline unsigned chosen(const char* name, unsigned otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

}  // namespace slipway::test
