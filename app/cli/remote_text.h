// Documents given to commands by URL or hf:ORG/NAME instead of files.
#pragma once

#include "app/cli/command.h"
#include "core/interop/remote_config.h"

#include <string>

namespace slipway {

/// The text of a URL or of hf:ORG/NAME, with a progress line. Errors of interop::fetchConfig().
Result<std::string> fetchText(CliContext& context, const std::string& place);

/// Source of fetchText(): the hub, with the token of the environment by default. Tests use their own
/// server.
interop::RemoteOptions& remoteOptions();

}  // namespace slipway
