// Numbers in tables for programs.
#pragma once

#include <string>

namespace slipway {

/// A number for CSV with full precision; non-finite values as docs/run_folder.md writes them.
std::string csvNumber(double value);

}  // namespace slipway
