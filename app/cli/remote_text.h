// Documents that commands take by URL or hf:ORG/NAME beside files.
#pragma once

#include "app/cli/command.h"
#include "core/interop/remote_config.h"

#include <string>

namespace slipway {

/// The text of a URL or of hf:ORG/NAME, with a progress line. Errors of interop::fetchConfig().
Result<std::string> fetchText(CliContext& context, const std::string& place);

/// Where fetchText() reads from: the hub, with the token of the environment where this names none. Tests name a server of
/// their own.
interop::RemoteOptions& remoteOptions();

}  // namespace slipway
