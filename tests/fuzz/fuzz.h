// What the fuzz targets share. A target feeds the same bytes to every parser of its family: what comes back must be a
// value or an error with a code and a sentence, and a value must survive being written and read again.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace slipway::test {

inline std::string textOf(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process so that libFuzzer keeps the input.
inline void require(bool condition, std::string_view what) {
    if (condition) return;
    std::fprintf(stderr, "fuzz: broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

/// True when there is a value; an error must say what is wrong.
template <class T>
bool valueOrError(const Result<T>& result) {
    if (result) return true;
    require(!result.error().code.empty() && !result.error().message.empty(), "an error without code or message");
    return false;
}

}  // namespace slipway::test
