#include "core/faults/fault_table.h"

#include <iterator>

namespace slipway {

std::string_view wordOf(FaultKind kind) {
    switch (kind) {
        case FaultKind::Requested: return "requested";
        case FaultKind::Transient: return "transient";
        case FaultKind::Node: return "node";
        case FaultKind::Memory: return "memory";
        case FaultKind::Disk: return "disk";
        case FaultKind::Config: return "config";
        case FaultKind::Code: return "code";
        case FaultKind::Numerics: return "numerics";
        case FaultKind::Unknown: break;
    }
    return "unknown";
}

const std::vector<Fault>& faultTable() {
    static const std::vector<Fault> table = [] {
        std::vector<Fault> all = faultsOfNodes();
        for (auto* part : {&faultsOfFiles, &faultsOfRanks}) {
            std::vector<Fault> more = part();
            std::move(more.begin(), more.end(), std::back_inserter(all));
        }
        return all;
    }();
    return table;
}

}  // namespace slipway
