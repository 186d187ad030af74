// slipway-trainer verify CONFIG [--json]: alone, all ranks are threads; under RANK and WORLD_SIZE of an agent or
// torchrun, each process is one rank and Gloo connects them.
#pragma once

#include "trainer/verify/verify.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace slipway::trainer {

/// A table of the parameters, then the sums and the verdict.
std::string toText(const VerifyReport& report);
/// {"passed", "failures", "loss", ..., "parameters": [{"name", "shape", "gradient_norm", "gradient_difference",
/// "weight_difference"}]}
Json toJson(const VerifyReport& report);

/// @param arguments the words after "verify". Exit codes: 0 the same training, 1 different, 2 usage, 10 bad config, 12
/// communication.
int runVerifyCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace slipway::trainer
