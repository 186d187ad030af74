#include "app/cli/remote_text.h"

#include "app/cli/run_tools.h"

namespace slipway {

interop::RemoteOptions& remoteOptions() {
    static interop::RemoteOptions options;
    return options;
}

Result<std::string> fetchText(CliContext& context, const std::string& place) {
    interop::RemoteOptions options = remoteOptions();
    if (options.http.token.empty()) options.http.token = interop::hubToken();
    progressLine(context, "Reading %1"_text(place));
    auto text = interop::fetchConfig(place, options);
    endProgressLine(context);
    return text;
}

}  // namespace slipway
