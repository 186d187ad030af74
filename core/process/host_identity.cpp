#include "core/process/host_identity.h"

#include <filesystem>
#include <system_error>

namespace slipway {

const HostIdentity& thisHost() {
    static const HostIdentity here = [] {
        std::error_code code;
        const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", code);
        return HostIdentity{hostName(), bootId(), code ? std::string() : space.string()};
    }();
    return here;
}

Reach reachOf(const HostIdentity& owner) {
    const HostIdentity& here = thisHost();
    if (owner.bootId == here.bootId) {
        const bool known = !owner.pidNamespace.empty() && !here.pidNamespace.empty();
        return known && owner.pidNamespace != here.pidNamespace ? Reach::Elsewhere : Reach::Here;
    }
    return owner.host == here.host ? Reach::Rebooted : Reach::Elsewhere;
}

}  // namespace slipway
