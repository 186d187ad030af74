// Numbers in tables for programs.
#pragma once

#include <string>

namespace slipway {

/// A number for CSV with full precision; non-finite values as in docs/run_folder.md.
std::string csvNumber(double value);

}  // namespace slipway
