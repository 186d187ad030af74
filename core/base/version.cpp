#include "core/base/version.h"

#include "slipway_version.h"

namespace slipway {

std::string_view version() {
    return SLIPWAY_VERSION;
}

std::string_view commit() {
    return SLIPWAY_COMMIT;
}

std::string versionText() {
    std::string text(version());
    if (!commit().empty()) text.append(" (").append(commit()).append(")");
    return text;
}

}  // namespace slipway
