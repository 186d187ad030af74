// Host memory of a node, as listed by vendors and clouds for systems with a device: JSON in resources/hosts, embedded
// in the program at build time.
//   listedHost("NVIDIA H100 SXM 80 GB")->bytes   // a DGX H100
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct ListedHost {
    std::string device, system;
    double bytes = 0;  ///< of one node
    std::string source, date;
};
const std::vector<ListedHost>& listedHosts();
/// The system with the hardware library's links, the first one listed for this device, or null: unknown is not zero.
const ListedHost* listedHost(std::string_view device);

}  // namespace slipway
