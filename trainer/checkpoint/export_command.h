// slipway-trainer export CHECKPOINT FOLDER: the weights of a run in the format of Hugging Face transformers.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace slipway::trainer {

/// @param arguments the words after "export". Exit codes: 0 done, 1 failed, 2 usage, 15 disk full.
int runExportCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace slipway::trainer
