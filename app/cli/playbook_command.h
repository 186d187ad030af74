// The maker of `slipway playbook`.
#pragma once

#include "app/cli/command.h"

namespace slipway {

std::unique_ptr<Command> makePlaybookCommand();

}  // namespace slipway
