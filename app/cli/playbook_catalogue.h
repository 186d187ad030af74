// playbook catalogue, models and glossary: names from the sources.
#pragma once

#include "app/cli/command.h"
#include "core/playbook/playbook.h"

namespace slipway {

/// Prints the systems of the sources ("catalogue"), large models ("models") or the words of both languages ("glossary").
Result<int> lookUp(CliContext& context, const Playbook& playbook, const std::string& what);

}  // namespace slipway
