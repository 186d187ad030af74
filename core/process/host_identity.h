// The /proc that applies to a process: a process number is valid on one computer, since its last boot, in one process
// namespace. A home may be shared by several computers and containers.
#pragma once

#include "core/process/proc_facts.h"

#include <string>

namespace slipway {

struct HostIdentity {
    std::string host;          ///< its name
    std::string bootId;        ///< of bootId()
    std::string pidNamespace;  ///< "pid:[4026531836]"; empty: unknown, as in files of older versions
    bool operator==(const HostIdentity&) const = default;
};

/// This computer, as this process sees it.
const HostIdentity& thisHost();

enum class Reach {
    Here,      ///< /proc of this process shows its processes
    Rebooted,  ///< this computer's name, from an earlier boot: its processes are gone, unless another computer has the name
    Elsewhere,  ///< another computer or container: known only by the files it writes
};
Reach reachOf(const HostIdentity& owner);

}  // namespace slipway
